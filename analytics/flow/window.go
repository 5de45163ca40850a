package flow

import (
	"sort"

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

// window is the parts of a view that have runs that start within a purchase window of a range, and the money that
// belongs to their runs. One window serves every scope of the range.
type window struct {
	view    *frame.View
	span    windowKey
	letters *alphabet
	parts   []part
	shards  []shard
	money   map[ref]*runMoney
}

// shard is the visitors of [from, to), whom one worker counts: reports of several workers add up.
type shard struct{ from, to uint32 }

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
	frame.Parallel(workers, func(worker int) {
		for i := worker; i < len(w.parts); i += workers {
			w.parts[i].facts = e.factsOf(w.parts[i].Part, w.letters)
			w.parts[i].paid = make([]uint64, (w.parts[i].Len()+63)/64)
		}
	})
	w.split(workers)
	w.payRuns()
	return w
}

// split cuts the visitors into n shards of about equal numbers of rows.
func (w *window) split(n int) {
	rows := 0
	for i := range w.parts {
		rows += w.parts[i].Len()
	}
	visitors := w.view.Visitors.Len()
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
		w.shards = append(w.shards, shard{from, to})
		from = to
	}
}

// hitsOf returns the hits of a row.
func (p *part) hitsOf(row uint32) []int64 { return p.HitsOf(row) }

// hits returns the hits of a run.
func (w *window) hits(r ref) []int64 { return w.parts[r.part].hitsOf(r.row) }

// isPaid tells whether money of the ledger belongs to a run.
func (p *part) isPaid(row uint32) bool { return p.paid[row>>6]&(1<<(row&63)) != 0 }

// noKey is the key of nothing.
var noKey session.Key
