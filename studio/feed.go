package studio

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/svc-dev/svc/internal/fault"
	listen "github.com/svc-dev/svc/postgres/notify"
)

// askEvery is how often a followed draft is looked at without a notification, in case that one was lost.
const askEvery = 5 * time.Second

// draftFeed tells the followers of drafts what comes, from whatever server. Each followed draft is read once for all
// of its followers; while there are any, one connection listens.
type draftFeed struct {
	pool   *pgxpool.Pool // nil: drafts are looked at every askEvery alone
	read   func(ctx context.Context, flow uuid.UUID, after int) (*DraftNews, error)
	logger *slog.Logger

	mu       sync.Mutex
	followed map[uuid.UUID]*followedDraft
	unlisten func() // nil while nobody follows
}

// followedDraft is a draft with its followers, who have been told, or will be, all up to revision.
type followedDraft struct {
	flow      uuid.UUID
	wake      chan struct{} // one value while somebody asks to read
	stop      func()        // ends the reading
	followers map[*DraftFollower]struct{}
	people    map[presentKey]present
	told      time.Time // when its followers were told last who is there
	tells     bool      // they are about to be
	revision  int
}

// join adds a follower. It reports false when there is more to read before.
func (d *draftFeed) join(f *DraftFollower) (bool, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	draft := d.followed[f.flow]
	if draft == nil {
		draft = d.open(f.flow, f.news.Revision)
	}
	switch {
	case len(draft.followers) >= maxFollowers:
		return false, fault.New(fault.Unavailable, "%d people and programs follow this draft already", maxFollowers)
	case draft.revision > f.news.Revision:
		return false, nil
	}
	draft.followers[f] = struct{}{}
	f.others = len(draft.people) > 0
	if len(f.news.Edits) > 0 || f.news.Reset || f.others {
		f.wake()
	}
	return true, nil
}

// open begins to read a draft, and to listen when it is the first. The feed is locked.
func (d *draftFeed) open(flow uuid.UUID, revision int) *followedDraft {
	draft := &followedDraft{
		flow: flow, wake: make(chan struct{}, 1), followers: map[*DraftFollower]struct{}{}, people: map[presentKey]present{},
		revision: revision,
	}
	d.followed[flow] = draft
	draft.stop = background(func(ctx context.Context) { d.follow(ctx, draft) })
	if d.unlisten == nil && d.pool != nil {
		d.unlisten = background(func(ctx context.Context) {
			listen.Follow(ctx, d.pool.Config().ConnConfig, listen.Follower{
				Name: "svc drafts", Channels: []string{DraftChannel, presenceChannel},
				Missed: d.missed, Heard: d.heard, Logger: d.logger,
			})
		})
	}
	return draft
}

// leave removes a follower, and ends what nobody needs any more.
func (d *draftFeed) leave(f *DraftFollower) {
	d.mu.Lock()
	var ends []func()
	if draft := d.followed[f.flow]; draft != nil {
		delete(draft.followers, f)
		if len(draft.followers) == 0 {
			delete(d.followed, f.flow)
			ends = append(ends, draft.stop)
		}
	}
	if len(d.followed) == 0 && d.unlisten != nil {
		ends = append(ends, d.unlisten)
		d.unlisten = nil
	}
	d.mu.Unlock()
	for _, end := range ends {
		end()
	}
}

// take takes what a follower has to be told; nil for nothing.
func (d *draftFeed) take(f *DraftFollower) (*DraftNews, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	news := f.news
	if f.end != nil || len(news.Edits) == 0 && !news.Reset && !f.others {
		return nil, f.end
	}
	if draft := d.followed[f.flow]; f.others && draft != nil {
		news.People, f.others = draft.list(), false
	}
	f.news, f.behind = &DraftNews{Revision: news.Revision, Edits: []*DraftEdit{}}, 0
	return news, nil
}

func (d *draftFeed) missed(context.Context) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, draft := range d.followed {
		offer(draft.wake)
	}
}

func (d *draftFeed) heard(_ context.Context, notifications []listen.Notification) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, notification := range notifications {
		if notification.Channel == presenceChannel {
			d.hearPresence(notification.Payload)
			continue
		}
		id, _, _ := strings.Cut(notification.Payload, ":")
		flow, err := uuid.Parse(id)
		if draft := d.followed[flow]; err == nil && draft != nil {
			offer(draft.wake)
		}
	}
}

// follow reads a draft when it changes and tells its followers, until ctx ends or the draft does.
func (d *draftFeed) follow(ctx context.Context, draft *followedDraft) {
	ticker := time.NewTicker(askEvery)
	defer ticker.Stop()
	failing := false
	for {
		select {
		case <-ctx.Done():
			return
		case <-draft.wake:
		case <-ticker.C:
		}
		news, err := d.read(ctx, draft.flow, draft.revision)
		if fault.Is(err, fault.NotFound) {
			d.end(draft, err)
			return
		}
		if err != nil && !failing && ctx.Err() == nil { // tried again by the ticker
			d.logger.WarnContext(ctx, "a draft can't be read for its followers", "flow", draft.flow, "error", err)
		}
		if failing = err != nil; failing {
			continue
		}
		d.mu.Lock()
		draft.revision = news.Revision
		draft.forget(d, time.Now())
		for f := range draft.followers {
			f.tell(news)
		}
		d.mu.Unlock()
	}
}

// end tells all followers of a draft that it is no more.
func (d *draftFeed) end(draft *followedDraft, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for f := range draft.followers {
		f.stop(err)
	}
}

// background runs work until the function that it returns is called, which waits for its end.
func background(work func(ctx context.Context)) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		work(ctx)
	}()
	return func() { cancel(); <-ended }
}
