package studio

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/svc-dev/svc/account"
	"github.com/svc-dev/svc/internal/fault"
)

// FellBehind ends a follower that does not take what it is told: whoever follows reads the draft again.
const FellBehind fault.Code = "fell_behind"

const (
	// maxBehind is how many edits wait for a follower.
	maxBehind = 64
	// maxFollowers bounds those of one draft on one server.
	maxFollowers = 200
)

// DraftNews is what came to a draft since its follower was told last.
type DraftNews struct {
	Revision int          // of the draft now
	Edits    []*DraftEdit // of anybody, the oldest first
	Reset    bool         // Edits can't say what came: the draft is to be read again
	// People are those who have the draft open; nil when they are as they were told last.
	People []*DraftPerson
}

// add adds what came later.
func (n *DraftNews) add(later *DraftNews) {
	n.Revision = later.Revision
	n.Edits = append(n.Edits, later.Edits...)
	if n.Reset = n.Reset || later.Reset; n.Reset {
		n.Edits = []*DraftEdit{}
	}
}

// DraftFollower is somebody who follows a draft. Close it.
type DraftFollower struct {
	studio  *Studio
	flow    uuid.UUID
	changed chan struct{} // one value while there is something to take

	// Under the lock of the feed.
	news   *DraftNews
	behind int   // edits of news that came while it followed
	others bool  // who is there changed
	end    error // why it is told nothing more
}

// FollowDraft follows a draft from a revision on: what came since is the first that its follower is told. Its errors
// are faults: who may not read the draft, a revision that the draft does not have yet, too many followers.
func (s *Studio) FollowDraft(ctx context.Context, flow uuid.UUID, after int) (*DraftFollower, error) {
	f := &DraftFollower{
		studio: s, flow: flow, changed: make(chan struct{}, 1), news: &DraftNews{Revision: after, Edits: []*DraftEdit{}},
	}
	if err := f.Authorize(ctx); err != nil {
		return nil, err
	}
	for {
		missed, err := s.readNews(ctx, flow, f.news.Revision)
		if err != nil {
			return nil, err
		}
		if missed.Revision < after {
			return nil, fault.Invalid("after", "the draft is at revision %d", missed.Revision)
		}
		f.news.add(missed)
		joined, err := s.feed.join(f)
		if err != nil {
			return nil, err
		}
		if joined {
			return f, nil
		}
	}
}

// Authorize checks that the caller may still read the draft. Its errors are faults.
func (f *DraftFollower) Authorize(ctx context.Context) error {
	flow, err := f.studio.readFlow(ctx, f.flow)
	if err != nil {
		return err
	}
	return account.AuthorizeApp(ctx, ownerOf(flow.Edges.App), "flow", account.StudioRead)
}

// Next waits for news. Its error is a fault when there are none any more, and that of ctx when ctx ended.
func (f *DraftFollower) Next(ctx context.Context) (*DraftNews, error) {
	for {
		news, err := f.studio.feed.take(f)
		if news != nil || err != nil {
			return news, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-f.changed:
		}
	}
}

// Close ends following.
func (f *DraftFollower) Close() { f.studio.feed.leave(f) }

// tell adds news for the follower. The feed is locked.
func (f *DraftFollower) tell(news *DraftNews) {
	if news.Revision <= f.news.Revision || f.end != nil {
		return
	}
	later := &DraftNews{Revision: news.Revision, Reset: news.Reset}
	for _, edit := range news.Edits {
		if edit.Revision > f.news.Revision {
			later.Edits = append(later.Edits, edit)
		}
	}
	f.news.add(later)
	f.behind += len(later.Edits)
	if f.behind > maxBehind {
		f.stop(fault.New(FellBehind, "more than %d edits wait for this stream; read the draft again", maxBehind))
		return
	}
	f.wake()
}

// stop tells the follower an error and nothing more. The feed is locked.
func (f *DraftFollower) stop(err error) {
	f.end, f.news = err, &DraftNews{Revision: f.news.Revision}
	f.wake()
}

func (f *DraftFollower) wake() { offer(f.changed) }

// offer puts a value into a channel that has room for one, unless there is one.
func offer(channel chan struct{}) {
	select {
	case channel <- struct{}{}:
	default:
	}
}

// readNews reads what came to a draft after a revision.
func (s *Studio) readNews(ctx context.Context, flow uuid.UUID, after int) (*DraftNews, error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	row, err := readDraftRow(ctx, s.client, flow, "null from flows where id = $1")
	if err != nil {
		return nil, err
	}
	news := &DraftNews{Revision: row.revision}
	news.Edits, news.Reset, err = readOthers(ctx, s.client, flow, after, row.revision+1)
	return news, err
}
