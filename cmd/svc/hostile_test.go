package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

// A key goes to the server that its user named, and nowhere that a server sends its callers.
func TestKeysFollowNoRedirect(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) }))
	defer other.Close()
	for _, status := range []int{
		http.StatusMovedPermanently, http.StatusFound, http.StatusTemporaryRedirect, http.StatusPermanentRedirect,
	} {
		server := httptest.NewServer(http.RedirectHandler(other.URL, status))
		defer server.Close()
		for _, command := range []string{"flow list app", "flow export flow --out never.zip"} {
			exit, stdout, stderr := typed("", []string{"SVC_API_URL=" + server.URL, "SVC_API_KEY=svc_wk_secret"},
				strings.Fields(command)...)
			require.Equal(t, exitUsage, exit, stderr)
			require.Empty(t, stdout)
			require.Contains(t, stderr, other.URL)
			require.NotContains(t, stderr, "svc_wk_secret")
		}
	}
	require.Zero(t, asked.Load())
}

// Whoever answers without an end in the place of a server does not fill the memory of who asks.
func TestAnswersWithoutAnEndAreRefused(t *testing.T) {
	t.Parallel()
	pages := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") == "Bearer pages" {
			pages++
			fmt.Fprintf(w, `{"data":{"app":{"flows":{"nodes":[%q],"pageInfo":{"hasNextPage":true,"endCursor":"%d"}}}}}`,
				strings.Repeat("x", 100_000), pages)
			return
		}
		part := []byte(strings.Repeat(" ", 64<<10))
		for {
			if _, err := w.Write(part); err != nil {
				return
			}
		}
	}))
	defer server.Close()
	endless := newAPI(connection{url: server.URL, key: "bytes"})
	endless.maxAnswer = 1 << 20
	_, err := endless.query(t.Context(), "flowFiles", map[string]any{"app": "a"}, "app", "flows")
	require.ErrorContains(t, err, "answers more than")

	list := pagedList{operation: "flowFiles", path: []string{"app", "flows"}, maxBytes: 1 << 20}
	_, err = list.readAll(t.Context(), newAPI(connection{url: server.URL, key: "pages"}), map[string]any{"app": "a"}, 15, 1000)
	require.ErrorContains(t, err, "answers more than")
	require.Less(t, pages, 20)
}
