// Package store keeps the frames of the environments that reports are asked for in memory, loads
// them from PostgreSQL and follows its changes (architecture.md, Reports: frames).
//
// Frames are a cache and nothing else: they can be dropped at any time. A view holds everything
// that was committed before its poll began, which is at most a second before the request. Where
// the database does not answer, a view is refused rather than stale.
package store

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/analytics/flow"
	"github.com/svc-dev/svc/analytics/frame"
	"github.com/svc-dev/svc/analytics/framedir"
	"github.com/svc-dev/svc/analytics/report"
	"github.com/svc-dev/svc/internal/service"
	"github.com/svc-dev/svc/internal/turns"
	"github.com/svc-dev/svc/postgres"
)

// Settings of a Store. The zero value of a field is its default.
type Settings struct {
	Budget     int64         // bytes that frames and ranges read in portions may take; default 1 GiB
	Loaders    int           // days read at once; default 2
	MaxAge     time.Duration // how long before a request its poll may have begun; default 1 s
	Patience   time.Duration // how long without progress before a request is refused; default 4 s
	FollowEach time.Duration // how often an idle store polls, so that a poll stays small; default 5 s
	Attend     time.Duration // how long after a request polls go on, so that the next one need not wait; default 10 s
	Idle       time.Duration // how long an environment stays without requests; default 30 min
	MembersFor time.Duration // how old a segment's membership may be; default 60 s
	StreamFor  time.Duration // how long a request may read a range that memory does not hold; default 60 s
	SaveEach   time.Duration // how often files are brought up to date; default 30 s
	Logger     *slog.Logger

	// Files keep frames beyond the process; nil keeps them in memory alone. Whoever makes the store closes them after it.
	Files *framedir.Directory
}

func (s Settings) withDefaults() Settings {
	for _, d := range []struct {
		value    *time.Duration
		fallback time.Duration
	}{
		{&s.MaxAge, time.Second}, {&s.Patience, 4 * time.Second}, {&s.FollowEach, 5 * time.Second},
		{&s.Attend, 10 * time.Second}, {&s.Idle, 30 * time.Minute}, {&s.MembersFor, time.Minute}, {&s.StreamFor, time.Minute},
		{&s.SaveEach, 30 * time.Second},
	} {
		if *d.value <= 0 {
			*d.value = d.fallback
		}
	}
	if s.Budget <= 0 {
		s.Budget = 1 << 30
	}
	if s.Loaders <= 0 {
		s.Loaders = 2
	}
	if s.Logger == nil {
		s.Logger = slog.Default()
	}
	return s
}

// Store keeps copies of environments in memory for reports. It may be used by several goroutines until
// it is stopped; without having been started it answers all the same, but follows the database only
// while it is asked.
type Store struct {
	pool     *pgxpool.Pool
	reader   *postgres.Reader
	engine   *report.Engine
	flows    *flow.Engine
	settings Settings
	loops    service.Loops
	latest   clock // when any task last reported progress
	checked  clock // since when nobody who was erased before is in the files of environments that are not open

	loaders    places // days read at once
	pollers    places // environments polled at once
	portions   places // held while a portion is in memory
	evaluating places // held while a segment is evaluated in portions or by the tables

	loading   atomic.Int64 // bytes of builders whose frames are in no replica yet
	polling   atomic.Int64 // bytes of changes that are in no replica yet
	streaming atomic.Int64 // bytes of portions, and of the values that scans know
	scanned   atomic.Int64 // selections that were scans, since New

	read         atomic.Int64 // days that were read from the database, since New
	reopened     atomic.Int64 // environments that were opened from their files, since New
	dropped      atomic.Int64 // environments whose files were dropped, since New
	saveFailures atomic.Int64 // files and environments that could not be saved, since New

	mu       sync.Mutex // of what follows; held for moments only
	replicas map[int64]*replica
	opening  map[int64]*task
	tooLarge map[int64]time.Time // environments whose visitors alone exceed the budget, and when that was seen
	reserved int64               // bytes that loads under way will add
	members  map[memberKey]*membership
	// workspaces are those of environments that are open.
	workspaces map[int64]uuid.UUID
	erasures   int // polls that found that people were erased
}

