package exports

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/svc-dev/svc/ingest/archive/bucket"
	"github.com/svc-dev/svc/ingest/archive/parquetfiles"
)

const (
	lookEvery = 2 * time.Second
	noteEvery = time.Second
	// turn is how long a run may take while others wait; then it goes on behind them. It bounds how long one snapshot
	// of the database is kept, too.
	turn = 30 * time.Minute
	// retryAfter is when a run that failed is tried again, unless the next one comes before.
	retryAfter = time.Hour
	// endTimeout bounds the writing down of how a run ended.
	endTimeout = 10 * time.Second
)

var (
	errChanged  = errors.New("the export was changed or removed while it was running")
	errArchived = errors.New("the app was archived while the export was running")
	errTurn     = errors.New("others wait for their export")
	errSlow     = fmt.Errorf("the storage is too slow: it took not one file in %s", turn)
)

// Start encrypts secrets with the current key that are not, and looks for what is to be exported. Of servers that run
// on one database any takes it, one at a time.
func (x *Exports) Start(ctx context.Context) error {
	if _, err := x.Ring.Anew(ctx, x.Pool, "parquet_export"); err != nil {
		return err
	}
	x.Every(lookEvery, func(ctx context.Context) {
		if err := x.look(ctx); err != nil && ctx.Err() == nil {
			x.Logger.Warn("exporting failed", "error", err)
		}
	})
	return nil
}

// look runs what is due, the oldest first. Archived apps rest.
func (x *Exports) look(ctx context.Context) error {
	rows, err := x.Pool.Query(ctx, selectExports+`
		where x.run_at <= $1 and a.archived_at is null order by x.run_at limit 10`, x.now())
	if err != nil {
		return err
	}
	due, err := pgx.CollectRows(rows, scan)
	if err != nil {
		return err
	}
	var errs []error
	for _, e := range due {
		if err := x.runAlone(ctx, e); err != nil {
			errs = append(errs, fmt.Errorf("export %s: %w", e.ID, err))
		}
	}
	return errors.Join(errs...)
}

// runAlone runs an export unless another server does.
func (x *Exports) runAlone(ctx context.Context, e *Export) error {
	conn, err := x.Pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	var mine bool
	const key = `hashtextextended('parquet_export ' || $1::text, 0)`
	if err := conn.QueryRow(ctx, `select pg_try_advisory_lock(`+key+`)`, e.ID).Scan(&mine); err != nil || !mine {
		return err
	}
	defer func() {
		ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), endTimeout)
		defer cancel()
		// A connection that can't unlock is closed, which unlocks as well.
		if _, err := conn.Exec(ending, `select pg_advisory_unlock(`+key+`)`, e.ID); err != nil {
			_ = conn.Conn().Close(ending)
		}
	}()
	return x.run(ctx, e)
}

// run does a run, or goes on with one whose server was killed.
func (x *Exports) run(ctx context.Context, e *Export) error {
	before, began, err := x.begin(ctx, e)
	if err != nil || !began {
		return err
	}
	working, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	working, end := context.WithTimeoutCause(working, turn, errTurn)
	defer end()
	done, err := x.export(working, cancel, e, before)
	total := after(before, done)
	switch cause := context.Cause(working); {
	case err == nil:
		return x.end(ctx, e, total, "")
	case ctx.Err() != nil, errors.Is(cause, errChanged):
		return nil // the next look goes on with it, or it is another one now
	case errors.Is(cause, errTurn) && done.Files > 0:
		return x.wait(ctx, e, total)
	case errors.Is(cause, errTurn):
		err = errSlow
	case errors.Is(cause, errArchived):
		err = errArchived
	}
	return x.end(ctx, e, total, x.explain(ctx, err, requestTimeout))
}

// begin writes down that a run begins, and returns what it did before its server was killed. It reports whether the run
// is still to be done.
func (x *Exports) begin(ctx context.Context, e *Export) (before parquetfiles.Summary, began bool, err error) {
	err = x.Pool.QueryRow(ctx, `
		update parquet_export set started_at = case when finished_at is null then coalesce(started_at, $3) else $3 end,
			files = case when finished_at is null then files else 0 end, unchanged = 0,
			removed = case when finished_at is null then removed else 0 end,
			rows = case when finished_at is null then rows else 0 end,
			bytes = case when finished_at is null then bytes else 0 end, finished_at = null, problem = ''
		where id = $1 and saved_at = $2 and run_at <= $3 returning files, removed, rows, bytes`,
		e.ID, e.savedAt, x.now()).Scan(&before.Files, &before.Removed, &before.Rows, &before.Bytes)
	if errors.Is(err, pgx.ErrNoRows) {
		return before, false, nil
	}
	return before, err == nil, err
}

