package frame

// BandRows is how many rows of a column the system is told of at once where it is read some visitors at a time:
// 128 KiB, which nearly every disk reads in one go.
const BandRows = 1 << 15

// BandsOf returns the first visitor of every so many rows. Visitors are in a row in a part, so that it tells which rows
// are those of some visitors without reading who they are.
func (p *Part) BandsOf(rows int) []uint32 {
	visitors := p.Visitors()
	first := make([]uint32, 0, (len(visitors)+rows-1)/rows)
	for row := 0; row < len(visitors); row += rows {
		first = append(first, visitors[row])
	}
	return first
}

// AheadOf tells the system that the rows [from, to) of visitors and columns are read soon. It is told of all rows of
// what has to be checked first.
func (p *Part) AheadOf(from, to int, columns ...Column) {
	p.visitor.aheadOf(from, to)
	for _, c := range columns {
		p.col[c].aheadOf(from, to)
	}
}

// UseOf does for the rows [from, to) what Ahead does for all: it waits until they are in memory, and has the system
// count that as a use.
func (p *Part) UseOf(from, to int, columns ...Column) {
	p.visitor.useOf(from, to)
	for _, c := range columns {
		p.col[c].useOf(from, to)
	}
}

// BehindOf does for the rows [from, to) what Behind does for all.
func (p *Part) BehindOf(from, to int, columns ...Column) {
	for _, c := range columns {
		p.col[c].behindOf(from, to)
	}
}

func (v *vector[T]) aheadOf(from, to int) {
	switch {
	case v.of == nil:
	case v.of.known[v.piece].Load():
		v.of.file.Ahead(bytesOfAll(v.values[from:to]))
	default:
		v.ahead()
	}
}

func (v *vector[T]) useOf(from, to int) {
	if v.of != nil {
		v.of.file.Use(bytesOfAll(v.all()[from:to]))
	}
}

func (v *vector[T]) behindOf(from, to int) {
	if v.of != nil {
		v.of.behind(v.piece, bytesOfAll(v.values[from:to]))
	}
}

// TrailsAheadOf does for the trails of the rows [from, to), if the part has some, what AheadOf does for columns.
func (p *Part) TrailsAheadOf(from, to int) {
	if p.HasTrails() {
		p.off.aheadOf(from, to+1)
		p.trails.of.file.Ahead(p.trails.bytesOf(from, to))
	}
}

// TrailsUseOf does for them what UseOf does for columns.
func (p *Part) TrailsUseOf(from, to int) {
	if p.HasTrails() {
		p.off.useOf(from, to+1)
		p.trails.piece(1)
		p.trails.piece(2)
		p.trails.of.file.Use(p.trails.bytesOf(from, to))
	}
}

// TrailsBehindOf does for them what BehindOf does for columns.
func (p *Part) TrailsBehindOf(from, to int) {
	if p.HasTrails() {
		p.off.behindOf(from, to+1)
		p.trails.of.behind(p.trails.first+2, p.trails.bytesOf(from, to))
	}
}

// bytesOf returns the codes of the rows [from, to), and of some before and after them. They are all of the file while
// these have to be checked first.
func (t savedTrails) bytesOf(from, to int) []byte {
	codes := t.of.piece(t.first + 2)
	if !t.of.known[t.first+1].Load() || !t.of.known[t.first+2].Load() {
		return codes
	}
	starts := startsIn(t.of.piece(t.first + 1)) // and a zero, where one pads the piece
	if next := (to + trailStep - 1) / trailStep; next < len(starts) && starts[next] > 0 {
		codes = codes[:starts[next]]
	}
	return codes[min(int(starts[from/trailStep]), len(codes)):]
}
