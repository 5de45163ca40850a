// Package oracle is a second, naive implementation of the product reports over raw hits: plain
// loops and maps, no cleverness. Tests compare the report engine with it on generated data; it is
// no part of the product. Both share the result types, the channel rules and nothing else.
package oracle

import (
	"cmp"
	"crypto/sha256"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/svc-dev/svc/analytics/channel"
	"github.com/svc-dev/svc/analytics/frame"
)

// Hit is one product event as a client sent it.
type Hit struct {
	EventID, Visitor, SessionID, CustomUserID string

	At   int64 // Unix milliseconds
	Name string
	Page string // of views

	Source, Medium, Campaign, Content, Term, Adset, Creative, Referrer, Landing string

	Organic        frame.Organic
	OrganicUnknown bool

	Country, Region, City string
	Lat, Lon              float64
	HasCoordinates        bool

	Platform, Device, Browser, OS string
}

// World is everything one environment was sent, in order of arrival, and its ledger.
type World struct {
	Hits      []Hit
	Purchases []frame.Purchase
	Runs      []Run
}

// Run is a run of a flow, as filters on people and goals see it.
type Run struct {
	Visitor                string
	Flow, Version, Variant string
	StartedAt, LastAt      int64 // Unix milliseconds
	Completed, Abandoned   bool
	Steps                  []RunStep
}

// RunStep is a step that a run showed, between its start and its latest hit.
type RunStep struct {
	Step string
	At   int64 // Unix milliseconds
}

// StepNames are the steps that runs of worlds show; the id of a name is its place, counted from one.
var StepNames = []string{"welcome", "paywall", "done"}

// outcome returns how far a run has come, where runs lapse after so long without a hit; 0 means 30 minutes.
func (r *Run) outcome(now time.Time, lapse time.Duration) string {
	if lapse == 0 {
		lapse = 30 * time.Minute
	}
	switch {
	case r.Completed:
		return "completed"
	case r.Abandoned:
		return "abandoned"
	case now.UnixMilli()-r.LastAt >= lapse.Milliseconds():
		return "lapsed"
	}
	return "open"
}

// session is all hits of one visitor and session id.
type session struct {
	visitor, id string
	hits        []Hit // in the order of analytics.md §2

	attribution Hit // the hit that the attribution group comes from
	place       Hit
	device      Hit
	unknown     bool
	channel     channel.Channel
	referrer    string
	entry, exit string
	views       int
	customs     int
	start, end  int64
}

func (s *session) key() string { return keyOf(s.id) }

// keyOf returns the byte order that breaks ties: a UUID's bytes, else the SHA-256.
func keyOf(id string) string {
	if len(id) == 36 {
		if u, err := uuid.Parse(id); err == nil {
			return string(u[:])
		}
	}
	sum := sha256.Sum256([]byte(id))
	return string(sum[:16])
}

func isView(h Hit) bool   { return h.Name == "page_view" || h.Name == "screen_view" }
func isCustom(h Hit) bool { return frame.KindOf(h.Name) == frame.Custom }

func (h Hit) signal() bool {
	return h.Source+h.Medium+h.Campaign+h.Content+h.Term+h.Adset+h.Creative+h.Referrer != ""
}

func (h Hit) snapshot() bool {
	return h.signal() || h.Landing != "" || h.Organic != frame.OrganicAbsent
}

// hasPlace: coordinates alone are no place, for they are no value of the group.
func (h Hit) hasPlace() bool  { return h.Country+h.Region+h.City != "" }
func (h Hit) hasDevice() bool { return h.Platform+h.Device+h.Browser+h.OS != "" }

// visitor is a person: their hits over all time and their first touch.
type visitor struct {
	id        string
	firstSeen int64
	customID  string

	source, campaign, country, platform, device string
}

// Oracle answers reports on a world.
type Oracle struct {
	sessions  []*session
	visitors  map[string]*visitor
	purchases []frame.Purchase
	runs      []Run
	now       time.Time
}

