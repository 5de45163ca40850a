package typescript_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/manifest"
	"github.com/svc-dev/svc/manifest/examples"
	"github.com/svc-dev/svc/manifest/typescript"
)

func read(t *testing.T, raw []byte) *manifest.Manifest {
	t.Helper()
	m, problems := manifest.Parse(raw)
	require.NotNil(t, m, "%v", problems)
	return m
}

// The modules are compiled by the SDK's tests. SVC_GOLDEN=write makes them anew.
func TestExamplesGiveTheirModules(t *testing.T) {
	for _, name := range []string{"all-layers", "branching-onboarding", "paywall-flow"} {
		raw, err := examples.Files.ReadFile(name + ".json")
		require.NoError(t, err)
		got := typescript.Write(read(t, raw), typescript.Source{Flow: strings.ReplaceAll(name, "-", " "), From: "version 1"})
		golden := filepath.Join("testdata", name+".ts")
		if os.Getenv("SVC_GOLDEN") == "write" {
			require.NoError(t, os.WriteFile(golden, got, 0o644))
		}
		want, err := os.ReadFile(golden)
		require.NoError(t, err)
		require.Equal(t, string(want), string(got), name)
	}
}

// What authors write can't end a comment or a literal, and gives a name whatever it is.
func TestTextsOfAuthorsStayTexts(t *testing.T) {
	raw, err := examples.Files.ReadFile("paywall-flow.json")
	require.NoError(t, err)
	hostile := strings.Replace(string(raw), `"name"`, `"name":"*/ export const x = 1; /*\n","_name"`, 1)
	for name, want := range map[string]string{
		`*/ ";drop`:     "export interface DropAnswers {",
		"":              "export interface FlowAnswers {",
		"2nd try":       "export interface Flow2ndTryAnswers {",
		"première fois": "export interface PremièreFoisAnswers {",
	} {
		module := string(typescript.Write(read(t, []byte(hostile)), typescript.Source{Flow: name, From: "the draft"}))
		require.Contains(t, module, want)
		require.NotContains(t, module, "\nexport const")
		for line := range strings.Lines(module) {
			if strings.Contains(line, "/**") {
				require.Equal(t, 1, strings.Count(line, "*/"), line)
				require.True(t, strings.HasSuffix(line, "*/\n"), line)
			}
		}
	}
}
