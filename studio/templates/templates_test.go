package templates

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/manifest"
	"github.com/svc-dev/svc/studio/media"
)

// each runs a check on every template.
func each(t *testing.T, check func(t *testing.T, one *Template, raw []byte)) {
	t.Helper()
	require.NotEmpty(t, All())
	for _, one := range All() {
		raw, err := one.Manifest()
		require.NoError(t, err)
		t.Run(one.ID, func(t *testing.T) { check(t, one, raw) })
	}
}

// everythingOn is an app that has switched on each integration.
var everythingOn = manifest.PublishOptions{Integrations: map[manifest.Provider]bool{
	manifest.RevenueCat: true, manifest.Superwall: true, manifest.Stripe: true,
}}

// requireClean makes sure that a manifest has neither an error nor a warning. What browsers have none of, such as
// permissions and reviews, is no fault of a flow that asks for it.
func requireClean(t *testing.T, raw []byte) {
	t.Helper()
	parsed, problems := manifest.Parse(raw)
	require.Empty(t, problems)
	require.Empty(t, slices.DeleteFunc(manifest.CheckPublish(parsed, everythingOn), func(p manifest.Problem) bool {
		return strings.HasPrefix(p.Code, "parity.")
	}))
}

func TestTemplatesHaveNoProblem(t *testing.T) {
	each(t, func(t *testing.T, one *Template, raw []byte) {
		requireClean(t, raw)
		for _, text := range []string{one.ID, one.Name, one.Category, one.Description, one.AppName} {
			require.NotEmpty(t, text)
		}
		require.Contains(t, string(raw), fmt.Sprintf(`"id": %q`, one.Cover))
	})
}

func TestIndexNamesEveryFolder(t *testing.T) {
	entries, err := fs.ReadDir(files, ".")
	require.NoError(t, err)
	var folders, named []string
	for _, entry := range entries {
		if entry.IsDir() {
			folders = append(folders, entry.Name())
		}
	}
	for _, one := range All() {
		named = append(named, one.ID)
		require.Same(t, one, Find(one.ID))
	}
	require.ElementsMatch(t, folders, named)
	require.Nil(t, Find("nothing"))
}

// texts calls visit with every localised text below a value.
func texts(value any, visit func(text map[string]any)) {
	switch value := value.(type) {
	case map[string]any:
		if _, ok := value["default"].(string); ok && len(value) <= 2 {
			visit(value)
			return
		}
		for key, member := range value {
			if key != "next" {
				texts(member, visit)
			}
		}
	case []any:
		for _, member := range value {
			texts(member, visit)
		}
	}
}

var (
	token    = regexp.MustCompile(`{{\s*([a-z_.]+)`)
	currency = regexp.MustCompile(`[$€£¥₹₩₽]\s?\d|\d\s?[$€£¥₹₩₽]`)
	script   = map[string]*regexp.Regexp{"ar": regexp.MustCompile(`\p{Arabic}`), "he": regexp.MustCompile(`\p{Hebrew}`)}
	letter   = regexp.MustCompile(`\p{L}`)
)

func tokens(text string) []string {
	var names []string
	for _, match := range token.FindAllStringSubmatch(text, -1) {
		names = append(names, match[1])
	}
	slices.Sort(names)
	return names
}

func TestTextsAreInAllLanguagesAndWithoutPrices(t *testing.T) {
	rightToLeft := 0
	each(t, func(t *testing.T, one *Template, raw []byte) {
		locales, err := one.Locales()
		require.NoError(t, err)
		require.GreaterOrEqual(t, len(locales), 2)
		require.Equal(t, "en", locales[0])
		var document map[string]any
		require.NoError(t, json.Unmarshal(raw, &document))
		seen := 0
		texts(document, func(text map[string]any) {
			seen++
			own := text["default"].(string)
			require.NotRegexp(t, currency, own, "the store says what it costs")
			translated, _ := text["translations"].(map[string]any)
			for _, locale := range locales[1:] {
				words, _ := translated[locale].(string)
				plain := regexp.MustCompile(`{{.*?}}`).ReplaceAllString(own, "")
				if words == "" {
					require.NotRegexp(t, letter, plain, "%q has no %s", own, locale)
					continue
				}
				require.NotRegexp(t, currency, words)
				require.Equal(t, tokens(own), tokens(words), words)
				if script[locale] != nil && letter.MatchString(strings.ReplaceAll(plain, one.AppName, "")) {
					require.Regexp(t, script[locale], words)
				}
			}
		})
		require.Greater(t, seen, 10)
		if script[locales[1]] != nil {
			rightToLeft++
		}
	})
	require.NotZero(t, rightToLeft)
}

