package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// typed runs one command line with the given environment.
func typed(in string, environ []string, args ...string) (exit int, stdout, stderr string) {
	var out, errs bytes.Buffer
	exit = run(context.Background(), args, terminal{in: strings.NewReader(in), out: &out, err: &errs, environ: environ})
	return exit, out.String(), errs.String()
}

// Every command and flag of interface.md §4.1, in the words of its tables.
var (
	contractCommands = "summary series overview live attribution attribution-series engagement engagement-series " +
		"screens events events-series recent " +
		"retention retention-series retention-cohorts retention-curve demographic demographic-series technology " +
		"technology-series visitors"
	contractColumns = "--source --campaign --medium --content --term --adset --creative --browsers --operating-systems " +
		"--devices --country --region --city --page --entry --exit"
	contractCross = "acquisition-channel referrer source campaign medium country region browser os device page event " +
		"entry exit"
	contractSeries = "series attribution-series engagement-series events-series retention-series retention-cohorts " +
		"demographic-series technology-series"
)

func TestHelpListsTheContractAndNeedsNoKey(t *testing.T) {
	exit, help, stderr := typed("", []string{"SVC_CONFIG_PATH=/nowhere/config.json"}, "analytics", "product", "help")
	require.Zero(t, exit, stderr)
	sections := map[string]string{}
	for _, section := range regexp.MustCompile(`(?m)^svc analytics product `).Split(help, -1)[1:] {
		name, _, _ := strings.Cut(section, " ")
		sections[name] = section
	}
	flag := func(section, name string) bool {
		return regexp.MustCompile(`(?m)^\s+(-o, )?` + regexp.QuoteMeta(name) + `( |$)`).MatchString(section)
	}
	for command := range strings.FieldsSeq(contractCommands) {
		section, listed := sections[command]
		require.True(t, listed, "help lists %s", command)
		wanted := []string{"--env", "--platform", "--segment-id", "--output", "--jq", "--api-key", "--api-url", "--profile"}
		if command != "live" {
			wanted = append(wanted, "--start", "--end", "--time-zone")
		}
		if command != "live" && command != "recent" {
			wanted = append(append(wanted, "--revenue-provider"), strings.Fields(contractColumns)...)
			for dimension := range strings.FieldsSeq(contractCross) {
				wanted = append(wanted, "--xf-"+dimension, "--xf-op-"+dimension)
			}
		}
		if strings.Contains(" "+contractSeries+" ", " "+command+" ") {
			wanted = append(wanted, "--grain")
		}
		for _, name := range wanted {
			require.True(t, flag(section, name), "svc analytics product %s has %s", command, name)
		}
	}
	for command, own := range map[string]string{
		"recent": "--name", "retention-series": "--value", "retention-cohorts": "--value", "retention-curve": "--value",
		"attribution": "--dimension", "attribution-series": "--dimension", "engagement": "--dimension",
		"engagement-series": "--dimension",
		"demographic":       "--dimension", "demographic-series": "--dimension", "technology": "--dimension",
		"technology-series": "--dimension",
	} {
		require.True(t, flag(sections[command], own), "svc analytics product %s has %s", command, own)
	}
	for command := range strings.FieldsSeq(
		"attribution engagement screens events retention demographic technology visitors",
	) {
		for name := range strings.FieldsSeq("--first --after --order-by --ascending --search") {
			require.True(t, flag(sections[command], name), "table %s has %s", command, name)
		}
	}
}

func TestTheShellCompletes(t *testing.T) {
	complete := func(words ...string) []string {
		t.Helper()
		exit, stdout, stderr := typed("", nil, append([]string{"__complete", "analytics", "product"}, words...)...)
		require.Zero(t, exit, stderr)
		var found []string
		for line := range strings.Lines(stdout) {
			word, _, _ := strings.Cut(strings.TrimSpace(line), "\t")
			if word != "" && !strings.HasPrefix(word, ":") {
				found = append(found, word)
			}
		}
		return found
	}
	require.Subset(t, complete(""), strings.Fields(contractCommands))
	require.Equal(t, []string{"retention", "retention-cohorts", "retention-curve", "retention-series"}, complete("ret"))
	require.Equal(t, attributionDimensions, complete("attribution", "a", "--dimension", ""))
	require.Equal(t, sessionMetrics, complete("attribution", "a", "--order-by", ""))
	require.Empty(t, complete("attribution", ""), "an app id is no file")
	require.Equal(t, textOperators, complete("summary", "a", "--xf-op-page", ""))
	require.Equal(t, exactOperators, complete("summary", "a", "--xf-op-os", ""))
	require.Equal(t, grains, complete("series", "a", "--grain", ""))
	require.Equal(t, outputs, complete("series", "a", "-o", ""))
	require.Contains(t, complete("summary", "a", "--xf-op-e"), "--xf-op-event")
	words := func(line string) []string {
		t.Helper()
		exit, stdout, stderr := typed("", nil, append([]string{"__complete"}, strings.Split(line, " ")...)...)
		require.Zero(t, exit, stderr)
		return strings.Split(stdout, "\n")
	}
	require.Contains(t, words("flow pu"), "pull\tWrite the draft of a flow, or one of its versions, as a file to edit")
	require.Contains(t, words("flow diff f x -o "), "text")
	require.NotContains(t, words("flow list a -o "), "chart", "it has no figures")
	require.Contains(t, words("channel list a --env "), "test")
	require.Contains(t, words("flow push f "), ":0", "files are completed")
	require.Contains(t, words("flow push "), ":4", "ids are no files")
	for shell := range strings.FieldsSeq("bash zsh fish powershell") {
		exit, stdout, stderr := typed("", nil, "completion", shell)
		require.Zero(t, exit, stderr)
		require.Contains(t, stdout, "svc", shell)
	}
}

