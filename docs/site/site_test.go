package site

import (
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/docs"
)

const baseURL = "https://flows.example"

func serve(t *testing.T) (*Site, func(path string) (status int, header http.Header, body string)) {
	t.Helper()
	site, err := New(baseURL, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	mux := http.NewServeMux()
	site.Register(mux)
	return site, func(path string) (int, http.Header, string) {
		w := httptest.NewRecorder()
		mux.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
		body, err := io.ReadAll(w.Body)
		require.NoError(t, err)
		return w.Code, w.Header(), string(body)
	}
}

func TestEveryPageIsListedOnce(t *testing.T) {
	site, _ := serve(t)
	listed := map[string]int{}
	for _, g := range site.groups {
		for _, p := range g.Pages {
			listed[p.Name]++
		}
	}
	for name := range site.pages {
		require.Equal(t, 1, listed[name], "%s belongs into one group of contents", name)
	}
	names := 0
	for _, part := range contents {
		names += len(part.names)
	}
	require.Len(t, site.pages, names, "contents names a page that there is not")
}

var reference = regexp.MustCompile(`(?:href|src)="([^"]*)"`)

func TestEveryLinkLeadsToAPartOfAPage(t *testing.T) {
	site, get := serve(t)
	followed := 0
	for name, page := range site.pages {
		status, header, body := get("/docs/" + name)
		require.Equal(t, http.StatusOK, status, name)
		require.Contains(t, header.Get("Content-Security-Policy"), "default-src 'none'")
		require.NotEmpty(t, page.Title, name)
		require.Contains(t, body, "<title>"+page.Title+" – Svc</title>")
		for _, match := range reference.FindAllStringSubmatch(string(page.HTML), -1) {
			to, err := url.Parse(match[1])
			require.NoError(t, err)
			if to.Host != "" || to.Scheme == "mailto" {
				continue
			}
			target := body
			if to.Path != "" {
				status, _, target = get(to.Path)
				require.Equal(t, http.StatusOK, status, "%s links to %s", name, match[1])
			}
			if to.Fragment != "" {
				require.Contains(t, target, `id="`+to.Fragment+`"`, "%s links to %s", name, match[1])
			}
			followed++
		}
	}
	require.Greater(t, followed, 100)
}

func TestSamplesNameTheServer(t *testing.T) {
	site, get := serve(t)
	for name, page := range site.pages {
		for _, sample := range samples {
			require.NotContains(t, string(page.HTML), sample, name)
		}
	}
	_, _, body := get("/docs/sdk")
	require.Contains(t, body, baseURL+"/sdk/svc-react-0.1.0.tgz")
}

func TestSearchLeadsToTheSection(t *testing.T) {
	_, get := serve(t)
	status, _, body := get("/docs/search?q=workspace+API+keys")
	require.Equal(t, http.StatusOK, status)
	require.Contains(t, body, `href="/docs/roles#workspace-api-keys">Workspace API keys</a>`)

	_, _, body = get("/docs/search?q=" + url.QueryEscape(`zyzzyva<script>alert(1)</script>`))
	require.Contains(t, body, "Nothing has “zyzzyva&lt;script&gt;")
	require.NotContains(t, body, "<script>alert")

	_, _, body = get("/docs/search?q=" + strings.Repeat("%C3%A9+", 4000))
	require.Less(t, len(body), 40_000)
	_, _, body = get("/docs/search")
	require.Contains(t, body, "<h1>Search</h1>")
}

// An excerpt of a section holds what was searched for, whatever else is in it.
func TestAnExcerptHasTheWord(t *testing.T) {
	long := strings.Repeat("été and `more` ", 40) + "needle " + strings.Repeat("words after ", 40)
	require.Contains(t, excerpt(long, []string{"needle"}), "needle")
	require.Less(t, len(excerpt(long, []string{"needle"})), excerptBytes+20)
	require.Equal(t, "short", excerpt("short", []string{"absent"}))
	require.Equal(t, "", excerpt("", nil))
	require.Equal(t, "see rest, a b {1}", excerpt("see [rest](rest.md#x), | `a` | **b** |\n|---|---|\n```json\n{1}\n```", nil))
	require.NotContains(t, excerpt(strings.Repeat("é", 500), []string{"é"}), "\ufffd")
}

func TestOtherAddresses(t *testing.T) {
	_, get := serve(t)
	status, header, _ := get("/docs")
	require.Equal(t, http.StatusMovedPermanently, status)
	require.Equal(t, "/docs/", header.Get("Location"))
	status, header, _ = get("/docs/sdk/README.md")
	require.Equal(t, http.StatusMovedPermanently, status)
	require.Equal(t, "/docs/sdk", header.Get("Location"))
	status, _, body := get("/docs/")
	require.Equal(t, http.StatusOK, status)
	require.Contains(t, body, `href="/docs/concepts"`)
	for _, path := range []string{"/docs/nothing", "/docs/docs.go", "/docs/decisions/ci", "/docs/assets/page.html"} {
		status, _, _ = get(path)
		require.Equal(t, http.StatusNotFound, status, path)
	}
	pictures, err := fs.Glob(docs.Files(), "images/*.webp")
	require.NoError(t, err)
	require.NotEmpty(t, pictures)
	for _, file := range append(pictures, "assets/docs.css", "assets/docs.js") {
		status, header, _ = get("/docs/" + file)
		require.Equal(t, http.StatusOK, status, file)
		require.NotEmpty(t, header.Get("ETag"))
	}
}
