// Package site serves the documentation of the server's own version at /docs/: pages rendered from Markdown, the
// pictures on them, and a search. Whoever reaches the server may read it. Addresses in samples are the server's; a
// script asks GraphQL for the reader's own apps and keys.
package site

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"html/template"
	"io/fs"
	"log/slog"
	"net/http"
	"path"
	"strings"
	"time"

	"github.com/svc-dev/svc/docs"
	"github.com/svc-dev/svc/internal/httpserver"
)

//go:embed assets
var assets embed.FS

var templates = template.Must(template.ParseFS(assets, "assets/*.html"))

// contentTypes are those of files by extension; the machine's table may lack them.
var contentTypes = map[string]string{
	".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".webp": "image/webp",
}

// Site serves the documentation.
type Site struct {
	pages  map[string]*page // by name
	groups []group
	logger *slog.Logger
}

// New renders the documentation. Samples name baseURL, the public address of the server without a slash at its end.
func New(baseURL string, logger *slog.Logger) (*Site, error) {
	pages, err := render(docs.Files(), baseURL)
	if err != nil {
		return nil, err
	}
	return &Site{pages, groupsOf(pages), logger}, nil
}

// Register adds /docs/ to mux.
func (s *Site) Register(mux httpserver.Routes) {
	mux.HandleFunc("GET /docs", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/docs/", http.StatusMovedPermanently)
	})
	mux.HandleFunc("GET /docs/{page...}", s.page)
	mux.HandleFunc("GET /docs/search", s.search)
	serveFiles(mux, docs.Files(), "images", "/docs/images/")
	serveFiles(mux, assets, "assets", "/docs/assets/")
}

// serveFiles serves the files of a folder that browsers load.
func serveFiles(mux httpserver.Routes, from fs.FS, folder, at string) {
	files, _ := fs.ReadDir(from, folder) // embedded
	for _, file := range files {
		contentType, loaded := contentTypes[path.Ext(file.Name())]
		if !loaded {
			continue
		}
		content, _ := fs.ReadFile(from, folder+"/"+file.Name()) // embedded
		sum := sha256.Sum256(content)
		tag := `"` + hex.EncodeToString(sum[:8]) + `"`
		mux.HandleFunc("GET "+at+file.Name(), func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", contentType)
			w.Header().Set("Cache-Control", "no-cache")
			w.Header().Set("ETag", tag)
			http.ServeContent(w, r, file.Name(), time.Time{}, bytes.NewReader(content))
		})
	}
}

// view is what a page shows.
type view struct {
	Title  string
	Groups []group
	Page   *page
	// Query and Results are those of a search.
	Query   string
	Results []result
}

// page answers with a page, or names those that there are.
func (s *Site) page(w http.ResponseWriter, r *http.Request) {
	name := strings.Trim(r.PathValue("page"), "/")
	if markdown, is := strings.CutSuffix(name, ".md"); is { // as files in the repository link to each other
		http.Redirect(w, r, "/docs/"+nameOf(markdown+".md"), http.StatusMovedPermanently)
		return
	}
	found := s.pages[name]
	switch {
	case name == "":
		s.show(w, r, http.StatusOK, "index.html", view{Title: "Documentation"})
	case found == nil:
		s.show(w, r, http.StatusNotFound, "index.html", view{Title: "There is no such page"})
	default:
		s.show(w, r, http.StatusOK, "page.html", view{Title: found.Title, Page: found})
	}
}

// maxQuery bounds what is searched for, in bytes.
const maxQuery = 200

// search answers with the sections that have words of a query.
func (s *Site) search(w http.ResponseWriter, r *http.Request) {
	query := strings.TrimSpace(r.URL.Query().Get("q"))
	if len(query) > maxQuery {
		query = strings.ToValidUTF8(query[:maxQuery], "")
	}
	s.show(w, r, http.StatusOK, "search.html", view{Title: "Search", Query: query, Results: s.find(query)})
}

// contentSecurityPolicy lets pages run no inline code and load nothing from elsewhere.
const contentSecurityPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; " +
	"connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

func (s *Site) show(w http.ResponseWriter, r *http.Request, status int, name string, v view) {
	v.Groups = s.groups
	var content bytes.Buffer
	if err := templates.ExecuteTemplate(&content, name, v); err != nil {
		s.logger.ErrorContext(r.Context(), "writing a page of the documentation failed", "page", name, "error", err,
			"request", httpserver.RequestID(r.Context()))
		httpserver.WriteError(w, r, http.StatusInternalServerError, "internal",
			"the page can't be shown; the request id names the reason in the server's log")
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Cache-Control", "no-cache")
	w.Header().Set("Content-Security-Policy", contentSecurityPolicy)
	w.WriteHeader(status)
	_, _ = w.Write(content.Bytes()) // the reader may have gone
}
