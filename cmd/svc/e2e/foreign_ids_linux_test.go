package e2e

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/svc-dev/svc/studio/bundle/bundletest"
)

// say asks and puts the answer in short: "" for data, else the code of the error and the field it names.
func (s *Studio) say(document string, variables map[string]any, data any) string {
	s.t.Helper()
	answer, err := Do(s.client, http.MethodPost, s.url, map[string]any{"query": document, "variables": variables})
	if err != nil {
		s.t.Fatal(err)
	}
	return saidBy(s.t, answer, data)
}

// sayWith asks with a file at the variable f.
func (s *Studio) sayWith(content []byte, document string, variables map[string]any, data any) string {
	s.t.Helper()
	t := s.t.(*testing.T)
	body, contentType := fileForm(t, document, variables, "a", []string{"variables.f"}, content)
	answer, err := Do(s.client, http.MethodPost, s.url, body, "Content-Type", contentType, "Apollo-Require-Preflight", "1")
	if err != nil {
		t.Fatal(err)
	}
	return saidBy(t, answer, data)
}

func saidBy(t testing.TB, answer Answer, data any) string {
	t.Helper()
	var told struct {
		Data   json.RawMessage
		Errors []struct {
			Extensions struct{ Code, Field string }
		}
	}
	answer.Decode(t, &told)
	if len(told.Errors) > 0 {
		e := told.Errors[0].Extensions
		return strings.TrimSpace(e.Code + " " + e.Field)
	}
	if data != nil {
		if err := json.Unmarshal(told.Data, data); err != nil {
			t.Fatal(err)
		}
	}
	return ""
}

// tenant is somebody with an app, a flow, a picture and a font of a workspace, who may do everything there.
type tenant struct {
	*Studio
	workspace, app, flow, picture, font string
}

func (d *Dev) tenant(t *testing.T, studio *Studio, workspace, name string) tenant {
	t.Helper()
	w := tenant{Studio: studio, workspace: workspace}
	var app struct{ CreateApp struct{ ID string } }
	w.Query(`mutation($w: ID!, $n: String!) { createApp(input: {workspaceId: $w, name: $n}) { id } }`,
		map[string]any{"w": workspace, "n": name}, &app)
	w.app = app.CreateApp.ID
	var flow struct{ CreateFlow struct{ ID string } }
	w.Query(`mutation($a: ID!, $n: String!, $m: JSON) { createFlow(input: {appId: $a, name: $n, manifest: $m}) { id } }`,
		map[string]any{"a": w.app, "n": name, "m": example(t, "linear-onboarding")}, &flow)
	w.flow = flow.CreateFlow.ID
	for kind, c := range map[string]struct {
		content string
		into    *string
	}{"IMAGE": {"\x89PNG\r\n\x1a\n" + name, &w.picture}, "FONT": {"wOF2" + name, &w.font}} {
		var made struct{ UploadMedia struct{ ID string } }
		if said := w.sayWith([]byte(c.content), `mutation($w: ID!, $t: MediaType!, $n: String!, $f: Upload!) {
			uploadMedia(input: {workspaceId: $w, type: $t, name: $n, file: $f}) { id } }`,
			map[string]any{"w": workspace, "t": kind, "n": name, "f": nil}, &made); said != "" {
			t.Fatalf("upload a %s: %s", kind, said)
		}
		*c.into = made.UploadMedia.ID
	}
	return w
}

