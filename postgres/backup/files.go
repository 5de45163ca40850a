package backup

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// describeFiles lists the files of a backup with what they hold.
func describeFiles(dir string) ([]File, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	var files []File
	for _, part := range []string{databaseDir, mediaDir} {
		err := fs.WalkDir(root.FS(), part, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			file, err := describeFile(root, path)
			files = append(files, file)
			return err
		})
		if err != nil && !(part == mediaDir && errors.Is(err, fs.ErrNotExist)) {
			return nil, err
		}
	}
	slices.SortFunc(files, func(a, b File) int { return cmp.Compare(a.Path, b.Path) })
	return files, nil
}

func describeFile(root *os.Root, path string) (File, error) {
	content, err := root.Open(filepath.FromSlash(path))
	if err != nil {
		return File{}, err
	}
	defer content.Close()
	sum := sha256.New()
	bytes, err := io.Copy(sum, content)
	return File{Path: path, Bytes: bytes, SHA256: hex.EncodeToString(sum.Sum(nil))}, err
}

// Check reads every file of a backup and returns its description; the error names the first file that is not what was
// written.
func Check(dir string) (*Description, error) {
	d, err := Read(dir)
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	for _, wanted := range d.Files {
		found, err := describeFile(root, wanted.Path)
		if err != nil {
			return nil, fmt.Errorf("the backup is damaged: %w", err)
		}
		if found != wanted {
			return nil, fmt.Errorf("the backup is damaged: %s is not what was written", wanted.Path)
		}
	}
	return d, nil
}

// copyTree copies the files of a directory, which may be missing. A file that is gone once it is read was deleted
// meanwhile; one that is there already must be the same.
func copyTree(from, to string) (files int, err error) {
	source, err := os.OpenRoot(from)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	defer source.Close()
	if err := os.MkdirAll(to, 0o700); err != nil {
		return 0, err
	}
	target, err := os.OpenRoot(to)
	if err != nil {
		return 0, err
	}
	defer target.Close()
	err = fs.WalkDir(source.FS(), ".", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return err
		case entry.IsDir():
			return target.MkdirAll(path, 0o700)
		case !entry.Type().IsRegular():
			return nil
		}
		copied, err := copyFile(source, target, path)
		if copied {
			files++
		}
		return err
	})
	return files, err
}

func copyFile(source, target *os.Root, path string) (copied bool, err error) {
	in, err := source.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer in.Close()
	out, err := target.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return false, sameFile(source, target, path)
	}
	if err != nil {
		return false, err
	}
	_, err = io.Copy(out, in)
	return err == nil, errors.Join(err, out.Sync(), out.Close())
}

// sameFile refuses a file that would be written over by another.
func sameFile(source, target *os.Root, path string) error {
	ours, err := describeFile(source, path)
	if err != nil {
		return err
	}
	theirs, err := describeFile(target, path)
	if err == nil && ours != theirs {
		err = fmt.Errorf("%s exists and is another file than that of the backup", filepath.Join(target.Name(), path))
	}
	return err
}
