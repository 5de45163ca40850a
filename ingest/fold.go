package ingest

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"time"
)

// HitEpoch is the zero of packed hit times.
var HitEpoch = time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)

const (
	hitNameBits = 22
	maxNameID   = 1<<hitNameBits - 1 // of event_name.id
)

// PackHit packs a hit into one word that sorts by time: milliseconds since
// HitEpoch above the 22 bits of its name id.
func PackHit(at time.Time, nameID int32) int64 {
	return (at.UnixMilli()-HitEpoch.UnixMilli())<<hitNameBits | int64(nameID)
}

// UnpackHit undoes PackHit.
func UnpackHit(hit int64) (at time.Time, nameID int32) {
	return time.UnixMilli(hit>>hitNameBits + HitEpoch.UnixMilli()).UTC(), int32(hit & maxNameID)
}

// stamp is where an attribute group comes from. The smaller stamp wins; the key
// breaks ties on time by byte order (analytics.md §2). The zero stamp is none.
type stamp struct {
	rank int8 // of attribution candidates; 0 elsewhere
	at   time.Time
	key  Key
}

func (s stamp) none() bool { return s.at.IsZero() }

func (s stamp) compare(o stamp) int {
	return cmp.Or(cmp.Compare(s.rank, o.rank), s.at.Compare(o.at), bytes.Compare(s.key[:], o.key[:]))
}

// beats says that a group with stamp s replaces one with stamp o.
func (s stamp) beats(o stamp) bool { return !s.none() && (o.none() || s.compare(o) < 0) }

// attributionStamp ranks an event as a source of its session's attribution:
// session_start with signal, any hit with signal, session_start with only a
// landing URL or the organic flag, any hit with only these.
func attributionStamp(e *ProductEvent) stamp {
	if e.Attribution.IsEmpty() {
		return stamp{}
	}
	rank := int8(0)
	if !e.Attribution.HasSignal() {
		rank = 2
	}
	if e.Name != NameSessionStart {
		rank++
	}
	return stamp{rank: rank, at: e.OccurredAt, key: e.Key}
}

// sessionKey names one session. Sessions are written in its order, so that two
// transactions never wait for each other in a circle.
type sessionKey struct {
	environment          int64
	appUserID, sessionID string
}

func (k sessionKey) compare(o sessionKey) int {
	return cmp.Or(cmp.Compare(k.environment, o.environment), strings.Compare(k.appUserID, o.appUserID), strings.Compare(k.sessionID, o.sessionID))
}

// session is what some hits of one session add up to. Adding hits and merging
// sessions are commutative and associative, but for which hits are kept beyond
// the limit and for the home day, which belongs to the first insert.
type session struct {
	sessionKey
	startedAt, lastAt time.Time
	custom            stamp // here the latest wins
	customUserID      string
	attribution       stamp
	attributed        Attribution
	place             stamp
	placed            Place
	device            stamp
	platform          string
	deviceClass       string
	browser, os       string
	hits              []int64
	hitsOverLimit     int64
}

// add folds one event into the session; hitLimit is the number of hits kept.
func (s *session) add(e *ProductEvent, nameID int32, hitLimit int) {
	if s.startedAt.IsZero() || e.OccurredAt.Before(s.startedAt) {
		s.startedAt = e.OccurredAt
	}
	if e.OccurredAt.After(s.lastAt) {
		s.lastAt = e.OccurredAt
	}
	own := stamp{at: e.OccurredAt, key: e.Key}
	if e.CustomUserID != "" && (s.custom.none() || s.custom.compare(own) < 0) {
		s.custom, s.customUserID = own, e.CustomUserID
	}
	if from := attributionStamp(e); from.beats(s.attribution) {
		s.attribution, s.attributed = from, e.Attribution
	}
	if hasPlace := e.Place.Country != "" || e.Place.Region != "" || e.Place.City != ""; hasPlace && own.beats(s.place) {
		s.place, s.placed = own, e.Place
	}
	if hasDevice := e.Platform != "" || e.Device != "" || e.Browser != "" || e.OS != ""; hasDevice && own.beats(s.device) {
		s.device, s.platform, s.deviceClass, s.browser, s.os = own, e.Platform, e.Device, e.Browser, e.OS
	}
	if len(s.hits) < hitLimit {
		s.hits = append(s.hits, PackHit(e.OccurredAt, nameID))
	} else {
		s.hitsOverLimit++
	}
}

