package resolvers

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/google/uuid"
	"github.com/vikstrous/dataloadgen"

	"github.com/svc-dev/svc/automation/scheduledreport"
	"github.com/svc-dev/svc/ent"
	entapp "github.com/svc-dev/svc/ent/app"
	"github.com/svc-dev/svc/ent/channel"
	"github.com/svc-dev/svc/ent/environment"
	"github.com/svc-dev/svc/ent/experiment"
	"github.com/svc-dev/svc/ent/flow"
	"github.com/svc-dev/svc/ent/flowversion"
	"github.com/svc-dev/svc/ent/goal"
	"github.com/svc-dev/svc/ent/segmentmember"
	"github.com/svc-dev/svc/ent/user"
	"github.com/svc-dev/svc/ent/variant"
	"github.com/svc-dev/svc/ent/workspace"
)

const (
	// batchWait is how long the first row of a batch waits for the others: resolvers of one list run at once.
	batchWait = time.Millisecond
	// batchSize bounds the ids of one statement.
	batchSize = 500
)

// batch reads what the rows of one answer point at: the ids of all rows in one statement, and every id once.
type batch struct {
	workspaces     *dataloadgen.Loader[uuid.UUID, *ent.Workspace]
	users          *dataloadgen.Loader[uuid.UUID, *ent.User]
	apps           *dataloadgen.Loader[uuid.UUID, *ent.App]
	environments   *dataloadgen.Loader[int64, *ent.Environment]
	environmentsOf *dataloadgen.Loader[uuid.UUID, []*ent.Environment] // by app
	flows          *dataloadgen.Loader[uuid.UUID, *ent.Flow]          // without their drafts
	drafts         *dataloadgen.Loader[uuid.UUID, json.RawMessage]    // by flow
	versions       *dataloadgen.Loader[uuid.UUID, *ent.FlowVersion]   // without their manifests
	manifests      *dataloadgen.Loader[uuid.UUID, json.RawMessage]    // by version
	channels       *dataloadgen.Loader[int64, *ent.Channel]
	experiments    *dataloadgen.Loader[uuid.UUID, *ent.Experiment]
	goals          *dataloadgen.Loader[uuid.UUID, *ent.Goal]
	slack          *dataloadgen.Loader[uuid.UUID, *scheduledreport.Delivery] // latest of each alert; nil without one
	variantsOf     *dataloadgen.Loader[uuid.UUID, []*ent.Variant]            // by experiment, in their order
	importedOf     *dataloadgen.Loader[uuid.UUID, int]                       // how many ids each segment has imported
	keyApps        *dataloadgen.Loader[uuid.UUID, uuid.UUID]                 // of keys of one app
	auditNames     *dataloadgen.Loader[auditID, string]                      // "" for what has none
}

func newBatch(r finder) *batch {
	c := r.client
	return &batch{
		workspaces: single(func(ctx context.Context, ids []uuid.UUID) ([]*ent.Workspace, error) {
			return c.Workspace.Query().Where(workspace.IDIn(ids...)).All(ctx)
		}, func(w *ent.Workspace) uuid.UUID { return w.ID }),
		users: single(func(ctx context.Context, ids []uuid.UUID) ([]*ent.User, error) {
			return c.User.Query().Where(user.IDIn(ids...)).All(ctx)
		}, func(u *ent.User) uuid.UUID { return u.ID }),
		apps: single(func(ctx context.Context, ids []uuid.UUID) ([]*ent.App, error) {
			return c.App.Query().Where(entapp.IDIn(ids...)).All(ctx)
		}, func(a *ent.App) uuid.UUID { return a.ID }),
		environments: single(func(ctx context.Context, ids []int64) ([]*ent.Environment, error) {
			return c.Environment.Query().Where(environment.IDIn(ids...)).All(ctx)
		}, func(e *ent.Environment) int64 { return e.ID }),
		environmentsOf: grouped(func(ctx context.Context, apps []uuid.UUID) ([]*ent.Environment, error) {
			return c.Environment.Query().Where(environment.AppIDIn(apps...)).Order(environment.ByID()).All(ctx)
		}, func(e *ent.Environment) uuid.UUID { return e.AppID }),
		flows: single(func(ctx context.Context, ids []uuid.UUID) ([]*ent.Flow, error) {
			return c.Flow.Query().Where(flow.IDIn(ids...)).Select(flowColumns...).All(ctx)
		}, func(f *ent.Flow) uuid.UUID { return f.ID }),
		drafts: loader(func(ctx context.Context, flows []uuid.UUID) (map[uuid.UUID]json.RawMessage, error) {
			return r.drafts(ctx, flows...)
		}),
		versions: single(func(ctx context.Context, ids []uuid.UUID) ([]*ent.FlowVersion, error) {
			return c.FlowVersion.Query().Where(flowversion.IDIn(ids...)).Select(versionColumns...).All(ctx)
		}, func(v *ent.FlowVersion) uuid.UUID { return v.ID }),
		manifests: loader(func(ctx context.Context, versions []uuid.UUID) (map[uuid.UUID]json.RawMessage, error) {
			rows, err := c.FlowVersion.Query().Where(flowversion.IDIn(versions...)).Select(flowversion.FieldManifest).All(ctx)
			return texts(rows, func(v *ent.FlowVersion) (uuid.UUID, []byte) { return v.ID, v.Manifest }), err
		}),
		channels: single(func(ctx context.Context, ids []int64) ([]*ent.Channel, error) {
			return c.Channel.Query().Where(channel.IDIn(ids...)).All(ctx)
		}, func(ch *ent.Channel) int64 { return ch.ID }),
		experiments: single(func(ctx context.Context, ids []uuid.UUID) ([]*ent.Experiment, error) {
			return c.Experiment.Query().Where(experiment.IDIn(ids...)).All(ctx)
		}, func(x *ent.Experiment) uuid.UUID { return x.ID }),
		goals: single(func(ctx context.Context, ids []uuid.UUID) ([]*ent.Goal, error) {
			return c.Goal.Query().Where(goal.IDIn(ids...)).All(ctx)
		}, func(g *ent.Goal) uuid.UUID { return g.ID }),
		slack: loader(r.slack),
		variantsOf: grouped(func(ctx context.Context, experiments []uuid.UUID) ([]*ent.Variant, error) {
			return c.Variant.Query().Where(variant.ExperimentIDIn(experiments...)).
				Order(variant.ByPosition(), variant.ByID()).All(ctx)
		}, func(v *ent.Variant) uuid.UUID { return v.ExperimentID }),
		importedOf: loader(func(ctx context.Context, segments []uuid.UUID) (map[uuid.UUID]int, error) {
			return countImported(ctx, c, segments)
		}),
		keyApps: loader(r.keys),
		auditNames: loader(func(ctx context.Context, ids []auditID) (map[auditID]string, error) {
			return readAuditNames(ctx, c, ids)
		}),
	}
}