// Flag over environment over profile, as choices.md orders them.
func TestProfilesKeepKeys(t *testing.T) {
	path := filepath.Join(t.TempDir(), "deep", "config.json")
	environ := []string{"SVC_CONFIG_PATH=" + path}
	svc := func(want int, in string, extra []string, args ...string) (stdout, stderr string) {
		t.Helper()
		exit, stdout, stderr := typed(in, append(environ, extra...), args...)
		require.Equal(t, want, exit, "svc %v: %s%s", args, stdout, stderr)
		return stdout, stderr
	}
	svc(0, "", nil, "auth", "login", "--api-key", "svc_wk_one1", "--api-url", "http://one.example")
	svc(0, "svc_wk_two2\n", nil, "auth", "login", "--profile", "two", "--api-url", "http://two.example")
	svc(exitUsage, "", nil, "auth", "login", "--api-key", "ob_pk_live_x")
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.EqualValues(t, 0o600, info.Mode().Perm())
	// A file that others may read, as some tool made it, is theirs no more; a link to it stays one.
	linked := path
	path = filepath.Join(t.TempDir(), "link.json")
	require.NoError(t, os.Chmod(linked, 0o644))
	require.NoError(t, os.Symlink(linked, path))
	environ = []string{"SVC_CONFIG_PATH=" + path}
	svc(0, "", nil, "auth", "login", "--api-key", "svc_wk_one1", "--api-url", "http://one.example")
	info, err = os.Lstat(linked)
	require.NoError(t, err)
	require.EqualValues(t, 0o600, info.Mode())
	info, err = os.Lstat(path)
	require.NoError(t, err)
	require.Equal(t, fs.ModeSymlink, info.Mode().Type())
	left, err := os.ReadDir(filepath.Dir(linked))
	require.NoError(t, err)
	require.Len(t, left, 1, "nothing is left beside it")
	path = linked
	environ = []string{"SVC_CONFIG_PATH=" + path}
	info, err = os.Stat(filepath.Dir(path))
	require.NoError(t, err)
	require.EqualValues(t, 0o700, info.Mode().Perm())
	status, _ := svc(0, "", nil, "auth", "status")
	require.Contains(t, status, "svc_wk_…two2")
	require.NotContains(t, status, "svc_wk_two2")

	chosen := func(flags clientFlags, extra ...string) connection {
		t.Helper()
		c, err := flags.resolve(terminal{environ: append(environ, extra...)})
		require.NoError(t, err)
		return c
	}
	require.Equal(t, connection{"http://one.example", "svc_wk_one1", "default"}, chosen(clientFlags{}))
	require.Equal(t, connection{"http://two.example", "svc_wk_two2", "two"}, chosen(clientFlags{profile: "two"}))
	require.Equal(t, connection{"http://two.example", "svc_wk_two2", "two"}, chosen(clientFlags{}, "SVC_PROFILE=two"))
	require.Equal(t, "svc_wk_env", chosen(clientFlags{profile: "two"}, "SVC_API_KEY=svc_wk_env").key)
	require.Equal(t, "svc_wk_line", chosen(clientFlags{}, "SVC_API_KEY=svc_wk_line\n").key)
	_, stderr := svc(exitUsage, "", nil, "flow", "list", "app", "--api-url", "http://user:password@one.example")
	require.NotContains(t, stderr, ":password")
	require.Equal(t, "http://base.example", chosen(clientFlags{}, "SVC_BASE_URL=http://base.example/").url)
	require.Equal(
		t, "http://api.example",
		chosen(clientFlags{}, "SVC_BASE_URL=http://base.example", "SVC_API_URL=http://api.example").url,
	)
	require.Equal(
		t, connection{"http://flag.example", "svc_wk_flag", "default"},
		chosen(
			clientFlags{url: "http://flag.example", key: "svc_wk_flag"}, "SVC_API_KEY=svc_wk_env",
			"SVC_API_URL=http://api.example",
		),
	)

	_, stderr = svc(exitUsage, "", nil, "analytics", "product", "summary", "a", "--profile", "three")
	require.Contains(t, stderr, "default, two")
	svc(0, "", nil, "auth", "logout", "--profile", "two")
	svc(exitUsage, "", nil, "analytics", "product", "summary", "a", "--profile", "two")
	require.NoError(t, os.WriteFile(path, []byte("{"), 0o600))
	_, stderr = svc(exitError, "", nil, "analytics", "product", "summary", "a")
	require.Contains(t, stderr, path)
	require.True(t, json.Valid([]byte(stderr)))
}
