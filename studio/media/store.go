// Package media keeps uploaded files under the SHA-256 of their content and
// serves them.
package media

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Store keeps files by content. A file is never changed, so it can be cached for
// ever.
type Store interface {
	// Put stores what it reads and returns its lower-case SHA-256. It fails with
	// ErrTooLarge when there are more than limit bytes.
	Put(ctx context.Context, content io.Reader, extension string, limit int64) (sha string, size int64, err error)
	// Open returns a stored file, or an error that is fs.ErrNotExist.
	Open(ctx context.Context, sha, extension string) (File, error)
}

// File is a stored file.
type File interface {
	io.ReadSeekCloser
}

// ErrTooLarge reports content over the limit.
var ErrTooLarge = errors.New("the file is too large")

// Directory is a Store in a directory of this machine.
type Directory struct{ path string }

// NewDirectory uses the directory, which is made when it is missing.
func NewDirectory(path string) (*Directory, error) {
	if err := os.MkdirAll(path, 0o750); err != nil {
		return nil, fmt.Errorf("make the media directory: %w", err)
	}
	return &Directory{path: path}, nil
}

// Put writes a temporary file beside the others and renames it, so that a name
// always stands for a whole file.
func (d *Directory) Put(_ context.Context, content io.Reader, extension string, limit int64) (string, int64, error) {
	temporary, err := os.CreateTemp(d.path, ".upload-*")
	if err != nil {
		return "", 0, fmt.Errorf("store the file: %w", err)
	}
	defer os.Remove(temporary.Name())
	hash := sha256.New()
	size, err := io.Copy(io.MultiWriter(temporary, hash), io.LimitReader(content, limit+1))
	if err == nil {
		err = temporary.Sync()
	}
	if err = errors.Join(err, temporary.Close()); err != nil {
		return "", 0, fmt.Errorf("store the file: %w", err)
	}
	if size > limit {
		return "", 0, ErrTooLarge
	}
	sha := hex.EncodeToString(hash.Sum(nil))
	if err := os.Chmod(temporary.Name(), 0o640); err != nil {
		return "", 0, fmt.Errorf("store the file: %w", err)
	}
	if err := os.Rename(temporary.Name(), d.name(sha, extension)); err != nil {
		return "", 0, fmt.Errorf("store the file: %w", err)
	}
	return sha, size, nil
}

// Open opens a stored file.
func (d *Directory) Open(_ context.Context, sha, extension string) (File, error) {
	if !namePattern.MatchString(sha + "." + extension) {
		return nil, fs.ErrNotExist
	}
	file, err := os.Open(d.name(sha, extension))
	if err != nil {
		return nil, fmt.Errorf("open the file: %w", err)
	}
	return file, nil
}

func (d *Directory) name(sha, extension string) string {
	return filepath.Join(d.path, sha+"."+extension)
}
