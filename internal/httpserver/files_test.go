package httpserver_test

import (
	"embed"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/internal/httpserver"
)

//go:embed testdata
var testdata embed.FS

func TestFilesAreServedByTheirTags(t *testing.T) {
	mux := http.NewServeMux()
	httpserver.ServeFiles(mux, testdata, "testdata", "/files/")
	get := func(path, tag string) *httptest.ResponseRecorder {
		w, r := httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, path, nil)
		r.Header.Set("If-None-Match", tag)
		mux.ServeHTTP(w, r)
		return w
	}
	style := get("/files/page.css", "")
	require.Equal(t, http.StatusOK, style.Code)
	require.Equal(t, "text/css; charset=utf-8", style.Header().Get("Content-Type"))
	require.Equal(t, "body { margin: 0 }\n", style.Body.String())
	require.Equal(t, http.StatusNotModified, get("/files/page.css", style.Header().Get("Etag")).Code)
	require.Equal(t, http.StatusNotFound, get("/files/page.html", "").Code, "templates are not served")
}
