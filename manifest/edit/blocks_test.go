package edit

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/svc-dev/svc/manifest"
	"github.com/svc-dev/svc/manifest/examples"
)

// TestBlocks runs the steps by which the editor adds its finished blocks (testdata/blocks.json, written by
// dashboard/src/editor/add/blocks/blocks.test.ts): the flow stays valid after each, and no block brings what keeps
// a flow from being published.
func TestBlocks(t *testing.T) {
	text, err := os.ReadFile("testdata/blocks.json")
	if err != nil {
		t.Fatal(err)
	}
	var stored struct {
		Bases map[string]json.RawMessage `json:"bases"`
		Cases []struct {
			Base string `json:"base"`
			Log  []Step `json:"log"`
		} `json:"cases"`
	}
	if err := json.Unmarshal(text, &stored); err != nil {
		t.Fatal(err)
	}
	if len(stored.Cases) < 5 {
		t.Fatalf("only %d cases", len(stored.Cases))
	}
	for _, one := range stored.Cases {
		t.Run(one.Base, func(t *testing.T) {
			base := stored.Bases[one.Base]
			if base == nil {
				if base, err = examples.Files.ReadFile(one.Base); err != nil {
					t.Fatal(err)
				}
			}
			d := open(t, string(base))
			known := errorsOf(t, bytesOf(t, d))
			for _, step := range one.Log {
				if _, refusal := d.Apply(step); refusal != nil {
					t.Fatalf("%s: %v", step.Name, refusal)
				}
				found := errorsOf(t, bytesOf(t, d))
				for code, problems := range found {
					if len(problems) > len(known[code]) {
						t.Errorf("%s brings %+v", step.Name, problems)
					}
				}
				known = found
			}
		})
	}
}

// errorsOf returns by code what keeps a flow from being published.
func errorsOf(t *testing.T, flow string) map[string][]manifest.Problem {
	t.Helper()
	m, problems := manifest.Parse([]byte(flow))
	if len(problems) > 0 {
		t.Fatalf("not valid: %+v", problems)
	}
	found := map[string][]manifest.Problem{}
	for _, problem := range manifest.CheckPublish(m, manifest.PublishOptions{}) {
		if problem.Severity == manifest.Error {
			found[problem.Code] = append(found[problem.Code], problem)
		}
	}
	return found
}
