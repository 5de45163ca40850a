package frame

import (
	"cmp"
	"math"
	"slices"
	"sort"
)

// Column names a dictionary-coded column of a part.
type Column uint8

// The columns. Place and Tech are codes of whole tuples (Places, Techs): their members depend on
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
	Entry // code in Pages, derived
	Exit  // code in Pages, derived
	Columns
)

// LongSession marks, in Part.Millis, a duration that does not fit; it is read from the hits.
const LongSession = math.MaxUint32

// Part is an immutable block of sessions of one home day, sorted by visitor, start and key. All
// slices are read-only.
type Part struct {
	Visitor []uint32 // ordinal
	Key     []Key
	Col     [Columns][]uint32
	Views   []uint16 // views of the whole session
	Events  []uint16 // custom events of the whole session
	Millis  []uint32 // end − start, or LongSession
	Off     []uint32 // hits of row i are Hits[Off[i]:Off[i+1]]
	Hits    []int64  // packed, in the order of analytics.md §2

	MinHit, MaxHit int64 // earliest and latest hit, milliseconds since 2020-01-01T00:00Z
}

// Len returns the number of sessions.
func (p *Part) Len() int { return len(p.Visitor) }

// Start returns the time of row's earliest hit.
func (p *Part) Start(row uint32) int64 { return HitTime(p.Hits[p.Off[row]]) }

// End returns the time of row's latest hit.
func (p *Part) End(row uint32) int64 { return HitTime(p.Hits[p.Off[row+1]-1]) }

// Duration returns end − start of row in milliseconds.
func (p *Part) Duration(row uint32) int64 {
	if ms := p.Millis[row]; ms != LongSession {
		return int64(ms)
	}
	return p.End(row) - p.Start(row)
}

// Bounds returns the range of rows of the visitors in [from, to).
func (p *Part) Bounds(from, to uint32) (lo, hi int) {
	lo = sort.Search(len(p.Visitor), func(i int) bool { return p.Visitor[i] >= from })
	hi = lo + sort.Search(len(p.Visitor)-lo, func(i int) bool { return p.Visitor[lo+i] >= to })
	return lo, hi
}

// find returns the row of a session.
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

// Bytes returns the memory of the part's columns.
func (p *Part) Bytes() int64 {
	if p == nil {
		return 0
	}
	return SessionBytes*int64(len(p.Visitor)) + HitBytes*int64(len(p.Hits))
}

// SessionBytes and HitBytes are the memory of a session and of each of its hits in a part.
const (
	SessionBytes = 4 + 16 + 4*int64(Columns) + 2 + 2 + 4 + 4
	HitBytes     = 8
)

// allocate makes the columns for the given sizes.
func allocate(rows, hits int) *Part {
	p := &Part{
		Visitor: make([]uint32, rows), Key: make([]Key, rows),
		Views: make([]uint16, rows), Events: make([]uint16, rows), Millis: make([]uint32, rows),
		Off: make([]uint32, rows+1), Hits: make([]int64, 0, hits),
		MinHit: math.MaxInt64, MaxHit: math.MinInt64,
	}
	block := make([]uint32, rows*int(Columns))
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
	p.Views[to], p.Events[to], p.Millis[to] = src.Views[row], src.Events[row], src.Millis[row]
	p.copyHits(to, src, row)
}

// copyHits copies the hits of row of src to row to of p.
func (p *Part) copyHits(to int, src *Part, row uint32) {
	hits := src.Hits[src.Off[row]:src.Off[row+1]]
	p.Hits = append(p.Hits, hits...)
	p.Off[to+1] = uint32(len(p.Hits))
	if len(hits) > 0 {
		p.MinHit = min(p.MinHit, HitTime(hits[0]))
		p.MaxHit = max(p.MaxHit, HitTime(hits[len(hits)-1]))
	}
}

// sorted returns a copy in the order of rows. Of several versions of one session it has the last.
func (p *Part) sorted() *Part {
	order := p.order()
	hits := 0
	for _, row := range order {
		hits += int(p.Off[row+1] - p.Off[row])
	}
	out := allocate(len(order), hits)
	gather(out.Visitor, p.Visitor, order)
	gather(out.Key, p.Key, order)
	for c := range p.Col {
		gather(out.Col[c], p.Col[c], order)
	}
	gather(out.Views, p.Views, order)
	gather(out.Events, p.Events, order)
	gather(out.Millis, p.Millis, order)
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

// order returns the rows by visitor, start and key, each session's last version only.
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

// latest sorts the rows of one visitor, and leaves out earlier versions of sessions. Versions of a
// session may differ in start, so they are found by key first.
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
	if s, t := a.Start(i), b.Start(j); s != t {
		return s < t
	}
	return string(a.Key[i][:]) < string(b.Key[j][:])
}

// merge joins two parts that share no session; rows set in masked (of a) are dropped.
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
	out := allocate(rows, hits)
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
