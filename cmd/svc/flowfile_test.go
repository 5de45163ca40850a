package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/manifest"
)

func TestTheRevisionReplacesTheVersionOnly(t *testing.T) {
	for before, after := range map[string]string{
		`{"version":1}`: `{"version":42}`,
		"{\"a\":{\"version\":1},\n\"version\" : 7 ,\"b\":2}\n": "{\"a\":{\"version\":1},\n\"version\" : 42 ,\"b\":2}\n",
		`{"version":"x","version":2}`:                          `{"version":"x","version":42}`,
		`{"name":"no version"}`:                                `{"name":"no version"}`,
		`[1]`:                                                  `[1]`, `{"version":`: `{"version":`, ``: ``,
	} {
		require.Equal(t, after, string(withRevision([]byte(before), 42)))
	}
}

func TestFlowFilesAreWrittenAlike(t *testing.T) {
	one, err := formatFlow([]byte(`{"b":1.50,"a":"<é>","version":3}`), 12)
	require.NoError(t, err)
	require.Equal(t, "{\n  \"a\": \"<é>\",\n  \"b\": 1.50,\n  \"version\": 12\n}\n", string(one))
	again, err := formatFlow(one, 12)
	require.NoError(t, err)
	require.Equal(t, string(one), string(again))
	for _, wrong := range []string{"", "null", "[]"} {
		_, err := formatFlow([]byte(wrong), 1)
		require.Error(t, err, wrong)
	}
}

func TestValidateBoundsWhatItReads(t *testing.T) {
	path := filepath.Join(t.TempDir(), "large.json")
	require.NoError(t, os.WriteFile(path, []byte(strings.Repeat(" ", manifest.MaxBytes+1)), 0o600))
	exit, stdout, stderr := typed("", nil, "flow", "validate", path)
	require.Equal(t, exitUsage, exit)
	require.Empty(t, stdout)
	require.Contains(t, stderr, "bytes")
	exit, _, stderr = typed("", nil, "flow", "validate", path+".missing")
	require.Equal(t, exitUsage, exit, stderr)
	exit, stdout, stderr = typed("{", nil, "flow", "validate", "-")
	require.Equal(t, exitError, exit, stderr)
	require.Contains(t, stdout, "json.invalid")
	require.Contains(t, stdout, `"message": "`, "what is no document has a sentence, too")
}

// Problems are said by the names of screens and layers; programs read code and pointer.
func TestValidateSpeaksOfNames(t *testing.T) {
	const flow = `{"schemaVersion":7,"flowId":"a0000000-0000-4000-8000-000000000001","version":1,"defaultLocale":"en",
		"locales":["en"],"entryScreenId":"scr_a","screens":[{"id":"scr_a","name":"Your goal","next":{"default":null},
		"regions":{"body":{"id":"lyr_body","kind":"stack","direction":"vertical","children":[
			{"id":"lyr_t","kind":"text","text":{"default":"Hello"}}]}}}]}`
	exit, stdout, stderr := typed(flow, nil, "flow", "validate", "-")
	require.Equal(t, exitError, exit, stderr)
	require.Contains(t, stdout, "“Hello” on “Your goal” has no color.")
	require.Contains(t, stdout, `"code": "layer.missing_color"`)
	require.Contains(t, stdout, `"pointer": "/screens/0/regions/body/children/0/style`)
	require.Contains(t, stdout, `"hint": "Choose one."`)
}

// What the command line itself shows to be wrong is said before a server is asked.
func TestWrongPushesAskNobody(t *testing.T) {
	environ := []string{"SVC_API_URL=http://127.0.0.1:1", "SVC_API_KEY=svc_wk_x", "SVC_CONFIG_PATH=/nowhere/config.json"}
	for _, line := range []string{
		"flow push f", "flow push f x --base y --revision 1", "flow push f x --revision 0", "flow pull f --version 0",
		"flow diff f x -o table", "flow validate", "channel pin c", "channel pin c f --version -1", "experiment start",
		"preview f --version 0", "channel explain", "flow push f /does/not/exist.json", "flow create a n --app-name Glow",
		"flow create a n --template t --product x", "flow create a",
	} {
		exit, _, stderr := typed("", environ, strings.Fields(line)...)
		require.Equal(t, exitUsage, exit, "%s: %s", line, stderr)
	}
	exit, _, stderr := typed("{}", environ, "flow", "push", "f", "-")
	require.Equal(t, exitRetryable, exit, stderr)
}
