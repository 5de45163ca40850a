// Package dashboard serves the built dashboard: its page for every address of
// the application, with a fresh style nonce each time, and the files it is made
// of, which are named by their content. The sources beside it are TypeScript;
// everything that the dashboard knows it asks the GraphQL endpoint.
package dashboard

import (
	"bytes"
	"crypto/rand"
	"embed"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strings"
	"time"

	"github.com/svc-dev/svc/internal/httpserver"
)

// files is what `make dashboard` built. dist/README.md is always there, so that
// the package compiles without Node.
//
//go:embed all:dist
var files embed.FS

// paths are the addresses that the application's own router knows.
var paths = []string{
	"/{$}", "/sign-in", "/forgot-password", "/reset-password", "/playground", "/account", "/connect", "/apps/",
}

// Dashboard is a build of the application.
type Dashboard struct {
	files  fs.FS
	page   []byte            // index.html
	framed map[string][]byte // documents in which flows are drawn, by name
}

// framed are the documents in which flows are drawn.
var framed = []string{"preview.html", "canvas.html", "run.html", "try.html"}

// New returns the build that the binary holds. ok is false when it was built
// without one.
func New() (d *Dashboard, ok bool) {
	built, err := fs.Sub(files, "dist/app")
	if err != nil {
		return nil, false
	}
	return open(built)
}

func open(built fs.FS) (*Dashboard, bool) {
	page, err := fs.ReadFile(built, "index.html")
	if err != nil {
		return nil, false
	}
	d := &Dashboard{files: built, page: page, framed: make(map[string][]byte, len(framed))}
	for _, name := range framed {
		document, err := fs.ReadFile(built, name)
		if err != nil {
			return nil, false
		}
		d.framed[name] = document
	}
	return d, true
}

// Register adds the application's addresses and files to mux. examplePath is
// where the web example is served beside it; empty where it is not. frames
// tells which pages may embed the reports of a shared link.
func (d *Dashboard) Register(mux httpserver.Routes, examplePath string, frames FrameOrigins) {
	page := bytes.Replace(d.page, examplePlace, fill(examplePlace, examplePath), 1)
	for _, pattern := range paths {
		mux.HandleFunc("GET "+pattern, servePage(page))
	}
	for _, pattern := range sharePaths {
		mux.HandleFunc("GET "+pattern, serveShared(page, frames))
	}
	d.RegisterFrames(mux)
	mux.HandleFunc("GET /mail.html", serveMail)
}

// RegisterFrames adds the documents in which flows are drawn, and the files of the build, to mux.
func (d *Dashboard) RegisterFrames(mux httpserver.Routes) {
	for name, document := range d.framed {
		mux.HandleFunc("GET /"+name, serveFramed(document))
	}
	mux.HandleFunc("GET /assets/", d.serveAsset)
}

// Where index.html has what the server tells it.
var (
	noncePlace   = []byte(`<meta name="csp-nonce" content=""`)
	examplePlace = []byte(`<meta name="svc-example" content=""`)
)

// fill writes text, which needs no escaping, into an empty place.
func fill(place []byte, text string) []byte {
	return append(bytes.TrimSuffix(bytes.Clone(place), []byte(`"`)), text+`"`...)
}

// servePage answers with the application. It is never stored: a page that a 304
// brings back would carry the nonce of another answer.
func servePage(page []byte) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { writePage(w, page, "'none'") }
}

// writePage answers with the application, which the ancestors may frame.
func writePage(w http.ResponseWriter, page []byte, ancestors string) {
	nonce := rand.Text()
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Security-Policy", contentPolicy(nonce, ancestors))
	_, _ = w.Write(bytes.Replace(page, noncePlace, fill(noncePlace, nonce), 1)) // the reader may have gone
}

// contentPolicy lets the application load and ask this server only, and run no
// code and no style that is not part of it.
func contentPolicy(nonce, ancestors string) string {
	return "default-src 'none'; script-src 'self'; style-src 'self' 'nonce-" + nonce + "'; img-src 'self' data: blob:; " +
		"font-src 'self'; media-src 'self' blob:; connect-src 'self'; frame-src 'self'; form-action 'self'; " +
		"base-uri 'none'; frame-ancestors " + ancestors + "; object-src 'none'"
}

