package framedir_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/analytics/frame"
	"github.com/svc-dev/svc/analytics/framedir"
)

func open(t *testing.T, path string, limit int64) *framedir.Directory {
	t.Helper()
	d, err := framedir.Open(path, limit)
	require.NoError(t, err)
	t.Cleanup(func() { _ = d.Close() })
	return d
}

// commit writes a manifest whose files are all one empty tail.
func commit(t *testing.T, d *framedir.Directory, environment int64) *framedir.Manifest {
	t.Helper()
	m := d.Begin(environment)
	for _, to := range []*framedir.File{&m.Values, &m.Purchases, &m.VisitorTail, &m.CustomTail} {
		f, err := d.Create(environment, frame.TailFile, "tail", frame.IDs{}.SaveTail)
		require.NoError(t, err)
		*to = f
	}
	require.NoError(t, d.Commit(m))
	return m
}

func TestAFolderHasOneServer(t *testing.T) {
	path := filepath.Join(t.TempDir(), "frames")
	d := open(t, path, 0)
	_, err := framedir.Open(path, 0)
	require.ErrorIs(t, err, framedir.ErrLocked)
	require.NoError(t, d.Close())
	open(t, path, 0)
}

func TestAManifestReplacesTheOneBefore(t *testing.T) {
	path := t.TempDir()
	d := open(t, path, 0)
	_, err := d.Read(7)
	require.ErrorIs(t, err, fs.ErrNotExist)
	first := commit(t, d, 7)
	late, err := d.Create(7, frame.TailFile, "late", frame.IDs{}.SaveTail)
	require.NoError(t, err)
	second := commit(t, d, 7)
	require.NoFileExists(t, filepath.Join(path, "7", first.Values.Name))
	require.NoFileExists(t, filepath.Join(path, "7", late.Name), "nothing names it")
	read, err := d.Read(7)
	require.NoError(t, err)
	require.Equal(t, second.Values.Name, read.Values.Name)
	info, err := os.Stat(filepath.Join(path, "7", second.Values.Name))
	require.NoError(t, err)
	require.Equal(t, fs.FileMode(0o600), info.Mode().Perm())

	m := d.Begin(7)
	m.Values, m.Purchases, m.VisitorTail, m.CustomTail = read.Values, read.Purchases, read.VisitorTail, read.CustomTail
	late, err = d.Create(7, frame.TailFile, "late", frame.IDs{}.SaveTail)
	require.NoError(t, err)
	require.NoError(t, d.Commit(m))
	require.FileExists(t, filepath.Join(path, "7", late.Name), "it was written meanwhile")

	before := d.Bytes()
	require.NoError(t, d.Drop(7))
	require.NoDirExists(t, filepath.Join(path, "7"))
	require.Less(t, d.Bytes(), before)
	require.Error(t, d.Commit(m), "its files are gone")
}

func TestDiskIsBounded(t *testing.T) {
	d := open(t, t.TempDir(), 100)
	var err error
	written := 0
	for ; err == nil; written++ {
		_, err = d.Create(7, frame.TailFile, "tail", frame.IDs{}.SaveTail)
	}
	require.ErrorIs(t, err, framedir.ErrFull)
	require.Greater(t, written, 1)
	require.NoError(t, d.Drop(7))
	_, err = d.Create(7, frame.TailFile, "tail", frame.IDs{}.SaveTail)
	require.NoError(t, err, "there is room again")
}

func TestLook(t *testing.T) {
	path := t.TempDir()
	d := open(t, path, 0)
	commit(t, d, 7)
	m := commit(t, d, 8)
	all, err := framedir.Look(path, true)
	require.NoError(t, err)
	require.Len(t, all, 2)
	require.EqualValues(t, 7, all[0].Environment)
	require.Equal(t, 4, all[0].Files)
	require.Empty(t, all[0].Problems)

	file := filepath.Join(path, "8", m.Purchases.Name)
	raw, err := os.ReadFile(file)
	require.NoError(t, err)
	raw[20] ^= 1
	require.NoError(t, os.WriteFile(file, raw, 0o600))
	all, err = framedir.Look(path, false)
	require.NoError(t, err)
	require.Empty(t, all[1].Problems, "nothing is read")
	all, err = framedir.Look(path, true)
	require.NoError(t, err)
	require.Empty(t, all[0].Problems)
	require.Len(t, all[1].Problems, 1)

	_, err = d.Create(9, frame.TailFile, "tail", frame.IDs{}.SaveTail)
	require.NoError(t, err)
	all, err = framedir.Look(path, true)
	require.NoError(t, err)
	require.EqualValues(t, 9, all[2].Environment)
	require.Empty(t, all[2].Problems, "it is being written")
	require.NoError(t, d.Drop(9))

	manifest := filepath.Join(path, "7", "manifest")
	raw, err = os.ReadFile(manifest)
	require.NoError(t, err)
	for at := range raw {
		raw[at] ^= 1
		require.NoError(t, os.WriteFile(manifest, raw, 0o600))
		_, err = d.Read(7)
		require.ErrorIs(t, err, framedir.ErrManifest, "byte %d", at)
		raw[at] ^= 1
	}
}
