package problem

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/svc-dev/svc/manifest"
	"github.com/svc-dev/svc/manifest/edit"
	drafts "github.com/svc-dev/svc/manifest/examples"
)

// edits are logs of random operations and of the editor's commands on drafts (manifest/edit/testdata).
type edits struct {
	Bases map[string]json.RawMessage
	Cases []struct {
		Name, Base string
		Log        []edit.Step
	}
}

// Whatever operations make of a draft, after each step it is valid, or its problems are told in words.
func TestProblemsAfterEachEdit(t *testing.T) {
	steps, blocked := 0, 0
	for _, file := range []string{"vectors.json", "commands.json"} {
		text, err := os.ReadFile(filepath.Join("..", "edit", "testdata", file))
		if err != nil {
			t.Fatal(err)
		}
		var logs edits
		if err := json.Unmarshal(text, &logs); err != nil {
			t.Fatal(err)
		}
		for _, one := range logs.Cases {
			base := []byte(logs.Bases[one.Base])
			if len(base) == 0 {
				if base, err = drafts.Files.ReadFile(one.Base); err != nil {
					t.Fatal(err)
				}
			}
			doc, _, err := edit.Open(base)
			if err != nil {
				t.Fatal(err)
			}
			for _, step := range one.Log {
				if _, refusal := doc.Apply(step); refusal != nil {
					continue // which changes nothing
				}
				steps++
				if checkEdited(t, one.Name, doc) {
					blocked++
				}
			}
		}
	}
	if steps < 500 || blocked < 100 || blocked == steps {
		t.Errorf("of %d drafts %d can't be published: the test tries too little", steps, blocked)
	}
}

// checkEdited returns whether a draft can't be published, which its problems must say then.
func checkEdited(t *testing.T, name string, doc *edit.Document) bool {
	t.Helper()
	text, err := doc.Canonical()
	if err != nil {
		t.Fatal(err)
	}
	found := gates(text)
	told, err := Inspect(text, found)
	if err != nil {
		t.Fatal(err)
	}
	blocked := slices.ContainsFunc(told, func(p Problem) bool { return p.Severity == manifest.Error })
	if want := manifest.Blocking(found); blocked != want {
		t.Fatalf("%s: blocked %v, the validator says %v: %s", name, blocked, want, text)
	}
	for _, p := range told {
		checkProblem(t, doc, p)
	}
	return blocked
}
