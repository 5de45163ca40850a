package report

import "github.com/svc-dev/svc/analytics/frame"

// seenNames counts hits by the group of their name, and in how many sessions and from how many visitors they are. It
// reads sessions as they lie in files: those of some visitors in one part after the other, while a bit says of each
// visitor and group whether they met. Nothing has to be put into the order of visitors, and no hit costs a branch.
type seenNames struct {
	names *numberedNames
	cells []seenCell // by number
	seen  []uint64   // by visitor of those that are read now, then by number

	session uint32 // how many were read
	at      []frame.TrailCursor
	numbers []uint32 // of the hits that are counted now
}

// seenCell is a group while it is counted. A shard has fewer than 2³² hits of one.
type seenCell struct{ session, sessions, visitors, hits uint32 }

// numberedNames gives the groups of names that occur numbers without gaps, the lower the more hits have them, roughly:
// what is needed of most hits fits the cache of a processor.
type numberedNames struct {
	groups []uint32       // by number
	number []uint32       // by name; the last is of ids past the view's
	trails []frame.Trails // by part, whose names are numbers
}

// numberNames numbers groups, and those past the last as one, of which there must be no more than most.
func (t *trails) numberNames(slot []uint32, last uint32, most int) (n *numberedNames, ok bool) {
	n = &numberedNames{number: make([]uint32, len(slot)), trails: make([]frame.Trails, len(t.parts))}
	end, known := uint32(len(slot)-1), make([]uint32, last+1) // by group, its number + 1
	add := func(name uint32) {
		name = min(name, end)
		group := min(slot[name], last)
		if known[group] == 0 {
			n.groups = append(n.groups, group)
			known[group] = uint32(len(n.groups))
		}
		n.number[name] = known[group] - 1
	}
	for i := range t.parts {
		for _, name := range t.parts[i].Names() {
			add(name)
		}
	}
	for name := uint32(0); name <= end && len(n.groups) <= most; name++ {
		add(name)
	}
	if len(n.groups) > most {
		return nil, false
	}
	for i := range t.parts {
		if t.parts[i].Known() {
			n.trails[i] = t.parts[i].Renamed(func(name uint32) uint32 { return n.number[min(name, end)] })
		}
	}
	return n, true
}

// words is how many a visitor's bits take.
func (n *numberedNames) words() int { return (len(n.groups) + 63) / 64 }

// seenBy returns the groups of names, with one for all past the last, where they are to be counted so; else nil.
func (t *trails) seenBy(s *Selection, slot []uint32, last int) []*numberedNames {
	if !t.suits(s) {
		return nil
	}
	names, ok := t.numberNames(slot, uint32(last), s.engine.tuning.SeenGroups)
	if !ok {
		return nil
	}
	return []*numberedNames{names}
}

// suits tells whether most sessions are in files, of a selection that has no filter, and nobody asks when hits were.
func (t *trails) suits(s *Selection) bool {
	if t.cal != nil || s.picked != nil {
		return false
	}
	told := 0
	for i := range t.parts {
		if t.parts[i].Known() {
			told += s.window.parts[i].Len()
		}
	}
	return 2*told > s.window.rows
}

