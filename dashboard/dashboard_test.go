package dashboard

import (
	"context"
	"net/http"
	"net/http/httptest"
	"regexp"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

func serve(t *testing.T) http.Handler {
	t.Helper()
	d, ok := open(fstest.MapFS{
		"index.html":           {Data: []byte(`<html><meta name="csp-nonce" content="" /><meta name="svc-example" content="" /></html>`)},
		"preview.html":         {Data: []byte("<html>preview</html>")},
		"canvas.html":          {Data: []byte("<html>canvas</html>")},
		"run.html":             {Data: []byte("<html>run</html>")},
		"try.html":             {Data: []byte("<html>try</html>")},
		"assets/main-1.js":     {Data: []byte("plain")},
		"assets/main-1.js.br":  {Data: []byte("brotli")},
		"assets/main-1.js.gz":  {Data: []byte("gzipped")},
		"assets/icon-2.svg":    {Data: []byte("<svg/>")},
		"secret.txt":           {Data: []byte("not an asset")},
		"assets/inner/file.js": {Data: []byte("inner")},
	})
	require.True(t, ok)
	mux := http.NewServeMux()
	d.Register(mux, "/example/", func(_ context.Context, token string) []string {
		return map[string][]string{
			"framed": {"https://www.example.com", "http://localhost:3000"}, "anywhere": {"*"},
		}[token]
	})
	return mux
}

func get(t *testing.T, h http.Handler, target string, header ...string) *http.Response {
	t.Helper()
	request := httptest.NewRequest(http.MethodGet, target, nil)
	for i := 0; i < len(header); i += 2 {
		request.Header.Set(header[i], header[i+1])
	}
	recorder := httptest.NewRecorder()
	h.ServeHTTP(recorder, request)
	return recorder.Result()
}

func body(t *testing.T, response *http.Response) string {
	t.Helper()
	defer response.Body.Close()
	buffer := make([]byte, 1<<12)
	n, _ := response.Body.Read(buffer)
	return string(buffer[:n])
}

func TestEveryAddressOfTheApplicationHasItsPageAndANonceOfItsOwn(t *testing.T) {
	h := serve(t)
	nonces := map[string]bool{}
	for _, target := range []string{"/", "/sign-in", "/apps/1/live/home", "/apps/1/test/acquisition?f=is,country,DE", "/"} {
		response := get(t, h, target)
		require.Equal(t, http.StatusOK, response.StatusCode, target)
		require.Equal(t, "no-store", response.Header.Get("Cache-Control"))
		nonce := regexp.MustCompile(`csp-nonce" content="(\w{20,})"`).FindStringSubmatch(body(t, response))
		require.Len(t, nonce, 2, target)
		policy := response.Header.Get("Content-Security-Policy")
		require.Contains(t, policy, "style-src 'self' 'nonce-"+nonce[1]+"'")
		require.NotContains(t, policy, "unsafe")
		require.False(t, nonces[nonce[1]], "a nonce was used twice")
		nonces[nonce[1]] = true
	}
}

func TestFilesAreServedInTheSmallestFormThatTheReaderTakes(t *testing.T) {
	h := serve(t)
	for accepted, want := range map[string][2]string{
		"":                        {"", "plain"},
		"gzip":                    {"gzip", "gzipped"},
		"gzip, deflate, br, zstd": {"br", "brotli"},
		"br;q=0, gzip":            {"gzip", "gzipped"},
		"br;q=0.0, gzip; q=0":     {"", "plain"},
		"br;q=0.5":                {"br", "brotli"},
	} {
		response := get(t, h, "/assets/main-1.js", "Accept-Encoding", accepted)
		require.Equal(t, want[0], response.Header.Get("Content-Encoding"), accepted)
		require.Equal(t, want[1], body(t, response), accepted)
		require.Equal(t, "public, max-age=31536000, immutable", response.Header.Get("Cache-Control"))
		require.Equal(t, "text/javascript; charset=utf-8", response.Header.Get("Content-Type"))
		require.Equal(t, "Accept-Encoding", response.Header.Get("Vary"))
	}
	require.Equal(t, "<svg/>", body(t, get(t, h, "/assets/icon-2.svg", "Accept-Encoding", "br")))
}

func TestNothingButFilesOfTheBuildIsServed(t *testing.T) {
	h := serve(t)
	for _, target := range []string{"/assets/none.js", "/assets/", "/assets", "/assets/inner", "/assets/%2e%2e/secret.txt"} {
		response := get(t, h, target)
		require.NotEqual(t, http.StatusOK, response.StatusCode, target)
		require.NotContains(t, body(t, response), "not an asset")
	}
}

func TestABinaryWithoutABuildSaysSo(t *testing.T) {
	_, ok := open(fstest.MapFS{"README.md": {Data: []byte("x")}})
	require.False(t, ok)
}

func TestDocumentsOfFlowsMayBeFramedByThisServerOnlyAndAloneMayStyleThemselves(t *testing.T) {
	for target, content := range map[string]string{
		"/preview.html": "<html>preview</html>", "/canvas.html": "<html>canvas</html>",
		"/run.html": "<html>run</html>", "/try.html?app=a&channel=c": "<html>try</html>",
	} {
		response := get(t, serve(t), target)
		require.Equal(t, http.StatusOK, response.StatusCode)
		require.Equal(t, content, body(t, response))
		require.Equal(t, "SAMEORIGIN", response.Header.Get("X-Frame-Options"))
		require.Equal(t, "no-store", response.Header.Get("Cache-Control"))
		policy := response.Header.Get("Content-Security-Policy")
		require.Contains(t, policy, "frame-ancestors 'self'")
		require.Contains(t, policy, "script-src 'self';")
		require.Contains(t, policy, "style-src 'self' 'unsafe-inline';")
	}
}

func TestTheDocumentOfEmailsRunsNothingAndAsksNobodyButForPictures(t *testing.T) {
	response := get(t, serve(t), "/mail.html")
	require.Equal(t, http.StatusOK, response.StatusCode)
	require.NotContains(t, body(t, response), "script")
	require.Equal(t, "SAMEORIGIN", response.Header.Get("X-Frame-Options"))
	require.Equal(t, "default-src 'none'; style-src 'unsafe-inline'; img-src https: data:; form-action 'none'; "+
		"base-uri 'none'; frame-ancestors 'self'; sandbox allow-same-origin",
		response.Header.Get("Content-Security-Policy"))
}

func TestThePageKnowsWhereTheExampleIsServed(t *testing.T) {
	require.Contains(t, body(t, get(t, serve(t), "/")), `<meta name="svc-example" content="/example/" />`)
}
