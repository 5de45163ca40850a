package resolvers_test

import (
	"bytes"
	"fmt"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// formPart is one part of a multipart form.
type formPart struct {
	header, text string // header is all of Content-Disposition after form-data
}

// sendForm sends the parts in their order.
func (c *client) sendForm(parts ...formPart) answer {
	c.w.t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	for _, part := range parts {
		w, err := form.CreatePart(textproto.MIMEHeader{"Content-Disposition": {"form-data; " + part.header}})
		require.NoError(c.w.t, err)
		_, err = w.Write([]byte(part.text))
		require.NoError(c.w.t, err)
	}
	require.NoError(c.w.t, form.Close())
	return c.send(http.MethodPost, "/graphql", &body, http.Header{"Content-Type": {form.FormDataContentType()}})
}

// A form has one operation, one map with one path, and one file, in this order; whatever else it
// brings is refused before the file is read.
func TestAFormHasOneFileAtOnePath(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	png := formPart{`name="0"; filename="a.png"`, "\x89PNG\r\n\x1a\n" + strings.Repeat("x", 1_000)}
	operations := formPart{`name="operations"`, fmt.Sprintf(`{"query": "mutation($f: Upload!, $n: String) {
		uploadMedia(input: {workspaceId: \"%s\", type: IMAGE, name: $n, file: $f}) { id } }", "variables": {"f": null, "n": "a"}}`, w.workspace)}
	operations.text = strings.NewReplacer("\n", " ", "\t", " ").Replace(operations.text)
	paths := func(text string) formPart { return formPart{`name="map"`, text} }
	right := paths(`{"0": ["variables.f"]}`)
	require.Empty(t, w.as("editor").sendForm(operations, right, png).Errors)
	for name, c := range map[string]struct {
		parts  []formPart
		status int
		code   string
	}{
		"paths": {[]formPart{operations, paths(`{"0": ["variables.f", "variables.f"]}`), png}, 400, "invalid_request"},
		"thousands of paths": {
			[]formPart{operations, paths(`{"0": [` + strings.Repeat(`"variables.f", `, 25_000) + `"variables.f"]}`), png},
			413, "payload_too_large",
		},
		"no path":    {[]formPart{operations, paths(`{"0": []}`), png}, 400, "invalid_request"},
		"files":      {[]formPart{operations, paths(`{"0": ["variables.f"], "1": ["variables.n"]}`), png}, 400, "invalid_request"},
		"no map":     {[]formPart{operations, png}, 400, "invalid_request"},
		"map first":  {[]formPart{right, operations, png}, 400, "invalid_request"},
		"file first": {[]formPart{png, operations, right}, 400, "invalid_request"},
		"other file": {[]formPart{operations, paths(`{"1": ["variables.f"]}`), png}, 400, "invalid_request"},
		"other place": {
			[]formPart{operations, paths(`{"0": ["variables.g"]}`), png}, 400, "invalid_request",
		},
		"no variables": {
			[]formPart{{`name="operations"`, `{"query": "{viewer{email}}"}`}, right, png}, 400, "invalid_request",
		},
		"long operation": {
			[]formPart{{`name="operations"`, operations.text + strings.Repeat(" ", 300<<10)}, right, png}, 413, "payload_too_large",
		},
		"long header": {
			[]formPart{operations, right, {`name="0"; filename="` + strings.Repeat("x", 300<<10) + `"`, png.text}}, 413,
			"payload_too_large",
		},
		"stream": {
			[]formPart{{`name="operations"`, `{"query": "subscription {live(appId: \"` + w.workspace + `\") {count}}", "variables": {"f": null}}`},
				right, png}, 400, "invalid_request",
		},
	} {
		got := w.as("editor").sendForm(c.parts...)
		require.Equal(t, c.code, got.code(), "%s: %v", name, got.Errors)
		require.Equal(t, c.status, got.status, name)
	}
	// What takes no file does not get one.
	require.Equal(t, "GRAPHQL_VALIDATION_FAILED",
		w.as("editor").sendForm(operations, paths(`{"0": ["variables.n"]}`), png).code())
	app := w.app("Shop")
	require.Equal(t, "invalid_input", w.as("editor").sendForm(formPart{`name="operations"`,
		`{"query": "mutation($a: ID!, $m: JSON!) {createFlow(input: {appId: $a, name: \"f\", manifest: $m}) {id}}", "variables": {"a": "` + app + `", "m": null}}`,
	}, paths(`{"0": ["variables.m"]}`), png).code())
	// Many headers of a part are no memory, and a file beyond the bound of a body is refused where that is.
	require.Equal(t, "payload_too_large", w.as("editor").sendForm(operations, right,
		formPart{png.header + strings.Repeat(`; x*0=y`, 60_000), png.text}).code())
	require.Equal(t, "forbidden", w.as("viewer").sendForm(operations, right,
		formPart{png.header, png.text + strings.Repeat("x", 9<<20)}).code())
}

// A file that breaks off is not stored, and is no fault of the server.
func TestAFileThatBreaksOffIsNotStored(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const part = "--b\r\nContent-Disposition: form-data; name=%q%s\r\n\r\n%s"
	body := fmt.Sprintf(part, "operations", "", `{"query": "mutation($w: ID!, $f: Upload!) {
		uploadMedia(input: {workspaceId: $w, type: IMAGE, file: $f}) { id } }", "variables": {"f": null, "w": "`+w.workspace+`"}}`)
	body = strings.NewReplacer("\n\t\t", " ").Replace(body) + "\r\n" +
		fmt.Sprintf(part, "map", "", `{"0": ["variables.f"]}`) + "\r\n" +
		fmt.Sprintf(part, "0", `; filename="a.png"`, "\x89PNG\r\n\x1a\n"+strings.Repeat("x", 100_000))
	got := w.as("editor").send(http.MethodPost, "/graphql", strings.NewReader(body),
		http.Header{"Content-Type": {"multipart/form-data; boundary=b"}})
	require.Equal(t, "invalid_request", got.code(), "%v", got.Errors)
	require.Equal(t, http.StatusBadRequest, got.status)
	require.Empty(t, w.as("editor").must(`query($w: ID!) { workspace(id: $w) { media { nodes { id } } } }`,
		vars{"w": w.workspace}).at(t, "workspace", "media", "nodes"))
}