// New folds the world's hits into sessions and people.
func New(w World, now time.Time) *Oracle {
	o := &Oracle{visitors: map[string]*visitor{}, purchases: w.Purchases, runs: w.Runs, now: now}
	seen := map[string]bool{}
	byID := map[[2]string]*session{}
	for _, h := range w.Hits {
		if seen[h.EventID] {
			continue
		}
		seen[h.EventID] = true
		id := [2]string{h.Visitor, h.SessionID}
		if byID[id] == nil {
			byID[id] = &session{visitor: h.Visitor, id: h.SessionID}
			o.sessions = append(o.sessions, byID[id])
		}
		byID[id].hits = append(byID[id].hits, h)
	}
	for _, s := range o.sessions {
		s.fold()
	}
	slices.SortFunc(o.sessions, func(a, b *session) int {
		return cmp.Or(strings.Compare(a.visitor, b.visitor), cmp.Compare(a.start, b.start), strings.Compare(a.key(), b.key()))
	})
	byVisitor := map[string][]*session{}
	for _, s := range o.sessions {
		byVisitor[s.visitor] = append(byVisitor[s.visitor], s)
	}
	for id, sessions := range byVisitor {
		o.visitors[id] = firstTouch(sessions)
	}
	return o
}

// earliest returns the first of the hits that pass, by time, then event key.
func (s *session) earliest(pass func(Hit) bool) (Hit, bool) {
	var best Hit
	found := false
	for _, h := range s.hits {
		if !pass(h) {
			continue
		}
		if !found || h.At < best.At || h.At == best.At && keyOf(h.EventID) < keyOf(best.EventID) {
			best, found = h, true
		}
	}
	return best, found
}

func (s *session) fold() {
	for _, pass := range []func(Hit) bool{
		func(h Hit) bool { return h.Name == "session_start" && h.signal() },
		Hit.signal,
		func(h Hit) bool { return h.Name == "session_start" && h.snapshot() },
		Hit.snapshot,
	} {
		if h, ok := s.earliest(pass); ok {
			s.attribution = h
			break
		}
	}
	s.place, _ = s.earliest(Hit.hasPlace)
	s.device, _ = s.earliest(Hit.hasDevice)
	for _, h := range s.hits {
		s.unknown = s.unknown || h.OrganicUnknown
	}
	slices.SortStableFunc(s.hits, func(a, b Hit) int {
		return cmp.Or(cmp.Compare(a.At, b.At), strings.Compare(tie(a), tie(b)))
	})
	s.start, s.end = s.hits[0].At, s.hits[len(s.hits)-1].At
	for _, h := range s.hits {
		if isView(h) {
			if s.views == 0 {
				s.entry = h.Page
			}
			s.exit = h.Page
			s.views++
		}
		if isCustom(h) {
			s.customs++
		}
	}
	s.referrer = channel.Host(s.attribution.Referrer)
	if s.referrer != "" && s.referrer == channel.Host(s.attribution.Landing) {
		s.referrer = ""
	}
	organic := s.attribution.Organic == frame.OrganicTrue
	if s.attribution.Organic == frame.OrganicAbsent {
		organic = !s.attribution.signal()
	}
	s.channel = channel.Of(channel.Input{
		ReferrerHost: s.referrer, Source: s.attribution.Source, Medium: s.attribution.Medium,
		Platform: s.device.Platform, Organic: organic, OrganicUnknown: s.unknown,
	})
}

// tie orders hits at one millisecond.
func tie(h Hit) string {
	switch h.Name {
	case "session_start":
		return "0"
	case "first_visit":
		return "1a"
	case "first_open":
		return "1b"
	case "page_view":
		return "2" + h.Page + "\x00a"
	case "screen_view":
		return "2" + h.Page + "\x00b"
	}
	return "3" + h.Name
}

// firstTouch returns what a visitor's sessions, by start and key, say about them.
func firstTouch(sessions []*session) *visitor {
	chosen := sessions[0]
	for _, s := range sessions {
		if s.attribution.Source+s.attribution.Campaign+s.place.Country+s.device.Device != "" {
			chosen = s
			break
		}
	}
	latest := Hit{At: -1 << 62}
	for _, s := range sessions {
		for _, h := range s.hits {
			if h.CustomUserID != "" && (h.At > latest.At || h.At == latest.At && keyOf(h.EventID) > keyOf(latest.EventID)) {
				latest = h
			}
		}
	}
	return &visitor{
		id: chosen.visitor, firstSeen: sessions[0].start, customID: latest.CustomUserID,
		source: chosen.attribution.Source, campaign: chosen.attribution.Campaign,
		country: chosen.place.Country, platform: chosen.device.Platform, device: chosen.device.Device,
	}
}

// FirstTouches returns the rows of the first-touch rollup.
func (o *Oracle) FirstTouches() []frame.FirstTouch {
	var out []frame.FirstTouch
	for _, v := range o.visitors {
		out = append(out, frame.FirstTouch{
			Visitor: v.id, FirstSeen: v.firstSeen, CustomUserID: v.customID, Source: v.source,
			Campaign: v.campaign, Country: v.country, Platform: v.platform, Device: v.device,
		})
	}
	return out
}
