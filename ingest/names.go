package ingest

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/svc-dev/svc/analytics/frame"
)

// NameKind says what the text of a name is, in the table of its path.
type NameKind int16

// The kinds of event_name.
const (
	KindSessionStart NameKind = 1 // no text
	KindFirstVisit   NameKind = 2 // no text
	KindFirstOpen    NameKind = 3 // no text
	KindPageView     NameKind = 4 // the page
	KindScreenView   NameKind = 5 // the screen
	KindCustom       NameKind = 6 // the event's name
)

// maxNamesOfHit is how many names a hit may have.
const maxNamesOfHit = 4

// nameTable is a table of names of the hits of one path.
type nameTable struct {
	name string
	path Path
	// lock is the class of the advisory lock under which names are added; its second key is the environment.
	lock int32
	// of returns the names of a hit, and how many it may have; one of kind 0 is none.
	of func(*item) ([maxNamesOfHit]hitName, int)
}

var productNames = nameTable{name: "event_name", path: PathProduct, lock: 0x73766e, // "svn"
	of: func(it *item) (names [maxNamesOfHit]hitName, n int) {
		names[0] = nameOf(it.environment, it.product)
		return names, 1
	}}

// OtherName is the text under which hits are reported whose name came after the
// day's budget of new names was spent (analytics.md §1).
const OtherName = "(other)"

// hitName is what a hit's name id stands for.
type hitName struct {
	environment int64
	kind        NameKind
	text        string
}

// nameOf returns the name of a product event in reports.
func nameOf(environment int64, e *ProductEvent) hitName {
	switch e.Name {
	case NameSessionStart:
		return hitName{environment, KindSessionStart, ""}
	case NameFirstVisit:
		return hitName{environment, KindFirstVisit, ""}
	case NameFirstOpen:
		return hitName{environment, KindFirstOpen, ""}
	case NamePageView:
		return hitName{environment, KindPageView, e.Page}
	case NameScreenView:
		return hitName{environment, KindScreenView, e.Page}
	}
	return hitName{environment, KindCustom, e.Name}
}

func (n hitName) other() hitName { return hitName{n.environment, n.kind, OtherName} }

func (n hitName) hash() uuid.UUID {
	sum := sha256.Sum256([]byte(n.text))
	return uuid.UUID(sum[:16])
}

// nameCacheSize bounds each of the two maps. They are emptied when full: names
// in use come back with one query.
const nameCacheSize = 200_000

// maxNameID is the largest id of a name that a packed hit can hold.
const maxNameID = 1<<frame.NameBits - 1

// maxOtherNames bounds the rows of (other) of an environment, which are outside the
// budget: there is one a kind.
const maxOtherNames = 16

// names gives the names of one path's hits their ids. Ids are shared by all servers
// through a table; what is known is remembered.
type names struct {
	pool   *pgxpool.Pool
	table  nameTable
	budget int // new names an environment may add a UTC day
	now    func() time.Time

	mu    sync.RWMutex
	known map[hitName]int32
	// denied are names over the budget of denialDay.
	denied    map[hitName]bool
	denialDay time.Time
}

func newNames(pool *pgxpool.Pool, table nameTable, budget int, now func() time.Time) *names {
	return &names{
		pool: pool, table: table, budget: budget, now: now, known: map[hitName]int32{}, denied: map[hitName]bool{},
	}
}

// assign sets the name ids of every hit of the path in items. It returns how many
// hits of each environment went under (other).
func (n *names) assign(ctx context.Context, items []*item) (map[int64]int64, error) {
	// A second round is the rule for new names; a third is needed only when
	// another writer emptied the full memory, or midnight passed, in between.
	for range 4 {
		missing, over := n.assignKnown(items)
		if len(missing) == 0 {
			return over, nil
		}
		byEnvironment := map[int64][]hitName{}
		for _, name := range missing {
			byEnvironment[name.environment] = append(byEnvironment[name.environment], name)
		}
		for environment, wanted := range byEnvironment {
			if err := n.load(ctx, environment, wanted); err != nil {
				return nil, fmt.Errorf("names of environment %d: %w", environment, err)
			}
		}
	}
	return nil, errors.New("names: the memory of names is too small for this load")
}

// assignStored sets the ids of names that the database has; others are 0.
func (n *names) assignStored(ctx context.Context, environment int64, items []*item) error {
	missing, _ := n.assignKnown(items)
	if len(missing) == 0 {
		return nil
	}
	found, err := n.find(ctx, n.pool, environment, missing)
	if err != nil {
		return err
	}
	n.remember(found, nil)
	n.assignKnown(items)
	return nil
}

// assignKnown sets the ids that are known and returns the names that are not, in
// the order in which they came: the budget is spent first come, first served.
func (n *names) assignKnown(items []*item) (missing []hitName, over map[int64]int64) {
	n.mu.RLock()
	defer n.mu.RUnlock()
	var seen map[hitName]bool
	today := n.now().UTC().Truncate(24 * time.Hour)
	for _, it := range items {
		if it.path != n.table.path {
			continue
		}
		it.named = true
		others := 0
		names, count := n.table.of(it)
		for i, name := range names[:count] {
			if name.kind == 0 {
				it.nameIDs[i] = 0
				continue
			}
			id, ok := n.known[name]
			it.named = it.named && ok
			if !ok && n.denied[name] && n.denialDay.Equal(today) {
				if id, ok = n.known[name.other()]; ok {
					others++
				}
			}
			if !ok && !seen[name] {
				if seen == nil {
					seen = map[hitName]bool{}
				}
				seen[name] = true
				missing = append(missing, name)
			}
			it.nameIDs[i] = id
		}
		if others > 0 {
			if over == nil {
				over = map[int64]int64{}
			}
			over[it.environment]++
		}
	}
	return missing, over
}

