package main

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"time"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"github.com/svc-dev/svc/ingest"
	"github.com/svc-dev/svc/ingest/archive"
	"github.com/svc-dev/svc/ingest/history"
	"github.com/svc-dev/svc/internal/fault"
)

// defaultMaxRejected is how many broken lines a file of another tool may have before it is taken for none.
const defaultMaxRejected = 1000

// newImportPostHog makes the command for exports of PostHog.
func newImportPostHog(t terminal) *cobra.Command {
	return newImportTool(t, history.PostHog, cobra.Command{
		Use:   "posthog <file.jsonl[.gz]|->",
		Short: "Store events that PostHog exported",
		Long: "Stores the events model of a batch export or file download of PostHog as JSON lines; gzip is unpacked.\n" +
			"Page views and screens become those of Svc, other events keep their names; changes of profiles, answers of\n" +
			"feature flags and recordings are left out.\n" + aboutTools,
	})
}

// newImportUmami makes the command for tables of Umami.
func newImportUmami(t terminal) *cobra.Command {
	return newImportTool(t, history.Umami, cobra.Command{
		Use:   "umami <file.csv[.gz]|->",
		Short: "Store events of Umami",
		Long: "Stores Umami's table website_event as CSV with a header, as its data export has it; gzip is unpacked.\n" +
			"Views of pages become those of Svc, custom events keep their names, others are left out.\n" + aboutTools,
	})
}

// newImportMatomo makes the command for visits of Matomo.
func newImportMatomo(t terminal) *cobra.Command {
	return newImportTool(t, history.Matomo, cobra.Command{
		Use:   "matomo <file.json[.gz]|->",
		Short: "Store what was done in visits that Matomo exported",
		Long: "Stores the visits of Matomo's API method Live.getLastVisitsDetails as JSON: as arrays, one behind another,\n" +
			"or one visit a line; gzip is unpacked. Pages, events, searches, outlinks, downloads, goals and orders become\n" +
			"events; others are left out. Lines of the summary and of rejects are actions, counted through all visits.\n" +
			aboutTools,
	})
}

// newImportGA4 makes the command for Google Analytics' export to BigQuery.
func newImportGA4(t terminal) *cobra.Command {
	return newImportTool(t, history.GA4, cobra.Command{
		Use:   "ga4 <file.json[.gz]|->",
		Short: "Store events that Google Analytics 4 exported to BigQuery",
		Long: "Stores rows of the tables events_… as JSON lines, as BigQuery extracts them; gzip is unpacked. Page and\n" +
			"screen views become those of Svc, other events keep their names; what Analytics makes of sessions and first\n" +
			"visits, and rows without an id of a user, are left out.\n" + aboutTools,
	})
}

// newImportPlausible makes the command for Plausible's totals.
func newImportPlausible(t terminal) *cobra.Command {
	return newImportTool(t, history.Plausible, cobra.Command{
		Use:   "plausible <file.zip|file.csv[.gz]|->",
		Short: "Store totals per day that Plausible exported",
		Long: "Stores the tables of Plausible's export, a ZIP archive or one of its CSV files. They are totals of days,\n" +
			"not events: the dashboard shows them beside its own numbers. A day of a table is stored once, by whichever\n" +
			"import brings it first. All of a file is stored, or nothing. Rejected rows are JSON lines on the error output,\n" +
			"the summary is JSON on the output. Exit code 1 means that rows were rejected. svc import list names the\n" +
			"imports, svc import remove takes one out again.",
	})
}

// newImportCSV and newImportParquet make the commands for files of no tool's.
func newImportCSV(t terminal) *cobra.Command {
	return newImportTool(t, history.Neutral, cobra.Command{
		Use:   "csv <file.csv[.gz]|->",
		Short: "Store events of a CSV file with documented columns",
		Long:  "Stores events of a CSV file with a header; gzip is unpacked.\n" + aboutNeutral + aboutTools,
	})
}

func newImportParquet(t terminal) *cobra.Command {
	return newImportTool(t, history.Parquet, cobra.Command{
		Use:   "parquet <file.parquet|->",
		Short: "Store events of a Parquet file with documented columns",
		Long:  "Stores events of a Parquet file.\n" + aboutNeutral + aboutTools,
	})
}

const aboutNeutral = "The columns are those of the table events of svc export --format parquet. event_id, name,\n" +
	"occurred_at and app_user_id are required, all others optional (docs/operations.md); columns with other names are\n" +
	"passed over.\n"

// aboutTools is so of imports from all tools.
const aboutTools = "Ids come from those of the tool, so what is stored already is skipped, by whichever import. An\n" +
	"interrupted import goes on when the command is run again. Rejected lines are JSON lines on the error output, the\n" +
	"summary is JSON on the output. Exit code 1 means that lines were rejected. svc import list names the imports, svc\n" +
	"import remove takes one out again."

