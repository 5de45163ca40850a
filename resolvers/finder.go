package resolvers

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"entgo.io/ent/dialect/sql"
	"github.com/google/uuid"
	"github.com/vikstrous/dataloadgen"

	"github.com/svc-dev/svc/account"
	"github.com/svc-dev/svc/automation/scheduledreport"
	"github.com/svc-dev/svc/ent"
	entapp "github.com/svc-dev/svc/ent/app"
	"github.com/svc-dev/svc/ent/channel"
	"github.com/svc-dev/svc/ent/component"
	"github.com/svc-dev/svc/ent/environment"
	"github.com/svc-dev/svc/ent/experiment"
	"github.com/svc-dev/svc/ent/flow"
	"github.com/svc-dev/svc/ent/flowversion"
	"github.com/svc-dev/svc/ent/predicate"
	"github.com/svc-dev/svc/ent/segment"
	"github.com/svc-dev/svc/internal/fault"
	"github.com/svc-dev/svc/internal/joined"
)

var newestFirst = sql.OrderDesc()

func deref[T any](value *T) T {
	if value == nil {
		var zero T
		return zero
	}
	return *value
}

func pointers[T any](values []T) []*T {
	out := make([]*T, len(values))
	for i := range values {
		out[i] = &values[i]
	}
	return out
}

// finder finds single entities for callers who may see them. What belongs to a
// foreign workspace is reported as not found.
type finder struct {
	client *ent.Client
	drafts readDrafts
	slack  readDeliveries
	keys   readKeyApps
	apps   *joined.Reads[uuid.UUID, *ent.App]
}

// readKeyApps reads the one app that keys reach, of those that reach one alone.
type readKeyApps func(ctx context.Context, keys []uuid.UUID) (map[uuid.UUID]uuid.UUID, error)

// readDeliveries reads what became of the latest message to Slack of alerts.
type readDeliveries func(ctx context.Context, alerts []uuid.UUID) (map[uuid.UUID]*scheduledreport.Delivery, error)

// readDrafts reads drafts as they are now, by flow.
type readDrafts func(ctx context.Context, flows ...uuid.UUID) (map[uuid.UUID]json.RawMessage, error)

// findApp finds an app for any member or key of its workspace. It is for the one app that a root field names: no other
// row of the answer can ask for an app before there is this one, so nothing is gained by waiting for a batch. Those who
// open a dashboard at the same time share it.
func (r finder) findApp(ctx context.Context, id uuid.UUID) (*ent.App, error) {
	return r.findAppBy(ctx, func(reading context.Context) (*ent.App, error) {
		app, err := r.apps.Read(reading, id, lookupTime, func(ctx context.Context) (*ent.App, error) {
			return r.client.App.Get(ctx, id)
		})
		if err == nil {
			r.batch(ctx).apps.Prime(id, app)
		}
		return app, err
	})
}

// findAppOf finds the app of a row of the answer as findApp does, those of all rows in one statement.
func (r finder) findAppOf(ctx context.Context, id uuid.UUID) (*ent.App, error) {
	return r.findAppBy(ctx, func(reading context.Context) (*ent.App, error) { return r.batch(ctx).apps.Load(reading, id) })
}

func (r finder) findAppBy(ctx context.Context, read func(context.Context) (*ent.App, error)) (*ent.App, error) {
	p, err := account.From(ctx)
	if err != nil {
		return nil, err
	}
	reading, cancel := context.WithTimeout(ctx, lookupTime)
	defer cancel()
	app, err := read(reading)
	if err != nil {
		return nil, readError(err, "app")
	}
	if link := p.Link(); link != nil && link.App == app.ID {
		return app, nil // limitReaders lets them see no more of it than the link shows
	}
	if _, member := p.Role(app.WorkspaceID); !member {
		return nil, fault.Missing("app")
	}
	return app, nil
}

// findOwnApp finds the one app that matches, in a workspace of the caller.
func (r finder) findOwnApp(ctx context.Context, what string, where predicate.App) (*ent.App, error) {
	p, err := account.From(ctx)
	if err != nil {
		return nil, err
	}
	reading, cancel := context.WithTimeout(ctx, lookupTime)
	defer cancel()
	app, err := r.client.App.Query().Where(where).Only(reading)
	if err != nil {
		return nil, readError(err, what)
	}
	if _, member := p.Role(app.WorkspaceID); !member {
		return nil, fault.Missing(what)
	}
	return app, nil
}

// authorize checks the caller's capability in the workspace of the app that
// matches.
func (r finder) authorize(ctx context.Context, capability account.Capability, what string, where predicate.App) error {
	app, err := r.findOwnApp(ctx, what, where)
	if err != nil {
		return err
	}
	_, err = account.Authorize(ctx, app.WorkspaceID, capability)
	return err
}

