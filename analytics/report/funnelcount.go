package report

import (
	"cmp"
	"slices"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/analytics/frame"
)

// funnelCount is a funnel over the sessions of a selection, and over what their visitors did after its range.
type funnelCount struct {
	s      *Selection
	wide   *Selection // the range and the window after it, with nothing filtered
	narrow []int32    // part of the selection's window, by part of the wide one; -1 of none
	names  []uint16   // bits by name id; the last of ids that the view does not know
	others []funnelOther
	marks  funnelMarks
	strict bool

	isTold  []bool     // parts of the wide window whose trails tell which hits matter
	anyTold bool       // whether there is one
	told    []toldPart // what is read of those, once one of their sessions is visited

	steps     int
	window    int64
	bySession bool
	now, soon int64 // attempts that end until soon are ending
}

// funnelOther is a run or a charge that matters to a funnel.
type funnelOther struct {
	visitor uint32
	bits    uint16
	at      int64
}

func (s *Selection) newFunnelCount(f *analytics.Funnel) *funnelCount {
	c := &funnelCount{
		s: s, steps: len(f.Steps), window: f.Window().Milliseconds(), bySession: f.By == analytics.FunnelBySession,
		strict: f.Order == analytics.FunnelStrict, now: frame.Millis(s.now),
		wide: s.engine.everything(s.view, s.scope.Start, s.scope.End.Add(f.Window()), s.now),
	}
	c.soon = c.now + s.engine.tuning.FunnelSoon.Milliseconds()
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
	c.tell()
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

// qualifying returns a session of the wide window in that of the selection, if it is one of the selection's.
func (c *funnelCount) qualifying(r ref) (ref, bool) {
	at := c.narrow[r.part]
	if at < 0 {
		return noRef, false
	}
	narrow := ref{uint32(at), r.row}
	return narrow, c.s.window.parts[at].has(r.row) && c.s.qualifies(narrow)
}
