package resolvers

import (
	"context"
	"reflect"
	"time"

	"github.com/99designs/gqlgen/graphql"

	"github.com/svc-dev/svc/ent"
	"github.com/svc-dev/svc/graph"
)

// watchEvery is how often the live report is looked at for a subscriber.
const watchEvery = 2 * time.Second

// watchFor ends a stream, so that a client signs in again with what it may do now.
const watchFor = time.Hour

// watchLive sends the live report at once and then whenever it differs from what
// was sent. It ends with the request, with the server or after watchFor; an error that is not
// the store's ends it too, the store's are waited out.
func (r *Resolver) watchLive(ctx context.Context, app *ent.App, input liveInput) (<-chan *graph.Live, error) {
	latest, err := r.live(ctx, app, input)
	if err != nil {
		return nil, err
	}
	answers := make(chan *graph.Live)
	ctx, cancel := context.WithTimeout(ctx, watchFor)
	go func() {
		defer close(answers)
		defer cancel()
		ticker := time.NewTicker(watchEvery)
		defer ticker.Stop()
		send := latest
		for {
			if send != nil {
				select {
				case answers <- send:
				case <-ctx.Done():
					return
				}
			}
			select {
			case <-ctx.Done():
				return
			case <-r.draining:
				return
			case <-ticker.C:
			}
			next, err := r.live(ctx, app, input)
			switch {
			case err == nil:
			case unavailable(err):
				send = nil
				continue
			default:
				graphql.AddError(ctx, err)
				return
			}
			send = nil
			if !reflect.DeepEqual(next, latest) {
				latest, send = next, next
			}
		}
	}()
	return answers, nil
}