// newImportTool makes a command that stores the export of a tool.
func newImportTool(t terminal, tool history.Source, cmd cobra.Command) *cobra.Command {
	options := importOptions{tool: tool, kind: ingest.PathProduct.String()}
	cmd.Args = oneFile
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if options.maxRejected < 0 {
			return usageError("--max-rejected must not be negative")
		}
		if _, err := time.LoadLocation(options.timeZone); err != nil || options.timeZone == "Local" {
			return usageError("--time-zone must be a name such as Europe/Berlin, not %q", options.timeZone)
		}
		on, err := options.target.open(cmd.Context(), t)
		if err != nil {
			return err
		}
		defer on.db.Close()
		return importEvents(cmd.Context(), t, on, args[0], options)
	}
	options.target.bind(&cmd)
	cmd.Flags().BoolVar(&options.dryRun, "dry-run", false, "check every line, store nothing")
	cmd.Flags().Int64Var(
		&options.maxRejected, "max-rejected", defaultMaxRejected, "end when more lines than this are rejected, 0 for never",
	)
	if tool != history.Matomo && tool != history.GA4 && !tool.HoldsTotals() {
		cmd.Flags().StringVar(&options.timeZone, "time-zone", "UTC", "zone of times that name none, such as Europe/Berlin")
	}
	return &cmd
}

func oneFile(_ *cobra.Command, args []string) error {
	if len(args) != 1 {
		return usageError("give one file, or - for the standard input")
	}
	return nil
}

// importsListed is how many imports are listed.
const importsListed = 1000

// newImportList makes the command that lists imports from other tools.
func newImportList(t terminal) *cobra.Command {
	var flags targetFlags
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List imports from other tools, the latest first, with what became of their lines",
		Args:  noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			on, err := flags.open(cmd.Context(), t)
			if err != nil {
				return err
			}
			defer on.db.Close()
			found, err := history.List(cmd.Context(), on.db.Pool, on.environmentID, importsListed)
			if err != nil {
				return err
			}
			if found == nil {
				found = []history.Import{}
			}
			return printJSON(t, found)
		},
	}
	flags.bind(cmd)
	return cmd
}

// newImportRemove makes the command that takes an import out.
func newImportRemove(t terminal) *cobra.Command {
	var flags targetFlags
	cmd := &cobra.Command{
		Use:   "remove <id>",
		Short: "Take everything that an import from another tool brought out of events and reports",
		Long: "Removes the events of an import that svc import list names, and makes sessions and first touches anew\n" +
			"of what is left. What another import had brought before stays. The server may run; an interrupted removal goes\n" +
			"on when the command is run again.",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usageError("give the id of one import, as svc import list says it")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := uuid.Parse(args[0])
			if err != nil {
				return usageError("the id of an import is a UUID, not %q", args[0])
			}
			on, err := flags.open(cmd.Context(), t)
			if err != nil {
				return err
			}
			defer on.db.Close()
			removed, err := history.Remove(cmd.Context(), on.db.Pool, on.environmentID, id, on.settings.SessionHits)
			switch {
			case fault.Is(err, fault.NotFound):
				return &failure{exit: exitUsage, code: "not_found", message: fmt.Sprintf("no import %s in the environment", id)}
			case fault.Is(err, fault.Conflict):
				return errImportRunning
			case err != nil:
				return err
			}
			return printJSON(t, removed)
		},
	}
	flags.bind(cmd)
	return cmd
}

// errImportRunning says that another process stores or removes the same import.
var errImportRunning = &failure{exit: exitConflict, code: "conflict", message: "the import is running: end it first"}

func printJSON(t terminal, value any) error {
	encoder := json.NewEncoder(t.out)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	return encoder.Encode(value)
}

// zone is that of times that name none.
func (o *importOptions) zone() *time.Location {
	zone, err := time.LoadLocation(o.timeZone)
	if err != nil {
		return time.UTC // the command has checked it
	}
	return zone
}

// toolImport is the record of an import that is running; of Svc's own events there is none.
type toolImport struct {
	*history.Running // nil without one
	started          time.Time
}

// beginToolImport begins an import from a tool, or goes on with one. Where the record of an earlier run is gone, so is
// what it stored, and state begins anew.
func beginToolImport(
	ctx context.Context, on *target, path string, tool history.Source, state *importState,
) (toolImport, error) {
	if tool == "" {
		return toolImport{started: time.Now()}, nil
	}
	record, err := history.Begin(ctx, on.db.Pool, history.File{
		EnvironmentID: on.environmentID, Source: tool, Name: filepath.Base(path), Fingerprint: state.fingerprint(),
	})
	if fault.Is(err, fault.Conflict) {
		return toolImport{}, errImportRunning
	}
	if err != nil {
		return toolImport{}, err
	}
	if !record.Resumed {
		state.beginAnew()
	}
	return toolImport{record, record.StartedAt}, nil
}

func (i *toolImport) close() {
	if i.Running != nil {
		i.Running.Close()
	}
}

func tooManyRejected(done archive.ImportCounts, options importOptions) error {
	return &failure{
		exit: exitError, code: "too_many_rejected", details: done,
		message: fmt.Sprintf(
			"more than %d lines were rejected: is this an export of %s? Fix the file, or allow more with --max-rejected; "+
				"what was stored is kept, see svc import list", options.maxRejected, options.tool,
		),
	}
}
