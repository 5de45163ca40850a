package report

import (
	"math"
	"slices"

	"github.com/svc-dev/svc/analytics/channel"
	"github.com/svc-dev/svc/analytics/frame"
)

// partColumns is the columns of a part that counting reads, next to each other: a row costs one step
// from the part to its values.
type partColumns struct {
	visitor   []uint32
	codes     [][]uint32 // by grouping
	channel   []uint32
	allTotals []uint32 // of whole sessions
	totals    []uint32 // in range
	millis    []uint32
	starts    frame.Starts // only for counting by bucket
	usual     uint32       // the bucket that most sessions begin in, as well
	part      *windowPart
}

// readTotals begins to read what counting by groups needs, and by bucket when cal is not nil. What few reports need
// leaves memory first: the groups, and when sessions begin.
func (s *Selection) readTotals(groupings []grouping, cal *calendar) (*reading, []partColumns) {
	var once []frame.Column
	for _, g := range groupings {
		once = append(once, g.columns()...)
	}
	if cal != nil {
		once = append(once, frame.Begin)
	}
	slices.Sort(once)
	once = slices.Compact(once)
	columns := make([]partColumns, len(s.window.parts))
	open := func(i int, p *windowPart) { columns[i] = p.totalsOf(groupings, cal) }
	return s.window.read(slices.Concat(once, []frame.Column{frame.Totals, frame.Length}), once, open), columns
}

// totalsOf returns what of a part is counted.
func (p *windowPart) totalsOf(groupings []grouping, cal *calendar) partColumns {
	c := partColumns{
		visitor: p.Visitors(), allTotals: p.Column(frame.Totals), totals: p.totalsIn(),
		millis: p.Column(frame.Length), part: p,
	}
	for _, g := range groupings {
		codes := c.visitor // not read when everything is one group
		if g.column != frame.Columns {
			codes = p.Column(g.column)
		}
		c.codes = append(c.codes, codes)
		if g.listed {
			c.channel = p.Column(frame.Channel)
		}
	}
	if cal != nil && !p.clipped {
		c.starts, c.usual = p.Begins(), p.usualBucket(cal)
	}
	return c
}

// usualBucket returns the bucket that most sessions of a part whose hits are all in range begin in.
func (p *windowPart) usualBucket(cal *calendar) uint32 {
	const halfADay = 12 * 60 * minuteMillis
	return cal.of(min(p.MinHit+halfADay, p.MaxHit))
}

// readTimes begins to read when sessions are, and by bucket of which they may have hits in.
func (s *Selection) readTimes(cal *calendar) (*reading, []partColumns) {
	columns := make([]partColumns, len(s.window.parts))
	times, once := []frame.Column{frame.Begin, frame.Length}, []frame.Column{frame.Begin}
	return s.window.read(times, once, func(i int, p *windowPart) {
		c := &columns[i]
		c.visitor, c.millis, c.part = p.Visitors(), p.Column(frame.Length), p
		if !p.clipped {
			c.starts, c.usual = p.Begins(), p.usualBucket(cal)
		}
	}), columns
}

// eachPart calls f with the parts of the window.
func (s *Selection) eachPart(f func(i int, p *windowPart)) { s.window.eachPart(f) }

// from returns when a session begins, or the range where that is later.
func (l *partColumns) from(row uint32) int64 {
	if l.part.clipped {
		return l.part.from(row)
	}
	return l.starts.At(row)
}

// bucketOf returns the bucket of the time at which a session begins.
func (l *partColumns) bucketOf(cal *calendar, from int64) uint32 {
	if from >= cal.bounds[l.usual] && from < cal.bounds[l.usual+1] {
		return l.usual
	}
	return cal.of(from)
}

// bounced returns 1 for a session with at most one view and no custom event.
func (l *partColumns) bounced(row uint32) uint64 { return bounced(l.allTotals[row]) }

// bounced returns 1 for the totals of such a session.
func bounced(totals uint32) uint64 {
	bounce := uint64(0)
	if totals&^(1<<frame.ViewsShift) == 0 {
		bounce = 1
	}
	return bounce
}

// blockSize is how many sessions are read ahead of being counted. Sessions ordered by visitor are
// scattered over the days' columns, more streams than a processor prefetches; reading a block of
// them first, without a branch between the reads, lets the misses overlap.
const blockSize = 128

// block is what counting needs of some sessions. The words are what each adds to a sessionCell.
type block struct {
	visitor  [blockSize]uint32
	distinct [blockSize]uint64 // 1 << 32 | whether the visitor is new
	sessions [blockSize]uint64 // 1 << 32 | whether the session bounced
	hits     [blockSize]uint64 // views << 32 | events
	millis   [blockSize]int64
	start    [blockSize]int64 // begin in range, only with a calendar
	groups   [maxGroupings][blockSize]uint32
}

// maxGroupings is how many groupings one pass may count: those of the overview.
const maxGroupings = 10

