package mapped_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/internal/mapped"
)

func write(t *testing.T, length int) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(path, make([]byte, length), 0o600))
	return path
}

func TestAFileIsReadWhereItLies(t *testing.T) {
	before := mapped.Bytes()
	f, err := mapped.Open(write(t, 10_000), 10_000)
	require.NoError(t, err)
	require.Len(t, f.Bytes(), 10_000)
	require.Equal(t, "file", f.Name())
	require.EqualValues(t, before+10_000, mapped.Bytes())
}

func TestAFileOfAnotherLengthIsRefused(t *testing.T) {
	_, err := mapped.Open(write(t, 10), 11)
	require.ErrorIs(t, err, mapped.ErrLength)
	_, err = mapped.Open(write(t, 0), 0)
	require.ErrorIs(t, err, mapped.ErrLength)
	_, err = mapped.Open(filepath.Join(t.TempDir(), "none"), 1)
	require.ErrorIs(t, err, os.ErrNotExist)
}

func TestAFileThatIsMadeShorterIsAnError(t *testing.T) {
	const length = 1 << 16
	path := write(t, length)
	f, err := mapped.Open(path, length)
	require.NoError(t, err)
	require.NoError(t, os.Truncate(path, 0))
	sum := 0
	err = mapped.Guard(func() error {
		for _, b := range f.Bytes() {
			sum += int(b)
		}
		return nil
	})
	require.ErrorIs(t, err, mapped.ErrFault)
	require.Zero(t, sum)
}

func TestOtherPanicsGoOn(t *testing.T) {
	require.PanicsWithValue(t, "other", func() { _ = mapped.Guard(func() error { panic("other") }) })
	require.NoError(t, mapped.Guard(func() error { return nil }))
	require.NoError(t, mapped.AsFault("other"))
}

func TestAMomentIsOverWhenMuchWasAskedFor(t *testing.T) {
	const length = 1 << 20
	f, err := mapped.Open(write(t, length), length)
	require.NoError(t, err)
	began := mapped.Moment()
	require.NotZero(t, began)
	for range 128 {
		f.Ahead(f.Bytes())
	}
	require.NotEqual(t, began, mapped.Moment())
}