// after adds what a run did to what it had done before: the files that it wrote then are unchanged now.
func after(before, done parquetfiles.Summary) parquetfiles.Summary {
	return parquetfiles.Summary{
		Files: before.Files + done.Files, Kept: max(0, done.Kept-before.Files), Removed: before.Removed + done.Removed,
		Rows: before.Rows + done.Rows, Bytes: before.Bytes + done.Bytes,
	}
}

// export writes the files, and meanwhile how far it is; cancel ends it when the export is not that one any more.
func (x *Exports) export(
	ctx context.Context, cancel context.CancelCauseFunc, e *Export, before parquetfiles.Summary,
) (done parquetfiles.Summary, err error) {
	to := e.Address
	if to.SecretKey, err = x.secret(ctx, e.ID); err != nil {
		return done, err
	}
	place, err := bucket.Open(to, bounded{x.Transport, requestTimeout})
	if err != nil {
		return done, err
	}
	var told atomic.Pointer[parquetfiles.Summary]
	told.Store(&parquetfiles.Summary{})
	noted := make(chan struct{})
	noting, stop := context.WithCancel(ctx)
	go func() {
		defer close(noted)
		ticker := time.NewTicker(noteEvery)
		defer ticker.Stop()
		for {
			select {
			case <-noting.Done():
				return
			case <-ticker.C:
			}
			if why, err := x.note(noting, e, after(before, *told.Load())); err == nil && why != nil {
				cancel(why)
			}
		}
	}()
	defer func() { stop(); <-noted }()
	return parquetfiles.Export(ctx, x.Pool, parquetfiles.Options{
		App: e.app.String(), Environment: string(e.kind), EnvironmentID: e.environmentID, To: place,
		Progress: func(so parquetfiles.Summary) { told.Store(&so) },
	})
}

// note writes down how far a run is, and returns why it is to end, nil when it is to go on.
func (x *Exports) note(ctx context.Context, e *Export, so parquetfiles.Summary) (why, err error) {
	var archived bool
	err = x.Pool.QueryRow(ctx, `
		update parquet_export set files = $3, unchanged = $4, removed = $5, rows = $6, bytes = $7
		where id = $1 and saved_at = $2
		returning (select archived_at is not null from apps where id = $8)`,
		e.ID, e.savedAt, so.Files, so.Kept, so.Removed, so.Rows, so.Bytes, e.app).Scan(&archived)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return errChanged, nil
	case archived:
		return errArchived, nil
	}
	return nil, err
}

// wait ends a turn: the run goes on when those that waited had theirs.
func (x *Exports) wait(ctx context.Context, e *Export, so parquetfiles.Summary) error {
	if _, err := x.note(ctx, e, so); err != nil {
		return err
	}
	_, err := x.Pool.Exec(ctx, `update parquet_export set run_at = $3 where id = $1 and saved_at = $2`,
		e.ID, e.savedAt, x.now())
	return err
}

// end writes down how a run ended, and when the next one is due.
func (x *Exports) end(ctx context.Context, e *Export, did parquetfiles.Summary, problem string) error {
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), endTimeout)
	defer cancel()
	if _, err := x.note(ending, e, did); err != nil {
		return err
	}
	now := x.now()
	_, err := x.Pool.Exec(ending, `
		update parquet_export set finished_at = $3, problem = $4, run_at = $5,
			succeeded_at = case when $4 = '' then $3 else succeeded_at end
		where id = $1 and saved_at = $2`, e.ID, e.savedAt, now, problem, e.Frequency.next(e.ID, now, problem != ""))
	return err
}

// next returns when the run after one that ended now is due, nil when nobody asked for one: in the minute of the hour
// that is the export's own, so that not all begin at once.
func (f Frequency) next(id uuid.UUID, now time.Time, failed bool) *time.Time {
	period := map[Frequency]time.Duration{Hourly: time.Hour, Daily: 24 * time.Hour}[f]
	if period == 0 {
		return nil
	}
	at := now.UTC().Truncate(period).Add(time.Duration(id[len(id)-1]%60) * time.Minute)
	if !at.After(now) {
		at = at.Add(period)
	}
	if again := now.Add(retryAfter); failed && again.Before(at) {
		at = again
	}
	return &at
}
