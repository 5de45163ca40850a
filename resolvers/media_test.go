package resolvers_test

import (
	"bytes"
	"encoding/json"
	"io"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// upload sends a file by the GraphQL multipart request specification.
func (c *client) upload(kind, filename string, content []byte) answer {
	c.w.t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	operations, err := json.Marshal(vars{
		"query":     `mutation($w: ID!, $t: MediaType!, $f: Upload!) { uploadMedia(input: {workspaceId: $w, type: $t, file: $f}) { id name path contentType sizeBytes } }`,
		"variables": vars{"w": c.w.workspace, "t": kind, "f": nil},
	})
	require.NoError(c.w.t, err)
	require.NoError(c.w.t, form.WriteField("operations", string(operations)))
	require.NoError(c.w.t, form.WriteField("map", `{"0": ["variables.f"]}`))
	part, err := form.CreateFormFile("0", filename)
	require.NoError(c.w.t, err)
	_, err = part.Write(content)
	require.NoError(c.w.t, err)
	require.NoError(c.w.t, form.Close())
	return c.send(http.MethodPost, "/graphql", &body, http.Header{"Content-Type": {form.FormDataContentType()}})
}

func TestUploadedMediaIsServed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	png := append([]byte("\x89PNG\r\n\x1a\n"), bytes.Repeat([]byte{1}, 1000)...)
	got := w.as("editor").upload("IMAGE", "hero.png", png)
	require.Empty(t, got.Errors, "%s", w.log)
	path := got.at(t, "uploadMedia", "path").(string)
	require.Regexp(t, `^/media/[0-9a-f]{64}\.png$`, path)
	require.Equal(t, "hero", got.at(t, "uploadMedia", "name"))
	require.Equal(
		t, got.at(t, "uploadMedia", "id"), w.as("admin").upload("IMAGE", "again.png", png).at(t, "uploadMedia", "id"),
		"the same content is the same asset",
	)

	response, err := http.Get(w.server.URL + path)
	require.NoError(t, err)
	defer response.Body.Close()
	served, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	require.Equal(t, png, served)
	require.Equal(t, "image/png", response.Header.Get("Content-Type"))
	require.Equal(t, "public, max-age=31536000, immutable", response.Header.Get("Cache-Control"))
	for _, wrong := range []string{"/media/" + strings.Repeat("0", 64) + ".png", "/media/../secret.png", "/media/x.png"} {
		response, err := http.Get(w.server.URL + wrong)
		require.NoError(t, err)
		response.Body.Close()
		require.Equal(t, http.StatusNotFound, response.StatusCode, wrong)
	}

	require.Equal(t, "forbidden", w.as("viewer").upload("IMAGE", "x.png", png).code())
	for name, step := range map[string]struct{ kind, filename, content string }{
		"extension contradicts": {"IMAGE", "x.jpg", string(png)},
		"type contradicts":      {"VIDEO", "x.png", string(png)},
		"not an image":          {"IMAGE", "x.png", "hello"},
		"lottie without layers": {"LOTTIE", "x.json", `{"v": "5"}`},
		"too large":             {"IMAGE", "x.png", "\x89PNG\r\n\x1a\n" + strings.Repeat("x", 5_242_880)},
	} {
		require.Equal(t, "invalid_input", w.as("editor").upload(step.kind, step.filename, []byte(step.content)).code(), name)
	}
	require.Empty(t, w.as("editor").upload("LOTTIE", "x.json", []byte(`{"v": "5", "layers": []}`)).Errors)
}
