package ingest

import (
	"cmp"
	"context"
	_ "embed"
	"encoding/binary"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// A UUID of version 7 begins with the time at which a client made it, and clients of our
// SDKs give 22 of the other bits, which tell their maker, to all of theirs. What one maker
// makes in a slot of time is one row of event_seen_packed: the row follows from the id
// alone, so a row lock is all that two servers need, and an id that is sent again,
// whenever and by whomever, comes to the same row. Where all other bits are random, a row
// has one id.
const (
	slotBits    = 20 // of milliseconds: seventeen minutes
	makerBits   = 22 // of an id, those behind the variant
	packedBytes = 12 // of an id
	packedIDs   = 128
	// packedPrecision is how exactly a packed row knows when its last id came; it is
	// coarse because a change of it also changes an index.
	packedPrecision = 10 * time.Minute
)

//go:embed enter_packed.sql
var enterPackedText string

var enterPackedSQL = strings.ReplaceAll(enterPackedText, "/*limit*/", strconv.Itoa(packedIDs*packedBytes))

// packable tells whether the id of an event is a UUID of version 7.
func (it *item) packable() bool {
	if it.key.Version() != 7 || it.key.Variant() != uuid.RFC4122 {
		return false
	}
	_, id, _ := it.source()
	return len(id) == 36 && uuid.Validate(id) == nil // and no hash that looks like one
}

// packedRow is the key of a row of event_seen_packed.
type packedRow struct {
	environment int64
	slot        int32
	maker       int32
}

func (r packedRow) compare(other packedRow) int {
	return cmp.Or(
		cmp.Compare(r.environment, other.environment), cmp.Compare(r.slot, other.slot), cmp.Compare(r.maker, other.maker),
	)
}

func (it *item) packedRow() packedRow {
	milliseconds := binary.BigEndian.Uint64(it.key[:]) >> 16
	maker := int32(binary.BigEndian.Uint32(it.key[8:])>>(32-2-makerBits)) & (1<<makerBits - 1)
	return packedRow{it.environment, int32(milliseconds >> slotBits), int32(it.path)<<makerBits | maker}
}

// appendPacked appends what a row's slot does not say of the item's id. Version and variant
// are the same in all.
func (it *item) appendPacked(b []byte) []byte {
	head := binary.BigEndian.Uint64(it.key[:])
	b = binary.BigEndian.AppendUint32(b, uint32(head>>16&(1<<slotBits-1)<<12|head&0xfff))
	return append(b, it.key[8:]...)
}

// packedGroup are items that share a row, and what of it is sent.
type packedGroup struct {
	row    packedRow
	items  []*item
	keys   []byte
	seenAt time.Time
}

// enterPacked enters the ids of items, adds those that were there to known and returns
// those whose row is closed and does not have them: event_seen knows.
func enterPacked(ctx context.Context, tx pgx.Tx, items []*item, known map[*item]bool) (homeless []*item, err error) {
	if len(items) == 0 {
		return nil, nil
	}
	groups := groupPacked(items)
	n := len(groups)
	environments, slots, makers := make([]int64, n), make([]int32, n), make([]int32, n)
	seen, closed, keys := make([]time.Time, n), make([]bool, n), make([][]byte, n)
	byRow := make(map[packedRow]*packedGroup, n)
	for i, g := range groups {
		environments[i], slots[i], makers[i], seen[i] = g.row.environment, g.row.slot, g.row.maker, g.seenAt
		keys[i] = g.keys
		if closed[i] = len(g.items) > packedIDs; closed[i] {
			keys[i] = []byte{}
		}
		byRow[g.row] = g
	}
	rows, err := tx.Query(ctx, enterPackedSQL, environments, slots, makers, seen, closed, keys)
	if err != nil {
		return nil, err
	}
	var row packedRow
	var isClosed bool
	var kept []byte
	_, err = pgx.ForEachRow(rows, []any{&row.environment, &row.slot, &row.maker, &isClosed, &kept}, func() error {
		homeless = byRow[row].compare(kept, isClosed, known, homeless)
		return nil
	})
	return homeless, err
}

// groupPacked puts items together by row, in the order of rows.
func groupPacked(items []*item) []*packedGroup {
	byRow := map[packedRow]*packedGroup{}
	var groups []*packedGroup
	for _, it := range items {
		row := it.packedRow()
		g := byRow[row]
		if g == nil {
			g = &packedGroup{row: row}
			byRow[row] = g
			groups = append(groups, g)
		}
		g.items = append(g.items, it)
		g.keys = it.appendPacked(g.keys)
		if at := it.receivedAt.Truncate(packedPrecision).Add(packedPrecision); at.After(g.seenAt) {
			g.seenAt = at
		}
	}
	slices.SortFunc(groups, func(a, b *packedGroup) int { return a.row.compare(b.row) })
	return groups
}

// compare looks the items of a group up among the ids that its row had before it was
// sent. A row that is closed has taken none of them.
func (g *packedGroup) compare(kept []byte, closed bool, known map[*item]bool, homeless []*item) []*item {
	before := kept
	if !closed {
		before = kept[len(g.keys):]
	}
	if len(before) == 0 && !closed {
		return homeless
	}
	had := make(map[[packedBytes]byte]bool, len(before)/packedBytes)
	for id := range slices.Chunk(before, packedBytes) {
		had[[packedBytes]byte(id)] = true
	}
	for i, it := range g.items {
		switch {
		case had[[packedBytes]byte(g.keys[i*packedBytes:])]:
			known[it] = true
		case closed:
			homeless = append(homeless, it)
		}
	}
	return homeless
}
