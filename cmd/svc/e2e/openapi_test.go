package e2e

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// openAPI is the document of a server.
type openAPI struct {
	t        *testing.T
	document map[string]any
	compiler *jsonschema.Compiler
}

func openAPIOf(t *testing.T, d *Dev) openAPI {
	t.Helper()
	parsed, err := jsonschema.UnmarshalJSON(bytes.NewReader(get(t, d.BaseURL+"/v1/openapi.json").Body))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("openapi.json", parsed); err != nil {
		t.Fatal(err)
	}
	return openAPI{t, parsed.(map[string]any), compiler}
}

// at returns a member of the document and where it is; references are followed. It is nil where there is none.
func (a openAPI) at(keys ...string) (pointer string, value map[string]any) {
	pointer, value = "#", a.document
	for _, key := range keys {
		value, _ = value[key].(map[string]any)
		pointer += "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(key)
		if target, ok := value["$ref"].(string); ok {
			_, value = a.at(strings.Split(strings.TrimPrefix(target, "#/"), "/")...)
			pointer = target
		}
	}
	return pointer, value
}

// check compares an answer with what the document says of an operation's success.
func (a openAPI) check(path, method string, answer Answer) {
	a.t.Helper()
	_, responses := a.at("paths", path, method, "responses")
	status := fmt.Sprint(answer.Status)
	if answer.Status >= http.StatusBadRequest || responses[status] == nil {
		a.t.Errorf("%s %s: %d %s", method, path, answer.Status, answer.Body)
		return
	}
	kind, _, _ := strings.Cut(answer.Header.Get("Content-Type"), ";")
	_, content := a.at("paths", path, method, "responses", status, "content")
	if content == nil && (len(answer.Body) == 0 || answer.Status == http.StatusFound) {
		return
	}
	if content[kind] == nil && content["*/*"] == nil {
		a.t.Errorf("%s %s: answers of type %q are not described", method, path, kind)
	}
	pointer, schema := a.at("paths", path, method, "responses", status, "content", kind, "schema")
	if schema == nil {
		return
	}
	compiled, err := a.compiler.Compile("openapi.json" + pointer)
	if err != nil {
		a.t.Fatal(err)
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(answer.Body))
	if err == nil {
		err = compiled.Validate(value)
	}
	if err != nil {
		a.t.Errorf("%s %s: %v", method, path, err)
	}
}

// examples are the bodies that an operation shows, by name; one that takes no body has one example of none.
func (a openAPI) examples(path, method string) map[string]any {
	if _, body := a.at("paths", path, method, "requestBody"); body == nil {
		return map[string]any{"": nil}
	}
	_, content := a.at("paths", path, method, "requestBody", "content", "application/json")
	examples := map[string]any{}
	if _, form := a.at("paths", path, method, "requestBody", "content", formType); form != nil {
		content = form
	}
	if content["example"] != nil {
		examples[""] = content["example"]
	}
	named, _ := content["examples"].(map[string]any)
	for name, example := range named {
		examples[name] = example.(map[string]any)["value"]
	}
	if len(examples) == 0 {
		a.t.Errorf("%s %s shows no example", method, path)
	}
	return examples
}

const formType = "application/x-www-form-urlencoded"

// do sends an example as the document says that it is sent.
func (a openAPI) do(path, method, address string, example any, headers []string) (Answer, error) {
	_, form := a.at("paths", path, method, "requestBody", "content", formType)
	if form == nil {
		return Do(unled, strings.ToUpper(method), address, example, headers...)
	}
	values := url.Values{}
	for name, value := range example.(map[string]any) {
		values.Set(name, value.(string))
	}
	return Do(unled, strings.ToUpper(method), address, values.Encode(), append(headers, "Content-Type", formType)...)
}

// unled is a client that is not led anywhere.
var unled = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}

// headers are what an operation must have beside what its caller proves, and the kind of key that it wants.
func (a openAPI) headers(path, method, channel string) (headers []string, key string) {
	_, o := a.at("paths", path, method)
	parameters, _ := o["parameters"].([]any)
	for _, parameter := range parameters {
		parameter := parameter.(map[string]any)
		schema, _ := parameter["schema"].(map[string]any)
		name, _ := parameter["name"].(string)
		if fixed, ok := schema["const"].(string); ok {
			headers = append(headers, name, fixed)
		} else if name == "X-Svc-Channel" {
			headers = append(headers, name, channel)
		}
	}
	if security := o["security"].([]any); len(security) > 0 {
		for scheme := range security[0].(map[string]any) {
			key = scheme
		}
	}
	return headers, key
}

