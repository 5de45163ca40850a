package frame

import (
	"cmp"
	"encoding/binary"
	"iter"
	"slices"
)

// What tables of pages and events ask of a session's hits is which names they have, and how much there is of each name
// in all. A file of sessions says both beside its columns, so that nobody reads the hits of a year for it: the trail of
// each session, which is the names of its hits in their order in a byte each, two of rare ones; and what all hits of a
// name come to.

// NameTotal is what the hits of a part that have a name come to.
type NameTotal struct {
	Name   uint32
	Hits   int64
	Latest int64 // time of the latest, in milliseconds since 2020-01-01T00:00Z
	Timed  int64 // views that last for a time: all but those that are the end of their session
	Millis int64 // how long these last, until the next view of the session or its end
}

// Trails are those of a file. Names have codes in them, the fewer bytes the more hits have them. What is the first hit
// of most sessions is left out where another follows.
const (
	otherFirst    = 0xfe // the first hit is written, because it is another than that of most
	wideCode      = 0xff // four bytes follow
	mostPairs     = 128  // first bytes of codes of two bytes
	trailStep     = 64   // sessions between two whose place in the bytes is told
	trailPieces   = 3
	mostTrailPart = 10 // the part of a part, one in so many, that they may take, unless they are less than fewCrossings
)

// trailCodes is which codes a number of names has.
type trailCodes struct{ single uint32 } // the first code of two bytes

func codesOf(names int) trailCodes {
	pairs := 0
	for pairs < mostPairs && otherFirst-pairs+256*pairs < names {
		pairs++
	}
	return trailCodes{uint32(otherFirst - pairs)}
}

func (c trailCodes) append(to []byte, code uint32) []byte {
	if code < c.single {
		return append(to, byte(code))
	}
	if pair := (code - c.single) >> 8; pair < otherFirst-c.single {
		return append(to, byte(c.single+pair), byte(code-c.single))
	}
	return binary.LittleEndian.AppendUint32(append(to, wideCode), code)
}

// trailFile is what a file says of a part.
type trailFile struct {
	totals []byte // how many names, the code of the first hit of most sessions, and of each name its total
	starts []uint32
	codes  []byte
}

func (t *trailFile) vectors() [][]byte { return [][]byte{t.totals, bytesOfAll(t.starts), t.codes} }

// findTrails returns what a file is to say of a part, nil when that is nothing: of other rows than sessions, where
// names are not known yet, and where it would take too much.
func (p *Part) findTrails(names []Name) *trailFile {
	if p.Type != Sessions || p.Len() == 0 {
		return nil
	}
	totals, known := p.nameTotals(names)
	if !known {
		return nil
	}
	slices.SortFunc(totals, func(a, b NameTotal) int {
		return cmp.Or(cmp.Compare(b.Hits, a.Hits), cmp.Compare(a.Name, b.Name))
	})
	codes := make([]uint32, len(names))
	for code, total := range totals {
		codes[total.Name] = uint32(code)
	}
	first := p.usualFirst(codes, len(totals))
	t := &trailFile{totals: p.encodeTotals(totals, first)}
	p.encodeTrails(t, codes, codesOf(len(totals)), first)
	bytes := int64(len(t.totals)) + 4*int64(len(t.starts)) + int64(len(t.codes))
	if bytes > max((p.Type.RowBytes()*int64(p.Len())+HitBytes*int64(len(p.hits.values)))/mostTrailPart, fewCrossings) {
		return nil
	}
	return t
}

// nameTotals counts the hits of each name, and tells whether all names are known.
func (p *Part) nameTotals(names []Name) (totals []NameTotal, known bool) {
	by := make([]NameTotal, len(names))
	for row := range uint32(p.Len()) {
		hits := p.HitsOf(row)
		end := HitTime(hits[len(hits)-1])
		view := -1 // the latest
		for i, hit := range hits {
			id, at := HitName(hit), HitTime(hit)
			if int(id) >= len(names) || !names[id].Known {
				return nil, false
			}
			total := &by[id]
			if total.Hits == 0 {
				total.Latest = at
			}
			total.Hits++
			total.Latest = max(total.Latest, at)
			if !names[id].Kind.IsView() {
				continue
			}
			if view >= 0 {
				last := &by[HitName(hits[view])]
				last.Timed++
				last.Millis += at - HitTime(hits[view])
			}
			view = i
		}
		if view >= 0 {
			if millis := end - HitTime(hits[view]); millis > 0 {
				last := &by[HitName(hits[view])]
				last.Timed++
				last.Millis += millis
			}
		}
	}
	for id, total := range by {
		if total.Name = uint32(id); total.Hits > 0 {
			totals = append(totals, total)
		}
	}
	return totals, true
}

