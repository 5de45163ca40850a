// Package alert decides when a metric is worth telling somebody of: which values of it are out of bounds, when that
// makes an alert fire, and when it resolves. It is pure: values and times are arguments.
package alert

import (
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/svc-dev/svc/analytics"
)

// Metric is what an alert looks at, in the spelling of GraphQL, in which rules are stored.
type Metric string

// The metrics; the last three are of a goal.
const (
	Visitors              Metric = "VISITORS"
	Sessions              Metric = "SESSIONS"
	Views                 Metric = "VIEWS"
	Events                Metric = "EVENTS"
	NewVisitors           Metric = "NEW_VISITORS"
	BounceRate            Metric = "BOUNCE_RATE"
	AverageSessionSeconds Metric = "AVERAGE_SESSION_SECONDS"
	ViewsPerSession       Metric = "VIEWS_PER_SESSION"
	Revenue               Metric = "REVENUE" // in US dollars
	Conversions           Metric = "CONVERSIONS"
	Converters            Metric = "CONVERTERS"
	ConversionRate        Metric = "CONVERSION_RATE"
)

// OfGoal tells whether the metric is that of a goal.
func (m Metric) OfGoal() bool { return m == Conversions || m == Converters || m == ConversionRate }

// Counted tells whether values of the metric are numbers of things that come by chance, each by itself.
func (m Metric) Counted() bool {
	switch m {
	case BounceRate, AverageSessionSeconds, ViewsPerSession, Revenue, ConversionRate:
		return false
	}
	return true
}

// Direction is on which side of what is expected a value has to be.
type Direction string

// The directions.
const (
	Up     Direction = "UP"
	Down   Direction = "DOWN"
	Either Direction = "EITHER"
)

// Sensitivity says how far from the usual a value has to be.
type Sensitivity string

// The sensitivities.
const (
	Low    Sensitivity = "LOW"
	Medium Sensitivity = "MEDIUM"
	High   Sensitivity = "HIGH"
)

// Condition says which values are out of bounds. Exactly one member is set.
type Condition struct {
	Above   *float64 `json:"above,omitempty"`
	Below   *float64 `json:"below,omitempty"`
	Change  *Change  `json:"change,omitempty"`
	Unusual *Unusual `json:"unusual,omitempty"`
	Silent  *Silent  `json:"silent,omitempty"`
}

// Change is a change by at least so many percent against the same time of the week before.
type Change struct {
	Direction Direction `json:"direction"`
	Percent   float64   `json:"percent"`
}

// Unusual is a value that differs from those of the same time in the weeks before by more than they do.
type Unusual struct {
	Direction   Direction   `json:"direction"`
	Sensitivity Sensitivity `json:"sensitivity"`
}

// Silent is when no event of the scope arrives for so many minutes.
type Silent struct {
	Minutes int `json:"minutes"`
}

// Rule is what an alert looks at and when it fires.
type Rule struct {
	Metric Metric     `json:"metric"`
	GoalID *uuid.UUID `json:"goalId,omitempty"`
	// Platform, SegmentID and Cross limit what is looked at, in the spelling of GraphQL.
	Platform  string                            `json:"platform,omitempty"`
	SegmentID *uuid.UUID                        `json:"segmentId,omitempty"`
	Cross     map[string]analytics.StoredFilter `json:"cross,omitempty"`
	TimeZone  string                            `json:"timeZone"` // of its hours, days and quiet hours
	Grain     string                            `json:"grain"`    // HOUR or DAY: what a value is of
	Condition Condition                         `json:"condition"`
	// Breaches of the last Of values have to be out of bounds for the alert to fire.
	Breaches int `json:"breaches"`
	Of       int `json:"of"`
	// QuietFrom and QuietUntil are times of the day as 22:00, between which nobody is told; over midnight where the second
	// is earlier. Without quiet hours both are empty.
	QuietFrom  string `json:"quietFrom,omitempty"`
	QuietUntil string `json:"quietUntil,omitempty"`
}

// Bounds on rules.
const (
	MaxOf      = 24
	MinSilence = 5       // minutes
	MaxSilence = 24 * 60 // minutes
	maxPercent = 10_000
	maxBound   = 1e12
)

// Validate checks a rule; field is the path that errors name.
func (r *Rule) Validate(field string) error {
	if !slices.Contains([]Metric{
		Visitors, Sessions, Views, Events, NewVisitors, BounceRate, AverageSessionSeconds, ViewsPerSession, Revenue,
		Conversions, Converters, ConversionRate,
	}, r.Metric) {
		return analytics.Invalid(field+".metric", "unknown metric %q", r.Metric)
	}
	if r.Metric.OfGoal() != (r.GoalID != nil) {
		return analytics.Invalid(field+".goalId", "goes with CONVERSIONS, CONVERTERS and CONVERSION_RATE, which need it")
	}
	if _, err := r.zone(); err != nil {
		return analytics.Invalid(
			field+".timeZone", "unknown time zone %q: use an IANA name such as Europe/Berlin", r.TimeZone)
	}
	if r.Grain != "HOUR" && r.Grain != "DAY" {
		return analytics.Invalid(field+".grain", "must be HOUR or DAY")
	}
	if r.Of < 1 || r.Of > MaxOf {
		return analytics.Invalid(field+".of", "must be between 1 and %d", MaxOf)
	}
	if r.Breaches < 1 || r.Breaches > r.Of {
		return analytics.Invalid(field+".breaches", "must be between 1 and %d", r.Of)
	}
	if err := r.validateQuiet(field); err != nil {
		return err
	}
	return r.Condition.validate(field + ".condition")
}

