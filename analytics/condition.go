package analytics

import (
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
)

// Condition is a question about one device and the person who uses it. Exactly one member is set; the texts of its
// enums are those of GraphQL, so that it is stored as it is asked.
type Condition struct {
	All       []*Condition     `json:"all,omitempty"`
	Any       []*Condition     `json:"any,omitempty"`
	Not       *Condition       `json:"not,omitempty"`
	Person    *PersonCondition `json:"person,omitempty"`
	Attribute *ValueCondition  `json:"attribute,omitempty"`
	Seen      *SeenCondition   `json:"seen,omitempty"`
	Event     *EventCondition  `json:"event,omitempty"`
	Flow      *FlowCondition   `json:"flow,omitempty"`
	Money     *MoneyCondition  `json:"money,omitempty"`
	Funnel    *FunnelCondition `json:"funnel,omitempty"`
	Path      *PathCondition   `json:"path,omitempty"`

	Goal *ConversionCondition `json:"goal,omitempty"`
}

// ValueOperator compares a value that may be unknown.
type ValueOperator string

// The operators of values. The negative ones hold for a value that is unknown.
const (
	ValueIs             ValueOperator = "IS" // or, of a list, has it as an entry
	ValueIsNot          ValueOperator = "IS_NOT"
	ValueContains       ValueOperator = "CONTAINS" // as a part of the text, or of an entry
	ValueDoesNotContain ValueOperator = "DOES_NOT_CONTAIN"
	ValueMore           ValueOperator = "MORE"
	ValueAtLeast        ValueOperator = "AT_LEAST"
	ValueLess           ValueOperator = "LESS"
	ValueAtMost         ValueOperator = "AT_MOST"
	ValueExists         ValueOperator = "EXISTS"
	ValueAbsent         ValueOperator = "ABSENT"
)

// Opposite returns the operator that holds where a negative one does not; the same of a positive one.
func (o ValueOperator) Opposite() (positive ValueOperator, negated bool) {
	switch o {
	case ValueIsNot:
		return ValueIs, true
	case ValueDoesNotContain:
		return ValueContains, true
	case ValueAbsent:
		return ValueExists, true
	}
	return o, false
}

// ValueCondition compares the value under a key with texts, which are alternatives, with a number or with a flag.
// Values of different types never match.
type ValueCondition struct {
	Key    string        `json:"key"`
	Op     ValueOperator `json:"op"`
	Texts  []string      `json:"texts,omitempty"`
	Number *float64      `json:"number,omitempty"`
	Flag   *bool         `json:"flag,omitempty"`
}

// PersonField is something that is known of a person besides their own attributes.
type PersonField string

// The fields of people: as identify said them last, and those of the first touch of the device.
const (
	PersonCustomUserID  PersonField = "CUSTOM_USER_ID"
	PersonEmail         PersonField = "EMAIL"
	PersonLocale        PersonField = "LOCALE"
	PersonLanguage      PersonField = "LANGUAGE" // of the locale, by its newest code
	PersonCountry       PersonField = "COUNTRY"
	PersonTimezone      PersonField = "TIMEZONE"
	PersonConsent       PersonField = "MARKETING_CONSENT" // granted, denied or unknown
	PersonFirstSource   PersonField = "FIRST_SOURCE"
	PersonFirstMedium   PersonField = "FIRST_MEDIUM"
	PersonFirstCampaign PersonField = "FIRST_CAMPAIGN"
	PersonFirstCountry  PersonField = "FIRST_COUNTRY"
	PersonFirstPlatform PersonField = "FIRST_PLATFORM"
	PersonFirstDevice   PersonField = "FIRST_DEVICE"
)

// OfFirstTouch tells whether the field is one of the device's first touch.
func (f PersonField) OfFirstTouch() bool { return strings.HasPrefix(string(f), "FIRST_") }

// PersonFields are all fields of people.
var PersonFields = []PersonField{
	PersonCustomUserID, PersonEmail, PersonLocale, PersonLanguage, PersonCountry, PersonTimezone, PersonConsent,
	PersonFirstSource, PersonFirstMedium, PersonFirstCampaign, PersonFirstCountry, PersonFirstPlatform, PersonFirstDevice,
}

// PersonCondition compares a field, empty when nobody said it, with texts, which are alternatives.
type PersonCondition struct {
	Field PersonField   `json:"field"`
	Op    ValueOperator `json:"op"`
	Texts []string      `json:"texts,omitempty"`
}

