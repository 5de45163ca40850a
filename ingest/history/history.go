// Package history brings the history of other tools in: it makes the events of their exports that
// [ingest.Importer] stores, and keeps a record of each import, by which it is removed as a whole.
//
// Ids of events come from those of the tool, so a second import of an event adds nothing. All events of an import are
// received at the time when it began, which no other import of the environment shares: together with the prefix of
// their ids it tells which events it brought, at no byte in them.
package history

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/svc-dev/svc/ingest"
	"github.com/svc-dev/svc/ingest/archive"
	"github.com/svc-dev/svc/ingest/rebuild"
	"github.com/svc-dev/svc/internal/fault"
)

// Source is the tool that an export comes from.
type Source string

const (
	PostHog Source = "posthog" // its events model as JSON lines
	Umami   Source = "umami"   // its table website_event as CSV with a header
	Matomo  Source = "matomo"  // visits of Live.getLastVisitsDetails as JSON
	GA4     Source = "ga4"     // Google Analytics' export to BigQuery as JSON lines
	Neutral Source = "csv"     // of no tool: CSV with the columns of the documentation
	Parquet Source = "parquet" // the same as Parquet

	Plausible Source = "plausible" // its tables of totals per day as CSV, or a ZIP archive of them
)

// formats say how files of a source are read: as lines, which are those of the file where lines is nil, of which events
// are made.
var formats = map[Source]struct {
	lines   func(in io.Reader) (io.Reader, error)
	convert func(line []byte, how Reading) (*ingest.HistoryEvent, *ingest.Reject)
	groupOf func(line []byte) []byte // of lines that come in no order
}{
	PostHog: {convert: fromPostHog}, Umami: {lines: umamiLines, convert: fromUmami},
	Matomo: {lines: matomoLines, convert: fromMatomo}, GA4: {convert: fromGA4, groupOf: ga4User}, Plausible: {},
	Neutral: {lines: neutralCSVLines, convert: fromNeutral}, Parquet: {lines: parquetLinesOf, convert: fromNeutral},
}

// Known reports whether there is such a source.
func (s Source) Known() bool { _, known := formats[s]; return known }

// eventPrefix is what ids of the source's events begin with. The two forms of a neutral file bring the same events.
func (s Source) eventPrefix() string {
	if s == Parquet {
		s = Neutral
	}
	return string(s) + ":"
}

// ErrTooLarge says that a file has more bytes, unpacked, than may be read of it.
var ErrTooLarge = errors.New("the file unpacks to too much")

// Lines returns a file, unpacked, as the lines that Convert takes, at the same numbers. They end with [ErrTooLarge]
// behind most bytes: a small file may unpack to a thousand times as much.
func (s Source) Lines(in io.ReadCloser, most int64) (io.ReadCloser, error) {
	unpacked, err := archive.Unpack(in)
	if err != nil {
		return nil, err
	}
	bounded := &unpackedReader{in: unpacked, left: most}
	lines := formats[s].lines
	if lines == nil {
		return madeLines{bounded, in}, nil
	}
	made, err := lines(bounded)
	if err != nil {
		return nil, err
	}
	return madeLines{made, in}, nil
}

type unpackedReader struct {
	in   io.Reader
	left int64
}

func (r *unpackedReader) Read(into []byte) (int, error) {
	if r.left <= 0 {
		return 0, ErrTooLarge
	}
	n, err := r.in.Read(into[:min(int64(len(into)), r.left)])
	r.left -= int64(n)
	return n, err
}

// madeLines are the lines of a file, which is closed with them.
type madeLines struct {
	io.Reader
	file io.Closer
}

func (m madeLines) Close() error {
	if made, ok := m.Reader.(io.Closer); ok {
		return errors.Join(made.Close(), m.file.Close())
	}
	return m.file.Close()
}

// Convert makes an event of history of one line of the source; nil without a reject is a line that is left out. Events
// after the import started are rejected.
func (s Source) Convert(line []byte, how Reading) (*ingest.HistoryEvent, *ingest.Reject) {
	return formats[s].convert(line, how)
}

// Import is the record of an import.
type Import struct {
	EnvironmentID int64      `json:"-"`
	ID            uuid.UUID  `json:"id"`
	Source        Source     `json:"source"`
	FileName      string     `json:"fileName"`
	StartedAt     time.Time  `json:"startedAt"`
	FinishedAt    *time.Time `json:"finishedAt"` // nil while it runs, or was interrupted
	RemovedAt     *time.Time `json:"removedAt"`
	Counts
}

