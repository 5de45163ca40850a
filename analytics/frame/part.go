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
	Begin  // the lower half of the start, see [Starts]; derived
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

// Part is an immutable block of rows of one home day, sorted by visitor, start and key. What its methods return is
// read-only. Values of a file that are not those that were written are a panic that [mapped.AsFault] knows.
type Part struct {
	Type RowType

	MinHit, MaxHit int64 // earliest start and latest hit of a row, milliseconds since 2020-01-01T00:00Z

	visitor vector[uint32] // ordinals
	key     vector[Key]
	col     []vector[uint32] // by Column
	off     vector[uint32]   // hits of row i are hits[off[i]:off[i+1]]
	hits    vector[int64]    // packed, in the order of their rows

	trails    savedTrails // none in memory, where hits are at hand
	crossings crossings   // as well

	file *mapped.File // that the columns are those of; nil when they are in memory
}

// Len returns the number of rows.
func (p *Part) Len() int { return len(p.visitor.values) }

// Visitors returns the ordinals of the rows' visitors.
func (p *Part) Visitors() []uint32 { return p.visitor.all() }

// Keys returns the keys of the rows.
func (p *Part) Keys() []Key { return p.key.all() }

// Column returns the values of a column.
func (p *Part) Column(c Column) []uint32 { return p.col[c].all() }

// Ahead brings visitors and columns into memory, each from its begin to its end, because they are read next. What was
// checked may have been driven out since, and is not read page by page then.
func (p *Part) Ahead(columns ...Column) {
	p.visitor.ahead()
	for _, c := range columns {
		p.col[c].ahead()
	}
	p.visitor.use()
	for _, c := range columns {
		p.col[c].use()
	}
}

// Behind tells the system that columns were read and may leave memory before others do.
func (p *Part) Behind(columns ...Column) {
	for _, c := range columns {
		p.col[c].behind()
	}
}

// ColumnAhead tells the system that a column is read next, from its begin to its end.
func (p *Part) ColumnAhead(c Column) { p.col[c].ahead() }

// HitsAhead tells the system that the hits of many rows are read soon, and where those of each begin.
func (p *Part) HitsAhead() {
	p.off.ahead()
	p.hits.ahead()
}

// HitsBehind tells the system that all hits were read that are needed, so that they leave memory before columns do.
func (p *Part) HitsBehind() { p.HitsBehindOf(0, uint32(p.Len())) }

// HitsAheadOf tells the system that the hits of many of the rows [from, to) are read soon, and returns of how many
// bytes. It is told of all hits while these have to be checked first.
func (p *Part) HitsAheadOf(from, to uint32) (bytes int) {
	if p.hits.of == nil || from == to {
		return 0
	}
	hits := p.hits.of.piece(p.hits.piece)
	if p.hits.of.known[p.hits.piece].Load() {
		hits = p.bytesOf(from, to)
	}
	p.hits.of.file.Ahead(hits)
	return len(hits)
}

// HitsBehindOf does for the rows [from, to) what HitsBehind does for all.
func (p *Part) HitsBehindOf(from, to uint32) {
	if p.hits.of != nil {
		p.hits.of.behind(p.hits.piece, p.bytesOf(from, to))
	}
}

// bytesOf returns the bytes of a file that the hits of the rows [from, to) are.
func (p *Part) bytesOf(from, to uint32) []byte {
	off := p.Offsets()
	return p.hits.of.piece(p.hits.piece)[HitBytes*off[from] : HitBytes*off[to]]
}

// Offsets returns where the hits of each row begin in Hits, and where they end at last: one more than there are rows.
func (p *Part) Offsets() []uint32 { return p.off.all() }

// Hits returns the packed hits in the order of their rows.
func (p *Part) Hits() []int64 { return p.hits.all() }

// HitsOf returns the packed hits of a row.
func (p *Part) HitsOf(row uint32) []int64 {
	off := p.off.all()
	return p.hits.all()[off[row]:off[row+1]]
}

