package resolvers

import (
	"context"
	"errors"
	"time"

	"github.com/svc-dev/svc/account"
	"github.com/svc-dev/svc/internal/graphqlhttp"
	"github.com/svc-dev/svc/studio"
)

// streamDraft sends what a follower is told, and closes it. It ends as watchLive does, and with the error that ends the
// follower, such as that the subscriber has lost the right.
func (r *Resolver) streamDraft(ctx context.Context, follower *studio.DraftFollower) <-chan *studio.DraftNews {
	answers := make(chan *studio.DraftNews)
	ctx, cancel := context.WithTimeout(ctx, watchFor)
	started := r.streams.Go(func(stopping context.Context) {
		defer close(answers)
		defer cancel()
		defer follower.Close()
		defer context.AfterFunc(stopping, cancel)()
		graphqlhttp.EndWith(ctx, r.sendDraft(ctx, follower, answers))
	})
	if !started {
		cancel()
		follower.Close()
		close(answers)
	}
	return answers
}

// sendDraft sends news until ctx ends, and looks every identifyEvery whether the subscriber may still have them.
func (r *Resolver) sendDraft(
	ctx context.Context, follower *studio.DraftFollower, answers chan<- *studio.DraftNews,
) error {
	identified := time.Now()
	for {
		news, err := next(ctx, follower, identified.Add(identifyEvery))
		switch {
		case ctx.Err() != nil:
			return nil //nolint:nilerr // the stream ends
		case err != nil && !errors.Is(err, context.DeadlineExceeded):
			return err
		}
		if time.Since(identified) >= identifyEvery {
			err := r.identifyFollower(ctx, follower)
			if err != nil && !unavailable(err) && ctx.Err() == nil {
				return err
			}
			identified = time.Now()
		}
		if news == nil {
			continue
		}
		select {
		case answers <- news:
		case <-ctx.Done():
			return nil
		}
	}
}

func next(ctx context.Context, follower *studio.DraftFollower, until time.Time) (*studio.DraftNews, error) {
	ctx, cancel := context.WithDeadline(ctx, until)
	defer cancel()
	return follower.Next(ctx)
}

// identifyFollower checks anew who follows, and that they may.
func (r *Resolver) identifyFollower(ctx context.Context, follower *studio.DraftFollower) error {
	who, err := r.accounts.Reidentify(ctx)
	if err != nil {
		return err
	}
	return follower.Authorize(account.With(ctx, who))
}
