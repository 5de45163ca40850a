package resolvers

import (
	"context"
	"fmt"
	"log/slog"
	"mime"
	"net/http"
	"runtime/debug"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/handler"
	"github.com/99designs/gqlgen/graphql/handler/extension"
	"github.com/99designs/gqlgen/graphql/handler/lru"
	"github.com/99designs/gqlgen/graphql/handler/transport"
	"github.com/vektah/gqlparser/v2/ast"

	"github.com/svc-dev/svc/account"
	"github.com/svc-dev/svc/graph"
	"github.com/svc-dev/svc/postgres"
	"github.com/svc-dev/svc/studio"
	"github.com/svc-dev/svc/studio/media"
)

// Bounds on one request.
const (
	// parserTokens is far above the largest document of the dashboard (about 3,000
	// tokens) and stops a document that is a weapon.
	parserTokens = 15_000
	// maxBody is the largest JSON body: a manifest of 4 MiB with escapes, and room.
	maxBody = 16 << 20
	// maxOperation ends a query or a mutation that takes longer.
	maxOperation = 30 * time.Second
	// keepAlive is how often an idle event stream is pinged, below the idle
	// time-outs of common proxies.
	keepAlive = 15 * time.Second
)

// Deps are what the GraphQL server answers from.
type Deps struct {
	DB       *postgres.DB
	Accounts *account.Accounts
	Studio   *studio.Studio
	// Reports is the store of the report engine; without it every report answers
	// product_analytics_unavailable.
	Reports Reports
	// Draining is closed when the server is about to stop: live streams end then.
	// Nil means never.
	Draining <-chan struct{}
	Logger   *slog.Logger     // nil means slog.Default()
	Now      func() time.Time // nil means time.Now
}

// NewHandler is the GraphQL endpoint: POST and multipart, GET for queries, server
// sent events for subscriptions, automatic persisted queries. It authenticates by
// itself, from the Authorization header or the session cookie.
func NewHandler(deps Deps) http.Handler {
	if deps.Logger == nil {
		deps.Logger = slog.Default()
	}
	if deps.Now == nil {
		deps.Now = time.Now
	}
	client := deps.DB.Ent()
	schema := graph.NewExecutableSchema(graph.Config{
		Complexity: costs(),
		Resolvers: &Resolver{
			db:       deps.DB,
			client:   client,
			accounts: deps.Accounts,
			studio:   deps.Studio,
			reports:  deps.Reports,
			reads:    reads{client},
			draining: deps.Draining,
			now:      deps.Now,
		},
	})
	server := handler.New(schema)
	server.AddTransport(transport.SSE{KeepAlivePingInterval: keepAlive})
	server.AddTransport(transport.Options{})
	server.AddTransport(transport.GET{})
	server.AddTransport(transport.POST{})
	server.AddTransport(transport.MultipartForm{MaxUploadSize: media.LargestUpload + 1<<20, MaxMemory: 8 << 20})
	server.SetQueryCache(lru.New[*ast.QueryDocument](1000))
	server.Use(extension.Introspection{})
	server.Use(extension.AutomaticPersistedQuery{Cache: lru.New[string](1000)})
	server.Use(&costLimit{})
	server.Use(batching{client})
	server.SetParserTokenLimit(parserTokens)
	server.AroundOperations(limitTime)
	server.SetErrorPresenter(presenter{deps.Logger}.present)
	server.SetRecoverFunc(func(_ context.Context, reason any) error {
		return fmt.Errorf("panic: %v\n%s", reason, debug.Stack())
	})
	return deps.Accounts.Middleware(withOutcome(limitBody(server)))
}

// limitTime ends operations that take too long; subscriptions run until the
// client leaves.
func limitTime(ctx context.Context, next graphql.OperationHandler) graphql.ResponseHandler {
	operation := graphql.GetOperationContext(ctx).Operation
	if operation == nil || operation.Operation == ast.Subscription {
		return next(ctx)
	}
	ctx, cancel := context.WithTimeout(ctx, maxOperation)
	respond := next(ctx)
	return func(ctx context.Context) *graphql.Response {
		ctx, stop := context.WithTimeout(ctx, maxOperation)
		defer stop()
		defer cancel()
		return respond(ctx)
	}
}

// limitBody bounds JSON bodies; the multipart transport bounds uploads itself.
func limitBody(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "multipart/form-data" {
			r.Body = http.MaxBytesReader(w, r.Body, maxBody)
		}
		next.ServeHTTP(w, r)
	})
}