func (r finder) authorizeApp(ctx context.Context, id uuid.UUID, capability account.Capability) error {
	app, err := r.findApp(ctx, id)
	if err != nil {
		return err
	}
	_, err = account.Authorize(ctx, app.WorkspaceID, capability)
	return err
}

func (r finder) findFlow(ctx context.Context, id uuid.UUID) (*ent.Flow, error) {
	if err := r.authorize(ctx, account.StudioRead, "flow", entapp.HasFlowsWith(flow.ID(id))); err != nil {
		return nil, err
	}
	found, err := r.client.Flow.Query().Where(flow.ID(id)).Select(flowColumns...).Only(ctx)
	if err != nil {
		return nil, readError(err, "flow")
	}
	return found, nil
}

func (r finder) findVersion(ctx context.Context, id uuid.UUID) (*ent.FlowVersion, error) {
	of := entapp.HasFlowsWith(flow.HasVersionsWith(flowversion.ID(id)))
	if err := r.authorize(ctx, account.StudioRead, "version", of); err != nil {
		return nil, err
	}
	found, err := r.client.FlowVersion.Get(ctx, id)
	if err != nil {
		return nil, readError(err, "version")
	}
	return found, nil
}

func (r finder) findChannel(ctx context.Context, publicID string) (*ent.Channel, error) {
	of := entapp.HasEnvironmentsWith(environment.HasChannelsWith(channel.PublicID(publicID)))
	if err := r.authorize(ctx, account.StudioRead, "channel", of); err != nil {
		return nil, err
	}
	found, err := r.client.Channel.Query().Where(channel.PublicID(publicID)).Only(ctx)
	if err != nil {
		return nil, readError(err, "channel")
	}
	return found, nil
}

func (r finder) findExperiment(ctx context.Context, id uuid.UUID) (*ent.Experiment, error) {
	of := entapp.HasEnvironmentsWith(environment.HasChannelsWith(channel.HasExperimentsWith(experiment.ID(id))))
	if err := r.authorize(ctx, account.StudioRead, "experiment", of); err != nil {
		return nil, err
	}
	found, err := r.client.Experiment.Get(ctx, id)
	if err != nil {
		return nil, readError(err, "experiment")
	}
	return found, nil
}

// findSegment finds a segment for who may read reports: that is what it is for.
func (r finder) findSegment(ctx context.Context, id uuid.UUID) (*ent.Segment, error) {
	if err := r.authorize(ctx, account.AnalyticsRead, "segment", entapp.HasSegmentsWith(segment.ID(id))); err != nil {
		return nil, err
	}
	found, err := r.client.Segment.Get(ctx, id)
	if err != nil {
		return nil, readError(err, "segment")
	}
	return found, nil
}

// findComponent finds a component for who may read drafts.
func (r finder) findComponent(ctx context.Context, id uuid.UUID) (*ent.Component, error) {
	if err := r.authorize(ctx, account.StudioRead, "component", entapp.HasComponentsWith(component.ID(id))); err != nil {
		return nil, err
	}
	found, err := r.client.Component.Get(ctx, id)
	if err != nil {
		return nil, readError(err, "component")
	}
	return found, nil
}

// The following read what an entity that the caller may see points at.

func (r finder) loadWorkspace(ctx context.Context, id uuid.UUID) (*ent.Workspace, error) {
	return load(ctx, r.batch(ctx).workspaces, id, "workspace")
}

func (r finder) loadUser(ctx context.Context, id uuid.UUID) (*ent.User, error) {
	return load(ctx, r.batch(ctx).users, id, "user")
}

func (r finder) loadOptionalUser(ctx context.Context, id *uuid.UUID) (*ent.User, error) {
	return loadOptional(ctx, r.batch(ctx).users, id, "user")
}