// Counts are of lines. Of an import that went on after an interruption they count what was read twice once.
type Counts struct {
	Lines      int64 `json:"lines"`
	Stored     int64 `json:"stored"`
	Duplicates int64 `json:"duplicates"` // stored by another import, or twice in the file
	Rejected   int64 `json:"rejected"`
	LeftOut    int64 `json:"leftOut"` // what is no act of a person
}

const columns = `environment_id, id, source, file_name, started_at, finished_at, removed_at,
	lines, stored, duplicates, rejected, left_out`

func scan(row pgx.CollectableRow) (i Import, err error) {
	err = row.Scan(&i.EnvironmentID, &i.ID, &i.Source, &i.FileName, &i.StartedAt, &i.FinishedAt, &i.RemovedAt,
		&i.Lines, &i.Stored, &i.Duplicates, &i.Rejected, &i.LeftOut)
	return i, err
}

// File is what an import is of.
type File struct {
	EnvironmentID int64
	Source        Source
	Name          string
	// Fingerprint tells a file from others; an unfinished import of the same one goes on. Empty always begins anew.
	Fingerprint string
}

// Running is an import under way. It keeps others from removing it.
type Running struct {
	Import
	Resumed bool // it was begun before
	pool    *pgxpool.Pool
	unlock  func()
}

// maxNameBytes bounds the name of a file in the record.
const maxNameBytes = 255

// Begin writes a new import down, or takes up the unfinished one of the same file. The caller ends it with
// Close.
func Begin(ctx context.Context, pool *pgxpool.Pool, file File) (*Running, error) {
	// Systems of files have names that are no text.
	file.Name = strings.ToValidUTF8(file.Name[max(0, len(file.Name)-maxNameBytes):], "\uFFFD")
	found, err := query(ctx, pool, `where environment_id = $1 and source = $2 and fingerprint = $3 and fingerprint <> ''
		and finished_at is null and removed_at is null order by started_at desc limit 1`,
		file.EnvironmentID, file.Source, file.Fingerprint)
	if err != nil {
		return nil, err
	}
	r := &Running{pool: pool, Resumed: len(found) == 1}
	if r.Resumed {
		r.Import = found[0]
	} else {
		// Whole microseconds are what the database keeps; two imports don't begin in one.
		r.Import, err = scanOne(ctx, pool, `
			insert into history_import (environment_id, id, source, file_name, fingerprint, started_at)
			values ($1, $2, $3, $4, $5, greatest(clock_timestamp(), (
				select max(started_at) + interval '1 microsecond' from history_import where environment_id = $1)))
			returning `+columns,
			file.EnvironmentID, uuid.Must(uuid.NewV7()), file.Source, file.Name, file.Fingerprint)
		if err != nil {
			return nil, fmt.Errorf("begin the import: %w", err)
		}
	}
	if r.unlock, err = lock(ctx, pool, r.ID); err != nil {
		return nil, err
	}
	return r, nil
}

// Close lets others remove the import; it stays unfinished unless Note said otherwise.
func (r *Running) Close() { r.unlock() }

// Note writes down what became of the lines that this run read, and of those that earlier runs had read before the line
// at which this one went on; finished says that the file is at its end. What is stored is counted in the database, as a
// run that was killed did not tell.
func (r *Running) Note(ctx context.Context, before, done archive.ImportCounts, finished bool) error {
	if done.ResumedAt == 0 {
		before = archive.ImportCounts{}
	}
	stored := done.Stored
	if !r.Source.HoldsTotals() {
		var err error
		if stored, err = rebuild.CountReceived(ctx, r.pool, r.received()); err != nil {
			return err
		}
	} else if !finished {
		stored, done.Stored, done.Duplicates = 0, 0, 0 // one transaction stores all or nothing
	}
	if !finished && !r.Resumed && stored == 0 && done.Lines == 0 {
		// Such as a file of something else: there is nothing to go on with, and nothing to remove.
		_, err := r.pool.Exec(
			ctx, `delete from history_import where environment_id = $1 and id = $2`, r.EnvironmentID, r.ID,
		)
		return err
	}
	r.Counts = Counts{
		Lines: before.Lines + done.Lines, Stored: stored, Rejected: before.Rejected + done.Rejected,
		LeftOut:    before.LeftOut + done.LeftOut,
		Duplicates: max(0, before.Stored+before.Duplicates+done.Stored+done.Duplicates-stored),
	}
	var err error
	r.Import, err = scanOne(ctx, r.pool, `
		update history_import set finished_at = case when $8 then now() end, lines = $3, stored = $4, duplicates = $5,
			rejected = $6, left_out = $7 where environment_id = $1 and id = $2 returning `+columns,
		r.EnvironmentID, r.ID, r.Lines, r.Stored, r.Duplicates, r.Rejected, r.LeftOut, finished)
	if err != nil {
		return fmt.Errorf("note how far the import is: %w", err)
	}
	return nil
}

