package flows

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/manifest"
)

// translations are the languages beside English that every text must have.
var translations = []string{"ar", "de"}

func eachFlow(t *testing.T, check func(t *testing.T, raw []byte)) {
	t.Helper()
	listed, err := fs.Glob(files, "*.json")
	require.NoError(t, err)
	require.Len(t, listed, len(Names)+1, "a manifest is not named, or art.json is missing")
	for _, name := range Names {
		raw, err := Manifest(name)
		require.NoError(t, err)
		t.Run(name, func(t *testing.T) { check(t, raw) })
	}
}

func TestFlowsCanBePublished(t *testing.T) {
	eachFlow(t, func(t *testing.T, raw []byte) {
		parsed, problems := manifest.Parse(raw)
		require.Empty(t, problems)
		// Who skips the questions comes to the decision without an answer, and it is
		// made for that: only it leads to the screens that show answers.
		expected := []string{"decision.field_not_on_every_path", "template.field_not_on_every_path"}
		for _, problem := range manifest.CheckPublish(parsed, manifest.PublishOptions{
			Integrations: map[manifest.Provider]bool{manifest.RevenueCat: true, manifest.Stripe: true},
		}) {
			require.Contains(t, expected, problem.Code, problem)
		}
	})
}

// texts calls visit with every localised text below a value and the path to it.
func texts(value any, path string, visit func(path string, text map[string]any)) {
	switch value := value.(type) {
	case map[string]any:
		if _, ok := value["default"].(string); ok && !strings.HasSuffix(path, "/next") {
			visit(path, value)
			return
		}
		for key, member := range value {
			texts(member, path+"/"+key, visit)
		}
	case []any:
		for i, member := range value {
			texts(member, fmt.Sprintf("%s/%d", path, i), visit)
		}
	}
}

var token = regexp.MustCompile(`{{\s*([a-z_.]+)`)

// tokens are the answers that a text shows, sorted.
func tokens(text string) []string {
	var names []string
	for _, match := range token.FindAllStringSubmatch(text, -1) {
		names = append(names, match[1])
	}
	slices.Sort(names)
	return names
}

func TestNoTextLacksALanguage(t *testing.T) {
	arabic := regexp.MustCompile(`\p{Arabic}|^[{}\s\w|":]+$|^[^\p{L}]+$`)
	eachFlow(t, func(t *testing.T, raw []byte) {
		var document map[string]any
		require.NoError(t, json.Unmarshal(raw, &document))
		require.ElementsMatch(t, []any{"en", "de", "ar"}, document["locales"])
		seen := 0
		texts(document, "", func(path string, text map[string]any) {
			seen++
			translated, _ := text["translations"].(map[string]any)
			for _, locale := range translations {
				words, _ := translated[locale].(string)
				if strings.TrimSpace(words) == "" {
					t.Errorf("%s: %q has no %s", path, text["default"], locale)
					continue
				}
				if locale == "ar" && !arabic.MatchString(words) {
					t.Errorf("%s: %q is no Arabic", path, words)
				}
				if want := tokens(text["default"].(string)); !slices.Equal(want, tokens(words)) {
					t.Errorf("%s in %s: %q shows other answers than %v", path, locale, words, want)
				}
			}
		})
		require.Greater(t, seen, 10)
	})
}

func TestArtIsSmallVectorAndUsed(t *testing.T) {
	names, err := Art()
	require.NoError(t, err)
	entries, err := fs.ReadDir(files, "art")
	require.NoError(t, err)
	require.Len(t, entries, len(names))
	all := new(bytes.Buffer)
	for _, name := range Names {
		raw, err := Manifest(name)
		require.NoError(t, err)
		all.Write(raw)
	}
	for id, file := range names {
		content, err := Picture(file)
		require.NoError(t, err)
		require.LessOrEqual(t, len(content), 20_000, file)
		require.True(t, bytes.HasPrefix(content, []byte("<svg ")), file)
		// What a picture holds is drawn: nothing of it runs, loads or speaks a language.
		require.NotRegexp(t, `(?i)<(script|image|foreignObject|text|use)\b|href|url\([^#]|data:`, string(content), file)
		require.Contains(t, all.String(), id, "%s is in no flow", file)
	}
	for _, match := range regexp.MustCompile(`"mediaAssetId": "([^"]+)"`).FindAllStringSubmatch(all.String(), -1) {
		require.Contains(t, names, match[1])
	}
}
