package dashboard

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestOnlyTheOriginsOfALinkMayFrameItsReports(t *testing.T) {
	h := serve(t)
	for target, ancestors := range map[string]string{
		"/share/framed":                       "https://www.example.com http://localhost:3000",
		"/share/framed/apps/1/live/home":      "https://www.example.com http://localhost:3000",
		"/share/anywhere?embed=1&theme=light": "*",
		"/share/unknown":                      "'none'",
		"/share/unknown/framed":               "'none'",
		"/apps/1/live/home":                   "'none'",
		"/?link=framed":                       "'none'",
	} {
		response := get(t, h, target)
		require.Equal(t, http.StatusOK, response.StatusCode, target)
		require.Equal(t, "no-store", response.Header.Get("Cache-Control"))
		policy := response.Header.Get("Content-Security-Policy")
		require.Contains(t, policy, "; frame-ancestors "+ancestors+"; ", target)
		require.NotContains(t, policy, "unsafe")
	}
	require.Equal(t, "noindex, nofollow", get(t, h, "/share/unknown").Header.Get("X-Robots-Tag"))
	require.Empty(t, get(t, h, "/").Header.Get("X-Robots-Tag"))
	require.NotEqual(t, http.StatusOK, get(t, h, "/share/").StatusCode)
}
