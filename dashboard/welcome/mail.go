package welcome

import (
	"context"
	"net/http"

	"github.com/svc-dev/svc/automation/notification/bymail"
	"github.com/svc-dev/svc/internal/fault"
	"github.com/svc-dev/svc/internal/httpserver"
)

// Mails are what links of emails lead to. What a token is not good for is not_found.
type Mails interface {
	Subscription(ctx context.Context, token string) (*bymail.Subscription, error)
	Unsubscribe(ctx context.Context, token string) error
	ConfirmedAddress(ctx context.Context, token string) (address string, err error)
	Confirm(ctx context.Context, token string) error
}

// registerMail adds the pages behind links of emails. Following a link only asks: programs that look for bad links
// follow all of them. The button, and a mail program's one click (RFC 8058), do it. Nobody has to be signed in, so
// requests from other sites are as good as others: the token is what lets them.
func (p Pages) registerMail(mux httpserver.Routes) {
	mux.HandleFunc("GET "+bymail.UnsubscribePath, p.askMail(func(ctx context.Context, token string) (view, error) {
		s, err := p.Mails.Subscription(ctx, token)
		if err != nil {
			return view{}, err
		}
		if s.Report {
			return view{Title: "Unsubscribe", Ask: "Unsubscribe",
				Done: "Stop this report of “" + s.AppName + "” to " + s.Address + "?"}, nil
		}
		if s.AppName != "" {
			return view{Title: "Unsubscribe", Ask: "Unsubscribe",
				Done: "Stop all email from “" + s.AppName + "” to your address?"}, nil
		}
		return view{Title: "Unsubscribe", Ask: "Unsubscribe",
			Done: "Stop the notifications of the workspace “" + s.WorkspaceName + "” to " + s.Address + "?"}, nil
	}))
	mux.HandleFunc("POST "+bymail.UnsubscribePath, p.askMail(func(ctx context.Context, token string) (view, error) {
		s, err := p.Mails.Subscription(ctx, token)
		if err != nil {
			return view{}, err
		}
		done := view{Title: "Unsubscribed", Done: "No more notifications of the workspace come by email. " +
			"Choose some again in its settings."}
		switch {
		case s.Report:
			done.Done = "The report of “" + s.AppName + "” has stopped. Start it again in the settings of the app."
		case s.AppName != "":
			done.Done = "Your address gets no more email from “" + s.AppName + "”."
		}
		return done, p.Mails.Unsubscribe(ctx, token)
	}))
	mux.HandleFunc("GET "+bymail.ConfirmPath, p.askMail(func(ctx context.Context, token string) (view, error) {
		address, err := p.Mails.ConfirmedAddress(ctx, token)
		return view{Title: "Confirm your email address", Ask: "Confirm address",
			Done: "Notifications of your workspaces will come to " + address + "."}, err
	}))
	mux.HandleFunc("POST "+bymail.ConfirmPath, p.askMail(func(ctx context.Context, token string) (view, error) {
		return view{Title: "Address confirmed", Done: "Notifications come by email from now on."},
			p.Mails.Confirm(ctx, token)
	}))
}

// askMail shows the result of a token, which is in the address: nothing else of the request is read.
func (p Pages) askMail(do func(ctx context.Context, token string) (view, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		token := r.URL.Query().Get("token")
		var shown view
		var err error = fault.Missing("link")
		if p.Mails != nil && token != "" {
			shown, err = do(r.Context(), token)
		}
		w.Header().Set("Referrer-Policy", "no-referrer")
		switch {
		case fault.Is(err, fault.NotFound):
			p.show(w, r, http.StatusNotFound, "mail.html", view{Title: "This link does not work",
				Problem: "It is not complete, has expired, or is for an address or a workspace that the account has left."})
		case err != nil:
			p.log(r, "following a link of an email failed", "error", err)
			w.Header().Set("Retry-After", "5")
			p.show(w, r, http.StatusServiceUnavailable, "mail.html", view{Title: "Not now",
				Problem: "The server can't reach its database. Try again in a moment."})
		default:
			shown.Token = token
			p.show(w, r, http.StatusOK, "mail.html", shown)
		}
	}
}
