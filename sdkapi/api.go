package sdkapi

import (
	"context"
	"log/slog"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/rs/cors"

	"github.com/svc-dev/svc/delivery"
	"github.com/svc-dev/svc/internal/bodylimit"
	"github.com/svc-dev/svc/internal/fault"
	"github.com/svc-dev/svc/internal/httpserver"
	"github.com/svc-dev/svc/internal/role"
	"github.com/svc-dev/svc/internal/throttle"
	"github.com/svc-dev/svc/internal/turns"
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
	Previews Previews
	// Served notes whom resolve gives an arm; nil notes nobody.
	Served Served
	// Arms chooses the arms of experiments that are split by custom user id; nil splits them by device.
	Arms Arms
	// LiveUsers notes who was active; nil notes nobody.
	LiveUsers LiveUsers
	// Proofs counts how custom user ids were proved; nil counts nothing.
	Proofs Proofs
}

// Served notes the people whom resolve gave an arm of an experiment. It is asked on every such resolve and must not
// wait.
type Served interface {
	Note(arm *delivery.Arm, appUserID string)
}

// LiveUsers counts the monthly active users of workspaces whose plan limits them: the methods of liveusers.Counter.
// They are called on every request and must not wait.
type LiveUsers interface {
	// Counts tells whether anybody of the tenant is counted.
	Counts(tenant *delivery.Tenant) bool
	// Exceeded tells whether the tenant's workspace has had more people than its plan allows.
	Exceeded(tenant *delivery.Tenant) bool
	// Note notes that a person was active at a time.
	Note(tenant *delivery.Tenant, appUserID string, at time.Time)
}

// Config holds the settings of the interface. The zero value has no limits and
// trusts no proxy.
type Config struct {
	Limits Limits
	// TrustedProxies may name the client's address in X-Forwarded-For.
	TrustedProxies []netip.Prefix
	// Bodies bounds the memory of request bodies; nil has no bounds.
	Bodies *bodylimit.Budget
	// ServerKeys knows the keys for which the limit of an address does not count; nil knows none.
	ServerKeys ServerKeys
	// Gate decides on 402; nil lets everything in.
	Gate Gate
	// Roles are those of the server: endpoints of others answer 421. Nil means all.
	Roles role.Set
	// Logger takes unexpected errors; nil means slog.Default().
	Logger *slog.Logger
}

// API answers client SDKs.
type API struct {
	catalogue  Catalogue
	stores     Stores
	config     Config
	perKey     limiter
	perAddress limiter
	serverKeys *serverKeys
	// records and previews are the places of those in work, of previews in their pause too, by workspace.
	records, previews *turns.Turns[uuid.UUID]
	away              throttle.PerSecond // what is logged of a store that is away
}

// New makes the interface over a catalogue and the stores.
func New(catalogue Catalogue, stores Stores, config Config) *API {
	if config.Logger == nil {
		config.Logger = slog.Default()
	}
	if config.Roles == nil {
		config.Roles = role.All()
	}
	return &API{
		catalogue: catalogue, stores: stores, config: config,
		perKey:     newLimiter(config.Limits.PerKey, "with this key"),
		perAddress: newLimiter(config.Limits.PerAddress, "from this address"),
		serverKeys: newServerKeys(config.ServerKeys),
		records:    turns.New[uuid.UUID](recordsAtOnce, turns.Half(recordsAtOnce)),
		previews:   turns.New[uuid.UUID](previewsAtOnce, previewsAtOnce),
	}
}

// Register adds everything under /v1/ to mux.
func (a *API) Register(mux httpserver.Routes) {
	// A preflight can't show its key, so every origin passes here and the app's
	// own list is checked on the request itself (wire.md §11).
	crossOrigin := cors.New(cors.Options{
		AllowedOrigins: []string{"*"},
		AllowedMethods: []string{http.MethodPost, http.MethodGet},
		AllowedHeaders: []string{"Authorization", "Content-Type", "Content-Encoding", "X-Svc-Channel", "If-None-Match"},
		ExposedHeaders: []string{"ETag", "Retry-After", requestIDHeader, unprovedHeader},
		MaxAge:         7200,
	})
	for i := range endpoints {
		e := &endpoints[i]
		mux.Handle(e.method+" "+e.path, crossOrigin.Handler(a.handle(e)))
		mux.Handle(e.path, crossOrigin.Handler(refuseMethod(e.method)))
	}
	mux.Handle("GET "+openAPIPath, crossOrigin.Handler(http.HandlerFunc(serveOpenAPI)))
	mux.Handle(openAPIPath, crossOrigin.Handler(refuseMethod(http.MethodGet)))
	mux.Handle("/v1/", crossOrigin.Handler(http.HandlerFunc(refusePath)))
}

// Handler answers the paths of Register, and nothing else.
func (a *API) Handler() http.Handler {
	mux := http.NewServeMux()
	a.Register(mux)
	return mux
}

// handle returns the one way in and the one way out of an endpoint.
func (a *API) handle(e *endpoint) http.Handler {
	if !a.config.Roles.Has(e.role) {
		return refuseRole(e.role)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c := &call{request: r, answer: w, snapshot: a.catalogue.Snapshot()}
		defer c.body.hold.Release()
		if refusal := a.run(e, w, c); refusal != nil {
			c.body.closeUnread(w)
			writeError(w, refusal)
		}
	})
}

// refuseMethod answers requests to a known path whose method is not allowed. A
// path that is read by GET is read by HEAD as well.
func refuseMethod(allowed string) http.Handler {
	if allowed == http.MethodGet {
		allowed += ", " + http.MethodHead
	}
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Allow", allowed)
		writeError(w, &Error{
			Status: http.StatusMethodNotAllowed, Code: codeMethodNotAllowed, Message: "the method must be " + allowed,
		})
	})
}

// refuseRole answers for an endpoint that another server serves.
func refuseRole(r role.Role) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		body := payload{request: request}
		body.closeUnread(w)
		writeError(w, &Error{Status: http.StatusMisdirectedRequest, Code: role.Misdirected, Message: r.Refusal()})
	})
}

func refusePath(w http.ResponseWriter, r *http.Request) {
	writeError(w, &Error{
		Status: http.StatusNotFound, Code: fault.NotFound, Message: "there is no such path: " + clip(r.URL.Path),
	})
}

func clip(path string) string {
	const enough = 200
	if len(path) > enough {
		path = path[:enough]
	}
	return strings.ToValidUTF8(path, "\uFFFD")
}
