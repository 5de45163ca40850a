package report

import (
	"bytes"
	"cmp"
	"math"
	"slices"
	"sort"

	"github.com/svc-dev/svc/analytics/frame"
)

// funnelUnit is the hits of a visitor that matter to a funnel, or of one session of theirs, in their order.
type funnelUnit struct {
	sessions []ref // of the wide window
	hits     []funnelHit

	// Hits of the sessions that were read before, those of the first session and on; nil reads them where they lie.
	late  *funnelLate
	first int

	// Along trails the order of hits is known and their times are not: each is said to be at the start of its session,
	// and is later by at most slack.
	along  bool
	slack  int64
	starts []int64             // by session
	places []frame.TrailCursor // by session: where its trail begins
	met    []frame.Met         // of the latest session
	names  []uint32            // as well
}

// gather puts the hits of sessions in their order into unit. Of others at one moment that is the order of their steps.
func (c *funnelCount) gather(unit *funnelUnit, sessions []ref, others []funnelOther) {
	unit.sessions, unit.hits, unit.along, unit.slack = sessions, unit.hits[:0], false, 0
	sorted, latest := len(others) == 0, int64(math.MinInt64)
	for from, r := range sessions {
		if !c.matters(r) {
			continue
		}
		first := len(unit.hits)
		c.gatherHits(unit, from)
		if first == len(unit.hits) {
			continue
		}
		sorted = sorted && unit.hits[first].at > latest
		latest = unit.hits[len(unit.hits)-1].at
	}
	for _, o := range others {
		from := sort.Search(len(sessions), func(i int) bool { return c.wide.window.startOf(sessions[i]) > o.at })
		unit.hits = append(unit.hits, funnelHit{o.at, o.bits, uint32(max(from-1, 0)), outside})
	}
	if !sorted {
		slices.SortFunc(unit.hits, func(a, b funnelHit) int { return c.compare(unit, &a, &b) })
	}
}

// gatherHits appends the hits of a session of the unit.
func (c *funnelCount) gatherHits(unit *funnelUnit, session int) {
	hits, lo := c.hitsOf(unit, session)
	last := uint32(len(c.names) - 1)
	for i, hit := range hits { // in their order already
		if bits := c.names[min(frame.HitName(hit), last)]; bits != 0 {
			unit.hits = append(unit.hits, funnelHit{frame.HitTime(hit), bits, uint32(session), lo + uint32(i)})
		}
	}
}

// hitsOf returns the hits of a session of the unit in range, and the place of the first among those of its part.
func (c *funnelCount) hitsOf(unit *funnelUnit, session int) (hits []int64, lo uint32) {
	if unit.late != nil {
		return unit.late.hitsOf(unit.first + session), unit.late.places[unit.first+session]
	}
	r := unit.sessions[session]
	lo, hi := c.boundsOf(r)
	return c.wide.window.parts[r.part].Hits()[lo:hi], lo
}

// boundsOf returns where the hits of a session in range are among those of its part.
func (c *funnelCount) boundsOf(r ref) (lo, hi uint32) {
	if c.isTold[r.part] {
		return c.told[r.part].Bounds(r.row)
	}
	return c.wide.window.parts[r.part].bounds(r.row)
}

// gatherAlong does what gather does without reading the hits of sessions that trails tell of. It is no use, and returns
// false, where a session begins before the one before has ended, since their hits may be mixed then.
func (c *funnelCount) gatherAlong(unit *funnelUnit, cursors []frame.TrailCursor, sessions []ref) bool {
	unit.sessions, unit.hits, unit.along, unit.slack = sessions, unit.hits[:0], false, 0
	unit.starts, unit.places = unit.starts[:0], unit.places[:0]
	latest := int64(math.MinInt64)
	for from, r := range sessions {
		p, told := &c.wide.window.parts[r.part], &c.told[r.part]
		start, end := int64(0), int64(0)
		if c.isTold[r.part] {
			start = told.starts.At(r.row)
			end = start + int64(told.lengths[r.row])
		} else {
			start, end = p.Start(r.row), p.End(r.row)
		}
		if start <= latest {
			return false
		}
		latest = end
		unit.starts, unit.places = append(unit.starts, start), append(unit.places, frame.TrailCursor{})
		switch {
		case c.isTold[r.part]:
			unit.along, unit.slack = true, max(unit.slack, end-start)
			c.follow(unit, &cursors[r.part], from, start)
		case c.matters(r):
			c.gatherHits(unit, from)
		}
	}
	return true
}

// follow appends the hits of a session along its trail, as if they were at its start.
func (c *funnelCount) follow(unit *funnelUnit, cursor *frame.TrailCursor, session int, start int64) {
	r, told := unit.sessions[session], &c.told[unit.sessions[session].part]
	told.Seek(cursor, r.row)
	unit.places[session] = *cursor
	unit.met = told.AppendMet(unit.met[:0], cursor, r.row, told.meanings)
	lo, _ := told.Bounds(r.row)
	for _, m := range unit.met {
		if m.Meaning&1 == 1 || len(unit.hits) > 0 { // before step 1 nothing matters
			unit.hits = append(unit.hits, funnelHit{start, m.Meaning, uint32(session), lo + m.Place})
		}
	}
}

// namesOf returns the names of the hits of a session that trails tell of, valid until the next call.
func (c *funnelCount) namesOf(unit *funnelUnit, session int) []uint32 {
	r, cursor := unit.sessions[session], unit.places[session]
	unit.names = c.told[r.part].Append(unit.names[:0], &cursor, r.row)
	return unit.names
}

// compare orders hits by time; at one moment by session and place in it, and runs and charges last.
func (c *funnelCount) compare(unit *funnelUnit, a, b *funnelHit) int {
	switch {
	case a.at != b.at:
		return cmp.Compare(a.at, b.at)
	case a.pos == outside && b.pos == outside:
		return cmp.Compare(a.bits, b.bits)
	case a.pos == outside || b.pos == outside || a.from == b.from:
		return cmp.Compare(a.pos, b.pos)
	}
	return c.compareKeys(unit.sessions[a.from], unit.sessions[b.from])
}

func (c *funnelCount) compareKeys(a, b ref) int {
	x, y := &c.wide.window.parts[a.part].Keys()[a.row], &c.wide.window.parts[b.part].Keys()[b.row]
	return bytes.Compare(x[:], y[:])
}
