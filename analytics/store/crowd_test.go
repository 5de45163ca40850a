package store

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/analytics/frame"
	"github.com/svc-dev/svc/ingest"
	"github.com/svc-dev/svc/people"
	"github.com/svc-dev/svc/postgres"
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