// firstScreenMedia is the most that the first screen may load, in bytes.
const firstScreenMedia = 150_000

func TestFilesAreSmallDrawingsAndUsed(t *testing.T) {
	each(t, func(t *testing.T, one *Template, raw []byte) {
		found, err := one.Media()
		require.NoError(t, err)
		entries, err := fs.ReadDir(files, one.ID)
		require.NoError(t, err)
		require.Len(t, entries, len(found)+1, "a file is not in the index")
		all := 0
		for id, file := range found {
			all += len(file.Content)
			require.Contains(t, string(raw), id.String(), "%s is shown nowhere", file.Name)
			if file.Type == media.Lottie {
				require.NoError(t, media.CheckLottie(file.Content))
				continue
			}
			require.True(t, bytes.HasPrefix(file.Content, []byte("<svg ")), file.Name)
			// What a picture holds is drawn: nothing of it runs, loads or speaks a language.
			require.NotRegexp(t, `(?i)<(script|image|foreignObject|text|use)\b|href|url\([^#]|data:`, string(file.Content), file.Name)
		}
		require.LessOrEqual(t, all, firstScreenMedia)
		for _, match := range regexp.MustCompile(`"mediaAssetId": ?"([^"]+)"`).FindAllStringSubmatch(string(raw), -1) {
			require.Contains(t, found, uuid.MustParse(match[1]))
		}
		require.Equal(t, ".json", path.Ext("manifest.json"))
	})
}

// A brand's color may be any: what is written on it is readable, and nothing is written in it.
func TestEveryBrandIsReadable(t *testing.T) {
	each(t, func(t *testing.T, one *Template, _ []byte) {
		for _, color := range []string{"#000000", "#ffffff", "#ffe600", "#767676", "#0a84ff", "#7a7a00", "#e4002b"} {
			filled, err := one.Fill(Choices{Look: Look{Primary: color, Accent: color, FontFamily: "Inter"}})
			require.NoError(t, err)
			requireClean(t, filled)
			require.Contains(t, string(filled), `"fontFamily":"Inter"`)
		}
	})
}

func TestTheAppIsNamed(t *testing.T) {
	each(t, func(t *testing.T, one *Template, raw []byte) {
		filled, err := one.Fill(Choices{AppName: "Quillfeather"})
		require.NoError(t, err)
		requireClean(t, filled)
		require.Contains(t, string(raw), one.AppName)
		require.NotContains(t, string(filled), one.AppName)
		require.Contains(t, string(filled), "Quillfeather")
		plain, err := one.Fill(Choices{})
		require.NoError(t, err)
		require.JSONEq(t, string(raw), string(plain))
	})
}

func TestProductsAreSoldWhereTheAppSellsThem(t *testing.T) {
	sold := 0
	each(t, func(t *testing.T, one *Template, _ []byte) {
		for _, where := range []Purchase{
			{manifest.RevenueCat, "main"}, {manifest.Superwall, "main"}, {manifest.Stripe, "https://buy.stripe.com/main"},
			{manifest.Headless, ""},
		} {
			choices := Choices{Products: map[string]Purchase{}}
			for _, product := range one.Products {
				choices.Products[product.Key] = where
			}
			filled, err := one.Fill(choices)
			require.NoError(t, err)
			requireClean(t, filled)
			if where.Provider != manifest.Headless {
				require.Equal(t, len(one.Products), strings.Count(string(filled), fmt.Sprintf(`"provider":%q`, where.Provider)))
			}
			sold += len(one.Products)
		}
		_, err := one.Fill(Choices{Products: map[string]Purchase{"nothing": {}}})
		require.ErrorContains(t, err, "nothing")
	})
	require.NotZero(t, sold)
}

func TestDrawingsTakeTheColorsOfABrand(t *testing.T) {
	one := Find("three-plans")
	found, err := one.Media()
	require.NoError(t, err)
	for _, file := range found {
		content, err := one.Recolored(file, Look{Primary: "#010203", Accent: "#040506"})
		require.NoError(t, err)
		if file.Type == media.Lottie {
			require.Equal(t, file.Content, content)
			continue
		}
		require.Contains(t, string(content), "#010203")
		require.NotEqual(t, file.Content, content)
	}
}

func TestColorsOfABrandAreOpaque(t *testing.T) {
	for given, want := range map[string]string{
		"#ABC": "#aabbcc", " #A1B2C3 ": "#a1b2c3", "#a1b2c3ff": "#a1b2c3", "#a1b2c380": "", "red": "", "#12": "", "#gggggg": "", "": "",
	} {
		require.Equal(t, want, Opaque(given), given)
	}
}
