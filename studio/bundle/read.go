package bundle

import (
	"archive/zip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/svc-dev/svc/studio/media"
)

// Bundle is a bundle that was checked as a whole: every file is there, is what its name and its type say, and is within
// the bounds.
type Bundle struct {
	Index    *Index
	Manifest json.RawMessage
	// Components are those that the manifest may have instances of. What they are made of is not checked.
	Components []Component
	entries    map[string]*zip.File
}

// Open checks a bundle of size bytes. What is wrong with it is an error about the field file. It unpacks no more than
// [MaxBytes], whatever the entries claim.
func Open(r io.ReaderAt, size int64) (*Bundle, error) {
	if size > MaxBytes {
		return nil, refuse("has more than %d bytes", MaxBytes)
	}
	bounded := &boundedReader{reader: r, left: maxDirectoryBytes}
	packed, err := zip.NewReader(bounded, size)
	if bounded.left < 0 {
		return nil, refuse("lists more than %d files", MaxEntries)
	}
	if err != nil {
		return nil, refuse("is not a ZIP file, or not a whole one")
	}
	bounded.open = true
	b := &Bundle{entries: map[string]*zip.File{}}
	if err := b.list(packed.File); err != nil {
		return nil, err
	}
	left := int64(MaxBytes)
	index, err := b.readWhole(indexName, maxIndexBytes, &left)
	if err != nil {
		return nil, err
	}
	if b.Index, err = parseIndex(index); err != nil {
		return nil, err
	}
	types := b.Index.files()
	if b.Manifest, err = b.readWhole(manifestName, limitOf(manifestName, nil), &left); err != nil {
		return nil, err
	}
	if b.entries[componentsName] != nil {
		text, err := b.readWhole(componentsName, limitOf(componentsName, nil), &left)
		if err != nil {
			return nil, err
		}
		if b.Components, err = parseComponents(text); err != nil {
			return nil, err
		}
	}
	for name := range b.entries {
		if _, named := types[name]; !named && !isText(name) {
			return nil, refuse("has a file that %s does not name: %s", indexName, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(types)) {
		if err := b.check(name, types[name], &left); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// list takes the entries by their names, which say where nothing but a file of a bundle can be.
func (b *Bundle) list(files []*zip.File) error {
	if len(files) > MaxEntries {
		return refuse("lists more than %d files", MaxEntries)
	}
	var total uint64
	for _, file := range files {
		name := file.Name
		if (name == "media/" || name == "fonts/") && file.UncompressedSize64 == 0 {
			continue // tools that pack folders list these too
		}
		if !isText(name) && !namePattern.MatchString(name) {
			return refuse("has an entry that no exported flow has: %q", name[:min(len(name), 100)])
		}
		if !file.Mode().IsRegular() {
			return refuse("has an entry that is no file: %s", name)
		}
		if b.entries[name] != nil {
			return refuse("has %s twice", name)
		}
		if file.UncompressedSize64 > MaxBytes {
			return tooLarge(name, MaxBytes)
		}
		if total += file.UncompressedSize64; total > MaxBytes {
			return refuse("has more than %d bytes when it is unpacked", MaxBytes)
		}
		b.entries[name] = file
	}
	return nil
}

// isText reports whether an entry is none of the files that the index names.
func isText(name string) bool {
	return name == indexName || name == manifestName || name == componentsName
}

// Read opens a file of the bundle, which was checked.
func (b *Bundle) Read(name string) (io.ReadCloser, error) {
	entry := b.entries[name]
	if entry == nil {
		return nil, refuse("lacks %s", name)
	}
	file, err := entry.Open()
	if err != nil {
		return nil, damaged(name)
	}
	return file, nil
}

// readWhole reads a text of at most limit bytes.
func (b *Bundle) readWhole(name string, limit int64, left *int64) ([]byte, error) {
	file, err := b.Read(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	limit = min(limit, *left)
	text, err := io.ReadAll(io.LimitReader(file, limit+1))
	if int64(len(text)) > limit {
		return nil, tooLarge(name, limit)
	}
	if err != nil {
		return nil, damaged(name)
	}
	*left -= int64(len(text))
	return text, nil
}

// check reads a file through: its size, its content against its type, as an upload, and against the hash in its name.
func (b *Bundle) check(name string, kind media.Type, left *int64) error {
	if !namePattern.MatchString(name) || strings.HasPrefix(name, "fonts/") != (kind == media.Font) {
		return refuse("%s names a file where none can be: %q", indexName, name[:min(len(name), 100)])
	}
	file, err := b.Read(name)
	if err != nil {
		return err
	}
	defer file.Close()
	head := make([]byte, 512)
	n, err := io.ReadFull(file, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return damaged(name)
	}
	head = head[:n]
	if _, err := media.Recognize(kind, name, "", head); err != nil {
		return refuse("%s: %s", name, err)
	}
	hash := sha256.New()
	_, _ = hash.Write(head) // never fails
	limit := min(limitOf(name, map[string]media.Type{name: kind}), *left)
	rest, err := io.Copy(hash, io.LimitReader(file, limit-int64(n)+1))
	size := int64(n) + rest
	if size > limit {
		return tooLarge(name, limit)
	}
	if err != nil {
		return damaged(name)
	}
	*left -= size
	if hex.EncodeToString(hash.Sum(nil)) != namePattern.FindStringSubmatch(name)[2] {
		return refuse("the content of %s is not the one that its name says", name)
	}
	return nil
}

func tooLarge(name string, limit int64) error {
	return refuse("%s has more than %d bytes", name, limit)
}

func damaged(name string) error { return refuse("%s is damaged", name) }

// boundedReader ends reading after some bytes until it is open: a list of entries takes far more memory than bytes.
type boundedReader struct {
	reader io.ReaderAt
	left   int64
	open   bool
}

// ReadAt implements io.ReaderAt.
func (b *boundedReader) ReadAt(into []byte, at int64) (int, error) {
	if !b.open {
		if b.left -= int64(len(into)); b.left < 0 {
			return 0, io.ErrUnexpectedEOF
		}
	}
	return b.reader.ReadAt(into, at)
}
