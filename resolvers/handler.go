package resolvers

import (
	"context"
	"log/slog"
	"maps"
	"net/http"
	"net/netip"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/handler/extension"
	"github.com/google/uuid"
	"github.com/vektah/gqlparser/v2/ast"

	"github.com/svc-dev/svc/account"
	"github.com/svc-dev/svc/account/sqlrole"
	"github.com/svc-dev/svc/automation"
	"github.com/svc-dev/svc/automation/alerting"
	"github.com/svc-dev/svc/automation/notification"
	"github.com/svc-dev/svc/automation/notification/bymail"
	"github.com/svc-dev/svc/automation/scheduledreport"
	"github.com/svc-dev/svc/ent"
	"github.com/svc-dev/svc/graph"
	"github.com/svc-dev/svc/ingest/archive/exports"
	"github.com/svc-dev/svc/ingest/history/uploads"
	"github.com/svc-dev/svc/internal/bodylimit"
	"github.com/svc-dev/svc/internal/clientaddr"
	"github.com/svc-dev/svc/internal/graphqlhttp"
	"github.com/svc-dev/svc/internal/joined"
	"github.com/svc-dev/svc/internal/service"
	"github.com/svc-dev/svc/internal/turns"
	"github.com/svc-dev/svc/people"
	"github.com/svc-dev/svc/postgres"
	"github.com/svc-dev/svc/resolvers/flowreport"
	"github.com/svc-dev/svc/revenue/figures"
	"github.com/svc-dev/svc/sdk/packages"
	"github.com/svc-dev/svc/studio"
	"github.com/svc-dev/svc/studio/media"
)

const (
	// maxOperation ends a query or a mutation that takes longer.
	maxOperation = 30 * time.Second
	// maxUpload ends one that reads a file: the minute in which a body must have
	// arrived (internal/httpserver), and the time of every operation.
	maxUpload = time.Minute + maxOperation
)

// Deps are what the GraphQL server answers from.
type Deps struct {
	DB       *postgres.DB
	Accounts *account.Accounts
	Studio   *studio.Studio
	// Automations runs what apps automate.
	Automations *automation.Automations
	// Reports is the store of the report engine; without it every report answers
	// product_analytics_unavailable.
	Reports Reports
	// Mails tells members by email.
	Mails *bymail.Mails
	// ScheduledReports sends members reports; it asks this server for what they say.
	ScheduledReports *scheduledreport.Reports
	// Imports bring in the history of other tools.
	Imports *uploads.Uploads
	// Exports write environments into buckets.
	Exports *exports.Exports
	// Packages are the SDKs that the server offers.
	Packages *packages.Packages
	// SQLHost is where clients of SQL roles reach the database; members make none where it is empty.
	SQLHost string
	// Revenue keeps what figures of revenue are computed of; nil means one of its own.
	Revenue *figures.Ledgers
	// PastDueGrace is how long SDK traffic goes on after a payment became late.
	PastDueGrace time.Duration
	// Bodies is the memory for request bodies; nil has no bounds.
	Bodies *bodylimit.Budget
	// TrustedProxies may say which address a request comes from.
	TrustedProxies []netip.Prefix
	// Streams runs the live streams; they end when it is stopped, which must be
	// before the server waits for its requests. Nil means that nobody stops them.
	Streams *service.Loops
	Logger  *slog.Logger     // nil means slog.Default()
	Now     func() time.Time // nil means time.Now
}

