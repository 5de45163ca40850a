package parquetfiles

import (
	"bufio"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Place keeps files by names with slashes. A file that is not there is fs.ErrNotExist.
type Place interface {
	// URL returns what readers find a file by, empty where that depends on where they are.
	URL(name string) string
	Read(ctx context.Context, name string) ([]byte, error)
	// Size returns the bytes of a file.
	Size(ctx context.Context, name string) (int64, error)
	// Write stores what content writes and returns its bytes. The file is there when it is whole.
	Write(ctx context.Context, name string, content func(io.Writer) error) (int64, error)
	// Remove removes a file, if it is there.
	Remove(ctx context.Context, name string) error
}

const partSuffix = ".part"

// Folder is a place on a disk.
type Folder string

func (f Folder) at(name string) string { return filepath.Join(string(f), filepath.FromSlash(name)) }

// URL returns nothing: readers start in the folder.
func (f Folder) URL(string) string { return "" }

func (f Folder) Read(_ context.Context, name string) ([]byte, error) { return os.ReadFile(f.at(name)) }

func (f Folder) Size(_ context.Context, name string) (int64, error) {
	found, err := os.Stat(f.at(name))
	if err != nil {
		return 0, err
	}
	return found.Size(), nil
}

// Write writes a file beside its place and moves it there at the end.
func (f Folder) Write(_ context.Context, name string, content func(io.Writer) error) (size int64, err error) {
	place := f.at(name)
	if err := os.MkdirAll(filepath.Dir(place), 0o755); err != nil {
		return 0, err
	}
	part, err := os.Create(place + partSuffix)
	if err != nil {
		return 0, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(part.Name()))
		}
	}()
	size, err = Fill(part, content)
	if err = errors.Join(err, part.Sync(), part.Close()); err != nil {
		return 0, err
	}
	return size, os.Rename(part.Name(), place)
}

func (f Folder) Remove(_ context.Context, name string) error {
	if err := os.Remove(f.at(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	_ = os.Remove(filepath.Dir(f.at(name))) // stays when somebody put something beside the file
	return nil
}

// Fill writes what content writes to a file and returns its bytes.
func Fill(file *os.File, content func(io.Writer) error) (int64, error) {
	out := bufio.NewWriterSize(file, 1<<18)
	if err := content(out); err != nil {
		return 0, err
	}
	if err := out.Flush(); err != nil {
		return 0, err
	}
	made, err := file.Stat()
	if err != nil {
		return 0, err
	}
	return made.Size(), nil
}
