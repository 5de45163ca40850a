package store

import (
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/postgres/pgtest"
)

// condition makes a random condition.
func (c *crowd) condition(depth int) *analytics.Condition {
	if depth > 0 && c.random.IntN(2) == 0 {
		parts := make([]*analytics.Condition, 1+c.random.IntN(3))
		for i := range parts {
			parts[i] = c.condition(depth - 1)
		}
		switch c.random.IntN(3) {
		case 0:
			return &analytics.Condition{All: parts}
		case 1:
			return &analytics.Condition{Any: parts}
		}
		return &analytics.Condition{Not: parts[0]}
	}
	switch c.random.IntN(8) {
	case 0:
		return &analytics.Condition{Attribute: c.valueCondition()}
	case 1:
		return &analytics.Condition{Person: c.personCondition()}
	case 2:
		s := &analytics.SeenCondition{Which: chance(c, analytics.SeenFirst, analytics.SeenLast)}
		*chance(c, &s.WithinDays, &s.BeforeDays) = 1 + c.random.IntN(5)
		return &analytics.Condition{Seen: s}
	case 3:
		e := &analytics.EventCondition{
			Name: c.pick("page_view", "buy", "like", "invite", "never"), AtLeast: c.random.IntN(4), Period: c.period(),
			Source: chance(c, analytics.ProductEvents, analytics.ProductEvents, analytics.TrackEvents),
		}
		for range max(0, c.random.IntN(4)-1) {
			e.Properties = append(e.Properties, c.valueCondition())
		}
		return &analytics.Condition{Event: e}
	case 4:
		return &analytics.Condition{Flow: c.flowCondition()}
	case 5:
		return &analytics.Condition{Funnel: c.funnelCondition()}
	case 6:
		return &analytics.Condition{Path: c.pathCondition()}
	}
	m := &analytics.MoneyCondition{Kind: chance(c, analytics.MoneyRevenue, analytics.MoneyPurchased,
		analytics.MoneyRefunded, analytics.MoneySubscribed, analytics.MoneyTrialing)}
	if m.Kind == analytics.MoneyRevenue {
		m.USD = chance(c, new(0.0), new(9.99), new(10.0))
	}
	if m.Kind != analytics.MoneySubscribed && m.Kind != analytics.MoneyTrialing {
		m.Period = c.period()
	}
	if c.random.IntN(3) == 0 {
		m.Products = []string{c.pick("month", "year")}
	}
	return &analytics.Condition{Money: m}
}

func (c *crowd) period() (p analytics.Period) {
	switch c.random.IntN(3) {
	case 0:
		p.WithinDays = 1 + c.random.IntN(5)
	case 1:
		from := c.when()
		to := from.Add(36 * time.Hour)
		p.From, p.To = &from, &to
	}
	return p
}

func (c *crowd) valueCondition() *analytics.ValueCondition {
	v := &analytics.ValueCondition{Key: c.pick("plan", "n", "ok", "tags", "none")}
	switch c.random.IntN(6) {
	case 0:
		v.Op = chance(c, analytics.ValueExists, analytics.ValueAbsent)
	case 1:
		v.Op, v.Flag = chance(c, analytics.ValueIs, analytics.ValueIsNot), chance(c, new(true), new(false))
	case 2:
		v.Op = chance(c, analytics.ValueIs, analytics.ValueIsNot, analytics.ValueMore, analytics.ValueAtLeast,
			analytics.ValueLess, analytics.ValueAtMost)
		v.Number = chance(c, new(1.0), new(2.5), new(3.0))
	case 3:
		v.Op, v.Texts = chance(c, analytics.ValueContains, analytics.ValueDoesNotContain), []string{c.pick("pro", "e")}
	default:
		v.Op = chance(c, analytics.ValueIs, analytics.ValueIsNot)
		v.Texts = []string{c.pick("pro", "3", ""), c.pick("blue", "free")}
	}
	return v
}

func (c *crowd) personCondition() *analytics.PersonCondition {
	p := &analytics.PersonCondition{
		Field: chance(c, analytics.PersonLanguage, analytics.PersonLocale, analytics.PersonCustomUserID,
			analytics.PersonFirstPlatform),
		Op: chance(c, analytics.ValueIs, analytics.ValueIsNot, analytics.ValueContains, analytics.ValueDoesNotContain,
			analytics.ValueExists, analytics.ValueAbsent),
	}
	if p.Op != analytics.ValueExists && p.Op != analytics.ValueAbsent {
		p.Texts = []string{c.pick("de", "de_AT", "web", "he"), c.pick("en", "user-v1", "ios")}
	}
	return p
}

