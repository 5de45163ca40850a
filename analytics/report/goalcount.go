package report

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"slices"
	"strings"
	"unsafe"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/analytics/frame"
	"github.com/svc-dev/svc/analytics/pagename"
	"github.com/svc-dev/svc/analytics/run"
	"github.com/svc-dev/svc/analytics/session"
)

// goalCell counts the conversions of one goal, in one group and bucket.
type goalCell struct {
	conversions int64
	revenue     int64 // micro-USD
	converters  uint32
}

// goalCounter is a goalCell while it is counted: hits come visitor by visitor.
type goalCounter struct {
	latest uint32 // ordinal + 1 of the latest converter
	goalCell
}

const goalCellBytes = int(unsafe.Sizeof(goalCell{}))

// count counts a hit of the visitor whose ordinal is one less.
func (c *goalCounter) count(visitor uint32) {
	c.conversions++
	if c.latest != visitor {
		c.latest = visitor
		c.converters++
	}
}

func addGoalCells(total, more []goalCell) []goalCell {
	total = extend(total, more)
	for i := range more {
		total[i].conversions += more[i].conversions
		total[i].revenue += more[i].revenue
		total[i].converters += more[i].converters
	}
	return total
}

// countGoals counts goals by group, and by bucket when cal is not nil.
func (s *Selection) countGoals(goals []analytics.Goal, g grouping, cal *calendar) []goalCell {
	into := metCells{grouping: g, cal: cal, buckets: 1}
	key := countKey{what: "goals"}
	if cal != nil {
		into.buckets, key.buckets = cal.len(), cal.key()
	}
	conditions := make([]analytics.GoalCondition, len(goals))
	for i := range goals {
		conditions[i] = goals[i].Condition
	}
	text, err := json.Marshal(conditions)
	if err != nil { // of texts and finite numbers there is none
		panic(err)
	}
	sum := sha256.Sum256(text) // conditions may be long
	key.by = g.name + "\x00" + s.scope.RevenueProvider + "\x00" + string(sum[:])
	return remembered(s, key, into.size(len(goals)), goalCellBytes, func() []goalCell {
		total := s.countGoalNames(goals, &into)
		for i := range goals {
			switch c := &goals[i].Condition; {
			case c.Flow != nil:
				s.countGoalHits(i, s.flowHits(c.Flow), &into, total)
			case c.Purchase != nil:
				s.countGoalHits(i, s.purchaseHits(c.Purchase), &into, total)
			}
		}
		return total
	})
}

// goalNames returns which goals a hit meets by its name.
func (s *Selection) goalNames(goals []analytics.Goal) meaningNames {
	n := meaningNames{slot: make([]uint16, len(s.view.Names)+1), sets: [][]int{nil}}
	matches := make([]func(frame.Name) bool, len(goals))
	for i := range goals {
		matches[i] = s.goalName(&goals[i].Condition)
	}
	known := map[string]uint16{}
	var key []byte
	for id := range n.slot {
		name := s.view.Name(uint32(id))
		key = key[:0]
		var set []int
		for i, match := range matches {
			if match != nil && match(name) {
				set, key = append(set, i), append(key, byte(i)) // at most MaxGoals
			}
		}
		if set == nil {
			continue
		}
		slot, ok := known[string(key)]
		if !ok {
			slot = uint16(len(n.sets))
			n.sets, known[string(key)] = append(n.sets, set), slot
		}
		n.slot[id] = slot
	}
	return n
}

// goalName returns which names meet a condition; nil of a condition that is not about names.
func (s *Selection) goalName(c *analytics.GoalCondition) func(frame.Name) bool {
	views := func(kind frame.Kind, v *analytics.GoalView) func(frame.Name) bool {
		pages := make([]bool, len(s.view.Pages))
		for _, spelling := range pagename.Spellings([]string{v.Name}) {
			matches := (&analytics.GoalView{Op: v.Op, Name: spelling}).Matcher()
			for code, page := range s.view.Pages {
				pages[code] = pages[code] || matches(page)
			}
		}
		return func(n frame.Name) bool { return n.Kind == kind && pages[n.Page] }
	}
	switch {
	case c.Event != nil:
		return func(n frame.Name) bool { return s.view.Events[n.Event] == c.Event.Name }
	case c.Page != nil:
		return views(frame.PageView, c.Page)
	case c.Screen != nil:
		return views(frame.ScreenView, c.Screen)
	}
	return nil
}

// countGoalNames counts the goals that hits meet by their names.
func (s *Selection) countGoalNames(goals []analytics.Goal, into *metCells) []goalCell {
	names, size := s.goalNames(goals), into.size(len(goals))
	total := make([]goalCell, size)
	if len(names.sets) == 1 {
		return total
	}
	if s.countsMet() {
		for i, c := range s.countMet(names, len(goals), into) {
			total[i].conversions, total[i].converters = int64(c.hits), c.visitors
		}
		return total
	}
	results, last := make([][]goalCounter, s.workers()), uint32(len(names.slot)-1)
	told := s.trailsOver(into.cal, true)
	frame.Parallel(s.workers(), func(i int) {
		cells := make([]goalCounter, size)
		results[i] = cells
		count := func(spans []sessionHits, _ uint32) {
			for j := range spans {
				sp := &spans[j]
				if !hasName(sp, names.slot) {
					continue
				}
				group := into.grouping.of(&s.window.parts[sp.session.part], sp.session.row)
				if group == skip {
					continue
				}
				for name, bucket := range sp.byBucket(into.cal) {
					for _, goal := range names.sets[names.slot[min(name, last)]] {
						cells[into.at(goal, group, bucket)].count(sp.visitor)
					}
				}
			}
		}
		s.blocksAlong(i, told, count, count)
	})
	for _, cells := range results {
		for i := range cells {
			total[i].conversions += cells[i].conversions
			total[i].converters += cells[i].converters
		}
	}
	return total
}

