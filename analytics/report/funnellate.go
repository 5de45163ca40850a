package report

import (
	"slices"

	"github.com/svc-dev/svc/analytics/frame"
)

// funnelLate is what a funnel still has to read of the hits of parts that trails tell of: when the steps of attempts
// were, and the hits of units of which trails do not tell enough. It is read part by part, in the order of each:
// visitor by visitor it would be read all over the files.
type funnelLate struct {
	steps  []uint64 // of one attempt after the other: the part << 32 | the place among its hits; then their times
	levels []uint8  // of attempts: how many of steps are theirs

	units    []lateUnit
	sessions []ref    // of the units
	ends     []uint32 // by session: where its hits end among hits
	hits     []int64

	stepsOf, sessionsOf byPart
}

// lateUnit is a visitor, or a session of theirs: so many of the sessions from the first on, and so many others.
type lateUnit struct{ visitor, first, sessions, others, otherCount uint32 }

// addSteps takes the hits of an attempt along trails.
func (l *funnelLate) addSteps(a *funnelAttempt) {
	for _, i := range a.hits[:a.level] {
		h := &a.unit.hits[i]
		l.steps = append(l.steps, uint64(a.unit.sessions[h.from].part)<<32|uint64(h.pos))
	}
	l.levels = append(l.levels, uint8(a.level))
}

// addUnit takes a unit of the visitor whose hits are to be read.
func (f *funnelShard) addUnit(sessions []ref, others []funnelOther) {
	l := &f.late
	unit := lateUnit{visitor: f.attempt.visitor, first: uint32(len(l.sessions)), sessions: uint32(len(sessions))}
	if unit.otherCount = uint32(len(others)); unit.otherCount > 0 {
		unit.others = uint32(cap(f.others) - cap(others)) // they are a part of these
	}
	l.units, l.sessions = append(l.units, unit), append(l.sessions, sessions...)
	end := uint32(l.hitCount())
	for _, r := range sessions {
		lo, hi := f.boundsOf(r)
		end += hi - lo
		l.ends = append(l.ends, end)
	}
}

// hitCount returns how many hits the units have.
func (l *funnelLate) hitCount() int {
	if len(l.ends) == 0 {
		return 0
	}
	return int(l.ends[len(l.ends)-1])
}

// hitsOf returns the hits of one of the sessions, once they were read.
func (l *funnelLate) hitsOf(session int) []int64 {
	from := uint32(0)
	if session > 0 {
		from = l.ends[session-1]
	}
	return l.hits[from:l.ends[session]]
}

// order makes what waits ready to be read part by part.
func (l *funnelLate) order(parts int) {
	count := l.hitCount()
	l.hits = slices.Grow(l.hits[:0], count)[:count]
	l.stepsOf = orderByPart(parts, len(l.steps), func(i int) uint32 { return uint32(l.steps[i] >> 32) })
	l.sessionsOf = orderByPart(parts, len(l.sessions), func(i int) uint32 { return l.sessions[i].part })
}

// readPart reads what waits of a part.
func (f *funnelShard) readPart(part int) {
	l, parts := &f.late, f.wide.window.parts
	steps, sessions := l.stepsOf.of(part), l.sessionsOf.of(part)
	if len(steps)+len(sessions) == 0 {
		return
	}
	for _, soon := range parts[part:min(part+len(f.wide.window.shards)+1, len(parts))] {
		soon.HitsAhead()
	}
	hits := parts[part].Hits()
	for _, i := range steps {
		l.steps[i] = uint64(frame.HitTime(hits[uint32(l.steps[i])]))
	}
	for _, i := range sessions {
		lo, hi := f.boundsOf(l.sessions[i])
		copy(l.hitsOf(int(i)), hits[lo:hi])
	}
	parts[part].HitsBehind()
}

// clear forgets everything.
func (l *funnelLate) clear() {
	l.steps, l.levels = l.steps[:0], l.levels[:0]
	l.units, l.sessions, l.ends = l.units[:0], l.sessions[:0], l.ends[:0]
}

// byPart is indexes in the order of their parts: those of a part are all[begin[part]:begin[part+1]].
type byPart struct {
	begin []int
	all   []uint32
}

func (b *byPart) of(part int) []uint32 { return b.all[b.begin[part]:b.begin[part+1]] }

// orderByPart orders n indexes by the part of each.
func orderByPart(parts, n int, of func(i int) uint32) byPart {
	b := byPart{make([]int, parts+2), make([]uint32, n)}
	for i := range n {
		b.begin[of(i)+2]++
	}
	for i := 2; i < len(b.begin); i++ {
		b.begin[i] += b.begin[i-1]
	}
	for i := range n {
		to := &b.begin[of(i)+1]
		b.all[*to] = uint32(i)
		*to++
	}
	return b
}