// SeenEnd is which sight of a device is meant.
type SeenEnd string

// The first and the latest product event.
const (
	SeenFirst SeenEnd = "FIRST"
	SeenLast  SeenEnd = "LAST"
)

// SeenCondition holds for a device whose first or latest product event is of the last days, or is older than that.
type SeenCondition struct {
	Which      SeenEnd `json:"which"`
	WithinDays int     `json:"withinDays,omitempty"`
	BeforeDays int     `json:"beforeDays,omitempty"`
}

// EventSource is what was called to send an event.
type EventSource string

// Product events and what the host tracked for automations are kept apart.
const (
	ProductEvents EventSource = "PRODUCT"
	TrackEvents   EventSource = "TRACK"
)

// Period is when something happened: in the last days, days as of UTC and today among them, or in [From, To). Neither
// is the condition's own default.
type Period struct {
	WithinDays int        `json:"withinDays,omitempty"`
	From       *time.Time `json:"from,omitempty"`
	To         *time.Time `json:"to,omitempty"`
}

// EventCondition holds for a device that did something often enough. Without a period it counts the segment's days.
type EventCondition struct {
	Name       string            `json:"name"`
	Source     EventSource       `json:"source,omitempty"`
	AtLeast    int               `json:"atLeast,omitempty"` // 0 is once
	Properties []*ValueCondition `json:"properties,omitempty"`
	Period
}

// FlowOutcomeKind is how far a run of a flow came.
type FlowOutcomeKind string

// What a run can have come to.
const (
	FlowStarted   FlowOutcomeKind = "STARTED"
	FlowCompleted FlowOutcomeKind = "COMPLETED"
	FlowAbandoned FlowOutcomeKind = "ABANDONED"
)

// FlowCondition holds for a device with a run, started in the period, that is all of what the condition says. Without a
// period it looks at the segment's days.
type FlowCondition struct {
	FlowID    *uuid.UUID      `json:"flowId,omitempty"` // nil is any flow
	VersionID *uuid.UUID      `json:"versionId,omitempty"`
	VariantID *uuid.UUID      `json:"variantId,omitempty"` // of an experiment
	Outcome   FlowOutcomeKind `json:"outcome"`
	LastStep  string          `json:"lastStep,omitempty"` // id of the step that was viewed last
	Answers   []*FlowAnswer   `json:"answers,omitempty"`
	Period
}

// FlowAnswer is a choice of a run: one of options was chosen for the field.
type FlowAnswer struct {
	Field   string   `json:"field"`
	Options []string `json:"options"`
}

// MoneyKind is what a condition asks of somebody's purchases.
type MoneyKind string

// What can be asked of purchases.
const (
	MoneyRevenue    MoneyKind = "REVENUE"    // net of refunds
	MoneyPurchased  MoneyKind = "PURCHASED"  // a first charge or a renewal
	MoneyRefunded   MoneyKind = "REFUNDED"   // a refund or a chargeback
	MoneySubscribed MoneyKind = "SUBSCRIBED" // has a paid period now
	MoneyTrialing   MoneyKind = "TRIALING"   // has a trial now
)

// MoneyCondition holds for a device to which purchases are joined. Without a period it looks at all of them.
type MoneyCondition struct {
	Kind     MoneyKind `json:"kind"`
	USD      *float64  `json:"usd,omitempty"` // least revenue
	Products []string  `json:"products,omitempty"`
	Period
}

// Leaves calls visit with the conditions that have no parts.
func (c *Condition) Leaves(visit func(*Condition)) {
	switch {
	case c.All != nil || c.Any != nil:
		for _, part := range slices.Concat(c.All, c.Any) {
			part.Leaves(visit)
		}
	case c.Not != nil:
		c.Not.Leaves(visit)
	default:
		visit(c)
	}
}

// Window returns [start, end) of a period; without one that of the last fallback days, and without these all time until
// now.
func (p Period) Window(fallback int, now time.Time) (start, end time.Time) {
	days := p.WithinDays
	switch {
	case p.From != nil:
		return ceilMillis(*p.From), ceilMillis(*p.To)
	case days == 0:
		days = fallback
	}
	if days == 0 {
		return time.Unix(0, 0).UTC(), now
	}
	return startOfDays(days, now), now
}

// startOfDays returns 00:00 UTC, days − 1 days ago.
func startOfDays(days int, now time.Time) time.Time {
	y, m, d := now.UTC().Date()
	return time.Date(y, m, d-days+1, 0, 0, 0, 0, time.UTC)
}