func (c *crowd) flowCondition() *analytics.FlowCondition {
	f := &analytics.FlowCondition{
		Outcome: chance(c, analytics.FlowStarted, analytics.FlowCompleted, analytics.FlowAbandoned), Period: c.period(),
	}
	if c.random.IntN(2) == 0 {
		id := uuid.MustParse("11111111-1111-4111-8111-111111111111")
		f.FlowID = &id
	}
	if c.random.IntN(4) == 0 {
		id := uuid.MustParse("22222222-2222-4222-8222-222222222222")
		f.VersionID = &id
	}
	if c.random.IntN(4) == 0 {
		id := uuid.MustParse("aaaaaaaa-3333-4333-8333-333333333331")
		f.VariantID = &id
	}
	if c.random.IntN(3) == 0 {
		f.LastStep = c.pick("one", "two")
	}
	for range max(0, c.random.IntN(4)-1) {
		f.Answers = append(f.Answers, &analytics.FlowAnswer{Field: c.pick("goal", "age"), Options: []string{c.pick("a", "b")}})
	}
	return f
}

// members returns for whom a condition holds, looked at one by one.
func (c *crowd) members(condition *analytics.Condition, days int) (ids []string) {
	var leaves []*analytics.Condition
	condition.Leaves(func(leaf *analytics.Condition) { leaves = append(leaves, leaf) })
	for _, p := range c.people {
		known := p.identified || p.platform != ""
		for _, leaf := range leaves {
			holds, negated := c.leaf(p, leaf, days)
			known = known || holds != negated
		}
		if known && c.holds(p, condition, days) {
			ids = append(ids, p.id)
		}
	}
	slices.Sort(ids)
	return ids
}

func (c *crowd) holds(p *somebody, condition *analytics.Condition, days int) bool {
	holds := func(part *analytics.Condition) bool { return c.holds(p, part, days) }
	switch {
	case condition.All != nil:
		return !slices.ContainsFunc(condition.All, func(part *analytics.Condition) bool { return !holds(part) })
	case condition.Any != nil:
		return slices.ContainsFunc(condition.Any, holds)
	case condition.Not != nil:
		return !holds(condition.Not)
	}
	answer, _ := c.leaf(p, condition, days)
	return answer
}

func (c *crowd) leaf(p *somebody, leaf *analytics.Condition, days int) (holds, negated bool) {
	switch {
	case leaf.Attribute != nil:
		return valueHolds(p.attributes, leaf.Attribute), slices.Contains(negatives, leaf.Attribute.Op)
	case leaf.Person != nil:
		return p.holds(leaf.Person), slices.Contains(negatives, leaf.Person.Op)
	case leaf.Seen != nil:
		return c.seen(p, leaf.Seen), false
	case leaf.Event != nil:
		return c.did(p, leaf.Event, days), false
	case leaf.Flow != nil:
		return c.ran(p, leaf.Flow, days), false
	case leaf.Funnel != nil:
		return c.went(p, leaf.Funnel, days), false
	case leaf.Path != nil:
		return c.took(p, leaf.Path, days), false
	}
	return c.paid(p, leaf.Money), false
}

var negatives = []analytics.ValueOperator{
	analytics.ValueIsNot, analytics.ValueDoesNotContain, analytics.ValueAbsent,
}

func (p *somebody) holds(x *analytics.PersonCondition) bool {
	value := map[analytics.PersonField]string{
		analytics.PersonLocale: p.locale, analytics.PersonCustomUserID: p.custom, analytics.PersonFirstPlatform: p.platform,
		analytics.PersonLanguage: map[string]string{"de-DE": "de", "de_AT": "de", "en": "en", "iw_IL": "he"}[p.locale],
	}[x.Field]
	is := slices.Contains(x.Texts, value)
	contains := slices.ContainsFunc(x.Texts, func(text string) bool { return strings.Contains(value, text) })
	return map[analytics.ValueOperator]bool{
		analytics.ValueIs: is, analytics.ValueIsNot: !is, analytics.ValueContains: contains,
		analytics.ValueDoesNotContain: !contains, analytics.ValueExists: value != "", analytics.ValueAbsent: value == "",
	}[x.Op]
}

