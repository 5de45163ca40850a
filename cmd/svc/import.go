package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"strings"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"

	servedpeople "github.com/svc-dev/svc/delivery/served"
	"github.com/svc-dev/svc/ent/channel"
	"github.com/svc-dev/svc/ent/environment"
	"github.com/svc-dev/svc/ingest"
	"github.com/svc-dev/svc/ingest/archive"
	"github.com/svc-dev/svc/ingest/history"
	"github.com/svc-dev/svc/revenue"
)

// importOptions are the flags of an import.
type importOptions struct {
	target         targetFlags
	kind           string
	channels       []string
	organicUnknown bool
	dryRun         bool
	tool           history.Source // "" for events of Svc's own
	maxRejected    int64          // 0 is no bound
	timeZone       string         // of times that name none; "" is UTC
}

func newImport(t terminal) *cobra.Command {
	group := &cobra.Command{Use: "import", Short: "Bring history into the database of SVC_DATABASE_URL"}
	var options importOptions
	cmd := &cobra.Command{
		Use:   "events <file.ndjson[.gz]|->",
		Short: "Store product, flow or track events, one JSON object a line, of any age",
		Long: "Stores events, one JSON object a line in the form of POST /v1/sdk/analytics/events (flow and track events:\n" +
			"/v1/sdk/events, /v1/sdk/track) or as svc export events writes them; gzip is unpacked. The checks are those of\n" +
			"the endpoints, without the age limit. What is stored already is skipped, so the same file may be imported\n" +
			"again; an interrupted import goes on where it was when the command is run again. Rejected lines are JSON lines\n" +
			"on the error output, the summary is JSON on the output. Exit code 1 means that some lines were rejected and\n" +
			"the rest is stored.",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usageError("give one file, or - for the standard input")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if _, ok := ingest.ParsePath(options.kind); !ok {
				return usageError("--kind must be %s, not %q", strings.Join(kindNames(), ", "), options.kind)
			}
			on, err := options.target.open(cmd.Context(), t)
			if err != nil {
				return err
			}
			defer on.db.Close()
			return importEvents(cmd.Context(), t, on, args[0], options)
		},
	}
	options.target.bind(cmd)
	kindFlag(cmd, &options.kind, "kind of the lines that don't name theirs", kindNames())
	cmd.Flags().StringArrayVar(
		&options.channels, "channel", nil,
		"channel of the environment to store flow events for: [old=]new, repeated; without old, for lines without a channel",
	)
	cmd.Flags().BoolVar(
		&options.organicUnknown, "organic-unknown", false,
		"the history was recorded before the organic flag existed: its app sessions are left out of channel and referrer "+
			"tables",
	)
	cmd.Flags().BoolVar(&options.dryRun, "dry-run", false, "check every line, store nothing")
	return newGroup(group, cmd, newImportServed(t), newImportRevenue(t), newImportPostHog(t), newImportUmami(t),
		newImportMatomo(t), newImportGA4(t), newImportPlausible(t), newImportCSV(t), newImportParquet(t),
		newImportList(t), newImportRemove(t))
}

// newImportServed makes the command for whom experiments were served to.
func newImportServed(t terminal) *cobra.Command {
	return newImportLines(t, cobra.Command{
		Use:   "served <file.ndjson[.gz]|->",
		Short: "Store assignments of experiments, as svc export served writes them",
		Long: "Stores the lines of svc export served; gzip is unpacked. Who is there already stays, so the same file may\n" +
			"be imported again, and who was erased is left out. A line that is none ends the import with an error that names\n" +
			"it; lines before it are stored.",
	}, func(ctx context.Context, on *target, in io.Reader) (any, error) {
		return servedpeople.Import(ctx, on.db.Pool, on.environmentID, in)
	})
}

