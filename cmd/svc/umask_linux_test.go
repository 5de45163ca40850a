package main

import (
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// Who lets nobody read their files has none that others read, whatever is written; keys are nobody's at any rate.
func TestFilesAreWithinTheUmask(t *testing.T) {
	export := func(path string) error {
		_, err := exportFile(path, func(w io.Writer) (int64, error) {
			_, err := io.WriteString(w, "{}\n")
			return 1, err
		})
		return err
	}
	replace := func(path string) error { return replaceFile(path, []byte("x")) }
	keep := func(path string) error { return writeSecretFile(path, profiles{}) }
	defer syscall.Umask(syscall.Umask(0))
	for umask, want := range map[int][3]os.FileMode{0o022: {0o644, 0o644, 0o600}, 0o077: {0o600, 0o600, 0o600}} {
		syscall.Umask(umask)
		for i, write := range []func(string) error{export, replace, keep} {
			path := filepath.Join(t.TempDir(), "file")
			require.NoError(t, write(path))
			info, err := os.Stat(path)
			require.NoError(t, err)
			require.Equal(t, want[i], info.Mode().Perm(), "umask %o, file %d", umask, i)
			left, err := os.ReadDir(filepath.Dir(path))
			require.NoError(t, err)
			require.Len(t, left, 1)
		}
	}
}
