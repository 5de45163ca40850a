package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

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
