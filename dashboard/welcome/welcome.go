// Package welcome holds the few pages that the server shows a person before
// there is anything to sign in to: what is served here, and the page behind
// set-up links. It knows nothing of flows and reports.
package welcome

import (
	"bytes"
	"context"
	"embed"
	"html/template"
	"log/slog"
	"net/http"

	"github.com/svc-dev/svc/account"
	"github.com/svc-dev/svc/internal/fault"
	"github.com/svc-dev/svc/internal/httpserver"
)

//go:embed pages
var pages embed.FS

var templates = template.Must(template.ParseFS(pages, "pages/*.html"))

// Pages are what the pages are made from.
type Pages struct {
	// BaseURL is the public address of the server, without a slash at its end.
	BaseURL string
	// SetupLink looks a set-up token up; not_found when it does not work.
	SetupLink func(ctx context.Context, token string) (*account.SetupLink, error)
	// Mails follows links of emails; nil where there are none.
	Mails Mails
	// ExamplePath is where the web example is served; empty where it is not.
	ExamplePath string
	// Dashboard tells that the server has one: whoever is signed in goes on there.
	Dashboard bool
	Logger    *slog.Logger
}

// RegisterIndex adds the page at / of a server without a dashboard.
func (p Pages) RegisterIndex(mux httpserver.Routes) { mux.HandleFunc("GET /{$}", p.index) }

// Register adds the pages behind set-up links to mux.
func (p Pages) Register(mux httpserver.Routes) {
	mux.HandleFunc("GET /setup", p.setup)
	p.registerMail(mux)
	httpserver.ServeFiles(mux, pages, "pages", "/welcome/")
}

func (p Pages) index(w http.ResponseWriter, r *http.Request) {
	p.show(w, r, http.StatusOK, "index.html", view{Title: "Svc"})
}

// view is what a page shows.
type view struct {
	Title   string
	BaseURL string
	// ExamplePath is the link to the web example, if there is one.
	ExamplePath string
	// Dashboard tells that / is the dashboard.
	Dashboard bool
	// Problem says why there is no form; Dead that the link will never work.
	Problem string
	Dead    bool
	// Kind is what the form does: setup makes an account, accept signs in to one.
	Kind string
	Link *account.SetupLink
	// Ask is what a button of a page of email does, and Token for whom; Done says what it would do, or did.
	Ask, Token, Done string
}

func (p Pages) setup(w http.ResponseWriter, r *http.Request) {
	token := r.URL.Query().Get("token")
	if token == "" {
		p.show(w, r, http.StatusNotFound, "setup.html", view{Title: "The set-up link is not complete", Dead: true,
			Problem: "Open the whole address that you were given. " +
				"After /setup it has ?token= and about sixty more characters."})
		return
	}
	link, err := p.SetupLink(r.Context(), token)
	switch {
	case fault.Is(err, fault.NotFound):
		p.show(w, r, http.StatusNotFound, "setup.html", view{Title: "This set-up link does not work", Dead: true,
			Problem: "It is unknown, was used before, or has expired: links work once, for seven days."})
	case err != nil:
		p.log(r, "looking a set-up link up failed", "error", err)
		w.Header().Set("Retry-After", "5")
		p.show(w, r, http.StatusServiceUnavailable, "setup.html", view{Title: "Not now",
			Problem: "The server can't reach its database. The link is not used up: try again in a moment."})
	case link.FirstAdministrator:
		p.show(w, r, http.StatusOK, "setup.html", view{Title: "Set up this server", Kind: "setup", Link: link})
	case link.HasAccount:
		p.show(w, r, http.StatusOK, "setup.html", view{Title: "Join " + link.WorkspaceName, Kind: "accept", Link: link})
	default:
		p.show(w, r, http.StatusOK, "setup.html", view{Title: "Join " + link.WorkspaceName, Kind: "setup", Link: link})
	}
}

func (p Pages) log(r *http.Request, message string, details ...any) {
	p.Logger.ErrorContext(r.Context(), message, append(details, "request", httpserver.RequestID(r.Context()))...)
}

func (p Pages) show(w http.ResponseWriter, r *http.Request, status int, page string, v view) {
	v.BaseURL, v.ExamplePath, v.Dashboard = p.BaseURL, p.ExamplePath, p.Dashboard
	var content bytes.Buffer
	if err := templates.ExecuteTemplate(&content, page, v); err != nil {
		p.log(r, "writing a page failed", "page", page, "error", err)
		httpserver.WriteError(w, r, http.StatusInternalServerError, "internal",
			"the page can't be shown; the request id names the reason in the server's log")
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Content-Security-Policy", httpserver.PagePolicy)
	w.WriteHeader(status)
	_, _ = w.Write(content.Bytes()) // the client may have gone
}
