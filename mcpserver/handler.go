package mcpserver

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/svc-dev/svc/account"
	"github.com/svc-dev/svc/internal/bodylimit"
	"github.com/svc-dev/svc/internal/chromium"
	"github.com/svc-dev/svc/internal/clientaddr"
	"github.com/svc-dev/svc/internal/fault"
	"github.com/svc-dev/svc/internal/httpserver"
	"github.com/svc-dev/svc/internal/ratelimit"
)

const (
	// maxBody is the largest request: the 256 kB of a batch of edits, with escapes, and room.
	maxBody = 1 << 20
	// callsPerMinute is how many tools a key may call on one server.
	callsPerMinute = 120
	// messagesPerMinute is how many requests of any kind a key may send to one server: a list of the tools takes a
	// millisecond of a processor, and a call comes with three others at most where a client connects anew for it.
	messagesPerMinute = 5 * callsPerMinute
	// maxCall is how long a request may take: the time of a GraphQL operation, several times, and of receiving.
	maxCall = 3 * time.Minute
)

// Deps are what the endpoint answers from.
type Deps struct {
	// GraphQL is the server's endpoint, which authenticates by itself.
	GraphQL  http.Handler
	Accounts *account.Accounts
	// Bodies is the memory for request bodies; nil has no bounds.
	Bodies *bodylimit.Budget
	// Screens draws screens of flows.
	Screens *chromium.Browser
	// BaseURL is the public address of the server; answers link to the dashboard there.
	BaseURL string
	Version string
	Logger  *slog.Logger     // nil means slog.Default()
	Now     func() time.Time // nil means time.Now
}

var otherSite = refusal(http.StatusForbidden, fault.Forbidden, "this request came from another site")

// NewHandler returns the endpoint of the streamable HTTP transport, without sessions: the server value holds the tools
// and nothing of anybody, and who calls one is known from the context of the request alone. It takes a workspace API
// key or an access token of an OAuth client as Bearer and nothing else: no cookie, and not the operator's key. A page
// of another site is refused.
func NewHandler(deps Deps) http.Handler {
	d := newDoor(deps)
	origins := http.NewCrossOriginProtection()
	base, err := url.Parse(deps.BaseURL)
	if err == nil && base.Host != "" {
		d.host = base.Host
		_ = origins.AddTrustedOrigin(base.Scheme + "://" + base.Host) // it is well-formed
	}
	origins.SetDenyHandler(otherSite)
	answer := d.requireHeader(account.AcceptTokens(deps.Accounts.Middleware(http.HandlerFunc(d.serve))))
	return origins.Handler(d.requireName(answer))
}

func newDoor(deps Deps) *door {
	if deps.Logger == nil {
		deps.Logger = slog.Default()
	}
	if deps.Now == nil {
		deps.Now = time.Now
	}
	d := &door{
		Deps: deps, messages: ratelimit.New(messagesPerMinute), calls: ratelimit.New(callsPerMinute),
		pictures: ratelimit.New(picturesPerMinute),
	}
	server := newServer(deps.Version)
	tools := func(*http.Request) *mcp.Server { return server }
	d.transport = mcp.NewStreamableHTTPHandler(tools, &mcp.StreamableHTTPOptions{
		Stateless: true, JSONResponse: true, MaxRequestBodyBytes: maxBody, PropagateRequestCancellation: true,
		Logger: slog.New(slog.DiscardHandler),
		// It refuses what a proxy on the same machine forwards with the public name of the server. What it protects is
		// protected here by the key, which a page that rebinds a name does not have.
		DisableLocalhostProtection: true,
	})
	return d
}

// door holds what requests share.
type door struct {
	Deps
	messages  *ratelimit.Limiter
	calls     *ratelimit.Limiter
	pictures  *ratelimit.Limiter
	transport http.Handler
	// host is that of BaseURL, with its port.
	host string
}

func refusal(status int, code fault.Code, message string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		httpserver.WriteError(w, r, status, string(code), message)
	})
}

// requireName refuses a page whose own name was made to lead to this server (DNS rebinding): to the browser both are
// one site, so that no check of origins sees it.
// https://modelcontextprotocol.io/specification/2025-11-25/basic/transports
func (d *door) requireName(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if origin := r.Header.Get("Origin"); origin != "" {
			page, err := url.Parse(origin)
			if err != nil || page.Host != d.host && !clientaddr.IsLoopback(page.Hostname()) {
				otherSite.ServeHTTP(w, r)
				return
			}
		}
		next.ServeHTTP(w, r)
	})
}

// requireHeader refuses requests without a key before anything else of them is looked at.
func (d *door) requireHeader(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") == "" {
			w.Header().Set("WWW-Authenticate", d.Accounts.Challenge(false))
			refusal(
				http.StatusUnauthorized, fault.Unauthenticated,
				"send Authorization: Bearer with a workspace API key or an access token",
			).ServeHTTP(w, r)
			return
		}
		next.ServeHTTP(w, r)
	})
}

func (d *door) serve(w http.ResponseWriter, r *http.Request) {
	caller, err := account.From(r.Context())
	var refused *fault.Error
	switch {
	case errors.As(err, &refused) && refused.Code == fault.Unauthenticated:
		w.Header().Set("WWW-Authenticate", d.Accounts.Challenge(true))
		refusal(http.StatusUnauthorized, refused.Code, refused.Message).ServeHTTP(w, r)
		return
	case err != nil:
		d.Logger.WarnContext(r.Context(), "identifying the caller of a tool failed", "error", err)
		w.Header().Set("Retry-After", "2")
		refusal(
			http.StatusServiceUnavailable, fault.Unavailable, "the key can't be looked up now; try again",
		).ServeHTTP(w, r)
		return
	case caller.KeyID == nil:
		refusal(http.StatusForbidden, fault.Forbidden, "send the API key of a workspace").ServeHTTP(w, r)
		return
	case !d.messages.Allow(caller.KeyID.String()):
		w.Header().Set("Retry-After", "60")
		refusal(
			http.StatusTooManyRequests, fault.RateLimited, "at most 600 requests per minute and key; try again in a minute",
		).ServeHTTP(w, r)
		return
	}
	hold := d.Bodies.Hold(caller.KeyID.String())
	defer hold.Release()
	size := int64(maxBody)
	if r.ContentLength >= 0 {
		size = min(size, r.ContentLength)
	}
	if err := hold.Resize(2 * size); err != nil { // the text, and what is decoded of it
		w.Header().Set("Retry-After", "2")
		refusal(
			http.StatusServiceUnavailable, fault.Unavailable, "the server is reading as much as it can; try again",
		).ServeHTTP(w, r)
		return
	}
	if isBatch(r) {
		refusal(
			http.StatusBadRequest, fault.InvalidRequest, "batches are not answered: send each message in a request of its own",
		).ServeHTTP(w, r)
		return
	}
	// Recorders of tests have no deadline; net/http takes it back with the request.
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(maxCall))
	w.Header().Set("Cache-Control", "no-store")
	c := &call{door: d, asker: asker{d.GraphQL, r}, caller: caller}
	d.transport.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), callKey{}, c)))
}