func countImported(ctx context.Context, c *ent.Client, segments []uuid.UUID) (map[uuid.UUID]int, error) {
	var rows []struct {
		Segment uuid.UUID `json:"segment_id"`
		Count   int       `json:"count"`
	}
	err := c.SegmentMember.Query().Where(segmentmember.SegmentIDIn(segments...)).
		GroupBy(segmentmember.FieldSegmentID).Aggregate(ent.Count()).Scan(ctx, &rows)
	if err != nil {
		return nil, fmt.Errorf("count the imported ids: %w", err)
	}
	counts := make(map[uuid.UUID]int, len(segments))
	for _, id := range segments {
		counts[id] = 0
	}
	for _, row := range rows {
		counts[row.Segment] = row.Count
	}
	return counts, nil
}

// texts returns the documents of rows by their ids.
func texts[T any](rows []*T, of func(*T) (uuid.UUID, []byte)) map[uuid.UUID]json.RawMessage {
	byID := make(map[uuid.UUID]json.RawMessage, len(rows))
	for _, row := range rows {
		id, text := of(row)
		byID[id] = text
	}
	return byID
}

func loader[K comparable, V any](read func(context.Context, []K) (map[K]V, error)) *dataloadgen.Loader[K, V] {
	return dataloadgen.NewMappedLoader(read, dataloadgen.WithWait(batchWait), dataloadgen.WithBatchCapacity(batchSize))
}

// single loads the one row of each key.
func single[K comparable, T any](
	read func(context.Context, []K) ([]*T, error), key func(*T) K,
) *dataloadgen.Loader[K, *T] {
	return loader(func(ctx context.Context, keys []K) (map[K]*T, error) {
		rows, err := read(ctx, keys)
		if err != nil {
			return nil, err
		}
		byKey := make(map[K]*T, len(rows))
		for _, row := range rows {
			byKey[key(row)] = row
		}
		return byKey, nil
	})
}

// grouped loads all rows of each key; a key may have none.
func grouped[K comparable, T any](
	read func(context.Context, []K) ([]*T, error), key func(*T) K,
) *dataloadgen.Loader[K, []*T] {
	return loader(func(ctx context.Context, keys []K) (map[K][]*T, error) {
		rows, err := read(ctx, keys)
		if err != nil {
			return nil, err
		}
		byKey := make(map[K][]*T, len(keys))
		for _, k := range keys {
			byKey[k] = []*T{}
		}
		for _, row := range rows {
			byKey[key(row)] = append(byKey[key(row)], row)
		}
		return byKey, nil
	})
}

// batching gives every root field a batch of its own. Mutations of one operation run one after another, so each one's
// answer reads what it has changed.
type batching struct{ finder }

// ExtensionName implements graphql.HandlerExtension.
func (b batching) ExtensionName() string { return "Batching" }

// Validate implements graphql.HandlerExtension.
func (b batching) Validate(graphql.ExecutableSchema) error { return nil }

// InterceptRootField implements graphql.RootFieldInterceptor.
func (b batching) InterceptRootField(ctx context.Context, next graphql.RootResolver) graphql.Marshaler {
	return next(context.WithValue(ctx, batchKey{}, newBatch(b.finder)))
}

type batchKey struct{}

// batch returns the batch of the root field that is answered; a row of a subscription has one of its own.
func (r finder) batch(ctx context.Context) *batch {
	if b, ok := ctx.Value(batchKey{}).(*batch); ok {
		return b
	}
	return newBatch(r)
}
