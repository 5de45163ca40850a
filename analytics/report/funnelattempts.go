package report

import (
	"cmp"
	"math"
	"slices"
	"sort"
	"time"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/analytics/frame"
)

// sessionLapse is how long after its latest hit a session may still go on.
const sessionLapse = 30 * time.Minute

// funnelAttempt is the attempt of a unit that counts. Where its unit is along trails, its times are the starts of the
// sessions that it has its hits in.
type funnelAttempt struct {
	funnelPath
	visitor uint32
	session ref // of its first hit, in the selection's window
	open    bool
	ending  bool  // open, and not for long: what is kept of the report is to know of its end
	end     int64 // of one that is ending: the last moment as of which it is open
	holds   validity
	unit    *funnelUnit
}

// funnelVisit is told of an attempt. It returns false, and has done nothing, when it needs times that trails don't
// tell: it is told again of what hits say.
type funnelVisit func(shard int, a *funnelAttempt) (enough bool)

// funnelShard looks for the attempts of the visitors of a shard.
type funnelShard struct {
	*funnelCount
	shard   int
	visit   funnelVisit
	times   func(shard int, times []int64)
	walk    funnelWalk
	unit    funnelUnit
	attempt funnelAttempt // each in turn: one for every visitor would be 70 MB of a million
	sorted  []ref
	cursors []frame.TrailCursor // by part
	late    *funnelLate
	spare   []*funnelLate
	reader  *lateReader
	ends    int // attempts that are ending
	holds   validity
}

// each calls visit with the attempt of every unit that began one, several shards at once, and times, unless that is
// nil, with when the steps of each were that reached a second. It returns how long what it told holds.
func (c *funnelCount) each(visit funnelVisit, times func(shard int, times []int64)) validity {
	shards := c.wide.window.shards
	holds, readers := make([]validity, len(shards)), make([]*lateReader, len(shards))
	for i := range readers {
		readers[i] = c.newLateReader()
	}
	visitors := c.read()
	frame.Parallel(2*len(shards), func(i int) {
		if i >= len(shards) {
			readers[i-len(shards)].run()
			return
		}
		f := &funnelShard{
			funnelCount: c, shard: i, visit: visit, times: times, holds: always,
			cursors: make([]frame.TrailCursor, len(c.told)), late: &funnelLate{from: shards[i].from}, reader: readers[i],
			walk: funnelWalk{steps: c.steps, window: c.window, strict: c.strict},
		}
		defer f.reader.stop()
		visitors.each(i, f.eachVisitor)
		f.readRest(shards[i].to)
		holds[i] = f.holds
	})
	c.settle(readers)
	whole := always
	for _, h := range holds {
		whole = whole.and(h)
	}
	return whole
}

// eachVisitor looks at those who may have begun: with step 1 among their marks, or by a run or a charge.
func (f *funnelShard) eachVisitor(shard *windowShard) {
	at, _ := slices.BinarySearchFunc(f.others, shard.from, func(o funnelOther, visitor uint32) int {
		return cmp.Compare(o.visitor, visitor)
	})
	others := f.others[at:]
	for visitor := shard.from; visitor < shard.to; visitor++ {
		n := 0
		for n < len(others) && others[n].visitor == visitor {
			n++
		}
		mine := others[:n]
		others = others[n:]
		if n == 0 && !f.marks.began(visitor) {
			continue
		}
		sessions := shard.of(visitor)
		if len(sessions) > 0 {
			f.attempt.visitor = visitor
			f.eachUnit(sessions, mine)
			f.readIfFull(visitor + 1)
		}
	}
}

// eachUnit looks at a visitor, or at each of their sessions that qualifies.
func (f *funnelShard) eachUnit(sessions []ref, others []funnelOther) {
	if len(others) > 0 { // belong to sessions by their starts
		f.sorted = append(f.sorted[:0], sessions...)
		slices.SortFunc(f.sorted, func(a, b ref) int {
			if f.wide.window.startsBefore(a, b) {
				return -1
			}
			return 1
		})
		sessions = f.sorted
	}
	if !f.bySession {
		f.attend(sessions, others)
		return
	}
	for i := range sessions {
		n := 0
		for n < len(others) && (i+1 == len(sessions) || others[n].at < f.wide.window.startOf(sessions[i+1])) {
			n++
		}
		if _, qualifies := f.qualifying(sessions[i]); qualifies {
			f.attend(sessions[i:i+1], others[:n])
		}
		others = others[n:]
	}
}

// attend tells of the attempt of a unit: as trails tell it, where that is enough, else as its hits do.
func (f *funnelShard) attend(sessions []ref, others []funnelOther) {
	isTold := func(r ref) bool { return f.isTold[r.part] }
	switch {
	case !f.anyTold || len(others) > 0 && !slices.ContainsFunc(sessions, isTold):
		f.gather(&f.unit, sessions, others)
		f.try()
	case len(others) == 0 && f.gatherAlong(&f.unit, f.cursors, sessions) && f.try():
	default:
		f.addUnit(sessions, others)
	}
}

