package sdkapi_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/delivery"
	"github.com/svc-dev/svc/ingest"
	"github.com/svc-dev/svc/sdkapi"
)

// contract checks exchanges against the OpenAPI document and remembers which
// answers were seen.
type contract struct {
	t        *testing.T
	document map[string]any
	compiler *jsonschema.Compiler
	schemas  map[string]*jsonschema.Schema
	seen     map[string]bool
}

func newContract(t *testing.T) *contract {
	t.Helper()
	parsed, err := jsonschema.UnmarshalJSON(bytes.NewReader(sdkapi.OpenAPI()))
	require.NoError(t, err)
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	require.NoError(t, compiler.AddResource("openapi.json", parsed))
	return &contract{
		t: t, document: parsed.(map[string]any), compiler: compiler, schemas: map[string]*jsonschema.Schema{},
		seen: map[string]bool{},
	}
}

// at walks the document and follows references.
func (c *contract) at(keys ...string) (pointer string, value any) {
	value = c.document
	pointer = "#"
	for _, key := range keys {
		object, ok := value.(map[string]any)
		if !ok || object[key] == nil {
			return "", nil
		}
		value = object[key]
		pointer += "/" + strings.ReplaceAll(strings.ReplaceAll(key, "~", "~0"), "/", "~1")
		if target, ok := value.(map[string]any)["$ref"].(string); ok {
			_, value = c.at(strings.Split(strings.TrimPrefix(target, "#/"), "/")...)
			pointer = target
		}
	}
	return pointer, value
}

func (c *contract) schema(keys ...string) *jsonschema.Schema {
	pointer, value := c.at(keys...)
	if value == nil {
		return nil
	}
	if c.schemas[pointer] == nil {
		schema, err := c.compiler.Compile("openapi.json" + pointer)
		require.NoError(c.t, err)
		c.schemas[pointer] = schema
	}
	return c.schemas[pointer]
}

func (c *contract) valid(schema *jsonschema.Schema, text []byte) error {
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return err
	}
	return schema.Validate(value)
}

// check proves that the document describes the exchange: its path, method,
// status, headers and body; and that it says of the sent body what the handler
// says.
func (c *contract) check(t *testing.T, x *exchange) {
	t.Helper()
	operation := strings.ToLower(x.method)
	if x.status == http.StatusMethodNotAllowed {
		// A wrong method isn't documented: its answer is, on the right one.
		operation = strings.ToLower(strings.Split(x.header.Get("Allow"), ",")[0])
	}
	status := strconv.Itoa(x.status)
	path := template(x.path)
	place := []string{"paths", path, operation, "responses", status}
	_, response := c.at(place...)
	require.NotNil(t, response, "%s %s %s is not documented", operation, path, status)
	if headers, ok := response.(map[string]any)["headers"].(map[string]any); ok {
		for name := range headers {
			require.NotEmpty(t, x.header.Get(name), "documented header %s", name)
			schema := c.schema(append(place, "headers", name, "schema")...)
			require.NoError(t, schema.Validate(x.header.Get(name)), "header %s", name)
		}
	}
	content := c.schema(append(place, "content", "application/json", "schema")...)
	if content == nil {
		require.Empty(t, x.body)
	} else {
		require.Equal(t, "application/json", x.header.Get("Content-Type"))
		require.NoError(t, c.valid(content, x.body), "%s", x.body)
	}
	code := x.code()
	c.seen[path+" "+status+" "+code] = true
	if code != "" {
		require.Equal(t, x.header.Get("X-Request-Id"), requestIDOf(t, x.body))
	}

	request := c.schema("paths", path, operation, "requestBody", "content", "application/json", "schema")
	switch {
	case request == nil:
	case x.status == http.StatusOK || x.status == http.StatusNotModified:
		require.NoError(t, c.valid(request, []byte(x.sent)), "an accepted body that the document refuses")
	case code == "invalid_request" || code == "invalid_batch" || code == "invalid_json":
		require.Error(t, c.valid(request, []byte(x.sent)), "a refused body that the document accepts: %s", x.sent)
	}
}

func requestIDOf(t *testing.T, body []byte) string {
	var parsed struct {
		Code, Error, Message, RequestID string
	}
	require.NoError(t, json.Unmarshal(body, &parsed))
	require.Equal(t, parsed.Code, parsed.Error)
	require.NotEmpty(t, parsed.Message)
	return parsed.RequestID
}

// documented lists every path, status and code that the document promises of what this package answers. The others are
// tried at the whole server.
func (c *contract) documented() []string {
	var all []string
	_, paths := c.at("paths")
	for path, operations := range paths.(map[string]any) {
		if !strings.HasPrefix(path, "/v1/sdk/") && path != "/v1/openapi.json" {
			continue
		}
		for operation := range operations.(map[string]any) {
			_, responses := c.at("paths", path, operation, "responses")
			for status := range responses.(map[string]any) {
				codes := []string{""}
				_, schema := c.at("paths", path, operation, "responses", status, "content", "application/json", "schema")
				object, _ := schema.(map[string]any)
				if both, ok := object["allOf"].([]any); ok {
					codes = nil
					for _, code := range both[1].(map[string]any)["properties"].(map[string]any)["code"].(map[string]any)["enum"].([]any) {
						codes = append(codes, code.(string))
					}
				}
				for _, code := range codes {
					all = append(all, path+" "+status+" "+code)
				}
			}
		}
	}
	slices.Sort(all)
	return all
}

