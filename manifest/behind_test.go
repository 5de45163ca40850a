package manifest

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"testing"
)

// What is behind a text is decided twice: here for what publishing warns of, and in the editor for its figures. Both
// read testdata/behind.json: a color, all of a gradient's, or null where that can't be told.
func TestWhatIsBehindAText(t *testing.T) {
	raw, err := os.ReadFile("testdata/behind.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Name   string
		Screen json.RawMessage
		Behind any
	}
	if err := json.Unmarshal(raw, &cases); err != nil || len(cases) == 0 {
		t.Fatal(len(cases), err)
	}
	for _, c := range cases {
		m, problems := Parse([]byte(fmt.Sprintf(
			`{"schemaVersion":7,"flowId":"a0000000-0000-4000-8000-000000000001","version":1,"defaultLocale":"en",`+
				`"locales":["en"],"entryScreenId":"scr_a","screens":[%s],"externalSurfaceNodes":[]}`, c.Screen)))
		if m == nil {
			t.Fatal(c.Name, problems)
		}
		got := newContrasts(m).lookBehind(m.layersByID["lyr_t"], "light", false)
		var want []any
		switch behind := c.Behind.(type) {
		case string:
			want = []any{behind}
		case []any:
			want = behind
		}
		if got.known != (c.Behind != nil) {
			t.Errorf("%s: known is %t", c.Name, got.known)
		}
		if !got.known {
			continue
		}
		var seen []any
		for _, color := range got.behind {
			seen = append(seen, hexOf(color))
		}
		if !slices.Equal(seen, want) {
			t.Errorf("%s: %v, want %v", c.Name, seen, want)
		}
	}
}

func hexOf(c rgba) string {
	part := func(v float64) int { return int(math.Round(v * 255)) }
	return fmt.Sprintf("#%02x%02x%02x", part(c.r), part(c.g), part(c.b))
}

// The colors of a gradient keep their alpha, as the SDKs show it.
func TestAGradientKeepsItsAlpha(t *testing.T) {
	const gradient = `linear-gradient(90deg, #00000080 0%, rgba(255, 0, 0, 0.5) 100%)`
	if said := advise(t, box(`"background":"`+gradient+`"`, words(`"color":"#000000"`)), paper); len(said) > 0 {
		t.Error(said)
	}
	m, problems := Parse([]byte(`{"schemaVersion":7,"flowId":"a0000000-0000-4000-8000-000000000001","version":1,` +
		`"defaultLocale":"en","locales":["en"],"entryScreenId":"scr_a","screens":[{"id":"scr_a","name":"One",` +
		`"regions":{"body":{"id":"lyr_body","kind":"stack","direction":"vertical","style":{"background":"` + gradient +
		`"},"children":[]}},"next":{"default":null}}],"externalSurfaceNodes":[]}`))
	if m == nil {
		t.Fatal(problems)
	}
	var stored string
	if err := json.Unmarshal(m.layersByID["lyr_body"].Style.Background, &stored); err != nil || stored != gradient {
		t.Error(stored, err)
	}
}
