package report

import (
	"encoding/json"
	"math/bits"
	"slices"
	"sync/atomic"
	"unsafe"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/analytics/channel"
	"github.com/svc-dev/svc/analytics/frame"
)

// picked is what filters leave of a window.
type picked struct {
	rows   []frame.Bits // by part
	shards [][]ref      // by visitor; nil where they are too many to be kept
	ends   [][]int      // of what is visited at a time of each shard
	counts *countCache
}

// pickedKey names filters of a window.
type pickedKey struct {
	filters string
	segment *Members
}

// A window remembers what its latest filters leave, because a page asks for several reports with the same filters. What
// takes more memory than that is not remembered, and nothing is in a window of more names: a page takes 40 bytes in
// each of its counts.
const (
	pickedMemo  = 2
	pickedBytes = 32 << 20
	pickedNames = 1 << 16
)

// bytes returns the memory of the rows and of their order.
func (p *picked) bytes() (n int) {
	for _, rows := range p.rows {
		n += len(rows) * int(unsafe.Sizeof(rows[0]))
	}
	for _, shard := range p.shards {
		n += cap(shard) * int(unsafe.Sizeof(noRef))
	}
	return n
}

// pick returns what the filter leaves of the window. Filters that do not depend on the time have a name.
func (w *window) pick(f *filter, platform string, filters []analytics.Filter, named bool) *picked {
	text, err := json.Marshal(filters)
	if !named || err != nil || len(w.view.Names) > pickedNames {
		return w.newPicked(f)
	}
	return w.picked.Get(pickedKey{platform + " " + string(text), f.segment}, func() *picked { return w.newPicked(f) })
}

// newPicked finds the rows that pass, part by part in the order in which they lie in memory, and then picks them from
// the order by visitor: columns are read in one direction, and what is looked up out of order is a bit a row.
func (w *window) newPicked(f *filter) *picked {
	p := &picked{rows: make([]frame.Bits, len(w.parts))}
	var next atomic.Int64
	frame.Parallel(len(w.shards), func(int) {
		for i := int(next.Add(1)) - 1; i < len(w.parts); i = int(next.Add(1)) - 1 {
			p.rows[i] = f.rowsOf(&w.parts[i])
		}
	})
	kept := 0
	for i := range p.rows {
		kept += countBits(p.rows[i], 0, w.parts[i].Len())
	}
	p.counts = newCountCache(kept)
	if kept > w.tuning.KeptSessions {
		return p
	}
	p.shards, p.ends = make([][]ref, len(w.shards)), make([][]int, len(w.shards))
	visitors := w.readVisitors()
	frame.Parallel(len(w.shards), func(i int) {
		shard, kept := &w.shards[i], 0
		for part := range w.parts {
			lo, hi := w.parts[part].Bounds(shard.from, shard.to)
			kept += countBits(p.rows[part], lo, hi)
		}
		p.shards[i] = make([]ref, 0, kept+1)
		visitors.each(i, func(some *windowShard) {
			p.shards[i] = p.keep(p.shards[i], some.order)
			p.ends[i] = append(p.ends[i], len(p.shards[i]))
		})
	})
	return p
}

// each calls visit with the sessions of a shard, as [reading.each] does.
func (p *picked) each(shard int, r *reading, visit func(order []ref)) {
	order, at, from := p.shards[shard], 0, 0
	if r.kept {
		visit(order)
		return
	}
	r.spans(shard, func(_, _ uint32) {
		to := p.ends[shard][at]
		visit(order[from:to])
		at, from = at+1, to
	})
}

// keep appends the sessions that pass, in their order. There is no branch, because whether a session passes can't be
// predicted.
func (p *picked) keep(to, order []ref) []ref {
	for len(order) > 0 {
		block := order[:min(blockSize, len(order))]
		order = order[len(block):]
		at := len(to)
		to = slices.Grow(to, len(block)+1)[:at+len(block)+1]
		for _, r := range block {
			to[at] = r
			at += int(p.rows[r.part][r.row>>6] >> (r.row & 63) & 1)
		}
		to = to[:at]
	}
	return to
}

// has tells whether a session passes.
func (p *picked) has(r ref) bool { return p.rows[r.part].Has(r.row) }

// countBits returns how many rows of [lo, hi) are in a set.
func countBits(set frame.Bits, lo, hi int) (n int) {
	for at := lo; at < hi; {
		word := set[at>>6] >> (at & 63)
		if left := hi - at; left < 64 {
			word &= 1<<left - 1
		}
		n += bits.OnesCount64(word)
		at = (at | 63) + 1
	}
	return n
}

// rowsOf returns the rows of a part that are of the window and pass, 64 at a time.
func (f *filter) rowsOf(p *windowPart) frame.Bits {
	for i := range f.columns {
		p.Ahead(f.columns[i].column)
	}
	rows, namesOf := make(frame.Bits, (p.Len()+63)/64), f.reader(p)
	for at := range rows {
		from := 64 * at
		to := min(from+64, p.Len())
		word := ^uint64(0) >> (64 - (to - from))
		if !p.whole() {
			word = p.wordOf(at, from, to)
		}
		if f.members != nil {
			word = f.membersOf(p.Visitors()[from:to], word)
		}
		for i := range f.columns {
			if word == 0 {
				break
			}
			c := &f.columns[i]
			passes := c.wordOf(p.Column(c.column)[from:to])
			if c.exempt {
				for j, code := range p.Column(frame.Channel)[from:to] {
					if code == uint32(channel.LeftOut) {
						passes |= 1 << j
					}
				}
			}
			word &= passes
		}
		if f.names != nil {
			for left := word; left != 0; left &= left - 1 {
				row := from + bits.TrailingZeros64(left)
				if !f.passesNames(namesOf(uint32(row))) {
					word &^= 1 << (row - from)
				}
			}
		}
		rows[at] = word
	}
	return rows
}

// wordOf returns which rows of [from, to), the at-th 64, are sessions of the window.
func (p *windowPart) wordOf(at, from, to int) (word uint64) {
	for row := from; row < to; row++ {
		if !p.clipped || p.lo[row] < p.hi[row] {
			word |= 1 << (row - from)
		}
	}
	if p.masked != nil {
		word &^= p.masked[at]
	}
	return word
}

// wordOf returns which of at most 64 codes pass.
func (c *columnFilter) wordOf(codes []uint32) (word uint64) {
	for j, code := range codes {
		word |= uint64(c.pass[code]) << (j & 63)
	}
	return word
}

// membersOf returns which of the visitors of a word are members.
func (f *filter) membersOf(visitors []uint32, word uint64) uint64 {
	for left := word; left != 0; left &= left - 1 {
		if j := bits.TrailingZeros64(left); !f.members.has(visitors[j]) {
			word &^= 1 << j
		}
	}
	return word
}