// TestContract sends every kind of request there is. Each exchange agrees with
// the OpenAPI document, and everything that the document promises is seen.
func TestContract(t *testing.T) {
	w := newWorld(t)
	c := newContract(t)
	w.app.Test.Revoke()
	w.refresh()
	servers := newServers(w)
	for path, ok := range map[string]string{
		"/v1/sdk/resolve": resolveBody, "/v1/sdk/resolve-all": resolveBody,
		"/v1/sdk/events": "", "/v1/sdk/analytics/events": "", "/v1/sdk/track": "",
	} {
		events := ok == ""
		fresh := func() string {
			if events {
				return oneEvent(path)
			}
			return ok
		}
		scenarios := append(servers.refusals(fresh, method("GET")), servers.bodies(20<<20, fresh)...)
		if path == "/v1/sdk/resolve" || path == "/v1/sdk/resolve-all" {
			scenarios = append(scenarios,
				scenario{"text", w.server, fresh(), 415, "unsupported_media_type", []change{header("Content-Type", "text/plain")}},
				scenario{
					"key in the query", w.server, fresh(), 401, "invalid_key",
					[]change{without("Authorization"), query("key=" + w.app.Live.Key)},
				})
			for _, good := range []string{
				`{"userId":"u"}`, `{"appUserId":"u","locale":"de","platform":"web","appVersion":"1"}`,
				`{"identity":{"appUserId":"u","customUserId":"c","sessionId":"s"},"context":{"platform":"ios","locale":"x","customProperties":{"a":1,"b":true,"c":"d"},"browser":"b","os":"o","device":"d","attribution":{"attribution.isOrganic":true}},"more":[1]}`,
				`{"identity":{"appUserId":"` + strings.Repeat("é", 256) + `","customUserId":null}}`,
				`{"identity":{"appUserId":"a"},"userId":"b"}`,
			} {
				scenarios = append(scenarios, scenario{"body " + good[:14], w.server, good, 200, "", nil})
			}
			for _, bad := range []string{
				`{}`, `[]`, `"x"`, `7`, `{"identity":{}}`, `{"identity":{"appUserId":""}}`, `{"identity":"x"}`,
				`{"identity":{"appUserId":7}}`,
				`{"identity":{"appUserId":"` + strings.Repeat("x", 257) + `"}}`,
				`{"identity":{"appUserId":"u","sessionId":""}}`, `{"identity":{"appUserId":"u","customUserId":""}}`,
				`{"userId":"u","sessionId":""}`, `{"userId":"u","customUserId":"` + strings.Repeat("x", 257) + `"}`,
				`{"identity":{"appUserId":"u\u0000"}}`, `{"userId":"\u0000"}`, `{"userId":"u","sessionId":"\u0000"}`,
				`{"userId":"u","context":{"os":"\u0000"}}`,
				`{"userId":"u","locale":"\u0000"}`, `{"userId":"u","context":{"appVersion":"\u0000"}}`,
				`{"userId":"u","variantId":"\u0000"}`,
				`{"userId":"u","platform":"amiga"}`, `{"userId":"u","context":{"platform":"amiga"}}`, `{"userId":"u","context":7}`,
				`{"userId":"u","context":{"browser":"` + strings.Repeat("x", 81) + `"}}`,
				`{"userId":"u","context":{"customProperties":{"a":[1]}}}`, `{"userId":"u","context":{"attribution":{"a":null}}}`,
			} {
				scenarios = append(scenarios, scenario{"body " + bad, w.server, bad, 400, "invalid_request", nil})
			}
		}
		if path == "/v1/sdk/resolve" {
			for status, cases := range map[int]map[string]change{
				404: {
					"channel_not_found": header("X-Svc-Channel", "ch_live_nothing"), "channel_unassigned": channel(w.unassigned),
					"version_missing": channel(w.gone), "experiment_not_running": channel(w.draft),
				},
				410: {"channel_archived": channel(w.archived)},
				400: {"variant_pin_invalid": channel(w.versionless), "channel_required": without("X-Svc-Channel")},
			} {
				for code, edit := range cases {
					scenarios = append(scenarios, scenario{code, w.server, ok, status, code, []change{edit}})
				}
			}
			scenarios = append(scenarios,
				scenario{"blank channel", w.server, ok, 400, "channel_required", []change{header("X-Svc-Channel", " ")}},
				scenario{
					"channel in the query", w.server, ok, 400, "channel_required",
					[]change{without("X-Svc-Channel"), query("channel=" + w.pinned.PublicID)},
				},
				scenario{"forced arm", w.server, `{"userId":"u","variantId":"b"}`, 200, "", []change{channel(w.running)}},
				scenario{
					"forced unknown arm", w.server, `{"userId":"u","variantId":"z"}`, 400, "variant_pin_invalid",
					[]change{channel(w.running)},
				},
				scenario{
					"unmodified", w.server, ok, 304, "",
					[]change{header("If-None-Match", fmt.Sprintf(`W/"1-x", "1-%s"`, w.versions[0].ID))},
				},
				scenario{"star", w.server, ok, 200, "", []change{header("If-None-Match", `*`)}})
		}
		if path == "/v1/sdk/events" {
			scenarios = append(scenarios,
				scenario{"no channel", w.server, fresh(), 400, "channel_required", []change{without("X-Svc-Channel")}},
				scenario{
					"unknown channel", w.server, fresh(), 404, "channel_not_found",
					[]change{header("X-Svc-Channel", "ch_live_nothing")},
				},
				scenario{"archived channel", w.server, fresh(), 200, "", []change{channel(w.archived)}},
				scenario{"unassigned channel", w.server, fresh(), 200, "", []change{channel(w.unassigned)}},
				scenario{
					"channel in the query", w.server, fresh(), 200, "",
					[]change{without("X-Svc-Channel"), query("channel=" + w.pinned.PublicID)},
				})
		}
		if events {
			scenarios = append(scenarios,
				scenario{"list", w.server, `[]`, 400, "invalid_batch", nil},
				scenario{"no events", w.server, `{"events":[]}`, 400, "invalid_batch", nil},
				scenario{"501 events", w.server, `{"events":[` + strings.Repeat("1,", 500) + `1]}`, 400, "invalid_batch", nil},
				scenario{"events of another type", w.server, `{"events":7}`, 400, "invalid_batch", nil},
				scenario{"a bad event", w.server, `{"events":[{"eventId":"x","name":7}]}`, 200, "", nil},
				scenario{"text", w.server, fresh(), 200, "", []change{header("Content-Type", "text/plain;charset=UTF-8")}},
				scenario{
					"beacon", w.server, fresh(), 200, "",
					[]change{header("Content-Type", "text/plain"), without("Authorization"), query("key=" + w.app.Live.Key)},
				},
				scenario{
					"a header wins over the query", w.server, fresh(), 401, "invalid_key",
					[]change{header("Authorization", "Bearer nothing"), query("key=" + w.app.Live.Key)},
				})
		}
		if path == "/v1/sdk/track" {
			for code, bad := range bareEvents() {
				scenarios = append(scenarios, scenario{"bare " + code, w.server, bad, 400, code, nil})
			}
		}
		c.run(t, w, path, scenarios)
		c.origins(t, w, path, fresh)
		if events {
			t.Run(path+"/store away", func(t *testing.T) {
				for err, code := range map[error]string{
					fmt.Errorf("flush: %w", ingest.ErrUnavailable): "ingest_unavailable",
					ingest.ErrBusy:           "ingest_unavailable",
					errors.New("unexpected"): "internal",
				} {
					w.events.fail.Store(&err)
					x := w.send(path, fresh())
					w.events.fail.Store(nil)
					require.Equal(t, code, x.code())
					c.check(t, x)
				}
			})
		}
	}

	c.person(t, w, servers)
	c.records(t, w, servers)
	c.previewed(t, w, servers)

	document := w.send("/v1/openapi.json", "", method("GET"))
	require.Equal(t, sdkapi.OpenAPI(), document.body)
	c.check(t, document)
	c.check(t, w.send("/v1/openapi.json", "", method("POST")))

	var seen []string
	for s := range c.seen {
		seen = append(seen, s)
	}
	slices.Sort(seen)
	require.Equal(t, c.documented(), seen, "documented answers and answers seen")
}

// refusing is a gate that is shut.
type refusing struct{ refusal *sdkapi.Error }

func (r refusing) Refusal(context.Context, *delivery.Tenant) *sdkapi.Error { return r.refusal }

var eventPaths = []string{"/v1/sdk/events", "/v1/sdk/analytics/events", "/v1/sdk/track"}

// oneEvent returns a fresh valid body for an event path.
func oneEvent(path string) string {
	id := uuid.NewString()
	event := fmt.Sprintf(
		`{"eventId":%q,"name":"page_view","timestamp":%q,"screenName":"/","identity":{"appUserId":"dev-1"}}`, id,
		time.Now().Format(time.RFC3339Nano),
	)
	switch path {
	case "/v1/sdk/track":
		return event
	case "/v1/sdk/events":
		event = fmt.Sprintf(`{"eventId":%q,"name":"flow_started","timestamp":%q,"flowId":%q,"versionId":%q,"identity":{"appUserId":"dev-1"}}`,
			id, time.Now().Format(time.RFC3339Nano), uuid.NewString(), uuid.NewString())
	}
	return `{"events":[` + event + `]}`
}
