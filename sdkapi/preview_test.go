package sdkapi_test

import (
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

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

// Previews are made one at a time, and the next after a pause as long as it took. Whoever waits too long is told when
// to come back, and records don't wait for previews.
func TestPreviewsTakeTurns(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const each = 100 * time.Millisecond
	w.previews.slow.Store(int64(each))
	began := time.Now()
	statuses := make([]int, 4)
	var openings sync.WaitGroup
	for i := range statuses {
		openings.Go(func() { statuses[i] = w.send(previewPath, `{"token":"good"}`).status })
	}
	openings.Wait()
	require.Equal(t, []int{200, 200, 200, 200}, statuses)
	require.EqualValues(t, 1, w.previews.most.Load())
	require.GreaterOrEqual(t, time.Since(began), 7*each, "four openings and the three pauses between them")

	w.previews.slow.Store(int64(5 * time.Second)) // longer than anybody waits
	openings.Go(func() { w.send(previewPath, `{"token":"good"}`) })
	require.Eventually(t, func() bool { return w.previews.now.Load() == 1 }, 5*time.Second, time.Millisecond)
	late := make(chan *exchange, 1)
	openings.Go(func() { late <- w.send(previewPath, `{"token":"good"}`) })
	require.Equal(t, 200, w.send("/v1/sdk/identify", `{"appUserId":"somebody"}`).status)
	x := <-late
	require.Equal(t, 503, x.status)
	require.NotEmpty(t, x.header.Get("Retry-After"))
	openings.Wait()
}
