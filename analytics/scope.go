// Package analytics owns what a report is asked for: the scope (range, time zone, platform,
// segment, filters) and its checks. The reports are in analytics/report, the data they read in
// analytics/frame. It does no I/O.
package analytics

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"github.com/svc-dev/svc/analytics/frame"
	"github.com/svc-dev/svc/analytics/run"
)

// Platforms of a scope. The empty platform means all.
const (
	Web     = "web"
	IOS     = "ios"
	Android = "android"
	Mobile  = "mobile" // ios and android
)

// Scope is what every report of a request has in common (analytics.md §3).
type Scope struct {
	Start, End      time.Time      // [Start, End); both zero means the last seven days of the zone
	Location        *time.Location // nil means UTC
	Platform        string
	Segment         *Segment
	Columns         Columns
	Cross           []Filter
	RevenueProvider string // limits revenue only; empty means all
	Goals           []Goal // that reports may be asked for, or filters name
	// Follow is how long after the range the selection can tell what visitors did, as funnels ask.
	Follow time.Duration
	// Lapse is how long runs of flows go without a hit before they have lapsed, as the app sets it; 0 means
	// run.DefaultLapse.
	Lapse time.Duration
}

// MaxRange is the longest range: the five years that raw events are kept, and a day of time zones.
const MaxRange = 5*366*24*time.Hour + 24*time.Hour

// Resolve checks the scope and fills in its defaults, with now as the current time. Errors are
// joined FieldErrors.
func (s Scope) Resolve(now time.Time) (Scope, error) {
	var errs []error
	if s.Location == nil {
		s.Location = time.UTC
	}
	switch {
	case s.Start.IsZero() && s.End.IsZero():
		y, m, d := now.In(s.Location).Date()
		s.Start, s.End = StartOfDay(y, m, d-6, s.Location), now
	case s.Start.IsZero():
		errs = append(errs, Invalid("range.start", "start and end go together"))
	case s.End.IsZero():
		errs = append(errs, Invalid("range.end", "start and end go together"))
	case s.End.Before(s.Start):
		errs = append(errs, Invalid("range.end", "the end is before the start"))
	case s.End.Sub(s.Start) > MaxRange:
		errs = append(errs, Invalid("range", "longer than five years"))
	}
	switch s.Platform {
	case "", Web, IOS, Android, Mobile:
	case "all":
		s.Platform = ""
	default:
		errs = append(errs, Invalid("platform", "unknown platform %q: use web, ios, android or mobile", s.Platform))
	}
	if s.RevenueProvider != "" {
		if _, ok := ParseProvider(s.RevenueProvider); !ok {
			errs = append(
				errs, Invalid("revenueProvider", "unknown provider %q: use revenuecat, superwall or stripe", s.RevenueProvider),
			)
		}
	}
	if s.Lapse == 0 {
		s.Lapse = run.DefaultLapse
	}
	errs = append(errs, validateCross("cross", s.Cross), s.validateGoals())
	if s.Segment != nil {
		errs = append(errs, s.Segment.Validate())
	}
	// Milliseconds are the resolution of hits.
	s.Start, s.End = ceilMillis(s.Start), ceilMillis(s.End)
	return s, errors.Join(errs...)
}

// validateGoals refuses filters on goals that the scope does not have: without them nobody, or everybody, would pass.
func (s Scope) validateGoals() error {
	known := make(map[uuid.UUID]bool, len(s.Goals))
	for i := range s.Goals {
		known[s.Goals[i].ID] = true
	}
	for _, f := range s.Cross {
		if f.Dimension != MetGoal {
			continue
		}
		for _, value := range f.Values {
			if id, err := uuid.Parse(value); err != nil || !known[id] {
				return Invalid("cross.goal", "%q is not a goal of this app", value)
			}
		}
	}
	return nil
}

// ConditionsOf returns the conditions of the goals that a filter names, each once.
func (s Scope) ConditionsOf(f Filter) []GoalCondition {
	named := make(map[uuid.UUID]bool, len(f.Values))
	for _, value := range f.Values {
		if id, err := uuid.Parse(value); err == nil {
			named[id] = true
		}
	}
	var conditions []GoalCondition
	for i := range s.Goals {
		if named[s.Goals[i].ID] {
			conditions = append(conditions, s.Goals[i].Condition)
		}
	}
	return conditions
}

// ceilMillis rounds up to a millisecond, so that "at or after t" keeps its meaning.
func ceilMillis(t time.Time) time.Time {
	if cut := t.Truncate(time.Millisecond); cut.Before(t) {
		return cut.Add(time.Millisecond)
	}
	return t
}

// Filters returns all filters of the scope, column and cross.
func (s Scope) Filters() []Filter { return append(s.Columns.Filters(), s.Cross...) }

// ParseProvider reads a provider's identifier.
func ParseProvider(id string) (frame.Provider, bool) {
	for p := frame.Provider(0); p < frame.Providers; p++ {
		if p.String() == id {
			return p, true
		}
	}
	return 0, false
}