// own puts what a server has in the place of what an example names.
func own(value any, have map[string]any) any {
	switch value := value.(type) {
	case map[string]any:
		for name, member := range value {
			if is, ok := have[name]; ok {
				value[name] = is
			} else {
				value[name] = own(member, have)
			}
		}
	case []any:
		for i, member := range value {
			value[i] = own(member, have)
		}
	}
	return value
}

// Each example of the OpenAPI document, with the keys and ids of a server, is answered as the document says.
func TestExamplesOfTheOpenAPIDocument(t *testing.T) {
	d := StartDev(t, nil, "--demo=small", "--packages", packedFolder(t))
	studio := d.SignIn(t, d.BaseURL)
	app := d.Apps[0]
	environment := app.Environments["test"] // previews open in it only
	flow, version := studio.Publish(app.ID, "Described", example(t, "branching-onboarding"))
	var link struct{ CreatePreviewLink struct{ Token string } }
	studio.Query(`mutation($f: ID!) { createPreviewLink(input: {flowId: $f}) { token } }`, map[string]any{"f": flow}, &link)
	have := map[string]any{
		"flowId": flow, "versionId": version, "token": link.CreatePreviewLink.Token,
		"timestamp": time.Now().Format(time.RFC3339),
	}
	approved := approvedCode(t, d, studio)
	providers := studio.ConnectAll(t, studio.createApp("Billed")) // the demo's app has its own
	keys := map[string]string{"publishableKey": environment.PublishableKey, "apiKey": d.APIKey}

	a := openAPIOf(t, d)
	_, paths := a.at("paths")
	attempt := "" // is opened before it is read, since paths are tried by name
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		address := d.BaseURL + strings.NewReplacer(
			"{attemptId}", attempt, "{flowId}", flow, "/media/{file}", "/media/"+mediaFile(t, d), "{file}", "svc-core-0.1.0.tgz",
		).Replace(path)
		for method := range paths[path].(map[string]any) {
			headers, scheme := a.headers(path, method, pinnedChannel(t, environment))
			if key := keys[scheme]; key != "" {
				headers = append(headers, "Authorization", "Bearer "+key)
			}
			for name, example := range a.examples(path, method) {
				var answer Answer
				var err error
				if strings.HasPrefix(path, "/v1/webhooks/") {
					body, _ := json.Marshal(example) // it was JSON
					event := ProviderEvent{ID: name, Body: string(body)}
					answer, err = providers[strings.ToUpper(name)].Deliver(http.DefaultClient, d.BaseURL, event)
				} else {
					mine := have
					if strings.HasPrefix(path, "/oauth/") {
						mine = approved
					}
					answer, err = a.do(path, method, address, own(example, mine), headers)
				}
				if err != nil {
					t.Fatal(err)
				}
				a.check(path, method, answer)
				if path == "/v1/sdk/stripe/checkout-attempts" {
					var opened struct{ AttemptID string }
					answer.Decode(t, &opened)
					attempt = opened.AttemptID
				}
			}
		}
	}
}

// mediaFile is the name of a file in a server's media library.
func mediaFile(t *testing.T, d *Dev) (name string) {
	t.Helper()
	err := filepath.WalkDir(filepath.Join(d.Dir, "media"), func(_ string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() {
			name = entry.Name()
			return fs.SkipAll
		}
		return err
	})
	if err != nil || name == "" {
		t.Fatalf("no file of the media library: %v", err)
	}
	return name
}

// packedFolder is a folder with one packed SDK.
func packedFolder(t *testing.T) string {
	t.Helper()
	manifest := []byte(`{"name": "@svc/core", "version": "0.1.0"}`)
	var packed bytes.Buffer // takes everything
	compressed := gzip.NewWriter(&packed)
	writer := tar.NewWriter(compressed)
	_ = writer.WriteHeader(&tar.Header{Name: "package/package.json", Mode: 0o644, Size: int64(len(manifest))})
	_, _ = writer.Write(manifest)
	_ = writer.Close()
	_ = compressed.Close()
	folder := t.TempDir()
	for name, content := range map[string][]byte{
		"svc-core-0.1.0.tgz": packed.Bytes(), "packages.txt": []byte("svc-core-0.1.0.tgz\n"),
		"svc.js": []byte("void 0"),
	} {
		if err := os.WriteFile(filepath.Join(folder, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}