// read fills the block from up to blockSize sessions.
func (b *block) read(order []ref, columns []partColumns, groupings []grouping) {
	for j, r := range order {
		l, row := &columns[r.part], r.row
		b.visitor[j] = l.visitor[row]
		b.sessions[j] = 1<<32 | l.bounced(row)
		totals := l.totals[row]
		b.hits[j] = uint64(frame.ViewsOf(totals))<<32 | uint64(frame.EventsOf(totals))
		b.millis[j] = int64(l.millis[row])
	}
	for j, r := range order {
		if b.millis[j] == frame.LongSession {
			b.millis[j] = columns[r.part].part.Duration(r.row)
		}
	}
	for k := range groupings {
		g, groups := &groupings[k], &b.groups[k]
		switch {
		case g.column == frame.Columns:
			clear(groups[:len(order)])
		case g.mapping == nil:
			for j, r := range order {
				groups[j] = columns[r.part].codes[k][r.row]
			}
		default:
			for j, r := range order {
				groups[j] = g.mapping[columns[r.part].codes[k][r.row]]
			}
		}
		if g.listed {
			for j, r := range order {
				if columns[r.part].channel[r.row] == uint32(channel.LeftOut) {
					groups[j] = skip
				}
			}
		}
	}
}

// count fills cells, one a group, from sessions ordered by visitor.
func (s *Selection) count(order []ref, columns []partColumns, groupings []grouping, cells [][]sessionCell) {
	b, latest := new(block), latestVisitor{ordinal: skip}
	for len(order) > 0 {
		n := min(blockSize, len(order))
		b.read(order[:n], columns, groupings)
		order = order[n:]
		s.markNew(b, n, &latest)
		for k := range groupings {
			b.count(b.groups[k][:n], cells[k])
		}
	}
}

// latestVisitor is the visitor whose first touch was looked up last, and the word that they add to
// the distinct visitors of a cell.
type latestVisitor struct {
	ordinal uint32
	word    uint64
}

// markNew marks who of the first n sessions' visitors is new in the range.
func (s *Selection) markNew(b *block, n int, latest *latestVisitor) {
	for j, visitor := range b.visitor[:n] {
		if visitor != latest.ordinal {
			if latest.ordinal>>frame.SeenShift != visitor>>frame.SeenShift {
				s.view.SeenAhead(visitor)
			}
			*latest = latestVisitor{visitor, 1 << 32}
			if s.inRange(s.view.FirstSeen(visitor)) {
				latest.word |= 1
			}
		}
		b.distinct[j] = latest.word
	}
}

// count counts sessions in the cells of their groups.
func (b *block) count(groups []uint32, cells []sessionCell) {
	for j, group := range groups {
		if group != skip {
			b.countOne(j, &cells[group])
		}
	}
}

// countOne counts the j-th session in a cell. There is no branch, because whether a visitor is new to
// a group can't be predicted.
func (b *block) countOne(j int, c *sessionCell) {
	visitor, first := uint64(b.visitor[j])+1, uint64(0)
	if c.last != visitor {
		first = math.MaxUint64
	}
	c.last = visitor
	c.distinct += b.distinct[j] & first
	c.sessions += b.sessions[j]
	c.hits += b.hits[j]
	c.millis += b.millis[j]
}

// countByBucket counts sessions by group over the range, and by group and bucket. A session counts in
// every bucket it has a hit in; its views and events count where they happened. A visitor of a group who
// is new in the range is new in the bucket of their first touch, whenever their sessions in the group are
// (analytics.md §2, newVisitors).
func (s *Selection) countByBucket(
	order []ref, columns []partColumns, g grouping, cal *calendar, whole, cells []sessionCell,
) {
	buckets := uint32(cal.len())
	b, latest, spread := new(block), latestVisitor{ordinal: skip}, make([]bucketHits, 0, usualBuckets)
	for len(order) > 0 {
		n := min(blockSize, len(order))
		refs := order[:n]
		order = order[n:]
		b.read(refs, columns, []grouping{g})
		for j, r := range refs {
			b.start[j] = columns[r.part].from(r.row)
		}
		s.markNew(b, n, &latest)
		for j, r := range refs {
			group := b.groups[0][j]
			if group == skip {
				continue
			}
			if b.distinct[j]&1 == 1 && whole[group].last != uint64(b.visitor[j])+1 {
				cells[group*buckets+cal.of(s.view.FirstSeen(b.visitor[j]))].distinct++
			}
			b.countOne(j, &whole[group])
			bucket := columns[r.part].bucketOf(cal, b.start[j])
			b.distinct[j] = 1 << 32
			// The session's end is no earlier than its last hit in the range.
			if b.start[j]+b.millis[j] < cal.bounds[bucket+1] {
				b.countOne(j, &cells[group*buckets+bucket])
				continue
			}
			spread = columns[r.part].part.spread(spread[:0], s.view, r.row, cal, s.window.end)
			for _, hits := range spread {
				b.hits[j] = uint64(hits.views)<<32 | uint64(hits.events)
				b.countOne(j, &cells[group*buckets+hits.bucket])
			}
		}
	}
}
