// Package bundletest makes files that an import must refuse, for tests.
package bundletest

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"testing"
)

// Unpack returns the files of a ZIP, by name.
func Unpack(t testing.TB, file []byte) map[string]string {
	t.Helper()
	packed, err := zip.NewReader(bytes.NewReader(file), int64(len(file)))
	check(t, err)
	files := map[string]string{}
	for _, entry := range packed.File {
		reader, err := entry.Open()
		check(t, err)
		content, err := io.ReadAll(reader)
		check(t, err)
		check(t, reader.Close())
		files[entry.Name] = string(content)
	}
	return files
}

// Pack makes a ZIP of files.
func Pack(t testing.TB, files map[string]string) []byte {
	t.Helper()
	return pack(t, files, 1)
}

// Hostile returns files that are no exported flow, by what is wrong with each, made from one that shows a picture in
// media/, is in no branding of the importer, and is stored without compression.
func Hostile(t testing.TB, export []byte) map[string][]byte {
	t.Helper()
	whole := Unpack(t, export)
	pictures := slices.DeleteFunc(slices.Sorted(maps.Keys(whole)), func(name string) bool {
		return !strings.HasPrefix(name, "media/")
	})
	if len(pictures) == 0 {
		t.Fatal("the exported flow shows no picture")
	}
	picture := pictures[0]
	// with changes, adds or, by an empty content, removes files.
	with := func(name, content string) []byte {
		files := maps.Clone(whole)
		if files[name] = content; content == "" {
			delete(files, name)
		}
		return Pack(t, files)
	}
	lie := bytes.Clone(export)
	at := bytes.Index(lie, []byte(whole[picture]))
	if at < 0 {
		t.Fatal("the picture is compressed")
	}
	lie[at+len(whole[picture])-1] ^= 1
	const png = "\x89PNG\r\n\x1a\n"
	return map[string][]byte{
		"no ZIP":             []byte("hello"),
		"half a file":        export[:len(export)/2],
		"no index":           with("index.json", ""),
		"no manifest":        with("manifest.json", ""),
		"no picture":         with(picture, ""),
		"another format":     with("index.json", `{"format": "zip"}`),
		"a later version":    with("index.json", `{"format": "svc-flow", "version": 2}`),
		"a deep index":       with("index.json", strings.Repeat("[", 500_000)),
		"up a folder":        with("../../etc/passwd", "root"),
		"an absolute path":   with("/media/x.png", "x"),
		"a back slash":       with(`media\x.png`, "x"),
		"unnamed":            with("media/"+strings.Repeat("0", 64)+".png", "x"),
		"another content":    with(picture, png+"other"),
		"another type":       with(picture, "MZ this is a program"),
		"an invalid draft":   with("manifest.json", `{"screens": 5}`),
		"no JSON":            with("manifest.json", `{`),
		"a large manifest":   with("manifest.json", strings.Repeat(" ", 5<<20)),
		"a bomb":             with(picture, png+strings.Repeat("\x00", 40<<20)),
		"a larger bomb":      with(picture, strings.Repeat("\x00", 60<<20)),
		"too many files":     folders(t, 1001),
		"very many files":    folders(t, 100_000),
		"twice the same":     pack(t, whole, 2),
		"a link":             linked(t, whole, picture),
		"a lie about a size": lie,
	}
}

func pack(t testing.TB, files map[string]string, times int) []byte {
	t.Helper()
	var file bytes.Buffer
	writer := zip.NewWriter(&file)
	for range times {
		for name, content := range files {
			entry, err := writer.Create(name)
			check(t, err)
			_, err = io.WriteString(entry, content)
			check(t, err)
		}
	}
	check(t, writer.Close())
	return file.Bytes()
}

// linked packs files, one of them as a symbolic link.
func linked(t testing.TB, files map[string]string, link string) []byte {
	t.Helper()
	var file bytes.Buffer
	writer := zip.NewWriter(&file)
	for name, content := range files {
		header := &zip.FileHeader{Name: name}
		if name == link {
			header.SetMode(fs.ModeSymlink | 0o777)
			content = "/etc/passwd"
		}
		entry, err := writer.CreateHeader(header)
		check(t, err)
		_, err = io.WriteString(entry, content)
		check(t, err)
	}
	check(t, writer.Close())
	return file.Bytes()
}

// folders makes a ZIP of nothing but entries.
func folders(t testing.TB, n int) []byte {
	t.Helper()
	var file bytes.Buffer
	writer := zip.NewWriter(&file)
	for range n {
		_, err := writer.CreateHeader(&zip.FileHeader{Name: "media/"})
		check(t, err)
	}
	check(t, writer.Close())
	return file.Bytes()
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(fmt.Errorf("make a hostile file: %w", err))
	}
}
