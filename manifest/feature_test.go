package manifest

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func example(t testing.TB, name string) *Manifest {
	t.Helper()
	m, problems := Parse(exampleFiles(t)[name+".json"])
	if m == nil {
		t.Fatal(problems)
	}
	return m
}

func TestDetectors(t *testing.T) {
	for name, want := range map[string][3]bool{
		"all-layers":           {true, true, false},
		"branching-onboarding": {false, false, false},
		"paywall-flow":         {false, false, true},
	} {
		m := example(t, name)
		if got := [3]bool{m.HasAnimations(), m.HasTranslations(), m.UsesIntegrations()}; got != want {
			t.Errorf("%s: animations, translations, integrations %v, want %v", name, got, want)
		}
	}
}

func TestHasTranslationsLooksAtTexts(t *testing.T) {
	v := readVerdicts(t)
	translations := func(value map[string]any) *Manifest {
		title := map[string]any{"id": "lyr_x", "kind": "text", "text": map[string]any{"default": "a", "translations": value}}
		m, problems := Parse(
			verdict{Patch: []patch{{"add", "/screens/0/regions/body/children/-", title}}}.document(t, v.Base),
		)
		if m == nil {
			t.Fatal(problems)
		}
		return m
	}
	if !translations(map[string]any{"de": "b"}).HasTranslations() {
		t.Error("a translated text was not seen")
	}
	if translations(map[string]any{}).HasTranslations() {
		t.Error("an empty table of translations counted")
	}
}

func TestSlices(t *testing.T) {
	m := example(t, "all-layers")
	before := string(m.JSON())
	members := func(m *Manifest) map[string]bool {
		var doc any
		if err := json.Unmarshal(m.JSON(), &doc); err != nil {
			t.Fatal(err)
		}
		found := map[string]bool{}
		eachObject(doc, func(object map[string]any) {
			for name := range object {
				found[name] = true
			}
		})
		return found
	}
	motion := []string{"animations", "stagger", "restingMotion", "restingMotions", "translations"}
	for name, c := range map[string]struct {
		slice func() (*Manifest, error)
		gone  []string
	}{
		"WithoutAnimations": {m.WithoutAnimations, motion[:2]},
		"WithoutMotion":     {m.WithoutMotion, motion[:4]},
		"DefaultLocaleOnly": {m.DefaultLocaleOnly, motion[4:]},
	} {
		cut, err := c.slice()
		if err != nil {
			t.Fatal(err)
		}
		has := members(cut)
		for _, member := range motion {
			if has[member] == slices.Contains(c.gone, member) {
				t.Errorf("%s: has %s: %v", name, member, has[member])
			}
		}
		if again, problems := Parse(cut.JSON()); again == nil || string(again.JSON()) != string(cut.JSON()) {
			t.Errorf("%s: is not valid: %v", name, problems)
		}
		if len(cut.MediaAssetIDs()) != len(m.MediaAssetIDs()) || len(cut.layers) != len(m.layers) {
			t.Errorf("%s: lost more than it should", name)
		}
	}
	if cut, _ := m.DefaultLocaleOnly(); !reflect.DeepEqual(cut.Locales, []string{"en"}) || cut.HasTranslations() {
		t.Errorf("locales %v", cut.Locales)
	}
	if string(m.JSON()) != before {
		t.Error("slicing changed the original")
	}
}

func TestMediaAssetIDs(t *testing.T) {
	const id = "11111111-1111-4111-8111-1111111111"
	for name, want := range map[string][]string{
		"paywall-flow":         {id + "03", id + "02"}, // the screen's background stands before its layers
		"all-layers":           {id + "01", id + "02", id + "03"},
		"branching-onboarding": {},
	} {
		if got := example(t, name).MediaAssetIDs(); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}

func TestFields(t *testing.T) {
	m := example(t, "all-layers")
	got := map[string]FieldInfo{}
	for _, f := range m.Fields() {
		if _, twice := got[f.Key]; twice {
			t.Errorf("%s is listed twice", f.Key)
		}
		got[f.Key] = f
	}
	for _, want := range []FieldInfo{
		{"al_single", "scr_al_choice", "lyr_al_sc", KindSingleChoice, false, AnswerOption},
		{"al_many", "scr_al_multi", "lyr_al_mc", KindMultipleChoice, false, AnswerOptions},
		{"al_terms", "scr_al_multi", "lyr_al_ck", KindCheckbox, false, AnswerBoolean},
		{"al_note", "scr_al_text", "lyr_al_tx", KindTextInput, false, AnswerString},
		{"al_scale", "scr_al_scale", "lyr_al_sl", KindScaleInput, false, AnswerNumber},
		{"al_month", "scr_al_wheel", "lyr_al_wh", KindWheelPicker, false, AnswerString},
		{"al_visit", "scr_al_date", "lyr_al_dt", KindDateTimeInput, true, AnswerDate},
		{"al_amount", "scr_al_step", "lyr_al_st", KindNumberStepper, false, AnswerNumber},
		{"al_phone", "scr_al_phone", "lyr_al_ph", KindPhoneInput, true, AnswerPhone},
		{"al_address", "scr_al_addr", "lyr_al_ad", KindAddressInput, true, AnswerAddress},
	} {
		if got[want.Key] != want {
			t.Errorf("got %+v, want %+v", got[want.Key], want)
		}
	}
	if f := got["permission:camera"]; f.Answer != AnswerPermission || f.Kind != KindButton {
		t.Errorf("permission: %+v", f)
	}
	if len(got) != 11 {
		t.Errorf("%d fields, want 11", len(got))
	}
}

func TestCapabilities(t *testing.T) {
	codes := func(m *Manifest, platform Platform) string {
		var out []string
		for _, p := range CheckPlatform(m, platform) {
			if p.Severity != Warning || p.StepID == "" {
				t.Errorf("%+v is no warning about a step", p)
			}
			out = append(out, p.Code)
		}
		return strings.Join(out, " ")
	}
	paywalls, layers := example(t, "paywall-flow"), example(t, "all-layers")
	for _, c := range []struct {
		m        *Manifest
		platform Platform
		want     string
	}{
		{paywalls, Web, "surface:revenuecat surface:superwall"},
		{paywalls, Mobile, "surface:stripe"},
		{layers, Web, "action:request_os_permission action:request_app_review"},
		{layers, Mobile, ""},
	} {
		if got := codes(c.m, c.platform); got != c.want {
			t.Errorf("on %s: %q, want %q", c.platform, got, c.want)
		}
	}
}

func TestLayersAndScreens(t *testing.T) {
	m := example(t, "linear-onboarding")
	n := 0
	for screen, layer := range m.Layers() {
		if m.Screen(screen.ID) != screen || m.layersByID[layer.ID].Layer != layer {
			t.Errorf("%s is not where it is said to be", layer.ID)
		}
		n++
	}
	if n != len(m.layers) || n == 0 {
		t.Errorf("%d layers, want %d", n, len(m.layers))
	}
	for range m.Layers() {
		break
	}
	if m.Screen("scr_nowhere") != nil {
		t.Error("found a screen that does not exist")
	}
}
