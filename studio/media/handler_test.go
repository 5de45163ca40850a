package media

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// full is a store whose disk fails.
type full struct{ Store }

func (full) Open(context.Context, string, string) (File, error) { return nil, http.ErrAbortHandler }

// A file is served by its name for ever, to any origin, and runs nothing; whatever is no stored file is not found.
func TestFilesAreServedByTheirNameAlone(t *testing.T) {
	store, err := NewDirectory(t.TempDir())
	require.NoError(t, err)
	sha, _, err := store.Put(t.Context(), strings.NewReader("<svg/>"), "svg", 10)
	require.NoError(t, err)
	var log strings.Builder
	ask := func(store Store, method, path string, headers ...string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(method, path, nil)
		for i := 0; i+1 < len(headers); i += 2 {
			r.Header.Set(headers[i], headers[i+1])
		}
		w := httptest.NewRecorder()
		Handler(store, slog.New(slog.NewTextHandler(&log, nil))).ServeHTTP(w, r)
		return w
	}

	served := ask(store, http.MethodGet, "/media/"+sha+".svg")
	require.Equal(t, http.StatusOK, served.Code)
	require.Equal(t, "<svg/>", served.Body.String())
	for name, value := range map[string]string{
		"Content-Type": "image/svg+xml", "Cache-Control": "public, max-age=31536000, immutable", "ETag": `"` + sha + `"`,
		"Access-Control-Allow-Origin": "*", "X-Content-Type-Options": "nosniff",
		"Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox",
	} {
		require.Equal(t, value, served.Header().Get(name), name)
	}
	require.Empty(t, ask(store, http.MethodHead, "/media/"+sha+".svg").Body.String())
	require.Equal(t, http.StatusNotModified, ask(store, http.MethodGet, "/"+sha+".svg", "If-None-Match", `"`+sha+`"`).Code)
	require.Equal(t, "svg", ask(store, http.MethodGet, "/"+sha+".svg", "Range", "bytes=1-3").Body.String())

	for _, path := range []string{
		"/", "/" + sha, "/" + sha + ".png", "/" + sha + ".exe", "/" + sha + ".svg.svg", "/" + strings.ToUpper(sha) + ".svg",
		"/" + sha[1:] + ".svg", "/" + strings.Repeat("0", 64) + ".svg",
	} {
		require.Equal(t, http.StatusNotFound, ask(store, http.MethodGet, path).Code, path)
	}
	refused := ask(store, http.MethodPost, "/"+sha+".svg")
	require.Equal(t, http.StatusMethodNotAllowed, refused.Code)
	require.Equal(t, "GET, HEAD", refused.Header().Get("Allow"))

	failed := ask(full{}, http.MethodGet, "/"+sha+".svg")
	require.Equal(t, http.StatusInternalServerError, failed.Code)
	require.NotContains(t, failed.Body.String(), http.ErrAbortHandler.Error())
	require.Contains(t, log.String(), "serving a media file failed")
}
