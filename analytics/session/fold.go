// Package session folds product events into session rows and session rows into first touches
// (analytics.md §2, Session attributes; §4, First touch). Folding is commutative and associative:
// the row does not depend on the order in which events arrive or on how they are batched. The
// package is pure; ingest pre-aggregates a batch with it and the rebuild checks against it.
package session

import (
	"cmp"
	"slices"
	"strings"

	"github.com/svc-dev/svc/analytics/channel"
)

// Organic is the organic flag of a snapshot.
type Organic uint8

// The flag is absent when the snapshot did not carry it.
const (
	OrganicAbsent Organic = iota
	OrganicTrue
	OrganicFalse
)

// OrganicOf reads a stored flag; nil is absent.
func OrganicOf(flag *bool) Organic {
	switch {
	case flag == nil:
		return OrganicAbsent
	case *flag:
		return OrganicTrue
	}
	return OrganicFalse
}

// Attribution is the attribution group, taken whole from one hit.
type Attribution struct {
	Source, Medium, Campaign, Content, Term, Adset, Creative, Referrer, Landing string
	Organic                                                                     Organic
}

// HasSignal tells whether the snapshot has a value other than the organic flag and landing URL.
func (a Attribution) HasSignal() bool {
	a.Landing, a.Organic = "", OrganicAbsent
	return a != Attribution{}
}

// referrerHost returns the referrer's host, empty when it is the landing page's own.
func (a Attribution) referrerHost() string {
	if a.Referrer == "" {
		return ""
	}
	host := channel.Host(a.Referrer)
	if host != "" && a.Landing != "" && host == channel.Host(a.Landing) {
		return ""
	}
	return host
}

// isOrganic returns the organic flag as the channel of an app's session reads it: without one a session is organic
// when its group is empty (analytics.md §2).
func (a Attribution) isOrganic() bool {
	return a.Organic == OrganicTrue || a.Organic == OrganicAbsent && !a.HasSignal()
}

// Place is the place group.
type Place struct {
	Country, Region, City string
	Lat, Lon              float64
	HasCoordinates        bool
}

// Device is the device group.
type Device struct{ Platform, Device, Browser, OS string }

// Event is one fresh product event.
type Event struct {
	Visitor, SessionID string
	Key                Key   // of its id: the deduplication key
	At                 int64 // Unix milliseconds
	Start              bool  // session_start
	Hit                int64 // packed, see analytics/frame
	CustomUserID       string
	Attribution        Attribution
	Place              Place
	Device             Device
	OrganicUnknown     bool // imported history without the organic flag
}

// None is the rank of a row without an attribution snapshot.
const None = 4

// Rank orders attribution candidates, the smallest wins: 0 a session_start with signal, 1 any hit
// with signal, 2 a session_start with only a landing URL or organic flag, 3 any hit with only
// these.
func Rank(start bool, a Attribution) int {
	rank := 3
	switch {
	case a.HasSignal():
		rank = 1
	case a == Attribution{}:
		return None
	}
	if start {
		rank--
	}
	return rank
}

// Origin is the hit that a group came from.
type Origin struct {
	Set bool
	At  int64 // Unix milliseconds
	Key Key
}

// before orders origins by time, then key; an unset one comes last.
func (o Origin) before(p Origin) bool {
	if !o.Set || !p.Set {
		return o.Set
	}
	return cmp.Or(cmp.Compare(o.At, p.At), o.Key.compare(p.Key)) < 0
}

// Row is one session.
type Row struct {
	Visitor, SessionID string
	StartedAt, LastAt  int64 // Unix milliseconds

	Rank              int
	AttributionOrigin Origin
	Attribution       Attribution
	OrganicUnknown    bool

	PlaceOrigin Origin
	Place       Place

	DeviceOrigin Origin
	Device       Device

	CustomUserOrigin Origin // the latest hit that names one
	CustomUserID     string

	Hits []int64 // packed, in the order in which events were merged
}

// Of returns the session that holds one event.
func Of(e Event) Row {
	origin := Origin{Set: true, At: e.At, Key: e.Key}
	r := Row{
		Visitor: e.Visitor, SessionID: e.SessionID, StartedAt: e.At, LastAt: e.At,
		Rank: Rank(e.Start, e.Attribution), OrganicUnknown: e.OrganicUnknown, Hits: []int64{e.Hit},
	}
	if r.Rank < None {
		r.AttributionOrigin, r.Attribution = origin, e.Attribution
	}
	if p := e.Place; p.Country != "" || p.Region != "" || p.City != "" { // coordinates alone are no place
		r.PlaceOrigin, r.Place = origin, e.Place
	}
	if e.Device != (Device{}) {
		r.DeviceOrigin, r.Device = origin, e.Device
	}
	if e.CustomUserID != "" {
		r.CustomUserOrigin, r.CustomUserID = origin, e.CustomUserID
	}
	return r
}

