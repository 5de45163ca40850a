package store

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/analytics/frame"
	"github.com/svc-dev/svc/analytics/report"
)

type memberKey struct {
	environment int64
	definition  string
}

type membership struct {
	members *report.Members
	at      time.Time
}

// Members evaluates a segment, at most MembersFor ago. The scope of a report takes them together
// with a view of the same environment; when Members.Of says no, ask again.
func (s *Store) Members(ctx context.Context, environmentID int64, segment *analytics.Segment, now time.Time) (*report.Members, error) {
	members, err := s.membersOf(ctx, environmentID, segment, now)
	return members, explain(ctx, err)
}

func (s *Store) membersOf(ctx context.Context, environmentID int64, segment *analytics.Segment, now time.Time) (*report.Members, error) {
	definition, err := json.Marshal(segment)
	if err != nil {
		return nil, err
	}
	key := memberKey{environmentID, string(definition)}
	people, err := s.view(ctx, environmentID, now.UnixMilli(), now.UnixMilli())
	if err != nil {
		return nil, err
	}
	if members := s.remembered(key, people); members != nil {
		return members, nil
	}
	window := windowOf(segment, now)
	view, err := s.view(ctx, environmentID, window.from, window.to)
	var members *report.Members
	switch {
	case errors.Is(err, errBudget):
		// One at a time: the second to ask finds the answer of the first.
		s.membersTurn.Lock()
		defer s.membersTurn.Unlock()
		if members := s.remembered(key, people); members != nil {
			return members, nil
		}
		members, err = s.membersInPortions(ctx, environmentID, people, segment, now)
	case err == nil:
		members, err = report.MembersOf(view, segment, now)
	}
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.members[key] = &membership{members, time.Now()}
	return members, nil
}

// remembered is a segment's members when they were evaluated lately, for the environment of the view.
func (s *Store) remembered(key memberKey, view *frame.View) *report.Members {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := s.members[key]
	if m == nil || time.Since(m.at) >= s.settings.MembersFor || !m.members.Of(view) {
		return nil
	}
	return m.members
}

// windowOf is the time that a segment's rules look at, which ends ahead of now because devices may be
// a few minutes ahead.
func windowOf(segment *analytics.Segment, now time.Time) span {
	start, end := now, now
	if segment.Rules != nil {
		start, end = segment.Rules.Window(now)
	}
	return span{start.UnixMilli(), end.Add(report.ClockSkew).UnixMilli()}
}

// membersInPortions evaluates a segment whose window memory does not hold at once, for the visitors of
// the view.
func (s *Store) membersInPortions(ctx context.Context, environmentID int64, view *frame.View, segment *analytics.Segment, now time.Time) (*report.Members, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stream, err := s.newStream(ctx, environmentID, windowOf(segment, now))
	if err != nil {
		return nil, err
	}
	if err := segment.Validate(); err != nil {
		return nil, err
	}
	members := report.NoMembers(view)
	err = stream.Each(ctx, func(portion *frame.View) error { return members.Include(portion, segment, now) })
	return members, err
}
