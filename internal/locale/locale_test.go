package locale

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestVectors runs the cases that the SDK runs as well.
func TestVectors(t *testing.T) {
	raw, err := os.ReadFile("../../sdk/vectors/locale.json")
	require.NoError(t, err)
	var vectors struct {
		Locales []struct {
			Wish    string
			Locales []string
			Is      string
		}
		Languages []struct{ Locale, Is string }
	}
	require.NoError(t, json.Unmarshal(raw, &vectors))
	require.Greater(t, len(vectors.Locales), 150)
	for _, v := range vectors.Locales {
		assert.Equal(t, v.Is, Resolve(v.Wish, v.Locales[0], v.Locales), "%s of %s", v.Wish, strings.Join(v.Locales, " "))
	}
	for _, v := range vectors.Languages {
		assert.Equal(t, v.Is, Language(v.Locale), v.Locale)
	}
}

func TestSpelling(t *testing.T) {
	for locale, want := range map[string]string{
		"en_gb": "en-GB", "DE": "de", "zh-hans_CN": "zh-Hans-CN", "es_419": "es-419", "": "",
		"de-AT-u-co-phonebk": "de-AT-u-co-phonebk", "ca-es-valencia": "ca-ES-valencia",
	} {
		assert.Equal(t, want, Normalize(locale), locale)
	}
}

func TestTheTableIsSmall(t *testing.T) {
	assert.Less(t, len(aliases)+len(scripts)+len(regions)+len(near), 2048, "apps load it with the SDK")
}
