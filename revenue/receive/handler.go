// Package receive answers the webhooks of billing providers. What is not proved by a signature costs next to nothing:
// headers are checked before a body is read, and the database is not asked.
package receive

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/netip"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/svc-dev/svc/internal/bodylimit"
	"github.com/svc-dev/svc/internal/clientaddr"
	"github.com/svc-dev/svc/internal/httpserver"
	"github.com/svc-dev/svc/internal/seal"
	"github.com/svc-dev/svc/internal/throttle"
	"github.com/svc-dev/svc/revenue"
	"github.com/svc-dev/svc/revenue/fold"
)

// MaxBody is how long a delivery may be, in bytes.
const MaxBody = 1 << 20

// Ledger keeps deliveries.
type Ledger interface {
	Receive(ctx context.Context, d revenue.Delivery) (revenue.Receipt, error)
}

// Deps are what a handler works with.
type Deps struct {
	Pool           *pgxpool.Pool
	Ledger         Ledger
	Ring           *seal.Ring
	Bodies         *bodylimit.Budget
	TrustedProxies []netip.Prefix
	Logger         *slog.Logger
	Now            func() time.Time // nil means time.Now
}

// Handler answers POST /v1/webhooks/{provider}/{connection}.
type Handler struct {
	Deps
	connections *connections
	unproved    unproved
	away        throttle.PerSecond
}

// New makes a handler.
func New(deps Deps) *Handler {
	if deps.Now == nil {
		deps.Now = time.Now
	}
	if deps.Logger == nil {
		deps.Logger = slog.Default()
	}
	return &Handler{Deps: deps, connections: &connections{
		pool: deps.Pool, ring: deps.Ring, logger: deps.Logger, now: deps.Now,
	}}
}

// Path is where a provider delivers to, below the server's address.
func Path(provider fold.Provider, connection uuid.UUID) string {
	return "/v1/webhooks/" + string(provider) + "/" + connection.String()
}

// Register adds the path to mux.
func (h *Handler) Register(mux httpserver.Routes) {
	const path = "/v1/webhooks/{provider}/{connection}"
	mux.Handle("POST "+path, h)
	mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Allow", http.MethodPost)
		httpserver.WriteError(w, r, http.StatusMethodNotAllowed, "method_not_allowed", "the method must be POST")
	})
}

// ServeHTTP answers 200 once a delivery is committed, and 401 without a reason to whatever is not proved.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	provider := fold.Provider(r.PathValue("provider"))
	id, err := uuid.Parse(r.PathValue("connection"))
	if err != nil {
		refuse(w, r)
		return
	}
	c, err := h.connections.find(r.Context(), id)
	if err != nil {
		h.busy(w, r, err)
		return
	}
	if c == nil || c.provider != provider {
		refuse(w, r)
		return
	}
	claimed, ok := read(provider, c.secrets, r.Header, h.Now())
	if !ok {
		h.note(r.Context(), c)
		refuse(w, r)
		return
	}
	if r.ContentLength > MaxBody {
		tooLarge(w, r)
		return
	}
	client, _ := clientaddr.Of(r, h.TrustedProxies)
	address := clientaddr.LimitKey(client)
	if !claimed.proved && !h.unproved.admits(address, r.ContentLength, h.Now()) {
		w.Header().Set("Retry-After", "1")
		answerUnread(w, r, http.StatusTooManyRequests, "rate_limited",
			"too much of this address is not proved: send the same delivery again later")
		return
	}
	hold := h.Bodies.Hold(address)
	defer hold.Release()
	body, err := hold.ReadBody(r, MaxBody, bodylimit.Plain)
	switch {
	case errors.Is(err, bodylimit.ErrTooLarge):
		tooLarge(w, r)
		return
	case err != nil:
		h.busy(w, r, err)
		return
	}
	if !claimed.proved && !claimed.isSigned(provider, c.secrets, body) {
		h.unproved.add(address, len(body), h.Now())
		h.note(r.Context(), c)
		refuse(w, r)
		return
	}
	_, err = h.Ledger.Receive(r.Context(), revenue.Delivery{
		ConnectionID: c.id, Provider: provider, Live: c.live, Test: c.test, ID: claimed.id, Body: body,
	})
	if err != nil {
		h.busy(w, r, err)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write([]byte(`{"received":true}`))
}

// refuse answers what proves nothing. It says no more than that.
func refuse(w http.ResponseWriter, r *http.Request) {
	answerUnread(w, r, http.StatusUnauthorized, "unauthenticated", "the delivery is not proved")
}

// answerUnread answers and waits for little of what is left of the body.
func answerUnread(w http.ResponseWriter, r *http.Request, status int, code, message string) {
	const smallRest = 64 << 10
	if r.ContentLength < 0 || r.ContentLength > smallRest {
		w.Header().Set("Connection", "close") // the rest of the body is not waited for
	}
	httpserver.WriteError(w, r, status, code, message)
}

func tooLarge(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Connection", "close")
	httpserver.WriteError(w, r, http.StatusRequestEntityTooLarge, "payload_too_large",
		"a delivery has at most 1048576 bytes")
}

// busy answers when a delivery could not be stored: the provider sends it again.
func (h *Handler) busy(w http.ResponseWriter, r *http.Request, err error) {
	if r.Context().Err() == nil && h.away.Allow(h.Now()) {
		h.Logger.ErrorContext(r.Context(), "a delivery of a provider could not be stored", "error", err)
	}
	w.Header().Set("Retry-After", "10")
	httpserver.WriteError(w, r, http.StatusServiceUnavailable, "ingest_unavailable", "send the same delivery again later")
}

// noteEach is how often at most a refusal is written down for a connection.
const noteEach = 10 * time.Second

// note writes down that a delivery to a connection was refused, for whoever sets it up. Most are not written.
func (h *Handler) note(ctx context.Context, c *connection) {
	now, last := h.Now().Unix(), c.noted.Load()
	if now-last < int64(noteEach.Seconds()) || !c.noted.CompareAndSwap(last, now) {
		return
	}
	if _, err := h.Pool.Exec(ctx, `
		update revenue_connection set last_error = 'a delivery had no valid signature', last_error_at = $2 where id = $1`,
		c.id, h.Now()); err != nil && ctx.Err() == nil {
		h.Logger.WarnContext(ctx, "note a refused delivery", "error", err)
	}
}
