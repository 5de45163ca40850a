package analytics

import (
	"errors"
	"slices"
	"strings"

	"github.com/google/uuid"
)

// Dimension is a property of sessions, views or events that reports group and filter by.
type Dimension string

// All dimensions.
const (
	AcquisitionChannel Dimension = "acquisitionChannel"
	Referrer           Dimension = "referrer"
	Source             Dimension = "source"
	Medium             Dimension = "medium"
	Campaign           Dimension = "campaign"
	Content            Dimension = "content"
	Term               Dimension = "term"
	Adset              Dimension = "adset"
	Creative           Dimension = "creative"
	Country            Dimension = "country"
	Region             Dimension = "region"
	City               Dimension = "city"
	Browser            Dimension = "browser"
	OS                 Dimension = "os"
	Device             Dimension = "device"
	Platform           Dimension = "platform"
	Page               Dimension = "page"
	Event              Dimension = "event"
	Entry              Dimension = "entry"
	Exit               Dimension = "exit"

	// Of runs of flows.
	Flow        Dimension = "flow"        // id
	FlowVersion Dimension = "flowVersion" // id
	Variant     Dimension = "variant"     // as flow events carry it; empty without an experiment
	FlowOutcome Dimension = "flowOutcome"

	MetGoal Dimension = "goal" // id of one that the visitor met in the range
)

// The values of FlowOutcome.
const (
	OutcomeCompleted = "completed"
	OutcomeAbandoned = "abandoned"
	OutcomeLapsed    = "lapsed" // without a hit for as long as Scope.Lapse
	OutcomeOpen      = "open"
)

// FlowOutcomes are the values of FlowOutcome.
var FlowOutcomes = []string{OutcomeCompleted, OutcomeAbandoned, OutcomeLapsed, OutcomeOpen}

// CrossDimensions are the dimensions that a cross filter may name.
var CrossDimensions = []Dimension{
	AcquisitionChannel, Referrer, Source, Campaign, Medium, Country, Region, Browser, OS, Device,
	Page, Event, Entry, Exit,
	Flow, FlowVersion, Variant, FlowOutcome,
	MetGoal,
}

// OfRuns tells whether a filter on the dimension is met by runs of the visitor, not by the session.
func (d Dimension) OfRuns() bool {
	return d == Flow || d == FlowVersion || d == Variant || d == FlowOutcome
}

// HasRunFilter tells whether one of the filters is met by runs.
func HasRunFilter(filters []Filter) bool {
	return slices.ContainsFunc(filters, func(f Filter) bool { return f.Dimension.OfRuns() })
}

// HasGoalFilter tells whether one of the filters names goals, which the scope must have then.
func HasGoalFilter(filters []Filter) bool {
	return slices.ContainsFunc(filters, func(f Filter) bool { return f.Dimension == MetGoal })
}

// AttributionDimensions, TechnologyDimensions, LocationDimensions, EngagementDimensions and
// RetentionDimensions are the dimensions of each report family.
var (
	AttributionDimensions = []Dimension{
		AcquisitionChannel, Referrer, Source, Campaign, Medium, Content, Term, Adset, Creative,
	}
	TechnologyDimensions = []Dimension{Browser, OS, Device}
	LocationDimensions   = []Dimension{Country, Region, City}
	EngagementDimensions = []Dimension{Page, Entry, Exit}
	RetentionDimensions  = []Dimension{Source, Campaign, Country, Platform, Device}
)

// HasText tells whether contains and does_not_contain are legal on the dimension.
func (d Dimension) HasText() bool {
	return d == Campaign || d == Page || d == Event || d == Entry || d == Exit
}

// Operator compares a value with the values of a filter.
type Operator string

// The operators; an empty operator means Is.
const (
	Is             Operator = "is"
	IsNot          Operator = "is_not"
	Contains       Operator = "contains"
	DoesNotContain Operator = "does_not_contain"
)

// Positive tells whether the operator asks for a match, rather than against one.
func (o Operator) Positive() bool { return o == Is || o == Contains || o == "" }

// Match tells whether value equals or contains one of values, as the operator compares; negative
// operators are not negated here.
func (o Operator) Match(value string, values []string) bool {
	if o == Contains || o == DoesNotContain {
		return slices.ContainsFunc(values, func(v string) bool { return strings.Contains(value, v) })
	}
	return slices.Contains(values, value)
}

// Filter is one cross filter: its values are alternatives.
type Filter struct {
	Dimension Dimension
	Operator  Operator
	Values    []string
}

