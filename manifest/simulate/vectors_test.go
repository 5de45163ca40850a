package simulate_test

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/manifest"
	"github.com/svc-dev/svc/manifest/simulate"
)

// The vectors are what the SDK is held to as well: a run that recorded the events of an answer takes the case of a
// decision that a run with the answer takes.
func TestConditions(t *testing.T) {
	raw, err := os.ReadFile("../../sdk/vectors/conditions.json")
	require.NoError(t, err)
	var vectors []struct {
		Name       string
		Expression any
		Holds      bool
		Answer     *struct {
			Layer  string
			Events []string
		}
	}
	require.NoError(t, json.Unmarshal(raw, &vectors))
	require.Greater(t, len(vectors), 40)
	for _, v := range vectors {
		t.Run(v.Name, func(t *testing.T) {
			layers := []object{{"id": "b", "kind": "button", "action": object{"kind": "continue"}}}
			answers := map[string][]string{}
			if v.Answer != nil {
				layers = append(layers, object{
					"id": "q", "kind": v.Answer.Layer, "fieldKey": "q",
					"optionBindings": []object{{"optionId": "a"}, {"optionId": "b"}, {"optionId": "c"}},
				})
				answers["q"] = v.Answer.Events
			}
			flow, err := json.Marshal(object{
				"entryScreenId": "s0", "screens": []object{{
					"id": "s0", "next": object{"default": "d0"}, "regions": object{"body": object{"children": layers}},
				}},
				"decisionNodes": []object{{
					"id": "d0", "cases": []object{{"id": "holds", "expression": v.Expression}}, "elseNext": nil,
				}},
			})
			require.NoError(t, err)
			m, err := manifest.Open(flow)
			require.NoError(t, err)
			shares := simulated(t, m, []*manifest.Manifest{m}, plainRun{
				platform: "ios", locale: "de-DE", completed: true,
				visits: []plainVisit{{step: "s0", exit: simulate.Went, toward: "d0", answers: answers}},
			})
			require.Equal(t, map[bool]int64{true: 1}[v.Holds], wayOf(t, shares, simulate.Case, "holds").Runs)
			require.EqualValues(t, 1, shares.Completed)
		})
	}
}

func simulated(
	t *testing.T, draft *manifest.Manifest, versions []*manifest.Manifest, plain ...plainRun,
) *simulate.Shares {
	t.Helper()
	runs := simulate.NewRuns()
	pack(runs, plain)
	flow := simulate.Compile(draft, runs)
	var compiled []*simulate.Flow
	for _, version := range versions {
		compiled = append(compiled, simulate.Compile(version, runs))
	}
	shares, err := flow.Simulate(background, compiled)
	require.NoError(t, err)
	return shares
}

func wayOf(t *testing.T, s *simulate.Shares, kind simulate.WayKind, node string) simulate.WayShare {
	t.Helper()
	for _, way := range s.Ways {
		if way.Kind == kind && way.Node == node {
			return way
		}
	}
	t.Fatalf("there is no way %s %s", kind, node)
	return simulate.WayShare{}
}
