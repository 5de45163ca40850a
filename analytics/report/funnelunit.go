package report

import (
	"bytes"
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

// funnelCount is a funnel over the sessions of a selection, and over what their visitors did after its range.
type funnelCount struct {
	s      *Selection
	wide   *Selection // the range and the window after it, with nothing filtered
	narrow []int32    // part of the selection's window, by part of the wide one; -1 of none
	names  []uint16   // bits by name id; the last of ids that the view does not know
	others []funnelOther
	marks  funnelMarks
	hits   []partHits // of the wide window
	strict bool

	steps     int
	window    int64
	bySession bool
	now       int64
}

// funnelOther is a run or a charge that matters to a funnel.
type funnelOther struct {
	visitor uint32
	bits    uint16
	at      int64
}

// funnelAttempt is the attempt of a unit that counts.
type funnelAttempt struct {
	funnelPath
	visitor uint32
	session ref // of its first hit, in the selection's window
	open    bool
	holds   validity
	unit    *funnelUnit
}

// funnelUnit is the hits of a visitor, or of one session of theirs.
type funnelUnit struct {
	sessions []ref // of the wide window
	hits     []funnelHit
	sorted   []ref
}

func (s *Selection) newFunnelCount(f *analytics.Funnel) *funnelCount {
	c := &funnelCount{
		s: s, steps: len(f.Steps), window: f.Window().Milliseconds(), bySession: f.By == analytics.FunnelBySession,
		strict: f.Order == analytics.FunnelStrict, now: frame.Millis(s.now),
		wide: s.engine.everything(s.view, s.scope.Start, s.scope.End.Add(f.Window()), s.now),
	}
	parts := map[*frame.Part]int32{}
	for i := range s.window.parts {
		parts[s.window.parts[i].Part] = int32(i)
	}
	for i := range c.wide.window.parts {
		at, ok := parts[c.wide.window.parts[i].Part]
		if !ok {
			at = -1
		}
		c.narrow = append(c.narrow, at)
	}
	c.names = c.wide.funnelNames(f)
	c.others = c.wide.funnelOthers(f)
	c.mark()
	return c
}

// bitOf returns the bit of a condition.
func bitOf(i, steps int) uint16 {
	if i < steps {
		return 1 << i
	}
	return excludes
}

// funnelNames returns what hits are to a funnel by their names.
func (s *Selection) funnelNames(f *analytics.Funnel) []uint16 {
	names := make([]uint16, len(s.view.Names)+1)
	var kinds [frame.Custom + 1]bool
	for i, c := range f.Conditions() {
		if i < len(f.Steps) {
			switch {
			case c.Event != nil:
				kinds[frame.KindOf(c.Event.Name)] = true
			case c.Page != nil:
				kinds[frame.PageView] = true
			case c.Screen != nil:
				kinds[frame.ScreenView] = true
			}
		}
		meets := s.goalName(c)
		if meets == nil {
			continue
		}
		for id := range names {
			if meets(s.view.Name(uint32(id))) {
				names[id] |= bitOf(i, len(f.Steps))
			}
		}
	}
	if f.Order == analytics.FunnelStrict {
		for id := range names {
			if kinds[s.view.Name(uint32(id)).Kind] {
				names[id] |= ofKind
			}
		}
	}
	return names
}

// funnelOthers returns the runs and charges that matter to a funnel, by visitor and time. What is asked of a run in
// several steps is one hit of it.
func (s *Selection) funnelOthers(f *analytics.Funnel) (others []funnelOther) {
	flows := map[analytics.GoalFlow]uint16{}
	purchases, named := map[int]uint16{}, uint16(0)
	charges := s.window.purchasesIn()
	for i, c := range f.Conditions() {
		switch bit := bitOf(i, len(f.Steps)); {
		case c.Flow != nil:
			flows[*c.Flow] |= bit
		case c.Purchase != nil:
			if i < len(f.Steps) && f.Order == analytics.FunnelStrict {
				named = ofKind
			}
			meets := s.purchaseMeets(c.Purchase)
			for at := range charges {
				if p := &charges[at]; p.Kind != frame.Refund && meets(p) {
					purchases[at] |= bit
				}
			}
		}
	}
	for flow, bits := range flows {
		for _, hit := range s.flowHits(&flow) {
			others = append(others, funnelOther{visitor: hit.visitor, bits: bits, at: hit.at})
		}
	}
	for at := range charges {
		p := &charges[at]
		bits, met := purchases[at]
		if !met {
			bits = named
		}
		if bits != 0 && p.Kind != frame.Refund {
			others = append(others, funnelOther{visitor: p.Visitor, bits: bits, at: p.At})
		}
	}
	slices.SortFunc(others, func(a, b funnelOther) int {
		return cmp.Or(cmp.Compare(a.visitor, b.visitor), cmp.Compare(a.at, b.at)) // gather orders those of one moment
	})
	return others
}

// each calls visit with the attempt of every unit that began one, several shards at once, and returns how long what it
// told holds.
func (c *funnelCount) each(visit func(shard int, a *funnelAttempt)) validity {
	holds := make([]validity, len(c.wide.window.shards))
	frame.Parallel(len(holds), func(i int) { holds[i] = c.eachOf(i, visit) })
	whole := always
	for _, h := range holds {
		whole = whole.and(h)
	}
	return whole
}

// eachOf visits the visitors of a shard who may have begun: with step 1 among their marks, or by a run or a charge.
func (c *funnelCount) eachOf(i int, visit func(shard int, a *funnelAttempt)) validity {
	shard, holds := &c.wide.window.shards[i], always
	walk := &funnelWalk{steps: c.steps, window: c.window, strict: c.strict}
	unit := &funnelUnit{}
	var attempt funnelAttempt // each in turn: one for every visitor would be 70 MB of a million
	attend := func(visitor uint32) {
		if c.attempt(walk, unit, &attempt) {
			attempt.visitor = visitor
			holds = holds.and(attempt.holds)
			visit(i, &attempt)
		}
	}
	at, _ := slices.BinarySearchFunc(c.others, shard.from, func(o funnelOther, visitor uint32) int {
		return cmp.Compare(o.visitor, visitor)
	})
	others := c.others[at:]
	for visitor := shard.from; visitor < shard.to; visitor++ {
		n := 0
		for n < len(others) && others[n].visitor == visitor {
			n++
		}
		mine := others[:n]
		others = others[n:]
		if n == 0 && !c.marks.began(visitor) {
			continue
		}
		sessions := shard.order[shard.offset[visitor-shard.from]:shard.offset[visitor-shard.from+1]]
		if len(sessions) > 0 {
			c.eachUnit(unit, sessions, mine, func() { attend(visitor) })
		}
	}
	return holds
}

// eachUnit calls visit with a visitor in unit, or with each of their sessions that qualifies.
func (c *funnelCount) eachUnit(unit *funnelUnit, sessions []ref, others []funnelOther, visit func()) {
	if len(others) > 0 { // belong to sessions by their starts
		unit.sorted = append(unit.sorted[:0], sessions...)
		slices.SortFunc(unit.sorted, func(a, b ref) int {
			if c.wide.window.startsBefore(a, b) {
				return -1
			}
			return 1
		})
		sessions = unit.sorted
	}
	if !c.bySession {
		c.gather(unit, sessions, others)
		visit()
		return
	}
	for i := range sessions {
		n := 0
		for n < len(others) && (i+1 == len(sessions) || others[n].at < c.wide.window.startOf(sessions[i+1])) {
			n++
		}
		if _, qualifies := c.qualifying(sessions[i]); qualifies {
			c.gather(unit, sessions[i:i+1], others[:n])
			visit()
		}
		others = others[n:]
	}
}

// gather puts the hits of sessions in their order into unit. Of others at one moment that is the order of their steps.
func (c *funnelCount) gather(unit *funnelUnit, sessions []ref, others []funnelOther) {
	unit.sessions, unit.hits = sessions, unit.hits[:0]
	last, sorted, latest := uint32(len(c.names)-1), len(others) == 0, int64(math.MinInt64)
	for from, r := range sessions {
		if !c.marks.rows[r.part].Has(r.row) {
			continue
		}
		p, first := &c.hits[r.part], len(unit.hits)
		lo, hi := p.lo[r.row], p.hi[r.row]
		for i, hit := range p.all[lo:hi] { // in their order already
			if bits := c.names[min(frame.HitName(hit), last)]; bits != 0 {
				unit.hits = append(unit.hits, funnelHit{frame.HitTime(hit), bits, uint32(from), lo + uint32(i)})
			}
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

// qualifying returns a session of the wide window in that of the selection, if it is one of the selection's.
func (c *funnelCount) qualifying(r ref) (ref, bool) {
	at := c.narrow[r.part]
	if at < 0 {
		return noRef, false
	}
	narrow := ref{uint32(at), r.row}
	return narrow, c.s.window.parts[at].has(r.row) && c.s.qualifies(narrow)
}

// attempt tells whether a unit began, and writes the attempt of it that counts.
func (c *funnelCount) attempt(walk *funnelWalk, unit *funnelUnit, a *funnelAttempt) (began bool) {
	start := walk.furthest(unit.hits, func(h *funnelHit) bool {
		if !c.s.inRange(h.at) {
			return false
		}
		_, qualifies := c.qualifying(unit.sessions[h.from])
		return qualifies
	})
	if start < 0 {
		return false
	}
	a.funnelPath, a.unit = walk.follow(unit.hits, start), unit
	a.session, _ = c.qualifying(unit.sessions[unit.hits[start].from])
	a.open, a.holds = false, always
	if a.level < c.steps && !a.ended {
		a.open, a.holds = c.openUntil(a.times[0]+c.window, unit.sessions[0])
	}
	return true
}

// openUntil tells whether an attempt may still go on, whose window ends after a moment, and as of when that changes.
func (c *funnelCount) openUntil(last int64, first ref) (open bool, holds validity) {
	if c.bySession {
		last = min(last, c.wide.window.parts[first.part].End(first.row)+sessionLapse.Milliseconds())
	}
	if c.now <= last {
		return true, validity{from: math.MinInt64, until: last}
	}
	return false, validity{from: last + 1, until: math.MaxInt64}
}

// after returns the name of the first view or event of the unit after the step that an attempt reached last, within
// its window.
func (c *funnelCount) after(a *funnelAttempt) (name uint32, found bool) {
	last := &a.unit.hits[a.last]
	least := funnelHit{at: a.times[0] + c.window + 1}
	for from, r := range a.unit.sessions {
		p := &c.hits[r.part]
		lo := p.lo[r.row]
		hits := p.all[lo:p.hi[r.row]]
		skip := sort.Search(len(hits), func(i int) bool { return frame.HitTime(hits[i]) >= last.at })
		for i, hit := range hits[skip:] {
			h := funnelHit{at: frame.HitTime(hit), from: uint32(from), pos: lo + uint32(skip+i)}
			if h.at > least.at {
				break
			}
			if kind := c.s.view.Name(frame.HitName(hit)).Kind; !kind.IsView() && kind != frame.Custom {
				continue
			}
			if c.compare(a.unit, last, &h) >= 0 {
				continue
			}
			if h.at < least.at || found && c.compare(a.unit, &h, &least) < 0 {
				least, name, found = h, frame.HitName(hit), true
			}
			break
		}
	}
	return name, found
}