// Merge joins two rows of one session that share no event. The rows must not be used afterwards:
// the result may hold a's hits, and b's follow them.
func Merge(a, b Row) Row {
	a.StartedAt, a.LastAt = min(a.StartedAt, b.StartedAt), max(a.LastAt, b.LastAt)
	if b.Rank < a.Rank || b.Rank == a.Rank && b.AttributionOrigin.before(a.AttributionOrigin) {
		a.Rank, a.AttributionOrigin, a.Attribution = b.Rank, b.AttributionOrigin, b.Attribution
	}
	if b.PlaceOrigin.before(a.PlaceOrigin) {
		a.PlaceOrigin, a.Place = b.PlaceOrigin, b.Place
	}
	if b.DeviceOrigin.before(a.DeviceOrigin) {
		a.DeviceOrigin, a.Device = b.DeviceOrigin, b.Device
	}
	if b.CustomUserOrigin.Set && (!a.CustomUserOrigin.Set || a.CustomUserOrigin.before(b.CustomUserOrigin)) {
		a.CustomUserOrigin, a.CustomUserID = b.CustomUserOrigin, b.CustomUserID
	}
	a.OrganicUnknown = a.OrganicUnknown || b.OrganicUnknown
	a.Hits = append(a.Hits, b.Hits...)
	return a
}

// Fold groups events into sessions, ordered by visitor and session id.
func Fold(events []Event) []Row {
	type id struct{ visitor, session string }
	at := make(map[id]int, len(events))
	var rows []Row
	for _, e := range events {
		key := id{e.Visitor, e.SessionID}
		if i, ok := at[key]; ok {
			rows[i] = Merge(rows[i], Of(e))
			continue
		}
		at[key] = len(rows)
		rows = append(rows, Of(e))
	}
	slices.SortFunc(rows, func(a, b Row) int {
		return cmp.Or(strings.Compare(a.Visitor, b.Visitor), strings.Compare(a.SessionID, b.SessionID))
	})
	return rows
}

// FirstTouch is a visitor's first touch.
type FirstTouch struct {
	Visitor             string
	FirstSeen, LastSeen int64 // Unix milliseconds

	CustomUserOrigin Origin
	CustomUserID     string

	// The session that the attributes come from: the earliest by start, then by the key of its id,
	// among those with a source, campaign, country or device (rank 0), else among all (rank 1).
	Rank      int
	StartedAt int64
	SessionID string

	Source, Campaign, Country, Platform, Device string
	// What the acquisition channel needs besides.
	Medium, ReferrerHost    string
	Organic, OrganicUnknown bool
}

// FirstTouchOf returns the first touch of a visitor whose only session is r.
func FirstTouchOf(r Row) FirstTouch {
	t := FirstTouch{
		Visitor: r.Visitor, FirstSeen: r.StartedAt, LastSeen: r.LastAt,
		CustomUserOrigin: r.CustomUserOrigin, CustomUserID: r.CustomUserID,
		Rank: 1, StartedAt: r.StartedAt, SessionID: r.SessionID,
		Source: r.Attribution.Source, Campaign: r.Attribution.Campaign,
		Country: r.Place.Country, Platform: r.Device.Platform, Device: r.Device.Device,
		Medium: r.Attribution.Medium, ReferrerHost: r.Attribution.referrerHost(),
		Organic: r.Attribution.isOrganic(), OrganicUnknown: r.OrganicUnknown,
	}
	if t.Source != "" || t.Campaign != "" || t.Country != "" || t.Device != "" {
		t.Rank = 0
	}
	return t
}

// MergeFirstTouch joins the first touches that two sessions of one visitor give.
func MergeFirstTouch(a, b FirstTouch) FirstTouch {
	first, last := min(a.FirstSeen, b.FirstSeen), max(a.LastSeen, b.LastSeen)
	origin, custom := a.CustomUserOrigin, a.CustomUserID
	if b.CustomUserOrigin.Set && (!origin.Set || origin.before(b.CustomUserOrigin)) {
		origin, custom = b.CustomUserOrigin, b.CustomUserID
	}
	if b.before(a) {
		a = b
	}
	a.FirstSeen, a.LastSeen, a.CustomUserOrigin, a.CustomUserID = first, last, origin, custom
	return a
}

// before tells whether t's session comes before the other's as the source of the attributes.
func (t FirstTouch) before(other FirstTouch) bool {
	if c := cmp.Or(cmp.Compare(t.Rank, other.Rank), cmp.Compare(t.StartedAt, other.StartedAt)); c != 0 {
		return c < 0
	}
	return KeyOf(t.SessionID).compare(KeyOf(other.SessionID)) < 0
}