var _ service.Service = (*Store)(nil)

// evaluators is how many segments are evaluated in portions or by the tables at once, one of each workspace: what
// editors count must not keep the database from its other work.
const evaluators = 2

// New makes a store on the pool. Call Stop when done with it.
func New(pool *pgxpool.Pool, settings Settings) *Store {
	settings = settings.withDefaults()
	engine := report.NewEngine(report.DefaultTuning())
	s := &Store{
		pool: pool, reader: postgres.NewReader(pool),
		engine: engine, flows: flow.NewEngine(flow.DefaultTuning(), engine), settings: settings,
		replicas: map[int64]*replica{}, opening: map[int64]*task{}, tooLarge: map[int64]time.Time{},
		members: map[memberKey]*membership{}, workspaces: map[int64]uuid.UUID{},
	}
	s.loaders = s.newPlaces(settings.Loaders, settings.Loaders) // a day is a short turn
	s.pollers = s.newPlaces(pollers, turns.Half(pollers))
	s.portions = s.newPlaces(1, 1) // as is a portion
	s.evaluating = s.newPlaces(evaluators, turns.Half(evaluators))
	return s
}

// Start begins to follow the database, also while nobody asks.
func (s *Store) Start(context.Context) error {
	s.loops.Go(func(ctx context.Context) {
		tick := time.NewTicker(s.settings.FollowEach)
		defer tick.Stop()
		s.lookForErased(ctx)
		for {
			select {
			case <-ctx.Done():
				return
			case now := <-tick.C:
				s.closeIdle(now)
				s.lookForErased(ctx)
				s.followOpen(now)
				s.trim()
			}
		}
	})
	s.loops.Go(s.attend)
	s.loops.Go(func(ctx context.Context) {
		tick := time.NewTicker(s.settings.SaveEach)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				s.saveOpen(ctx)
				s.renewErased(ctx)
			}
		}
	})
	return nil
}

// Stop ends all work of the store.
func (s *Store) Stop(ctx context.Context) error { return s.loops.Stop(ctx) }

// closeIdle lets go of what nobody asked for in a while.
func (s *Store) closeIdle(now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, r := range s.replicas {
		if now.Sub(r.lastUsed()) > s.settings.Idle {
			delete(s.replicas, id)
			if at := r.lastPolled(); at.Before(s.checked.get()) {
				s.checked.set(at)
			}
		}
	}
	maps.DeleteFunc(s.workspaces, func(id int64, _ uuid.UUID) bool { return s.replicas[id] == nil })
	for key, m := range s.members {
		if now.Sub(m.at) > s.settings.MembersFor {
			delete(s.members, key)
		}
	}
}

// openReplicas lists what is open now.
func (s *Store) openReplicas() []*replica {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Collect(maps.Values(s.replicas))
}

// forget drops a replica; the next request reads its environment anew.
func (s *Store) forget(r *replica) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.replicas[r.id] == r {
		delete(s.replicas, r.id)
	}
}

// forgetMembers drops who is in the segments of an environment, also what is being found at this moment.
func (s *Store) forgetMembers(environmentID int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.erasures++
	maps.DeleteFunc(s.members, func(key memberKey, _ *membership) bool { return key.environment == environmentID })
}

// isOpen tells whether a replica has not been forgotten.
func (s *Store) isOpen(r *replica) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.replicas[r.id] == r
}