// usualFirst returns the code that the first hit of most sessions has.
func (p *Part) usualFirst(codes []uint32, names int) (first uint32) {
	counts := make([]int, names)
	for row := range uint32(p.Len()) {
		counts[codes[HitName(p.HitsOf(row)[0])]]++
	}
	for code, n := range counts {
		if n > counts[first] {
			first = uint32(code)
		}
	}
	return first
}

func (p *Part) encodeTotals(totals []NameTotal, first uint32) (bytes []byte) {
	bytes = binary.AppendUvarint(bytes, uint64(len(totals)))
	bytes = binary.AppendUvarint(bytes, uint64(first))
	for _, total := range totals {
		for _, n := range []int64{
			int64(total.Name), total.Hits, total.Latest - p.MinHit, total.Timed, total.Millis,
		} {
			bytes = binary.AppendUvarint(bytes, uint64(n))
		}
	}
	return bytes
}

func (p *Part) encodeTrails(t *trailFile, codes []uint32, c trailCodes, first uint32) {
	for row := range uint32(p.Len()) {
		if row%trailStep == 0 {
			t.starts = append(t.starts, uint32(len(t.codes)))
		}
		hits := p.HitsOf(row)
		switch {
		case len(hits) == 1:
		case codes[HitName(hits[0])] == first:
			hits = hits[1:]
		default:
			t.codes = append(t.codes, otherFirst)
		}
		for _, hit := range hits {
			t.codes = c.append(t.codes, codes[HitName(hit)])
		}
	}
}

// savedTrails are the pieces of a file that its trails are. The zero value has none.
type savedTrails struct {
	of    *pieces
	first int // piece
}

// readTrails reads whether the pieces from first on are trails.
func readTrails(d *decoder, of *pieces, first int) savedTrails {
	switch saved := get[int64](d); {
	case len(saved) == 0:
		return savedTrails{}
	case len(saved) == 1 && saved[0] == trailPieces && first+trailPieces <= len(of.sums):
		return savedTrails{of, first}
	}
	d.fail()
	return savedTrails{}
}

// count is how many pieces they are.
func (t savedTrails) count() int {
	if t.of == nil {
		return 0
	}
	return trailPieces
}

func (t savedTrails) piece(i int) []byte {
	t.of.need(t.first + i)
	return t.of.piece(t.first + i)
}

// HasTrails tells whether the names of hits, and their totals, are known without reading the hits.
func (p *Part) HasTrails() bool { return p.trails.of != nil }

// NameTotals returns what the hits of each name come to, of a part that has trails.
func (p *Part) NameTotals() iter.Seq[NameTotal] {
	return func(yield func(NameTotal) bool) {
		bytes := p.trails.piece(0)
		count, bytes := uvarint(bytes)
		for _, bytes = uvarint(bytes); count > 0; count-- {
			var n [5]uint64
			for i := range n {
				n[i], bytes = uvarint(bytes)
			}
			if !yield(NameTotal{
				Name: uint32(n[0]), Hits: int64(n[1]), Latest: p.MinHit + int64(n[2]), Timed: int64(n[3]), Millis: int64(n[4]),
			}) {
				return
			}
		}
	}
}

// uvarint returns a number and the bytes after it.
func uvarint(bytes []byte) (uint64, []byte) {
	value, n := binary.Uvarint(bytes)
	return value, bytes[max(n, 0):]
}

// Trails tells the names of the hits of sessions. The zero value knows none.
type Trails struct {
	names  []uint32 // by code
	first  uint32
	usual  uint32 // the code of first
	single uint32
	off    []uint32
	starts []uint32
	codes  []byte
}

// TrailsAhead tells the system that the trails of a part that has some are read soon.
func (p *Part) TrailsAhead() {
	p.off.ahead()
	for i := 1; i < trailPieces; i++ {
		p.trails.of.ahead(p.trails.first + i)
	}
}

// Trails returns the trails of a part that has some, all of which are read next.
func (p *Part) Trails() Trails {
	p.TrailsAhead()
	t := p.TrailsInBands()
	p.off.use()
	for i := 1; i < trailPieces; i++ {
		p.trails.of.use(p.trails.first + i)
	}
	return t
}

