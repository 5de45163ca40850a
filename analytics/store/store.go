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
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/analytics/frame"
)

// Settings of a Store. The zero value of a field is its default.
type Settings struct {
	Budget     int64         // bytes that frames and ranges read in portions may take; default 1 GiB
	Loaders    int           // days read at once; default 2
	MaxAge     time.Duration // how long before a request its poll may have begun; default 1 s
	Patience   time.Duration // how long without progress before a request is refused; default 4 s
	FollowEach time.Duration // how often an idle store polls, so that a poll stays small; default 5 s
	Idle       time.Duration // how long an environment stays without requests; default 30 min
	MembersFor time.Duration // how old a segment's membership may be; default 60 s
	StreamFor  time.Duration // how long a request may read a range that memory does not hold; default 60 s
	Logger     *slog.Logger
}

func (s Settings) withDefaults() Settings {
	for _, d := range []struct {
		value    *time.Duration
		fallback time.Duration
	}{
		{&s.MaxAge, time.Second}, {&s.Patience, 4 * time.Second}, {&s.FollowEach, 5 * time.Second},
		{&s.Idle, 30 * time.Minute}, {&s.MembersFor, time.Minute}, {&s.StreamFor, time.Minute},
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

// Store implements analytics.Store. It may be used by several goroutines between New and Close.
type Store struct {
	pool     *pgxpool.Pool
	settings Settings
	patience time.Duration
	slots    chan struct{} // bounds the days read at once

	base     context.Context // ends with Close
	cancel   context.CancelFunc
	running  sync.WaitGroup
	progress clock // latest row read by a load

	gate      chan struct{} // held while a portion is in memory
	loading   atomic.Int64  // bytes of builders whose frames are in no environment yet
	streaming atomic.Int64  // bytes of portions, and of the values that streams know
	streamed  atomic.Int64  // selections that were streams, since the start

	mu           sync.Mutex
	environments map[int64]*environment
	opening      map[int64]*task
	tooLarge     map[int64]time.Time // environments whose visitors alone exceed the budget, and when that was seen
	reserved     int64               // bytes that loads under way will add
	members      map[memberKey]*membership

	membersTurn sync.Mutex // held while a segment is evaluated in portions

	pollMu  sync.Mutex
	polling *task
	polled  time.Time // when the latest finished poll began
}

var _ analytics.Store = (*Store)(nil)

// New makes a store on the pool and starts to follow the database. Call Close when done.
func New(pool *pgxpool.Pool, settings Settings) *Store {
	settings = settings.withDefaults()
	s := &Store{
		pool: pool, settings: settings, patience: settings.Patience, slots: make(chan struct{}, settings.Loaders), gate: make(chan struct{}, 1),
		environments: map[int64]*environment{}, opening: map[int64]*task{}, tooLarge: map[int64]time.Time{}, members: map[memberKey]*membership{},
	}
	s.base, s.cancel = context.WithCancel(context.Background())
	s.start(func() error { s.follow(); return nil })
	return s
}

// Close ends all work of the store.
func (s *Store) Close() {
	s.cancel()
	s.running.Wait()
}

// follow polls while environments are open, so that the poll of a request after a quiet hour is
// small, and closes those that nobody asks for.
func (s *Store) follow() {
	tick := time.NewTicker(s.settings.FollowEach)
	defer tick.Stop()
	for {
		select {
		case <-s.base.Done():
			return
		case now := <-tick.C:
			s.closeIdle(now)
			if err := s.fresh(s.base, now.Add(-s.settings.FollowEach)); err != nil && s.base.Err() == nil {
				s.settings.Logger.Warn("following product sessions", "error", err)
			}
			s.trim()
		}
	}
}

func (s *Store) closeIdle(now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, e := range s.environments {
		e.mu.Lock()
		idle := now.Sub(e.used) > s.settings.Idle
		e.mu.Unlock()
		if idle {
			delete(s.environments, id)
		}
	}
	for key, m := range s.members {
		if now.Sub(m.at) > s.settings.MembersFor {
			delete(s.members, key)
		}
	}
}

// forget drops an environment; the next request reads it anew.
func (s *Store) forget(e *environment) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.environments[e.id] == e {
		delete(s.environments, e.id)
	}
}

// View implements analytics.Store. A range that memory does not hold at once is refused with a
// FieldError on "range"; Select reads such a range in portions.
func (s *Store) View(ctx context.Context, environmentID int64, from, to time.Time) (*frame.View, error) {
	view, err := s.view(ctx, environmentID, from.UnixMilli(), to.UnixMilli())
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

// maxRounds bounds the retries of a request whose environment is forgotten or gets new days while
// it loads; more than a few mean that somebody rebuilds the environment right now.
const maxRounds = 8

func (s *Store) view(ctx context.Context, id int64, from, to int64) (*frame.View, error) {
	since := time.Now().Add(-s.settings.MaxAge)
	for range maxRounds {
		e, err := s.environment(ctx, id, span{from, to})
		if err != nil {
			return nil, err
		}
		days := e.needed(from, to)
		loaded, err := s.load(ctx, e, days)
		if err != nil {
			return nil, err
		}
		if loaded {
			// A session read just now may have a first touch that the last poll did not see.
			since = time.Now()
		}
		if err := s.fresh(ctx, since); err != nil {
			return nil, err
		}
		s.mu.Lock()
		current := s.environments[id] == e
		s.mu.Unlock()
		if !current || e.lacks(e.needed(from, to)) {
			continue
		}
		return e.current(), nil
	}
	return nil, errors.New("the environment kept changing while it was read")
}

// environment is the open environment, opened when it is not, for the wanted range.
func (s *Store) environment(ctx context.Context, id int64, wanted span) (*environment, error) {
	for {
		s.mu.Lock()
		if e := s.environments[id]; e != nil {
			s.mu.Unlock()
			return e, nil
		}
		if at, large := s.tooLarge[id]; large && time.Since(at) < reopenAfter {
			s.mu.Unlock()
			return nil, errBudget
		}
		opening := s.opening[id]
		if opening == nil {
			opening = s.start(func() error {
				ctx, cancel := context.WithTimeout(s.base, taskLimit)
				defer cancel()
				e, err := s.open(ctx, id, wanted)
				s.mu.Lock()
				defer s.mu.Unlock()
				delete(s.opening, id)
				switch {
				case err == nil:
					e.touch(nil)
					s.environments[id] = e
				case errors.Is(err, errBudget):
					s.tooLarge[id] = time.Now()
				}
				return err
			})
			s.opening[id] = opening
		}
		s.mu.Unlock()
		if err := s.wait(ctx, opening); err != nil {
			return nil, err
		}
	}
}

// taskLimit ends a read that hangs, so that a connection to a database that is gone is given up.
const taskLimit = time.Minute

// wait waits for a task as long as rows keep coming.
func (s *Store) wait(ctx context.Context, t *task) error {
	begun := time.Now()
	tick := time.NewTicker(s.patience / 20)
	defer tick.Stop()
	for {
		select {
		case <-t.done:
			return t.err
		case <-ctx.Done():
			return ctx.Err()
		case now := <-tick.C:
			if now.Sub(begun) > s.patience && now.Sub(time.Unix(0, s.progress.Load())) > s.patience {
				return errors.New("the database does not answer")
			}
		}
	}
}

// lacks tells whether one of the days is not loaded.
func (e *environment) lacks(days []int32) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.ContainsFunc(days, func(number int32) bool { return !e.days[number].loaded })
}

// load reads the days that are missing and makes room for them. It tells whether it read any.
func (s *Store) load(ctx context.Context, e *environment, days []int32) (bool, error) {
	var tasks []*task
	expected, total := e.expected(days, s.settings.Loaders)
	if err := s.makeRoom(e, days, total); err != nil {
		return false, err
	}
	defer func() { s.release(total) }()
	e.touch(days)
	e.mu.Lock()
	for _, number := range days {
		d := e.days[number]
		if d.loaded {
			continue
		}
		if d.loading == nil {
			d.loading = s.start(func() error { return s.loadOne(e, number) })
		}
		tasks = append(tasks, d.loading)
	}
	e.mu.Unlock()
	for _, t := range tasks {
		if err := s.wait(ctx, t); err != nil {
			return false, err
		}
		for number, bytes := range expected {
			if e.has(number) {
				s.release(bytes)
				total -= bytes
				delete(expected, number)
			}
		}
		if err := s.makeRoom(e, days, 0); err != nil {
			s.trim()
			return false, err
		}
	}
	return len(tasks) > 0, nil
}

// loadOne reads one day when its turn comes.
func (s *Store) loadOne(e *environment, number int32) error {
	select {
	case s.slots <- struct{}{}:
		defer func() { <-s.slots }()
	case <-s.base.Done():
		return s.base.Err()
	}
	ctx, cancel := context.WithTimeout(s.base, taskLimit)
	defer cancel()
	err := s.loadDay(ctx, e, number)
	if err != nil {
		e.mu.Lock()
		d := e.days[number]
		d.loading, d.changed, d.stale = nil, nil, false
		e.mu.Unlock()
		return fmt.Errorf("reading the sessions of a day: %w", err)
	}
	return nil
}
