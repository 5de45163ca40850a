package runlog

import (
	"fmt"
	"strings"
	"testing"

	"github.com/svc-dev/svc/analytics/run"
	"github.com/svc-dev/svc/manifest/simulate"
)

// say writes a course: each stay with its step, how it was left, where to, and fields that were answered.
func (c course) say() string {
	exits := map[simulate.Exit]string{simulate.Left: "left", simulate.Went: "went", simulate.Skipped: "skipped"}
	var stays []string
	for _, s := range c.stays {
		text := fmt.Sprintf("%d %s", s.step, exits[s.exit])
		if s.led {
			text += fmt.Sprintf(" to %d", s.toward)
		}
		for _, a := range s.answers {
			text += fmt.Sprintf(" %d=%d", a.Subject, a.Value)
		}
		stays = append(stays, text)
	}
	return strings.Join(stays, ", ")
}

func courseOf(hits []run.Hit) (c course) {
	c.read(hits)
	return c
}

func TestCourses(t *testing.T) {
	view := func(step int32) run.Hit { return run.Hit{Name: run.StepViewed, Step: step} }
	complete := func(step int32) run.Hit { return run.Hit{Name: run.StepCompleted, Step: step} }
	skip := func(step int32) run.Hit { return run.Hit{Name: run.StepSkipped, Step: step} }
	choose := func(step, field, value int32) run.Hit {
		return run.Hit{Name: run.ChoiceSelected, Step: step, Subject: field, Value: value}
	}
	write := func(step, field, value int32) run.Hit {
		return run.Hit{Name: run.TextSubmitted, Step: step, Subject: field, Value: value}
	}
	decide := run.Hit{Name: run.DecisionEvaluated, Subject: 9}
	end := run.Hit{Name: run.FlowCompleted}
	for name, c := range map[string]struct {
		hits    []run.Hit
		want    string
		decided int
	}{
		"nothing":               {nil, "", 0},
		"an end of nothing":     {[]run.Hit{end}, "", 0},
		"given up at the first": {[]run.Hit{view(1)}, "1 left", 0},
		"to the end": {
			[]run.Hit{view(1), complete(1), view(2), skip(2), end}, "1 went to 2, 2 skipped to 0", 0,
		},
		"an end that says nothing of its screen": {[]run.Hit{view(1), end}, "1 went to 0", 0},
		"given up after it was completed": {
			[]run.Hit{view(1), complete(1)}, "1 left", 0,
		},
		"over a decision": {[]run.Hit{view(1), complete(1), decide, view(2)}, "1 went to 9, 2 left", 1},
		"back, and on another way": {
			[]run.Hit{view(1), choose(1, 5, 6), complete(1), view(2), view(1), choose(1, 5, 7), complete(1), view(3), end},
			"1 went to 3 5=7, 3 went to 0", 0,
		},
		"what says that it was completed was lost": {[]run.Hit{view(1), view(2), end}, "1 went to 2, 2 went to 0", 0},
		"several choices, and the last of what was written": {
			[]run.Hit{view(1), choose(1, 5, 6), choose(1, 5, 7), write(1, 8, 1), write(1, 8, 2), complete(1), end},
			"1 went to 0 5=6 5=7 8=2", 0,
		},
		"what is of another step, or of no field": {
			[]run.Hit{view(1), complete(2), choose(2, 5, 6), choose(1, 0, 6), end}, "1 went to 0", 0,
		},
		"nothing counts after the end": {[]run.Hit{view(1), complete(1), end, view(2)}, "1 went to 0", 0},
		"no step":                      {[]run.Hit{view(0), view(1), end}, "1 went to 0", 0},
		"the outcome of a surface": {[]run.Hit{
			{Name: run.SurfacePresented, Step: 4}, {Name: run.SurfaceOutcome, Step: 4, Value: 3}, view(1), end,
		}, "4 went to 1, 1 went to 0", 0},
	} {
		got := courseOf(c.hits)
		if got.say() != c.want || len(got.decided) != c.decided {
			t.Errorf("%s: %q with %d decisions, want %q with %d", name, got.say(), len(got.decided), c.want, c.decided)
		}
	}
	surface := courseOf([]run.Hit{
		{Name: run.SurfacePresented, Step: 4}, {Name: run.SurfaceOutcome, Step: 4, Value: 3}, end,
	})
	if surface.stays[0].outcome != 3 {
		t.Errorf("the outcome is %d", surface.stays[0].outcome)
	}
}
