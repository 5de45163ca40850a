package frame

import (
	"cmp"
	"math"
	"slices"
	"sort"

	"github.com/svc-dev/svc/internal/mapped"
)

// RowType is what the rows of a part are.
type RowType uint8

// The types of rows.
const (
	Sessions RowType = iota
	Runs
	RowTypes
)

// columnsOf is how many columns a part of each type of rows has.
var columnsOf = [RowTypes]int{Sessions: int(Columns), Runs: int(RunColumns)}

// Column names a column of a part.
type Column uint8

// The columns of sessions. Place and Tech are codes of whole tuples (Places, Techs): their members depend on
// each other, and a filter on any of them is then one lookup.
const (
	Source Column = iota
	Medium
	Campaign
	Content
	Term
	Adset
	Creative
	Referrer // host, derived
	Channel  // channel.Channel, derived
	Place
	Tech
	Entry  // code in Pages, derived
	Exit   // code in Pages, derived
	Totals // custom events and, 16 bits higher, views of the whole session, derived
	Length // end − start in milliseconds, or LongSession; derived
	Columns
)

// ViewsShift is where the views stand in Totals.
const ViewsShift = 16

// ViewsOf returns the views of a session's totals.
func ViewsOf(totals uint32) uint32 { return totals >> ViewsShift }

// EventsOf returns the custom events of a session's totals.
func EventsOf(totals uint32) uint32 { return totals & (1<<ViewsShift - 1) }

// LongSession marks, in Length, a duration that does not fit; it is read from the hits.
const LongSession = math.MaxUint32

// Part is an immutable block of rows of one home day, sorted by visitor, start and key. All slices are read-only.
type Part struct {
	Type    RowType
	Visitor []uint32 // ordinal
	Key     []Key
	Col     [][]uint32 // by Column
	Off     []uint32   // hits of row i are Hits[Off[i]:Off[i+1]]
	Hits    []int64    // packed, in the order of their rows

	MinHit, MaxHit int64 // earliest start and latest hit of a row, milliseconds since 2020-01-01T00:00Z

	file *mapped.File // that the columns are those of; nil when they are in memory
}

// Len returns the number of rows.
func (p *Part) Len() int { return len(p.Visitor) }

// Start returns the time of a session's earliest hit.
func (p *Part) Start(row uint32) int64 { return HitTime(p.Hits[p.Off[row]]) }

// End returns the time of a session's latest hit.
func (p *Part) End(row uint32) int64 { return HitTime(p.Hits[p.Off[row+1]-1]) }

// Duration returns end − start of a session in milliseconds.
func (p *Part) Duration(row uint32) int64 {
	if ms := p.Col[Length][row]; ms != LongSession {
		return int64(ms)
	}
	return p.End(row) - p.Start(row)
}

// span returns when a row begins and when its latest hit is.
func (p *Part) span(row uint32) (start, last int64) {
	if p.Type == Runs {
		return p.RunStart(row), p.RunLast(row)
	}
	return p.Start(row), p.End(row)
}

// Bounds returns the range of rows of the visitors in [from, to).
func (p *Part) Bounds(from, to uint32) (lo, hi int) {
	lo = sort.Search(len(p.Visitor), func(i int) bool { return p.Visitor[i] >= from })
	hi = lo + sort.Search(len(p.Visitor)-lo, func(i int) bool { return p.Visitor[lo+i] >= to })
	return lo, hi
}

// find returns the row of a visitor that has a key.
func (p *Part) find(visitor uint32, key Key) (uint32, bool) {
	row, found := slices.BinarySearch(p.Visitor, visitor)
	if !found {
		return 0, false
	}
	for ; row < len(p.Visitor) && p.Visitor[row] == visitor; row++ {
		if p.Key[row] == key {
			return uint32(row), true
		}
	}
	return 0, false
}

// mask adds the rows of visitors to a set of rows of the part, and tells whether there was one to add.
func (p *Part) mask(rows Bits, visitors []uint32) (masked Bits, added bool) {
	masked = rows
	for _, visitor := range visitors {
		lo, hi := p.Bounds(visitor, visitor+1)
		for row := uint32(lo); row < uint32(hi); row++ {
			if masked.Has(row) {
				continue
			}
			if !added {
				masked, added = make(Bits, (p.Len()+63)/64), true
				copy(masked, rows)
			}
			masked.set(row)
		}
	}
	return masked, added
}

// Bytes returns the memory of the part's columns, none when they are those of a file.
func (p *Part) Bytes() int64 {
	if p == nil || p.file != nil {
		return 0
	}
	return p.Type.RowBytes()*int64(len(p.Visitor)) + HitBytes*int64(len(p.Hits))
}

// RowBytes returns the memory of a row in a part, without its hits.
func (t RowType) RowBytes() int64 { return 4 + 16 + 4*int64(columnsOf[t]) + 4 }

// HitBytes is the memory of a hit in a part.
const HitBytes = 8

// newPart makes a part without rows, to append to.
func newPart(t RowType) *Part {
	return &Part{
		Type: t, Col: make([][]uint32, columnsOf[t]), Off: []uint32{0},
		MinHit: math.MaxInt64, MaxHit: math.MinInt64,
	}
}

