// Package figures computes what the ledger and the periods of subscriptions come to: money, recurring revenue,
// conversion of trials, lifetime value and retention. Ledgers keep what they are computed of in memory and follows the
// database. docs/analytics.md defines every figure. It knows no provider and no currency but the dollar.
package figures

import (
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/analytics/flow"
)

// Basis says when what was taken back counts.
type Basis string

// The bases. Charges count at their own time by both.
const (
	ByEvent  Basis = "event"  // refunds and chargebacks at their own time
	ByCharge Basis = "charge" // at the time of the charge that they take back, so that the past changes
)

// Dimension is what money is broken down by.
type Dimension string

// The dimensions.
const (
	Provider           Dimension = "provider"
	Store              Dimension = "store"
	Product            Dimension = "product"
	Country            Dimension = "country"
	PeriodLength       Dimension = "periodLength"       // one of PeriodLengths; empty for what is bought once
	AcquisitionChannel Dimension = "acquisitionChannel" // of the person's first touch
	// FlowVersion is the id of the version, and ExperimentArm "experiment id/key of the arm", of the run that the first
	// trial or charge of the subscription belongs to, by the rule of reports of flows; empty without one.
	FlowVersion   Dimension = "flowVersion"
	ExperimentArm Dimension = "experimentArm"
)

// Dimensions lists them.
var Dimensions = []Dimension{
	Provider, Store, Product, Country, PeriodLength, AcquisitionChannel, FlowVersion, ExperimentArm,
}

// PeriodLengths are the lengths of periods as ISO 8601 writes them. A period has the nearest: a month has 22 to 45
// days, so that four weeks are one.
var PeriodLengths = []string{"P1D", "P3D", "P1W", "P2W", "P1M", "P2M", "P3M", "P6M", "P1Y"}

// Filter keeps the money and the subscriptions that have one of some values.
type Filter struct {
	Dimension Dimension // any but AcquisitionChannel
	Values    []string
}

// MaxValues is how many values a filter may have.
const MaxValues = 100

// Scope is what the figures of a request have in common.
type Scope struct {
	EnvironmentID int64
	Start, End    time.Time      // [Start, End); both zero means the last seven days of the zone
	Location      *time.Location // nil means UTC
	Basis         Basis          // empty means ByEvent
	Filters       []Filter
	// PurchaseWindow is how long after its start money belongs to a run, as the app sets it; 0 means 3 days.
	PurchaseWindow time.Duration
}

// Resolve checks the scope and fills in its defaults. Errors are joined analytics.FieldErrors.
func (s Scope) Resolve(now time.Time) (Scope, error) {
	times, err := analytics.Scope{Start: s.Start, End: s.End, Location: s.Location}.Resolve(now)
	errs := []error{err}
	s.Start, s.End, s.Location = times.Start, times.End, times.Location
	switch s.Basis {
	case "":
		s.Basis = ByEvent
	case ByEvent, ByCharge:
	default:
		errs = append(errs, analytics.Invalid("basis", "unknown basis %q: use event or charge", s.Basis))
	}
	if s.PurchaseWindow == 0 {
		s.PurchaseWindow = flow.DefaultPurchase
	}
	for _, f := range s.Filters {
		switch {
		case values[f.Dimension] == nil && originValues[f.Dimension] == nil:
			errs = append(errs, analytics.Invalid("filters", "%s can't be filtered by", f.Dimension))
		case len(f.Values) > MaxValues:
			errs = append(errs, analytics.Invalid(string(f.Dimension), "at most %d values", MaxValues))
		case slices.ContainsFunc(f.Values, func(v string) bool { return strings.ContainsRune(v, 0) }):
			errs = append(errs, analytics.Invalid(string(f.Dimension), "a value has a zero byte"))
		}
	}
	return s, errors.Join(errs...)
}

// values returns what the rows of traits have of a dimension that is theirs.
var values = map[Dimension]func(r *replica, t *traits) string{
	Provider:     func(r *replica, t *traits) string { return r.names.values[t.provider] },
	Store:        func(r *replica, t *traits) string { return r.names.values[t.store] },
	Product:      func(r *replica, t *traits) string { return r.names.values[t.product] },
	Country:      func(r *replica, t *traits) string { return r.names.values[t.country] },
	PeriodLength: func(_ *replica, t *traits) string { return lengthName(t.length) },
}

// lengthName returns the length of a period by its place; empty without a period.
func lengthName(place uint8) string {
	if place == 0 {
		return ""
	}
	return PeriodLengths[place-1]
}

