package ingest

import (
	"context"
	"fmt"
	"hash/maphash"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/svc-dev/svc/analytics/session"
)

const (
	// maxDetails bounds the rows of a group that an environment may have: publishable keys are public.
	maxDetails = 1 << 20
	// detailCacheSize bounds the ids, and half as many first sights, that are remembered. They are emptied when full:
	// what is in use comes back with one query.
	detailCacheSize = 200_000
	// detailLock is the class of the advisory lock under which details are added; its second key is the environment.
	detailLock = 0x737664 // "svd"
)

// detailGroup is a group of an environment.
type detailGroup struct {
	environment int64
	group       group
}

// kind returns the group in event_detail.
func (g group) kind() int16 { return int16(g) + 1 }

// detailKey names a detail.
type detailKey struct {
	detailGroup
	hash uuid.UUID
}

// details gives the details of events their ids. Ids are shared by all servers
// through the table event_detail; what is known is remembered.
//
// A detail gets an id when a second visitor has it: what only one person has said
// stays with that person's events and goes with them. Beyond the budget, and when
// the database has as many as it may have, events keep their values.
type details struct {
	pool   *pgxpool.Pool
	budget int // details of a group that an environment may add a UTC day
	now    func() time.Time
	seed   maphash.Seed

	mu    sync.RWMutex
	known map[detailKey]int32
	said  map[detailKey]uint64      // by the first visitor, hashed
	spent map[detailGroup]time.Time // those that may add no more on that UTC day
}

func newDetails(pool *pgxpool.Pool, budget int, now func() time.Time) *details {
	return &details{
		pool: pool, budget: budget, now: now, seed: maphash.MakeSeed(),
		known: map[detailKey]int32{}, said: map[detailKey]uint64{}, spent: map[detailGroup]time.Time{},
	}
}

// unknownDetail is a detail of an event that has no id yet.
type unknownDetail struct {
	detailKey
	value   detail
	visitor uint64
}

// assign sets the ids of the details of items; 0 where an event keeps its values.
func (d *details) assign(ctx context.Context, items []*item) error {
	unknown := d.assignKnown(items)
	shared := d.findShared(unknown)
	if len(shared) == 0 {
		return nil
	}
	for of, wanted := range shared {
		if err := d.load(ctx, of, wanted); err != nil {
			return fmt.Errorf("details of environment %d: %w", of.environment, err)
		}
	}
	d.assignKnown(items)
	return nil
}

// assignKnown sets the ids that are known and returns the details that are not.
// Events of one request mostly have the same details as the one before.
func (d *details) assignKnown(items []*item) []unknownDetail {
	d.mu.RLock()
	defer d.mu.RUnlock()
	var unknown []unknownDetail
	for g := range groupCount {
		var last detail
		key := detailKey{detailGroup: detailGroup{group: g}}
		shareable := false
		for i, it := range items {
			value := it.detail(g)
			if i == 0 || value != last || key.environment != it.environment {
				last, key.environment = value, it.environment
				if shareable = value.worthSharing(); shareable {
					key.hash = value.hash()
				}
			}
			it.details[g] = 0
			if !shareable {
				continue
			}
			id, ok := d.known[key]
			if !ok {
				unknown = append(unknown, unknownDetail{key, value, maphash.String(d.seed, it.appUserID())})
			}
			it.details[g] = id
		}
	}
	return unknown
}

// findShared returns the details that a second visitor has now. It remembers the first
// sight of the others.
func (d *details) findShared(unknown []unknownDetail) map[detailGroup]map[uuid.UUID]detail {
	if len(unknown) == 0 {
		return nil
	}
	today := d.now().UTC().Truncate(24 * time.Hour)
	shared := map[detailGroup]map[uuid.UUID]detail{}
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, u := range unknown {
		if d.spent[u.detailGroup].Equal(today) {
			continue
		}
		switch visitor, seen := d.said[u.detailKey]; {
		case !seen:
			if len(d.said) >= detailCacheSize/2 {
				clear(d.said)
			}
			d.said[u.detailKey] = u.visitor
		case visitor != u.visitor:
			if shared[u.detailGroup] == nil {
				shared[u.detailGroup] = map[uuid.UUID]detail{}
			}
			shared[u.detailGroup][u.hash] = u.value
		}
	}
	return shared
}

// load looks details up and adds those that are new, within the budget.
func (d *details) load(ctx context.Context, of detailGroup, wanted map[uuid.UUID]detail) error {
	found, err := findDetails(ctx, d.pool, of, wanted)
	if err != nil {
		return err
	}
	full := false
	if len(found) < len(wanted) {
		err = pgx.BeginFunc(ctx, d.pool, func(tx pgx.Tx) error {
			found, full, err = d.add(ctx, tx, of, wanted)
			return err
		})
		if err != nil {
			return err
		}
	}
	d.remember(of, found, full)
	return nil
}