// newImportRevenue makes the command for what money is made of.
func newImportRevenue(t terminal) *cobra.Command {
	return newImportLines(t, cobra.Command{
		Use:   "revenue <file.ndjson[.gz]|->",
		Short: "Store revenue data, as svc export revenue writes it, and book it",
		Long: "Stores the lines of svc export revenue and books all deliveries of the environment anew; gzip is unpacked.\n" +
			"What is there already stays, so the same file may be imported again. Connections come without secrets and\n" +
			"archived: connect the provider anew. A line that is none ends the import with an error that names it; lines\n" +
			"before it may be stored, and are booked by the next import or svc revenue replay.",
	}, func(ctx context.Context, on *target, in io.Reader) (any, error) {
		return revenue.Import(ctx, on.db.Pool, on.appID, on.environmentID, in)
	})
}

// newImportLines makes a command that stores the lines of a file, and prints what it did.
func newImportLines(
	t terminal, cmd cobra.Command, store func(ctx context.Context, on *target, in io.Reader) (any, error),
) *cobra.Command {
	var flags targetFlags
	cmd.Args = func(_ *cobra.Command, args []string) error {
		if len(args) != 1 {
			return usageError("give one file, or - for the standard input")
		}
		return nil
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		on, err := flags.open(cmd.Context(), t)
		if err != nil {
			return err
		}
		defer on.db.Close()
		source, err := openSource(t, args[0])
		if err != nil {
			return err
		}
		defer source.close()
		in, err := archive.Unpack(source.in)
		if err != nil {
			return err
		}
		done, err := store(cmd.Context(), on, in)
		if err != nil {
			return err
		}
		return json.NewEncoder(t.out).Encode(done)
	}
	flags.bind(&cmd)
	return &cmd
}

// channelIDs finds the channels that flow events are stored for: those of the
// environment by their public ids, and what --channel says.
func (o importOptions) channelIDs(ctx context.Context, on *target) (map[string]int64, error) {
	ids := map[string]int64{}
	stored, err := on.db.Ent().Channel.Query().Where(channel.HasEnvironmentWith(environment.ID(on.environmentID))).All(ctx)
	if err != nil {
		return nil, fmt.Errorf("read channels: %w", err)
	}
	for _, c := range stored {
		ids[c.PublicID] = c.ID
	}
	named := map[string]int64{}
	for _, text := range o.channels {
		old, to, both := strings.Cut(text, "=")
		if !both {
			old, to = "", text
		}
		id, known := ids[to]
		if !known {
			return nil, usageError("--channel: the %s environment has no channel %q", o.target.env, to)
		}
		named[old] = id
	}
	maps.Copy(ids, named)
	return ids, nil
}

func importEvents(ctx context.Context, t terminal, on *target, path string, options importOptions) (err error) {
	source, err := openSource(t, path)
	if err != nil {
		return err
	}
	defer source.close()
	channels, err := options.channelIDs(ctx, on)
	if err != nil {
		return err
	}
	kind, _ := ingest.ParsePath(options.kind) // checked by the command
	state, record := &importState{}, toolImport{started: time.Now()}
	if !options.dryRun {
		if state, err = readImportState(path, on, source, options); err != nil {
			return err
		}
		if record, err = beginToolImport(ctx, on, path, options.tool, state); err != nil {
			return err
		}
		defer record.close()
	}
	collectRarely()
	bar := t.bytesBar(source.size, "importing")
	source.read = func(n int) { bar.Add(n) }
	rejects := json.NewEncoder(t.err)
	rejects.SetEscapeHTML(false)
	storage := history.Storage{
		DB: on.db, Ingest: ingestSettings(on.settings), Logger: newLogger(on.settings, os.Stderr),
	}
	summary, err := storage.Store(ctx, record.Running, history.Lines{
		Source: options.tool, Zone: options.zone(), Open: source.open, MaxUnpacked: math.MaxInt64,
		Into: ingest.History{
			EnvironmentID: on.environmentID, Path: kind, ReceivedAt: record.started,
			OrganicUnknown: options.organicUnknown,
			Channel:        func(publicID string) (int64, bool) { id, known := channels[publicID]; return id, known },
		},
		From: state.ResumeAtLine, Before: state.Before, DryRun: options.dryRun, MaxRejected: options.maxRejected,
		Rejected: func(r archive.Reject) {
			bar.Clear()
			_ = rejects.Encode(r) // nothing is left to tell when stderr is gone
		},
		Keep: func(from int64, before archive.ImportCounts) error {
			state.ResumeAtLine, state.Before = from, before
			state.write()
			return nil
		},
	})
	bar.Finish()
	if err != nil {
		if errors.Is(err, archive.ErrTooManyRejected) {
			return tooManyRejected(summary, options)
		}
		if errors.Is(err, ingest.ErrUnavailable) {
			return &failure{
				exit: exitRetryable, code: "database_unavailable", message: err.Error() + "; run the same command again to go on",
				cause: err,
			}
		}
		return err
	}
	state.remove()
	if err := json.NewEncoder(t.out).Encode(summary); err != nil {
		return err
	}
	if summary.Rejected > 0 {
		return &failure{
			exit: exitError, code: "events_rejected", message: rejectedMessage(summary, options.dryRun), details: summary,
		}
	}
	return nil
}

