package pagename_test

import (
	"encoding/json"
	"net/url"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/svc-dev/svc/analytics/pagename"
	"github.com/svc-dev/svc/internal/codeunit"
)

func TestReadableVectors(t *testing.T) {
	raw, err := os.ReadFile("../../sdk/vectors/readable-paths.json")
	require.NoError(t, err)
	var vectors []struct {
		Name, Readable string
		Limit          int
	}
	require.NoError(t, json.Unmarshal(raw, &vectors))
	require.NotEmpty(t, vectors)
	for _, v := range vectors {
		require.Equal(t, v.Readable, pagename.Readable(v.Name, v.Limit), v.Name)
		if v.Limit == pagename.NoLimit {
			require.Equal(t, v.Readable, pagename.Readable(v.Readable, 0), "what is readable stays: %s", v.Name)
		}
	}
}

// Whatever a name is made of: what is readable stays, two paths that name different resources keep different names,
// and a cut is at a character.
func TestReadableProperties(t *testing.T) {
	pieces := []string{"/", "a", "4", "1", "f", "%", "%2F", "%2f", "%25", "%34", "%41", "%20", "%E9", "%C3%A9", "%c3%a9",
		"é", "%F0%9F%A6%8A", "🦊", "%00", "%E2%80%AE", "%E3%83", " x"}
	path := rapid.Custom(func(t *rapid.T) string {
		return "/" + strings.TrimSpace(strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 12).Draw(t, "pieces"), ""))
	})
	rapid.Check(t, func(t *rapid.T) {
		name := path.Draw(t, "path")
		readable := pagename.Readable(name, pagename.NoLimit)
		require.Equal(t, readable, pagename.Readable(readable, pagename.NoLimit), "%q", name)
		require.Equal(t, strings.TrimSpace(readable), readable)
		require.True(t, utf8.ValidString(readable))
		if before, err := url.PathUnescape(name); err == nil {
			// Where each escape of a path is valid, so are those that are left, and they stand for the same bytes.
			if after, err := url.PathUnescape(readable); err == nil {
				require.Equal(t, before, after, "%q", name)
			}
		}
		limit := rapid.IntRange(1, 30).Draw(t, "limit")
		cut := pagename.Readable(name, limit)
		require.LessOrEqual(t, codeunit.Count(cut), limit)
		require.True(t, strings.HasPrefix(readable, cut), "%q: %q is no beginning of %q", name, cut, readable)
		require.True(t, utf8.ValidString(cut))
	})
}

func TestReadableURL(t *testing.T) {
	for address, want := range map[string]string{
		"":                     "",
		"https://shop.example": "https://shop.example",
		"https://shop.example/caf%c3%a9/a%2fb?q=%C3%A9#%C3%A9": "https://shop.example/café/a%2Fb?q=%C3%A9#%C3%A9",
		"https://shop.example?q=%C3%A9":                        "https://shop.example?q=%C3%A9",
		"/caf%C3%A9":                                           "/caf%C3%A9",
	} {
		require.Equal(t, want, pagename.ReadableURL(address, pagename.NoLimit))
	}
	require.Equal(t, "https://a/é", pagename.ReadableURL("https://a/%C3%A9%2Fb", 13), "no cut inside an escape")
}

func TestSpellings(t *testing.T) {
	require.Equal(t, []string{"/a", "%", "50%_off"}, pagename.Spellings([]string{"/a", "%", "50%_off"}))
	require.Equal(t, []string{"/caf%C3%A9", "f%c3%a9", "/café", "fé"},
		pagename.Spellings([]string{"/caf%C3%A9", "f%c3%a9"}))
}
