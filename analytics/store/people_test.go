package store

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/analytics/frame"
	"github.com/svc-dev/svc/ingest"
	"github.com/svc-dev/svc/people"
	"github.com/svc-dev/svc/postgres"
	"github.com/svc-dev/svc/postgres/pgtest"
)

// crowd is a random world of people in a database and, beside it, what was written of them, for a naive reading.
type crowd struct {
	*sender
	t      *testing.T
	now    time.Time
	people []*somebody
}

type somebody struct {
	id         string
	custom     string
	identified bool
	locale     string
	attributes map[string]any
	platform   string // of the first touch
	events     []happened
	runs       []ran
	ledger     []paid
	trial      *bool // has a period now, and whether it is a trial
}

type happened struct {
	track      bool
	name       string
	at         time.Time
	properties map[string]any
}

type ran struct {
	flow, version, variant string
	at                     time.Time
	end, lastStep          string
	answers                map[string][]string
}

type paid struct {
	kind, product string
	micros        int64
	at            time.Time
}

func chance[T any](c *crowd, values ...T) T { return values[c.random.IntN(len(values))] }

func (c *crowd) when() time.Time {
	return c.now.Add(-time.Duration(c.random.IntN(5*24*3600)) * time.Second)
}

func (c *crowd) properties() map[string]any {
	properties := map[string]any{}
	if c.random.IntN(4) > 0 {
		properties["plan"] = chance(c, "free", "pro", "proper", "")
	}
	if c.random.IntN(3) > 0 {
		properties["n"] = chance[any](c, 1, 2.5, 3, "3")
	}
	if c.random.IntN(3) == 0 {
		properties["ok"] = chance(c, true, false)
	}
	if c.random.IntN(3) == 0 {
		properties["tags"] = chance(c, []string{"pro", "red"}, []string{"blue"}, []string{"profile"})
	}
	return properties
}

func newCrowd(t *testing.T, db *postgres.DB, seed uint64, size int) *crowd {
	c := &crowd{sender: newSender(t, db), t: t, now: time.Now().UTC().Truncate(time.Millisecond)}
	_, err := db.Pool.Exec(t.Context(), `insert into event_name (environment_id, id, kind, text, text_hash)
		values ($1, 1000, 6, 'noise', gen_random_uuid())`, environmentID)
	require.NoError(t, err)
	c.random = rand.New(rand.NewPCG(seed, 1))
	identifier := people.New(db.Pool, people.Options{})
	var product, track, flows []map[string]any
	for i := range size {
		p := &somebody{id: fmt.Sprintf("v%d", i)}
		c.people = append(c.people, p)
		if c.random.IntN(5) > 0 {
			p.platform = chance(c, "web", "ios")
			for k := range 1 + c.random.IntN(6) {
				at := c.when().Add(-time.Duration(k+1) * time.Millisecond) // no two things at one moment
				e := happened{false, chance(c, "page_view", "buy", "like"), at, c.properties()}
				p.events = append(p.events, e)
				product = append(product, c.sent(p, e))
			}
		}
		if c.random.IntN(4) == 0 {
			e := happened{true, chance(c, "buy", "invite"), c.when(), c.properties()}
			p.events = append(p.events, e)
			track = append(track, c.sent(p, e))
		}
		for range c.random.IntN(3) {
			flows = append(flows, c.run(p)...)
		}
		if c.random.IntN(2) == 0 {
			c.identify(identifier, p)
		}
		c.pay(db, p)
	}
	for _, sent := range []struct {
		events []map[string]any
		path   string
	}{{product, "product"}, {track, "track"}, {flows, "flow"}} {
		for batch := range slices.Chunk(sent.events, 400) {
			c.store(sent.path, batch)
		}
	}
	c.makeNoise(db)
	return c
}

// makeNoise gives everybody whom product events have shown a long session, so that memory may be made too small for
// all.
func (c *crowd) makeNoise(db *postgres.DB) {
	at := c.now.Add(-time.Hour)
	for _, p := range c.people {
		if p.platform == "" {
			continue
		}
		p.events = append(p.events, happened{name: "noise", at: at})
		_, err := db.Pool.Exec(c.t.Context(), `
			insert into product_session (environment_id, app_user_id, session_id, started_at, last_at, home_day, changed_xid,
				platform, hits)
			select $1, $2, 'noise', $3, $3, ($3 at time zone 'UTC')::date, pg_current_xact_id(), 'web',
				array_fill($4::bigint, array[2000])`,
			environmentID, p.id, at, frame.PackHit(at.UnixMilli(), 1000))
		require.NoError(c.t, err)
	}
}

func (c *crowd) store(path string, events []map[string]any) {
	c.t.Helper()
	if path == "flow" {
		c.send(c.t, events...)
		return
	}
	body, err := json.Marshal(map[string]any{"events": events})
	require.NoError(c.t, err)
	receive := c.writer.Product
	if path == "track" {
		receive = c.writer.Track
	}
	answer, err := receive(c.t.Context(), body, ingest.Request{EnvironmentID: environmentID, ReceivedAt: time.Now()})
	require.NoError(c.t, err)
	require.Empty(c.t, answer.Rejected)
	require.Equal(c.t, len(events), answer.Stored)
}