// What is of another workspace is not there for whoever names its id, in an operation, a whole draft, a file or an
// input: they are told so by name, in the same words as of an id that nobody has, and the other's things stay.
func TestIdsOfAnotherWorkspace(t *testing.T) {
	t.Parallel()
	d := StartDev(t, nil, "--demo=none")
	admin := d.SignIn(t, d.BaseURL)
	victim := d.tenant(t, admin, d.workspaceOf(admin), "Secret garden")
	elsewhere := admin.newWorkspace()
	thief := d.tenant(t, d.invite(t, admin, elsewhere, "ADMIN"), elsewhere, "Thief")
	before := admin.draftOf(victim.flow)

	refuseForeignInputs(t, victim, thief)
	refuseForeignMedia(t, victim, thief)

	// Who is a member of both takes a flow along as a file, and no other way.
	copying := `mutation($f: ID!, $a: ID!) { copyFlow(input: {flowId: $f, appId: $a}) { flow { id } } }`
	if said := admin.say(copying, map[string]any{"f": victim.flow, "a": thief.app}, nil); said != "invalid_input input.appId" &&
		said != "invalid_input appId" {
		t.Errorf("copyFlow to another workspace: %q", said)
	}
	if after := admin.draftOf(victim.flow); after != before {
		t.Error("the draft of another workspace has changed")
	}
}

// refuseForeignInputs names the victim's flow and app where an input takes one.
func refuseForeignInputs(t *testing.T, victim, thief tenant) {
	t.Helper()
	ids := map[string]any{"f": victim.flow, "a": victim.app, "own": thief.flow, "mine": thief.app}
	for _, document := range []string{
		`query($f: ID!) { draft(flowId: $f) { revision } }`,
		`query($f: ID!) { draftAt(flowId: $f, revision: 1) { revision } }`,
		`query($f: ID!) { draftHistory(flowId: $f) { nodes { revision } } }`,
		`query($f: ID!) { simulateDraft(flowId: $f) { revision } }`,
		`mutation($f: ID!) { restoreDraft(input: {flowId: $f, revision: 1}) { revision } }`,
		`mutation($f: ID!) { saveDraft(input: {flowId: $f, revision: 1, draft: {}}) { problems { code } } }`,
		`mutation($f: ID!) { announceInDraft(input: {flowId: $f, clientId: "` + uuid.NewString() + `"}) { clientId } }`,
		`mutation($f: ID!) { duplicateFlow(input: {id: $f}) { id } }`,
		`mutation($f: ID!) { fillFlow(input: {flowId: $f, template: {id: "hard-paywall"}}) { flow { id } } }`,
		`mutation($f: ID!) { createPreviewLink(input: {flowId: $f}) { token } }`,
		`mutation($f: ID!, $mine: ID!) { copyFlow(input: {flowId: $f, appId: $mine}) { flow { id } } }`,
		`mutation($own: ID!, $a: ID!) { copyFlow(input: {flowId: $own, appId: $a}) { flow { id } } }`,
		`mutation($a: ID!) { createFlow(input: {appId: $a, name: "x"}) { id } }`,
		`mutation($a: ID!) { createFlow(input: {appId: $a, name: "x", template: {id: "hard-paywall"}}) { id } }`,
	} {
		variables := map[string]any{}
		for name, id := range ids {
			if strings.Contains(document, "$"+name+": ID!") {
				variables[name] = id
			}
		}
		if said := thief.say(document, variables, nil); said != "not_found" {
			t.Errorf("%s: %q", document, said)
		}
	}
	file := bundletest.Pack(t, map[string]string{"index.json": "{}"})
	if said := thief.sayWith(file, importFlow, map[string]any{"a": victim.app, "f": nil}, nil); said != "not_found" {
		t.Errorf("importFlow: %q", said)
	}
	if got := thief.edit(victim.flow, inStep(setAt("flow", 1, "x"))).says(); got != "not_found" {
		t.Errorf("editDraft: %s", got)
	}
	// A manifest that says it is the other's flow becomes the sender's own.
	var saved struct {
		SaveDraft struct{ Flow struct{ ID string } }
	}
	claim := example(t, "linear-onboarding")
	claim["flowId"] = victim.flow
	said := thief.say(`mutation($f: ID!, $d: JSON!) { saveDraft(input: {flowId: $f, revision: 1, draft: $d}) { flow { id } } }`,
		map[string]any{"f": thief.flow, "d": claim}, &saved)
	if said != "" || saved.SaveDraft.Flow.ID != thief.flow || strings.Contains(thief.draftOf(thief.flow), victim.flow) {
		t.Errorf("saveDraft of another's id: %q %+v", said, saved)
	}
}

