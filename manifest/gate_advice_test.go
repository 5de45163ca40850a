package manifest

import (
	"slices"
	"strings"
	"testing"
)

// advise returns the warnings about a screen that has layers in its body and
// leads to a purchase.
func advise(t *testing.T, layers, screen string) []string {
	t.Helper()
	raw := `{"schemaVersion":7,"flowId":"a0000000-0000-4000-8000-000000000001","version":1,"defaultLocale":"en",` +
		`"locales":["en"],"entryScreenId":"scr_a","theme":{"primary":"#2a9d8f","foreground":"#14213d"},"screens":[{` +
		`"id":"scr_a","name":"Your goal",` + screen + `"regions":{"body":{"id":"lyr_body","kind":"stack",` +
		`"direction":"vertical","children":[` + layers + `]}},"next":{"default":"surf_a"}}],"externalSurfaceNodes":[{` +
		`"id":"surf_a","config":{"provider":"revenuecat"},"outcomes":{"purchase_completed":null},"fallback":null}]}`
	m, problems := Parse([]byte(raw))
	if m == nil {
		t.Fatalf("%v: %s", problems, raw)
	}
	var said []string
	for _, p := range CheckPublish(m, PublishOptions{Integrations: map[Provider]bool{RevenueCat: true}}) {
		if p.Severity == Warning {
			said = append(said, p.Code+": "+p.Message)
		}
	}
	return said
}

const (
	paper  = `"containerStyle":{"backgroundFill":{"kind":"color","color":"#ffffff"}},`
	themed = `"containerStyle":{"backgroundFill":{"kind":"color","color":{"light":"#ffffff","dark":"#000000"}}},`
	photo  = `"containerStyle":{"backgroundFill":{"kind":"image","media":` + picture + `}},`

	picture = `{"mediaAssetId":"b0000000-0000-4000-8000-000000000001"}`
)

func words(style string) string {
	return `{"id":"lyr_t","kind":"text","text":{"default":"Hello"},"style":{` + style + `}}`
}

func box(style, children string) string {
	return `{"id":"lyr_s","kind":"stack","direction":"vertical","style":{` + style + `},"children":[` + children + `]}`
}

func button(style, children string) string {
	return `{"id":"lyr_b","kind":"button","variant":"primary","action":{"kind":"continue"},"style":{` + style +
		`},"children":[` + children + `]}`
}

func choice(style, selected, text string) string {
	option := func(id, more string) string {
		return `{"id":"` + id + `","kind":"stack","direction":"vertical"` + more + `}`
	}
	return `{"id":"lyr_c","kind":"single_choice","fieldKey":"goal","branching":{"enabled":false,"conditions":[]},` +
		`"optionBindings":[` +
		`{"optionId":"a","rootLayerId":"lyr_o1"},{"optionId":"b","rootLayerId":"lyr_o2"}],"children":[` +
		option("lyr_o1", `,"style":{`+style+`},"selectedStyle":{`+selected+`},"children":[`+text+`]`) + `,` +
		option("lyr_o2", `,"children":[]`) + `]}`
}

func image(more string) string {
	return `{"id":"lyr_i","kind":"image","media":` + picture + more + `}`
}

