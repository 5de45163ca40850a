package report

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/svc-dev/svc/analytics/channel"
	"github.com/svc-dev/svc/analytics/frame"
	"github.com/svc-dev/svc/analytics/session"
)

// TimelineEntry is a session or a run of a flow of one person: exactly one of the two is set.
type TimelineEntry struct {
	StartedAt time.Time        `json:"startedAt"`
	Session   *TimelineSession `json:"session"`
	Run       *TimelineRun     `json:"run"`
}

// TimelineSession is a session of the range. Views and events are those in the range, as in the visitor list;
// everything else is of the whole session.
type TimelineSession struct {
	EndedAt  time.Time `json:"endedAt"`
	Seconds  float64   `json:"seconds"`
	Views    int64     `json:"views"`
	Events   int64     `json:"events"` // custom ones
	Entry    string    `json:"entry"`  // page of the first view; empty without one
	Exit     string    `json:"exit"`   // of the last
	Country  string    `json:"country"`
	City     string    `json:"city"`
	Platform string    `json:"platform"`
	Device   string    `json:"device"`
	Browser  string    `json:"browser"`
	OS       string    `json:"os"`
	Source   string    `json:"source"`
	Channel  string    `json:"channel"` // by which the session came
}

// TimelineRun is a run of a flow that started in the range.
type TimelineRun struct {
	FlowID       uuid.UUID  `json:"flowId"`
	VersionID    uuid.UUID  `json:"versionId"`
	ExperimentID *uuid.UUID `json:"experimentId"` // nil without one
	Variant      string     `json:"variant"`      // of the experiment, as flow events carry it
	State        string     `json:"state"`        // analytics.OutcomeCompleted and its like
	LastAt       time.Time  `json:"lastAt"`       // latest event
	Seconds      float64    `json:"seconds"`      // from the start to the latest event; 0 when a clock was set back
	Platform     string     `json:"platform"`
}

// StartedAt orders time lines.
const StartedAt Metric = "startedAt"

// Timeline returns what a person did, the latest start first: their sessions of the selection, and their runs of
// whatever flow that started in the range, whatever the filters. At one moment runs come before sessions, and each kind
// in the order of its keys. Somebody unknown has an empty one. Errors are analytics.FieldErrors.
func (s *Selection) Timeline(ctx context.Context, appUserID string, page Page) (*Table[TimelineEntry], error) {
	by, err := page.sorting(StartedAt, []Metric{StartedAt})
	if err != nil {
		return nil, err
	}
	entries, _, err := sumPortions(ctx, s, func(p *Selection) listing[TimelineEntry] {
		return p.timeline(appUserID).list(by)
	},
		func(total, more listing[TimelineEntry]) listing[TimelineEntry] { return total.plus(more, by) })
	if err != nil {
		return nil, err
	}
	return entries.page(by)
}

// timelineRow is an entry of a time line that was not described yet.
type timelineRow struct {
	at   int64
	part *windowPart
	row  uint32
	run  bool
}

// key orders the entries of one moment.
func (r timelineRow) key() string {
	kind := "1"
	if r.run {
		kind = "0"
	}
	return kind + string(r.part.Keys()[r.row][:])
}

func (s *Selection) timeline(appUserID string) tableOf[TimelineEntry] {
	var rows []timelineRow
	if visitor, known := s.view.Ordinal(appUserID); known {
		for _, r := range s.sessionsOf(visitor) {
			p := &s.window.parts[r.part]
			rows = append(rows, timelineRow{at: p.Start(r.row), part: p, row: r.row})
		}
		for _, p := range runParts(s.view, s.window.start, s.window.end) {
			from, to := p.Bounds(visitor, visitor+1)
			for row := uint32(from); row < uint32(to); row++ {
				if at := p.RunStart(row); s.inRange(at) && !p.masked.Has(row) {
					rows = append(rows, timelineRow{at: at, part: &p, row: row, run: true})
				}
			}
		}
	}
	ids := make([]uint32, len(rows))
	for i := range ids {
		ids[i] = uint32(i)
	}
	return tableOf[TimelineEntry]{
		ids: ids, order: StartedAt, metrics: []Metric{StartedAt},
		number: func(id uint32, _ Metric) number { return integer(rows[id].at) },
		key:    func(id uint32) string { return rows[id].key() },
		search: func(uint32) []string { return nil },
		row:    func(id uint32) TimelineEntry { return s.describe(rows[id]) },
	}
}