// try tells of the attempt of the unit, if there is one, and returns whether what is known of its hits was enough.
func (f *funnelShard) try() bool {
	a := &f.attempt
	f.walk.slack, f.walk.unclear = f.unit.slack, false
	switch began := f.find(a); {
	case f.walk.unclear, began && !f.visit(f.shard, a):
		return false
	case !began:
		return true
	}
	f.holds = f.holds.and(a.holds)
	if a.ending {
		f.ends++
	}
	switch {
	case f.times == nil || a.level == 1:
	case f.unit.along:
		f.late.addSteps(a)
	default:
		f.times(f.shard, a.times[:a.level])
	}
	return true
}

// tell tells of what waited, once it was read.
func (f *funnelShard) tell(late *funnelLate) {
	steps, times := late.steps, [analytics.MaxFunnelSteps]int64{}
	for _, level := range late.levels {
		for i, at := range steps[:level] {
			times[i] = int64(at)
		}
		f.times(f.shard, times[:level])
		steps = steps[level:]
	}
	for _, unit := range late.units {
		f.attempt.visitor, f.unit.late, f.unit.first = unit.visitor, late, int(unit.first)
		f.gather(&f.unit, late.sessions[unit.first:unit.first+unit.sessions], f.others[unit.others:][:unit.otherCount])
		f.try()
	}
	f.unit.late = nil
}

// find tells whether a unit began, and writes the attempt of it that counts.
func (f *funnelShard) find(a *funnelAttempt) (began bool) {
	unit := &f.unit
	start := f.walk.furthest(unit.hits, func(h *funnelHit) bool {
		if !f.s.inRange(h.at) {
			return false
		}
		_, qualifies := f.qualifying(unit.sessions[h.from])
		return qualifies
	})
	if start < 0 {
		return false
	}
	a.funnelPath, a.unit = f.walk.follow(unit.hits, start), unit
	a.session, _ = f.qualifying(unit.sessions[unit.hits[start].from])
	a.open, a.ending, a.holds = false, false, always
	if a.level < f.steps && !a.ended {
		f.findOpen(a)
	}
	return true
}

// findOpen finds out whether an attempt may still go on, and as of when that changes. When one ends that is ending must
// be known exactly.
func (f *funnelShard) findOpen(a *funnelAttempt) {
	last := a.times[0] + f.window // or later, by the slack
	latest := last + f.unit.slack
	if f.bySession {
		first := f.unit.sessions[0]
		end := f.wide.window.parts[first.part].End(first.row) + sessionLapse.Milliseconds()
		last, latest = min(last, end), min(latest, end)
	}
	switch {
	case f.now <= last && last <= f.soon && f.ends < f.s.engine.tuning.FunnelEnds/len(f.wide.window.shards):
		a.open, a.ending, a.end, f.walk.unclear = true, true, last, last < latest
	case f.now <= last:
		a.open, a.holds = true, validity{from: math.MinInt64, until: last}
	case f.now > latest:
		a.holds = validity{from: latest + 1, until: math.MaxInt64}
	default:
		f.walk.unclear = true
	}
}

// after returns the name of the first view or event of the unit after the step that an attempt reached last, within
// its window. It is not known where the trails that tell of the unit leave open what is within it.
func (c *funnelCount) after(a *funnelAttempt) (name uint32, found, known bool) {
	if a.unit.along {
		return c.afterAlong(a)
	}
	last := &a.unit.hits[a.hits[a.level-1]]
	least := funnelHit{at: a.times[0] + c.window + 1}
	for from := range a.unit.sessions {
		hits, lo := c.hitsOf(a.unit, from)
		skip := sort.Search(len(hits), func(i int) bool { return frame.HitTime(hits[i]) >= last.at })
		for i, hit := range hits[skip:] {
			h := funnelHit{at: frame.HitTime(hit), from: uint32(from), pos: lo + uint32(skip+i)}
			if h.at > least.at {
				break
			}
			if !c.comesNext(frame.HitName(hit)) || c.compare(a.unit, last, &h) >= 0 {
				continue
			}
			if h.at < least.at || found && c.compare(a.unit, &h, &least) < 0 {
				least, name, found = h, frame.HitName(hit), true
			}
			break
		}
	}
	return name, found, true
}

// afterAlong does so where sessions follow each other: the first that is left is the next.
func (c *funnelCount) afterAlong(a *funnelAttempt) (name uint32, found, known bool) {
	u, last := a.unit, &a.unit.hits[a.hits[a.level-1]]
	walk := funnelWalk{window: c.window, slack: u.slack}
	for from := int(last.from); from < len(u.sessions); from++ {
		r, skip := u.sessions[from], 0
		if from == int(last.from) {
			lo, _ := c.boundsOf(r)
			skip = int(last.pos-lo) + 1
		}
		if c.isTold[r.part] {
			for _, name := range c.namesOf(u, from)[skip:] {
				if c.comesNext(name) {
					within := walk.within(u.starts[from] - a.times[0])
					return name, within, !walk.unclear
				}
			}
			continue
		}
		hits, _ := c.hitsOf(u, from)
		for _, hit := range hits[skip:] {
			if name := frame.HitName(hit); c.comesNext(name) {
				within := walk.within(frame.HitTime(hit) - a.times[0])
				return name, within, !walk.unclear
			}
		}
	}
	return 0, false, true
}

// comesNext tells whether hits of a name are something that comes next.
func (c *funnelCount) comesNext(name uint32) bool {
	kind := c.s.view.Name(name).Kind
	return kind.IsView() || kind == frame.Custom
}
