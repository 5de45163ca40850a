package sdkapi_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const previewPath = "/v1/sdk/preview"

// previewed holds /v1/sdk/preview to the document.
func (c *contract) previewed(t *testing.T, w *world, s servers) {
	good := func() string { return `{"token":"good"}` }
	scenarios := append(s.refusals(good, method("GET")), s.bodies(64<<10, good)...)
	for _, bad := range []string{
		`{}`, `[]`, `{"token":""}`, `{"token":7}`, `{"token":"` + strings.Repeat("x", 1001) + `"}`,
	} {
		scenarios = append(scenarios, scenario{"body " + bad, w.server, bad, 400, "invalid_request", nil})
	}
	for code, status := range map[string]int{
		"preview_invalid": 401, "preview_expired": 401, "preview_not_found": 404, "draft_invalid": 422,
	} {
		scenarios = append(scenarios, scenario{code, w.server, `{"token":"` + code + `"}`, status, code, nil})
	}
	c.run(t, w, previewPath, scenarios)
	c.origins(t, w, previewPath, good)
	c.away(t, w, previewPath, func(err error) {
		w.previews.fail.Store(nil)
		if err != nil {
			w.previews.fail.Store(&err)
		}
	}, storeFailures, good)
}

// The answer is not to be kept, has no tag, and names what is wrong with a draft.
func TestPreview(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	x := w.send(previewPath, `{"token":"good"}`)
	require.Equal(t, "no-store", x.header.Get("Cache-Control"))
	require.Empty(t, x.header.Get("ETag"))
	x = w.send(previewPath, `{"token":"draft_invalid"}`)
	var body struct{ Errors []map[string]string }
	require.NoError(t, json.Unmarshal(x.body, &body))
	require.Equal(t, []map[string]string{
		{"pointer": "/screens/0", "code": "an.error", "message": "It can't be."},
	}, body.Errors)
	err := errors.New("unexpected")
	w.previews.fail.Store(&err)
	require.NotContains(t, string(w.send(previewPath, `{"token":"good"}`).body), "unexpected")
}
