package ingest

import (
	"encoding/binary"
	"encoding/json"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/postgres"
	"github.com/svc-dev/svc/postgres/pgtest"
)

// walOf enters ids into the packed ledger as the writer does, and returns the bytes of write-ahead log that an id took.
func walOf(t *testing.T, db *postgres.DB, ids []uuid.UUID) float64 {
	t.Helper()
	items := make([]*item, len(ids))
	for i, id := range ids {
		items[i] = &item{
			environment: 1, path: PathProduct, key: id, product: &ProductEvent{EventID: id.String()}, receivedAt: time.Now(),
		}
	}
	groups := groupPacked(items)
	n := len(groups)
	environments, slots, makers := make([]int64, n), make([]int32, n), make([]int32, n)
	seen, closed, keys := make([]time.Time, n), make([]bool, n), make([][]byte, n)
	for i, g := range groups {
		environments[i], slots[i], makers[i] = g.row.environment, g.row.slot, g.row.maker
		seen[i], keys[i] = g.seenAt, g.keys
	}
	var text []byte
	require.NoError(t, db.Pool.QueryRow(t.Context(), "explain (analyze, wal, format json) "+enterPackedSQL,
		environments, slots, makers, seen, closed, keys).Scan(&text))
	var plan []struct {
		Plan map[string]any `json:"Plan"`
	}
	require.NoError(t, json.Unmarshal(text, &plan))
	return plan[0].Plan["WAL Bytes"].(float64) / float64(len(ids))
}

// made is the id of a number that a maker made, all in one slot.
func made(maker, number int) uuid.UUID {
	id := uuid.MustParse("0197aa00-0000-7000-8000-000000000000")
	binary.BigEndian.PutUint32(id[8:], uint32(1)<<31|uint32(maker)<<8)
	binary.BigEndian.PutUint32(id[12:], uint32(number))
	return id
}

// aloneDB is a database of a server where nothing else runs: the oldest transaction of a server, in whichever database,
// holds back the removal of old versions of rows, and a row that finds no place in its page is logged whole.
func aloneDB(t *testing.T) *postgres.DB {
	t.Helper()
	_, db := pgtest.PrivateDB(t)
	for _, name := range []string{"autovacuum", "full_page_writes"} {
		_, err := db.Pool.Exec(t.Context(), "alter system set "+name+" = off")
		require.NoError(t, err)
	}
	_, err := db.Pool.Exec(t.Context(), "select pg_reload_conf()")
	require.NoError(t, err)
	return db
}

// Ids that are chosen to be dear cost not twice the 545 bytes of an event otherwise (docs/decisions/ledger.md). Those
// that come one by one into as many rows as there are events change a row each, of which what stays is not logged.
func TestHostileIDsCostNoTwiceAnEvent(t *testing.T) {
	if pgtest.Capabilities(t).Citus != "" {
		t.Skip("Citus explains no insert of what a select has; the rows are those of one server")
	}
	db := aloneDB(t)
	const event, rows = 545, 300
	batch := func(first, each, from int) []uuid.UUID {
		var ids []uuid.UUID
		for maker := range rows {
			for i := range each {
				ids = append(ids, made(first+maker, from+i))
			}
		}
		return ids
	}
	honest := walOf(t, db, batch(0, 6, 0))
	worst := func(ledger float64) float64 { return (event - honest + ledger) / event }
	life, full := 0.0, 0.0
	const replays = 20
	for i := range packedIDs + replays {
		if took := walOf(t, db, batch(rows, 1, min(i, packedIDs))); i < packedIDs {
			life += took / packedIDs
		} else {
			full += took / replays
		}
	}
	ratios := map[string]float64{
		"a maker each": worst(walOf(t, db, batch(2*rows, 1, 0))), "rows that grow": worst(life),
		"rows that are full": worst(full),
	}
	t.Logf("%.0f B of the ledger where ids come together", honest)
	for name, ratio := range ratios {
		t.Logf("%s: %.2f times an event", name, ratio)
		require.Less(t, ratio, 2.0, name)
	}
}
