package resolvers

import (
	"context"

	"github.com/svc-dev/svc/ent/environment"
	"github.com/svc-dev/svc/studio"
)

// readWatch reads the watch over the newest version of a channel, for a caller who may read reports.
func (r *Resolver) readWatch(ctx context.Context, publicID string) (*studio.ChannelWatch, error) {
	ch, err := r.finder.findChannel(ctx, publicID)
	if err != nil {
		return nil, err
	}
	looking, cancel := context.WithTimeout(ctx, lookupTime)
	defer cancel()
	env, err := r.client.Environment.Query().Where(environment.ID(ch.EnvironmentID)).WithApp().Only(looking)
	if err != nil {
		return nil, readError(err, "environment")
	}
	if _, err := r.authorizeReports(ctx, env.Edges.App, env.Kind); err != nil {
		return nil, err
	}
	return r.studio.Watcher(r.reports).Read(ctx, ch)
}