// allocate makes the columns for the given sizes.
func allocate(t RowType, rows, hits int) *Part {
	p := newPart(t)
	p.Visitor, p.Key = make([]uint32, rows), make([]Key, rows)
	p.Off, p.Hits = make([]uint32, rows+1), make([]int64, 0, hits)
	block := make([]uint32, rows*len(p.Col))
	for c := range p.Col {
		p.Col[c] = block[c*rows : (c+1)*rows : (c+1)*rows]
	}
	return p
}

// copyRow copies row of src to row to of p; rows must be copied in order, for the hits' sake.
func (p *Part) copyRow(to int, src *Part, row uint32) {
	p.Visitor[to] = src.Visitor[row]
	p.Key[to] = src.Key[row]
	for c := range p.Col {
		p.Col[c][to] = src.Col[c][row]
	}
	p.copyHits(to, src, row)
}

// copyHits copies the hits of row of src to row to of p.
func (p *Part) copyHits(to int, src *Part, row uint32) {
	hits := src.Hits[src.Off[row]:src.Off[row+1]]
	p.Hits = append(p.Hits, hits...)
	p.Off[to+1] = uint32(len(p.Hits))
	start, last := src.span(row)
	p.MinHit, p.MaxHit = min(p.MinHit, start), max(p.MaxHit, last)
}

// sorted returns a copy in the order of rows. Of several versions of one row it has the last.
func (p *Part) sorted() *Part {
	order := p.order()
	hits := 0
	for _, row := range order {
		hits += int(p.Off[row+1] - p.Off[row])
	}
	out := allocate(p.Type, len(order), hits)
	gather(out.Visitor, p.Visitor, order)
	gather(out.Key, p.Key, order)
	for c := range p.Col {
		gather(out.Col[c], p.Col[c], order)
	}
	for to, row := range order {
		out.copyHits(to, p, row)
	}
	return out
}

// gather copies the values of the rows.
func gather[T any](to, from []T, rows []uint32) {
	for i, row := range rows {
		to[i] = from[row]
	}
}

// order returns the rows by visitor, start and key, of those with the same visitor and key the last only.
func (p *Part) order() []uint32 {
	visits := make([]uint64, p.Len()) // a visitor and a row, which sort fast
	for row, visitor := range p.Visitor {
		visits[row] = uint64(visitor)<<32 | uint64(row)
	}
	slices.Sort(visits)
	order := make([]uint32, len(visits))
	for i, visit := range visits {
		order[i] = uint32(visit)
	}
	kept := order[:0]
	for len(order) > 0 {
		n := 1
		for n < len(order) && p.Visitor[order[n]] == p.Visitor[order[0]] {
			n++
		}
		kept = append(kept, p.latest(order[:n])...)
		order = order[n:]
	}
	return kept
}

// latest sorts the rows of one visitor, and leaves out earlier versions. Versions of a row may differ in start, so
// they are found by key first.
func (p *Part) latest(rows []uint32) []uint32 {
	if len(rows) == 1 {
		return rows
	}
	slices.SortFunc(rows, func(i, j uint32) int {
		if c := slices.Compare(p.Key[i][:], p.Key[j][:]); c != 0 {
			return c
		}
		return cmp.Compare(j, i)
	})
	rows = slices.CompactFunc(rows, func(i, j uint32) bool { return p.Key[i] == p.Key[j] })
	slices.SortFunc(rows, func(i, j uint32) int {
		if before(p, i, p, j) {
			return -1
		}
		return 1
	})
	return rows
}

// before returns the order of rows: by visitor, start and key.
func before(a *Part, i uint32, b *Part, j uint32) bool {
	if a.Visitor[i] != b.Visitor[j] {
		return a.Visitor[i] < b.Visitor[j]
	}
	s, _ := a.span(i)
	t, _ := b.span(j)
	if s != t {
		return s < t
	}
	return string(a.Key[i][:]) < string(b.Key[j][:])
}

// merge joins two parts of one type that share no row; rows set in masked (of a) are dropped.
func merge(a *Part, masked Bits, b *Part) *Part {
	if a == nil {
		return b
	}
	rows, hits := b.Len(), len(b.Hits)
	for row := range a.Len() {
		if !masked.Has(uint32(row)) {
			rows++
			hits += int(a.Off[row+1] - a.Off[row])
		}
	}
	out := allocate(b.Type, rows, hits)
	to, j := 0, uint32(0)
	for i := uint32(0); int(i) < a.Len(); i++ {
		if masked.Has(i) {
			continue
		}
		for ; int(j) < b.Len() && before(b, j, a, i); j++ {
			out.copyRow(to, b, j)
			to++
		}
		out.copyRow(to, a, i)
		to++
	}
	for ; int(j) < b.Len(); j++ {
		out.copyRow(to, b, j)
		to++
	}
	return out
}

// Bits is a set of rows; nil is the empty set.
type Bits []uint64

// Has tells whether row is in the set.
func (b Bits) Has(row uint32) bool { return b != nil && b[row>>6]&(1<<(row&63)) != 0 }

func (b Bits) set(row uint32) { b[row>>6] |= 1 << (row & 63) }