func valueHolds(values map[string]any, x *analytics.ValueCondition) bool {
	value, there := values[x.Key]
	entries, isList := value.([]string)
	if text, isText := value.(string); isText {
		entries = []string{text}
	}
	var number float64
	var isNumber bool
	switch v := value.(type) {
	case int:
		number, isNumber = float64(v), true
	case float64:
		number, isNumber = v, true
	}
	flag, isFlag := value.(bool)
	is := false
	switch {
	case x.Texts != nil:
		is = slices.ContainsFunc(entries, func(entry string) bool { return slices.Contains(x.Texts, entry) })
	case x.Number != nil:
		is = isNumber && number == *x.Number
	case x.Flag != nil:
		is = isFlag && flag == *x.Flag && !isList
	}
	contains := slices.ContainsFunc(entries, func(entry string) bool {
		return slices.ContainsFunc(x.Texts, func(text string) bool { return strings.Contains(entry, text) })
	})
	switch x.Op {
	case analytics.ValueIs:
		return is
	case analytics.ValueIsNot:
		return !is
	case analytics.ValueContains:
		return contains
	case analytics.ValueDoesNotContain:
		return !contains
	case analytics.ValueExists:
		return there
	case analytics.ValueAbsent:
		return !there
	case analytics.ValueMore:
		return isNumber && number > *x.Number
	case analytics.ValueAtLeast:
		return isNumber && number >= *x.Number
	case analytics.ValueLess:
		return isNumber && number < *x.Number
	}
	return isNumber && number <= *x.Number
}

// midnight returns 00:00 UTC, days − 1 days ago.
func (c *crowd) midnight(days int) time.Time {
	return c.now.Truncate(24*time.Hour).AddDate(0, 0, 1-days)
}

func (c *crowd) within(p analytics.Period, days int, at time.Time) bool {
	switch {
	case p.From != nil:
		return !at.Before(*p.From) && at.Before(*p.To)
	case p.WithinDays > 0:
		days = p.WithinDays
	}
	return days == 0 || !at.Before(c.midnight(days))
}

func (c *crowd) seen(p *somebody, s *analytics.SeenCondition) bool {
	var at time.Time
	for _, e := range p.events {
		later := e.at.After(at)
		if !e.track && (at.IsZero() || later == (s.Which == analytics.SeenLast)) {
			at = e.at
		}
	}
	if at.IsZero() {
		return false
	}
	if s.WithinDays > 0 {
		return !at.Before(c.midnight(s.WithinDays))
	}
	return at.Before(c.midnight(s.BeforeDays))
}

func (c *crowd) did(p *somebody, x *analytics.EventCondition, days int) bool {
	times := 0
	for _, e := range p.events {
		if e.name == x.Name && e.track == (x.Source == analytics.TrackEvents) && c.within(x.Period, days, e.at) &&
			!slices.ContainsFunc(x.Properties, func(v *analytics.ValueCondition) bool { return !valueHolds(e.properties, v) }) {
			times++
		}
	}
	return times >= max(1, x.AtLeast)
}

func (c *crowd) ran(p *somebody, x *analytics.FlowCondition, days int) bool {
	return slices.ContainsFunc(p.runs, func(r ran) bool {
		if x.FlowID != nil && x.FlowID.String() != r.flow || x.VersionID != nil && x.VersionID.String() != r.version ||
			x.VariantID != nil && x.VariantID.String() != strings.ToLower(r.variant) ||
			x.LastStep != "" && x.LastStep != r.lastStep || !c.within(x.Period, days, r.at) {
			return false
		}
		for _, answer := range x.Answers {
			if !slices.ContainsFunc(r.answers[answer.Field], func(v string) bool { return slices.Contains(answer.Options, v) }) {
				return false
			}
		}
		return x.Outcome == analytics.FlowStarted || r.end == "flow_"+strings.ToLower(string(x.Outcome))
	})
}

