package floworacle

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/svc-dev/svc/analytics/frame"
	"github.com/svc-dev/svc/analytics/session"
)

// The worlds hold what the rules are about, often enough that a comparison on 500 of them says something.
func TestWorldsHoldWhatTheRulesAreAbout(t *testing.T) {
	met := map[string]int{}
	when := func(is bool, what string) {
		if is {
			met[what]++
		}
	}
	worlds := rapid.Custom(Draw)
	for seed := range 200 {
		s := worlds.Example(seed)
		o := New(s.World, s.Now)
		money := o.charges(3 * 24 * 3600e9)
		persons := map[string]int{}
		for _, r := range o.runs {
			persons[r.person]++
			first, before := r.events[0], r.events[0].At
			back, counted := false, first.Seq >= 0
			seen := map[string]bool{}
			loops := false
			for _, e := range r.events {
				back, before = back || e.At < before, e.At
				when(e.From != nil && *e.From == "", "a visit from the start")
				when(e.From == nil && e.Name == "step_viewed", "a visit that does not say from where")
				when(e.Name == "step_viewed" && e.Step == "", "a view of no step")
			}
			for _, v := range r.visits() {
				loops, seen[v.Step] = loops || seen[v.Step], true
			}
			when(!r.has("flow_started"), "a run whose start was lost")
			when(back, "a run whose times go back")
			when(counted, "a run with seq")
			when(first.RunID == (session.Key{}), "a run without an id")
			when(loops, "a run that comes to a step again")
			when(r.completed && r.abandoned, "a run that was abandoned and completed")
			when(len(money[r]) > 0, "a run with money")
			when(r.claims() && len(money[r]) == 0, "a claim that nothing confirms")
			for _, c := range money[r] {
				when(c.refunded != 0, "a charge that was paid back")
				when(c.Kind == frame.Originating && c.AmountMicros == 0, "a trial")
				when(c.Kind == frame.Renewal, "a renewal")
			}
			when(true, r.state(s.Now, 30*60e9))
		}
		for _, n := range persons {
			when(n > 1, "several runs of one person")
		}
		when(len(o.runs) == 0, "no run at all")
	}
	for _, what := range []string{
		"a visit from the start", "a visit that does not say from where", "a view of no step", "a run whose start was lost",
		"a run whose times go back", "a run with seq", "a run without an id", "a run that comes to a step again",
		"a run that was abandoned and completed", "a run with money", "a claim that nothing confirms",
		"a charge that was paid back", "a trial", "a renewal", "several runs of one person", "no run at all",
		"completed", "abandoned", "lapsed", "open",
	} {
		require.GreaterOrEqual(t, met[what], 3, what)
	}
}
