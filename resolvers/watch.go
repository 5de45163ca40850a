package resolvers

import (
	"context"
	"reflect"
	"time"

	"github.com/svc-dev/svc/account"
	"github.com/svc-dev/svc/ent"
	"github.com/svc-dev/svc/graph"
	"github.com/svc-dev/svc/internal/graphqlhttp"
)

const (
	// watchEvery is how often the live report is looked at for a subscriber.
	watchEvery = 2 * time.Second
	// identifyEvery is how often a subscriber is identified anew: a stream ends soon
	// after a session, a key, a membership or a scope did.
	identifyEvery = 15 * time.Second
	// watchFor ends a stream, so that none stays open for ever.
	watchFor = time.Hour
)

// watchLive sends the live report at once and then whenever it differs from what
// was sent. It ends with the request, when the streams are stopped, after watchFor, or with an
// error that is not the store's, such as that the subscriber has lost the right;
// the store's are waited out.
func (r *Resolver) watchLive(ctx context.Context, app *ent.App, input liveInput) (<-chan *graph.Live, error) {
	who, err := account.From(ctx)
	if err != nil {
		return nil, err
	}
	first, err := r.readLive(ctx, app, input)
	if err != nil {
		return nil, err
	}
	w := &liveWatch{Resolver: r, app: app, input: input, who: who, identified: time.Now(), sent: first}
	answers := make(chan *graph.Live)
	ctx, cancel := context.WithTimeout(ctx, watchFor)
	started := r.streams.Go(func(stopping context.Context) {
		defer close(answers)
		defer cancel()
		defer context.AfterFunc(stopping, cancel)()
		graphqlhttp.EndWith(ctx, w.send(ctx, answers))
	})
	if !started {
		cancel()
		close(answers)
	}
	return answers, nil
}

// liveWatch is one subscription.
type liveWatch struct {
	*Resolver
	app        *ent.App
	input      liveInput
	who        *account.Principal
	identified time.Time
	sent       *graph.Live
}

// send sends reports until ctx ends; the error is that of a look.
func (w *liveWatch) send(ctx context.Context, answers chan<- *graph.Live) error {
	ticker := time.NewTicker(watchEvery)
	defer ticker.Stop()
	for changed := w.sent; ; {
		if changed != nil {
			select {
			case answers <- changed:
			case <-ctx.Done():
				return nil
			}
		}
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
		var err error
		if changed, err = w.readChanged(ctx); err != nil && !unavailable(err) && ctx.Err() == nil {
			return err
		}
	}
}

// readChanged returns the report when it differs from the one that was sent last.
func (w *liveWatch) readChanged(ctx context.Context) (*graph.Live, error) {
	if time.Since(w.identified) >= identifyEvery {
		who, err := w.accounts.Reidentify(ctx)
		if err != nil {
			return nil, err
		}
		w.who, w.identified = who, time.Now()
	}
	now, err := w.readLive(account.With(ctx, w.who), w.app, w.input)
	if err != nil || reflect.DeepEqual(now, w.sent) {
		return nil, err
	}
	w.sent = now
	return now, nil
}
