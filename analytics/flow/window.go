package flow

import (
	"bytes"
	"cmp"
	"math"
	"slices"
	"sort"

	"github.com/svc-dev/svc/analytics/frame"
	"github.com/svc-dev/svc/analytics/run"
	"github.com/svc-dev/svc/analytics/session"
)

// ref points at a run: a part of the window and a row of it.
type ref struct{ part, row uint32 }

// marks say what reports ask of every run.
type marks uint8

const (
	completed marks = 1 << iota
	abandoned
	presented // has a surface_presented
	claims    // the device reported a purchase
	paid      // money of the ledger belongs to it
)

// tookLong stands for a time to complete that does not fit, which is read from the hits.
const tookLong = math.MaxUint32

// part is a part of the view, with what reports ask of every run.
type part struct {
	*frame.Part
	masked frame.Bits
	start  []int64 // milliseconds since 2020-01-01T00:00Z
	marks  []marks
	took   []uint32 // milliseconds from the start to the first flow_completed, of others to the latest hit
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
			w.parts[i].read(w.letters)
		}
	})
	w.split(workers)
	parallel(len(w.shards), func(i int) { w.fill(&w.shards[i]) })
	w.payRuns()
	return w
}

// read finds what reports ask of every run of the part.
func (p *part) read(letters *alphabet) {
	rows := p.Len()
	p.start, p.marks, p.took = make([]int64, rows), make([]marks, rows), make([]uint32, rows)
	kinds := letters.kind
	for row := range uint32(rows) {
		p.start[row] = p.RunStart(row)
		var m marks
		flags := p.Col[frame.RunFlags][row]
		if flags&frame.Abandoned != 0 {
			m |= abandoned
		}
		for _, hit := range p.Hits[p.Off[row]:p.Off[row+1]] {
			switch kinds[frame.HitName(hit)] {
			case surfaceVisit:
				m |= presented
			case purchaseClaim:
				m |= claims
			}
		}
		took := p.RunLast(row) - p.start[row]
		if flags&frame.Completed != 0 {
			m |= completed
			took = p.timeToComplete(row, letters)
		}
		p.took[row] = uint32(min(took, tookLong))
		p.marks[row] = m
	}
}

// timeToComplete returns the milliseconds from a run's start to its first flow_completed; clocks may go back, time to
// complete is at least none.
func (p *part) timeToComplete(row uint32, letters *alphabet) int64 {
	for _, hit := range p.Hits[p.Off[row]:p.Off[row+1]] {
		if letters.kind[frame.HitName(hit)] == completion {
			return max(0, frame.HitTime(hit)-p.start[row])
		}
	}
	return max(0, p.RunLast(row)-p.start[row])
}

// completedAfter returns the time to complete of a completed run, in milliseconds.
func (p *part) completedAfter(row uint32, letters *alphabet) int64 {
	if ms := p.took[row]; ms != tookLong {
		return int64(ms)
	}
	return p.timeToComplete(row, letters)
}

// last returns the time of the latest hit of a run that is not completed.
func (p *part) last(row uint32) int64 {
	if ms := p.took[row]; ms != tookLong {
		return p.start[row] + int64(ms)
	}
	return p.RunLast(row)
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

// hits returns the hits of a run in its order.
func (p *part) hits(row uint32) []int64 { return p.Hits[p.Off[row]:p.Off[row+1]] }

// state returns the state of a run (flow-analytics.md §1).
func (s *Selection) state(p *part, row uint32) run.State {
	switch m := p.marks[row]; {
	case m&completed != 0:
		return run.Completed
	case m&abandoned != 0:
		return run.Abandoned
	case p.last(row) <= s.lapsed:
		return run.Lapsed
	}
	return run.Open
}

// dropped tells whether a run ended without being completed.
func dropped(state run.State) bool { return state == run.Abandoned || state == run.Lapsed }

// noKey is the key of nothing.
var noKey session.Key