// Columns are the column filters: one exact value each; nil means not set.
type Columns struct {
	Source, Medium, Campaign, Content, Term, Adset, Creative *string
	Browser, OS, Device                                      *string
	Country, Region, City                                    *string
	Page, Entry, Exit                                        *string
}

// ColumnDimensions are the dimensions that have a column filter.
var ColumnDimensions = []Dimension{
	Source, Medium, Campaign, Content, Term, Adset, Creative, Browser, OS, Device, Country, Region, City, Page, Entry,
	Exit,
}

// Column returns the filter of a dimension, to read or to set; nil for a dimension without a column filter.
func (c *Columns) Column(d Dimension) **string {
	switch d {
	case Source:
		return &c.Source
	case Medium:
		return &c.Medium
	case Campaign:
		return &c.Campaign
	case Content:
		return &c.Content
	case Term:
		return &c.Term
	case Adset:
		return &c.Adset
	case Creative:
		return &c.Creative
	case Browser:
		return &c.Browser
	case OS:
		return &c.OS
	case Device:
		return &c.Device
	case Country:
		return &c.Country
	case Region:
		return &c.Region
	case City:
		return &c.City
	case Page:
		return &c.Page
	case Entry:
		return &c.Entry
	case Exit:
		return &c.Exit
	}
	return nil
}

// Filters returns the set column filters in the form of cross filters.
func (c Columns) Filters() []Filter {
	var out []Filter
	for _, d := range ColumnDimensions {
		if value := *c.Column(d); value != nil {
			out = append(out, Filter{Dimension: d, Operator: Is, Values: []string{*value}})
		}
	}
	return out
}

// MaxFilterValues is how many alternatives one filter may list: more than any hand-made filter
// needs, and few enough that compiling one costs less than a report.
const MaxFilterValues = 1000

// validateCross checks cross filters; field is the path that errors name.
func validateCross(field string, filters []Filter) error {
	var errs []error
	seen := map[Dimension]bool{}
	for _, f := range filters {
		at := field + "." + string(f.Dimension)
		switch {
		case !slices.Contains(CrossDimensions, f.Dimension):
			errs = append(errs, Invalid(field, "unknown dimension %q", f.Dimension))
			continue
		case seen[f.Dimension]:
			errs = append(errs, Invalid(at, "a dimension takes one filter with one operator"))
		case len(f.Values) == 0:
			errs = append(errs, Invalid(at, "an operator needs at least one value"))
		case len(f.Values) > MaxFilterValues:
			errs = append(errs, Invalid(at, "at most %d values", MaxFilterValues))
		}
		seen[f.Dimension] = true
		switch f.Operator {
		case "", Is, IsNot:
		case Contains, DoesNotContain:
			if !f.Dimension.HasText() {
				errs = append(errs, Invalid(at, "operator %s is only allowed on campaign, page, event, entry and exit", f.Operator))
			}
			if slices.Contains(f.Values, "") {
				errs = append(errs, Invalid(at, "operator %s needs a value that is not empty", f.Operator))
			}
		default:
			errs = append(errs, Invalid(at, "unknown operator %q", f.Operator))
		}
		errs = append(errs, validateValues(at, f))
	}
	return errors.Join(errs...)
}

// validateValues checks that values of dimensions of runs are such that a run may have them, and those of goals ids.
func validateValues(at string, f Filter) error {
	for _, value := range f.Values {
		switch f.Dimension {
		case Flow, FlowVersion, MetGoal:
			if len(value) != 36 || uuid.Validate(value) != nil {
				return Invalid(at, "%q is no id: use a UUID", value)
			}
		case FlowOutcome:
			if !slices.Contains(FlowOutcomes, value) {
				return Invalid(at, "unknown outcome %q: use %s", value, strings.Join(FlowOutcomes, ", "))
			}
		}
	}
	return nil
}

// StoredFilter is a cross filter as it is stored, in the shape that GraphQL takes and gives: the operator in upper
// case.
type StoredFilter struct {
	Op     string   `json:"op"`
	Values []string `json:"values"`
}

// CrossOf returns the filters that are stored by dimension, in a fixed order.
func CrossOf(stored map[string]StoredFilter) (filters []Filter) {
	for _, dimension := range CrossDimensions {
		if f, set := stored[string(dimension)]; set {
			filters = append(filters, Filter{
				Dimension: dimension, Operator: Operator(strings.ToLower(f.Op)), Values: f.Values,
			})
		}
	}
	return filters
}
