package main

import (
	"crypto/rand"
	"crypto/subtle"
	"io/fs"
	"net/http"

	"github.com/svc-dev/svc/account"
	"github.com/svc-dev/svc/cmd/svc/demo"
	"github.com/svc-dev/svc/internal/httpserver"
	"github.com/svc-dev/svc/mail"
)

// doorPath is where a link of `svc dev` leads.
const doorPath = "/dev/sign-in"

// door signs in whoever has the link that `svc dev` prints, as the demo's
// administrator. Its token is another one each time the server starts.
type door struct {
	token string
	admin devAdmin
}

func newDoor(admin devAdmin) *door { return &door{token: rand.Text(), admin: admin} }

// link is the address that opens the dashboard.
func (d *door) link(baseURL string) string { return baseURL + doorPath + "?token=" + d.token }

func (d *door) register(mux httpserver.Routes, accounts *account.Accounts) {
	mux.Handle("GET "+doorPath, accounts.Middleware(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-store")
		if subtle.ConstantTimeCompare([]byte(r.URL.Query().Get("token")), []byte(d.token)) == 1 {
			if _, err := accounts.SignIn(r.Context(), d.admin.Email, d.admin.Password, ""); err == nil {
				http.Redirect(w, r, "/", http.StatusSeeOther)
				return
			}
		}
		// The link of an earlier start, or a password that was changed since.
		http.Redirect(w, r, "/sign-in", http.StatusSeeOther)
	})))
}

// localParts are what only `svc dev` serves.
type localParts struct {
	door *door
	web  *example // nil without one
	// packages are SDKs that may be packed while the server runs; nil for those that the program holds.
	packages fs.FS
	// receiver takes the webhooks of the demo's automation.
	receiver *demo.Receiver
	// outbox keeps the emails that are not sent where no SMTP server is set.
	outbox *mail.Box
}
