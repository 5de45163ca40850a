package history

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"time"

	"github.com/svc-dev/svc/ingest"
	"github.com/svc-dev/svc/ingest/archive"
	"github.com/svc-dev/svc/postgres"
)

const (
	// keepEvery is how often it is kept how far an import came.
	keepEvery = 250 * time.Millisecond
	// endTimeout bounds the end of an import, also of one that is interrupted.
	endTimeout = 30 * time.Second
)

// Storage is where the commands and the servers store history.
type Storage struct {
	DB     *postgres.DB
	Ingest ingest.Settings
	Logger *slog.Logger
}

// Lines are those of a file with what is told about them.
type Lines struct {
	Source Source // "" takes lines of Svc's own
	Zone   *time.Location
	// Open returns the file from its first byte, packed or not; MaxUnpacked bounds what it unpacks to.
	Open        func() (io.ReadCloser, error)
	MaxUnpacked int64
	Into        ingest.History // ReceivedAt is when the import began
	// From is the line at which an earlier run of the import was, and Before counts the lines before it.
	From   int64
	Before archive.ImportCounts

	DryRun      bool
	MaxRejected int64 // 0 is no bound
	Rejected    func(archive.Reject)
	// Keep keeps how far the import came, four times per second and at the end. An error ends the import.
	Keep func(from int64, before archive.ImportCounts) error
}

// Store stores the lines of a file, and writes down in the record what became of them; without one nothing is. Lines
// that were stored before an error are kept: with the same record, Store goes on.
func (s Storage) Store(ctx context.Context, record *Running, lines Lines) (archive.ImportCounts, error) {
	if lines.Source.HoldsTotals() {
		done, err := s.storeTotals(ctx, record, lines)
		if record != nil {
			ending, end := context.WithTimeout(context.WithoutCancel(ctx), endTimeout)
			defer end()
			err = errors.Join(err, record.Note(ending, archive.ImportCounts{}, done, err == nil))
		}
		return done, err
	}
	importer, err := ingest.NewImporter(s.DB, s.Ingest, ingest.Deps{Logger: s.Logger})
	if err != nil {
		return archive.ImportCounts{}, err
	}
	if err := importer.Start(ctx); err != nil {
		return archive.ImportCounts{}, err
	}
	storing, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var kept time.Time
	var last *archive.Step
	keep := func(step archive.Step) {
		kept, last = time.Now(), nil
		if err := lines.Keep(step.Resume, lines.Before.With(step.Before)); err != nil {
			cancel(err)
		}
	}
	im := archive.Import{
		To: importer, History: lines.Into, Open: lines.open, From: lines.From, DryRun: lines.DryRun,
		Convert: lines.convert(), GroupOf: formats[lines.Source].groupOf,
		MaxRejected: lines.MaxRejected, Rejected: lines.Rejected,
		Step: func(step archive.Step) {
			if last = &step; time.Since(kept) >= keepEvery {
				keep(step)
			}
		},
	}
	done, err := im.Run(storing)
	if last != nil {
		keep(*last)
	}
	if cause := context.Cause(storing); cause != nil {
		err = cause
	}
	ending, end := context.WithTimeout(context.WithoutCancel(ctx), endTimeout)
	defer end()
	err = errors.Join(err, importer.Stop(ending))
	if record != nil {
		err = errors.Join(err, record.Note(ending, lines.Before, done, err == nil))
	}
	return done, err
}

func (l *Lines) open() (io.ReadCloser, error) {
	file, err := l.Open()
	if err != nil || l.Source == "" {
		return file, err
	}
	return l.Source.Lines(file, l.MaxUnpacked)
}

func (l *Lines) convert() func(line []byte) (*ingest.HistoryEvent, *ingest.Reject) {
	if l.Source == "" {
		return nil
	}
	how := Reading{Started: l.Into.ReceivedAt, Zone: l.Zone}
	return func(line []byte) (*ingest.HistoryEvent, *ingest.Reject) { return l.Source.Convert(line, how) }
}
