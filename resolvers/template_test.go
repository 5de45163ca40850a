package resolvers_test

import (
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const createFromTemplate = `mutation($a: ID!, $t: FlowTemplateInput, $m: JSON) {
	createFlow(input: {appId: $a, name: "Paywall", template: $t, manifest: $m}) { id draft problems { code } }
}`

func TestAFlowBeginsWithATemplate(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	app := w.app("Shop")
	require.Equal(t, "unauthenticated", w.as("anonymous").do(`{ flowTemplates { id } }`, nil).code())
	listed := w.as("viewer").must(`{ flowTemplates {
		id name category description locales manifest cover media appName products { key name surface }
	} }`, nil)
	templates := listed.at(t, "flowTemplates").([]any)
	require.NotEmpty(t, templates)
	for _, one := range templates {
		template := one.(map[string]any)
		for id, address := range template["media"].(map[string]any) {
			require.Contains(t, mustJSON(t, template["manifest"]), id)
			require.Regexp(t, `^data:(image/svg\+xml|application/json);base64,`, address)
		}
		got := w.as("editor").must(createFromTemplate, vars{"a": app, "t": vars{"id": template["id"]}})
		problems := slices.DeleteFunc(got.at(t, "createFlow", "problems").([]any), func(p any) bool {
			return strings.HasPrefix(p.(map[string]any)["code"].(string), "parity.")
		})
		require.Empty(t, problems, template["id"])
		require.NotContains(t, mustJSON(t, got.at(t, "createFlow", "draft")), template["appName"])
	}
}

func mustJSON(t *testing.T, value any) string {
	t.Helper()
	raw, err := json.Marshal(value)
	require.NoError(t, err)
	return string(raw)
}

func TestATemplateTakesTheBrandTheProductsAndTheMedia(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	app := w.app("Shop")
	w.as("owner").must(`mutation($a: ID!) { updateBranding(input: {appId: $a, branding: {
		colorPresets: [{name: "Glass", value: "#11223380"}, {name: "Sand", value: "#eeddcc"}, {name: "Primary", value: "#FE0"}],
		fontFamilies: [{name: "Inter", styles: []}]
	}}) { id } }`, vars{"a": app})
	draft := w.as("editor").must(createFromTemplate, vars{"a": app, "t": vars{
		"id": "three-plans", "appName": "Glow", "products": []vars{{"key": "yearly", "provider": "SUPERWALL", "reference": "main"}},
	}}).at(t, "createFlow", "draft").(map[string]any)
	require.Equal(t, "#ffee00", draft["theme"].(map[string]any)["primary"])
	require.Equal(t, "#000000", draft["theme"].(map[string]any)["primaryForeground"])
	require.Equal(t, "#eeddcc", draft["theme"].(map[string]any)["accent"])
	require.Equal(t, "Inter", draft["theme"].(map[string]any)["fontFamily"])
	text := mustJSON(t, draft)
	require.Contains(t, text, "Welcome to Glow")
	require.Contains(t, text, `{"placementId":"main","provider":"superwall"}`)

	media := w.as("viewer").must(`query($w: ID!) { workspace(id: $w) { media(first: 200) { nodes { id path type } } } }`,
		vars{"w": w.workspace}).at(t, "workspace", "media", "nodes").([]any)
	require.Len(t, media, 2)
	for _, one := range media {
		asset := one.(map[string]any)
		require.Contains(t, text, asset["id"])
		response, err := http.Get(w.server.URL + asset["path"].(string))
		require.NoError(t, err)
		content, err := io.ReadAll(response.Body)
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
		if asset["type"] == "IMAGE" {
			require.Contains(t, string(content), "#ffee00", "drawings are in the brand's colors")
		}
	}
}

func TestWrongTemplatesMakeNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	app := w.app("Shop")
	editor := w.as("editor")
	for field, given := range map[string]vars{
		"template":          {"t": vars{"id": "three-plans"}, "m": json.RawMessage(publishable)},
		"template.id":       {"t": vars{"id": "../flows"}},
		"template.appName":  {"t": vars{"id": "three-plans", "appName": strings.Repeat("x", 81)}},
		"template.products": {"t": vars{"id": "three-plans", "products": []vars{{"key": "weekly", "provider": "APP"}}}},
	} {
		given["a"] = app
		refused := editor.do(createFromTemplate, given)
		require.Equal(t, "invalid_input", refused.code(), field)
		require.Equal(t, field, refused.Errors[0].Extensions["field"])
	}
	refused := w.as("viewer").do(createFromTemplate, vars{"a": app, "t": vars{"id": "three-plans"}})
	require.Equal(t, "forbidden", refused.code())
	counted := editor.must(`query($a: ID!, $w: ID!) { app(id: $a) { flows { totalCount } } workspace(id: $w) { media { totalCount } } }`,
		vars{"a": app, "w": w.workspace})
	require.Equal(t, json.Number("0"), counted.at(t, "app", "flows", "totalCount"))
	require.Equal(t, json.Number("0"), counted.at(t, "workspace", "media", "totalCount"))
}
