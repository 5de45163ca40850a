package oracle

import (
	"slices"
	"strconv"
	"time"

	"github.com/svc-dev/svc/analytics/frame"
	"github.com/svc-dev/svc/analytics/run"
	folding "github.com/svc-dev/svc/analytics/session"
)

// Names numbers the names of hits as ingest does, for tests that load an engine.
type Names struct {
	ids  map[[2]string]uint32
	rows []frame.NameRow
}

// id returns the id of a hit's name.
func (n *Names) id(h Hit) uint32 {
	kind, text := frame.KindOf(h.Name), h.Name
	if kind.IsView() {
		text = h.Page
	}
	key := [2]string{kind.String(), text}
	if id, ok := n.ids[key]; ok {
		return id
	}
	if n.ids == nil {
		n.ids = map[[2]string]uint32{}
	}
	id := uint32(len(n.ids) + 1)
	n.ids[key] = id
	n.rows = append(n.rows, frame.NameRow{ID: id, Kind: kind, Text: text})
	return id
}

// Rows returns the names given so far.
func (n *Names) Rows() []frame.NameRow { return n.rows }

// Store stands for the database between ingest and the engine: it deduplicates, folds batches into
// session rows with package session and keeps first touches.
type Store struct {
	Names    Names
	seen     map[string]bool
	sessions map[[2]string]folding.Row
	days     map[[2]string]int32
}

// Ingest takes one batch of hits and returns the sessions it changed.
func (s *Store) Ingest(batch []Hit) []frame.Session {
	if s.seen == nil {
		s.seen, s.sessions, s.days = map[string]bool{}, map[[2]string]folding.Row{}, map[[2]string]int32{}
	}
	var events []folding.Event
	for _, h := range batch {
		if s.seen[h.EventID] {
			continue
		}
		s.seen[h.EventID] = true
		events = append(events, folding.Event{
			Visitor: h.Visitor, SessionID: h.SessionID, Key: folding.Key([]byte(keyOf(h.EventID))), At: h.At,
			Start: h.Name == "session_start", Hit: frame.PackHit(h.At, s.Names.id(h)), CustomUserID: h.CustomUserID,
			Attribution: folding.Attribution{
				Source: h.Source, Medium: h.Medium, Campaign: h.Campaign, Content: h.Content, Term: h.Term,
				Adset: h.Adset, Creative: h.Creative, Referrer: h.Referrer, Landing: h.Landing, Organic: folding.Organic(h.Organic),
			},
			Place: folding.Place{
				Country: h.Country, Region: h.Region, City: h.City, Lat: h.Lat, Lon: h.Lon, HasCoordinates: h.HasCoordinates,
			},
			Device:         folding.Device{Platform: h.Platform, Device: h.Device, Browser: h.Browser, OS: h.OS},
			OrganicUnknown: h.OrganicUnknown,
		})
	}
	var changed []frame.Session
	for _, row := range folding.Fold(events) {
		id := [2]string{row.Visitor, row.SessionID}
		if old, ok := s.sessions[id]; ok {
			row = folding.Merge(old, row)
		} else {
			s.days[id] = frame.Day(time.UnixMilli(row.StartedAt))
		}
		s.sessions[id] = row
		changed = append(changed, s.session(id))
	}
	return changed
}

func (s *Store) session(id [2]string) frame.Session {
	r := s.sessions[id]
	a, p, d := r.Attribution, r.Place, r.Device
	return frame.Session{
		Visitor: r.Visitor, ID: r.SessionID,
		Source: a.Source, Medium: a.Medium, Campaign: a.Campaign, Content: a.Content, Term: a.Term,
		Adset: a.Adset, Creative: a.Creative, Referrer: a.Referrer, Landing: a.Landing,
		Organic: frame.Organic(a.Organic), OrganicUnknown: r.OrganicUnknown,
		Country: p.Country, Region: p.Region, City: p.City, Lat: p.Lat, Lon: p.Lon, HasCoordinates: p.HasCoordinates,
		Platform: d.Platform, Device: d.Device, Browser: d.Browser, OS: d.OS,
		HomeDay: s.days[id], Hits: r.Hits,
	}
}

