package simulate_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/manifest"
	"github.com/svc-dev/svc/manifest/simulate"
)

// BenchmarkSimulate replays 100,000 runs of a flow of 30 steps, most of which ask something and every fifth of which
// branches.
func BenchmarkSimulate(b *testing.B) {
	m, runs := longFlow(b, 30, 100_000)
	flow, version := simulate.Compile(m, runs), simulate.Compile(m, runs)
	b.ReportMetric(float64(runs.Bytes())/float64(runs.Len()), "B/run")
	for b.Loop() {
		shares, err := flow.Simulate(background, []*simulate.Flow{version})
		require.NoError(b, err)
		require.EqualValues(b, 100_000, shares.Completed)
	}
}

func longFlow(b *testing.B, steps, people int) (*manifest.Manifest, *simulate.Runs) {
	b.Helper()
	var all, forks []object
	for i := range steps {
		to := fmt.Sprint("s", i+1)
		if i%5 == 4 {
			forks = append(forks, object{
				"id": fmt.Sprint("d", i), "elseNext": to, "cases": []object{{
					"id": "c", "next": to, "expression": object{
						"kind": "predicate", "variable": object{"kind": "field", "fieldKey": fmt.Sprint("q", i)},
						"predicate": object{"type": "choice", "pred": object{"op": "eq", "optionId": "a"}},
					},
				}},
			})
			to = fmt.Sprint("d", i)
		}
		if i == steps-1 {
			to = "__onb_surface_no_next__"
		}
		all = append(all, object{
			"id": fmt.Sprint("s", i), "next": object{"default": to}, "regions": object{"body": object{"children": []object{
				{
					"id": fmt.Sprint("l", i), "kind": "single_choice", "fieldKey": fmt.Sprint("q", i),
					"optionBindings": []object{{"optionId": "a"}, {"optionId": "b"}},
				},
				{"id": fmt.Sprint("b", i), "kind": "button", "action": object{"kind": "skip"}},
			}}},
		})
	}
	raw, err := json.Marshal(object{"entryScreenId": "s0", "screens": all, "decisionNodes": forks})
	require.NoError(b, err)
	m, err := manifest.Open(raw)
	require.NoError(b, err)
	runs := simulate.NewRuns()
	for person := range people {
		run := simulate.Run{Person: runs.Name(fmt.Sprint("person ", person)), Completed: true}
		for i := range steps {
			toward := all[i]["next"].(object)["default"].(string)
			if i == steps-1 {
				toward = ""
			}
			run.Visits = append(run.Visits, simulate.Visit{
				Step: runs.Name(fmt.Sprint("s", i)), Exit: simulate.Went, Toward: runs.Name(toward),
				Answers: []simulate.Answer{{Field: runs.Name(fmt.Sprint("q", i)), Value: runs.Name([]string{"a", "b"}[person%2])}},
			})
		}
		runs.Add(&run)
	}
	return m, runs
}
