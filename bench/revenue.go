package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
)

const (
	revenueCharges = 1_000_000 // at scale 1: a tenth as many monthly subscriptions, a twentieth is refunded
	revenueTurns   = 10
	smallFrames    = 128 << 20 // a setting that the ledger does not fit into
	deliverers     = 16
	deliveryTime   = 8 * time.Second
)

// revenueQuestions are figures of a year of revenue, and their like in SQL over the ledger, l, and periods, p, of the
// environment $1 from $2 to $3.
var revenueQuestions = []struct{ name, field, sql string }{
	{"totals", `totals { gross refunds net customers transactions }`, `
		select sum(amount_micros) filter (where kind in ('originating', 'renewal')), sum(amount_micros),
			count(distinct app_user_id) from revenue_ledger
		where environment_id = $1 and occurred_at >= $2 and occurred_at < $3`},
	{"series by day", `series(grain: DAY) { bucket totals { gross net } }`, `
		select date_trunc('day', occurred_at), sum(amount_micros), count(distinct app_user_id) from revenue_ledger
		where environment_id = $1 and occurred_at >= $2 and occurred_at < $3 group by 1`},
	{"by country", `breakdown(dimension: COUNTRY, first: 50) { nodes { value totals { gross net } } }`, `
		select country, sum(amount_micros), count(distinct app_user_id) from revenue_ledger
		where environment_id = $1 and occurred_at >= $2 and occurred_at < $3 group by 1`},
	{"subscriptions by month", `subscriptionSeries(grain: MONTH) { bucket state { active mrr } churned }`, `
		select m, count(*), sum(amount_micros) from generate_series($2::timestamptz, $3, interval '1 month') m
		join subscription_period p on environment_id = $1 and starts_at < m and ends_at >= m group by 1`},
	{"subscription retention", `subscriptionRetention { periodLength periods { due paid } }`, `
		select n, count(*) from (select row_number() over (partition by provider, subscription_key order by starts_at) n,
			min(starts_at) over (partition by provider, subscription_key) first
			from subscription_period where environment_id = $1) p
		where first >= $2 and first < $3 group by 1`},
}

