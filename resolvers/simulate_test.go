package resolvers_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

const simulateQuery = `query($f: ID!, $n: Int!) { simulateDraft(flowId: $f, runs: $n) { revision version runs users complete
	draft {
		completed left unknown steps { id users reach left unknown } ways { from kind key to runs }
		questions { fieldKey answered }
	}
	published { completed left unknown steps { id users reach } } } }`

// A draft that was not changed does with recorded runs what they did; one that was changed does otherwise.
func TestRecordedRunsGoThroughADraft(t *testing.T) {
	t.Parallel()
	f := newFlowWorld(t)
	start := flowEvent{name: "flow_started"}
	f.runOf("a", vars{"platform": "ios", "locale": "en"}, start,
		flowEvent{name: "step_viewed", step: "scr_goal", after: 1},
		answered("choice_selected", "scr_goal", "goal", "rescue", 2),
		flowEvent{name: "step_completed", step: "scr_goal", after: 2},
		flowEvent{name: "step_viewed", step: "scr_symptoms", after: 2},
		answered("choice_selected", "scr_symptoms", "symptoms", "bugs", 3),
		flowEvent{name: "step_completed", step: "scr_symptoms", after: 3},
		flowEvent{name: "step_viewed", step: "scr_contact", after: 3},
		flowEvent{name: "flow_abandoned", step: "scr_contact", after: 4},
	)
	f.runOf("b", vars{"platform": "ios", "locale": "en"}, start,
		flowEvent{name: "step_viewed", step: "scr_goal", after: 1},
		answered("choice_selected", "scr_goal", "goal", "rescue", 2),
		flowEvent{name: "step_completed", step: "scr_goal", after: 2},
		flowEvent{name: "step_viewed", step: "scr_symptoms", after: 2},
	)
	f.runOf("c", vars{"platform": "ios", "locale": "en"}, start)

	c := f.keyed("owner", "studio:read", "analytics:read")
	got := c.must(simulateQuery, vars{"f": f.flow, "n": 100})
	require.Equal(t, []any{"2", "2", "1", true}, []any{
		fmt.Sprint(got.at(t, "simulateDraft", "runs")), fmt.Sprint(got.at(t, "simulateDraft", "users")),
		fmt.Sprint(got.at(t, "simulateDraft", "version")), got.at(t, "simulateDraft", "complete"),
	})
	for _, flow := range []string{"draft", "published"} {
		users := map[string]string{}
		steps, _ := got.at(t, "simulateDraft", flow, "steps").([]any)
		for _, step := range steps {
			of, _ := step.(map[string]any)
			users[fmt.Sprint(of["id"])] = fmt.Sprint(of["users"], " ", of["reach"])
		}
		require.Equal(t, "2 REACHED", users["scr_goal"])
		require.Equal(t, "2 REACHED", users["scr_symptoms"])
		require.Equal(t, "1 REACHED", users["scr_contact"])
		require.Equal(t, "0 NOBODY", users["scr_size"])
		require.Equal(t, "2", fmt.Sprint(got.at(t, "simulateDraft", flow, "left")))
		require.Equal(t, "0", fmt.Sprint(got.at(t, "simulateDraft", flow, "unknown")))
	}

	got = c.must(simulateQuery, vars{"f": f.flow, "n": 1})
	require.Equal(t, "1", fmt.Sprint(got.at(t, "simulateDraft", "runs")))
	require.Equal(t, "invalid_input", c.do(simulateQuery, vars{"f": f.flow, "n": 0}).code())
	require.Equal(t, "invalid_input", c.do(simulateQuery, vars{"f": f.flow, "n": 100_001}).code())
	for _, scope := range []string{"studio:read", "analytics:read"} {
		require.Equal(t, "forbidden", f.keyed("owner", scope).do(simulateQuery, vars{"f": f.flow, "n": 1}).code())
	}
}
