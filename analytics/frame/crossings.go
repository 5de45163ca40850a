package frame

import (
	"slices"
	"unsafe"
)

// What charts and retention need to know of a session with hits on both sides of a bucket's border is how many it has
// before. A file says that beside its columns, border by border, so that the few such sessions of a day don't make
// anybody read all of its hits. It does so for every quarter of an hour, which is where days begin in all time zones,
// or for fewer borders where that would take too much.

// Crossing is a session that has hits before a border of time and others at it or later: how many of them are before.
type Crossing struct {
	Row           uint32
	Hits          uint16 // of all kinds
	Views, Events uint16 // as [Totals] counts them
	_             uint16
}

const crossingBytes = int64(unsafe.Sizeof(Crossing{}))

const minuteMillis = 60_000

// crossingSteps are the distances between borders that are tried.
var crossingSteps = []int64{15 * minuteMillis, 30 * minuteMillis, 60 * minuteMillis}

// mostCrossingShare is the part of a part, one in so many, that its crossings may take, unless they are less than
// fewCrossings bytes.
const (
	mostCrossingShare = 24
	fewCrossings      = 4096
)

// longestCrossing is the longest duration of sessions that are told of. There may be some that last for months, which
// have a hit at few of the borders between.
const longestCrossing = 24 * 60 * minuteMillis

// crossings are those of a file. The zero value has none.
type crossings struct {
	borders []int64 // with a crossing, in order
	of      *pieces
	first   int // piece, which has those of the first border in the order of their rows
}

// CrossingAt returns what a session that crosses a border has before it, where that is known without reading its hits.
func (p *Part) CrossingAt(row uint32, border int64) (Crossing, bool) {
	c := &p.crossings
	at, found := slices.BinarySearch(c.borders, border)
	if !found {
		return Crossing{}, false
	}
	all := c.at(at)
	i, found := slices.BinarySearchFunc(all, row, func(c Crossing, row uint32) int { return int(c.Row) - int(row) })
	if !found {
		return Crossing{}, false
	}
	return all[i], true
}

// at returns the crossings of the i-th border.
func (c *crossings) at(i int) []Crossing {
	c.of.need(c.first + i)
	return crossingsIn(c.of.piece(c.first + i))
}

// crossingsIn returns the crossings in a piece, which is padded to a multiple of eight bytes.
func crossingsIn(piece []byte) []Crossing {
	if int64(len(piece)) < crossingBytes {
		return nil
	}
	return unsafe.Slice((*Crossing)(unsafe.Pointer(&piece[0])), int64(len(piece))/crossingBytes)
}

// readCrossings reads which crossings the pieces from first on are.
func readCrossings(d *decoder, of *pieces, first int) crossings {
	borders := get[int64](d)
	if len(borders) != len(of.sums)-first {
		d.fail()
	}
	return crossings{borders: borders, of: of, first: first}
}

// findCrossings returns the crossings of each border that a file of the part is to tell of.
func (p *Part) findCrossings(names []Name) map[int64][]Crossing {
	if p.Type != Sessions {
		return nil
	}
	step := p.crossingStep()
	if step == 0 {
		return nil
	}
	at, found := map[int64][]Crossing{}, []Crossing(nil)
	starts, lengths := p.Starts(), p.Column(Length)
	for row := range uint32(p.Len()) {
		if first, count := bordersIn(starts.At(row), lengths[row], step); count > 0 {
			found = p.crossingsOf(found[:0], row, first, step, names)
			for i, c := range found {
				border := first + int64(i)*step
				at[border] = append(at[border], c)
			}
		}
	}
	return at
}

// bordersIn returns the first border that a session crosses which a file is to tell of, and how many there are.
func bordersIn(start int64, length uint32, step int64) (first, count int64) {
	if length > longestCrossing {
		return 0, 0
	}
	over := start % step
	if over < 0 {
		over += step
	}
	if until := over + int64(length); until >= step {
		return start - over + step, until / step
	}
	return 0, 0
}

// crossingStep returns the shortest distance between borders whose crossings don't take too much, 0 when there is none.
func (p *Part) crossingStep() int64 {
	starts, lengths := p.Starts(), p.Column(Length)
	most := max((p.Type.RowBytes()*int64(p.Len())+HitBytes*int64(len(p.hits.values)))/mostCrossingShare, fewCrossings)
	for _, step := range crossingSteps {
		bytes := int64(0)
		for row := range uint32(p.Len()) {
			_, count := bordersIn(starts.At(row), lengths[row], step)
			bytes += count * crossingBytes
		}
		if bytes <= most {
			return step
		}
	}
	return 0
}

// crossingsOf appends those of a session, whose first border is given. There are none of one whose hits have names that
// were unknown when its totals were counted.
func (p *Part) crossingsOf(found []Crossing, row uint32, border, step int64, names []Name) []Crossing {
	c := Crossing{Row: row}
	for _, hit := range p.HitsOf(row) {
		for ; HitTime(hit) >= border; border += step {
			found = append(found, c)
		}
		kind := Custom // as that of unknown names
		if id := int(HitName(hit)); id < len(names) {
			kind = names[id].Kind
		}
		switch c.Hits++; {
		case kind.IsView():
			c.Views++
		case kind == Custom:
			c.Events++
		}
	}
	if p.Column(Totals)[row] != uint32(c.Views)<<ViewsShift|uint32(c.Events) {
		return nil
	}
	return found
}