// load looks names up and adds those that are new, within the budget.
func (n *names) load(ctx context.Context, environment int64, wanted []hitName) error {
	found, err := n.find(ctx, n.pool, environment, wanted)
	if err != nil {
		return err
	}
	n.remember(found, nil)
	var fresh []hitName
	for _, name := range wanted {
		if _, ok := found[name]; !ok {
			fresh = append(fresh, name)
		}
	}
	if len(fresh) == 0 {
		return nil
	}
	var denied []hitName
	err = pgx.BeginFunc(ctx, n.pool, func(tx pgx.Tx) error {
		found, denied, err = n.add(ctx, tx, environment, fresh)
		return err
	})
	if err != nil {
		return err
	}
	n.remember(found, denied)
	return nil
}

// querier is a pool or a transaction.
type querier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
}

func (n *names) find(
	ctx context.Context, db querier, environment int64, wanted []hitName,
) (map[hitName]int32, error) {
	kinds, hashes := make([]int16, len(wanted)), make([]uuid.UUID, len(wanted))
	for i, name := range wanted {
		kinds[i], hashes[i] = int16(name.kind), name.hash()
	}
	rows, err := db.Query(ctx, `
		select w.place, n.id
		from unnest($2::smallint[], $3::uuid[]) with ordinality as w (kind, hash, place)
		join `+n.table.name+` n on n.environment_id = $1 and n.kind = w.kind and n.text_hash = w.hash`,
		environment, kinds, hashes)
	if err != nil {
		return nil, fmt.Errorf("find names: %w", err)
	}
	found := map[hitName]int32{}
	var place int64
	var id int32
	_, err = pgx.ForEachRow(rows, []any{&place, &id}, func() error {
		found[wanted[place-1]] = id
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("find names: %w", err)
	}
	return found, nil
}

// add gives new names the next ids, one server at a time in an environment.
// Names without text and (other) are outside the budget.
func (n *names) add(
	ctx context.Context, tx pgx.Tx, environment int64, fresh []hitName,
) (map[hitName]int32, []hitName, error) {
	if _, err := tx.Exec(ctx, `select pg_advisory_xact_lock($1, hashint8($2))`, n.table.lock, environment); err != nil {
		return nil, nil, fmt.Errorf("lock names: %w", err)
	}
	found, err := n.find(ctx, tx, environment, fresh) // another server may have been first
	if err != nil {
		return nil, nil, err
	}
	// Ids are dense, so the day's additions are among the last `budget` ids.
	var last, today int32
	err = tx.QueryRow(ctx, `
		select coalesce(max(id), 0),
		       count(*) filter (where created_at >= $3 and text not in ('', $4))
		from `+n.table.name+`
		where environment_id = $1
		  and id > (select coalesce(max(id), 0) from `+n.table.name+` where environment_id = $1) - $2`,
		environment, n.budget+maxOtherNames, n.now().UTC().Truncate(24*time.Hour), OtherName).Scan(&last, &today)
	if err != nil {
		return nil, nil, fmt.Errorf("count names: %w", err)
	}
	var added, denied []hitName
	others := map[hitName]bool{}
	for _, name := range fresh {
		if _, ok := found[name]; ok {
			continue
		}
		budgeted := name.text != "" && name.text != OtherName
		if budgeted && (int(today) >= n.budget || last+int32(len(added)) >= maxNameID-maxOtherNames) {
			denied = append(denied, name)
			others[name.other()] = true
			continue
		}
		if budgeted {
			today++
		}
		added = append(added, name)
	}
	if len(others) > 0 {
		missing := make([]hitName, 0, len(others))
		for name := range others {
			missing = append(missing, name)
		}
		known, err := n.find(ctx, tx, environment, missing)
		if err != nil {
			return nil, nil, err
		}
		for _, name := range missing {
			if id, ok := known[name]; ok {
				found[name] = id
			} else if _, twice := found[name]; !twice {
				added = append(added, name)
			}
		}
	}
	return found, denied, n.insert(ctx, tx, environment, last, added, found)
}

func (n *names) insert(
	ctx context.Context, tx pgx.Tx, environment int64, last int32, added []hitName, found map[hitName]int32,
) error {
	if len(added) == 0 {
		return nil
	}
	ids, kinds := make([]int32, len(added)), make([]int16, len(added))
	texts, hashes := make([]string, len(added)), make([]uuid.UUID, len(added))
	for i, name := range added {
		ids[i], kinds[i], texts[i], hashes[i] = last+int32(i)+1, int16(name.kind), name.text, name.hash()
		found[name] = ids[i]
	}
	_, err := tx.Exec(ctx, `
		insert into `+n.table.name+` (environment_id, id, kind, text, text_hash, created_at)
		select $1, *, $6 from unnest($2::int[], $3::smallint[], $4::text[],
		$5::uuid[])`, environment, ids, kinds, texts, hashes, n.now())
	if err != nil {
		return fmt.Errorf("add names: %w", err)
	}
	return nil
}

func (n *names) remember(found map[hitName]int32, denied []hitName) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.known)+len(found) > nameCacheSize {
		clear(n.known)
	}
	for name, id := range found {
		n.known[name] = id
	}
	if len(denied) == 0 {
		return
	}
	if today := n.now().UTC().Truncate(24 * time.Hour); !n.denialDay.Equal(today) ||
		len(n.denied)+len(denied) > nameCacheSize {
		clear(n.denied)
		n.denialDay = today
	}
	for _, name := range denied {
		n.denied[name] = true
	}
}
