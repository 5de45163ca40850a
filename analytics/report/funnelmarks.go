package report

import (
	"sync/atomic"

	"github.com/svc-dev/svc/analytics/frame"
)

// funnelMarks says where the hits are that matter to a funnel. All hits are read once for it in the order of memory,
// which is several times as fast as visitor by visitor; most visitors and sessions need no second look.
type funnelMarks struct {
	rows     []frame.Bits // by part of the wide window: sessions with a hit that matters
	visitors []uint64     // who met step 1 in a session of the selection, as bits by ordinal
}

func (m *funnelMarks) began(visitor uint32) bool { return frame.Bits(m.visitors).Has(visitor) }

// mark fills the marks.
func (c *funnelCount) mark() {
	c.hits = make([]partHits, len(c.wide.window.parts))
	c.marks = funnelMarks{
		rows:     make([]frame.Bits, len(c.wide.window.parts)),
		visitors: make([]uint64, c.s.view.Visitors.Len()/64+1),
	}
	c.wide.eachPart(func(i int, p *windowPart) {
		c.hits[i] = p.hits()
		c.marks.rows[i] = c.markPart(uint32(i), p)
	})
}

func (c *funnelCount) markPart(part uint32, p *windowPart) frame.Bits {
	rows, last := make(frame.Bits, p.Len()/64+1), uint32(len(c.names)-1)
	hits, visitors := c.hits[part], p.Visitors()
	for row := range uint32(p.Len()) {
		bits := uint16(0)
		for _, hit := range hits.all[hits.lo[row]:hits.hi[row]] {
			bits |= c.names[min(frame.HitName(hit), last)]
		}
		if bits == 0 || !p.has(row) {
			continue
		}
		rows[row>>6] |= 1 << (row & 63)
		if bits&1 == 0 {
			continue
		}
		if _, qualifies := c.qualifying(ref{part, row}); qualifies {
			visitor := visitors[row]
			atomic.OrUint64(&c.marks.visitors[visitor>>6], 1<<(visitor&63)) // days are marked side by side
		}
	}
	return rows
}

// partHits is the hits of a part: those of a row that are in range are all[lo[row]:hi[row]].
type partHits struct {
	all    []int64
	lo, hi []uint32
}

// hits returns the part's hits, for those who look at many rows.
func (p *windowPart) hits() partHits {
	if p.clipped {
		return partHits{all: p.Hits(), lo: p.lo, hi: p.hi}
	}
	off := p.Offsets()
	return partHits{all: p.Hits(), lo: off, hi: off[1:]}
}