// loadAppOfKey reads the one app that a key reaches; null for a key that reaches all apps of its workspace.
func (r finder) loadAppOfKey(ctx context.Context, key uuid.UUID) (*ent.App, error) {
	app, err := load(ctx, r.batch(ctx).keyApps, key, "app")
	if fault.Is(err, fault.NotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return r.findAppOf(ctx, app)
}

// loadAuthor reads who did something in a workspace; null for callers who may not see its members.
func (r finder) loadAuthor(ctx context.Context, workspace uuid.UUID, id *uuid.UUID) (*ent.User, error) {
	p, err := account.From(ctx)
	if err != nil {
		return nil, err
	}
	if !p.Can(workspace, account.StudioRead) {
		return nil, nil
	}
	return r.loadOptionalUser(ctx, id)
}

// workspaceOf finds the workspace of an environment that the caller may see.
func (r finder) workspaceOf(ctx context.Context, environmentID int64) (uuid.UUID, error) {
	env, err := load(ctx, r.batch(ctx).environments, environmentID, "environment")
	if err != nil {
		return uuid.Nil, err
	}
	app, err := r.findAppOf(ctx, env.AppID)
	if err != nil {
		return uuid.Nil, err
	}
	return app.WorkspaceID, nil
}

func (r finder) loadOptionalVersion(ctx context.Context, id *uuid.UUID) (*ent.FlowVersion, error) {
	return loadOptional(ctx, r.batch(ctx).versions, id, "version")
}

func (r finder) loadOptionalExperiment(ctx context.Context, id *uuid.UUID) (*ent.Experiment, error) {
	return loadOptional(ctx, r.batch(ctx).experiments, id, "experiment")
}

// loadVariant reads one variant of an experiment; null when it is not there any more.
func (r finder) loadVariant(ctx context.Context, experiment, variant *uuid.UUID) (*ent.Variant, error) {
	if experiment == nil || variant == nil {
		return nil, nil
	}
	variants, err := load(ctx, r.batch(ctx).variantsOf, *experiment, "variants")
	if err != nil {
		return nil, err
	}
	if i := slices.IndexFunc(variants, func(v *ent.Variant) bool { return v.ID == *variant }); i >= 0 {
		return variants[i], nil
	}
	return nil, nil
}

// The columns of rows that are read for what is written of them in lists. A draft and a manifest have up to a megabyte
// each, and are read when somebody asks for them.
var (
	flowColumns    = without(flow.Columns, flow.FieldDraft) // which may be a checkpoint as well
	versionColumns = without(flowversion.Columns, flowversion.FieldManifest)
)

func without(columns []string, column string) []string {
	return slices.DeleteFunc(slices.Clone(columns), func(c string) bool { return c == column })
}

func (r finder) loadDraft(ctx context.Context, of *ent.Flow) (json.RawMessage, error) {
	if of.Draft != nil {
		return of.Draft, nil
	}
	return load(ctx, r.batch(ctx).drafts, of.ID, "flow")
}

func (r finder) loadManifest(ctx context.Context, of *ent.FlowVersion) (json.RawMessage, error) {
	if of.Manifest != nil {
		return of.Manifest, nil
	}
	return load(ctx, r.batch(ctx).manifests, of.ID, "version")
}

// readManifest returns the manifest of a version by itself.
func (r finder) readManifest(ctx context.Context, id uuid.UUID) (json.RawMessage, error) {
	version, err := r.client.FlowVersion.Query().Where(flowversion.ID(id)).Select(flowversion.FieldManifest).Only(ctx)
	if err != nil {
		return nil, readError(err, "version")
	}
	return version.Manifest, nil
}

// load reads a row that another one points at.
func load[K comparable, T any](ctx context.Context, from *dataloadgen.Loader[K, T], id K, what string) (T, error) {
	found, err := from.Load(ctx, id)
	if err != nil {
		return found, readError(err, what)
	}
	return found, nil
}

// loadOptional reads what an id stands for; null when there is no id, or nothing
// left under it.
func loadOptional[T any](
	ctx context.Context, from *dataloadgen.Loader[uuid.UUID, *T], id *uuid.UUID, what string,
) (*T, error) {
	if id == nil {
		return nil, nil
	}
	found, err := load(ctx, from, *id, what)
	if fault.Is(err, fault.NotFound) {
		return nil, nil
	}
	return found, err
}

func readError(err error, what string) error {
	if ent.IsNotFound(err) || errors.Is(err, dataloadgen.ErrNotFound) {
		return fault.Missing(what)
	}
	return fmt.Errorf("read the %s: %w", what, err)
}

// encodeCursor returns a place in a list that is ordered by time and id.
func encodeCursor(at time.Time, id uuid.UUID) string {
	return base64.RawURLEncoding.EncodeToString([]byte(at.UTC().Format(time.RFC3339Nano) + " " + id.String()))
}

func parseCursor(text string) (time.Time, uuid.UUID, error) {
	invalid := fault.Invalid("after", "is not a cursor of this list")
	data, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		return time.Time{}, uuid.Nil, invalid
	}
	var stamp, id string
	if _, err := fmt.Sscan(string(data), &stamp, &id); err != nil {
		return time.Time{}, uuid.Nil, invalid
	}
	at, err := time.Parse(time.RFC3339Nano, stamp)
	if err != nil {
		return time.Time{}, uuid.Nil, invalid
	}
	parsed, err := uuid.Parse(id)
	if err != nil {
		return time.Time{}, uuid.Nil, invalid
	}
	return at, parsed, nil
}
