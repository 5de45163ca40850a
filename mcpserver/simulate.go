package mcpserver

import (
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/svc-dev/svc/analytics/simulation"
)

type simulateInput struct {
	Flow        string `json:"flow" jsonschema:"id of the flow"`
	Environment string `json:"environment,omitempty" jsonschema:"LIVE or TEST; LIVE unless given"`
	Runs        int    `json:"runs,omitempty" jsonschema:"how many of the newest runs, at most 100000; 10000 unless given"`
}

var simulated = sdl.Query.Fields.ForName("simulateDraft").Type

var simulateQuery = "query($flow: ID!, $environment: EnvironmentKind!, $runs: Int!) {\n" +
	"  simulateDraft(flowId: $flow, environment: $environment, runs: $runs)" + selection(simulated) + "\n}"

func addSimulate(server *mcp.Server) {
	addTool(server, &mcp.Tool{
		Name: "simulate", Annotations: reads,
		Description: "Replays recorded runs through the draft of a flow and through its newest version: who would come to " +
			"each step. Compare the two with each other, not with reports. What runs would do where nothing recorded says so " +
			"counts as unknown. A draft with errors is refused: validate says which.",
	}, (*call).simulate)
}

func (c *call) simulate(in simulateInput) (any, error) {
	if in.Runs == 0 {
		in.Runs = simulation.DefaultRuns
	}
	var data struct{ SimulateDraft any }
	if err := c.ask(simulateQuery, map[string]any{
		"flow": in.Flow, "environment": orElse(in.Environment, "LIVE"), "runs": in.Runs,
	}, &data); err != nil {
		return nil, err
	}
	return c.newAnswer(compact(simulated, data.SimulateDraft)), nil
}