// originValues returns what releases have of a dimension that is theirs.
var originValues = map[Dimension]func(of *release) string{
	FlowVersion: (*release).versionID, ExperimentArm: (*release).arm,
}

// needs are what a figure is computed of besides the ledger and the periods.
type needs struct {
	touches bool          // first touches of people who paid
	window  time.Duration // in which money belongs to runs; 0 without runs
}

// needs returns what a figure needs that is broken down by a dimension.
func (s *Scope) needs(by Dimension) needs {
	n := needs{touches: by == AcquisitionChannel}
	if originValues[by] != nil ||
		slices.ContainsFunc(s.Filters, func(f Filter) bool { return originValues[f.Dimension] != nil }) {
		n.window = s.PurchaseWindow
	}
	return n
}

// and returns what both need: each finds the origins of its window.
func (n needs) and(other needs) needs {
	return needs{touches: n.touches || other.touches, window: max(n.window, other.window)}
}

// choice is what the filters of a scope keep.
type choice struct {
	traits    []bool // by code
	releases  []bool // by code; nil for all
	bySubject []uint32
}

func (c *choice) keeps(traits, subject uint32) bool {
	return c.traits[traits] && (c.releases == nil || c.releases[c.bySubject[subject]])
}

func (r *replica) chosen(filters []Filter) *choice {
	c := &choice{traits: make([]bool, len(r.traits.values)), bySubject: r.origins.bySubject}
	for code := range c.traits {
		c.traits[code] = r.traits.values[code].kind != noKind
	}
	for _, f := range filters {
		if valueOf := values[f.Dimension]; valueOf != nil {
			for code := range c.traits {
				c.traits[code] = c.traits[code] && slices.Contains(f.Values, valueOf(r, &r.traits.values[code]))
			}
			continue
		}
		kept := make([]bool, len(r.releases.values))
		for code := range kept {
			kept[code] = (c.releases == nil || c.releases[code]) &&
				slices.Contains(f.Values, originValues[f.Dimension](&r.releases.values[code]))
		}
		c.releases = kept
	}
	return c
}

// grouping puts rows in groups by a value, of which one of the lists has the group.
type grouping struct {
	names     []string
	byTraits  []uint32
	touches   []touch // whose channels are groups
	byRelease []uint32
	bySubject []uint32 // releases
}

// group makes the groups of a dimension; all rows are one group of none.
func (r *replica) group(by Dimension) *grouping {
	if by == AcquisitionChannel {
		return &grouping{names: r.channels.values, touches: r.touches}
	}
	found, g := newDictionary[string](), &grouping{}
	if valueOf := originValues[by]; valueOf != nil {
		g.bySubject, g.byRelease = r.origins.bySubject, make([]uint32, len(r.releases.values))
		for code := range g.byRelease {
			g.byRelease[code] = found.code(valueOf(&r.releases.values[code]))
		}
		g.names = found.values
		return g
	}
	g.byTraits = make([]uint32, len(r.traits.values))
	if values[by] == nil {
		g.names = []string{""}
		return g
	}
	for code := range g.byTraits {
		g.byTraits[code] = found.code(values[by](r, &r.traits.values[code]))
	}
	g.names = found.values
	return g
}

// of returns the number of a row's group.
func (g *grouping) of(traits, subject uint32, c customer) int {
	switch {
	case g.byTraits != nil:
		return int(g.byTraits[traits])
	case g.byRelease != nil:
		return int(g.byRelease[g.bySubject[subject]])
	case int(c) < len(g.touches):
		return int(g.touches[c].channel)
	}
	return 0 // the channel of nobody is empty
}

// timeline counts the bounds up to a time.
type timeline struct {
	bounds []int64
	span   int64 // from the first to the last
}

func newTimeline(bounds []time.Time) timeline {
	t := timeline{bounds: make([]int64, len(bounds))}
	for i, bound := range bounds {
		t.bounds[i] = bound.UnixMicro()
	}
	if len(bounds) > 0 {
		t.span = t.bounds[len(bounds)-1] - t.bounds[0]
	}
	return t
}

// bucket returns the number of bounds up to a time. Buckets are of much the same width, so that a guess is close.
func (t *timeline) bucket(at int64) int {
	last := len(t.bounds) - 1
	switch {
	case last < 0 || at < t.bounds[0]:
		return 0
	case at >= t.bounds[last]:
		return last + 1
	}
	guess := int(float64(at-t.bounds[0])/float64(t.span)*float64(last)) + 1
	guess = min(max(guess, 1), last)
	for guess > 1 && t.bounds[guess-1] > at {
		guess--
	}
	for guess < last && t.bounds[guess] <= at {
		guess++
	}
	return guess
}
