package ingest

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/svc-dev/svc/analytics/frame"
	"github.com/svc-dev/svc/analytics/session"
)

// sessionKey names one session. Sessions are written in its order, so that two
// transactions never wait for each other in a circle.
type sessionKey struct {
	visitorKey
	sessionID string
}

func (k sessionKey) compare(o sessionKey) int {
	return cmp.Or(k.visitorKey.compare(o.visitorKey), strings.Compare(k.sessionID, o.sessionID))
}

// visitorKey names one visitor.
type visitorKey struct {
	environment int64
	appUserID   string
}

func (k visitorKey) compare(o visitorKey) int {
	return cmp.Or(cmp.Compare(k.environment, o.environment), strings.Compare(k.appUserID, o.appUserID))
}

// foldedSession is what the hits of a batch add up to in one session.
type foldedSession struct {
	sessionKey
	session.Row
}

// foldSessions adds the product events among items up to sessions, in the order
// in which they are written.
func foldSessions(items []*item) []foldedSession {
	place := map[sessionKey]int{}
	var sessions []foldedSession
	for _, it := range items {
		if it.path != PathProduct {
			continue
		}
		e := it.product
		key := sessionKey{visitorKey{it.environment, e.AppUserID}, e.SessionID}
		row := session.Of(session.Event{
			Visitor: e.AppUserID, SessionID: e.SessionID, Key: session.Key(e.Key), At: e.OccurredAt.UnixMilli(),
			Start: e.Name == NameSessionStart, Hit: frame.PackHit(e.OccurredAt.UnixMilli(), uint32(it.nameIDs[0])),
			CustomUserID: e.CustomUserID, Attribution: e.Attribution, Place: e.Place,
			Device:         session.Device{Platform: e.Platform, Device: e.Device, Browser: e.Browser, OS: e.OS},
			OrganicUnknown: e.OrganicUnknown,
		})
		if i, ok := place[key]; ok {
			sessions[i].Row = session.Merge(sessions[i].Row, row)
			continue
		}
		place[key] = len(sessions)
		sessions = append(sessions, foldedSession{key, row})
	}
	slices.SortFunc(sessions, func(a, b foldedSession) int { return a.compare(b.sessionKey) })
	return sessions
}

// touchOutcome says what a merged session does to its visitor's first touch.
type touchOutcome int8

const (
	touchUnchanged touchOutcome = iota
	touchChanged
	touchLookBack // the winning session fell behind: all sessions of the visitor have to be compared
)

// updateTouch brings a visitor's first touch up to date with one session as it
// stands after its merge. A session's candidate can get worse when a better
// attribution snapshot comes late and has fewer of the values; then only a look
// at all sessions tells who wins.
func updateTouch(touch *session.FirstTouch, candidate session.FirstTouch) touchOutcome {
	merged := session.MergeFirstTouch(*touch, candidate)
	fellBehind := false
	if candidate.SessionID == touch.SessionID {
		// The winning session's own row replaces what was kept of it.
		fellBehind = cmp.Or(cmp.Compare(candidate.Rank, touch.Rank), cmp.Compare(candidate.StartedAt, touch.StartedAt)) > 0
		merged = withFacts(candidate, merged)
	}
	changed := merged != *touch
	*touch = merged
	switch {
	case fellBehind:
		return touchLookBack
	case changed:
		return touchChanged
	}
	return touchUnchanged
}

// withFacts returns the candidate with what does not come from the winning session:
// the first hit and the latest custom user id.
func withFacts(candidate, facts session.FirstTouch) session.FirstTouch {
	candidate.FirstSeen, candidate.CustomUserOrigin = facts.FirstSeen, facts.CustomUserOrigin
	candidate.CustomUserID = facts.CustomUserID
	return candidate
}

func millis(ms int64) time.Time { return time.UnixMilli(ms).UTC() }
