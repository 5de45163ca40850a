package analytics

import (
	"errors"
	"fmt"
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
	PersonLanguage      PersonField = "LANGUAGE" // the first part of the locale, in lower case
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

// Bounds on the conditions of one segment.
const (
	MaxConditions      = 50
	maxConditionDepth  = 5
	maxConditionTexts  = 100
	maxConditionText   = 1 << 10  // bytes
	maxConditionBytes  = 32 << 10 // of all texts together
	maxAnswers         = 10
	maxEventProperties = 10
	maxEventCount      = 10_000
	maxDays            = 1827
)

// Validate checks a condition; field is the path that errors name. Errors are joined FieldErrors.
func (c *Condition) Validate(field string) error {
	v := conditionCheck{}
	v.check(field, c, 1)
	if v.count > MaxConditions {
		return Invalid(field, "has more than %d conditions", MaxConditions)
	}
	if v.bytes > maxConditionBytes {
		return Invalid(field, "has more than %d bytes of texts", maxConditionBytes)
	}
	return errors.Join(v.errs...)
}

type conditionCheck struct {
	count, bytes int
	errs         []error
}

func (v *conditionCheck) invalid(field, format string, args ...any) {
	v.errs = append(v.errs, Invalid(field, format, args...))
}

// check stops at the bounds, so that what a stranger sends takes no longer than what is allowed.
func (v *conditionCheck) check(field string, c *Condition, depth int) {
	v.count++
	switch {
	case v.count > MaxConditions:
		return
	case depth > maxConditionDepth:
		v.invalid(field, "is more than %d levels deep", maxConditionDepth)
		return
	case c == nil:
		v.invalid(field, "is empty")
		return
	}
	set := 0
	for _, given := range []bool{
		c.All != nil, c.Any != nil, c.Not != nil, c.Person != nil, c.Attribute != nil, c.Seen != nil, c.Event != nil,
		c.Flow != nil, c.Money != nil,
	} {
		if given {
			set++
		}
	}
	if set != 1 {
		v.invalid(field, "needs exactly one of all, any, not, person, attribute, seen, event, flow and money")
		return
	}
	switch {
	case c.Not != nil:
		v.check(field+".not", c.Not, depth+1)
	case c.Person != nil:
		v.person(field+".person", c.Person)
	case c.Attribute != nil:
		v.value(field+".attribute", c.Attribute)
	case c.Seen != nil:
		v.seen(field+".seen", c.Seen)
	case c.Event != nil:
		v.event(field+".event", c.Event)
	case c.Flow != nil:
		v.flow(field+".flow", c.Flow)
	case c.Money != nil:
		v.money(field+".money", c.Money)
	default:
		v.group(field+".all", c.All, depth)
		v.group(field+".any", c.Any, depth)
	}
}

func (v *conditionCheck) group(field string, parts []*Condition, depth int) {
	if parts != nil && len(parts) == 0 {
		v.invalid(field, "needs at least one condition")
	}
	for i, part := range parts {
		if v.count > MaxConditions {
			return
		}
		v.check(fmt.Sprintf("%s[%d]", field, i), part, depth+1)
	}
}

// text checks a text; an empty one is legal among alternatives only.
func (v *conditionCheck) text(field, text string, required bool) {
	v.bytes += len(text)
	switch {
	case required && text == "":
		v.invalid(field, "is required")
	case len(text) > maxConditionText:
		v.invalid(field, "has more than %d bytes", maxConditionText)
	case strings.ContainsRune(text, 0):
		v.invalid(field, "has a NUL")
	}
}

func (v *conditionCheck) texts(field string, texts []string) {
	if len(texts) > maxConditionTexts {
		v.invalid(field, "has more than %d texts", maxConditionTexts)
		return
	}
	for i, text := range texts {
		v.text(fmt.Sprintf("%s[%d]", field, i), text, false)
	}
}

func (v *conditionCheck) person(field string, c *PersonCondition) {
	if !slices.Contains(PersonFields, c.Field) {
		v.invalid(field+".field", "unknown field %q", c.Field)
	}
	v.texts(field+".texts", c.Texts)
	switch c.Op {
	case ValueExists, ValueAbsent:
		if c.Texts != nil {
			v.invalid(field+".texts", "%s takes no texts", c.Op)
		}
	case ValueIs, ValueIsNot, ValueContains, ValueDoesNotContain:
		v.alternatives(field+".texts", c.Op, c.Texts)
	default:
		v.invalid(field+".op", "%q does not compare texts", c.Op)
	}
}

func (v *conditionCheck) alternatives(field string, op ValueOperator, texts []string) {
	if len(texts) == 0 {
		v.invalid(field, "%s needs at least one text", op)
	}
	if (op == ValueContains || op == ValueDoesNotContain) && slices.Contains(texts, "") {
		v.invalid(field, "%s needs texts that are not empty", op)
	}
}

func (v *conditionCheck) value(field string, c *ValueCondition) {
	v.text(field+".key", c.Key, true)
	v.texts(field+".texts", c.Texts)
	given := 0
	for _, set := range []bool{c.Texts != nil, c.Number != nil, c.Flag != nil} {
		if set {
			given++
		}
	}
	switch c.Op {
	case ValueExists, ValueAbsent:
		if given > 0 {
			v.invalid(field+".op", "%s takes no value", c.Op)
		}
	case ValueIs, ValueIsNot:
		if given != 1 {
			v.invalid(field, "%s needs exactly one of texts, number and flag", c.Op)
		} else if c.Texts != nil {
			v.alternatives(field+".texts", c.Op, c.Texts)
		}
	case ValueContains, ValueDoesNotContain:
		if given != 1 || c.Texts == nil {
			v.invalid(field+".texts", "%s needs texts, and nothing else", c.Op)
			return
		}
		v.alternatives(field+".texts", c.Op, c.Texts)
	case ValueMore, ValueAtLeast, ValueLess, ValueAtMost:
		if given != 1 || c.Number == nil {
			v.invalid(field+".number", "%s needs a number, and nothing else", c.Op)
		}
	default:
		v.invalid(field+".op", "unknown operator %q", c.Op)
	}
}

func (v *conditionCheck) days(field string, days int, required bool) {
	if days < 0 || days > maxDays || required && days == 0 {
		v.invalid(field, "must be 1 to %d", maxDays)
	}
}

func (v *conditionCheck) seen(field string, c *SeenCondition) {
	if c.Which != SeenFirst && c.Which != SeenLast {
		v.invalid(field+".which", "must be FIRST or LAST")
	}
	if (c.WithinDays == 0) == (c.BeforeDays == 0) {
		v.invalid(field, "needs exactly one of withinDays and beforeDays")
	}
	v.days(field+".withinDays", c.WithinDays, false)
	v.days(field+".beforeDays", c.BeforeDays, false)
}

func (v *conditionCheck) period(field string, p Period) {
	v.days(field+".withinDays", p.WithinDays, false)
	switch {
	case (p.From == nil) != (p.To == nil):
		v.invalid(field+".to", "from and to go together")
	case p.From == nil:
	case p.WithinDays != 0:
		v.invalid(field+".withinDays", "does not go with from and to")
	case p.To.Before(*p.From):
		v.invalid(field+".to", "is before from")
	case p.To.Sub(*p.From) > MaxRange:
		v.invalid(field+".from", "is more than five years before to")
	}
}

func (v *conditionCheck) event(field string, c *EventCondition) {
	v.text(field+".name", c.Name, true)
	switch c.Source {
	case "", ProductEvents, TrackEvents:
	default:
		v.invalid(field+".source", "must be PRODUCT or TRACK")
	}
	if c.AtLeast < 0 || c.AtLeast > maxEventCount {
		v.invalid(field+".atLeast", "must be 1 to %d", maxEventCount)
	}
	if len(c.Properties) > maxEventProperties {
		v.invalid(field+".properties", "has more than %d", maxEventProperties)
		return
	}
	for i, property := range c.Properties {
		at := fmt.Sprintf("%s.properties[%d]", field, i)
		if property == nil {
			v.invalid(at, "is empty")
			continue
		}
		v.value(at, property)
	}
	v.period(field, c.Period)
}

func (v *conditionCheck) flow(field string, c *FlowCondition) {
	switch c.Outcome {
	case FlowStarted, FlowCompleted, FlowAbandoned:
	default:
		v.invalid(field+".outcome", "must be STARTED, COMPLETED or ABANDONED")
	}
	v.text(field+".lastStep", c.LastStep, false)
	if len(c.Answers) > maxAnswers {
		v.invalid(field+".answers", "has more than %d", maxAnswers)
		return
	}
	for i, answer := range c.Answers {
		at := fmt.Sprintf("%s.answers[%d]", field, i)
		if answer == nil {
			v.invalid(at, "is empty")
			continue
		}
		v.text(at+".field", answer.Field, true)
		if len(answer.Options) == 0 {
			v.invalid(at+".options", "needs at least one option")
		}
		v.texts(at+".options", answer.Options)
	}
	v.period(field, c.Period)
}

func (v *conditionCheck) money(field string, c *MoneyCondition) {
	now := false
	switch c.Kind {
	case MoneyRevenue:
		if c.USD == nil {
			v.invalid(field+".usd", "is required for REVENUE")
		} else if *c.USD > 1e9 || *c.USD < -1e9 {
			v.invalid(field+".usd", "must be between a billion and minus a billion")
		}
	case MoneyPurchased, MoneyRefunded:
	case MoneySubscribed, MoneyTrialing:
		now = true
	default:
		v.invalid(field+".kind", "unknown kind %q", c.Kind)
	}
	if c.USD != nil && c.Kind != MoneyRevenue {
		v.invalid(field+".usd", "goes with REVENUE only")
	}
	v.texts(field+".products", c.Products)
	v.period(field, c.Period)
	if now && c.Period != (Period{}) {
		v.invalid(field+".withinDays", "%s is about now and takes no period", c.Kind)
	}
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
