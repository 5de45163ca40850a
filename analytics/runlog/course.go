package runlog

import (
	"slices"

	"github.com/svc-dev/svc/analytics/run"
	"github.com/svc-dev/svc/manifest/simulate"
)

// course is what a run did, step by step, without what it took back.
type course struct {
	stays   []stay
	decided []*run.Hit
}

// stay is a visit of a step.
type stay struct {
	step, toward, outcome int32
	exit                  simulate.Exit
	led                   bool // toward is known
	answers               []*run.Hit
}

// read reads the hits of a run, which are in order, into the memory of the run before. A screen that was shown but
// neither completed nor skipped before the next one was gone back from: it does not count, nor does what was visited
// since the screen that it led back to.
func (c *course) read(hits []run.Hit) {
	c.stays, c.decided = c.stays[:0], c.decided[:0]
	for i := range hits {
		h := &hits[i]
		var at *stay
		if n := len(c.stays); n > 0 {
			at = &c.stays[n-1]
		}
		switch h.Name {
		case run.StepViewed, run.SurfacePresented:
			if h.Step > 0 {
				c.come(at, h.Step)
			}
		case run.DecisionEvaluated:
			c.decided = append(c.decided, h)
			if at != nil {
				at.lead(h.Subject)
			}
		case run.FlowCompleted:
			if at == nil {
				return
			}
			if at.exit == simulate.Left {
				at.exit = simulate.Went
			}
			at.lead(0)
			return
		default:
			if at != nil && h.Step == at.step {
				at.take(h)
			}
		}
	}
	if n := len(c.stays); n > 0 {
		c.stays[n-1].exit = simulate.Left
	}
}

// come begins a visit of a step.
func (c *course) come(from *stay, step int32) {
	if from != nil && from.exit == simulate.Left {
		before := c.stays[:len(c.stays)-1]
		back := len(before) - 1
		for back >= 0 && before[back].step != step {
			back--
		}
		if back >= 0 {
			c.stays = c.stays[:back]
			c.begin(step)
			return
		}
		from.exit = simulate.Went // what says so was lost
	}
	if from != nil {
		from.lead(step)
	}
	c.begin(step)
}

func (c *course) begin(step int32) {
	n := len(c.stays)
	if n == cap(c.stays) {
		c.stays = append(c.stays, stay{step: step})
		return
	}
	c.stays = c.stays[:n+1]
	c.stays[n] = stay{step: step, answers: c.stays[n].answers[:0]}
}

// lead notes where the way out of a step led first.
func (s *stay) lead(to int32) {
	if !s.led {
		s.led, s.toward = true, to
	}
}

// take notes what happened during a visit.
func (s *stay) take(h *run.Hit) {
	switch h.Name {
	case run.StepCompleted:
		s.exit = simulate.Went
	case run.StepSkipped:
		s.exit = simulate.Skipped
	case run.SurfaceOutcome:
		s.exit, s.outcome = simulate.Went, h.Value
	case run.ChoiceSelected, run.TextSubmitted:
		if h.Subject == 0 {
			return
		}
		if h.Name == run.TextSubmitted { // the last one counts
			s.answers = slices.DeleteFunc(s.answers, func(o *run.Hit) bool { return o.Subject == h.Subject })
		}
		s.answers = append(s.answers, h)
	}
}
