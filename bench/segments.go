package main

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

const (
	segmentTurns = 20
	segmentLimit = 300.0 // milliseconds, p95: people count while they type
)

// segmentQuestion is a condition. #from and #to stand for the time of the data, #n for a number that is another each
// time.
type segmentQuestion struct{ name, where string }

// flowSegments are conditions on the data of flows.
var flowSegments = []segmentQuestion{
	{"flow completed", `{flow: {outcome: COMPLETED, from: "#from", to: "#to"}}`},
	{"last step and answer", `{flow: {outcome: STARTED, lastStep: "screen-03", from: "#from", to: "#to",
		answers: [{field: "field-screen-03", options: ["option-1"]}]}}`},
	{"started, not completed, paid", `{all: [{flow: {outcome: STARTED, from: "#from", to: "#to"}},
		{not: {flow: {outcome: COMPLETED, from: "#from", to: "#to"}}}, {money: {kind: REVENUE, usd: 5}}]}`},
	{"money", `{money: {kind: PURCHASED, from: "#from", to: "#to"}}`},
}

// peopleSegments are conditions on what addPeople adds.
var peopleSegments = []segmentQuestion{
	{"frequent event, property", `{event: {name: "action_0", from: "#from", to: "#to",
		properties: [{key: "plan", op: IS, texts: ["pro"]}]}}`},
	{"rare event, two properties", `{event: {name: "action_9", from: "#from", to: "#to",
		properties: [{key: "plan", op: IS_NOT, texts: ["pro"]}, {key: "position", op: AT_LEAST, number: 3}]}}`},
	{"track event", `{event: {name: "order_placed", source: TRACK, atLeast: 2, from: "#from", to: "#to"}}`},
	{"track event, property", `{event: {name: "order_placed", source: TRACK, from: "#from", to: "#to",
		properties: [{key: "total", op: AT_LEAST, number: 150}]}}`},
	{"attribute, text", `{attribute: {key: "plan", op: IS, texts: ["pro", "#n"]}}`},
	{"attribute, number", `{attribute: {key: "seats", op: AT_LEAST, number: 25.#n}}`},
	{"identified, language", `{person: {field: LANGUAGE, op: IS, texts: ["de", "#n"]}}`},
	{"no attribute, part of e-mail, flow", `{all: [
		{not: {attribute: {key: "plan", op: IS, texts: ["pro", "#n"]}}},
		{person: {field: EMAIL, op: CONTAINS, texts: ["96@", "#n"]}},
		{flow: {outcome: STARTED, from: "#from", to: "#to"}}]}`},
}

// benchSegments measures how long counting the people of rules takes that nobody has counted before, among the data of
// flows and what people did besides.
func benchSegments(ctx context.Context) error {
	cache, err := os.UserCacheDir()
	if err != nil {
		return err
	}
	dir := filepath.Join(cache, "svc", fmt.Sprintf("bench-flows-%g", options.scale))
	set, err := builtFlows(ctx, dir)
	if err != nil {
		return err
	}
	b := &reportBench{
		dir: dir, set: &dataSet{Start: set.Start, End: set.End}, client: &http.Client{Timeout: 2 * time.Minute},
	}
	return b.withServer(ctx, func(ctx context.Context) error {
		if err := b.addPeople(ctx); err != nil {
			return err
		}
		fmt.Printf("data: %d runs, %d flow events (scale %g); %d product events, %d track events, %d identified\n",
			set.Runs, set.Events, options.scale, scaled(siteEvents), scaled(trackEvents), scaled(flowPeople)/identifiedShare)
		return b.countSegments(ctx, slices.Concat(flowSegments, peopleSegments))
	})
}

// What people did besides flows, at scale 1.
const (
	siteEvents      = 2_000_000
	trackEvents     = 1_400_000
	identifiedShare = 4 // one in so many is identified
)

func scaled(n int) int { return int(float64(n) * options.scale) }

