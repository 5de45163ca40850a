package analytics

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

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
	count, bytes, journeys int
	errs                   []error
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
		c.Flow != nil, c.Money != nil, c.Funnel != nil, c.Path != nil, c.Goal != nil,
	} {
		if given {
			set++
		}
	}
	if set != 1 {
		v.invalid(field, "needs exactly one of all, any, not, person, attribute, seen, event, flow, money, "+
			"funnel, path and goal")
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
	case c.Funnel != nil:
		v.funnel(field+".funnel", c.Funnel)
	case c.Path != nil:
		v.path(field+".path", c.Path)
	case c.Goal != nil:
		v.goal(field+".goal", c.Goal)
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