func (d *details) remember(of detailGroup, found map[uuid.UUID]int32, full bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.known)+len(found) > detailCacheSize {
		clear(d.known)
	}
	for hash, id := range found {
		key := detailKey{of, hash}
		d.known[key] = id
		delete(d.said, key)
	}
	if full {
		d.spent[of] = d.now().UTC().Truncate(24 * time.Hour)
	}
}

func findDetails(
	ctx context.Context, db querier, of detailGroup, wanted map[uuid.UUID]detail,
) (map[uuid.UUID]int32, error) {
	hashes := make([]pgtype.UUID, 0, len(wanted))
	for hash := range wanted {
		hashes = append(hashes, pgtype.UUID{Bytes: hash, Valid: true})
	}
	rows, err := db.Query(ctx, `
		select hash, id from event_detail
		where environment_id = $1 and kind = $2 and hash = any($3)`, of.environment, of.group.kind(), hashes)
	if err != nil {
		return nil, fmt.Errorf("find details: %w", err)
	}
	found := make(map[uuid.UUID]int32, len(wanted))
	var hash pgtype.UUID
	var id int32
	_, err = pgx.ForEachRow(rows, []any{&hash, &id}, func() error { found[hash.Bytes] = id; return nil })
	if err != nil {
		return nil, fmt.Errorf("find details: %w", err)
	}
	return found, nil
}

// add gives new details the next ids, one server at a time in an environment. It
// tells whether some had no place any more.
func (d *details) add(
	ctx context.Context, tx pgx.Tx, of detailGroup, wanted map[uuid.UUID]detail,
) (found map[uuid.UUID]int32, full bool, err error) {
	if _, err := tx.Exec(ctx, `select pg_advisory_xact_lock($1, hashint8($2))`, detailLock, of.environment); err != nil {
		return nil, false, fmt.Errorf("lock details: %w", err)
	}
	if found, err = findDetails(ctx, tx, of, wanted); err != nil {
		return nil, false, err // another server may have been first
	}
	// Ids are dense, so the day's additions are among the last `budget` ids.
	var last, today int
	now := d.now()
	err = tx.QueryRow(ctx, `
		select coalesce(max(id), 0), count(*) filter (where created_at >= $4)
		from event_detail
		where environment_id = $1 and kind = $2
		  and id > (select coalesce(max(id), 0) from event_detail where environment_id = $1 and kind = $2) - $3`,
		of.environment, of.group.kind(), d.budget, now.UTC().Truncate(24*time.Hour)).Scan(&last, &today)
	if err != nil {
		return nil, false, fmt.Errorf("count details: %w", err)
	}
	free := max(0, min(d.budget-today, maxDetails-last))
	var rows [][]any
	for hash, value := range wanted {
		if _, ok := found[hash]; ok {
			continue
		}
		if len(rows) == free {
			full = true
			break
		}
		id := int32(last + len(rows) + 1)
		rows = append(rows, value.row(of, id, hash, now))
		found[hash] = id
	}
	if len(rows) > 0 {
		if _, err := tx.CopyFrom(ctx, pgx.Identifier{"event_detail"}, detailColumns, pgx.CopyFromRows(rows)); err != nil {
			return nil, false, fmt.Errorf("add details: %w", err)
		}
	}
	return found, full, nil
}

var detailColumns = []string{"environment_id", "kind", "id", "hash", "created_at", "latitude", "longitude", "organic",
	"country", "region", "city", "platform", "device", "browser", "os", "app_version", "locale",
	"source", "medium", "campaign", "content", "term", "adset", "creative", "referrer", "landing_url"}

// row returns the detail in the order of detailColumns.
func (d *detail) row(of detailGroup, id int32, hash uuid.UUID, at time.Time) []any {
	organic := pgtype.Bool{
		Bool: d.attribution.Organic == session.OrganicTrue, Valid: d.attribution.Organic != session.OrganicAbsent,
	}
	latitude := pgtype.Float4{Float32: float32(d.place.Lat), Valid: d.place.HasCoordinates}
	longitude := pgtype.Float4{Float32: float32(d.place.Lon), Valid: d.place.HasCoordinates}
	row := []any{
		of.environment, of.group.kind(), id, pgtype.UUID{Bytes: hash, Valid: true}, at, latitude, longitude, organic,
	}
	for _, text := range d.texts() {
		row = append(row, text)
	}
	return row
}