// View returns a view that holds every session of the environment with a hit in [from, to), every
// first touch, name and purchase, and everything acknowledged more than a second before the call. It
// fails with an error that wraps analytics.ErrUnavailable when the store can't answer. A range that
// memory does not hold at once is refused with a FieldError on "range"; Select reads such a range in
// portions.
func (s *Store) View(ctx context.Context, environmentID int64, from, to time.Time) (*frame.View, error) {
	view, err := s.view(ctx, environmentID, sessionsIn(from.UnixMilli(), to.UnixMilli()))
	return view, explain(ctx, err)
}

// explain makes an error one that a report may show.
func explain(ctx context.Context, err error) error {
	var field *analytics.FieldError
	switch {
	case err == nil, errors.As(err, &field), errors.Is(err, analytics.ErrUnavailable):
		return err
	case errors.Is(err, errBudget):
		return analytics.Invalid("range", "%v: ask for a shorter one", err)
	case errors.As(context.Cause(ctx), &field), errors.Is(ctx.Err(), context.Canceled):
		return context.Cause(ctx)
	}
	return fmt.Errorf("%w: %w", analytics.ErrUnavailable, err)
}

// explainNow does what explain does for a question about this moment, for which nobody can ask a shorter range.
func explainNow(ctx context.Context, err error) error {
	err = explain(ctx, err)
	var field *analytics.FieldError
	if errors.As(err, &field) && field.Field == "range" {
		return fmt.Errorf("%w: it needs more memory than reports may use", analytics.ErrUnavailable)
	}
	return err
}

// maxRounds bounds the retries of a request whose environment is forgotten or gets new days while
// it loads; more than a few mean that somebody rebuilds the environment right now.
const maxRounds = 8

func (s *Store) view(ctx context.Context, id int64, needs ...need) (*frame.View, error) {
	since := time.Now().Add(-s.settings.MaxAge)
	givenUp := false // days that were loaded gave way to those of other requests before the view was made
	for range maxRounds {
		r, err := s.replica(ctx, id, needs)
		if err != nil {
			return nil, err
		}
		for _, n := range needs {
			if err := s.know(ctx, r, tables[n.rows]); err != nil {
				return nil, err
			}
		}
		loaded, err := s.load(ctx, r, r.daysOf(needs))
		if err != nil {
			return nil, err
		}
		if loaded {
			// A row read just now may have a first touch that the last poll did not see.
			since = time.Now()
		}
		if err := s.follow(ctx, r, since); err != nil {
			return nil, err
		}
		if !s.isOpen(r) {
			givenUp = false
			continue
		}
		view, err := r.viewOf(ctx, needs, since)
		if err != nil || view != nil {
			return view, err
		}
		givenUp = true
	}
	if givenUp {
		return nil, errBudget // memory does not hold at once what is asked for at once
	}
	return nil, errors.New("the environment kept changing while it was read")
}

// replica returns the copy of an environment, opened for what is needed when it is not open.
func (s *Store) replica(ctx context.Context, id int64, needs []need) (*replica, error) {
	for {
		r, opening, err := s.startOpening(id, needs)
		if r != nil || err != nil {
			return r, err
		}
		if err := s.wait(ctx, opening); err != nil {
			return nil, err
		}
	}
}

// startOpening returns the replica of an environment when that is open, else the task that opens it.
func (s *Store) startOpening(id int64, needs []need) (*replica, *task, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r := s.replicas[id]; r != nil {
		return r, nil, nil
	}
	if at, large := s.tooLarge[id]; large && time.Since(at) < reopenAfter {
		return nil, nil, errBudget
	}
	if s.opening[id] == nil {
		s.opening[id] = s.start(hangLimit, func(ctx context.Context, t *task) error {
			r, err := s.open(ctx, t, id, needs)
			s.mu.Lock()
			defer s.mu.Unlock()
			delete(s.opening, id)
			switch {
			case err == nil:
				r.markUsed(nil)
				s.replicas[id] = r
				delete(s.tooLarge, id)
			case errors.Is(err, errBudget):
				s.tooLarge[id] = time.Now()
			}
			return err
		})
	}
	return nil, s.opening[id], nil
}
