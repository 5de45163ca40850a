package store

import (
	"context"
	"errors"
	"time"
)

// pollers is how many environments are polled at once.
const pollers = 4

// follow waits for a poll of the replica that began after since, starting one when there is none.
// Requests that come while it runs share it.
func (s *Store) follow(ctx context.Context, r *replica, since time.Time) error {
	for {
		t := s.startPoll(r, since)
		if t == nil {
			return nil
		}
		if err := s.wait(ctx, t); err != nil {
			return err
		}
	}
}

// startPoll starts a poll unless one runs, whose task it returns then. It returns nil when the latest
// finished poll began after since.
//
// A poll is given up when the database is silent for as long as requests wait, not when there is much to
// read. It is of one environment and in a transaction of its own, so that neither its length nor its
// failure is another's.
func (s *Store) startPoll(r *replica, since time.Time) *task {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.polled.After(since) {
		return nil
	}
	if r.polling == nil {
		r.polling = s.start(s.settings.Patience, func(ctx context.Context, t *task) error {
			leave, err := t.queue(ctx, s.pollers, r.id)
			if err == nil {
				err = s.poll(ctx, t, r)
				leave()
			}
			s.noteFailure(ctx, r, err)
			return err
		})
	}
	return r.polling
}

// noteFailure ends the poll of a replica, and logs the first failure of several.
func (s *Store) noteFailure(ctx context.Context, r *replica, err error) {
	r.mu.Lock()
	first := err != nil && !r.failing
	r.polling, r.failing = nil, err != nil
	r.mu.Unlock()
	if first && !errors.Is(context.Cause(ctx), context.Canceled) {
		s.settings.Logger.Warn("product reports can't follow the database", "environment_id", r.id, "error", err)
	}
}

// followOpen polls what is open, so that the poll of a request after a quiet hour is small.
func (s *Store) followOpen(now time.Time) {
	for _, r := range s.openReplicas() {
		s.startPoll(r, now.Add(-s.settings.FollowEach))
	}
}

// attendEach is how often it is looked whether a poll is due of what is in use.
const attendEach = 100 * time.Millisecond

// attend polls what was asked for lately, before it is too old for the next request: somebody reads a page between two
// clicks, and should not wait for a poll at each.
func (s *Store) attend(ctx context.Context) {
	young := s.settings.MaxAge - 2*attendEach // old enough to be polled, young enough to end in time
	if young < attendEach {
		return // requests want to see later than any poll before them
	}
	tick := time.NewTicker(attendEach)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-tick.C:
			for _, r := range s.openReplicas() {
				if now.Sub(r.lastUsed()) < s.settings.Attend {
					s.startPoll(r, now.Add(-young))
				}
			}
		}
	}
}

// Age returns how long ago the poll began that is the oldest of the latest ones of all open environments; 0
// when none is open.
func (s *Store) Age() time.Duration {
	age := time.Duration(0)
	for _, r := range s.openReplicas() {
		age = max(age, time.Since(r.lastPolled()))
	}
	return age
}
