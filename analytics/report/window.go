package report

import (
	"math"
	"sort"
	"sync"
	"sync/atomic"

	"github.com/svc-dev/svc/analytics/frame"
)

// ref points at a session: a part of the window and a row of it.
type ref struct{ part, row uint32 }

// noRef points at no session.
var noRef = ref{part: 1<<32 - 1}

// windowPart is a part whose sessions may have hits in the window.
type windowPart struct {
	*frame.Part
	masked frame.Bits
	bands  []uint32 // the first visitor of each band, where the order by visitor is not kept

	// Where only some hits of the part are in the window, those of row i are Hits[lo[i]:hi[i]], and clippedTotals counts
	// them.
	lo, hi        []uint32
	clippedTotals []uint32
	clipped       bool
	start, end    int64 // of the window, where it clips
}

// bounds returns where the in-range hits of a row are among the part's.
func (p *windowPart) bounds(row uint32) (lo, hi uint32) {
	if p.clipped {
		return p.lo[row], p.hi[row]
	}
	off := p.Offsets()
	return off[row], off[row+1]
}

// hitsIn returns the in-range hits of a row.
func (p *windowPart) hitsIn(row uint32) []int64 {
	lo, hi := p.bounds(row)
	return p.Hits()[lo:hi]
}

// from returns the start of a row, or that of the window where it is later: no in-range hit is before.
func (p *windowPart) from(row uint32) int64 {
	if p.clipped {
		return max(p.Start(row), p.start)
	}
	return p.Start(row)
}

// last returns the time of the last in-range hit of a row.
func (p *windowPart) last(row uint32) int64 {
	if end := p.End(row); !p.clipped || end < p.end {
		return end
	}
	return frame.HitTime(p.Hits()[p.hi[row]-1])
}

// totalsIn returns the views and events of the in-range hits, by row.
func (p *windowPart) totalsIn() []uint32 {
	if p.clipped {
		return p.clippedTotals
	}
	return p.Column(frame.Totals)
}

// window is the sessions with a hit in [start, end), before any filter, ordered by visitor. One
// window serves every scope of the range.
type window struct {
	*windowRows
	start, end int64

	revenueOnce sync.Once
	revenue     []attributed

	counts *countCache // of selections without a filter
	picked frame.Memo[pickedKey, *picked]
}

// windowRows is the sessions of a window. Those of two ranges that begin before all hits, or end after them, are the
// same, and shared: their order takes eight bytes a session, and four a visitor.
type windowRows struct {
	view   *frame.View
	parts  []windowPart
	shards []windowShard // whose order is kept, or found when it is asked for
	kept   bool
	tuning *Tuning
	rows   int
}

// windowShard holds the visitors of [from, to): the sessions of visitor v are
// order[offset[v-from]:offset[v-from+1]], by home day.
type windowShard struct {
	from, to uint32
	offset   []uint32
	order    []ref
}

// of returns the sessions of one of the visitors.
func (s *windowShard) of(visitor uint32) []ref {
	return s.order[s.offset[visitor-s.from]:s.offset[visitor-s.from+1]]
}

type windowKey struct{ start, end int64 }

// rowsKey is the range of rows, no longer than that of the hits of the view.
type rowsKey struct{ start, end int64 }

// windowOf returns the view's window of a range, shared by everyone who asks for the same.
func (e *Engine) windowOf(view *frame.View, start, end int64) *window {
	return frame.Derive(view, windowKey{start, end}, func() *window { return e.newWindow(view, start, end) })
}

func (e *Engine) newWindow(view *frame.View, start, end int64) *window {
	w := &window{start: start, end: end}
	w.picked.Size, w.picked.Keeps = pickedMemo, func(p *picked) bool { return p.bytes() <= pickedBytes }
	first, last := int64(math.MaxInt64-1), int64(math.MinInt64)
	for _, f := range view.Frames {
		first, last = min(first, f.MinHit), max(last, f.MaxHit)
	}
	start, end = max(start, first), min(end, last+1)
	w.windowRows = frame.Derive(view, rowsKey{start, end}, func() *windowRows { return e.newRows(view, start, end) })
	w.counts = newCountCache(w.rows)
	return w
}

