package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"

	"github.com/svc-dev/svc/ingest"
	"github.com/svc-dev/svc/ingest/archive"
)

func newImport(t terminal) *cobra.Command {
	group := &cobra.Command{Use: "import", Short: "Bring history into the database of SVC_DATABASE_URL"}
	var flags targetFlags
	var organicUnknown bool
	cmd := &cobra.Command{
		Use:   "events <file.ndjson[.gz]|->",
		Short: "Store product events, one JSON object a line, of any age",
		Long: "Stores product events, one JSON object a line in the form of POST /v1/sdk/analytics/events or as\n" +
			"svc export events writes them; gzip is unpacked. The checks are those of the endpoint, without the age\n" +
			"limit. What is stored already is skipped, so the same file may be imported again; an interrupted import\n" +
			"goes on where it was when the command is run again. Rejected lines are JSON lines on the error output,\n" +
			"the summary is JSON on the output. Exit code 1 means that some lines were rejected and the rest is stored.",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usageError("give one file, or - for the standard input")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			on, err := flags.open(cmd.Context(), t)
			if err != nil {
				return err
			}
			defer on.db.Close()
			return importEvents(cmd.Context(), t, on, args[0], organicUnknown)
		},
	}
	flags.bind(cmd)
	cmd.Flags().BoolVar(&organicUnknown, "organic-unknown", false, "the history was recorded before the organic flag existed: its app sessions are left out of channel and referrer tables")
	return grouped(group, cmd)
}

// stateEvery is how often an import notes how far it is.
const stateEvery = time.Second

func importEvents(ctx context.Context, t terminal, on *target, path string, organicUnknown bool) (err error) {
	source, err := openSource(t, path)
	if err != nil {
		return err
	}
	defer source.close()
	state, err := readImportState(path, on, source)
	if err != nil {
		return err
	}
	importer, err := ingest.NewImporter(on.db, ingestSettings(on.settings), ingest.Deps{Logger: newLogger(on.settings, os.Stderr)})
	if err != nil {
		return err
	}
	importer.Start(ctx)
	bar := t.bytesBar(source.size, "importing")
	source.read = func(n int) { bar.Add(n) }
	rejects := json.NewEncoder(t.err)
	rejects.SetEscapeHTML(false)
	var written time.Time
	im := archive.Import{
		To:      importer,
		History: ingest.History{EnvironmentID: on.environmentID, ReceivedAt: time.Now(), OrganicUnknown: organicUnknown},
		Open:    source.open,
		From:    state.ResumeAtLine,
		Rejected: func(r archive.Reject) {
			bar.Clear()
			_ = rejects.Encode(r) // nothing is left to tell when stderr is gone
		},
		Step: func(s archive.Step) {
			if state.ResumeAtLine = s.Resume; time.Since(written) >= stateEvery {
				written = time.Now()
				state.write()
			}
		},
	}
	summary, err := im.Run(ctx)
	bar.Finish()
	stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), databaseStopTimeout)
	defer cancel()
	if stopErr := importer.Stop(stopping); err == nil {
		err = stopErr
	}
	if err != nil {
		state.write()
		if errors.Is(err, ingest.ErrUnavailable) {
			return &failure{exit: exitRetryable, code: "database_unavailable", message: err.Error() + "; run the same command again to go on", cause: err}
		}
		return err
	}
	state.remove()
	if err := json.NewEncoder(t.out).Encode(summary); err != nil {
		return err
	}
	if summary.Rejected > 0 {
		return &failure{exit: exitError, code: "events_rejected", message: fmt.Sprintf("%d of %d lines were rejected; the rest is stored", summary.Rejected, summary.Lines), details: summary}
	}
	return nil
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
		progressbar.OptionShowBytes(true), progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionClearOnFinish())}
}

// rowsBar counts rows of an unknown number.
func (t terminal) rowsBar(what string) bar {
	if !t.watched() {
		return bar{}
	}
	return bar{progressbar.NewOptions64(-1, progressbar.OptionSetWriter(t.err), progressbar.OptionSetDescription(what),
		progressbar.OptionShowCount(), progressbar.OptionShowIts(), progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionClearOnFinish())}
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