func (s *Selection) describe(r timelineRow) TimelineEntry {
	entry := TimelineEntry{StartedAt: frame.Time(r.at)}
	if r.run {
		entry.Run = s.describeRun(r.part, r.row)
	} else {
		entry.Session = s.describeSession(r.part, r.row)
	}
	return entry
}

func (s *Selection) describeSession(p *windowPart, row uint32) *TimelineSession {
	v := s.view
	place, tech := v.Places[p.Column(frame.Place)[row]], v.Techs[p.Column(frame.Tech)[row]]
	totals := p.totalsIn()[row]
	return &TimelineSession{
		EndedAt: frame.Time(p.End(row)), Seconds: float64(p.Duration(row)) / 1000,
		Views: int64(frame.ViewsOf(totals)), Events: int64(frame.EventsOf(totals)),
		Entry: v.Pages[p.Column(frame.Entry)[row]], Exit: v.Pages[p.Column(frame.Exit)[row]],
		Country: v.Countries[place.Country], City: v.Cities[place.City],
		Platform: v.Platforms[tech.Platform], Device: v.Devices[tech.Device], Browser: v.Browsers[tech.Browser],
		OS: v.OSes[tech.OS], Source: v.Sources[p.Column(frame.Source)[row]],
		Channel: channel.Channel(p.Column(frame.Channel)[row]).String(),
	}
}

func (s *Selection) describeRun(p *windowPart, row uint32) *TimelineRun {
	release := &s.view.Releases[p.Column(frame.RunRelease)[row]]
	client := s.view.Clients[p.Column(frame.RunClient)[row]]
	last := p.RunLast(row)
	found := &TimelineRun{
		FlowID: uuid.UUID(release.Flow), VersionID: uuid.UUID(release.Version), Variant: release.Variant,
		State: outcomeOf(p.Part, row, s.lapsed()), LastAt: frame.Time(last),
		Seconds: float64(max(last-p.RunStart(row), 0)) / 1000, Platform: s.view.Platforms[client.Platform],
	}
	if release.Experiment != (session.Key{}) {
		id := uuid.UUID(release.Experiment)
		found.ExperimentID = &id
	}
	return found
}

// lapsed returns since when a run must have had a hit not to have lapsed.
func (s *Selection) lapsed() int64 { return frame.Millis(s.now.Add(-s.scope.Lapse)) }

// runParts returns the parts of a view that may have runs with a hit in [start, end).
func runParts(view *frame.View, start, end int64) (parts []windowPart) {
	for _, f := range view.Runs {
		if f.MaxHit < start || f.MinHit >= end {
			continue
		}
		for _, p := range []windowPart{{Part: f.Sealed, masked: f.Masked}, {Part: f.Open}} {
			if p.Part != nil {
				parts = append(parts, p)
			}
		}
	}
	return parts
}

// runCount is how many runs somebody started in a range.
type runCount struct{ runs, completed uint32 }

type runCountKey struct{ start, end int64 }

// runCounts says by visitor how many runs they started in a range, as far as the last of those who did.
type runCounts []runCount

func (c runCounts) of(visitor uint32) runCount {
	if int(visitor) >= len(c) {
		return runCount{}
	}
	return c[visitor]
}

// runCounts counts the runs that were started in the range, once a view.
func (s *Selection) runCounts() runCounts {
	start, end := s.window.start, s.window.end
	return frame.Derive(s.view, runCountKey{start, end}, func() runCounts {
		parts, visitors := runParts(s.view, start, end), 0
		for _, p := range parts {
			if n := p.Len(); n > 0 { // in the order of visitors
				visitors = max(visitors, int(p.Visitors()[n-1])+1)
			}
		}
		counts := make(runCounts, visitors)
		for _, p := range parts {
			for row := range uint32(p.Len()) {
				if at := p.RunStart(row); at < start || at >= end || p.masked.Has(row) {
					continue
				}
				count := &counts[p.Visitors()[row]]
				count.runs++
				if p.Column(frame.RunFlags)[row]&frame.Completed != 0 {
					count.completed++
				}
			}
		}
		return counts
	})
}
