package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/svc-dev/svc/postgres/local"
)

const day = 24 * time.Hour

const (
	ledgerRows     = 20_000_000 // that the ledger holds, at scale 1
	ledgerDays     = 8          // in which they came
	ledgerDuration = 3 * time.Minute
)

// ledgerDesign is a way to remember event ids for some days and to forget them.
type ledgerDesign struct {
	name  string
	older int  // tables besides the current one, which share the days; they are dropped whole
	btree bool // one table with an index on the time, whose expired rows are deleted
}

// The first is what the others are compared with: it forgets nothing.
var ledgerDesigns = []ledgerDesign{
	{name: "never forgotten"},
	{name: "btree on the time, rows deleted", btree: true},
	{name: "8 tables of a day, dropped", older: 8},
	{name: "2 tables of 8 days, dropped", older: 1},
}

// benchLedger measures what a deduplication ledger costs by itself. Processor time
// and WAL depend less on who else uses the machine than rates do.
func benchLedger(ctx context.Context) error {
	dir, err := os.MkdirTemp("", "svc-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	database, err := local.Start(ctx, local.Config{Dir: dir, Preload: true, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return err
	}
	err = compareLedgers(ctx, database.URL(), filepath.Join(dir, "data"))
	stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
	defer cancel()
	return errors.Join(err, database.Stop(stopping))
}

func compareLedgers(ctx context.Context, url, dataDir string) error {
	pool, err := pgxpool.New(ctx, url)
	if err != nil {
		return err
	}
	defer pool.Close()
	for _, random := range []bool{true, false} {
		var reference ledgerCost
		for i, design := range ledgerDesigns {
			cost, err := design.measure(ctx, pool, dataDir, random)
			if err != nil {
				return fmt.Errorf("%s: %w", design.name, err)
			}
			if i == 0 {
				reference = cost
			}
			cost.print(design.name, random, reference)
		}
	}
	return nil
}

// ledgerCost is what a design takes.
type ledgerCost struct {
	rate   float64 // keys entered a second
	cpu    float64 // microseconds of the database's processor time a key
	wal    float64 // bytes a key
	size   float64 // MB of the ledger at the end
	forgot float64 // keys deleted a second
}

func (c ledgerCost) print(name string, random bool, reference ledgerCost) {
	keys := "v7"
	if random {
		keys = "random"
	}
	row(name+", "+keys, c.rate, "keys/s", reference.rate, ledgerDesigns[0].name)
	row("  processor time", c.cpu, "µs/key", reference.cpu, "")
	row("  write-ahead log", c.wal, "B/key", reference.wal, "")
	row("  size at the end", c.size, "MB", reference.size, "")
	if c.forgot > 0 {
		row("  deleted meanwhile", c.forgot, "keys/s", 0, "")
	}
}

// orderedKey is a UUIDv7 of the time "at", as SDKs make event ids, in SQL.
const orderedKey = `(lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '7' ||
	substr(md5(random()::text || i), 14))::uuid`

// fill makes the tables as they are after some days. Indexes of random keys are
// filled to 70 %, which is where inserting leaves them.
func (d ledgerDesign) fill(ctx context.Context, pool *pgxpool.Pool, rows int, random bool) error {
	if _, err := pool.Exec(ctx, `drop schema if exists ledger cascade; create schema ledger`); err != nil {
		return err
	}
	if d.older == 0 {
		return d.fillTable(ctx, pool, "current", rows, ledgerDays*day, 0, random)
	}
	span := ledgerDays * day / time.Duration(d.older)
	for i := range d.older {
		table := fmt.Sprintf("older%d", i)
		if err := d.fillTable(
			ctx, pool, table, rows/d.older, time.Duration(i+2)*span, time.Duration(i+1)*span, random,
		); err != nil {
			return err
		}
	}
	return d.fillTable(ctx, pool, "current", rows/d.older/2, span, 0, random)
}

func (d ledgerDesign) fillTable(
	ctx context.Context, pool *pgxpool.Pool, table string, rows int, oldest, youngest time.Duration, random bool,
) error {
	key, fill := orderedKey, 90
	if random {
		key, fill = `gen_random_uuid()`, 70
	}
	name := pgx.Identifier{"ledger", table}.Sanitize()
	statements := []string{
		`create table ` + name + ` (environment_id bigint not null, path smallint not null,
			event_key uuid not null, seen_at timestamptz not null)`,
		fmt.Sprintf(`insert into %s select 1, 1, %s, at from (
			select i, now() - interval '%d s' + interval '%d s' * (i / 20 * 20.0 / %d) as at
			from generate_series(1, %[5]d) i) s`,
			name, key, int(oldest.Seconds()), int((oldest - youngest).Seconds()), max(1, rows)),
		fmt.Sprintf(
			`alter table %s add constraint %s_key primary key (environment_id, path, event_key) with (fillfactor = %d)`, name,
			table, fill,
		),
		fmt.Sprintf(`alter index ledger.%s_key reset (fillfactor)`, table),
	}
	if d.btree {
		statements = append(statements, `create index on `+name+` (seen_at)`)
	}
	for _, sql := range append(statements, `vacuum (freeze, analyze) `+name) {
		if _, err := pool.Exec(ctx, sql); err != nil {
			return fmt.Errorf("fill %s: %w", name, err)
		}
	}
	return nil
}

// insertSQL enters keys that no table has. Keys of the older tables are looked
// up, since no unique index reaches over tables.
func (d ledgerDesign) insertSQL() string {
	var sql strings.Builder
	sql.WriteString(`insert into ledger.current (environment_id, path, event_key, seen_at)
		select * from unnest($1::bigint[], $2::smallint[], $3::uuid[], $4::timestamptz[])
		as n (environment_id, path, event_key, seen_at)
		where true`)
	for i := range d.older {
		fmt.Fprintf(&sql, ` and not exists (
			select from ledger.older%d o
			where o.environment_id = n.environment_id and o.path = n.path and o.event_key = n.event_key)`, i)
	}
	sql.WriteString(` on conflict do nothing returning environment_id, path, event_key`)
	return sql.String()
}
