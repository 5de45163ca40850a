package main

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/manifest/examples"
)

// flowServer answers the documents of svc types: a flow with versions 1 to 3 and a draft.
func flowServer(t *testing.T) string {
	t.Helper()
	raw, err := examples.Files.ReadFile("paywall-flow.json")
	require.NoError(t, err)
	version := func(number int) map[string]any {
		return map[string]any{"id": string(rune('a' + number)), "number": number, "manifest": json.RawMessage(raw)}
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var asked struct {
			OperationName string
			Variables     map[string]any
		}
		_ = json.Unmarshal(body, &asked)
		var data map[string]any
		switch asked.OperationName {
		case "flowDraft":
			nodes := []any{version(3)}
			if asked.Variables["flow"] == "unpublished" {
				nodes = []any{}
			}
			data = map[string]any{"flow": map[string]any{"name": "Paywall", "draft": json.RawMessage(raw), "versions": map[string]any{"nodes": nodes}}}
			if asked.Variables["flow"] == "nothing" {
				data["flow"] = nil
			}
		case "flowVersions": // one version a page
			page, next := version(3), "2"
			switch asked.Variables["after"] {
			case "2":
				page, next = version(2), "1"
			case "1":
				page, next = version(1), ""
			}
			data = map[string]any{"flow": map[string]any{"name": "Paywall", "versions": map[string]any{
				"nodes": []any{page}, "pageInfo": map[string]any{"hasNextPage": next != "", "endCursor": next},
			}}}
		case "flowVersion":
			data = map[string]any{"flowVersion": version(int(asked.Variables["version"].(string)[0] - 'a'))}
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"data": data})
	}))
	t.Cleanup(server.Close)
	return server.URL
}

func TestTypesOfAFlow(t *testing.T) {
	url := flowServer(t)
	types := func(args ...string) (int, string, string) {
		return typed("", []string{"SVC_CONFIG_PATH=/nowhere/config.json", "SVC_API_KEY=k", "SVC_API_URL=" + url}, append([]string{"types"}, args...)...)
	}
	for _, c := range []struct {
		args []string
		from string
	}{
		{[]string{"f"}, "version 3"},
		{[]string{"f", "--draft"}, "the draft"},
		{[]string{"f", "--version", "1"}, "version 1"},
		{[]string{"unpublished", "--draft"}, "the draft"},
	} {
		exit, out, stderr := types(c.args...)
		require.Zero(t, exit, stderr)
		require.Contains(t, out, `// Types of the flow "Paywall", written from `+c.from)
		require.Contains(t, out, "export interface PaywallAnswers {")
	}
	for _, c := range []struct {
		args []string
		exit int
		code string
	}{
		{[]string{"nothing"}, exitError, "not_found"},
		{[]string{"unpublished"}, exitError, "not_published"},
		{[]string{"f", "--version", "9"}, exitError, "not_found"},
		{[]string{"f", "--version", "-1"}, exitUsage, "usage"},
		{[]string{"f", "--version", "1", "--draft"}, exitUsage, "usage"},
		{[]string{}, exitUsage, "usage"},
	} {
		exit, out, stderr := types(c.args...)
		require.Equal(t, c.exit, exit, c.args)
		require.Contains(t, stderr, `"`+c.code+`"`, c.args)
		require.Empty(t, out)
	}

	// A file is replaced whole, and not touched when nothing changed.
	file := filepath.Join(t.TempDir(), "paywall.ts")
	exit, out, stderr := types("f", "--out", file)
	require.Zero(t, exit, stderr)
	require.Empty(t, out)
	before, err := os.Stat(file)
	require.NoError(t, err)
	exit, _, stderr = types("f", "--out", file)
	require.Zero(t, exit, stderr)
	after, err := os.Stat(file)
	require.NoError(t, err)
	require.True(t, os.SameFile(before, after))
	exit, _, stderr = types("f", "--out", filepath.Join(file, "below a file"))
	require.Equal(t, exitError, exit)
	require.Contains(t, stderr, "write ")
}
