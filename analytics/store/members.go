package store

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"time"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/analytics/frame"
	"github.com/svc-dev/svc/analytics/report"
	"github.com/svc-dev/svc/postgres"
)

// memberKey tells segments apart by what they say, of which it keeps a hash. A stored segment, which may
// name a million people, says its version instead of their ids.
type memberKey struct {
	environment int64
	definition  [sha256.Size]byte
}

// keyOf returns the key of a segment. Every list is written with its length, so that no two segments that
// differ are written alike.
func keyOf(environment int64, segment *analytics.Segment) (memberKey, error) {
	rules, err := json.Marshal(segment.Rules)
	if err != nil {
		return memberKey{}, err
	}
	hash := sha256.New()
	w := bufio.NewWriter(hash)
	write := func(texts ...string) {
		_ = binary.Write(w, binary.BigEndian, uint64(len(texts))) // a hash takes everything
		for _, text := range texts {
			_ = binary.Write(w, binary.BigEndian, uint64(len(text)))
			_, _ = w.WriteString(text)
		}
	}
	write(segment.ID, segment.Version, string(rules))
	write(segment.AppUserIDs...)
	write(segment.CustomUserIDs...)
	_ = w.Flush()
	return memberKey{environment, [sha256.Size]byte(hash.Sum(nil))}, nil
}

// membership is who a segment's members were at a time.
type membership struct {
	members *report.Members
	at      time.Time
	began   time.Time // when finding them began: what happened before it is in
}

// Members evaluates a segment, at most MembersFor ago. SegmentView gives them together with a view that
// numbers its visitors alike.
func (s *Store) Members(
	ctx context.Context, environmentID int64, segment *analytics.Segment, now time.Time,
) (*report.Members, error) {
	members, err := s.membersOf(ctx, environmentID, segment, now)
	return members, explainNow(ctx, err)
}

func (s *Store) membersOf(
	ctx context.Context, environmentID int64, segment *analytics.Segment, now time.Time,
) (*report.Members, error) {
	key, err := keyOf(environmentID, segment)
	if err != nil {
		return nil, err
	}
	began := time.Now()
	people, err := s.view(ctx, environmentID, sessionsIn(now.UnixMilli(), now.UnixMilli()))
	if err != nil {
		return nil, err
	}
	members, erasures := s.remembered(key, people, segment.Since)
	if members != nil {
		return members, nil
	}
	if segment, err = segment.WithImported(ctx); err != nil {
		return nil, err
	}
	chosen, segment, err := s.choose(ctx, environmentID, segment, now)
	if err != nil {
		return nil, err
	}
	view, err := s.view(ctx, environmentID, windowOf(segment, now)...)
	switch {
	case err == nil && !chosen.Of(view):
		err = errReloaded
	case errors.Is(err, errBudget):
		// One of a workspace at a time: the second to ask finds the answer of the first.
		leave, waited := s.evaluating.take(ctx, environmentID)
		if waited != nil {
			return nil, waited
		}
		defer leave()
		if members, _ := s.remembered(key, people, segment.Since); members != nil {
			return members, nil
		}
		members, err = s.membersInPortions(postgres.ForAll(ctx), environmentID, people, segment, now)
	case err == nil:
		members, err = s.engine.MembersAmong(view, segment, chosen, now)
	}
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	if s.erasures == erasures { // else they may have somebody who is erased
		s.members[key] = &membership{members, time.Now(), began}
	}
	s.mu.Unlock()
	s.trim()
	return members, nil
}

// remembered returns a segment's members when they were evaluated lately, and not before a time, for the environment of
// the view, and how often people were erased by now.
func (s *Store) remembered(
	key memberKey, view *frame.View, since time.Time,
) (members *report.Members, erasures int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := s.members[key]
	if m != nil && time.Since(m.at) < s.settings.MembersFor && !m.began.Before(since) && m.members.Of(view) {
		members = m.members
	}
	return members, s.erasures
}

// windowOf returns what a segment's rules look at, sessions first, in a time that ends ahead of now because devices may
// be a few minutes ahead. Rules that are not of sessions look at none.
func windowOf(segment *analytics.Segment, now time.Time) []need {
	if !segment.Rules.OfSessions() {
		return []need{sessionsIn(now.UnixMilli(), now.UnixMilli())}
	}
	start, end := segment.Rules.Window(now)
	return sessionsIn(start.UnixMilli(), end.Add(report.ClockSkew).UnixMilli()).withRuns(
		analytics.HasRunFilter(segment.Rules.Cross))
}

// membersInPortions evaluates a segment whose window memory does not hold at once, for the visitors of
// the view.
func (s *Store) membersInPortions(
	ctx context.Context, environmentID int64, view *frame.View, segment *analytics.Segment, now time.Time,
) (*report.Members, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	window := windowOf(segment, now)
	scan, err := s.newScan(ctx, environmentID, window[0].span, window...)
	if err != nil {
		return nil, err
	}
	if err := segment.Validate(); err != nil {
		return nil, err
	}
	members := report.NoMembers(view)
	err = scan.Each(ctx, func(portion *frame.View) error { return s.engine.AddMembers(members, portion, segment, now) })
	return members, err
}
