package packages

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"strings"
	"time"
)

// ScriptPath is where pages load svc.js.
const ScriptPath = "/svc.js"

// flowPath is where svc.js loads the renderer of flows.
const flowPath = Path + "flow/"

// script is a file that pages load.
type script struct {
	content, compressed []byte
	tag                 string
	keeps               bool // its name changes with its content
}

// readScripts reads svc.js and the files of the renderer, by path. A build may be without them.
func readScripts(files fs.FS) (map[string]script, error) {
	scripts := map[string]script{}
	add := func(path, file string) error {
		content, err := fs.ReadFile(files, file)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read script %s: %w", file, err)
		}
		var compressed bytes.Buffer // takes everything
		writer, _ := gzip.NewWriterLevel(&compressed, gzip.BestCompression)
		_, _ = writer.Write(content)
		_ = writer.Close()
		sum := sha256.Sum256(content)
		scripts[path] = script{
			content: content, compressed: compressed.Bytes(), tag: hex.EncodeToString(sum[:16]),
			keeps: path != ScriptPath && path != flowPath+"renderer.js",
		}
		return nil
	}
	if err := add(ScriptPath, "svc.js"); err != nil {
		return nil, err
	}
	entries, err := fs.ReadDir(files, "flow")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("list scripts: %w", err)
	}
	for _, entry := range entries {
		if err := add(flowPath+entry.Name(), "flow/"+entry.Name()); err != nil {
			return nil, err
		}
	}
	return scripts, nil
}

// serve answers pages of any site.
func (s script) serve(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	header.Set("Content-Type", "text/javascript; charset=utf-8")
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Access-Control-Allow-Origin", "*") // modules and checksums need it
	header.Set("Cross-Origin-Resource-Policy", "cross-origin")
	header.Set("Vary", "Accept-Encoding")
	header.Set("Cache-Control", "public, max-age=600")
	if s.keeps {
		header.Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	content, tag := s.content, s.tag
	if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		header.Set("Content-Encoding", "gzip")
		content, tag = s.compressed, s.tag+"-gzip"
	}
	header.Set("ETag", `"`+tag+`"`)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(content))
}
