package mapped

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

// A fault brings the page that it is in, and nothing around it.
func TestAFileIsReadPageByPage(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	require.NoError(t, os.WriteFile(path, make([]byte, 1<<20), 0o600))
	f, err := Open(path, 1<<20)
	require.NoError(t, err)
	mapping := fmt.Sprintf("%x-", uintptr(unsafe.Pointer(&f.Bytes()[0])))
	random := func() bool {
		mappings, err := os.ReadFile("/proc/self/smaps")
		require.NoError(t, err)
		_, ours, found := strings.Cut("\n"+string(mappings), "\n"+mapping)
		require.True(t, found)
		_, flags, _ := strings.Cut(ours, "\nVmFlags:")
		flags, _, _ = strings.Cut(flags, "\n")
		return slices.Contains(strings.Fields(flags), "rr")
	}
	require.True(t, random())
	require.NoError(t, f.InOrder(func() error {
		require.False(t, random())
		return nil
	}))
	require.True(t, random())
}
