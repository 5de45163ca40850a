package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/jackc/pgx/v5"
)

const (
	firstStartLimit = 20 * time.Second
	laterStartLimit = 4 * time.Second
	idleMemoryLimit = 120 << 20
	idleChannels    = 1000
)

// benchStart measures the first and a later start of `svc dev`, and the memory
// of the idle server when it delivers a thousand channels.
func benchStart(ctx context.Context) error {
	dir, err := os.MkdirTemp("", "svc-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	s, took, err := startServer(ctx, dir)
	if err != nil {
		return err
	}
	row("svc dev, first start", took.Seconds(), "s", firstStartLimit.Seconds(), "limit")
	err = addChannels(ctx, s.file.DatabaseURL, idleChannels)
	if stopErr := s.stop(); err == nil {
		err = stopErr
	}
	if err != nil {
		return err
	}
	s, took, err = startServer(ctx, dir)
	if err != nil {
		return err
	}
	row("svc dev, later start", took.Seconds(), "s", laterStartLimit.Seconds(), "limit")
	time.Sleep(5 * time.Second) // idle: what starting left is collected
	resident, err := s.residentBytes()
	if err == nil {
		row(
			fmt.Sprintf("server memory, idle, %d channels", idleChannels), float64(resident)/(1<<20), "MiB",
			idleMemoryLimit/(1<<20), "limit",
		)
	}
	if stopErr := s.stop(); err == nil {
		err = stopErr
	}
	return err
}

// addChannels makes channels that are pinned to one version of a 20 kB
// manifest, and one in ten to a version of its own.
func addChannels(ctx context.Context, databaseURL string, n int) error {
	conn, err := pgx.Connect(ctx, databaseURL)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	_, err = conn.Exec(ctx, `
		with app as (select id from apps limit 1),
		env as (select id from environments where app_id = (select id from app) and kind = 'live'),
		flow as (
			insert into flows (id, app_id, name, draft, updated_at)
			select gen_random_uuid(), app.id, 'Bench', '{}', now() from app returning id
		),
		version as (
			insert into flow_versions (id, flow_id, number, manifest, checksum)
			select gen_random_uuid(), flow.id, n,
				convert_to(jsonb_build_object('flowId', flow.id, 'version', n, 'schemaVersion', 7, 'defaultLocale', 'en',
				'locales', '[]'::jsonb,
					'entryScreenId', null, 'screens', '[]'::jsonb, 'builderMeta', jsonb_build_object('padding', repeat(md5(n::text),
					620)))::text, 'UTF8'),
				md5(n::text)
			from flow, generate_series(1, $1 / 10 + 1) n returning id, number
		)
		insert into channels (environment_id, public_id, name, assignment, flow_version_id, assignment_version, updated_at)
		select env.id, 'ch_live_bench' || n, 'Bench ' || n, 'direct', version.id, 1, now()
		from env, generate_series(1, $1) n
		join version on version.number = case when n % 10 = 0 then n / 10 + 1 else 1 end`, n)
	if err != nil {
		return fmt.Errorf("make %d channels: %w", n, err)
	}
	return nil
}
