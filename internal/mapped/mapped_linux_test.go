package mapped

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
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

// onDisk makes a folder where Go builds, which the tests of all packages leave on a disk; others may be in memory.
func onDisk(t *testing.T) string {
	folder, err := os.MkdirTemp(os.Getenv("GOTMPDIR"), "mapped")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(folder)) })
	return folder
}

// However much is asked for ahead, all of it is read.
func TestAllIsReadThatIsAskedForAhead(t *testing.T) {
	const length, asked = 40 << 20, 32 << 20
	path := filepath.Join(onDisk(t), "a")
	file, err := os.Create(path)
	require.NoError(t, err)
	_, err = file.Write(make([]byte, length))
	require.NoError(t, err)
	require.NoError(t, file.Sync())
	require.NoError(t, unix.Fadvise(int(file.Fd()), 0, 0, unix.FADV_DONTNEED))
	require.NoError(t, file.Close())
	f, err := Open(path, length)
	require.NoError(t, err)
	inMemory := func() (bytes int) {
		pages := make([]byte, length/os.Getpagesize())
		_, _, errno := unix.Syscall(unix.SYS_MINCORE,
			uintptr(unsafe.Pointer(&f.bytes[0])), length, uintptr(unsafe.Pointer(&pages[0])))
		require.Zero(t, errno)
		for _, page := range pages {
			bytes += int(page&1) * os.Getpagesize()
		}
		return bytes
	}
	if inMemory() > 0 {
		t.Skip("the file system keeps files in memory")
	}
	f.Ahead(f.bytes[:asked])
	require.Eventually(t, func() bool { return inMemory() >= asked }, time.Minute, 10*time.Millisecond)
	f.Use(f.bytes)
	require.Equal(t, length, inMemory(), "what is used is waited for")
}