// Segment is a saved audience (analytics.md §3).
type Segment struct {
	ID    string
	Rules *SegmentRules // nil for an audience of imported ids only
	// Imported ids, unless ReadImported reads them.
	AppUserIDs    []string
	CustomUserIDs []string
	// ReadImported reads the imported ids of a stored segment, which may be a million; nil when they stand above.
	// Version differs whenever they do, so that nobody reads them only to see that they are the same.
	ReadImported func(context.Context) (appUserIDs, customUserIDs []string, err error)
	Version      string
	// Since is the earliest time at which its members may have been found that an answer remembers; zero takes those
	// that the store remembers anyway.
	Since time.Time
	// Chosen tells whom Rules.Where holds for, where the store has found that out; nil before.
	Chosen func(appUserID string) bool
}

// WithImported returns the segment with its imported ids read.
func (s *Segment) WithImported(ctx context.Context) (*Segment, error) {
	if s == nil || s.ReadImported == nil {
		return s, nil
	}
	read := *s
	var err error
	if read.AppUserIDs, read.CustomUserIDs, err = s.ReadImported(ctx); err != nil {
		return nil, err
	}
	read.ReadImported = nil
	return &read, nil
}

// SegmentRules choose visitors by their sessions of the last Days days, and people by Where. With both, members pass
// both; with Where and no filter of sessions, nobody needs a session.
type SegmentRules struct {
	Days     int // 1 … 1,827; 0 means 90
	Platform string
	Columns  Columns
	Cross    []Filter
	Where    *Condition    // nil without one
	Lapse    time.Duration // as that of a Scope
}

// OfSessions tells whether the rules choose by sessions.
func (r *SegmentRules) OfSessions() bool {
	return r != nil && (r.Where == nil || r.Platform != "" || len(r.Cross) > 0 || r.Columns != Columns{})
}

// DefaultSegmentDays is the window of a segment that does not name one.
const DefaultSegmentDays = 90

// Validate checks the segment's rules.
func (s *Segment) Validate() error {
	if s.Rules == nil {
		return nil
	}
	var errs []error
	if s.Rules.Days < 0 || s.Rules.Days > 1827 {
		errs = append(errs, Invalid("segment.days", "must be between 1 and 1827"))
	}
	switch s.Rules.Platform {
	case "", Web, IOS, Android, Mobile:
	default:
		errs = append(errs, Invalid("segment.platform", "unknown platform %q", s.Rules.Platform))
	}
	errs = append(errs, validateCross("segment.cross", s.Rules.Cross))
	if s.Rules.Where != nil {
		errs = append(errs, s.Rules.Where.Validate("segment.where"))
	}
	return errors.Join(errs...)
}

// Window returns the range that the rules look at: from 00:00 UTC, days − 1 days ago, to now.
func (r *SegmentRules) Window(now time.Time) (start, end time.Time) {
	return startOfDays(r.days(), now), now
}

func (r *SegmentRules) days() int {
	if r.Days == 0 {
		return DefaultSegmentDays
	}
	return r.Days
}

// WindowOf returns the range that a condition without parts looks at: sessions for events, paths and sights, runs for
// flows. In the range funnels begin; they look at what follows, too.
func (r *SegmentRules) WindowOf(leaf *Condition, now time.Time) (start, end time.Time) {
	switch {
	case leaf.Event != nil:
		return leaf.Event.Window(r.days(), now)
	case leaf.Flow != nil:
		return leaf.Flow.Window(r.days(), now)
	case leaf.Funnel != nil:
		return leaf.Funnel.Period.Window(r.days(), now)
	case leaf.Path != nil:
		return leaf.Path.Window(r.days(), now)
	case leaf.Goal != nil:
		return leaf.Goal.Window(r.days(), now)
	case leaf.Seen != nil:
		return startOfDays(max(leaf.Seen.WithinDays, leaf.Seen.BeforeDays), now), now
	case leaf.Money != nil:
		return leaf.Money.Window(0, now)
	}
	return now, now
}

// StartOfDay returns the first instant of a local date. Where a clock change skips midnight it is the
// first instant after it, where midnight comes twice the earlier one; of a date that the zone
// skipped it is the start of the next.
func StartOfDay(year int, month time.Month, day int, loc *time.Location) time.Time {
	want := time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
	guess := time.Date(year, month, day, 0, 0, 0, 0, loc)
	if loc == time.UTC {
		return guess
	}
	// Clock changes move by multiples of 15 minutes and by less than four hours, apart from the
	// date line, where a whole day is missing.
	for t := guess.Add(-4 * time.Hour); ; t = t.Add(15 * time.Minute) {
		y, m, d := t.Date()
		if !time.Date(y, m, d, 0, 0, 0, 0, time.UTC).Before(want) {
			return t
		}
	}
}
