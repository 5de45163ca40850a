package httpserver

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"net/http"
	"path"
	"time"
)

// contentTypes are those of files by extension; the machine's table may lack them.
var contentTypes = map[string]string{
	".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml",
	".webp": "image/webp", ".json": "application/json",
}

// PagePolicy is the Content-Security-Policy of a page that runs no inline code and loads nothing from elsewhere.
const PagePolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; " +
	"connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// ServeFiles serves the styles, scripts, pictures and JSON files of an embedded folder at a path that ends in a slash.
// Clients ask for them again by their tags.
func ServeFiles(mux Routes, from embed.FS, folder, at string) {
	files, _ := from.ReadDir(folder) // embedded
	for _, file := range files {
		if contentType, served := contentTypes[path.Ext(file.Name())]; served {
			content, _ := from.ReadFile(folder + "/" + file.Name()) // embedded
			mux.HandleFunc("GET "+at+file.Name(), serveFile(file.Name(), contentType, content))
		}
	}
}

func serveFile(name, contentType string, content []byte) http.HandlerFunc {
	sum := sha256.Sum256(content)
	tag := `"` + hex.EncodeToString(sum[:8]) + `"`
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", contentType)
		w.Header().Set("Cache-Control", "no-cache")
		w.Header().Set("ETag", tag)
		http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(content))
	}
}
