package resolvers

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/analytics/runlog"
	"github.com/svc-dev/svc/analytics/session"
	"github.com/svc-dev/svc/analytics/simulation"
	"github.com/svc-dev/svc/ent"
	entapp "github.com/svc-dev/svc/ent/app"
	"github.com/svc-dev/svc/ent/environment"
	entflow "github.com/svc-dev/svc/ent/flow"
	"github.com/svc-dev/svc/ent/flowversion"
	"github.com/svc-dev/svc/manifest"
	"github.com/svc-dev/svc/resolvers/flowreport"
	"github.com/svc-dev/svc/studio"
)

const (
	// simulationsAtOnce is how many simulations run on a server, one of each workspace: each holds up to some hundred
	// megabytes of runs.
	simulationsAtOnce = 2
	// simulationTime bounds one, the wait for its turn included.
	simulationTime = 20 * time.Second
)

// simulateDraft replays the newest runs of a flow through its draft and its newest version.
func (r *Resolver) simulateDraft(
	ctx context.Context, flow uuid.UUID, kind environment.Kind, runs int,
) (*flowreport.Simulation, error) {
	draft, err := r.studio.OpenDraft(ctx, flow)
	if err != nil {
		return nil, err
	}
	app, err := r.finder.findOwnApp(ctx, "flow", entapp.HasFlowsWith(entflow.ID(flow)))
	if err != nil {
		return nil, err
	}
	environmentID, err := r.authorizeReports(ctx, app, kind)
	if err != nil {
		return nil, err
	}
	if runs < 1 || runs > simulation.MaxRuns {
		return nil, analytics.Invalid("runs", "must be 1 to %d", simulation.MaxRuns)
	}
	parsed, err := studio.ParseDraft(draft)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, simulationTime)
	defer cancel()
	end, err := r.simulations.Take(ctx, app.WorkspaceID)
	if err != nil {
		return nil, fmt.Errorf("wait for other simulations of the workspace: %w", err)
	}
	defer end()
	in := simulation.Input{
		Reader: &runlog.Reader{DB: r.db.Pool, EnvironmentID: environmentID, Flow: session.Key(flow)},
		DB:     r.db.Pool, Runs: runs, Draft: parsed, Version: r.readVersion, Now: r.now(), Lapse: windowsOf(app).Lapse,
	}
	simulated := &flowreport.Simulation{Revision: draft.Revision}
	newest, err := r.client.FlowVersion.Query().Where(flowversion.FlowID(flow)).
		Order(flowversion.ByNumber(newestFirst)).Select(flowversion.FieldID, flowversion.FieldNumber).First(ctx)
	switch {
	case err == nil:
		if in.Published, err = r.readVersion(ctx, session.Key(newest.ID)); err != nil {
			return nil, err
		}
		simulated.Version = &newest.Number
	case !ent.IsNotFound(err):
		return nil, fmt.Errorf("find the newest version: %w", err)
	}
	simulated.Result, err = simulation.Run(ctx, in)
	return simulated, err
}

// readVersion reads the manifest of a version; nil when there is none of the id, or it is of rules that are no more: a
// client may have sent any id.
func (r *Resolver) readVersion(ctx context.Context, id session.Key) (*manifest.Manifest, error) {
	version, err := r.client.FlowVersion.Query().Where(flowversion.ID(uuid.UUID(id))).
		Select(flowversion.FieldManifest).Only(ctx)
	if ent.IsNotFound(err) {
		return nil, nil //nolint:nilnil // as the comment says
	}
	if err != nil {
		return nil, fmt.Errorf("read a version: %w", err)
	}
	parsed, _ := manifest.Parse(version.Manifest)
	return parsed, nil
}