func (c *crowd) paid(p *somebody, x *analytics.MoneyCondition) bool {
	if x.Kind == analytics.MoneySubscribed || x.Kind == analytics.MoneyTrialing {
		return p.trial != nil && *p.trial == (x.Kind == analytics.MoneyTrialing) &&
			(x.Products == nil || slices.Contains(x.Products, "month"))
	}
	sum, any, found := int64(0), false, false
	for _, m := range p.ledger {
		if x.Products != nil && !slices.Contains(x.Products, m.product) || !c.within(x.Period, 0, m.at) {
			continue
		}
		any, sum = true, sum+m.micros
		found = found || (m.kind == "refund") == (x.Kind == analytics.MoneyRefunded)
	}
	if x.Kind == analytics.MoneyRevenue {
		return any && sum >= int64(*x.USD*1e6)
	}
	return found
}

// Segments with random conditions have those members whom a reading of what was written person by person finds, in
// memory and in portions.
func TestConditionsChooseWhomTheyHoldFor(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	seed := uint64(time.Now().UnixNano())
	t.Log("seed", seed)
	c := newCrowd(t, db, seed, 120)
	whole := newStore(t, db.Pool, Settings{MaxAge: time.Hour})
	small := newStore(t, db.Pool, Settings{MaxAge: time.Hour, Budget: 1_000_000})
	some := 0
	for i := range 300 {
		condition := c.condition(3)
		if condition.Validate("where") != nil {
			continue // more levels than are allowed
		}
		days := 1 + c.random.IntN(6)
		segment := &analytics.Segment{Rules: &analytics.SegmentRules{Days: days, Where: condition}}
		want := c.members(condition, days)
		text, err := json.Marshal(condition)
		require.NoError(t, err)
		people, err := whole.People(t.Context(), environmentID, segment, c.now)
		require.NoError(t, err, "%s", text)
		require.Equal(t, want, slices.Sorted(people), "condition %d, %d days: %s", i, days, text)
		members, err := whole.Members(t.Context(), environmentID, segment, c.now)
		require.NoError(t, err)
		require.Equal(t, len(want), members.Count())
		if i%10 == 0 {
			people, err := small.People(t.Context(), environmentID, segment, c.now)
			require.NoError(t, err, "%s", text)
			require.Equal(t, want, slices.Sorted(people), "in portions: %s", text)
		}
		if len(want) > 0 && len(want) < len(c.people) {
			some++
		}
	}
	require.Greater(t, some, 100, "conditions that choose some and not all")
	require.Positive(t, small.scanned.Load(), "memory did not hold some")
}

// TestRareEventsAreFoundByTheirDays asks of how many events the database looks at the times.
func TestRareEventsAreFoundByTheirDays(t *testing.T) {
	db := pgtest.New(t)
	ctx := t.Context()
	_, err := db.Pool.Exec(ctx, `
		insert into product_event (environment_id, occurred_at, received_at, event_key, name, app_user_id)
		select 1, timestamptz '2026-11-01 00:00Z' + n * interval '5 min', now(), gen_random_uuid(),
			case when n % 10 = 0 then 'buy' else 'page_view' end, 'u' || n
		from generate_series(0, 7999) n`)
	require.NoError(t, err)
	_, err = db.Pool.Exec(ctx, `analyze product_event`)
	require.NoError(t, err)
	start, end := time.Date(2026, 11, 10, 23, 0, 0, 0, time.UTC), time.Date(2026, 11, 11, 0, 30, 0, 0, time.UTC)
	query := eventQuery(&analytics.EventCondition{Name: "buy"}, start, end)
	args := append([]any{pgx.QueryExecModeDescribeExec, int64(1)}, query.args...)
	rows, err := db.Pool.Query(ctx, query.sql, args...)
	require.NoError(t, err)
	people, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	require.ElementsMatch(t, []string{"u2870", "u2880"}, people)

	rows, err = db.Pool.Query(ctx, `explain (analyze, costs off, timing off, summary off) `+query.sql, args...)
	require.NoError(t, err)
	plan, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	text := strings.Join(plan, "\n")
	looked := 2
	for _, removed := range regexp.MustCompile(`Rows Removed by (?:Filter|Index Recheck): (\d+)`).FindAllStringSubmatch(text, -1) {
		n, err := strconv.Atoi(removed[1])
		require.NoError(t, err)
		looked += n
	}
	require.LessOrEqual(t, looked, 60, "of 800 that have the name, 58 on two days:\n"+text)
}
