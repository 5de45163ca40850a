package report

import (
	"math"
	"slices"
	"sync/atomic"

	"github.com/svc-dev/svc/analytics/frame"
)

// funnelMarks says whose hits matter to a funnel. All names of hits are read once for it in the order of memory, which
// is several times as fast as visitor by visitor; most visitors and sessions need no second look.
type funnelMarks struct {
	rows     []frame.Bits // by part of the wide window: sessions with a hit that matters; nil of one that trails tell of
	visitors []uint64     // who met step 1 in a session of the selection, as bits by ordinal
}

func (m *funnelMarks) began(visitor uint32) bool { return frame.Bits(m.visitors).Has(visitor) }

// tell finds the parts of the wide window that trails tell of: those with all their hits in range, in that of the
// selection too where it has them.
func (c *funnelCount) tell() {
	c.isTold, c.told = make([]bool, len(c.wide.window.parts)), make([]toldPart, len(c.wide.window.parts))
	c.wide.eachPart(func(i int, p *windowPart) {
		at := c.narrow[i]
		if !p.whole() || !p.HasTrails() || at >= 0 && !c.s.window.parts[at].whole() {
			return
		}
		c.isTold[i] = p.MaxHit-p.MinHit < frame.LongSession || !slices.Contains(p.Column(frame.Length), frame.LongSession)
	})
	c.anyTold = slices.Contains(c.isTold, true)
}

// read begins to read along trails.
func (c *funnelCount) read() *reading {
	r := c.wide.window.read([]frame.Column{frame.Length, frame.Begin}, nil, func(i int, p *windowPart) {
		if !c.isTold[i] {
			return
		}
		t := p.TrailsInBands()
		if c.wide.window.kept {
			t = p.Trails()
		}
		c.told[i] = toldPart{t, p.Begins(), p.Column(frame.Length), t.Meanings(c.names)}
	})
	r.trails = true
	return r
}

// matters tells whether a session may have a hit that matters.
func (c *funnelCount) matters(r ref) bool {
	return c.isTold[r.part] || c.marks.rows[r.part].Has(r.row)
}

// mark fills the marks.
func (c *funnelCount) mark() {
	c.marks = funnelMarks{
		rows:     make([]frame.Bits, len(c.wide.window.parts)),
		visitors: make([]uint64, c.s.view.Visitors.Len()/64+1),
	}
	everybody := c.mostBegin()
	if everybody {
		for i := range c.marks.visitors {
			c.marks.visitors[i] = math.MaxUint64
		}
	}
	c.wide.eachPart(func(i int, p *windowPart) {
		switch {
		case !c.isTold[i]:
			c.marks.rows[i] = c.markPart(uint32(i), p)
		case !everybody:
			c.markTold(uint32(i), p)
		}
	})
}

// mostBegin tells whether trails tell of more hits that meet step 1 than of sessions, so that there are few whom it is
// worth to find before who do not begin.
func (c *funnelCount) mostBegin() bool {
	if c.s.filter.active {
		return false
	}
	var begin, sessions atomic.Int64
	last := uint32(len(c.names) - 1)
	c.wide.eachPart(func(i int, p *windowPart) {
		if !c.isTold[i] {
			return
		}
		sessions.Add(int64(p.Len()))
		for total := range p.NameTotals() {
			begin.Add(total.Hits * int64(c.names[min(total.Name, last)]&1))
		}
	})
	return begin.Load() > sessions.Load()
}

// markVisitor marks who met step 1. Days are marked side by side.
func (c *funnelCount) markVisitor(visitor uint32) {
	atomic.OrUint64(&c.marks.visitors[visitor>>6], 1<<(visitor&63))
}

// markTold marks the visitors of a part along its trails.
func (c *funnelCount) markTold(part uint32, p *windowPart) {
	if c.narrow[part] < 0 {
		return
	}
	var cursor frame.TrailCursor
	var met []frame.Met
	visitors, trails := p.Visitors(), p.Trails()
	meanings := trails.Meanings(c.names)
	for row := range uint32(p.Len()) {
		if _, qualifies := c.qualifying(ref{part, row}); !qualifies {
			continue
		}
		bits := uint16(0)
		met = trails.AppendMet(met[:0], &cursor, row, meanings)
		for _, m := range met {
			bits |= m.Meaning
		}
		if bits&1 == 1 {
			c.markVisitor(visitors[row])
		}
	}
}

func (c *funnelCount) markPart(part uint32, p *windowPart) frame.Bits {
	rows, last := make(frame.Bits, p.Len()/64+1), uint32(len(c.names)-1)
	p.HitsAhead()
	hits, visitors := p.hits(), p.Visitors()
	for row := range uint32(p.Len()) {
		bits := uint16(0)
		for _, hit := range hits.all[hits.lo[row]:hits.hi[row]] {
			bits |= c.names[min(frame.HitName(hit), last)]
		}
		if bits == 0 || !p.has(row) {
			continue
		}
		rows[row>>6] |= 1 << (row & 63)
		if _, qualifies := c.qualifying(ref{part, row}); bits&1 == 1 && qualifies {
			c.markVisitor(visitors[row])
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