// refuseForeignMedia puts the victim's files where a file is named, and beside it an id that nobody has.
func refuseForeignMedia(t *testing.T, victim, thief tenant) {
	t.Helper()
	nobody := uuid.NewString()
	words := map[string]string{}
	for _, id := range []string{victim.picture, nobody} {
		words[id] = thief.publishWith(t, id)
		imported := thief.importNaming(t, id)
		if missing := imported.ImportFlow.Missing; len(missing) != 1 || missing[0] != (part{"FILE", id}) {
			t.Errorf("import of a flow that shows another's picture lacks %v", missing)
		}
	}
	if strings.ReplaceAll(words[victim.picture], victim.picture, nobody) != words[nobody] {
		t.Errorf("of another's picture is said\n%s\nand of no picture\n%s", words[victim.picture], words[nobody])
	}
	branding := `mutation($a: ID!, $b: JSON!) { updateBranding(input: {appId: $a, branding: $b}) { id } }`
	for _, id := range []string{victim.font, nobody} {
		brand := map[string]any{"fontFamilies": []any{map[string]any{"name": "Taken", "styles": []any{
			map[string]any{"weight": 400, "mediaAssetId": id},
		}}}}
		said := thief.say(branding, map[string]any{"a": thief.app, "b": brand}, nil)
		if !strings.HasPrefix(said, "invalid_input ") ||
			!strings.HasSuffix(said, "branding.fontFamilies.0.styles.0.mediaAssetId") {
			t.Errorf("a font of another workspace: %q", said)
		}
	}
}

// publishWith lets a copy of the thief's flow show a picture, and returns what publishing it says.
func (w tenant) publishWith(t *testing.T, picture string) string {
	t.Helper()
	var made struct{ DuplicateFlow struct{ ID string } }
	w.Query(`mutation($f: ID!) { duplicateFlow(input: {id: $f}) { id } }`, map[string]any{"f": w.flow}, &made)
	flow := made.DuplicateFlow.ID
	if got := w.edit(flow, inStep(setAt("lyr_wl_img", picture, "media", "mediaAssetId"))).says(); got != "applied" {
		t.Errorf("a picture of another workspace: %s", got)
	}
	answer, err := Do(w.client, http.MethodPost, w.url, map[string]any{
		"query":     `mutation($f: ID!) { publishFlow(input: {id: $f}) { version { id } } }`,
		"variables": map[string]any{"f": flow},
	})
	if err != nil || !bytes.Contains(answer.Body, []byte(`"media.unknown_asset"`)) ||
		bytes.Contains(answer.Body, []byte("Secret garden")) {
		t.Errorf("publishing another's picture: %v %s", err, answer.Body)
	}
	return string(answer.Body)
}

type part struct{ Kind, Name string }

type imported struct {
	ImportFlow struct {
		Flow    struct{ ID string }
		Missing []part
	}
}

// examplePicture is what the example shows.
const examplePicture = "11111111-1111-4111-8111-111111111101"

// importNaming imports a flow that shows a picture which the file does not have.
func (w tenant) importNaming(t *testing.T, picture string) (made imported) {
	t.Helper()
	manifest := example(t, "linear-onboarding")
	text, err := json.Marshal(manifest)
	if err != nil {
		t.Fatal(err)
	}
	named := bytes.ReplaceAll(text, []byte(examplePicture), []byte(picture))
	if bytes.Equal(named, text) {
		t.Fatal("the example shows no picture")
	}
	file := bundletest.Pack(t, map[string]string{
		"index.json":    `{"format": "svc-flow", "version": 1, "name": "Taken", "media": [], "fonts": []}`,
		"manifest.json": string(named),
	})
	if said := w.sayWith(file, importFlow, map[string]any{"a": w.app, "f": nil}, &made); said != "" {
		t.Errorf("import: %q", said)
	}
	return made
}
