package sdkapi

import (
	"context"
	"log/slog"
	"net/http"
	"net/netip"
	"strings"

	"github.com/rs/cors"

	"github.com/svc-dev/svc/delivery"
)

// Body limits in bytes after decompression. Events have theirs from
// analytics.md §1; a resolve body is one identity and its context, a record is
// one person, billing identity or checkout attempt.
const (
	maxEventBody   = 20 << 20
	maxResolveBody = 256 << 10
	maxRecordBody  = 64 << 10
)

// Catalogue is where endpoints look up keys and channels.
type Catalogue interface {
	Snapshot() *delivery.Snapshot
	// Learn is for keys that the snapshot lacks.
	Learn(ctx context.Context, publishableKey string) *delivery.Snapshot
}

// Stores are where endpoints keep what they are sent. An endpoint whose store is
// nil must not be called.
type Stores struct {
	Events   Events
	People   People
	Payments Payments
}

// Config holds the settings of the interface. The zero value has no limits and
// trusts no proxy.
type Config struct {
	Limits Limits
	// TrustedProxies may name the client's address in X-Forwarded-For.
	TrustedProxies []netip.Prefix
	// Gate decides on 402; nil lets everything in.
	Gate Gate
	// Logger takes unexpected errors; nil means slog.Default().
	Logger *slog.Logger
}

// API answers client SDKs.
type API struct {
	catalogue  Catalogue
	stores     Stores
	config     Config
	perKey     *limiter
	perAddress *limiter
	records    chan struct{} // one place for each record in work
	endpoints  map[string]*endpoint
}

// New makes the interface over a catalogue and the stores.
func New(catalogue Catalogue, stores Stores, config Config) *API {
	if config.Logger == nil {
		config.Logger = slog.Default()
	}
	api := &API{
		catalogue: catalogue, stores: stores, config: config,
		perKey:     newLimiter(config.Limits.PerKey, "with this key"),
		perAddress: newLimiter(config.Limits.PerAddress, "from this address"),
		records:    make(chan struct{}, recordsAtOnce),
		endpoints:  map[string]*endpoint{},
	}
	for _, e := range []*endpoint{
		{path: "/v1/sdk/resolve", limit: maxResolveBody, channel: channelServing, execute: (*API).resolve},
		{path: "/v1/sdk/resolve-all", limit: maxResolveBody, execute: (*API).resolveAll},
		{path: "/v1/sdk/events", limit: maxEventBody, beacon: true, channel: channelKnown, execute: (*API).flowEvents},
		{path: "/v1/sdk/analytics/events", limit: maxEventBody, beacon: true, execute: (*API).productEvents},
		{path: "/v1/sdk/track", limit: maxEventBody, beacon: true, execute: (*API).track},
		{path: "/v1/sdk/identify", limit: maxRecordBody, execute: (*API).identify},
		{path: "/v1/sdk/billing-identities", limit: maxRecordBody, execute: (*API).billingIdentity},
		{path: attemptsPath, limit: maxRecordBody, channel: channelKnown, execute: (*API).createAttempt},
		{path: attemptPath, method: http.MethodGet, channel: channelKnown, execute: (*API).readAttempt},
		{path: cancelPath, limit: maxRecordBody, channel: channelKnown, execute: (*API).cancelAttempt},
	} {
		api.endpoints[e.path] = e
	}
	return api
}

// Handler answers everything under /v1/sdk/, and /v1/openapi.json. It is meant
// to be mounted at /v1/.
func (a *API) Handler() http.Handler {
	// A preflight can't show its key, so every origin passes here and the app's
	// own list is checked on the request itself (wire.md §11).
	crossOrigin := cors.New(cors.Options{
		AllowedOrigins: []string{"*"},
		AllowedMethods: []string{http.MethodPost, http.MethodGet},
		AllowedHeaders: []string{"Authorization", "Content-Type", "Content-Encoding", "X-Svc-Channel", "If-None-Match"},
		ExposedHeaders: []string{"ETag", "Retry-After", requestIDHeader},
		MaxAge:         7200,
	})
	return crossOrigin.Handler(http.HandlerFunc(a.serve))
}

// serve is the one way in and the one way out of every endpoint.
func (a *API) serve(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == openAPIPath {
		serveOpenAPI(w, r)
		return
	}
	path, attempt := route(r.URL.Path)
	endpoint := a.endpoints[path]
	if endpoint == nil {
		writeError(w, &Error{Status: http.StatusNotFound, Code: codeNotFound, Message: "there is no such path: " + clip(r.URL.Path)})
		return
	}
	if e := a.run(endpoint, w, r, attempt); e != nil {
		writeError(w, e)
	}
}

func clip(path string) string {
	const enough = 200
	if len(path) > enough {
		path = path[:enough]
	}
	return strings.ToValidUTF8(path, "\uFFFD")
}

func methodNotAllowed(w http.ResponseWriter, allowed string) *Error {
	w.Header().Set("Allow", allowed)
	return &Error{Status: http.StatusMethodNotAllowed, Code: codeMethodNotAllowed, Message: "the method must be " + allowed}
}