// addPeople has the app identify people of the data of flows, and stores product and track events of theirs, where that
// has not been done.
func (b *reportBench) addPeople(ctx context.Context) error {
	var there bool
	if err := b.conn.QueryRow(
		ctx, `select exists (select from person where environment_id = $1)`, b.environment,
	).Scan(&there); err != nil || there {
		return err
	}
	for _, add := range []struct {
		sql string
		n   int
	}{
		{`insert into product_event (environment_id, occurred_at, received_at, event_key, name, app_user_id, properties)
			select $1, at, at, gen_random_uuid(), 'action_' || floor(10 * power(random(), 3)),
				'visitor-' || n * 7919::bigint % $3,
				jsonb_build_object('plan', (array['free', 'pro', 'team'])[1 + n % 3], 'position', n % 10)
			from generate_series(1, $2::int) n,
				lateral (select $4::timestamptz + n * interval '30 days' / $2 as at) as times`, siteEvents},
		{`insert into track_event (environment_id, occurred_at, received_at, event_key, name, app_user_id, properties)
			select $1, at, at, gen_random_uuid(), 'order_placed', 'visitor-' || n * 7919::bigint % $3,
				jsonb_build_object('total', n % 200, 'currency', (array['EUR', 'USD'])[1 + n % 2])
			from generate_series(1, $2::int) n,
				lateral (select $4::timestamptz + n * interval '30 days' / $2 as at) as times`, trackEvents},
		{`with seen as (
				insert into product_session (environment_id, app_user_id, session_id, started_at, last_at, home_day, hits)
				select $1, 'visitor-' || n % $3, n::text, at, at, (at at time zone 'UTC')::date,
					array[(extract(epoch from at) * 1000 - 1577836800000)::bigint << 22]
				from generate_series(1, $2::int) n,
					lateral (select $4::timestamptz + n * interval '30 days' / $2 as at) as times
				returning environment_id, app_user_id, started_at, session_id)
			insert into product_analytics_first_touch (environment_id, app_user_id, first_seen_at, session_rank,
				session_started_at, session_id)
			select environment_id, app_user_id, started_at, 1, started_at, session_id from seen`, flowPeople},
		{`with made as (
				insert into person (environment_id, id, custom_user_id, email, locale, country, attributes, created_at,
					identified_at)
				select $1, md5('person ' || n)::uuid, 'customer-' || n, 'customer-' || n || '@shop.example',
					(array['en-GB', 'en-US', 'de-DE', 'fr-FR'])[1 + n % 4], (array['GB', 'US', 'DE', 'FR'])[1 + n % 4],
					jsonb_build_object('plan', (array['free', 'pro', 'team'])[1 + n % 3], 'seats', n % 50, 'beta', n % 10 = 0),
					$4, $4
				from generate_series(1, $2::int) n where n <= $3 returning id, custom_user_id)
			insert into person_device (environment_id, app_user_id, person_id, linked_at)
			select $1, replace(custom_user_id, 'customer', 'visitor'), id, $4 from made`, flowPeople / identifiedShare},
	} {
		if _, err := b.conn.Exec(
			ctx, add.sql, b.environment, scaled(add.n), max(scaled(flowPeople), 1), b.set.Start,
		); err != nil {
			return fmt.Errorf("add people: %w", err)
		}
	}
	_, err := b.conn.Exec(ctx, `analyze`)
	return err
}

func (b *reportBench) countSegments(ctx context.Context, questions []segmentQuestion) error {
	// The key of svc dev may not ask for what identify said.
	if _, err := b.conn.Exec(
		ctx, `update api_keys set scopes = scopes || '["customers:read"]' where not scopes ? 'customers:read'`,
	); err != nil {
		return err
	}
	for _, q := range questions {
		times := make([]time.Duration, segmentTurns)
		for i := range times {
			var err error
			if i == 0 { // what it looks at may not be in memory yet
				if _, err = b.count(ctx, q); err != nil {
					return err
				}
			}
			if times[i], err = b.count(ctx, q); err != nil {
				return err
			}
		}
		slices.Sort(times)
		row("count "+q.name+", p50", milliseconds(quantile(times, .5)), "ms", 0, "")
		row("  p95", milliseconds(quantile(times, .95)), "ms", segmentLimit, "limit")
	}
	return nil
}

// count counts the people of a condition as nobody has asked for it.
func (b *reportBench) count(ctx context.Context, q segmentQuestion) (time.Duration, error) {
	b.counted++
	where := strings.NewReplacer(
		"#from", b.set.Start.Add(time.Duration(b.counted)*time.Millisecond).Format(time.RFC3339Nano),
		"#to", b.set.End.Format(time.RFC3339), "#n", fmt.Sprintf("%04d", b.counted),
	).Replace(q.where)
	field := `segmentEstimate(rules: {where: ` + where + `})`
	took, answer, err := b.ask(ctx, question{name: q.name, field: field, whole: true}, nil)
	if err == nil && bytes.Contains(answer, []byte(`"segmentEstimate":0}`)) {
		err = fmt.Errorf("%s: nobody was found", q.name)
	}
	return took, err
}
