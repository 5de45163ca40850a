package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNameOf(t *testing.T) {
	for url, want := range map[string]string{
		"www.Bing.com":                        "bing.com",
		"{}.ask.com":                          "ask.com",
		"{}.search.yahoo.com":                 "search.yahoo.com",
		"google.{}":                           "google.*",
		"images.google.{}":                    "", // google.* has it
		"google.{}/imgres":                    "",
		"x.com/i/grok":                        "", // a page of another kind of site
		"com.google.android.apps.plus":        "com.google.android.apps.plus",
		"localhost":                           "",
		"android-app//com.google.a/https/www": "",
	} {
		got, ok := nameOf(url)
		require.Equal(t, want, got, url)
		require.Equal(t, want != "", ok, url)
	}
}

func TestGenerate(t *testing.T) {
	checkout, out := t.TempDir(), t.TempDir()
	for file, text := range map[string]string{
		"AIAssistants.yml":  "ChatGPT:\n  - chatgpt.com\nGrok:\n  - x.com/i/grok\n",
		"Socials.yml":       "X:\n  - x.com\n  - t.co\n",
		"SearchEngines.yml": "Z:\n  -\n    urls:\n      - z.{}\n      - www.y.org\n    params:\n      - q\nC:\n  -\n    urls:\n      - chatgpt.com\n",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(checkout, file), []byte(text), 0o600))
	}
	require.ErrorContains(t, generate(checkout, out), "find the commit")
	for _, args := range [][]string{
		{"init", "-q"}, {"add", "."}, {"-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-qm", "Lists"},
	} {
		require.NoError(t, exec.Command("git", append([]string{"-C", checkout}, args...)...).Run())
	}
	require.NoError(t, generate(checkout, out))
	for file, want := range map[string]string{"ai": "chatgpt.com\n", "social": "t.co\nx.com\n", "search": "y.org\nz.*\n"} {
		text, err := os.ReadFile(filepath.Join(out, file+".txt"))
		require.NoError(t, err)
		require.Regexp(t, `^# .+ generated .+\n# https://github.com/.+ commit [0-9a-f]{40} of \d{4}-\d\d-\d\d\n`+want+`$`, string(text))
	}
	require.NoError(t, os.WriteFile(filepath.Join(checkout, "Socials.yml"), []byte("- not a map"), 0o600))
	require.ErrorContains(t, generate(checkout, out), "Socials.yml")
}