func (r *Rule) validateQuiet(field string) error {
	if r.QuietFrom == "" && r.QuietUntil == "" {
		return nil
	}
	if _, ok := minuteOf(r.QuietFrom); !ok {
		return analytics.Invalid(field+".quietFrom", "must be a time like 22:00, and goes with quietUntil")
	}
	if _, ok := minuteOf(r.QuietUntil); !ok || r.QuietFrom == r.QuietUntil {
		return analytics.Invalid(field+".quietUntil", "must be another time than quietFrom, like 08:00")
	}
	return nil
}

// minuteOf reads a time of the day.
func minuteOf(text string) (minute int, ok bool) {
	at, err := time.Parse("15:04", text)
	return at.Hour()*60 + at.Minute(), err == nil && len(text) == len("15:04")
}

func (c *Condition) validate(field string) error {
	set := 0
	for _, given := range []bool{c.Above != nil, c.Below != nil, c.Change != nil, c.Unusual != nil, c.Silent != nil} {
		if given {
			set++
		}
	}
	if set != 1 {
		return analytics.Invalid(field, "needs exactly one of above, below, change, unusual and silent")
	}
	switch {
	case c.Above != nil && !(math.Abs(*c.Above) <= maxBound):
		return analytics.Invalid(field+".above", "must be a number up to %.0f", maxBound)
	case c.Below != nil && !(math.Abs(*c.Below) <= maxBound):
		return analytics.Invalid(field+".below", "must be a number up to %.0f", maxBound)
	case c.Change != nil:
		if !(c.Change.Percent > 0 && c.Change.Percent <= maxPercent) {
			return analytics.Invalid(field+".change.percent", "must be more than 0 and at most %d", maxPercent)
		}
		return c.Change.Direction.validate(field + ".change.direction")
	case c.Unusual != nil:
		if deviations[c.Unusual.Sensitivity] == 0 {
			return analytics.Invalid(field+".unusual.sensitivity", "must be LOW, MEDIUM or HIGH")
		}
		return c.Unusual.Direction.validate(field + ".unusual.direction")
	case c.Silent != nil && (c.Silent.Minutes < MinSilence || c.Silent.Minutes > MaxSilence):
		return analytics.Invalid(field+".silent.minutes", "must be between %d and %d", MinSilence, MaxSilence)
	}
	return nil
}

func (d Direction) validate(field string) error {
	if d != Up && d != Down && d != Either {
		return analytics.Invalid(field, "must be UP, DOWN or EITHER")
	}
	return nil
}

func (r *Rule) zone() (*time.Location, error) {
	if r.TimeZone == "" || r.TimeZone == "Local" {
		return nil, analytics.Invalid("timeZone", "must be an IANA name")
	}
	if known, ok := zones.Load(r.TimeZone); ok {
		return known.(*time.Location), nil
	}
	zone, err := time.LoadLocation(r.TimeZone)
	if err == nil {
		zones.Store(r.TimeZone, zone)
	}
	return zone, err
}

// zones are those that rules named: at most the some hundred that there are. Loading one takes longer than a judgement.
var zones sync.Map

// Location returns the zone of the rule, which has been validated.
func (r *Rule) Location() *time.Location {
	zone, err := r.zone()
	if err != nil { // a zone that the machine's database has no longer
		return time.UTC
	}
	return zone
}

// Unit returns the grain of the rule's values as reports take it.
func (r *Rule) Unit() analytics.Grain { return analytics.Grain(strings.ToLower(r.Grain)) }

// Scope returns what reports are asked for, without a range and the segment.
func (r *Rule) Scope() analytics.Scope {
	return analytics.Scope{
		Location: r.Location(), Platform: strings.ToLower(r.Platform), Cross: analytics.CrossOf(r.Cross),
	}
}

// Needs tells whether the rule looks at a goal, or at those who met it.
func (r *Rule) Needs(goal uuid.UUID) bool {
	return r.GoalID != nil && *r.GoalID == goal ||
		slices.ContainsFunc(r.Cross[string(analytics.MetGoal)].Values, func(id string) bool {
			return strings.EqualFold(id, goal.String())
		})
}

// NeedsSegment tells whether the rule looks at the members of a segment only.
func (r *Rule) NeedsSegment(id uuid.UUID) bool { return r.SegmentID != nil && *r.SegmentID == id }

// NeedsGoals tells whether the rule looks at any goal, or at those who met one.
func (r *Rule) NeedsGoals() bool {
	_, filtered := r.Cross[string(analytics.MetGoal)]
	return r.GoalID != nil || filtered
}

// IsQuiet tells whether nobody is told at a time.
func (r *Rule) IsQuiet(at time.Time) bool {
	from, quiet := minuteOf(r.QuietFrom)
	if !quiet {
		return false
	}
	until, _ := minuteOf(r.QuietUntil)
	hour, minute, _ := at.In(r.Location()).Clock()
	now := hour*60 + minute
	if from < until {
		return now >= from && now < until
	}
	return now >= from || now < until
}
