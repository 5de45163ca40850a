package schema

import (
	"encoding/json"
	"testing"

	"entgo.io/contrib/entgql"
	"entgo.io/ent/schema"
)

// entgql must read from an annotation what it would from its own.
func TestAnnotationsAreThoseOfEntgql(t *testing.T) {
	for _, c := range []struct{ ours, theirs schema.Annotation }{
		{notInGraphQL, entgql.Skip(entgql.SkipAll)},
		{ofGraphQL("JSON"), entgql.Type("JSON")},
	} {
		ours, err := json.Marshal(c.ours)
		if err != nil {
			t.Fatal(err)
		}
		theirs, err := json.Marshal(c.theirs)
		if err != nil {
			t.Fatal(err)
		}
		if c.ours.Name() != c.theirs.Name() || string(ours) != string(theirs) {
			t.Errorf("%s %s; entgql has %s %s", c.ours.Name(), ours, c.theirs.Name(), theirs)
		}
	}
}