// goalHit is a hit of the range that meets a goal and lies in no session.
type goalHit struct {
	visitor uint32
	at      int64
	pays    int64 // micro-USD
	refund  bool  // of an earlier conversion, and none itself
}

// countGoalHits counts hits where the session belongs that they are attributed to as purchases are (analytics.md §2,
// revenue). Only visitors of the scope are converters.
func (s *Selection) countGoalHits(goal int, hits []goalHit, into *metCells, total []goalCell) {
	slices.SortFunc(hits, func(a, b goalHit) int { return cmp.Compare(a.visitor, b.visitor) })
	latest := make(map[int]uint32) // visitor who was counted last, by cell
	seeker := s.window.seeker()
	for _, hit := range hits {
		r := seeker.sessionOf(hit.visitor, hit.at)
		group := into.grouping.empty
		switch {
		case r == noRef && s.filter.active, r != noRef && !s.qualifies(r):
			continue
		case r != noRef:
			group = into.grouping.of(&s.window.parts[r.part], r.row)
		}
		if group == skip {
			continue
		}
		at := into.at(goal, group, into.cal.bucketOf(hit.at))
		cell := &total[at]
		cell.revenue += hit.pays
		if hit.refund {
			continue
		}
		cell.conversions++
		if r == noRef {
			continue
		}
		if visitor, counted := latest[at]; !counted || visitor != hit.visitor {
			latest[at] = hit.visitor
			cell.converters++
		}
	}
}

// flowHits returns when runs met a goal: once a run, at the earliest of the hits that do.
func (s *Selection) flowHits(f *analytics.GoalFlow) (hits []goalHit) {
	releases := make([]bool, len(s.view.Releases))
	for code := range releases {
		releases[code] = s.view.Releases[code].Flow == session.Key(f.FlowID)
	}
	meets := s.happeningsOf(f)
	for _, p := range runParts(s.view, s.window.start, s.window.end) {
		for row := range uint32(p.Len()) {
			if p.masked.Has(row) || !releases[p.Column(frame.RunRelease)[row]] {
				continue
			}
			at, met := p.RunStart(row), true
			if f.Outcome != analytics.GoalStarted {
				at, met = earliestOf(p.HitsOf(row), meets)
			}
			if met && s.inRange(at) {
				hits = append(hits, goalHit{visitor: p.Visitors()[row], at: at})
			}
		}
	}
	return hits
}

// happeningsOf returns which happenings complete a run, or show the step.
func (s *Selection) happeningsOf(f *analytics.GoalFlow) []bool {
	meets := make([]bool, len(s.view.Happenings))
	for code, h := range s.view.Happenings {
		switch h.Name {
		case run.FlowCompleted:
			meets[code] = f.Outcome == analytics.GoalCompleted
		case run.StepViewed, run.SurfacePresented:
			if f.Outcome == analytics.GoalStepReached {
				_, step := s.view.FlowName(h.Step)
				meets[code] = h.Step > 0 && step == f.Step
			}
		}
	}
	return meets
}

// earliestOf returns the time of the earliest hit that meets.
func earliestOf(hits []int64, meets []bool) (at int64, found bool) {
	for _, hit := range hits {
		if t := frame.HitTime(hit); meets[frame.HitName(hit)] && (!found || t < at) {
			at, found = t, true
		}
	}
	return at, found
}

// purchaseHits returns the charges and refunds of the range that a goal describes. The scope's provider limits what
// they pay and never who converted.
func (s *Selection) purchaseHits(goal *analytics.GoalPurchase) (hits []goalHit) {
	meets := s.purchaseMeets(goal)
	for _, p := range s.window.purchasesIn() {
		if !meets(&p) {
			continue
		}
		hit := goalHit{visitor: p.Visitor, at: p.At, refund: p.Kind == frame.Refund}
		if s.allowed(&p) {
			hit.pays = p.AmountMicros
		}
		hits = append(hits, hit)
	}
	return hits
}

// purchaseMeets returns which charges and refunds a goal describes.
func (s *Selection) purchaseMeets(goal *analytics.GoalPurchase) func(*frame.CodedPurchase) bool {
	products := make([]bool, len(s.view.Products))
	for code, product := range s.view.Products {
		products[code] = len(goal.Products) == 0 || slices.Contains(goal.Products, product)
	}
	provider, limited := analytics.ParseProvider(strings.ToLower(goal.Provider))
	least, most := goal.Micros()
	return func(p *frame.CodedPurchase) bool {
		amount := max(p.AmountMicros, -p.AmountMicros)
		return products[p.Product] && (!limited || p.Provider == provider) && amount >= least && amount <= most
	}
}
