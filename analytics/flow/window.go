package flow

import (
	"bytes"
	"cmp"
	"slices"
	"sort"
	"sync/atomic"

	"github.com/svc-dev/svc/analytics/frame"
	"github.com/svc-dev/svc/analytics/session"
)

// ref points at a run: a part of the window and a row of it.
type ref struct{ part, row uint32 }

// part is a part of the view.
type part struct {
	*frame.Part
	*facts
	masked frame.Bits
	paid   []uint64 // bits of rows that money of the ledger belongs to
}

// window is the runs of all flows that start within a purchase window of a range, ordered by visitor. One window
// serves every scope of the range.
type window struct {
	view    *frame.View
	span    windowKey
	letters *alphabet
	parts   []part
	shards  []shard
	money   map[ref]*runMoney
	touched atomic.Int64
}

// shard holds the visitors of [from, to): the runs of visitor v are order[offset[v-from]:offset[v-from+1]], by start
// and key.
type shard struct {
	from, to uint32
	offset   []uint32
	order    []ref
}

// windowKey is a range and the purchase window, in milliseconds.
type windowKey struct{ start, end, purchase int64 }

// windowOf returns the view's window of a scope, shared by everyone who asks for the same range.
func (e *Engine) windowOf(view *frame.View, scope Scope) *window {
	key := windowKey{frame.Millis(scope.Start), frame.Millis(scope.End), scope.Windows.Purchase.Milliseconds()}
	return frame.Derive(view, key, func() *window { return e.newWindow(view, key) })
}

func (e *Engine) newWindow(view *frame.View, key windowKey) *window {
	w := &window{view: view, span: key, letters: lettersOf(view)}
	rows := 0
	for _, f := range view.Runs {
		if f.MaxHit < key.start-key.purchase || f.MinHit >= key.end+key.purchase {
			continue
		}
		for _, p := range []part{{Part: f.Sealed, masked: f.Masked}, {Part: f.Open}} {
			if p.Part != nil && p.Len() > 0 {
				w.parts = append(w.parts, p)
				rows += p.Len()
			}
		}
	}
	workers := e.tuning.workers(rows)
	parallel(workers, func(worker int) {
		for i := worker; i < len(w.parts); i += workers {
			w.parts[i].facts = e.factsOf(w.parts[i].Part, w.letters)
			w.parts[i].paid = make([]uint64, (w.parts[i].Len()+63)/64)
		}
	})
	w.split(workers)
	parallel(len(w.shards), func(i int) { w.fill(&w.shards[i]) })
	w.payRuns()
	return w
}

// split cuts the visitors into n shards of about equal numbers of rows.
func (w *window) split(n int) {
	rows := 0
	for i := range w.parts {
		rows += w.parts[i].Len()
	}
	visitors := len(w.view.Visitors)
	from := uint32(0)
	for i := 1; i <= n; i++ {
		to := uint32(visitors)
		if i < n {
			to = uint32(sort.Search(visitors, func(v int) bool {
				below := 0
				for p := range w.parts {
					lo, _ := w.parts[p].Bounds(uint32(v), uint32(v))
					below += lo
				}
				return below >= rows*i/n
			}))
		}
		w.shards = append(w.shards, shard{from: from, to: to})
		from = to
	}
}

// fill orders the runs of the shard's visitors: a counting sort by visitor, then each visitor's by start and key.
func (w *window) fill(s *shard) {
	offset := make([]uint32, s.to-s.from+2)
	low, high := w.span.start-w.span.purchase, w.span.end+w.span.purchase
	visit := func(f func(slot uint32, r ref)) {
		for i := range w.parts {
			p := &w.parts[i]
			lo, hi := p.Bounds(s.from, s.to)
			for row := uint32(lo); int(row) < hi; row++ {
				if p.start[row] >= low && p.start[row] < high && !p.masked.Has(row) {
					f(p.Visitor[row]-s.from, ref{uint32(i), row})
				}
			}
		}
	}
	visit(func(slot uint32, _ ref) { offset[slot+2]++ })
	for i := 2; i < len(offset); i++ {
		offset[i] += offset[i-1]
	}
	s.order = make([]ref, offset[len(offset)-1])
	visit(func(slot uint32, r ref) {
		s.order[offset[slot+1]] = r
		offset[slot+1]++
	})
	s.offset = offset[:len(offset)-1]
	for slot := range s.to - s.from {
		// Home days are nearly in the order of starts.
		if runs := s.order[s.offset[slot]:s.offset[slot+1]]; !slices.IsSortedFunc(runs, w.compare) {
			slices.SortFunc(runs, w.compare)
		}
	}
}

// compare orders runs of a visitor by start, then by key.
func (w *window) compare(a, b ref) int {
	p, q := &w.parts[a.part], &w.parts[b.part]
	if c := cmp.Compare(p.start[a.row], q.start[b.row]); c != 0 {
		return c
	}
	return bytes.Compare(p.Key[a.row][:], q.Key[b.row][:])
}

// of returns the runs of a visitor in the window.
func (w *window) of(visitor uint32) []ref {
	i := sort.Search(len(w.shards), func(i int) bool { return w.shards[i].to > visitor })
	if i == len(w.shards) {
		return nil
	}
	s := &w.shards[i]
	return s.order[s.offset[visitor-s.from]:s.offset[visitor-s.from+1]]
}

// isPaid tells whether money of the ledger belongs to a run.
func (p *part) isPaid(row uint32) bool { return p.paid[row>>6]&(1<<(row&63)) != 0 }

// noKey is the key of nothing.
var noKey session.Key
