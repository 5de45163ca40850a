package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/svc-dev/svc/ingest/archive/bucket"
	"github.com/svc-dev/svc/ingest/archive/parquetfiles"
)

// exportsAtOnce is how many days `svc export` writes at the same time, within 256 MiB: while a file ends or the
// database looks for its first row, the other one goes on.
const exportsAtOnce = 2

// exportParquet makes `svc export --format parquet` of the group of exports.
func exportParquet(t terminal, group *cobra.Command) *cobra.Command {
	var flags targetFlags
	var format, start, end, dir string
	var names []string
	group.Long = "Takes history out of the database of SVC_DATABASE_URL: as lines by the commands below, or with\n" +
		"--format parquet as a folder of Parquet files, one a table and UTC day. An export into a folder that is there\n" +
		"writes the days that have changed since, and removes files of days that have no rows any more. Instead of a\n" +
		"folder --out takes s3://bucket/prefix, by AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_REGION and, where it is\n" +
		"not Amazon's, AWS_ENDPOINT_URL."
	flags.bind(group)
	group.Flags().StringVar(&format, "format", "", "parquet")
	group.Flags().StringVar(&dir, "out", "", "folder or s3:// URL to write")
	group.Flags().StringVar(&start, "start", "", "first UTC day (default the oldest one)")
	group.Flags().StringVar(&end, "end", "", "end, excluded, a UTC day (default the newest one)")
	group.Flags().StringSliceVar(
		&names, "table", nil, "tables, of "+strings.Join(parquetfiles.TableNames(), ", ")+" (default all)",
	)
	help := group.RunE
	group.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) > 0 || cmd.Flags().NFlag() == 0 {
			return help(cmd, args)
		}
		if format != "parquet" {
			return usageError("--format must be parquet, not %q", format)
		}
		if dir == "" {
			return usageError("--out must be a folder or an s3:// URL")
		}
		to, err := t.parquetPlace(dir)
		if err != nil {
			return err
		}
		what, err := parquetDays(start, end)
		if err != nil {
			return err
		}
		if what.Tables, err = parquetTables(names); err != nil {
			return err
		}
		on, err := flags.open(cmd.Context(), t)
		if err != nil {
			return err
		}
		defer on.db.Close()
		collectRarely()
		bar := t.rowsBar("exporting")
		what.App, what.Environment, what.EnvironmentID = on.appID.String(), flags.env, on.environmentID
		what.To, what.AtOnce = to, exportsAtOnce
		what.Progress = func(so parquetfiles.Summary) { bar.Set(so.Rows) }
		done, err := parquetfiles.Export(cmd.Context(), on.db.Pool, what)
		bar.Finish()
		if errors.Is(err, parquetfiles.ErrOtherApp) {
			return usageError("--out: %s", err)
		}
		if err != nil {
			return err
		}
		return json.NewEncoder(t.out).Encode(done)
	}
	return group
}

// parquetPlace returns the folder, or the bucket that the variables of Amazon's own tools open.
func (t terminal) parquetPlace(out string) (parquetfiles.Place, error) {
	rest, ok := strings.CutPrefix(out, "s3://")
	if !ok {
		return parquetfiles.Folder(out), nil
	}
	name, prefix, _ := strings.Cut(rest, "/")
	to, err := bucket.Open(bucket.Address{
		Endpoint: cmp.Or(t.env("AWS_ENDPOINT_URL"), "https://s3.amazonaws.com"), Region: t.env("AWS_REGION"),
		Bucket: name, Prefix: prefix,
		AccessKey: t.env("AWS_ACCESS_KEY_ID"), SecretKey: t.env("AWS_SECRET_ACCESS_KEY"),
	}, nil)
	var problem *bucket.Problem
	if errors.As(err, &problem) {
		return nil, usageError("--out: %s", problem)
	}
	return to, err
}

// parquetDays reads the bounds, which are whole days because files are.
func parquetDays(start, end string) (what parquetfiles.Options, err error) {
	for _, bound := range []struct {
		flag, text string
		day        *time.Time
	}{{"start", start, &what.First}, {"end", end, &what.End}} {
		if bound.text == "" {
			continue
		}
		if *bound.day, err = time.Parse(time.DateOnly, bound.text); err != nil {
			return what, usageError("--%s must be a UTC day such as 2026-01-31, not %q", bound.flag, bound.text)
		}
	}
	if !what.End.IsZero() && !what.End.After(what.First) {
		return what, usageError("--end must be after --start")
	}
	return what, nil
}

func parquetTables(names []string) ([]string, error) {
	known := parquetfiles.TableNames()
	for _, name := range names {
		if !slices.Contains(known, name) {
			return nil, usageError("--table must be of %s, not %q", strings.Join(known, ", "), name)
		}
	}
	return names, nil
}