func TestAdvice(t *testing.T) {
	const gray = `"color":"#999999"`
	for _, c := range []struct{ name, layers, screen, want string }{
		{"gray on white", words(gray), paper,
			"text.low_contrast: The text has a contrast of 2.8 to 1 in light mode; 4.5 to 1 is needed."},
		{"4.49 is not 4.5", words(`"color":"#777777"`), paper,
			"text.low_contrast: The text has a contrast of 4.4 to 1 in light mode; 4.5 to 1 is needed."},
		{"4.54 is enough", words(`"color":"#767676"`), paper, ""},
		{"a large text", words(`"color":"#949494","fontSize":24`), paper, ""},
		{"a large text that is too light", words(gray + `,"fontSize":24`), paper,
			"text.low_contrast: The text has a contrast of 2.8 to 1 in light mode; 3.0 to 1 is needed."},
		{"a bold text", words(`"color":"#949494","fontSize":19,"fontWeight":700`), paper, ""},
		{"a text as large that is not bold", words(`"color":"#949494","fontSize":19`), paper,
			"text.low_contrast: The text has a contrast of 3.0 to 1 in light mode; 4.5 to 1 is needed."},
		{"a size that the button gives", button(`"background":"#ffffff","fontSize":24`, words(`"color":"#949494"`)),
			paper, ""},
		{"dark mode only", words(`"color":{"light":"#000000","dark":"#333333"}`), themed,
			"text.low_contrast: The text has a contrast of 1.6 to 1 in dark mode; 4.5 to 1 is needed."},
		{"a color of the theme", words(`"color":"$primary"`), paper,
			"text.low_contrast: The text has a contrast of 3.3 to 1 in light mode; 4.5 to 1 is needed."},
		{"a dark color of the theme", words(`"color":"$foreground"`), paper, ""},
		{"a color that the theme does not have", words(`"color":"$accent"`), paper, ""},
		{"a notation that is not read", words(`"color":"hsl(0, 0%, 60%)"`), paper, ""},
		{"rgb", words(`"color":"rgb(153, 153, 153)"`), paper,
			"text.low_contrast: The text has a contrast of 2.8 to 1 in light mode; 4.5 to 1 is needed."},
		{"black that lets light through", words(`"color":"rgba(0, 0, 0, 40%)"`), paper,
			"text.low_contrast: The text has a contrast of 2.8 to 1 in light mode; 4.5 to 1 is needed."},
		{"opacity", words(`"color":"#000000","opacity":0.4`), paper,
			"text.low_contrast: The text has a contrast of 2.8 to 1 in light mode; 4.5 to 1 is needed."},
		{"a card", box(`"background":"#000000"`, words(`"color":"#ffffff"`)), paper, ""},
		{"white on a card of white glass", box(`"background":"#000000","backgroundOpacity":0.1`,
			words(`"color":"#ffffff"`)), paper,
			"text.low_contrast: The text has a contrast of 1.2 to 1 in light mode; 4.5 to 1 is needed."},
		{"a card that fades", box(`"opacity":0.5`, words(gray)), paper, ""},
		{"a gradient", box(`"background":"linear-gradient(90deg, #fff 0%, #eee 100%)"`, words(`"color":"#000000"`)),
			paper, ""},
		{"a gradient that is worst between its stops",
			box(`"background":"linear-gradient(90deg, #fff 0%, #000 100%)"`, words(gray)), paper,
			"text.low_contrast: The text has a contrast of 1.0 to 1 in light mode; 4.5 to 1 is needed."},
		{"a photo", words(gray), photo, ""},
		{"a card on a photo", box(`"background":"#ffffff"`, words(gray)), photo,
			"text.low_contrast: The text has a contrast of 2.8 to 1 in light mode; 4.5 to 1 is needed."},
		{"a text that floats", box(`"position":"absolute"`, words(gray)), paper, ""},
		{"a picture that floats", image(`,"alt":"","style":{"position":"absolute"}`) + "," + words(gray), paper, ""},
		{"a button's own background", button(``, words(`"color":{"light":"#000000","dark":"#ffffff"}`)), paper,
			"text.low_contrast: The text has a contrast of 1.0 to 1 in dark mode; 4.5 to 1 is needed."},
		{"signs", `{"id":"lyr_t","kind":"text","text":{"default":"🌱 ›"},"style":{` + gray + `}}`, paper, ""},
		{"an option when it is selected", choice(`"background":"#ffffff"`, `"background":"#14213d"`,
			words(`"color":"#000000"`)), paper,
			"text.low_contrast: The text has a contrast of 1.3 to 1 in light mode when it is selected; 4.5 to 1 is needed."},
		{"an option whose text changes", choice(`"background":"#ffffff"`, `"background":"#14213d"`,
			`{"id":"lyr_t","kind":"text","text":{"default":"Hello"},"style":{"color":"#000000"},`+
				`"selectedStyle":{"color":"#ffffff"}}`), paper, ""},
		{"a screen without a color", words(`"color":"#000000"`), "",
			"screen.dark_text: The screen turns black in dark mode, where one of its texts is hard to read."},
		{"a text for both", words(`"color":{"light":"#000000","dark":"#ffffff"}`), "", ""},

		{"a picture", image(``), paper, "image.no_description: The image has no description."},
		{"a picture with a description", image(`,"alt":"A fern"`), paper, ""},
		{"a decoration", image(`,"alt":""`), paper, ""},
		{"a place for a picture", `{"id":"lyr_i","kind":"image"}`, paper, ""},
		{"a picture in a button with words", button(``, image(``)+`,`+words(`"color":"#808080","fontSize":24`)),
			paper, ""},
		{"a picture in a button without", button(``, image(``)), paper,
			"image.no_description: The image has no description."},

		{"a small button", button(`"width":32,"height":40`, ``), paper,
			"touch.too_small: The touch target is 32 × 40 px; fingers need 44 px."},
		{"a low button", button(`"width":"full","height":32`, ``), paper,
			"touch.too_small: The touch target is 32 px high; fingers need 44 px."},
		{"a button that may not grow", button(`"maxWidth":40,"height":44`, ``), paper,
			"touch.too_small: The touch target is 40 px wide; fingers need 44 px."},
		{"a button that is kept large", button(`"height":32,"minHeight":44`, ``), paper, ""},
		{"a button of 44 px", button(`"width":44,"height":44`, ``), paper, ""},
		{"a button around its words", button(`"height":"auto"`, ``), paper, ""},
		{"a stack that is not tapped", box(`"height":8`, ``), paper, ""},
		{"a low option", choice(`"height":30`, ``, ``), paper,
			"touch.too_small: The touch target is 30 px high; fingers need 44 px."},

		{"a price", strings.ReplaceAll(words(`"color":"#000000"`), "Hello", "$34.99 a year"), paper,
			"text.fixed_price: The text holds a price of its own, whatever the store charges."},
		{"a price behind", strings.ReplaceAll(words(`"color":"#000000"`), "Hello", "Nur 9,99 € im Monat"), paper,
			"text.fixed_price: The text holds a price of its own, whatever the store charges."},
		{"a price that the app gives",
			strings.ReplaceAll(words(`"color":"#000000"`), "Hello", `{{ custom.price | default: '$34.99' }} a year`), paper, ""},
		{"a number", strings.ReplaceAll(words(`"color":"#000000"`), "Hello", "4.9 of 5 from 2,000 people"), paper, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			var want []string
			if c.want != "" {
				want = []string{c.want}
			}
			if got := advise(t, c.layers, c.screen); !slices.Equal(got, want) {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}

func TestPricesElsewhereAreWords(t *testing.T) {
	// A survey's screen leads to no purchase.
	const body = `"id": "lyr_a_body", "kind": "stack", "direction": "vertical", "children": [`
	raw := strings.ReplaceAll(string(readVerdicts(t).Base), body, body+`{"id": "lyr_t", "kind": "text", `+
		`"text": {"default": "Less than $50"}, "style": {"color": "$foreground"}}`)
	m, problems := Parse([]byte(raw))
	if m == nil || len(m.layers) != 7 {
		t.Fatal(problems)
	}
	for _, p := range CheckPublish(m, PublishOptions{}) {
		t.Error(p)
	}
}

func TestExamplesNeedNoAdvice(t *testing.T) {
	codes := []string{
		"image.no_description", "screen.dark_text", "text.fixed_price", "text.low_contrast", "touch.too_small",
	}
	for name, raw := range exampleFiles(t) {
		m, _ := Parse(raw)
		for _, p := range CheckPublish(m, PublishOptions{}) {
			if slices.Contains(codes, p.Code) {
				t.Errorf("%s: %s %v", name, p.Code, p)
			}
		}
	}
}
