package mapped

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// What is read past the page cache is what the file has, and is not in memory afterwards. What is there is not read.
func TestBytesAreReadPastThePageCache(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	content := make([]byte, 1<<20+77)
	for i := range content {
		content[i] = byte(random.Uint32())
	}
	path := filepath.Join(onDisk(t), "a")
	file, err := os.Create(path)
	require.NoError(t, err)
	_, err = file.Write(content)
	require.NoError(t, err)
	require.NoError(t, file.Sync())
	require.NoError(t, unix.Fadvise(int(file.Fd()), 0, 0, unix.FADV_DONTNEED))
	require.NoError(t, file.Close())
	f, err := Open(path, int64(len(content)))
	require.NoError(t, err)
	inMemory := f.mostInMemory(f.bytes)
	var b Buffer
	for range 100 {
		from := random.IntN(len(content))
		to := from + random.IntN(len(content)-from)
		bytes, err := f.Past(f.bytes[from:to], &b)
		require.NoError(t, err)
		require.Equal(t, content[from:to], append([]byte{}, bytes...))
	}
	last, err := f.Past(f.bytes[len(content)-1:], &b)
	require.NoError(t, err)
	require.Equal(t, content[len(content)-1:], append([]byte{}, last...))
	direct, err := openDirect(path)
	if inMemory || err != nil {
		t.Skip("the file system keeps files in memory")
	}
	require.False(t, f.mostInMemory(f.bytes))
	bytes, err := f.readDirect(direct, f.bytes[5:9000], &b)
	require.NoError(t, err)
	require.Equal(t, content[5:9000], append([]byte{}, bytes...))
	require.NotSame(t, &f.bytes[5], &bytes[0])
	require.NoError(t, direct.Close())
	f.Use(f.bytes)
	bytes, err = f.Past(f.bytes[5:9000], &b)
	require.NoError(t, err)
	require.Same(t, &f.bytes[5], &bytes[0])
	require.NoError(t, os.Remove(path))
	bytes, err = f.Past(f.bytes[:], &b)
	require.NoError(t, err)
	require.Equal(t, content, append([]byte{}, bytes...))
}

func TestAFileThatIsTooShortToBeReadIsAFault(t *testing.T) {
	path := filepath.Join(onDisk(t), "a")
	require.NoError(t, os.WriteFile(path, make([]byte, 1<<16), 0o600))
	f, err := Open(path, 1<<16)
	require.NoError(t, err)
	require.NoError(t, os.Truncate(path, 1<<15))
	file, err := os.Open(path)
	require.NoError(t, err)
	defer file.Close() //nolint:errcheck // it was only read
	_, err = f.readDirect(file, f.bytes, &Buffer{})
	require.ErrorIs(t, err, ErrFault)
}
