package report

import (
	"cmp"
	"slices"
	"time"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/analytics/frame"
)

// everything selects all sessions of a view with a hit in [start, end).
func (e *Engine) everything(view *frame.View, start, end, now time.Time) *Selection {
	return e.selectSessions(view, analytics.Scope{Start: start, End: end}, nil, now)
}

// matchFunnel calls add with the visitors of whom a condition about a funnel holds.
func (s *Selection) matchFunnel(c *analytics.FunnelCondition, add func(ordinal uint32)) {
	s.eachOutcome(&c.Funnel, c.Step, c.Outcome, add)
}

// matchGoal calls add with the visitors who are converters of a goal.
func (s *Selection) matchGoal(c *analytics.GoalCondition, add func(ordinal uint32)) {
	s.matchGoals([]analytics.GoalCondition{*c}, add)
}

// matchGoals calls add with the visitors who are converters of one goal at least, some several times. However many of
// the goals are names, it reads all hits once.
func (s *Selection) matchGoals(conditions []analytics.GoalCondition, add func(ordinal uint32)) {
	var names []func(frame.Name) bool
	for i := range conditions {
		c := &conditions[i]
		if meets := s.goalName(c); meets != nil {
			names = append(names, meets)
			continue
		}
		var hits []goalHit
		if c.Flow != nil {
			hits = s.flowHits(c.Flow)
		} else {
			hits = s.purchaseHits(c.Purchase)
		}
		slices.SortFunc(hits, func(a, b goalHit) int { return cmp.Compare(a.visitor, b.visitor) })
		seeker := s.window.seeker()
		for _, hit := range hits {
			if !hit.refund && seeker.sessionOf(hit.visitor, hit.at) != noRef {
				add(hit.visitor)
			}
		}
	}
	if names != nil {
		s.matchNames(func(n frame.Name) bool {
			return slices.ContainsFunc(names, func(meets func(frame.Name) bool) bool { return meets(n) })
		}, add)
	}
}

// matchNames calls add with the visitors who have a hit in the range of a name that meets. Some come several times.
func (s *Selection) matchNames(meets func(frame.Name) bool, add func(ordinal uint32)) {
	named := make([]bool, len(s.view.Names)+1) // the last stands for every id that the view does not know
	for id := range named {
		named[id] = meets(s.view.Name(uint32(id)))
	}
	found, told := make([][]uint32, s.workers()), s.trailsOver(nil, true)
	frame.Parallel(s.workers(), func(i int) {
		find := func(spans []sessionHits, _ uint32) {
			for j := range spans {
				if hasName(&spans[j], named) {
					found[i] = append(found[i], spans[j].visitor-1)
				}
			}
		}
		s.blocksAlong(i, told, find, find)
	})
	for _, visitors := range found {
		for _, visitor := range visitors {
			add(visitor)
		}
	}
}

// matchPath calls add with the visitors of the sessions of which a condition about a path holds.
func (s *Selection) matchPath(c *analytics.PathCondition, add func(ordinal uint32)) {
	query, err := c.Path.Resolve("path")
	if err != nil {
		return // of a condition that was not validated
	}
	counter := newPathCounter(s, query)
	wanted := make([]uint32, len(c.Nodes))
	for i, node := range c.Nodes {
		wanted[i] = counter.nodeNamed(node.Kind, node.Name)
	}
	found := make([][]uint32, s.workers())
	frame.Parallel(len(found), func(i int) {
		counter.walkAll(i, len(found), 1, func(w *pathWalk, visitor uint32) {
			for n, node := range c.Nodes {
				if node.Step > w.steps || counter.node[w.names[node.Step-1]] != wanted[n] {
					return
				}
			}
			found[i] = append(found[i], visitor)
		})
	})
	for _, visitors := range found {
		for _, visitor := range visitors {
			add(visitor)
		}
	}
}

// nodeNamed returns the node of a kind and a name, or pattern, as label returns them; noNode of one that no hit is.
func (c *pathCounter) nodeNamed(kind analytics.PathKind, name string) uint32 {
	for place, pattern := range c.patterns {
		if pattern == name && (place > 0 || kind == c.query.Anchor.Kind) {
			return uint32(len(analytics.PathKinds)*place + kindIndex(kind))
		}
	}
	names := c.selection.view.Pages
	if kind == analytics.PathEvent {
		names = c.selection.view.Events
	}
	code := slices.Index(names, name)
	if code < 0 {
		return noNode
	}
	return uint32(len(analytics.PathKinds)*(len(c.patterns)+code) + kindIndex(kind))
}
