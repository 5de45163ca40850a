package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestStepsOfAFileAreSentAndRefusalsSaid(t *testing.T) {
	var sent map[string]any
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var asked struct {
			OperationName string
			Variables     struct{ Input map[string]any }
		}
		_ = json.NewDecoder(r.Body).Decode(&asked)
		data := map[string]any{"draft": map[string]any{"revision": 4}}
		if asked.OperationName == "editDraft" {
			sent = asked.Variables.Input
			outcomes := []any{}
			for _, step := range sent["steps"].([]any) {
				outcome := map[string]any{"step": step, "refusal": nil}
				if step.(map[string]any)["name"] == "No" {
					outcome = map[string]any{"refusal": map[string]any{"code": "node_removed", "node": "lyr_x"}}
				}
				outcomes = append(outcomes, outcome)
			}
			data = map[string]any{"editDraft": map[string]any{"revision": 5, "outcomes": outcomes}}
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"data": data})
	}))
	defer server.Close()
	environ := []string{"SVC_API_URL=" + server.URL, "SVC_API_KEY=svc_wk_x", "SVC_CONFIG_PATH=/nowhere/config.json"}
	good := `[{"name":"Yes","operations":[{"op":"set","node":"lyr_a","path":["text"],"value":null}]}]`

	exit, out, stderr := typed(good, environ, "flow", "edit", "f", "-")
	require.Zero(t, exit, stderr)
	require.Contains(t, out, `"revision": 5`)
	require.EqualValues(t, 4, sent["baseRevision"], "the draft's")
	steps, err := json.Marshal(sent["steps"])
	require.NoError(t, err)
	require.JSONEq(t, good, string(steps))

	file := filepath.Join(t.TempDir(), "steps.json")
	require.NoError(t, os.WriteFile(file, []byte(strings.Replace(good, "]}]", `]},{"name":"No","operations":[]}]`, 1)), 0o600))
	exit, out, stderr = typed("", environ, "flow", "edit", "f", file, "--revision", "2")
	require.Equal(t, exitConflict, exit)
	require.Contains(t, out, "node_removed")
	require.Contains(t, stderr, "1 of 2 steps were refused")
	require.EqualValues(t, 2, sent["baseRevision"])

	for _, wrong := range []string{"{}", "[]", "no", ""} {
		exit, _, stderr = typed(wrong, environ, "flow", "edit", "f", "-")
		require.Equal(t, exitUsage, exit, stderr)
	}
	exit, _, _ = typed(good, environ, "flow", "edit", "f", "-", "--revision", "0")
	require.Equal(t, exitUsage, exit)
}
