package ingest

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
)

const (
	// ledgerPrecision is how exactly event_seen knows when a row came. Rows live for
	// days, and rows of one time share one key of the index that finds the expired.
	ledgerPrecision = time.Second
	// ledgerOverlap is for how long after the upgrade packed ids are in event_seen
	// as well, for servers of earlier versions that still run.
	ledgerOverlap = 24 * time.Hour
)

// ledger remembers the ids of events, so that what is sent again is stored once. Ids
// that are UUIDs of version 7, as SDKs make them, are packed by who makes them; see packed.go.
// Others have a row each in event_seen.
type ledger struct {
	window time.Duration
	packed atomic.Bool // nothing of before the ids were packed is remembered any more
}

// enter enters the keys of items and returns those that were not there: of several
// items with one key the first. Keys go in sorted, so that two servers that are sent
// the same events wait for each other in one direction.
func (l *ledger) enter(ctx context.Context, tx pgx.Tx, items []*item) ([]*item, error) {
	sorted := slices.Clone(items)
	slices.SortStableFunc(sorted, compareKeys)
	sorted = slices.CompactFunc(sorted, func(a, b *item) bool { return a.ledgerKey() == b.ledgerKey() })
	phase, err := l.phase(ctx, tx)
	if err != nil {
		return nil, err
	}
	var packable, single []*item
	for _, it := range sorted {
		if it.packable() {
			packable = append(packable, it)
		} else {
			single = append(single, it)
		}
	}
	known := map[*item]bool{}
	homeless, err := enterPacked(ctx, tx, packable, known)
	if err != nil {
		return nil, fmt.Errorf("enter packed ledger: %w", err)
	}
	switch phase {
	case ledgerBoth:
		single = slices.DeleteFunc(slices.Clone(sorted), func(it *item) bool { return known[it] })
	case ledgerLook:
		if err := findEntered(ctx, tx, packable, known); err != nil {
			return nil, fmt.Errorf("look into the ledger: %w", err)
		}
		fallthrough
	default:
		single = append(single, homeless...)
		slices.SortFunc(single, compareKeys)
	}
	if err := enterSingle(ctx, tx, single, known); err != nil {
		return nil, fmt.Errorf("enter ledger: %w", err)
	}
	return slices.DeleteFunc(sorted, func(it *item) bool { return known[it] }), nil
}

func compareKeys(a, b *item) int {
	return cmp.Or(
		cmp.Compare(a.environment, b.environment), cmp.Compare(a.path, b.path), bytes.Compare(a.key[:], b.key[:]),
	)
}

// ledgerPhase says where ids that can be packed are besides.
type ledgerPhase int

const (
	ledgerPacked ledgerPhase = iota // nowhere
	ledgerLook                      // the older ones are in event_seen
	ledgerBoth                      // all of them are, and are entered there
)

// phase reads it by the clock of the database, which all servers share.
func (l *ledger) phase(ctx context.Context, tx pgx.Tx) (phase ledgerPhase, err error) {
	if l.packed.Load() {
		return ledgerPacked, nil
	}
	err = tx.QueryRow(ctx, `
		select (now() < since + $1)::int + (now() < since + $2)::int from event_seen_packed_since`,
		ledgerOverlap, l.window+2*ledgerOverlap).Scan(&phase)
	if err != nil {
		return phase, fmt.Errorf("read since when ids are packed: %w", err)
	}
	if phase == ledgerPacked {
		l.packed.Store(true)
	}
	return phase, nil
}

// keyColumns are the keys of items as one array a column.
func keyColumns(items []*item) (environments []int64, paths []int16, keys []pgtype.UUID) {
	environments, paths = make([]int64, len(items)), make([]int16, len(items))
	keys = make([]pgtype.UUID, len(items))
	for i, it := range items {
		environments[i], paths[i], keys[i] = it.environment, int16(it.path), pgtype.UUID{Bytes: it.key, Valid: true}
	}
	return environments, paths, keys
}

// enterSingle gives each item a row of event_seen, and adds those that have one to known.
func enterSingle(ctx context.Context, tx pgx.Tx, items []*item, known map[*item]bool) error {
	if len(items) == 0 {
		return nil
	}
	environments, paths, keys := keyColumns(items)
	seen := make([]time.Time, len(items))
	for i, it := range items {
		seen[i] = it.receivedAt.Truncate(ledgerPrecision)
	}
	entered, err := readKeys(tx.Query(ctx, `
		insert into event_seen (environment_id, path, event_key, seen_at)
		select * from unnest($1::bigint[], $2::smallint[], $3::uuid[], $4::timestamptz[])
		on conflict do nothing
		returning environment_id, path, event_key`, environments, paths, keys, seen))
	for _, it := range items {
		if !entered[it.ledgerKey()] {
			known[it] = true
		}
	}
	return err
}

// findEntered adds to known the items that event_seen has.
func findEntered(ctx context.Context, tx pgx.Tx, items []*item, known map[*item]bool) error {
	environments, paths, keys := keyColumns(items)
	found, err := readKeys(tx.Query(ctx, `
		select environment_id, path, event_key from event_seen
		join unnest($1::bigint[], $2::smallint[], $3::uuid[]) as w (environment_id, path, event_key)
			using (environment_id, path, event_key)`, environments, paths, keys))
	for _, it := range items {
		if found[it.ledgerKey()] {
			known[it] = true
		}
	}
	return err
}

// readKeys reads keys that come in no order: a distributed database answers as its nodes do.
func readKeys(rows pgx.Rows, err error) (map[ledgerKey]bool, error) {
	if err != nil {
		return nil, err
	}
	found := map[ledgerKey]bool{}
	var of ledgerKey
	var path int16
	var key uuid.UUID
	_, err = pgx.ForEachRow(rows, []any{&of.environment, &path, &key}, func() error {
		of.path, of.key = Path(path), key
		found[of] = true
		return nil
	})
	return found, err
}
