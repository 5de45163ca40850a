package report

import (
	"math/bits"

	"github.com/svc-dev/svc/analytics/channel"
	"github.com/svc-dev/svc/analytics/frame"
)

// mostSeenGroups bounds the groups and their buckets by which sessions are counted as they lie: so many bits have to be
// looked through for each visitor.
const mostSeenGroups = 1 << 10

// seenGroups counts sessions by group and bucket as they lie in files: those of some visitors in one part after the
// other. What adds up needs no order, and bits say of each visitor which groups they met, and in which buckets.
type seenGroups struct {
	*Selection
	grouping
	cal    *calendar
	whole  []sessionCell // by group
	points []sessionCell // by group and bucket

	seen  []uint64 // by visitor: of groups, then of groups and buckets
	words int      // of a visitor
	first uint32   // of those that are read now
	times seenTimes
	room  []bucketHits
}

// countsSeen tells whether sessions are to be counted so: where no order of them is at hand.
func (s *Selection) countsSeen(g grouping, cal *calendar) bool {
	return g.seenBits(cal) <= min(mostSeenGroups, s.engine.tuning.SeenGroups) &&
		!s.window.kept && (s.picked == nil || s.picked.shards == nil)
}

// seenBits is how many say of a visitor what they met.
func (g *grouping) seenBits(cal *calendar) int { return g.size * (1 + cal.len()) }

// countSeenGroups counts the qualifying sessions of a shard by group over the range, and by group and bucket.
func (s *Selection) countSeenGroups(
	shard int, r *reading, columns []partColumns, g grouping, cal *calendar, whole, points []sessionCell,
) {
	c := &seenGroups{
		Selection: s, grouping: g, cal: cal, whole: whole, points: points,
		words: (g.seenBits(cal) + 63) / 64, times: s.seenTimes(), room: make([]bucketHits, 0, usualBuckets),
	}
	band, sweep := uint32(max(1, s.engine.tuning.SeenBytes/8/max(1, c.words))), s.window.sweep()
	c.seen = make([]uint64, int(band)*c.words)
	r.spans(shard, func(from, to uint32) {
		for ; from < to; from += min(band, to-from) {
			c.first = from
			anybody := false
			sweep.runs(from, from+min(band, to-from), func(part int, row, end uint32) {
				c.countRows(&columns[part], row, end, s.passing(part))
				anybody = true
			})
			if anybody { // most of the visitors of a view never came in a range of some days
				c.endBand()
			}
		}
	})
}

// countRows counts the sessions [row, end) of a part, or those of them that pass.
func (c *seenGroups) countRows(l *partColumns, row, end uint32, passes func(row uint32) bool) {
	grouped, mapping, listed := c.column != frame.Columns, c.mapping, c.listed
	codes, visitors, all := l.codes[0][:end], l.visitor[:end], l.allTotals[:end]
	inRange, lengths, whole, words, first := l.totals[:end], l.millis[:end], c.whole, c.words, c.first
	for ; row < end; row++ {
		if passes != nil && !passes(row) || listed && l.channel[row] == uint32(channel.LeftOut) {
			continue
		}
		group := uint32(0)
		if grouped {
			if group = codes[row]; mapping != nil {
				group = mapping[group]
			}
			if group == skip {
				continue
			}
		}
		sessions, totals, millis := 1<<32|bounced(all[row]), inRange[row], int64(lengths[row])
		if millis == frame.LongSession {
			millis = l.part.Duration(row)
		}
		hits := uint64(frame.ViewsOf(totals))<<32 | uint64(frame.EventsOf(totals))
		seen := c.seen[int(visitors[row]-first)*words:][:words]
		whole[group].add(sessions, hits, millis)
		seen[group>>6] |= 1 << (group & 63)
		c.countPoints(l, row, group, sessions, hits, millis, seen)
	}
}

// countPoints counts a session in the buckets that it has hits in, as countByBucket does.
func (c *seenGroups) countPoints(
	l *partColumns, row, group uint32, sessions, hits uint64, millis int64, seen []uint64,
) {
	buckets, size := uint32(c.cal.len()), uint32(c.size)
	count := func(bucket uint32, hits uint64) {
		at := group*buckets + bucket
		c.points[at].add(sessions, hits, millis)
		seen[(size+at)>>6] |= 1 << ((size + at) & 63)
	}
	from := l.from(row)
	bucket := l.bucketOf(c.cal, from)
	if from+millis < c.cal.bounds[bucket+1] {
		count(bucket, hits)
		return
	}
	c.room = l.part.spread(c.room[:0], c.view, row, c.cal, c.window.end)
	for _, in := range c.room {
		count(in.bucket, uint64(in.views)<<32|uint64(in.events))
	}
}

// endBand counts the visitors of the groups that they met, and forgets those.
func (c *seenGroups) endBand() {
	visitor := c.first - 1
	for all := c.seen; len(all) > 0; all = all[c.words:] {
		visitor++
		asked, seen := false, int64(0)
		for i, word := range all[:c.words] {
			if word == 0 {
				continue
			}
			all[i] = 0
			for ; word != 0; word &= word - 1 {
				number := uint32(i*64 + bits.TrailingZeros64(word))
				if number >= uint32(c.size) {
					c.points[number-uint32(c.size)].distinct += 1 << 32
					continue
				}
				if !asked {
					seen, asked = c.times.of(visitor), true
				}
				c.whole[number].distinct += 1 << 32
				if c.inRange(seen) {
					c.whole[number].distinct++
					c.points[number*uint32(c.cal.len())+c.cal.of(seen)].distinct++
				}
			}
		}
	}
}

// add counts a session, or its part of a bucket, and not its visitor.
func (c *sessionCell) add(sessions, hits uint64, millis int64) {
	c.sessions += sessions
	c.hits += hits
	c.millis += millis
}