// TrailsInBands returns the trails, where who reads them brings them into memory.
func (p *Part) TrailsInBands() Trails {
	count, bytes := uvarint(p.trails.piece(0))
	first, _ := uvarint(bytes)
	t := Trails{
		names: make([]uint32, 0, count), single: codesOf(int(count)).single, off: p.off.all(),
		starts: startsIn(p.trails.piece(1)), codes: p.trails.piece(2),
	}
	for total := range p.NameTotals() {
		t.names = append(t.names, total.Name)
	}
	t.first, t.usual = t.names[first], uint32(first)
	return t
}

// TrailsBehind tells the system that trails were read and may leave memory before columns do.
func (p *Part) TrailsBehind() {
	p.off.behind()
	for i := 1; i < trailPieces; i++ {
		p.trails.of.behind(p.trails.first+i, p.trails.of.piece(p.trails.first+i))
	}
}

// startsIn returns the numbers in a piece.
func startsIn(piece []byte) []uint32 {
	d := decoder{}
	return valuesIn[uint32](&d, piece, int64(len(piece)/4))
}

// Known tells whether it knows any.
func (t *Trails) Known() bool { return t.names != nil }

// Names returns the names, roughly by how many hits have them.
func (t *Trails) Names() []uint32 { return t.names }

// Renamed returns the trails of other names.
func (t *Trails) Renamed(rename func(name uint32) uint32) Trails {
	renamed := *t
	renamed.names = make([]uint32, len(t.names))
	for code, name := range t.names {
		renamed.names[code] = rename(name)
	}
	renamed.first = rename(t.first)
	return renamed
}

// Bounds returns where the hits of a session begin and end among those of the part.
func (t *Trails) Bounds(row uint32) (from, to uint32) { return t.off[row], t.off[row+1] }

// TrailCursor is a place in trails. The zero value is the begin; who reads sessions in their order finds each where the
// last one ended.
type TrailCursor struct{ row, at uint32 }

// Append appends the names of the hits of a session, in their order.
func (t *Trails) Append(to []uint32, c *TrailCursor, row uint32) []uint32 {
	t.Seek(c, row)
	n := t.off[row+1] - t.off[row]
	at := c.at
	if n > 1 {
		if t.codes[at] == otherFirst {
			at++
		} else {
			to, n = append(to, t.first), n-1
		}
	}
	for ; n > 0; n-- {
		code := uint32(t.codes[at])
		at++
		if code >= t.single {
			code, at = t.long(code, at)
		}
		to = append(to, t.names[code])
	}
	c.row, c.at = row+1, at
	return to
}

// AppendAll appends the names of the hits of the sessions [row, until), in their order.
func (t *Trails) AppendAll(to []uint32, c *TrailCursor, row, until uint32) []uint32 {
	if row == until {
		return to
	}
	if row != c.row {
		t.seek(c, row)
	}
	off := t.off[row : until+1]
	hits := int(off[len(off)-1] - off[0])
	to = slices.Grow(to, hits)[:len(to)+hits]
	out, at := to[len(to)-hits:], c.at
	codes, names, single := t.codes, t.names, t.single
	for i, end := range off[1:] {
		n := end - off[i]
		if n > 1 {
			if codes[at] == otherFirst {
				at++
			} else {
				out[0], out, n = t.first, out[1:], n-1
			}
		}
		for j := range out[:n] {
			code := uint32(codes[at])
			at++
			if code >= single {
				code, at = t.long(code, at)
			}
			out[j] = names[code]
		}
		out = out[n:]
	}
	c.row, c.at = until, at
	return to
}

// long returns a code of more than a byte.
func (t *Trails) long(lead, at uint32) (code, next uint32) {
	if lead == wideCode {
		return binary.LittleEndian.Uint32(t.codes[at:]), at + 4
	}
	return t.single + (lead-t.single)<<8 + uint32(t.codes[at]), at + 1
}

// Seek goes to a session.
func (t *Trails) Seek(c *TrailCursor, row uint32) {
	if row != c.row {
		t.seek(c, row)
	}
}

func (t *Trails) seek(c *TrailCursor, row uint32) {
	if row < c.row || row/trailStep > c.row/trailStep {
		c.row, c.at = row/trailStep*trailStep, t.starts[row/trailStep]
	}
	for ; c.row < row; c.row++ {
		n := t.off[c.row+1] - t.off[c.row]
		if n > 1 {
			if t.codes[c.at] == otherFirst {
				c.at++
			} else {
				n--
			}
		}
		for ; n > 0; n-- {
			lead := uint32(t.codes[c.at])
			if c.at++; lead >= t.single {
				_, c.at = t.long(lead, c.at)
			}
		}
	}
}
