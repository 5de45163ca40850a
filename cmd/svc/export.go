package main

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"strings"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/spf13/cobra"

	servedpeople "github.com/svc-dev/svc/delivery/served"
	"github.com/svc-dev/svc/ingest"
	"github.com/svc-dev/svc/ingest/archive"
	"github.com/svc-dev/svc/revenue"
)

func newExport(t terminal) *cobra.Command {
	group := &cobra.Command{Use: "export", Short: "Take history out of the database of SVC_DATABASE_URL"}
	var flags targetFlags
	var start, end, path, kind string
	cmd := &cobra.Command{
		Use:   "events",
		Short: "Write product, flow or track events, one JSON object a line, in order of time",
		Long: "Writes events, one JSON object a line, in the form that svc import events reads, ordered by time; with\n" +
			"--kind all product, flow and track events one after another. Without --out they go to the output; with it\n" +
			"the file appears when it is complete, and a summary is printed.",
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var within archive.Range
			kinds, err := parseKinds(kind)
			if err != nil {
				return err
			}
			if within.Start, err = parseMoment("start", start); err != nil {
				return err
			}
			if within.End, err = parseMoment("end", end); err != nil {
				return err
			}
			if !within.Start.IsZero() && !within.End.IsZero() && !within.End.After(within.Start) {
				return usageError("--end must be after --start")
			}
			on, err := flags.open(cmd.Context(), t)
			if err != nil {
				return err
			}
			defer on.db.Close()
			what := archive.ExportOptions{EnvironmentID: on.environmentID, Kinds: kinds, Within: within}
			bar := t.rowsBar("exporting")
			if path == "" {
				_, err = archive.Export(cmd.Context(), on.db.Pool, what, t.out, bar.Set)
				bar.Finish()
				return err
			}
			events, err := exportFile(path, func(w io.Writer) (int64, error) {
				return archive.Export(cmd.Context(), on.db.Pool, what, w, bar.Set)
			})
			bar.Finish()
			if err != nil {
				return err
			}
			return json.NewEncoder(t.out).Encode(map[string]any{"events": events, "file": path})
		},
	}
	flags.bind(cmd)
	kindFlag(cmd, &kind, "kind of events", append(kindNames(), allKinds))
	cmd.Flags().StringVar(
		&start, "start", "", "first moment, a UTC date or an RFC 3339 instant (default the oldest event)",
	)
	cmd.Flags().StringVar(&end, "end", "", "end, excluded, a UTC date or an RFC 3339 instant (default the newest event)")
	cmd.Flags().StringVar(&path, "out", "", "file to write; .gz at its end packs it")
	return exportParquet(t, newGroup(group, cmd, newExportServed(t), newExportRevenue(t)))
}

// newExportServed makes the command for whom experiments were served to.
func newExportServed(t terminal) *cobra.Command {
	return newExportLines(t, cobra.Command{
		Use:   "served",
		Short: "Write assignments of experiments, one JSON object per line",
		Long: "Writes the assignments of an environment's experiments, by hashes of user ids, and how many\n" +
			"were left out on which day, in the form that svc import served reads. Without --out it goes to the output; with\n" +
			"it the file appears when it is complete, and a summary is printed.",
	}, servedpeople.Export)
}

// newExportRevenue makes the command for what money is made of.
func newExportRevenue(t terminal) *cobra.Command {
	return newExportLines(t, cobra.Command{
		Use:   "revenue",
		Short: "Write the revenue data of an environment, one JSON object per line",
		Long: "Writes deliveries of billing providers as they came, their connections without secrets, whose money is\n" +
			"whose, purchases that were recorded by hand and the rates of their currencies, in the form that svc import\n" +
			"revenue reads. Without --out it goes to the output; with it the file appears when it is complete, and a\n" +
			"summary is printed.",
	}, revenue.Export)
}

// newExportLines makes a command that writes lines of an environment.
func newExportLines(
	t terminal, cmd cobra.Command,
	lines func(ctx context.Context, pool *pgxpool.Pool, environmentID int64, w io.Writer) (int64, error),
) *cobra.Command {
	var flags targetFlags
	var path string
	cmd.Args = noArguments
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		on, err := flags.open(cmd.Context(), t)
		if err != nil {
			return err
		}
		defer on.db.Close()
		export := func(w io.Writer) (int64, error) { return lines(cmd.Context(), on.db.Pool, on.environmentID, w) }
		if path == "" {
			_, err = export(t.out)
			return err
		}
		n, err := exportFile(path, export)
		if err != nil {
			return err
		}
		return json.NewEncoder(t.out).Encode(map[string]any{"lines": n, "file": path})
	}
	flags.bind(&cmd)
	cmd.Flags().StringVar(&path, "out", "", "file to write; .gz at its end packs it")
	return &cmd
}

// allKinds asks for the kinds one after another.
const allKinds = "all"

func kindNames() []string {
	var names []string
	for _, kind := range ingest.Paths {
		names = append(names, kind.String())
	}
	return names
}

func kindFlag(cmd *cobra.Command, kind *string, usage string, values []string) {
	cmd.Flags().StringVar(kind, "kind", archive.Product.String(), usage+": "+strings.Join(values, ", "))
	// the flag exists
	_ = cmd.RegisterFlagCompletionFunc("kind", cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
}

func parseKinds(text string) ([]archive.Kind, error) {
	if text == allKinds {
		return ingest.Paths, nil
	}
	kind, ok := ingest.ParsePath(text)
	if !ok {
		return nil, usageError("--kind must be %s, not %q", strings.Join(append(kindNames(), allKinds), ", "), text)
	}
	return []archive.Kind{kind}, nil
}

// exportFile writes beside path and renames at the end, so that a file under its
// name is always whole.
func exportFile(path string, export func(io.Writer) (int64, error)) (lines int64, err error) {
	file, err := createNew(path+".part-", 0o666)
	if err != nil {
		return 0, usageError("--out: %s", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(file.Name()))
		}
	}()
	var out io.Writer = file
	var packed *gzip.Writer
	if strings.HasSuffix(path, ".gz") {
		packed = gzip.NewWriter(file)
		out = packed
	}
	lines, err = export(out)
	if packed != nil {
		err = errors.Join(err, packed.Close())
	}
	if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
		return lines, err
	}
	return lines, os.Rename(file.Name(), path)
}