// Starts tells the times of the earliest hits of sessions. The column has the lower half of each, which is enough for a
// day: the upper one is that of the part's earliest hit, or the next.
type Starts struct {
	lower []uint32 // nil where the hits tell
	first int64    // of all
	off   []uint32
	hits  []int64
}

// Starts returns the starts of the sessions, all of which are read next.
func (p *Part) Starts() Starts {
	if p.beginsTell() {
		p.col[Begin].ahead()
		p.col[Begin].use()
	}
	return p.Begins()
}

// Begins returns the starts of the sessions, where who reads them brings the column into memory.
func (p *Part) Begins() Starts {
	if !p.beginsTell() {
		p.HitsAhead()
		return Starts{off: p.off.all(), hits: p.hits.all()}
	}
	return Starts{lower: p.Column(Begin), first: p.MinHit}
}

// beginsTell tells whether the column is enough to know when sessions begin.
func (p *Part) beginsTell() bool { return p.Len() > 0 && p.MaxHit-p.MinHit <= math.MaxUint32 }

// At returns the start of a session in milliseconds since 2020-01-01T00:00Z.
func (s *Starts) At(row uint32) int64 {
	if s.lower == nil {
		return HitTime(s.hits[s.off[row]])
	}
	return s.first + int64(s.lower[row]-uint32(s.first))
}

// Start returns the time of a session's earliest hit.
func (p *Part) Start(row uint32) int64 {
	if p.MaxHit-p.MinHit > math.MaxUint32 {
		return HitTime(p.HitsOf(row)[0])
	}
	return p.MinHit + int64(p.col[Begin].all()[row]-uint32(p.MinHit))
}

// End returns the time of a session's latest hit.
func (p *Part) End(row uint32) int64 {
	if ms := p.Column(Length)[row]; ms != LongSession {
		return p.Start(row) + int64(ms)
	}
	return HitTime(p.Hits()[p.Offsets()[row+1]-1])
}

// Duration returns end − start of a session in milliseconds.
func (p *Part) Duration(row uint32) int64 {
	if ms := p.Column(Length)[row]; ms != LongSession {
		return int64(ms)
	}
	return p.End(row) - p.Start(row)
}

// span returns when a row begins and when its latest hit is, as its hits say.
func (p *Part) span(row uint32) (start, last int64) {
	if p.Type == Runs {
		return p.RunStart(row), p.RunLast(row)
	}
	hits := p.HitsOf(row)
	return HitTime(hits[0]), HitTime(hits[len(hits)-1])
}

// Bounds returns the range of rows of the visitors in [from, to).
func (p *Part) Bounds(from, to uint32) (lo, hi int) {
	visitors := p.Visitors()
	lo = sort.Search(len(visitors), func(i int) bool { return visitors[i] >= from })
	hi = lo + sort.Search(len(visitors)-lo, func(i int) bool { return visitors[lo+i] >= to })
	return lo, hi
}

// find returns the row of a visitor that has a key.
func (p *Part) find(visitor uint32, key Key) (uint32, bool) {
	visitors := p.Visitors()
	row, found := slices.BinarySearch(visitors, visitor)
	if !found {
		return 0, false
	}
	for keys := p.Keys(); row < len(visitors) && visitors[row] == visitor; row++ {
		if keys[row] == key {
			return uint32(row), true
		}
	}
	return 0, false
}

// Moved returns sessions like those of the part, of visitors whose ordinals are higher and some milliseconds later: a
// year of data is as many months that were made up once.
func (p *Part) Moved(visitors uint32, milliseconds int64) *Part {
	moved := *p
	moved.file, moved.trails, moved.crossings = nil, savedTrails{}, crossings{}
	moved.MinHit, moved.MaxHit = p.MinHit+milliseconds, p.MaxHit+milliseconds
	moved.visitor = vector[uint32]{values: plus(p.Visitors(), visitors)}
	moved.hits = vector[int64]{values: plus(p.Hits(), milliseconds<<NameBits)}
	moved.col = slices.Clone(p.col)
	moved.col[Begin] = vector[uint32]{values: plus(p.Column(Begin), uint32(milliseconds))}
	return &moved
}

