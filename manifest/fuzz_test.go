package manifest

import (
	"bytes"
	"testing"
)

// FuzzParse: Parse never panics, and what it accepts is a fixed point: the
// canonical form parses to itself.
func FuzzParse(f *testing.F) {
	// Small seeds: the fuzzer is too slow on documents of the examples' size.
	v := readVerdicts(f)
	for _, c := range v.Cases {
		f.Add(c.document(f, v.Base))
	}
	for _, seed := range []string{
		``, `null`, `[]`, `{}`, `{"screens":[null]}`, `{"version":1e400}`, "\"\\u0000\"", `{"a":` + "\"\\ud800\"" + `}`,
		`{"flowId":"a0000000-0000-4000-8000-000000000001","schemaVersion":4,"version":1,"defaultLocale":"en","locales":[],"entryScreenId":null,"screens":[]}`,
		`{"flowId":"a0000000-0000-4000-8000-000000000001","version":1,"defaultLocale":"en","locales":[],"entryScreenId":"scr_a","screens":[{"id":"scr_a","name":"A","next":{"default":null},"regions":{"body":{"id":"lyr_a","kind":"stack","direction":"vertical","justify":"center","children":[{"id":"lyr_b","kind":"number_stepper","fieldKey":"n","classification":"safe","min":0,"max":2}]}}}]}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		m, problems := Parse(raw)
		if (m == nil) != Blocking(problems) {
			t.Fatalf("manifest %v with problems %v", m, problems)
		}
		if m == nil {
			return
		}
		again, problems := Parse(m.JSON())
		if again == nil {
			t.Fatalf("the canonical form is refused: %v\n%s", problems, m.JSON())
		}
		if !bytes.Equal(again.JSON(), m.JSON()) {
			t.Fatalf("not a fixed point:\n%s\n%s", m.JSON(), again.JSON())
		}
		CheckPublish(m, PublishOptions{})
	})
}
