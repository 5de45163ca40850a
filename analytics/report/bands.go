package report

import (
	"sort"
	"sync"

	"github.com/svc-dev/svc/analytics/frame"
)

// reading is what a report reads of the sessions that it visits in the order of visitors. Where that order is kept, all
// of it is brought into memory first. Columns of a long range have no room there together: each goroutine brings them
// in as it comes to them, a band of rows of each part at a time, so that each page comes from the disk once.
type reading struct {
	*windowRows
	columns []frame.Column // besides visitors
	once    []frame.Column // those that few other reports read: they leave memory first
	trails  bool           // besides columns, of parts that have some; they leave memory first
	take    []sync.Once    // by part: of open
	open    func(i int, p *windowPart)
}

// read begins a reading. Open takes the columns of a part, before the first of its sessions is visited.
func (w *windowRows) read(columns, once []frame.Column, open func(i int, p *windowPart)) *reading {
	r := &reading{windowRows: w, columns: columns, once: once, take: make([]sync.Once, len(w.parts)), open: open}
	if w.kept {
		w.eachPart(func(i int, p *windowPart) {
			p.Ahead(columns...)
			open(i, p)
		})
	}
	return r
}

// readVisitors begins a reading of nothing else: who came in a window whose order is kept is known.
func (w *windowRows) readVisitors() *reading {
	return &reading{windowRows: w, take: make([]sync.Once, len(w.parts)), open: func(int, *windowPart) {}}
}

// bands brings a reading into memory for one goroutine, which goes through visitors in their order.
type bands struct {
	*reading
	at []bandsOfPart
}

// bandsOfPart is how many bands of a part were asked for, how many are in memory, and how many of those were left.
type bandsOfPart struct{ asked, used, left int }

// bands begins before a visitor. What a part has of those before is not read: not even the band that begins with them,
// where it is the last and ends with them, because what is read first of a column has to be checked with all of it.
func (r *reading) bands(visitor uint32) *bands {
	b := &bands{r, make([]bandsOfPart, len(r.parts))}
	for i := range b.at {
		first, all := r.parts[i].bands, r.parts[i].Visitors()
		at := len(first)
		if all[len(all)-1] >= visitor {
			at = max(0, sort.Search(at, func(k int) bool { return first[k] >= visitor })-1)
		}
		b.at[i] = bandsOfPart{at, at, at}
	}
	return b
}

// bring brings what is read of the visitors before one into memory, asks for those before another, and lets go of what
// was brought before.
func (b *bands) bring(visitor, ahead uint32) {
	for i := range b.parts {
		p, at := &b.parts[i], &b.at[i]
		for ; at.asked < len(p.bands) && p.bands[at.asked] < ahead; at.asked++ {
			from, to := p.band(at.asked, b.tuning.BandRows)
			p.AheadOf(from, to, b.columns...)
			if b.trails {
				p.TrailsAheadOf(from, to)
			}
		}
	}
	for i := range b.parts {
		p, at := &b.parts[i], &b.at[i]
		b.leave(p, at, at.used-1)
		for ; at.used < len(p.bands) && p.bands[at.used] < visitor; at.used++ {
			from, to := p.band(at.used, b.tuning.BandRows)
			p.UseOf(from, to, b.columns...)
			if b.trails {
				p.TrailsUseOf(from, to)
			}
			b.take[i].Do(func() { b.open(i, p) })
		}
	}
}

// leave tells the system of the bands of a part before one that they were read.
func (b *bands) leave(p *windowPart, at *bandsOfPart, until int) {
	for ; at.left < until; at.left++ {
		from, to := p.band(at.left, b.tuning.BandRows)
		p.BehindOf(from, to, b.once...)
		if b.trails {
			p.TrailsBehindOf(from, to)
		}
	}
}

// end lets go of what is left.
func (b *bands) end() {
	for i := range b.parts {
		b.leave(&b.parts[i], &b.at[i], b.at[i].used)
	}
}

// band returns the rows of a band.
func (p *windowPart) band(k, rows int) (from, to int) { return k * rows, min((k+1)*rows, p.Len()) }