// NewHandler returns the GraphQL endpoint: POST and multipart, GET for queries, server
// sent events for subscriptions, automatic persisted queries. It authenticates by
// itself, from the Authorization header or the session cookie.
func NewHandler(deps Deps) http.Handler {
	if deps.Logger == nil {
		deps.Logger = slog.Default()
	}
	if deps.Now == nil {
		deps.Now = time.Now
	}
	if deps.Streams == nil {
		deps.Streams = &service.Loops{}
	}
	if deps.Packages == nil {
		deps.Packages = packages.New("")
	}
	if deps.Revenue == nil {
		deps.Revenue = figures.NewLedgers(deps.DB.Pool, figures.Settings{})
	}
	client := deps.DB.Ent()
	deliveries := func(ctx context.Context, alerts []uuid.UUID) (map[uuid.UUID]*scheduledreport.Delivery, error) {
		return alerting.Deliveries(ctx, deps.DB.Pool, alerts)
	}
	found := finder{
		client, deps.Studio.ReadDrafts, deliveries, deps.Accounts.AppsOfKeys, &joined.Reads[uuid.UUID, *ent.App]{},
	}
	server := graphqlhttp.New(graphqlhttp.Config{
		Schema: graph.NewExecutableSchema(graph.Config{
			Schema: schemaWithoutDefer(),
			Resolvers: &Resolver{
				db:           deps.DB,
				client:       client,
				accounts:     deps.Accounts,
				sqlRoles:     sqlrole.Members{DB: deps.DB, Host: deps.SQLHost},
				studio:       deps.Studio,
				reports:      deps.Reports,
				revenue:      deps.Revenue,
				people:       people.New(deps.DB.Pool, people.Options{Now: deps.Now}),
				finder:       found,
				environments: newEnvironments(),
				versions:     flowreport.NewVersions(found.readManifest),
				streams:      deps.Streams,
				now:          deps.Now,
				automations:  deps.Automations,
				grace:        deps.PastDueGrace,
				packages:     deps.Packages,
				inbox:        notification.NewInbox(deps.DB.Pool),
				mails:        deps.Mails,
				scheduled:    deps.ScheduledReports,
				imports:      deps.Imports,
				exports:      deps.Exports,
				simulations:  turns.New[uuid.UUID](simulationsAtOnce, 1),
			},
		}),
		Caller: caller,
		Maker:  maker,
		Bodies: deps.Bodies,
		Client: func(r *http.Request) string {
			if name, err := caller(r.Context()); err == nil {
				return name
			}
			address, _ := clientaddr.Of(r, deps.TrustedProxies)
			return clientaddr.LimitKey(address)
		},
		MaxUpload: media.LargestUpload,
	})
	server.Use(extension.Introspection{})
	server.Use(&costLimit{})
	server.Use(batching{found})
	server.AroundOperations(limitTime)
	server.SetErrorPresenter(presenter{deps.Logger}.present)
	server.AroundFields(found.aroundField)
	server.SetRecoverFunc(recoverField(deps.Reports))
	if deps.ScheduledReports != nil {
		deps.ScheduledReports.AskWith(askerOf(server))
	}
	return deps.Accounts.Middleware(server)
}

// schemaWithoutDefer returns the schema without the directive @defer, which gqlgen
// declares: an answer is one response, in which everything deferred would be
// missing.
func schemaWithoutDefer() *ast.Schema {
	schema := *graph.NewExecutableSchema(graph.Config{}).Schema()
	schema.Directives = maps.Clone(schema.Directives)
	delete(schema.Directives, "defer")
	return &schema
}

// caller names the key, the shared link or the person that makes a request.
func caller(ctx context.Context) (string, error) {
	p, err := account.From(ctx)
	if err != nil {
		return "", err
	}
	return p.ID().String(), nil
}

// maker names the person that makes a request, also by a key, or the app of a shared link.
func maker(ctx context.Context) string {
	p, err := account.From(ctx)
	switch {
	case err != nil:
		return ""
	case p.Link() != nil:
		return p.Link().App.String()
	}
	return p.UserID.String()
}

// limitTime ends operations that take too long; subscriptions run until the
// client leaves.
func limitTime(ctx context.Context, next graphql.OperationHandler) graphql.ResponseHandler {
	if graphql.GetOperationContext(ctx).Operation.Operation == ast.Subscription {
		return next(ctx)
	}
	limit := maxOperation
	if graphqlhttp.IsUpload(ctx) {
		limit = maxUpload
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	respond := next(ctx)
	return func(ctx context.Context) *graphql.Response {
		ctx, stop := context.WithTimeout(ctx, limit)
		defer stop()
		defer cancel()
		return respond(ctx)
	}
}
