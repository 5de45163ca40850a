package report

import (
	"slices"

	"github.com/svc-dev/svc/analytics/frame"
	"github.com/svc-dev/svc/internal/mapped"
)

// funnelLate is what a funnel still has to read of the hits of parts that trails tell of, of some visitors in a row:
// when the steps of attempts were, and the hits of units of which trails do not tell enough. It is read part by part,
// in the order of each: visitor by visitor it would be read all over the files. What is of visitors in a row is in a
// row in each part, so that the hits of a year are read once, however few of them memory has room for. That is done
// while the visitors after them are followed: one has the disk busy and the other the processor.
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

// reset empties it for the visitors from one on. It keeps its memory.
func (l *funnelLate) reset(visitor uint32) *funnelLate {
	*l = funnelLate{
		from: visitor, steps: l.steps[:0], levels: l.levels[:0], units: l.units[:0], sessions: l.sessions[:0],
		places: l.places[:0], ends: l.ends[:0], hits: l.hits[:0],
	}
	return l
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

// readIfFull has what is to be read of the visitors before one read when it is as much as is read at once.
func (f *funnelShard) readIfFull(visitor uint32) {
	if len(f.late.steps)+f.late.hitCount() > f.s.engine.tuning.FunnelHits/len(f.wide.window.shards) {
		f.readNext(visitor)
	}
}

// readNext has what is to be read of the visitors before one read, and tells of what was read meanwhile.
func (f *funnelShard) readNext(visitor uint32) {
	f.late.to = visitor
	for next, read := f.late, f.reader.read; next != nil; {
		select {
		case f.reader.todo <- next:
			next = nil
		case l, ok := <-read:
			if !ok { // it failed
				read = nil
				continue
			}
			f.tell(l)
			f.spare = append(f.spare, l)
		}
	}
	if n := len(f.spare); n > 0 {
		f.late, f.spare = f.spare[n-1].reset(visitor), f.spare[:n-1]
	} else {
		f.late = &funnelLate{from: visitor}
	}
}

// readRest waits for all that is read and tells of it.
func (f *funnelShard) readRest(visitor uint32) {
	f.readNext(visitor)
	close(f.reader.todo)
	f.reader.closed = true
	for l := range f.reader.read {
		f.tell(l)
	}
}

// lateReader reads what a shard still has to read, in a goroutine of its own.
type lateReader struct {
	*funnelCount
	todo, read chan *funnelLate
	closed     bool // by the shard
	ahead      lateAhead
	buffer     mapped.Buffer
	past       []bool // by part: whether hits were read past memory

	steps, sessions byPart // of what is read
}

func (c *funnelCount) newLateReader() *lateReader {
	return &lateReader{
		funnelCount: c, past: make([]bool, len(c.told)),
		todo: make(chan *funnelLate, 1), read: make(chan *funnelLate, 1),
	}
}

// run reads until there is nothing to do. When it fails it lets the shard go on.
func (r *lateReader) run() {
	defer func() {
		close(r.read)
		for range r.todo {
		}
	}()
	for l := range r.todo {
		r.readHits(l)
		r.read <- l
	}
}

// stop ends it, also where its shard failed.
func (r *lateReader) stop() {
	if !r.closed {
		close(r.todo)
	}
	for range r.read {
	}
}

// lateAhead is what was asked for ahead, in the order in which it is read.
type lateAhead struct {
	part  int   // that is asked for next
	bytes []int // of what was not read yet
	total int
}

// aheadBytes is how much a shard asks for before it is read.
const aheadBytes = 16 << 20

// askAhead asks for what is read next.
func (r *lateReader) askAhead(l *funnelLate) {
	for a := &r.ahead; a.total < aheadBytes && a.part < len(r.told); a.part++ {
		if lo, hi := r.wide.window.parts[a.part].Bounds(l.from, l.to); lo < hi && r.isTold[a.part] {
			bytes := r.wide.window.parts[a.part].HitsAheadOf(uint32(lo), uint32(hi))
			a.bytes, a.total = append(a.bytes, bytes), a.total+bytes
		}
	}
}

// wasRead takes note that what was asked for first has been read.
func (a *lateAhead) wasRead() { a.bytes, a.total = a.bytes[1:], a.total-a.bytes[0] }

// readHits reads the hits, part by part.
func (r *lateReader) readHits(l *funnelLate) {
	count := l.hitCount()
	l.hits = slices.Grow(l.hits[:0], count)[:count]
	r.ahead = lateAhead{}
	r.steps.order(len(r.told), len(l.steps), func(i int) uint32 { return uint32(l.steps[i] >> 32) })
	r.sessions.order(len(r.told), len(l.sessions), func(i int) uint32 { return l.sessions[i].part })
	for i := range r.told {
		p := &r.wide.window.parts[i]
		lo, hi := p.Bounds(l.from, l.to)
		if lo == hi {
			continue
		}
		ahead := r.wide.window.kept && r.isTold[i]
		if ahead {
			r.askAhead(l)
		}
		if steps, sessions := r.steps.of(i), r.sessions.of(i); len(steps)+len(sessions) > 0 {
			hits, first := r.hitsIn(i, uint32(lo), uint32(hi))
			for _, at := range steps {
				l.steps[at] = uint64(frame.HitTime(hits[uint32(l.steps[at])-first]))
			}
			for _, at := range sessions {
				copy(l.hitsOf(int(at)), hits[l.places[at]-first:])
			}
		}
		if ahead {
			p.HitsBehindOf(uint32(lo), uint32(hi))
			r.ahead.wasRead()
		}
	}
}

// hitsIn returns hits of a part that have those of the rows [from, to), and the place of the first of them. What is
// of more sessions than memory may have room for is read past it, and is settled at last; but not where so many hits
// are between the few that are needed that they would take the memory of a process.
func (r *lateReader) hitsIn(part int, from, to uint32) (hits []int64, first uint32) {
	p := &r.wide.window.parts[part]
	if r.wide.window.kept || !r.told[part].Known() {
		return p.Hits(), 0
	}
	first, _ = r.told[part].Bounds(from)
	_, last := r.told[part].Bounds(to - 1)
	if int(last-first) > r.s.engine.tuning.FunnelHits/len(r.wide.window.shards) {
		return p.Hits(), 0
	}
	r.past[part] = true
	return p.HitsPast(from, to, &r.buffer), first
}

// settle checks the hits that were read past memory.
func (c *funnelCount) settle(readers []*lateReader) {
	c.wide.eachPart(func(i int, p *windowPart) {
		for _, r := range readers {
			if r.past[i] {
				p.SettleHits(&mapped.Buffer{})
				return
			}
		}
	})
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