// Sessions returns all sessions.
func (s *Store) Sessions() []frame.Session {
	var out []frame.Session
	for id := range s.sessions {
		out = append(out, s.session(id))
	}
	return out
}

// FirstTouches returns the first touches of all visitors.
func (s *Store) FirstTouches() []frame.FirstTouch {
	touches := map[string]folding.FirstTouch{}
	for _, r := range s.sessions {
		t := folding.FirstTouchOf(r)
		if old, ok := touches[r.Visitor]; ok {
			t = folding.MergeFirstTouch(old, t)
		}
		touches[r.Visitor] = t
	}
	var out []frame.FirstTouch
	for _, t := range touches {
		out = append(out, frame.FirstTouch{
			Visitor: t.Visitor, FirstSeen: t.FirstSeen, CustomUserID: t.CustomUserID, Source: t.Source,
			Campaign: t.Campaign, Country: t.Country, Platform: t.Platform, Device: t.Device,
			Medium: t.Medium, ReferrerHost: t.ReferrerHost, Organic: t.Organic, OrganicUnknown: t.OrganicUnknown,
		})
	}
	return out
}

// FlowNames returns what runs name.
func FlowNames() []frame.FlowNameRow {
	rows := make([]frame.FlowNameRow, len(StepNames))
	for i, step := range StepNames {
		rows[i] = frame.FlowNameRow{ID: int32(i + 1), Kind: run.KindStep, Text: step}
	}
	return rows
}

// RunRow returns a run as the database would give it: with a hit at its start, those of its steps, and one at its end.
func (r *Run) RunRow(id int) frame.RunRow {
	first, last := run.FlowStarted, run.StepViewed
	switch {
	case r.Completed:
		last = run.FlowCompleted
	case r.Abandoned:
		last = run.FlowAbandoned
	}
	row := frame.RunRow{HomeDay: frame.Day(time.UnixMilli(r.StartedAt)), Run: run.Run{
		Person: r.Visitor, Flow: folding.KeyOf(r.Flow), Key: folding.KeyOf(strconv.Itoa(id)), HasStart: true,
		StartedAt: r.StartedAt, LastAt: r.LastAt, Completed: r.Completed, Abandoned: r.Abandoned,
		Hits: []run.Hit{{At: r.StartedAt, Name: first}},
	}}
	for i, step := range r.Steps {
		name := run.StepViewed
		if i%2 == 1 {
			name = run.SurfacePresented
		}
		id := int32(slices.Index(StepNames, step.Step) + 1)
		row.Run.Hits = append(row.Run.Hits, run.Hit{At: step.At, Name: name, Step: id})
	}
	row.Run.Hits = append(row.Run.Hits, run.Hit{At: r.LastAt, Name: last})
	row.Run.Release.Version, row.Run.Release.Variant = folding.KeyOf(r.Version), r.Variant
	return row
}

// Fill brings an environment up to date: the days of the given sessions that it lacks are loaded
// whole, the rest is upserted.
func (s *Store) Fill(env *frame.Dataset, changed []frame.Session) {
	env.SetNames(s.Names.Rows())
	for _, t := range s.FirstTouches() {
		env.SetFirstTouch(&t)
	}
	missing := map[int32]bool{}
	for _, x := range changed {
		missing[x.HomeDay] = !env.Has(frame.Sessions, x.HomeDay)
	}
	for day, load := range missing {
		if !load {
			continue
		}
		b := env.NewBuilder()
		for _, x := range s.Sessions() {
			if x.HomeDay == day {
				b.Add(&x)
			}
		}
		env.Put(frame.Sessions, day, b.Seal())
	}
	env.Upsert(changed)
}