// flowPolicy is that of the documents in which flows are drawn. The
// renderer of the SDKs writes styles of its own, so they are allowed here and
// nowhere else; only pages of this server may frame it.
const flowPolicy = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; " +
	"img-src 'self' data: blob:; font-src 'self'; media-src 'self' blob:; connect-src 'self'; form-action 'none'; " +
	"base-uri 'none'; frame-ancestors 'self'; object-src 'none'"

// mailPolicy is that of the document into which the application writes an email. It runs no code, wherever it is
// opened; an email has styles of its own, and its pictures are where its author put them.
const mailPolicy = "default-src 'none'; style-src 'unsafe-inline'; img-src https: data:; form-action 'none'; " +
	"base-uri 'none'; frame-ancestors 'self'; sandbox allow-same-origin"

// serveMail answers with the empty document into which the application writes an email.
func serveMail(w http.ResponseWriter, _ *http.Request) {
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", mailPolicy)
	h.Set("X-Frame-Options", "SAMEORIGIN")
	_, _ = w.Write([]byte("<!doctype html><title>Email</title>")) // the reader may have gone
}

// serveFramed answers with a document in which flows are drawn, for a frame of the application or a tab.
func serveFramed(document []byte) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		h := w.Header()
		h.Set("Content-Type", "text/html; charset=utf-8")
		h.Set("Cache-Control", "no-store") // it names files of this build
		h.Set("Content-Security-Policy", flowPolicy)
		h.Set("X-Frame-Options", "SAMEORIGIN")
		_, _ = w.Write(document) // the reader may have gone
	}
}

// serveAsset answers with a file of the build, compressed where the reader takes
// it. Vite names files by their content, so they are kept for a year.
func (d *Dashboard) serveAsset(w http.ResponseWriter, r *http.Request) {
	name := strings.TrimPrefix(path.Clean(r.URL.Path), "/")
	h := w.Header()
	for _, encoding := range encodingsOf(r.Header.Get("Accept-Encoding")) {
		content, err := fs.ReadFile(d.files, name+encoding.extension)
		if err != nil || !strings.HasPrefix(name, "assets/") {
			continue
		}
		h.Set("Content-Type", contentType(name))
		h.Set("Cache-Control", "public, max-age=31536000, immutable")
		h.Set("Vary", "Accept-Encoding")
		if encoding.name != "" {
			h.Set("Content-Encoding", encoding.name)
		}
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(content))
		return
	}
	h.Set("Cache-Control", "no-store")
	http.NotFound(w, r)
}

type encoding struct{ name, extension string }

// encodingsOf returns the forms of a file that a reader takes, smallest first.
func encodingsOf(accepted string) []encoding {
	forms := make([]encoding, 0, 3)
	for _, form := range []encoding{{"br", ".br"}, {"gzip", ".gz"}} {
		for part := range strings.SplitSeq(accepted, ",") {
			name, parameters, _ := strings.Cut(part, ";")
			if strings.TrimSpace(name) == form.name && !refused(parameters) {
				forms = append(forms, form)
			}
		}
	}
	return append(forms, encoding{})
}

// refused reports a quality of zero: q=0, q=0.0 and so on.
func refused(parameters string) bool {
	quality, found := strings.CutPrefix(strings.ReplaceAll(parameters, " ", ""), "q=")
	return found && strings.Trim(quality, "0.") == ""
}

// contentType goes by the extension; the machine's table may lack the ones of
// the build.
func contentType(name string) string {
	switch extension := path.Ext(name); extension {
	case ".js":
		return "text/javascript; charset=utf-8"
	case ".css":
		return "text/css; charset=utf-8"
	case ".svg":
		return "image/svg+xml"
	case ".json":
		return "application/json"
	case ".woff2":
		return "font/woff2"
	default:
		if known := mime.TypeByExtension(extension); known != "" {
			return known
		}
		return "application/octet-stream"
	}
}
