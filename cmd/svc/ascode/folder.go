package ascode

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
)

const (
	maxFile  = 16 << 20 // a manifest has at most 4 MiB before it is indented
	maxFiles = 10_000
	// MaxFolder bounds the bytes of all files of a folder, and of what a list of an app's objects is read from.
	MaxFolder = 512 << 20
)

// Folder is a directory of configuration. Nothing outside of it is read or written: neither names nor links lead out.
type Folder struct {
	root *os.Root
}

// OpenFolder opens a directory, which must exist.
func OpenFolder(name string) (*Folder, error) {
	root, err := os.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	return &Folder{root}, nil
}

// Close lets go of the directory.
func (f *Folder) Close() error { return f.root.Close() }

// file is a file of an object.
type file struct {
	name    string // with its ending
	content document
	serving document // the members that are served, as far as the file has them
}

// fileError says what is wrong with a file.
func fileError(name, format string, args ...any) error {
	return &Refusal{Message: fmt.Sprintf("%s: %s", name, fmt.Sprintf(format, args...))}
}

// files reads the files of the given kinds by their paths.
func (f *Folder) files(kinds []*kind) (map[string]file, error) {
	read := map[string]file{}
	total := int64(0)
	for _, k := range kinds {
		for _, directory := range k.directories() {
			names, err := f.list(directory)
			if err != nil {
				return nil, err
			}
			for _, name := range names {
				extension := path.Ext(name)
				at := strings.TrimSuffix(path.Join(directory, name), extension)
				if directory == "." && at != k.name || !slices.Contains(extensions, extension) {
					continue
				}
				full := path.Join(directory, name)
				if !pathForm.MatchString(at) {
					return nil, fileError(full, "its name must have a-z, 0-9, - and _ only, and begin with one of a-z and 0-9")
				}
				if other, twice := read[at]; twice {
					return nil, fileError(full, "is there as %s, too", other.name)
				}
				text, err := f.read(full)
				if err != nil {
					return nil, err
				}
				if total += int64(len(text)); total > MaxFolder || len(read) == maxFiles {
					return nil, fileError(full, "the folder has more than %d files or %d bytes", maxFiles, MaxFolder)
				}
				if read[at], err = parseFile(k, full, text); err != nil {
					return nil, err
				}
			}
		}
	}
	return read, nil
}

var extensions = []string{".json", ".yaml", ".yml"}

func parseFile(k *kind, name string, text []byte) (file, error) {
	read := decode
	if path.Ext(name) != ".json" {
		read = decodeYAML
	}
	d, err := read(text)
	if err != nil {
		return file{}, fileError(name, "%s", err)
	}
	delete(d, "$schema")
	if err := k.check(d); err != nil {
		return file{}, fileError(name, "%s", err)
	}
	content, serving := k.split(d)
	return file{name: name, content: content, serving: serving}, nil
}

// list returns the names in a directory that are files of configuration; none where there is no directory.
func (f *Folder) list(directory string) ([]string, error) {
	if directory != "." {
		for at := range parents(directory) {
			info, err := f.root.Lstat(at)
			if errors.Is(err, fs.ErrNotExist) {
				return nil, nil
			}
			if err != nil {
				return nil, err
			}
			if !info.IsDir() {
				return nil, fileError(at, "must be a directory; links are not followed")
			}
		}
	}
	entries, err := fs.ReadDir(f.root.FS(), directory)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		if !e.IsDir() && !strings.HasPrefix(e.Name(), ".") {
			names = append(names, e.Name())
		}
	}
	return names, nil
}

// parents yields the directories that lead to one, and the one.
func parents(directory string) func(func(string) bool) {
	return func(yield func(string) bool) {
		for i := range directory {
			if directory[i] == '/' && !yield(directory[:i]) {
				return
			}
		}
		yield(directory)
	}
}

// read reads a regular file up to the largest size.
func (f *Folder) read(name string) ([]byte, error) {
	info, err := f.root.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fileError(name, "must be a regular file; links are not followed")
	}
	opened, err := f.root.Open(name)
	if err != nil {
		return nil, err
	}
	defer opened.Close()
	text, err := io.ReadAll(io.LimitReader(opened, maxFile+1))
	if err == nil && len(text) > maxFile {
		err = fileError(name, "has more than %d bytes", maxFile)
	}
	return text, err
}

// write replaces a file whole or not at all.
func (f *Folder) write(name string, text []byte) error {
	directory := path.Dir(name)
	if directory != "." {
		if err := f.root.MkdirAll(directory, 0o755); err != nil {
			return err
		}
		if _, err := f.list(directory); err != nil { // refuses links
			return err
		}
	}
	temporary := path.Join(directory, ".svc-"+rand.Text())
	err := f.root.WriteFile(temporary, text, 0o644)
	if err == nil {
		err = f.root.Rename(temporary, name)
	}
	if err != nil {
		_ = f.root.Remove(temporary) // it may not exist
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
}

func (f *Folder) remove(name string) error { return f.root.Remove(name) }
