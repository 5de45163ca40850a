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
)

// Dimensions lists them.
var Dimensions = []Dimension{Provider, Store, Product, Country, PeriodLength, AcquisitionChannel}

// PeriodLengths are the lengths of periods as ISO 8601 writes them. A period has the nearest: a month has 22 to 45
// days, so that four weeks are one.
var PeriodLengths = []string{"P1D", "P3D", "P1W", "P2W", "P1M", "P2M", "P3M", "P6M", "P1Y"}

// Filter keeps the money and the subscriptions that have one of some values.
type Filter struct {
	Dimension Dimension // Provider, Store, Product, Country or PeriodLength
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
	for _, f := range s.Filters {
		switch {
		case values[f.Dimension] == nil:
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

// chosen tells which traits the filters keep.
func (r *replica) chosen(filters []Filter) []bool {
	keep := make([]bool, len(r.traits.values))
	for code := range keep {
		t := &r.traits.values[code]
		keep[code] = t.kind != noKind
		for _, f := range filters {
			keep[code] = keep[code] && slices.Contains(f.Values, values[f.Dimension](r, t))
		}
	}
	return keep
}

// grouping puts rows in groups by a value.
type grouping struct {
	names    []string
	byTraits []uint32
	replica  *replica // of acquisition channels; nil when traits have the value
}

// group makes the groups of a dimension; all rows are one group of none.
func (r *replica) group(by Dimension) *grouping {
	switch valueOf := values[by]; {
	case by == AcquisitionChannel:
		return &grouping{names: r.channels.values, replica: r}
	case valueOf != nil:
		found := newDictionary[string]()
		g := &grouping{byTraits: make([]uint32, len(r.traits.values))}
		for code := range g.byTraits {
			g.byTraits[code] = found.code(valueOf(r, &r.traits.values[code]))
		}
		g.names = found.values
		return g
	}
	return &grouping{names: []string{""}, byTraits: make([]uint32, len(r.traits.values))}
}

// of returns the number of a row's group.
func (g *grouping) of(traits uint32, c customer) int {
	if g.replica == nil {
		return int(g.byTraits[traits])
	}
	if int(c) < len(g.replica.touches) {
		return int(g.replica.touches[c].channel) // that of nobody's is empty
	}
	return 0
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
