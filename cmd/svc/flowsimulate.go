package main

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/svc-dev/svc/analytics/simulation"
)

// simulatedRow is a step of a draft beside the same one of the newest version.
type simulatedRow struct {
	ID             string   `json:"id"`
	Name           string   `json:"name"`
	Kind           string   `json:"kind"`
	Reach          string   `json:"reach"`
	Users          int64    `json:"users"`
	Share          float64  `json:"share"`          // of all users
	PublishedShare *float64 `json:"publishedShare"` // null for a step that the version does not have
	Left           int64    `json:"left"`
	Unknown        int64    `json:"unknown"`
}

// simulatedFlow is what is read of a simulation for rows.
type simulatedFlow struct {
	Steps []struct {
		ID, Name, Kind, Reach string
		Users, Left, Unknown  int64
	}
}

func newFlowSimulate(t terminal) *cobra.Command {
	var runs int
	cmd := environmentCommand(t, clientCommand{
		use: "simulate", short: "Replay recorded runs through the draft: who would come to each step",
		arguments: []string{"flowId"},
	}, func(ctx context.Context, server api, args []string, env string, out printer) error {
		if runs < 1 || runs > simulation.MaxRuns {
			return usageError("--runs must be 1 to %d, not %d", simulation.MaxRuns, runs)
		}
		asked := map[string]any{"flow": args[0], "environment": env, "runs": runs}
		data, err := server.query(ctx, "simulateDraft", asked, "simulateDraft")
		if err == nil && out.format != "json" && out.jq == "" {
			data, err = simulatedRows(data)
		}
		if err != nil {
			return err
		}
		return out.print(t.out, data)
	})
	cmd.Flags().IntVar(&runs, "runs", simulation.DefaultRuns, "how many of the newest runs, at most 100000")
	return cmd
}

// simulatedRows lists the steps of the draft, each beside the newest version's share.
func simulatedRows(raw json.RawMessage) (json.RawMessage, error) {
	var simulated struct {
		Users     int64
		Draft     simulatedFlow
		Published *simulatedFlow
	}
	if err := json.Unmarshal(raw, &simulated); err != nil {
		return nil, fmt.Errorf("read the simulation: %w", err)
	}
	share := func(users int64) float64 { return float64(users) / float64(max(simulated.Users, 1)) }
	published := map[string]float64{}
	if simulated.Published != nil {
		for _, step := range simulated.Published.Steps {
			published[step.ID] = share(step.Users)
		}
	}
	rows := make([]simulatedRow, len(simulated.Draft.Steps))
	for i, step := range simulated.Draft.Steps {
		rows[i] = simulatedRow{
			ID: step.ID, Name: step.Name, Kind: step.Kind, Reach: step.Reach, Users: step.Users, Share: share(step.Users),
			Left: step.Left, Unknown: step.Unknown,
		}
		if before, ok := published[step.ID]; ok {
			rows[i].PublishedShare = &before
		}
	}
	return json.Marshal(rows)
}
