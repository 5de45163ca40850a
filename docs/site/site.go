// Package site serves the documentation of the server's own version at /docs/: pages rendered from Markdown, the
// pictures on them, and a search. Whoever reaches the server may read it. Addresses in samples are the server's; a
// script asks GraphQL for the reader's own apps and keys.
package site

import (
	"bytes"
	"embed"
	"html/template"
	"log/slog"
	"net/http"
	"strings"

	"github.com/svc-dev/svc/docs"
	"github.com/svc-dev/svc/internal/httpserver"
)

//go:embed assets
var assets embed.FS

var templates = template.Must(template.ParseFS(assets, "assets/*.html"))

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
	httpserver.ServeFiles(mux, docs.Files(), "images", "/docs/images/")
	httpserver.ServeFiles(mux, docs.Files(), "sql", "/docs/sql/")
	httpserver.ServeFiles(mux, assets, "assets", "/docs/assets/")
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
	w.Header().Set("Content-Security-Policy", httpserver.PagePolicy)
	w.WriteHeader(status)
	_, _ = w.Write(content.Bytes()) // the reader may have gone
}
