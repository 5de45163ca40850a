package media

import (
	"errors"
	"io/fs"
	"log/slog"
	"net/http"
	"path"
	"regexp"
	"strings"
	"time"
)

// namePattern is the form of every served name: content hash and extension.
var namePattern = regexp.MustCompile(`^[0-9a-f]{64}\.[a-z0-9]{1,5}$`)

// Handler serves stored files at …/<sha256>.<extension>, for ever cacheable, to
// any origin: fonts and animations are fetched across origins.
func Handler(store Store, logger *slog.Logger) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			w.Header().Set("Allow", "GET, HEAD")
			http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
			return
		}
		name := path.Base(r.URL.Path)
		sha, extension, _ := strings.Cut(name, ".")
		format, known := byExtension(extension)
		if !namePattern.MatchString(name) || !known {
			http.NotFound(w, r)
			return
		}
		file, err := store.Open(r.Context(), sha, extension)
		if err != nil {
			if !errors.Is(err, fs.ErrNotExist) {
				logger.ErrorContext(r.Context(), "serving a media file failed", "name", name, "error", err)
				http.Error(w, "the file cannot be read now", http.StatusInternalServerError)
				return
			}
			http.NotFound(w, r)
			return
		}
		defer file.Close()
		header := w.Header()
		header.Set("Content-Type", format.contentType)
		header.Set("Cache-Control", "public, max-age=31536000, immutable")
		header.Set("ETag", `"`+sha+`"`)
		header.Set("Access-Control-Allow-Origin", "*")
		header.Set("X-Content-Type-Options", "nosniff")
		// An SVG that somebody opens on its own must not run scripts on this origin.
		header.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; sandbox")
		header.Set("Cross-Origin-Resource-Policy", "cross-origin")
		http.ServeContent(w, r, "", time.Time{}, file)
	})
}
