package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/jackc/pgx/v5"
)

const (
	archiveEvents    = 1_000_000 // of the person at scale 1; others have as many
	archiveLimit     = 600.0     // seconds
	archivePageLimit = 500.0     // milliseconds
)

// benchArchive measures how long it takes to give out a person's data who has very many events, page by page: of a
// month, and all in a second.
func benchArchive(ctx context.Context) error {
	return onServer(ctx, func(ctx context.Context, s *server) error {
		b := &eraseBench{reportBench: &reportBench{server: s, client: &http.Client{Timeout: 5 * time.Minute}}}
		return b.measureArchives(ctx)
	}, "SVC_RATE_LIMIT_KEY=0", "SVC_RATE_LIMIT_ADDRESS=0")
}

func (b *eraseBench) measureArchives(ctx context.Context) (err error) {
	if b.conn, err = pgx.Connect(ctx, b.server.file.DatabaseURL); err != nil {
		return err
	}
	defer b.conn.Close(ctx)
	events := scaled(archiveEvents)
	for _, sql := range []string{
		`update api_keys set scopes = scopes || '["people:manage"]'`,
		`insert into product_event (environment_id, occurred_at, received_at, event_key, name, app_user_id, properties)
			select e.id, at, at, gen_random_uuid(), 'tick', u, jsonb_build_object('n', n, 'text', repeat('x', 100))
			from environments e, generate_series(1, $1::int) n,
				lateral (select now() - interval '30 days' * n / $1 as at) as times,
				unnest(array['month', 'other-' || n % 100000]) u where e.kind = 'live'`,
		`insert into product_event (environment_id, occurred_at, received_at, event_key, name, app_user_id, properties)
			select e.id, date_trunc('second', now()) - interval '9 days' + n % 1000 * interval '1 ms', now(), gen_random_uuid(),
				'tick', 'second', jsonb_build_object('n', n, 'text', repeat('x', 100))
			from environments e, generate_series(1, $1::int) n where e.kind = 'live'`,
		`insert into product_session (environment_id, app_user_id, session_id, started_at, last_at, home_day, hits)
			select e.id, 'month', 'session ' || n, at, at, at::date, array_fill(1::bigint, array[10])
			from environments e, generate_series(1, $1::int / 10) n,
				lateral (select now() - interval '300 days' * n / $1 as at) as times where e.kind = 'live'`,
		`insert into flow_run (environment_id, app_user_id, flow_id, run_key, derived, started, first_at, last_at, home_day,
				hits, contexts)
			select e.id, 'month', md5((n % 7)::text)::uuid, md5(n::text)::uuid, false, true, now(), now(), current_date,
				decode(repeat('00', 480), 'hex'), ''
			from environments e, generate_series(1, $1::int / 20) n where e.kind = 'live'`,
	} {
		var args []any
		if sql[0] == 'i' {
			args = []any{events}
		}
		if _, err := b.conn.Exec(ctx, sql, args...); err != nil {
			return fmt.Errorf("add a person of many events: %w", err)
		}
	}
	// As it is a week later, where there is a columnstore; without one the function is not there.
	_, _ = b.conn.Exec(ctx,
		`select compress_chunk(c) from show_chunks('product_event', older_than => interval '8 days') c`)
	if _, err := b.conn.Exec(ctx, `analyze`); err != nil {
		return err
	}
	for _, person := range []string{"month", "second"} {
		if err := b.export(ctx, person, events); err != nil {
			return err
		}
	}
	return nil
}

// export goes through all pages of a person.
func (b *eraseBench) export(ctx context.Context, person string, events int) error {
	before, err := b.server.residentBytes()
	if err != nil {
		return err
	}
	ownBefore, databaseBefore, err := b.server.processorTime()
	if err != nil {
		return err
	}
	input := map[string]any{"appId": b.server.file.Apps[0].ID, "environment": "LIVE", "appUserId": person}
	began, longest, most, bytes, pages, given := time.Now(), time.Duration(0), before, 0, 0, 0
	for {
		var page struct {
			Data struct {
				ExportPerson struct {
					Records []struct {
						Table string
						Row   json.RawMessage
					}
					EndCursor *string
				}
			}
		}
		asked := time.Now()
		const export = `mutation($i: ExportPersonInput!) { exportPerson(input: $i) { records { table row } endCursor } }`
		if err := b.change(ctx, export, map[string]any{"i": input}, &page); err != nil {
			return err
		}
		longest = max(longest, time.Since(asked))
		pages++
		for _, record := range page.Data.ExportPerson.Records {
			bytes += len(record.Row)
			if record.Table == "product_event" {
				given++
			}
		}
		resident, err := b.server.residentBytes()
		if err != nil {
			return err
		}
		most = max(most, resident)
		if page.Data.ExportPerson.EndCursor == nil {
			break
		}
		input["after"] = *page.Data.ExportPerson.EndCursor
	}
	took := time.Since(began)
	own, database, err := b.server.processorTime()
	if err != nil {
		return err
	}
	if given != events {
		return fmt.Errorf("%d of %d events are given out", given, events)
	}
	row(fmt.Sprintf("export %d events of a %s", events, person), took.Seconds(), "s", archiveLimit, "limit")
	row(fmt.Sprintf("  the longest of %d pages, %d MB", pages, bytes>>20),
		milliseconds(longest), "ms", archivePageLimit, "limit")
	row("  server memory, most", float64(most)/(1<<20), "MiB", float64(before)/(1<<20), "before")
	row("  processor time of the server", (own - ownBefore).Seconds(), "s", 0, "")
	row("  processor time of the database", (database - databaseBefore).Seconds(), "s", 0, "")
	return nil
}