// homeDay is the UTC day of the earliest hit.
func (s *session) homeDay() time.Time { return s.startedAt.Truncate(24 * time.Hour) }

// folder adds events up to sessions.
type folder struct {
	hitLimit int
	sessions map[sessionKey]*session
}

func newFolder(hitLimit int) *folder {
	return &folder{hitLimit: hitLimit, sessions: map[sessionKey]*session{}}
}

func (f *folder) add(environment int64, e *ProductEvent, nameID int32) {
	key := sessionKey{environment, e.AppUserID, e.SessionID}
	s := f.sessions[key]
	if s == nil {
		s = &session{sessionKey: key}
		f.sessions[key] = s
	}
	s.add(e, nameID, f.hitLimit)
}

// sorted returns the sessions in the order in which they are written.
func (f *folder) sorted() []*session {
	list := make([]*session, 0, len(f.sessions))
	for _, s := range f.sessions {
		list = append(list, s)
	}
	slices.SortFunc(list, func(a, b *session) int { return a.compare(b.sessionKey) })
	return list
}

// visitorKey names one visitor.
type visitorKey struct {
	environment int64
	appUserID   string
}

func (k visitorKey) compare(o visitorKey) int {
	return cmp.Or(cmp.Compare(k.environment, o.environment), strings.Compare(k.appUserID, o.appUserID))
}

// touchSession is a session as a candidate for its visitor's first touch.
type touchSession struct {
	visitorKey
	sessionID                                   string
	startedAt                                   time.Time
	source, campaign, country, platform, device string
	customUserID                                string
	custom                                      stamp
}

// rank is 0 for a session that has a source, campaign, country or device, and 1
// for one that has none (analytics.md §4).
func (t *touchSession) rank() int8 {
	if t.source != "" || t.campaign != "" || t.country != "" || t.device != "" {
		return 0
	}
	return 1
}

// compareCandidate orders candidates: the smallest gives the first touch its
// attributes.
func (t *touchSession) compareCandidate(o *touchSession) int {
	return cmp.Or(cmp.Compare(t.rank(), o.rank()), t.startedAt.Compare(o.startedAt), strings.Compare(t.sessionID, o.sessionID))
}

// firstTouch is one visitor's row of product_analytics_first_touch.
type firstTouch struct {
	touchSession           // the winning candidate; its custom user id is the visitor's latest
	firstSeenAt  time.Time // earliest hit of all sessions
}

// touchOutcome says what merged sessions do to a visitor's row.
type touchOutcome int8

const (
	touchUnchanged touchOutcome = iota
	touchChanged
	touchLookBack // the winner fell behind: all sessions of the visitor have to be compared
)

// absorb merges a session, as it stands after its merge, into the row. The
// result does not depend on the order of sessions: a winner that got worse
// answers touchLookBack instead of guessing.
func (f *firstTouch) absorb(s *touchSession) touchOutcome {
	outcome := touchUnchanged
	if s.startedAt.Before(f.firstSeenAt) {
		f.firstSeenAt, outcome = s.startedAt, touchChanged
	}
	latest, latestID := f.custom, f.customUserID
	if !s.custom.none() && (latest.none() || latest.compare(s.custom) < 0) {
		latest, latestID, outcome = s.custom, s.customUserID, touchChanged
	}
	order := s.compareCandidate(&f.touchSession)
	switch {
	case s.sessionID == f.sessionID && order > 0:
		outcome = touchLookBack
	case order < 0, s.sessionID == f.sessionID && !s.sameAttributes(&f.touchSession):
		f.touchSession, outcome = *s, touchChanged
	}
	f.custom, f.customUserID = latest, latestID
	return outcome
}

func (t *touchSession) sameAttributes(o *touchSession) bool {
	return t.source == o.source && t.campaign == o.campaign && t.country == o.country && t.platform == o.platform && t.device == o.device
}

// newFirstTouch is the row of a visitor whose only session is s.
func newFirstTouch(s *touchSession) *firstTouch {
	return &firstTouch{touchSession: *s, firstSeenAt: s.startedAt}
}
