package manifest

import (
	"encoding/json"
	"os"
	"reflect"
	"testing"
)

// TestMigrations lays each older form of testdata/migrations.json over the base
// of the verdicts and compares what it becomes.
func TestMigrations(t *testing.T) {
	raw, err := os.ReadFile("testdata/migrations.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Name    string  `json:"name"`
		Patch   []patch `json:"patch"`
		Pointer string  `json:"pointer"`
		Want    any     `json:"want"`
	}
	if err := json.Unmarshal(raw, &cases); err != nil {
		t.Fatal(err)
	}
	base := readVerdicts(t).Base
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			m, problems := Parse(verdict{Patch: c.Patch}.document(t, base))
			if m == nil {
				t.Fatal(problems)
			}
			var doc any
			if err := json.Unmarshal(m.JSON(), &doc); err != nil {
				t.Fatal(err)
			}
			if got, _ := lookup(doc, c.Pointer); !reflect.DeepEqual(got, c.Want) {
				t.Errorf("got  %v\nwant %v", got, c.Want)
			}
		})
	}
}