func (e *Engine) newRows(view *frame.View, start, end int64) *windowRows {
	w := &windowRows{view: view, tuning: &e.tuning}
	for _, f := range view.Frames {
		if f.MaxHit < start || f.MinHit >= end {
			continue
		}
		for _, p := range []windowPart{{Part: f.Sealed, masked: f.Masked}, {Part: f.Open}} {
			if p.Part == nil || p.Len() == 0 || p.MaxHit < start || p.MinHit >= end {
				continue
			}
			w.parts = append(w.parts, p)
			w.rows += p.Len()
		}
	}
	w.kept = w.rows+view.Visitors.Len()/2 <= e.tuning.KeptSessions
	w.eachPart(func(_ int, p *windowPart) {
		p.Ahead()
		p.clip(view, start, end)
		if !w.kept {
			p.bands = p.BandsOf(e.tuning.BandRows)
		}
	})
	w.split(e.tuning.workers(w.rows))
	if w.kept {
		frame.Parallel(len(w.shards), func(i int) { w.sweep().fill(&w.shards[i]) })
	}
	return w
}

// readers is how many parts are read at once: more than there are processors, so that the disk has work while others
// sum up what they have read.
const readers = 6

// eachPart calls f with all parts, some at once: their columns may have to be read from a disk.
func (w *windowRows) eachPart(f func(i int, p *windowPart)) {
	var next atomic.Int64
	frame.Parallel(min(readers, len(w.parts)), func(int) {
		for i := int(next.Add(1)) - 1; i < len(w.parts); i = int(next.Add(1)) - 1 {
			f(i, &w.parts[i])
		}
	})
}

// clip finds the in-range hits of every row.
func (p *windowPart) clip(view *frame.View, start, end int64) {
	rows := p.Len()
	if p.MinHit >= start && p.MaxHit < end {
		return
	}
	p.clipped, p.start, p.end = true, start, end
	p.lo, p.hi, p.clippedTotals = make([]uint32, rows), make([]uint32, rows), make([]uint32, rows)
	off, totals := p.Offsets(), p.Column(frame.Totals)
	for row := range uint32(rows) {
		if p.Start(row) >= start && p.End(row) < end {
			p.lo[row], p.hi[row], p.clippedTotals[row] = off[row], off[row+1], totals[row]
			continue
		}
		if p.clipByCrossings(row) {
			continue
		}
		hits := p.HitsOf(row)
		lo := sort.Search(len(hits), func(i int) bool { return frame.HitTime(hits[i]) >= start })
		hi := lo + sort.Search(len(hits)-lo, func(i int) bool { return frame.HitTime(hits[lo+i]) >= end })
		p.lo[row], p.hi[row] = off[row]+uint32(lo), off[row]+uint32(hi)
		for _, hit := range hits[lo:hi] {
			switch name := view.Name(frame.HitName(hit)); {
			case name.Kind.IsView():
				p.clippedTotals[row] += 1 << frame.ViewsShift
			case name.Kind == frame.Custom:
				p.clippedTotals[row]++
			}
		}
	}
}

// clipByCrossings finds the in-range hits of a row without reading them, where that is possible.
func (p *windowPart) clipByCrossings(row uint32) bool {
	before, known := p.before(row, p.start)
	until, knownToo := p.before(row, p.end)
	if !known || !knownToo {
		return false
	}
	from := p.Offsets()[row]
	p.lo[row], p.hi[row] = from+uint32(before.Hits), from+uint32(until.Hits)
	p.clippedTotals[row] = uint32(until.Views-before.Views)<<frame.ViewsShift | uint32(until.Events-before.Events)
	return true
}

// has tells whether row is a session of the window.
func (p *windowPart) has(row uint32) bool {
	return !p.masked.Has(row) && (!p.clipped || p.lo[row] < p.hi[row])
}

// whole tells whether every row, with all its hits, is of the window.
func (p *windowPart) whole() bool { return p.masked == nil && !p.clipped }

// split cuts the visitors into n shards of about equal numbers of rows.
func (w *windowRows) split(n int) {
	from := uint32(0)
	for i := 1; i <= n; i++ {
		to := uint32(w.view.Visitors.Len())
		if i < n {
			to = uint32(sort.Search(w.view.Visitors.Len(), func(v int) bool {
				below := 0
				for p := range w.parts {
					lo, _ := w.parts[p].Bounds(uint32(v), uint32(v))
					below += lo
				}
				return below >= w.rows*i/n
			}))
		}
		w.shards = append(w.shards, windowShard{from: from, to: to})
		from = to
	}
}
