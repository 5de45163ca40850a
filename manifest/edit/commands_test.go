package edit

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/svc-dev/svc/manifest"
	"github.com/svc-dev/svc/manifest/examples"
)

// TestCommands runs the steps that the editor's commands make (testdata/commands.json, written by
// dashboard/src/editor/document/laws.test.ts): none is refused here, and they come to the same bytes.
func TestCommands(t *testing.T) {
	text, err := os.ReadFile("testdata/commands.json")
	if err != nil {
		t.Fatal(err)
	}
	var stored struct {
		Bases map[string]json.RawMessage `json:"bases"`
		Cases []struct {
			Name   string `json:"name"`
			Base   string `json:"base"`
			Log    []Step `json:"log"`
			Result string `json:"result"`
			Valid  bool   `json:"valid"`
		} `json:"cases"`
	}
	if err := json.Unmarshal(text, &stored); err != nil {
		t.Fatal(err)
	}
	if len(stored.Cases) < 30 {
		t.Fatalf("only %d cases", len(stored.Cases))
	}
	for _, one := range stored.Cases {
		t.Run(one.Name, func(t *testing.T) {
			base := stored.Bases[one.Base]
			if base == nil {
				if base, err = examples.Files.ReadFile(one.Base); err != nil {
					t.Fatal(err)
				}
			}
			d := open(t, string(base))
			first := bytesOf(t, d)
			var undo [][]Operation
			for _, step := range one.Log {
				applied, refusal := d.Apply(step)
				if refusal != nil {
					t.Fatalf("%s: %v", step.Name, refusal)
				}
				undo = append(undo, applied.Inverse)
			}
			if got := bytesOf(t, d); got != one.Result {
				t.Errorf("got\n%s\nwant\n%s", got, one.Result)
			}
			checkIndex(t, d)
			if one.Valid {
				if _, problems := manifest.Parse([]byte(one.Result)); len(problems) > 0 {
					t.Errorf("what the commands made is not valid: %+v", problems)
				}
			}
			for i := range undo {
				if _, refusal := d.Apply(Step{Operations: undo[len(undo)-1-i]}); refusal != nil {
					t.Fatal(refusal)
				}
			}
			if bytesOf(t, d) != first {
				t.Error("undoing all does not give the base")
			}
		})
	}
}