// plus returns values that are higher.
func plus[T uint32 | int64](values []T, more T) []T {
	values = slices.Clone(values)
	for i := range values {
		values[i] += more
	}
	return values
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
	return p.Type.RowBytes()*int64(len(p.visitor.values)) + HitBytes*int64(len(p.hits.values))
}

// RowBytes returns the memory of a row in a part, without its hits.
func (t RowType) RowBytes() int64 { return 4 + 16 + 4*int64(columnsOf[t]) + 4 }

// HitBytes is the memory of a hit in a part.
const HitBytes = 8

// newPart makes a part without rows, to append to.
func newPart(t RowType) *Part {
	return &Part{
		Type: t, col: make([]vector[uint32], columnsOf[t]), off: vector[uint32]{values: []uint32{0}},
		MinHit: math.MaxInt64, MaxHit: math.MinInt64,
	}
}

// allocate makes the columns for the given sizes.
func allocate(t RowType, rows, hits int) *Part {
	p := newPart(t)
	p.visitor.values, p.key.values = make([]uint32, rows), make([]Key, rows)
	p.off.values, p.hits.values = make([]uint32, rows+1), make([]int64, 0, hits)
	block := make([]uint32, rows*len(p.col))
	for c := range p.col {
		p.col[c].values = block[c*rows : (c+1)*rows : (c+1)*rows]
	}
	return p
}

// copyRow copies row of src to row to of p; rows must be copied in order, for the hits' sake.
func (p *Part) copyRow(to int, src *Part, row uint32) {
	p.visitor.values[to] = src.Visitors()[row]
	p.key.values[to] = src.Keys()[row]
	for c := range p.col {
		p.col[c].values[to] = src.col[c].all()[row]
	}
	p.copyHits(to, src, row)
}

// copyHits copies the hits of row of src to row to of p.
func (p *Part) copyHits(to int, src *Part, row uint32) {
	p.hits.values = append(p.hits.values, src.HitsOf(row)...)
	p.off.values[to+1] = uint32(len(p.hits.values))
	start, last := src.span(row)
	p.MinHit, p.MaxHit = min(p.MinHit, start), max(p.MaxHit, last)
}

// sorted returns a copy in the order of rows. Of several versions of one row it has the last.
func (p *Part) sorted() *Part {
	order := p.order()
	hits := 0
	for _, row := range order {
		hits += len(p.HitsOf(row))
	}
	out := allocate(p.Type, len(order), hits)
	gather(out.visitor.values, p.Visitors(), order)
	gather(out.key.values, p.Keys(), order)
	for c := range p.col {
		gather(out.col[c].values, p.col[c].all(), order)
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
	visits := make([]uint64, len(p.Visitors())) // a visitor and a row, which sort fast
	for row, visitor := range p.Visitors() {
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
		for n < len(order) && p.Visitors()[order[n]] == p.Visitors()[order[0]] {
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
	keys := p.Keys()
	slices.SortFunc(rows, func(i, j uint32) int {
		if c := slices.Compare(keys[i][:], keys[j][:]); c != 0 {
			return c
		}
		return cmp.Compare(j, i)
	})
	rows = slices.CompactFunc(rows, func(i, j uint32) bool { return keys[i] == keys[j] })
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
	if x, y := a.Visitors()[i], b.Visitors()[j]; x != y {
		return x < y
	}
	s, _ := a.span(i)
	t, _ := b.span(j)
	if s != t {
		return s < t
	}
	return string(a.Keys()[i][:]) < string(b.Keys()[j][:])
}

// merge joins two parts of one type that share no row; rows set in masked (of a) are dropped.
func merge(a *Part, masked Bits, b *Part) *Part {
	if a == nil {
		return b
	}
	rows, hits := b.Len(), len(b.Hits())
	for row := range uint32(a.Len()) {
		if !masked.Has(row) {
			rows++
			hits += len(a.HitsOf(row))
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
