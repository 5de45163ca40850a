package frame

import (
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

// Len is the number of sessions.
func (p *Part) Len() int { return len(p.Visitor) }

// Start is the time of row's earliest hit.
func (p *Part) Start(row uint32) int64 { return HitTime(p.Hits[p.Off[row]]) }

// End is the time of row's latest hit.
func (p *Part) End(row uint32) int64 { return HitTime(p.Hits[p.Off[row+1]-1]) }

// Duration is end − start of row in milliseconds.
func (p *Part) Duration(row uint32) int64 {
	if ms := p.Millis[row]; ms != LongSession {
		return int64(ms)
	}
	return p.End(row) - p.Start(row)
}

// Bounds is the range of rows of the visitors in [from, to).
func (p *Part) Bounds(from, to uint32) (lo, hi int) {
	lo = sort.Search(len(p.Visitor), func(i int) bool { return p.Visitor[i] >= from })
	hi = lo + sort.Search(len(p.Visitor)-lo, func(i int) bool { return p.Visitor[lo+i] >= to })
	return lo, hi
}

// find is the row of a session.
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

// Bytes is the memory of the part's columns.
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
	hits := src.Hits[src.Off[row]:src.Off[row+1]]
	p.Hits = append(p.Hits, hits...)
	p.Off[to+1] = uint32(len(p.Hits))
	if len(hits) > 0 {
		p.MinHit = min(p.MinHit, HitTime(hits[0]))
		p.MaxHit = max(p.MaxHit, HitTime(hits[len(hits)-1]))
	}
}

// before is the order of rows: by visitor, start and key.
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