// List returns the imports of an environment that were not removed, the latest first, at most limit of them.
func List(ctx context.Context, pool *pgxpool.Pool, environmentID int64, limit int) ([]Import, error) {
	return query(ctx, pool, `where environment_id = $1 and removed_at is null order by started_at desc limit $2`,
		environmentID, limit)
}

// Remove takes everything that an import brought out of events, sessions and first touches. When it is interrupted,
// calling it again goes on. The error is a fault when there is no such import or it is running, or the database's.
func Remove(ctx context.Context, pool *pgxpool.Pool, environmentID int64, id uuid.UUID, hitLimit int) (Import, error) {
	found, err := query(ctx, pool, `where environment_id = $1 and id = $2`, environmentID, id)
	switch {
	case err != nil:
		return Import{}, err
	case len(found) == 0:
		return Import{}, fault.New(fault.NotFound, "no such import")
	case found[0].RemovedAt != nil:
		return found[0], nil
	}
	unlock, err := lock(ctx, pool, id)
	if err != nil {
		return Import{}, err
	}
	defer unlock()
	received := found[0].received()
	received.HitLimit = hitLimit
	if err := rebuild.RemoveReceived(ctx, pool, received); err != nil {
		return Import{}, err
	}
	err = pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error { return removeTotals(ctx, tx, environmentID, id) })
	if err != nil {
		return Import{}, err
	}
	return scanOne(ctx, pool, `update history_import set removed_at = now()
		where environment_id = $1 and id = $2 returning `+columns, environmentID, id)
}

// received names the events that the import brought.
func (i *Import) received() rebuild.Received {
	return rebuild.Received{EnvironmentID: i.EnvironmentID, At: i.StartedAt, EventPrefix: i.Source.eventPrefix()}
}

func query(ctx context.Context, pool *pgxpool.Pool, where string, args ...any) ([]Import, error) {
	rows, err := pool.Query(ctx, `select `+columns+` from history_import `+where, args...)
	if err != nil {
		return nil, fmt.Errorf("read imports: %w", err)
	}
	found, err := pgx.CollectRows(rows, scan)
	if err != nil {
		return nil, fmt.Errorf("read imports: %w", err)
	}
	return found, nil
}

func scanOne(ctx context.Context, pool *pgxpool.Pool, sql string, args ...any) (Import, error) {
	rows, err := pool.Query(ctx, sql, args...)
	if err != nil {
		return Import{}, err
	}
	return pgx.CollectExactlyOneRow(rows, scan)
}

// lockPatience is how long somebody else is waited for: the database may not have seen yet that one was killed.
const (
	lockPatience = 2 * time.Second
	lockLook     = 50 * time.Millisecond
)

// lock keeps an import to one who stores or removes it.
func lock(ctx context.Context, pool *pgxpool.Pool, id uuid.UUID) (unlock func(), err error) {
	conn, err := pool.Acquire(ctx)
	if err != nil {
		return nil, fmt.Errorf("lock the import: %w", err)
	}
	key, free := int64(binary.BigEndian.Uint64(id[8:])), false
	for until := time.Now().Add(lockPatience); ; {
		err = conn.QueryRow(ctx, `select pg_try_advisory_lock($1)`, key).Scan(&free)
		if err != nil || free || time.Now().After(until) {
			break
		}
		select {
		case <-ctx.Done():
		case <-time.After(lockLook):
		}
	}
	if err == nil && !free {
		err = fault.New(fault.Conflict, "the import is running")
	}
	if err != nil {
		conn.Release()
		return nil, fmt.Errorf("lock the import: %w", err)
	}
	return sync.OnceFunc(func() {
		// Also when the caller has gone; a connection that cannot say so is closed, which frees the lock.
		if _, err := conn.Exec(context.WithoutCancel(ctx), `select pg_advisory_unlock($1)`, key); err != nil {
			_ = conn.Conn().Close(context.WithoutCancel(ctx))
		}
		conn.Release()
	}), nil
}