// benchRevenue measures figures of revenue over a large ledger, deliveries of billing providers, and what forged ones
// cost the path of events.
func benchRevenue(ctx context.Context) error {
	dir, err := os.MkdirTemp("", "svc-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	end := time.Now().UTC().Truncate(24 * time.Hour)
	b := &reportBench{
		dir: dir, client: &http.Client{Timeout: 2 * time.Minute}, set: &dataSet{Start: end.AddDate(-1, 0, 0), End: end},
	}
	if err := b.withServer(ctx, b.fillRevenue); err != nil {
		return err
	}
	var whole time.Duration
	if err := b.withServer(ctx, func(ctx context.Context) (err error) {
		whole, err = b.measureRevenue(ctx)
		return err
	}); err != nil {
		return err
	}
	if err := b.withServer(ctx, func(ctx context.Context) error {
		return b.measurePortions(ctx, whole)
	}, fmt.Sprintf("SVC_FRAME_MEMORY=%d", smallFrames)); err != nil {
		return err
	}
	if err := b.withServer(ctx, b.measureDeliveries); err != nil {
		return err
	}
	return b.withServer(ctx, b.measureForged)
}

// fillRevenue makes a year and a half of charges.
func (b *reportBench) fillRevenue(ctx context.Context) error {
	charges := int(options.scale * revenueCharges)
	if _, err := b.conn.Exec(ctx, `set statement_timeout = 0`); err != nil {
		return err
	}
	for _, sql := range []string{
		`create temp table charge as
			select i, 'sub' || i / 10 as sub, 'person' || i / 10 as person,
				$1::timestamptz + make_interval(days => (i / 10) % 200 + 30 * (i % 10)) as at
			from generate_series(0, $2::int - 1) i where $3::bigint > 0`,
		`insert into revenue_ledger (environment_id, source, provider, transaction_key, kind, provider_event_id,
				subscription_key, app_user_id, occurred_at, amount_micros, product_id, store, country, period_start, period_end)
			select $3, 'webhook', 'stripe', 'in' || i, case when i % 10 = 0 then 'originating' else 'renewal' end, 'evt' || i,
				sub, person, at, 9990000, 'product' || i % 7, 'stripe', 'C' || i % 30, at, at + interval '30 days' from charge
			where $1::timestamptz is not null and $2::int > 0`,
		`insert into revenue_ledger (environment_id, source, provider, transaction_key, kind, provider_event_id, refers_to,
				subscription_key, app_user_id, occurred_at, charged_at, amount_micros, store)
			select $3, 'webhook', 'stripe', 're' || i, 'refund', 'evtr' || i, 'in' || i, sub, person, at + interval '3 days', at,
				-9990000, 'stripe' from charge where i % 20 = 0 and $1::timestamptz is not null and $2::int > 0`,
		`insert into subscription_period (environment_id, provider, transaction_key, subscription_key, provider_event_id,
				period_type, starts_at, ends_at, auto_renew, amount_micros, product_id, store, country, app_user_id)
			select $3, 'stripe', 'in' || i, sub, 'evt' || i, 'normal', at, at + interval '30 days', true, 9990000,
				'product' || i % 7, 'stripe', 'C' || i % 30, person from charge
			where $1::timestamptz is not null and $2::int > 0`,
	} {
		if _, err := b.conn.Exec(ctx, sql, b.set.End.AddDate(-1, -4, 0), charges, b.environment); err != nil {
			return fmt.Errorf("fill the ledger: %w", err)
		}
	}
	_, err := b.conn.Exec(ctx, `vacuum analyze revenue_ledger, subscription_period`)
	return err
}

func (b *reportBench) askRevenue(ctx context.Context, name, figure string) (time.Duration, error) {
	took, _, err := b.post(ctx, name, `query($scope: RevenueScope!) { revenue(scope: $scope) { `+figure+` } }`,
		map[string]any{"scope": map[string]any{
			"appId": b.server.file.Apps[0].ID, "range": map[string]any{"start": b.set.Start, "end": b.set.End},
		}})
	return took, err
}

// measureRevenue measures figures that are computed in memory, and returns how long the first took.
func (b *reportBench) measureRevenue(ctx context.Context) (first time.Duration, err error) {
	reference, err := b.readLedger(ctx)
	if err != nil {
		return 0, err
	}
	before, err := b.liveBytes(ctx)
	if err != nil {
		return 0, err
	}
	if first, err = b.askRevenue(ctx, "first", revenueQuestions[0].field); err != nil {
		return 0, err
	}
	peak, err := b.server.residentBytes()
	if err != nil {
		return 0, err
	}
	after, err := b.liveBytes(ctx)
	if err != nil {
		return 0, err
	}
	charges := options.scale * revenueCharges
	row(fmt.Sprintf("revenue, first figure of %.0f charges", charges), milliseconds(first), "ms", milliseconds(reference),
		"the same rows read, nothing kept")
	row("  memory that stays", float64(after-before)/charges, "B/charge", 0, "")
	row("  resident after it", float64(peak)/(1<<20), "MiB", 0, "")
	for _, q := range revenueQuestions {
		times := make([]time.Duration, revenueTurns)
		for i := range times {
			if times[i], err = b.askRevenue(ctx, q.name, q.field); err != nil {
				return 0, err
			}
		}
		slices.Sort(times)
		began := time.Now()
		if _, err := b.conn.Exec(ctx, q.sql, b.environment, b.set.Start, b.set.End); err != nil {
			return 0, fmt.Errorf("%s in SQL: %w", q.name, err)
		}
		row("revenue, "+q.name+", p50", milliseconds(quantile(times, .5)), "ms", milliseconds(time.Since(began)),
			"its like in SQL")
	}
	return first, nil
}

// readLedger reads the rows that figures need.
func (b *reportBench) readLedger(ctx context.Context) (time.Duration, error) {
	began := time.Now()
	for _, sql := range []string{
		`select id, app_user_id, kind, provider, store, product_id, country, amount_micros, tax_ppm, commission_ppm,
			occurred_at, charged_at, refers_to, transaction_key, subscription_key, period_start, period_end
			from revenue_ledger where environment_id = $1`,
		`select id, app_user_id, period_type, provider, store, product_id, country, amount_micros, auto_renew, starts_at,
			ends_at, ended_at, grace_until, transaction_key, subscription_key from subscription_period
			where environment_id = $1`,
	} {
		rows, err := b.conn.Query(ctx, sql, b.environment)
		if err != nil {
			return 0, err
		}
		for rows.Next() {
			rows.RawValues()
		}
		if err := rows.Err(); err != nil {
			return 0, err
		}
	}
	return time.Since(began), nil
}

// measurePortions measures figures of a ledger that memory does not hold.
func (b *reportBench) measurePortions(ctx context.Context, whole time.Duration) error {
	before, err := b.server.residentBytes()
	if err != nil {
		return err
	}
	// The first finds that the ledger does not fit.
	if _, err := b.askRevenue(ctx, "first in portions", revenueQuestions[0].field); err != nil {
		return err
	}
	for _, q := range []struct{ name, field string }{
		{"totals", revenueQuestions[0].field},
		{"all of these figures", revenueQuestions[0].field + revenueQuestions[1].field + revenueQuestions[2].field +
			revenueQuestions[3].field + revenueQuestions[4].field},
	} {
		took, err := b.askRevenue(ctx, q.name, q.field)
		if err != nil {
			return err
		}
		row(fmt.Sprintf("revenue, %s in portions, %d MiB", q.name, smallFrames>>20), milliseconds(took), "ms",
			milliseconds(whole), "the first figure in memory")
	}
	after, err := b.server.residentBytes()
	if err != nil {
		return err
	}
	row("  resident after them", float64(after)/(1<<20), "MiB", float64(before)/(1<<20), "before any figure")
	return nil
}

// measureDeliveries measures how many deliveries are taken, and what forged ones cost events.
func (b *reportBench) measureDeliveries(ctx context.Context) error {
	path, secret, err := b.connect(ctx, "REVENUECAT", "app_store")
	if err != nil {
		return err
	}
	pool, err := pgxpool.New(ctx, b.server.file.DatabaseURL)
	if err != nil {
		return err
	}
	defer pool.Close()
	if _, err := pool.Exec(ctx, `create table bench_delivery (id text primary key, body bytea)`); err != nil {
		return err
	}
	reference, err := many(ctx, func(ctx context.Context, n int64) error {
		_, err := pool.Exec(ctx, `insert into bench_delivery values ($1, $2)`, fmt.Sprint("e", n), delivery(n))
		return err
	})
	if err != nil {
		return err
	}
	client := &http.Client{Timeout: time.Minute, Transport: &http.Transport{MaxIdleConnsPerHost: deliverers}}
	taken, err := many(ctx, func(ctx context.Context, n int64) error {
		request, err := http.NewRequestWithContext(
			ctx, http.MethodPost, b.server.file.BaseURL+path, bytes.NewReader(delivery(n)),
		)
		if err != nil {
			return err
		}
		request.Header.Set("Authorization", secret)
		response, err := client.Do(request)
		if err != nil {
			return err
		}
		if err := response.Body.Close(); err != nil || response.StatusCode != http.StatusOK {
			return fmt.Errorf("a delivery was answered %s: %w", response.Status, err)
		}
		return nil
	})
	if err != nil {
		return err
	}
	row("deliveries of purchases, taken and booked", taken, "/s", reference, "rows committed to a bare table, one by one")

	return nil
}

// connect makes a connection of a provider for a store, which the key of `svc dev` may not.
func (b *reportBench) connect(ctx context.Context, provider, store string) (path, secret string, err error) {
	if _, err := b.conn.Exec(ctx, `update api_keys set scopes = scopes || '["app:settings"]'::jsonb`); err != nil {
		return "", "", err
	}
	_, answer, err := b.post(ctx, "connect", `mutation($input: CreateRevenueSourceInput!) {
		createRevenueSource(input: $input) { secret source { id path } } }`,
		map[string]any{"input": map[string]any{
			"appId": b.server.file.Apps[0].ID, "provider": provider, "name": "Bench", "stores": []string{store},
		}})
	if err != nil {
		return "", "", err
	}
	var made struct {
		Data struct {
			CreateRevenueSource struct {
				Secret string
				Source struct{ ID, Path string }
			}
		}
	}
	if err := json.Unmarshal(answer, &made); err != nil {
		return "", "", err
	}
	source := made.Data.CreateRevenueSource
	if source.Secret == "" { // the provider chooses it
		source.Secret = "whsec_of_the_bench"
		_, _, err = b.post(ctx, "secret", `mutation($id: ID!, $secret: String!) {
			addRevenueSecret(input: {id: $id, secret: $secret}) { source { id } } }`,
			map[string]any{"id": source.Source.ID, "secret": source.Secret})
	}
	return source.Source.Path, source.Secret, err
}

// delivery is the n-th purchase, of a subscription of its own.
func delivery(n int64) []byte {
	return fmt.Appendf(nil, `{"event": {"id": "bench-%[1]d", "type": "INITIAL_PURCHASE", "store": "APP_STORE",
		"event_timestamp_ms": %[2]d, "purchased_at_ms": %[2]d, "expiration_at_ms": %[3]d, "price": 9.99, "currency": "USD",
		"environment": "PRODUCTION", "app_user_id": "bench-%[1]d", "product_id": "plus", "transaction_id": "bench-%[1]d",
		"original_transaction_id": "bench-%[1]d", "subscriber_attributes": {"svc_app_user_id": {"value": "bench-%[1]d"}}}}`,
		n, time.Now().UnixMilli(), time.Now().AddDate(0, 1, 0).UnixMilli())
}

// many does something over several connections for a while and returns how often a second.
func many(ctx context.Context, do func(ctx context.Context, n int64) error) (float64, error) {
	began := time.Now()
	var next, done atomic.Int64
	errs := make([]error, deliverers)
	var wait sync.WaitGroup
	for i := range errs {
		wait.Go(func() {
			for errs[i] == nil && time.Since(began) < deliveryTime {
				if errs[i] = do(ctx, next.Add(1)); errs[i] == nil {
					done.Add(1)
				}
			}
		})
	}
	wait.Wait()
	return float64(done.Load()) / time.Since(began).Seconds(), errors.Join(errs...)
}
