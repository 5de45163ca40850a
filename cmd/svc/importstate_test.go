package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
)

// How far an import came holds for the same file and environment only.
func TestAnImportKnowsHowFarItCame(t *testing.T) {
	path := filepath.Join(t.TempDir(), "events.ndjson")
	require.NoError(t, os.WriteFile(path, []byte(strings.Repeat("{}\n", 100)), 0o600))
	here := &target{appID: uuid.New(), environmentID: 7}
	zone := ""
	state := func(on *target) *importState {
		t.Helper()
		s, err := openSource(terminal{}, path)
		require.NoError(t, err)
		defer s.close()
		state, err := readImportState(path, on, s, importOptions{timeZone: zone})
		require.NoError(t, err)
		return state
	}
	fresh := state(here)
	require.Zero(t, fresh.ResumeAtLine)
	fresh.write()
	require.NoFileExists(t, fresh.path, "nothing to go on with")
	fresh.ResumeAtLine = 41
	fresh.write()
	require.EqualValues(t, 41, state(here).ResumeAtLine)
	require.Zero(t, state(&target{appID: here.appID, environmentID: 8}).ResumeAtLine, "another environment")
	zone = "Asia/Tokyo"
	require.Zero(t, state(here).ResumeAtLine, "times in another zone")
	require.NotEqual(t, fresh.fingerprint(), state(here).fingerprint())
	zone = ""
	require.NoError(t, os.WriteFile(path, []byte(strings.Repeat("[]\n", 100)), 0o600))
	require.Zero(t, state(here).ResumeAtLine, "another file of its size")
	require.NoError(t, os.WriteFile(fresh.path, []byte("{"), 0o600))
	require.Zero(t, state(here).ResumeAtLine, "a broken state")
	state(here).remove()
	require.NoFileExists(t, fresh.path)

	_, err := openSource(terminal{}, filepath.Dir(path))
	require.ErrorContains(t, err, "is a directory")
	piped, err := openSource(terminal{in: strings.NewReader("{}")}, "-")
	require.NoError(t, err)
	once, err := readImportState("-", here, piped, importOptions{})
	require.NoError(t, err)
	once.ResumeAtLine = 3
	once.write()
	once.remove()
	require.Empty(t, once.path, "the standard input can't be gone on with")
}
