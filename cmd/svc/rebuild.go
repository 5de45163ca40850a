package main

import (
	"encoding/json"
	"time"

	"github.com/spf13/cobra"

	"github.com/svc-dev/svc/ingest/rebuild"
)

// differencesShown is how many differences are listed; all are counted.
const differencesShown = 1000

func newRebuild(t terminal) *cobra.Command {
	var flags targetFlags
	var dryRun bool
	cmd := &cobra.Command{
		Use:   "rebuild",
		Short: "Recompute sessions, first touches and runs from the raw events, report what differs and put it right",
		Long: "Recomputes the sessions, first touches and runs of an environment from its raw events and compares them\n" +
			"with what is stored. Nothing differs unless something was broken or events are older than the version that\n" +
			"made runs of them; what differs is put right, and reports follow.\n" +
			"What the raw events can't tell any more is left alone. The result is JSON on the output. The server may run.\n" +
			"With --dry-run nothing is changed, and exit code 1 means that something differs.",
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			on, err := flags.open(cmd.Context(), t)
			if err != nil {
				return err
			}
			defer on.db.Close()
			differences := []rebuild.Difference{}
			bar := t.rowsBar("reading raw events")
			summary, err := rebuild.Run(cmd.Context(), on.db.Pool, rebuild.Options{
				EnvironmentID: on.environmentID, HitLimit: on.settings.SessionHits, RunHitLimit: on.settings.RunHits,
				Retention: on.settings.EventRetention, DryRun: dryRun, Now: time.Now(), Progress: bar.Set,
				Difference: func(d rebuild.Difference) {
					if len(differences) < differencesShown {
						differences = append(differences, d)
					}
				},
			})
			bar.Finish()
			if err != nil {
				return err
			}
			wrong := summary.Wrong()
			encoder := json.NewEncoder(t.out)
			encoder.SetIndent("", "  ")
			encoder.SetEscapeHTML(false)
			err = encoder.Encode(struct {
				rebuild.Result
				DryRun      bool                 `json:"dryRun"`
				Differences []rebuild.Difference `json:"differences"` // the first ones
			}{summary, dryRun, differences})
			if err == nil && dryRun && wrong > 0 {
				return &failure{
					exit: exitError, code: "differences_found",
					message: "sessions, first touches or runs differ from the raw events; run without --dry-run to put them right",
				}
			}
			return err
		},
	}
	flags.bind(cmd)
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "compare only, change nothing")
	return cmd
}
