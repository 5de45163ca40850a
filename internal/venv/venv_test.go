package venv

import (
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAnEnvironmentIsMadeOnce(t *testing.T) {
	if err := Available(t.Context()); err != nil {
		t.Skip("Python with venv is not installed:", err)
	}
	cache := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", cache)
	t.Setenv("HOME", cache)
	python, err := Python(t.Context(), "pip") // which is there already
	require.NoError(t, err)
	require.NoError(t, exec.Command(python, "-c", "import pip").Run())
	made, err := os.Stat(python)
	require.NoError(t, err)
	again, err := Python(t.Context(), "pip")
	require.NoError(t, err)
	require.Equal(t, python, again)
	still, err := os.Stat(again)
	require.NoError(t, err)
	require.Equal(t, made.ModTime(), still.ModTime())
	_, err = Python(t.Context(), "--no-such-flag")
	require.ErrorContains(t, err, "no-such-flag")
}
