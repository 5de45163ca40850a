package edit

import (
	"encoding/json"
	"testing"
)

// The editor's words.test.ts has the same rows: both name a step alike.
func TestDescribeInWords(t *testing.T) {
	d, _, err := Open(json.RawMessage(`{"entryScreenId":"scr_1","defaultLocale":"en","locales":["en"],
		"decisionNodes":[{"id":"dec_1","cases":[{"id":"c1","expression":{"kind":"empty"},"next":null}],"elseNext":null}],
		"screens":[{"id":"scr_1","next":{"default":null},"regions":{"body":{"id":"lyr_body","kind":"stack","children":[
		{"id":"lyr_hi","kind":"text","text":{"default":"Hi {{ first_name | default: \"you\" }}, {{goal.id}}"}},
		{"id":"lyr_price","kind":"text","text":{"default":"{{custom.yearly_price}}"}},
		{"id":"lyr_odd","kind":"text","text":{"default":"{{ 7 }} {{ open"}}]}}}]}`))
	if err != nil {
		t.Fatal(err)
	}
	for node, want := range map[string]string{
		"lyr_hi":         "Change the text of “Hi {First name}, {Goal}”",
		"lyr_price":      "Change the text of “{Yearly price}”",
		"lyr_odd":        "Change the text of “{{ 7 }} {{ open”",
		"dec_1/cases/c1": "Change the condition of decision case",
	} {
		member := "text"
		if node == "dec_1/cases/c1" {
			member = "expression"
		}
		if got := d.Describe([]Operation{{Op: Set, Node: node, Path: []string{member}}}); got != want {
			t.Errorf("%s: %q, want %q", node, got, want)
		}
	}
}