func rejectedMessage(summary archive.ImportCounts, dryRun bool) string {
	rest := "the rest is stored"
	if dryRun {
		rest = "nothing was stored"
	}
	return fmt.Sprintf("%d of %d lines were rejected; %s", summary.Rejected, summary.Lines, rest)
}

// source is the file of an import, or the standard input.
type source struct {
	path string // "" for the standard input
	in   io.Reader
	file *os.File
	size int64     // -1 when it is not known
	read func(int) // told how many bytes were read
}

func openSource(t terminal, path string) (*source, error) {
	if path == "-" {
		return &source{in: t.in, size: -1}, nil
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, usageError("%s", err)
	}
	info, err := file.Stat()
	if err != nil {
		file.Close()
		return nil, err
	}
	if info.IsDir() {
		file.Close()
		return nil, usageError("%s is a directory", path)
	}
	s := &source{path: path, in: file, file: file, size: info.Size()}
	if !info.Mode().IsRegular() {
		s.path, s.size = "", -1 // a pipe is read once, as the standard input is
	}
	return s, nil
}

// open begins at the first byte.
func (s *source) open() (io.ReadCloser, error) {
	if s.path != "" {
		if _, err := s.file.Seek(0, io.SeekStart); err != nil {
			return nil, err
		}
	}
	return io.NopCloser(countedReader{s.in, s.read}), nil
}

func (s *source) close() {
	if s.file != nil {
		_ = s.file.Close() // only read
	}
}

type countedReader struct {
	io.Reader
	read func(int)
}

func (r countedReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	r.read(n)
	return n, err
}

// bar is a progress bar that exists only while a person watches.
type bar struct{ shown *progressbar.ProgressBar }

// bytesBar counts bytes to a total; -1 is an unknown one.
func (t terminal) bytesBar(total int64, what string) bar {
	if !t.watched() {
		return bar{}
	}
	return bar{progressbar.NewOptions64(total, progressbar.OptionSetWriter(t.err), progressbar.OptionSetDescription(what),
		progressbar.OptionShowBytes(true), progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionClearOnFinish())}
}

// rowsBar counts rows of an unknown number.
func (t terminal) rowsBar(what string) bar {
	if !t.watched() {
		return bar{}
	}
	return bar{progressbar.NewOptions64(-1, progressbar.OptionSetWriter(t.err), progressbar.OptionSetDescription(what),
		progressbar.OptionShowCount(), progressbar.OptionShowIts(), progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionClearOnFinish())}
}

// A bar that can't be drawn is no reason to fail.

func (b bar) Add(n int) {
	if b.shown != nil {
		_ = b.shown.Add(n)
	}
}

func (b bar) Set(n int64) {
	if b.shown != nil {
		_ = b.shown.Set64(n)
	}
}

func (b bar) Clear() {
	if b.shown != nil {
		_ = b.shown.Clear()
	}
}

func (b bar) Finish() {
	if b.shown != nil {
		_ = b.shown.Finish()
	}
}
