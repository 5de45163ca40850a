package manifest

import (
	"os"
	"path/filepath"
	"testing"
)

func exampleFiles(t testing.TB) map[string][]byte {
	t.Helper()
	paths, err := filepath.Glob("examples/*.json")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no examples: %v", err)
	}
	out := map[string][]byte{}
	for _, path := range paths {
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		out[filepath.Base(path)] = raw
	}
	return out
}

func TestExamplesAreValid(t *testing.T) {
	for name, raw := range exampleFiles(t) {
		m, problems := Parse(raw)
		for _, p := range problems {
			t.Errorf("%s: %s %v", name, p.Code, p)
		}
		if m == nil {
			continue
		}
		again, problems := Parse(m.JSON())
		if len(problems) > 0 || string(again.JSON()) != string(m.JSON()) {
			t.Errorf("%s: the canonical form does not parse to itself: %v", name, problems)
		}
	}
}

func BenchmarkParse(b *testing.B) {
	raw := exampleFiles(b)["all-layers.json"]
	compiledSchema()
	b.ReportAllocs()
	for b.Loop() {
		if m, problems := Parse(raw); m == nil {
			b.Fatal(problems)
		}
	}
}
