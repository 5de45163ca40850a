package resolvers_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"
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

// A file is found in the branding, in drafts, in the newest version and in those that channels serve, and nowhere else.
func TestWhereMediaIsUsed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	owner := w.as("owner")
	png := append([]byte("\x89PNG\r\n\x1a\n"), bytes.Repeat([]byte{1}, 100)...)
	asset := owner.upload("IMAGE", "hero.png", png).at(t, "uploadMedia", "id")
	app, other := w.app("Shop"), w.app("Other")
	const read = `query($a: ID!, $m: ID!) { app(id: $a) { mediaUses(assetId: $m) {
		branding flows { flowId name draft version } } } }`
	uses := func(c *client, app string) any {
		return c.must(read, vars{"m": asset, "a": app}).at(t, "app", "mediaUses")
	}
	require.JSONEq(t, `{"branding": false, "flows": []}`, asJSON(t, uses(owner, app)))

	_, err := w.db.Pool.Exec(t.Context(), `insert into brandings (id, app_id, data)
		values (gen_random_uuid(), $1, jsonb_build_object('icon', $2::text))
		on conflict (app_id) do update set data = excluded.data`, app, asset)
	require.NoError(t, err)
	flow := func(name string, draft bool, versions ...bool) string {
		id := owner.text(`mutation($a: ID!, $n: String!) { createFlow(input: {appId: $a, name: $n}) { id } }`,
			vars{"a": app, "n": name}, "createFlow", "id")
		names := func(yes bool) string {
			if yes {
				return asset.(string)
			}
			return "none"
		}
		_, err := w.db.Pool.Exec(t.Context(), `update flows set draft = jsonb_build_object('image', $2::text) where id = $1`,
			id, names(draft))
		require.NoError(t, err)
		for i, yes := range versions {
			_, err := w.db.Pool.Exec(t.Context(), `insert into flow_versions (id, flow_id, number, manifest, checksum)
				values (gen_random_uuid(), $1, $2, convert_to(jsonb_build_object('image', $3::text)::text, 'UTF8'), '')`,
				id, i+1, names(yes))
			require.NoError(t, err)
		}
		return id
	}
	draft := flow("Draft", true, false)
	newest := flow("Newest", false, false, true)
	flow("Former", false, true, false)
	served := flow("Served", false, true, false)
	_, err = w.db.Pool.Exec(t.Context(), `update channels set assignment = 'direct',
		flow_version_id = (select id from flow_versions where flow_id = $2 and number = 1) where public_id = $1`,
		w.channel(app), served)
	require.NoError(t, err)
	want, err := json.Marshal(vars{"branding": true, "flows": []vars{
		{"flowId": draft, "name": "Draft", "draft": true, "version": nil},
		{"flowId": newest, "name": "Newest", "draft": false, "version": 2},
		{"flowId": served, "name": "Served", "draft": false, "version": 1},
	}})
	require.NoError(t, err)
	require.JSONEq(t, string(want), asJSON(t, uses(w.as("viewer"), app)))
	require.JSONEq(t, `{"branding": false, "flows": []}`, asJSON(t, uses(owner, other)))

	stranger := w.as("stranger")
	elsewhere := stranger.must(`{ viewer { workspaces { nodes { workspace { id } } } } }`, nil).
		at(t, "viewer", "workspaces", "nodes", 0, "workspace", "id")
	foreign := stranger.text(`mutation($w: ID!) { createApp(input: {workspaceId: $w, name: "A"}) { id } }`,
		vars{"w": elsewhere}, "createApp", "id")
	require.Equal(t, "not_found", w.as("editor").do(read, vars{"m": asset, "a": foreign}).code())
	wrong := stranger.do(read, vars{"m": asset, "a": foreign})
	require.Equal(t, "invalid_input", wrong.code())
	require.Equal(t, "assetId", wrong.Errors[0].Extensions["field"])
	require.Equal(t, "forbidden", w.keyed("owner", "analytics:read").do(read, vars{"m": asset, "a": app}).code())
}

// Files are asked for by their ids: what a draft names is read at once, whatever else the library holds.
func TestMediaIsReadByID(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	owner := w.as("owner")
	png := append([]byte("\x89PNG\r\n\x1a\n"), bytes.Repeat([]byte{1}, 100)...)
	var ids []any
	for i := range 3 {
		ids = append(ids, owner.upload("IMAGE", "x.png", append(png, byte(i))).at(t, "uploadMedia", "id"))
	}
	owner.must(`mutation($m: ID!) { archiveMedia(input: {id: $m}) { id } }`, vars{"m": ids[1]})
	const document = `query($w: ID!, $ids: [ID!], $archived: Boolean!) { workspace(id: $w) {
		media(ids: $ids, includeArchived: $archived) { totalCount nodes { id } } } }`
	read := func(archived bool, asked ...any) string {
		return asJSON(t, owner.must(document, vars{"w": w.workspace, "ids": asked, "archived": archived}).
			at(t, "workspace", "media"))
	}
	unknown := uuid.NewString()
	require.JSONEq(t, fmt.Sprintf(`{"totalCount": 1, "nodes": [{"id": %q}]}`, ids[0]), read(false, ids[0], ids[1], unknown))
	require.JSONEq(t, fmt.Sprintf(`{"totalCount": 2, "nodes": [{"id": %q}, {"id": %q}]}`, ids[1], ids[0]),
		read(true, ids[0], ids[1], ids[0], unknown))
	require.JSONEq(t, `{"totalCount": 0, "nodes": []}`, read(true, []any{}...))

	many := make([]string, 201)
	for i := range many {
		many[i] = unknown
	}
	require.Equal(t, "invalid_input", owner.do(document, vars{"w": w.workspace, "ids": many, "archived": true}).code())

	stranger := w.as("stranger")
	own := stranger.text(`mutation { createWorkspace(input: {name: "Own"}) { id } }`, nil, "createWorkspace", "id")
	require.JSONEq(t, `{"totalCount": 0, "nodes": []}`, asJSON(t, stranger.must(document,
		vars{"w": own, "ids": ids, "archived": true}).at(t, "workspace", "media")), "files of another workspace")
}
