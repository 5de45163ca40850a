package parquetfiles

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
)

// SchemaVersion grows when a column changes its meaning, or leaves. Columns are added without.
const SchemaVersion = 1

// File is one file of a folder.
type File struct {
	Path    string `json:"path"` // below the folder of the environment, with slashes
	Rows    int64  `json:"rows"`
	Bytes   int64  `json:"bytes"`
	SHA256  string `json:"sha256"`
	Version string `json:"version"` // of the rows that it was made of
}

// manifest says what a folder of an environment holds. It is written after the files that it names, so that one that it
// does not name, or that has other bytes, is written again.
type manifest struct {
	SchemaVersion int    `json:"schemaVersion"`
	App           string `json:"app"`
	Environment   string `json:"environment"`
	Files         []File `json:"files"` // by path
}

const manifestName = "manifest.json"

// readManifest returns the files of a folder by path: none when it is new. Those of an older form have no version, so
// that they are written again.
func readManifest(ctx context.Context, what Options) (map[string]File, error) {
	files, name := map[string]File{}, what.at(manifestName)
	text, err := what.To.Read(ctx, name)
	if errors.Is(err, fs.ErrNotExist) {
		return files, nil
	}
	if err != nil {
		return nil, err
	}
	var read manifest
	if err := json.Unmarshal(text, &read); err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrManifest, name, err)
	}
	if read.App != what.App || read.Environment != what.Environment {
		return nil, fmt.Errorf("%w: app %s", ErrOtherApp, read.App)
	}
	if read.SchemaVersion > SchemaVersion {
		return nil, fmt.Errorf("%w: %s was written by a newer version of Svc", ErrManifest, name)
	}
	for _, file := range read.Files {
		if !filepath.IsLocal(filepath.FromSlash(file.Path)) {
			return nil, fmt.Errorf("%w: %s: path %q leads out of the folder", ErrManifest, name, file.Path)
		}
		if read.SchemaVersion < SchemaVersion {
			file.Version = ""
		}
		files[file.Path] = file
	}
	return files, nil
}

// writeManifest writes what the place holds, and its names for DuckDB.
func writeManifest(ctx context.Context, what Options, files map[string]File) error {
	written := manifest{SchemaVersion: SchemaVersion, App: what.App, Environment: what.Environment, Files: []File{}}
	for _, file := range files {
		written.Files = append(written.Files, file)
	}
	slices.SortFunc(written.Files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	text, err := json.MarshalIndent(written, "", "  ")
	if err != nil {
		return err
	}
	for name, content := range map[string][]byte{
		manifestName: append(text, '\n'), viewsName: views(what.To.URL(what.at("")+"/"), files),
	} {
		if _, err := what.To.Write(ctx, what.at(name), func(w io.Writer) error {
			_, err := w.Write(content)
			return err
		}); err != nil {
			return err
		}
	}
	return nil
}