// countSeen counts the hits of a shard, each time by other groups, and calls rest with the sessions that no trail tells
// of, a block at a time, for what depends on times.
func (s *Selection) countSeen(
	shard int, t *trails, by []*numberedNames, rest func(spans []sessionHits),
) []*seenNames {
	words, counters := 0, make([]*seenNames, len(by))
	for i, names := range by {
		words += names.words()
		counters[i] = &seenNames{
			names: names, cells: make([]seenCell, len(names.groups)), at: make([]frame.TrailCursor, len(t.parts)),
		}
	}
	band := uint32(max(1, s.engine.tuning.SeenBytes/8/words))
	for _, c := range counters {
		c.seen = make([]uint64, int(band)*c.names.words())
	}
	spans, sweep := make([]sessionHits, 0, blockSize), s.window.sweep()
	countBand := func(from, to uint32) {
		flush := func() {
			for _, c := range counters {
				c.countHits(spans, from)
			}
			rest(spans)
			spans = spans[:0]
		}
		sweep.runs(from, to, func(part int, row, end uint32) {
			p := &s.window.parts[part]
			if t.parts[part].Known() {
				for _, c := range counters {
					c.countTrails(part, p.Visitors()[row:end], from, row)
				}
				return
			}
			for ; row < end; row++ {
				if !p.has(row) {
					continue
				}
				lo, hi := p.bounds(row)
				spans = append(spans, sessionHits{
					hits: p.Hits()[lo:p.Offsets()[row+1]], inRange: int(hi - lo), visitor: p.Visitors()[row] + 1,
				})
				if len(spans) == blockSize {
					flush()
				}
			}
		})
		flush()
		for _, c := range counters {
			clear(c.seen)
		}
	}
	s.window.readVisitors().spans(shard, func(from, to uint32) {
		for ; from < to; from += min(band, to-from) {
			countBand(from, from+min(band, to-from))
		}
	})
	return counters
}

// countTrails counts the hits of the sessions that begin at a row, of visitors from the first of those that are read.
func (c *seenNames) countTrails(part int, visitors []uint32, from, row uint32) {
	trails, words := &c.names.trails[part], c.names.words()
	numbers := trails.AppendAll(c.numbers[:0], &c.at[part], row, row+uint32(len(visitors)))
	c.numbers = numbers
	for _, visitor := range visitors {
		lo, hi := trails.Bounds(row)
		n := hi - lo
		c.countOne(numbers[:n], c.seen[int(visitor-from)*words:][:words])
		numbers = numbers[n:]
		row++
	}
}

// countHits counts the hits of sessions.
func (c *seenNames) countHits(spans []sessionHits, from uint32) {
	last, words := uint32(len(c.names.number)-1), c.names.words()
	for j := range spans {
		sp := &spans[j]
		c.numbers = c.numbers[:0]
		for _, hit := range sp.hits[:sp.inRange] {
			c.numbers = append(c.numbers, c.names.number[min(frame.HitName(hit), last)])
		}
		c.countOne(c.numbers, c.seen[int(sp.visitor-1-from)*words:][:words])
	}
}

// countOne counts the hits of a session. There is no branch, because whether one is the first of its group can't be
// predicted.
func (c *seenNames) countOne(numbers []uint32, seen []uint64) {
	c.session++
	session, cells := c.session, c.cells
	for _, number := range numbers {
		cell, word, bit := &cells[number], &seen[number>>6], number&63
		isNew := uint32(0)
		if cell.session != session {
			isNew = 1
		}
		cell.session = session
		cell.sessions += isNew
		cell.visitors += uint32(^*word>>bit) & 1
		cell.hits++
		*word |= 1 << bit
	}
}

// each calls visit with what was counted of groups before the one that is past the last.
func (c *seenNames) each(last uint32, visit func(group uint32, distinct uint64, hits uint32)) {
	for number, cell := range c.cells {
		if group := c.names.groups[number]; group < last {
			visit(group, uint64(cell.visitors)<<32|uint64(cell.sessions), cell.hits)
		}
	}
}

// addSeenViews adds the sessions, visitors and views of pages.
func addSeenViews(c *seenNames, last uint32, cells []viewCell) {
	c.each(last, func(group uint32, distinct uint64, hits uint32) {
		cells[group].distinct += distinct
		cells[group].views += uint64(hits) << 32
	})
}

// addSeenNames adds the sessions, visitors and hits of names.
func addSeenNames(c *seenNames, last uint32, cells []hitCell) {
	c.each(last, func(group uint32, distinct uint64, hits uint32) {
		cells[group].distinct += distinct
		cells[group].hits += int64(hits)
	})
}