func (c *crowd) sent(p *somebody, e happened) map[string]any {
	sent := map[string]any{
		"eventId": uuid.NewString(), "name": e.name, "timestamp": e.at.Format(time.RFC3339Nano),
		"identity":   map[string]any{"appUserId": p.id, "sessionId": fmt.Sprint(p.id, e.at.Day())},
		"context":    map[string]any{"platform": p.platform},
		"properties": e.properties,
	}
	if e.name == "page_view" {
		sent["screenName"] = "/"
	}
	return sent
}

func (c *crowd) run(p *somebody) []map[string]any {
	r := ran{
		flow:    "11111111-1111-4111-8111-11111111111" + c.pick("1", "2"),
		version: "22222222-2222-4222-8222-22222222222" + c.pick("1", "2"),
		variant: c.pick("", "aaaaaaaa-3333-4333-8333-333333333331", "AAAAAAAA-3333-4333-8333-333333333331", "b"),
		at:      c.when(), end: c.pick("", "flow_completed", "flow_abandoned"), answers: map[string][]string{},
	}
	id, seq := uuid.NewString(), 0
	var events []map[string]any
	add := func(name, step string, properties map[string]any) {
		events = append(events, map[string]any{
			"eventId": uuid.NewString(), "name": name, "flowId": r.flow, "versionId": r.version, "variantId": r.variant, "runId": id, "seq": seq,
			"timestamp": r.at.Add(time.Duration(seq) * time.Second).Format(time.RFC3339Nano), "stepId": step,
			"identity": map[string]any{"appUserId": p.id}, "properties": properties,
			"context": map[string]any{"platform": "web"},
		})
		seq++
	}
	add("flow_started", "", nil)
	for range c.random.IntN(4) {
		r.lastStep = c.pick("one", "two", "three")
		add("step_viewed", r.lastStep, nil)
		if c.random.IntN(2) == 0 {
			field, value := c.pick("goal", "age"), c.pick("a", "b")
			r.answers[field] = append(r.answers[field], value)
			add("choice_selected", r.lastStep, map[string]any{"field_key": field, "value": value})
		}
	}
	if r.end != "" {
		add(r.end, "", nil)
	}
	p.runs = append(p.runs, r)
	return events
}

func (c *crowd) identify(records *people.Store, p *somebody) {
	p.identified, p.locale, p.attributes = true, chance(c, "", "de-DE", "de_AT", "en", "iw_IL"), c.properties()
	delete(p.attributes, "tags")
	attributes := map[string]json.RawMessage{}
	for name, value := range p.attributes {
		text, err := json.Marshal(value)
		require.NoError(c.t, err)
		attributes[name] = text
	}
	if c.random.IntN(2) == 0 {
		p.custom = "user-" + p.id
	}
	_, err := records.Identify(c.t.Context(), people.Change{
		EnvironmentID: environmentID, AppUserID: p.id, CustomUserID: p.custom, Attributes: attributes,
		Profile: people.Profile{Locale: &p.locale},
	})
	require.NoError(c.t, err)
}

func (c *crowd) pay(db *postgres.DB, p *somebody) {
	for range max(0, c.random.IntN(5)-2) {
		m := paid{c.pick("originating", "renewal", "refund"), c.pick("month", "year"), 9_990_000, c.when()}
		if m.kind == "refund" {
			m.micros = -m.micros
		}
		p.ledger = append(p.ledger, m)
		_, err := db.Pool.Exec(c.t.Context(), `
			insert into revenue_ledger (environment_id, provider, provider_event_id, kind, app_user_id, occurred_at,
				amount_micros, product_id)
			values ($1, 'stripe', gen_random_uuid()::text, $2, $3, $4, $5, $6)`,
			environmentID, m.kind, p.id, m.at, m.micros, m.product)
		require.NoError(c.t, err)
	}
	if c.random.IntN(4) > 0 {
		return
	}
	trial, ended := c.random.IntN(2) == 0, c.random.IntN(3) == 0
	if !ended {
		p.trial = &trial
	}
	kind := map[bool]string{true: "trial", false: "normal"}[trial]
	_, err := db.Pool.Exec(c.t.Context(), `
		insert into subscription_period (environment_id, provider, transaction_key, subscription_key, provider_event_id,
			period_type, starts_at, ends_at, ended_at, auto_renew, store, app_user_id, product_id)
		values ($1, 'stripe', $2, $2, $2, $3, $4, $5, $6, true, 'stripe', $2, 'month')`,
		environmentID, p.id, kind, c.now.AddDate(0, 0, -1), c.now.AddDate(0, 0, 1),
		map[bool]any{true: c.now.Add(-time.Hour), false: nil}[ended])
	require.NoError(c.t, err)
}

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
