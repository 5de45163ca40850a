package report

import (
	"math"
	"sort"
	"sync"

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
// same, and shared: their order takes eight bytes a session.
type windowRows struct {
	view   *frame.View
	parts  []windowPart
	shards []windowShard
}

// windowShard holds the visitors of [from, to): the sessions of visitor v are
// order[offset[v-from]:offset[v-from+1]], by home day.
type windowShard struct {
	from, to uint32
	offset   []uint32
	order    []ref
}

type windowKey struct{ start, end int64 }

// rowsKey is the range of rows, no longer than that of the hits of the view.
type rowsKey struct{ start, end int64 }

// windowOf returns the view's window of a range, shared by everyone who asks for the same.
func (e *Engine) windowOf(view *frame.View, start, end int64) *window {
	return frame.Derive(view, windowKey{start, end}, func() *window { return e.newWindow(view, start, end) })
}

func (e *Engine) newWindow(view *frame.View, start, end int64) *window {
	w := &window{start: start, end: end, counts: newCountCache()}
	w.picked.Size, w.picked.Keeps = pickedMemo, func(p *picked) bool { return p.bytes() <= pickedBytes }
	first, last := int64(math.MaxInt64-1), int64(math.MinInt64)
	for _, f := range view.Frames {
		first, last = min(first, f.MinHit), max(last, f.MaxHit)
	}
	start, end = max(start, first), min(end, last+1)
	w.windowRows = frame.Derive(view, rowsKey{start, end}, func() *windowRows { return e.newRows(view, start, end) })
	return w
}

func (e *Engine) newRows(view *frame.View, start, end int64) *windowRows {
	w := &windowRows{view: view}
	rows := 0
	for _, f := range view.Frames {
		if f.MaxHit < start || f.MinHit >= end {
			continue
		}
		for _, p := range []windowPart{{Part: f.Sealed, masked: f.Masked}, {Part: f.Open}} {
			if p.Part == nil || p.Len() == 0 || p.MaxHit < start || p.MinHit >= end {
				continue
			}
			w.parts = append(w.parts, p)
			rows += p.Len()
		}
	}
	frame.Parallel(len(w.parts)+1, func(i int) {
		if i < len(w.parts) {
			w.parts[i].clip(view, start, end)
		}
	})
	w.split(e.tuning.workers(rows))
	for i := range w.parts {
		w.parts[i].Ahead()
	}
	frame.Parallel(len(w.shards), func(i int) { w.fill(&w.shards[i]) })
	return w
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
	rows := 0
	for i := range w.parts {
		rows += w.parts[i].Len()
	}
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
				return below >= rows*i/n
			}))
		}
		w.shards = append(w.shards, windowShard{from: from, to: to})
		from = to
	}
}

// fill orders the sessions of the shard's visitors: a counting sort by visitor.
func (w *windowRows) fill(s *windowShard) {
	offset := make([]uint32, s.to-s.from+2)
	each := func(f func(slot uint32, r ref)) {
		for i := range w.parts {
			p := &w.parts[i]
			visitors := p.Visitors()
			lo, hi := p.Bounds(s.from, s.to)
			if p.whole() {
				for row := lo; row < hi; row++ {
					f(visitors[row]-s.from, ref{uint32(i), uint32(row)})
				}
				continue
			}
			for row := uint32(lo); int(row) < hi; row++ {
				if p.has(row) {
					f(visitors[row]-s.from, ref{uint32(i), row})
				}
			}
		}
	}
	each(func(slot uint32, _ ref) { offset[slot+2]++ })
	for i := 2; i < len(offset); i++ {
		offset[i] += offset[i-1]
	}
	s.order = make([]ref, offset[len(offset)-1])
	each(func(slot uint32, r ref) {
		s.order[offset[slot+1]] = r
		offset[slot+1]++
	})
	s.offset = offset[:len(offset)-1]
}

// of returns the sessions of a visitor in the window.
func (w *windowRows) of(visitor uint32) []ref {
	i := sort.Search(len(w.shards), func(i int) bool { return w.shards[i].to > visitor })
	if i == len(w.shards) {
		return nil
	}
	s := &w.shards[i]
	return s.order[s.offset[visitor-s.from]:s.offset[visitor-s.from+1]]
}
