package studio_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/internal/fault"
	"github.com/svc-dev/svc/studio"
)

// themeOf makes a flow of the hard paywall in an app with these colors, and returns its theme.
func (w *world) themeOf(colors string) (theme map[string]any) {
	w.t.Helper()
	made(w.UpdateBranding(w.owner, w.app.ID, json.RawMessage(`{"colorPresets": `+colors+`, "fontFamilies": []}`)))(w.t)
	flow := made(w.CreateFlowFromTemplate(w.owner, w.app.ID, "Night", studio.FromTemplate{ID: "hard-paywall"}))(w.t)
	var document struct{ Theme map[string]any }
	require.NoError(w.t, json.Unmarshal(flow.Draft, &document))
	return document.Theme
}

func TestATemplateTakesTheColorsOfTheBrand(t *testing.T) {
	w := newWorld(t)
	own := w.themeOf(`[]`)
	for colors, want := range map[string][2]any{
		`[{"name": "Glass", "value": "#11223380"}]`:                                         {own["primary"], own["accent"]},
		`[{"name": "Moss", "value": "#abc"}]`:                                               {"#aabbcc", own["accent"]},
		`[{"name": "Moss", "value": "#102030"}, {"name": "Sand", "value": "#eeddcc"}]`:      {"#102030", "#eeddcc"},
		`[{"name": "Sand", "value": "#eeddcc"}, {"name": "Our brand", "value": "#102030"}]`: {"#102030", "#eeddcc"},
		`[{"name": "Secondary", "value": "#eeddcc"}, {"name": "primary", "value": "#102030"},
		  {"name": "Moss", "value": "#445566"}]`: {"#102030", "#eeddcc"},
	} {
		theme := w.themeOf(colors)
		require.Equal(t, want, [2]any{theme["primary"], theme["accent"]}, colors)
	}
}

func TestTemplatesOfNobodyElseAndNoOther(t *testing.T) {
	w := newWorld(t)
	paywall := studio.FromTemplate{ID: "hard-paywall"}
	name := long(81)
	for field, from := range map[string]studio.FromTemplate{
		"template.id":      {ID: "../hard-paywall"},
		"template.appName": {ID: "hard-paywall", AppName: &name},
	} {
		_, err := w.CreateFlowFromTemplate(w.owner, w.app.ID, "Night", from)
		refused(t, err, fault.InvalidInput, field)
	}
	for code, who := range map[fault.Code]context.Context{fault.Forbidden: w.viewer(), fault.NotFound: w.stranger()} {
		_, err := w.CreateFlowFromTemplate(who, w.app.ID, "Night", paywall)
		refused(t, err, code, "")
	}
	_, err := w.CreateFlowFromTemplate(w.owner, w.app.ID, long(121), paywall)
	refused(t, err, fault.InvalidInput, "name")
	require.Zero(t, made(w.db.Ent().Flow.Query().Count(context.Background()))(t))
	require.Zero(t, w.db.Ent().MediaAsset.Query().CountX(context.Background()), "a refused flow leaves no files behind")
}
