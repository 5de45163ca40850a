package report

import (
	"slices"

	"github.com/svc-dev/svc/analytics/frame"
)

// funnelLate is what a funnel still has to read of the hits of parts that trails tell of, of some visitors in a row:
// when the steps of attempts were, and the hits of units of which trails do not tell enough. It is read part by part,
// in the order of each: visitor by visitor it would be read all over the files. What is of visitors in a row is in a
// row in each part, so that the hits of a year are read once, however few of them memory has room for.
type funnelLate struct {
	from, to uint32 // the visitors

	steps  []uint64 // of one attempt after the other: the part << 32 | the place among its hits; then their times
	levels []uint8  // of attempts: how many of steps are theirs

	units    []lateUnit
	sessions []ref    // of the units
	places   []uint32 // by session: the place of the first of its hits among those of its part
	ends     []uint32 // by session: where its hits end among hits
	hits     []int64
}

// lateUnit is a visitor, or a session of theirs: so many of the sessions from the first on, and so many others.
type lateUnit struct{ visitor, first, sessions, others, otherCount uint32 }

// lateReader has the room that each reading takes.
type lateReader struct {
	hits            []int64
	steps, sessions byPart
}

// following returns an empty one for the visitors from one on, which has room for about as much.
func (l *funnelLate) following(visitor uint32) *funnelLate {
	room := func(n int) int { return n + n/8 }
	return &funnelLate{
		from: visitor, steps: make([]uint64, 0, room(len(l.steps))), levels: make([]uint8, 0, room(len(l.levels))),
		units: make([]lateUnit, 0, room(len(l.units))), sessions: make([]ref, 0, room(len(l.sessions))),
		places: make([]uint32, 0, room(len(l.places))), ends: make([]uint32, 0, room(len(l.ends))),
	}
}

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
	l := f.late
	unit := lateUnit{visitor: f.attempt.visitor, first: uint32(len(l.sessions)), sessions: uint32(len(sessions))}
	if unit.otherCount = uint32(len(others)); unit.otherCount > 0 {
		unit.others = uint32(cap(f.others) - cap(others)) // they are a part of these
	}
	l.units, l.sessions = append(l.units, unit), append(l.sessions, sessions...)
	end := uint32(l.hitCount())
	for _, r := range sessions {
		lo, hi := f.boundsOf(r)
		end += hi - lo
		l.places, l.ends = append(l.places, lo), append(l.ends, end)
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

// waitIfFull lets what is to be read wait, when it is as much as is read at once, and reads all that waits when that is
// much.
func (f *funnelShard) waitIfFull() {
	l, tuning, shards := f.late, &f.s.engine.tuning, len(f.wide.window.shards)
	if len(l.steps)+l.hitCount() < tuning.FunnelHits/shards {
		return
	}
	visitor := f.attempt.visitor
	f.wait(visitor + 1)
	if f.waits >= tuning.FunnelWaits/shards {
		f.readLate()
		f.attempt.visitor = visitor
	}
}

// wait lets what is to be read of the visitors before one wait.
func (f *funnelShard) wait(visitor uint32) {
	f.late.to = visitor
	f.waiting = append(f.waiting, f.late)
	f.waits += len(f.late.steps) + len(f.late.sessions)
	f.late = f.late.following(visitor)
}

// readLate reads what waits and tells of it.
func (f *funnelShard) readLate() {
	f.ahead = lateAhead{}
	for i, l := range f.waiting {
		f.read(l)
		f.tell(l)
		f.waiting[i] = nil
	}
	f.waiting, f.waits = f.waiting[:0], 0
}

// lateAhead is what was asked for ahead, in the order in which it is read.
type lateAhead struct {
	at, part int   // of what waits, and of it, what is asked for next
	bytes    []int // of what was not read yet
	total    int
}

// aheadBytes is how much a shard asks for before it is read.
const aheadBytes = 16 << 20

// askAhead asks for what is read next.
func (f *funnelShard) askAhead() {
	for a := &f.ahead; a.total < aheadBytes && a.at < len(f.waiting); a.part++ {
		if a.part == len(f.told) {
			a.at, a.part = a.at+1, -1
			continue
		}
		l, p := f.waiting[a.at], &f.wide.window.parts[a.part]
		if lo, hi := p.Bounds(l.from, l.to); lo < hi && f.told[a.part].Known() {
			bytes := p.HitsAheadOf(uint32(lo), uint32(hi))
			a.bytes, a.total = append(a.bytes, bytes), a.total+bytes
		}
	}
}

// wasRead takes note that what was asked for first has been read.
func (a *lateAhead) wasRead() { a.bytes, a.total = a.bytes[1:], a.total-a.bytes[0] }

// read reads the hits, part by part.
func (f *funnelShard) read(l *funnelLate) {
	r, parts, count := &f.reader, f.wide.window.parts, l.hitCount()
	r.hits = slices.Grow(r.hits[:0], count)[:count]
	l.hits = r.hits
	r.steps.order(len(parts), len(l.steps), func(i int) uint32 { return uint32(l.steps[i] >> 32) })
	r.sessions.order(len(parts), len(l.sessions), func(i int) uint32 { return l.sessions[i].part })
	for i := range parts {
		f.askAhead()
		if steps, sessions := r.steps.of(i), r.sessions.of(i); len(steps)+len(sessions) > 0 {
			hits := parts[i].Hits()
			for _, at := range steps {
				l.steps[at] = uint64(frame.HitTime(hits[uint32(l.steps[at])]))
			}
			for _, at := range sessions {
				copy(l.hitsOf(int(at)), hits[l.places[at]:])
			}
		}
		if lo, hi := parts[i].Bounds(l.from, l.to); lo < hi && f.told[i].Known() {
			parts[i].HitsBehindOf(uint32(lo), uint32(hi))
			f.ahead.wasRead()
		}
	}
}

// byPart is indexes in the order of their parts: those of a part are all[begin[part]:begin[part+1]].
type byPart struct {
	begin []int
	all   []uint32
}

func (b *byPart) of(part int) []uint32 { return b.all[b.begin[part]:b.begin[part+1]] }

// order orders n indexes by the part of each.
func (b *byPart) order(parts, n int, of func(i int) uint32) {
	b.begin = slices.Grow(b.begin[:0], parts+2)[:parts+2]
	b.all = slices.Grow(b.all[:0], n)[:n]
	clear(b.begin)
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
}
