package flow

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/analytics/report"
	"github.com/svc-dev/svc/analytics/run"
	"github.com/svc-dev/svc/analytics/session"
)

// Dimensions of runs, besides those of package analytics: acquisition dimensions are those of the person's first
// touch, all others attributes of the run.
const (
	Language       analytics.Dimension = "language" // of the locale, by its newest code
	Locale         analytics.Dimension = "locale"
	AppVersion     analytics.Dimension = "appVersion"
	Version        analytics.Dimension = "version" // id of the flow's version
	Channel        analytics.Dimension = "channel" // id of the channel, in decimal
	Variant        analytics.Dimension = "variant" // empty without an experiment
	CustomProperty analytics.Dimension = "customProperty"
)

// FilterDimensions are the dimensions that a filter of a scope may name.
var FilterDimensions = []analytics.Dimension{
	Locale, Language, analytics.Country, analytics.Region, AppVersion, analytics.Device, analytics.Browser, analytics.OS,
	analytics.AcquisitionChannel, analytics.Source, analytics.Medium, analytics.Campaign,
}

// CohortDimensions are the dimensions that cohorts are made by.
var CohortDimensions = []analytics.Dimension{
	analytics.Platform, Language, Locale, AppVersion, analytics.Country, analytics.Device, analytics.Browser, analytics.OS,
	Version, Channel, Variant, analytics.AcquisitionChannel, analytics.Source, analytics.Campaign, CustomProperty,
}

// Windows are what an app sets about its runs.
type Windows struct {
	Completion time.Duration // within which a run is expected to complete: 1, 3, 7 or 14 days; 0 means a day
	Purchase   time.Duration // after a run's start in which purchases belong to it: 1, 3, 7 or 14 days; 0 means 3 days
	Lapse      time.Duration // without a hit after which a run has lapsed, five minutes to a day; 0 means 30 minutes
}

// The windows of an app that did not set them.
const (
	DefaultCompletion = 24 * time.Hour
	DefaultPurchase   = 3 * 24 * time.Hour
	DefaultLapse      = run.DefaultLapse
)

// Property limits a scope to runs whose custom property has one of the values: strings as they are, numbers and
// booleans as JSON writes them.
type Property struct {
	Key    string
	Values []string
}

// Scope is what every report of a request has in common (flow-analytics.md §2). Empty lists and nil mean all.
type Scope struct {
	Flow       session.Key    // zero means every flow of the environment
	Start, End time.Time      // runs that start in [Start, End); both zero means the last seven days of the zone
	Location   *time.Location // nil means UTC
	Versions   []session.Key
	Channels   []int64
	Platform   string // analytics.Web, IOS, Android or Mobile; empty means all
	Segment    *analytics.Segment
	Experiment session.Key // zero means all, with and without an experiment
	Variants   []string    // of the experiment
	Filters    []analytics.Filter
	Property   *Property
	Windows    Windows
}

// MaxValues is how many values each list of a scope may have.
const MaxValues = analytics.MaxFilterValues

// Resolve checks the scope and fills in its defaults, with now as the current time. Errors are joined
// analytics.FieldErrors.
func (s Scope) Resolve(now time.Time) (Scope, error) {
	base, err := analytics.Scope{
		Start: s.Start, End: s.End, Location: s.Location, Platform: s.Platform, Segment: s.Segment,
	}.Resolve(now)
	errs := []error{err}
	s.Start, s.End, s.Location, s.Platform = base.Start, base.End, base.Location, base.Platform
	if s.Experiment == (session.Key{}) && len(s.Variants) > 0 {
		errs = append(errs, analytics.Invalid("variants", "variants belong to an experiment: name it too"))
	}
	for field, n := range map[string]int{
		"versions": len(s.Versions), "channels": len(s.Channels), "variants": len(s.Variants),
	} {
		if n > MaxValues {
			errs = append(errs, analytics.Invalid(field, "at most %d values", MaxValues))
		}
	}
	errs = append(errs, validateFilters(s.Filters), s.Property.validate(), s.Windows.resolve())
	return s, errors.Join(errs...)
}

func validateFilters(filters []analytics.Filter) error {
	var errs []error
	seen := map[analytics.Dimension]bool{}
	for _, f := range filters {
		at := "filters." + string(f.Dimension)
		switch {
		case !slices.Contains(FilterDimensions, f.Dimension):
			errs = append(errs, analytics.Invalid("filters", "unknown dimension %q", f.Dimension))
			continue
		case seen[f.Dimension]:
			errs = append(errs, analytics.Invalid(at, "a dimension takes one filter with one operator"))
		case len(f.Values) == 0:
			errs = append(errs, analytics.Invalid(at, "an operator needs at least one value"))
		case len(f.Values) > MaxValues:
			errs = append(errs, analytics.Invalid(at, "at most %d values", MaxValues))
		}
		seen[f.Dimension] = true
		switch f.Operator {
		case "", analytics.Is, analytics.IsNot:
		default:
			errs = append(errs, analytics.Invalid(at, "operator %q is not known here: use is or is_not", f.Operator))
		}
	}
	return errors.Join(errs...)
}

func (p *Property) validate() error {
	switch {
	case p == nil:
		return nil
	case p.Key == "":
		return analytics.Invalid("customProperty.key", "a custom property has a key")
	case len(p.Values) == 0:
		return analytics.Invalid("customProperty.values", "needs at least one value")
	case len(p.Values) > MaxValues:
		return analytics.Invalid("customProperty.values", "at most %d values", MaxValues)
	}
	return nil
}

// resolve fills in the defaults and checks what is set.
func (w *Windows) resolve() error {
	var errs []error
	for _, window := range []struct {
		field    string
		value    *time.Duration
		standard time.Duration
	}{
		{"windows.completion", &w.Completion, DefaultCompletion}, {"windows.purchase", &w.Purchase, DefaultPurchase},
	} {
		switch days := *window.value / (24 * time.Hour); {
		case *window.value == 0:
			*window.value = window.standard
		case *window.value%(24*time.Hour) != 0 || !slices.Contains(run.WindowDays, int(days)):
			errs = append(errs, analytics.Invalid(window.field, "must be 1, 3, 7 or 14 days"))
		}
	}
	switch {
	case w.Lapse == 0:
		w.Lapse = DefaultLapse
	case w.Lapse < run.MinLapse || w.Lapse > run.MaxLapse:
		errs = append(errs, analytics.Invalid("windows.lapse", "must be between five minutes and a day"))
	}
	return errors.Join(errs...)
}

// Reads returns the range of times whose runs, and whose sessions for retention, a view must hold for the reports of a
// resolved scope: a purchase belongs to one run of all that its person began, in whatever flow, in the purchase window
// before it. With previous it is that of the period before, too.
func (s Scope) Reads(previous bool) (from, to time.Time) {
	from, to = s.Start.Add(-s.Windows.Purchase), s.End.Add(s.Windows.Purchase)
	if previous {
		from = from.Add(-s.End.Sub(s.Start))
	}
	return from, to
}

// key returns what says which runs the resolved scope has.
func (s *Scope) key(members *report.Members) selectionKey {
	text := fmt.Sprintf("%x %d %d %d %x %d %q %x %q %q", s.Flow, s.Start.UnixNano(), s.End.UnixNano(), s.Windows.Purchase,
		s.Versions, s.Channels, s.Platform, s.Experiment, s.Variants, s.Filters)
	if s.Property != nil {
		text += fmt.Sprintf(" %q", *s.Property)
	}
	return selectionKey{text, members}
}
