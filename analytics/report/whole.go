package report

import (
	"math/bits"
	"sync"

	"github.com/svc-dev/svc/analytics/frame"
)

// countWhole counts the qualifying sessions in one cell, where their order is not kept. What adds up is added part by
// part while the columns come from the disk, and visitors, who do not, are marked at the same time.
func (s *Selection) countWhole() cell {
	var sums, who cell
	frame.Parallel(2, func(i int) {
		if i == 0 {
			sums = s.sumSessions()
		} else {
			who = s.countVisitors()
		}
	})
	sums.visitors, sums.newVisitors = who.visitors, who.newVisitors
	return sums
}

// passing returns what tells whether a row of a part is a qualifying session; nil where all are.
func (s *Selection) passing(part int) func(row uint32) bool {
	switch p := &s.window.parts[part]; {
	case s.picked != nil:
		return s.picked.rows[part].Has
	case !p.whole():
		return p.has
	}
	return nil
}

// sumSessions returns a cell without its visitors.
func (s *Selection) sumSessions() cell {
	total := make([]cell, 1)
	var mu sync.Mutex
	s.eachPart(func(i int, p *windowPart) {
		p.Ahead(frame.Totals, frame.Length)
		passes, c := s.passing(i), cell{}
		of, lengths := partColumns{allTotals: p.Column(frame.Totals)}, p.Column(frame.Length)
		for row, totals := range p.totalsIn() {
			if passes != nil && !passes(uint32(row)) {
				continue
			}
			c.sessions++
			c.bounces += uint32(of.bounced(uint32(row)))
			c.views += int64(frame.ViewsOf(totals))
			c.events += int64(frame.EventsOf(totals))
			if millis := lengths[row]; millis != frame.LongSession {
				c.millis += int64(millis)
			} else {
				c.millis += p.Duration(uint32(row))
			}
		}
		mu.Lock()
		defer mu.Unlock()
		addCells(total, []cell{c})
	})
	return total[0]
}

// countVisitors returns a cell of visitors alone.
func (s *Selection) countVisitors() cell {
	results, visitors := make([]cell, s.workers()), s.window.readVisitors()
	frame.Parallel(len(results), func(i int) {
		sweep, times := s.window.sweep(), s.seenTimes()
		seen := make([]uint64, (s.window.span()+63)/64)
		visitors.spans(i, func(from, to uint32) {
			clear(seen)
			sweep.mark(seen, from, to, s.passing)
			for at, word := range seen {
				results[i].visitors += uint32(bits.OnesCount64(word))
				for ; word != 0; word &= word - 1 {
					if s.inRange(times.of(from + uint32(at*64+bits.TrailingZeros64(word)))) {
						results[i].newVisitors++
					}
				}
			}
		})
	})
	var total cell
	for _, c := range results {
		total.visitors += c.visitors
		total.newVisitors += c.newVisitors
	}
	return total
}
