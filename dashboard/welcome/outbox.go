package welcome

import (
	"bytes"
	"encoding/base64"
	"net/http"
	"strconv"
	"strings"

	"github.com/svc-dev/svc/internal/httpserver"
	"github.com/svc-dev/svc/mail"
)

// OutboxPath is where the emails of a server are read that are kept in place of being sent.
const OutboxPath = "/dev/outbox"

// Outbox is the page of a box of emails.
type Outbox struct {
	Pages

	Box *mail.Box
	// Reader tells whether who makes a request may read all emails, which have links that sign in.
	Reader func(r *http.Request) bool
}

// outboxView is what the page shows.
type outboxView struct {
	view

	Messages []mail.Boxed
	Shown    *mail.Boxed
	Text     bool // the part in plain text
}

// Register adds the page to mux.
func (o Outbox) Register(mux httpserver.Routes) {
	mux.HandleFunc("GET "+OutboxPath, o.guard(o.list))
	mux.HandleFunc("GET "+OutboxPath+"/{number}/html", o.guard(o.html))
}

func (o Outbox) guard(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if !o.Reader(r) {
			http.Redirect(w, r, "/sign-in", http.StatusSeeOther)
			return
		}
		w.Header().Set("Referrer-Policy", "no-referrer") // links of emails have tokens
		next(w, r)
	}
}

func (o Outbox) find(number string) *mail.Boxed {
	wanted, _ := strconv.Atoi(number)
	for _, m := range o.Box.Messages() {
		if m.Number == wanted {
			return &m
		}
	}
	return nil
}

func (o Outbox) list(w http.ResponseWriter, r *http.Request) {
	asked := r.URL.Query()
	v := outboxView{view: view{Title: "Outbox"}, Messages: o.Box.Messages(), Text: asked.Get("part") == "text"}
	if v.Shown = o.find(asked.Get("email")); v.Shown == nil && len(v.Messages) > 0 && !asked.Has("email") {
		v.Shown = &v.Messages[0]
	}
	if v.Shown == nil && len(v.Messages) > 0 {
		v.Problem = "This email is not kept any more. The latest 50 are."
	}
	o.write(w, r, "outbox.html", v)
}

// emailPolicy lets an email have its own styles and pictures. It runs no script and loads nothing, also when it is
// opened by itself; its links open beside it.
const emailPolicy = "sandbox allow-popups allow-popups-to-escape-sandbox; default-src 'none'; " +
	"style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'"

func (o Outbox) html(w http.ResponseWriter, r *http.Request) {
	m := o.find(r.PathValue("number"))
	if m == nil {
		http.NotFound(w, r)
		return
	}
	html := m.HTML
	for _, image := range m.Images {
		html = strings.ReplaceAll(html, "cid:"+image.ID,
			"data:image/png;base64,"+base64.StdEncoding.EncodeToString(image.PNG))
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Content-Security-Policy", emailPolicy)
	_, _ = w.Write([]byte(strings.ReplaceAll(html, "<a ", `<a target="_blank" `))) // the client may have gone
}

func (o Outbox) write(w http.ResponseWriter, r *http.Request, page string, v any) {
	var content bytes.Buffer
	if err := templates.ExecuteTemplate(&content, page, v); err != nil {
		o.log(r, "writing a page failed", "page", page, "error", err)
		httpserver.WriteError(w, r, http.StatusInternalServerError, "internal",
			"the page can't be shown; the request id names the reason in the server's log")
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Content-Security-Policy", httpserver.PagePolicy+"; frame-src 'self'")
	_, _ = w.Write(content.Bytes()) // the client may have gone
}
