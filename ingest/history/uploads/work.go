package uploads

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/svc-dev/svc/ingest"
	"github.com/svc-dev/svc/ingest/archive"
	"github.com/svc-dev/svc/ingest/history"
	"github.com/svc-dev/svc/internal/fault"
	"github.com/svc-dev/svc/internal/pgerr"
)

const (
	lookEvery = time.Second
	// forgetAfter is how long a file waits that nobody goes on with.
	forgetAfter = 7 * 24 * time.Hour
)

// Start looks for what is to be imported or removed. Of servers that run on one database any takes it, one at a time.
func (u *Uploads) Start(context.Context) error {
	u.Every(lookEvery, func(ctx context.Context) {
		if err := u.look(ctx); err != nil && ctx.Err() == nil {
			u.Logger.Warn("importing uploaded files failed", "error", err)
		}
	})
	return nil
}

// look does what is there to do, the oldest first.
func (u *Uploads) look(ctx context.Context) error {
	if _, err := u.DB.Pool.Exec(ctx, `delete from history_upload where id = any (
		select id from history_upload where state in ('uploading', 'ready') and changed_at < now() - $1::interval)`,
		forgetAfter); err != nil {
		return err
	}
	rows, err := u.DB.Pool.Query(ctx, selectImports+`
		where id = any (select id from history_upload where state in ('running', 'removing') order by changed_at limit 10)
		order by created_at`)
	if err != nil {
		return err
	}
	found, err := pgx.CollectRows(rows, scan)
	if err != nil {
		return err
	}
	for _, i := range found {
		if i.State == Removing {
			err = u.remove(ctx, i)
		} else {
			err = u.run(ctx, i)
		}
		if err != nil && !fault.Is(err, fault.Conflict) { // another server has it
			return err
		}
	}
	return nil
}

// remove takes out what an import brought.
func (u *Uploads) remove(ctx context.Context, i *Import) error {
	if i.importID != nil {
		_, err := history.Remove(ctx, u.DB.Pool, i.environmentID, *i.importID, u.HitLimit)
		if err != nil && !fault.Is(err, fault.NotFound) {
			return fmt.Errorf("remove the import %s: %w", i.ID, err)
		}
	}
	_, err := u.DB.Pool.Exec(ctx, `delete from history_upload where id = $1 and state = 'removing'`, i.ID)
	return err
}

// errRemoved ends a run of an import that a member removes.
var errRemoved = errors.New("the import is being removed")

// run imports a file, from where an earlier run was when it was killed.
func (u *Uploads) run(ctx context.Context, i *Import) error {
	if i.FinishedAt != nil { // killed between the end of the import and that of its file
		return u.end(ctx, i.ID, nil)
	}
	record, err := history.Begin(ctx, u.DB.Pool, history.File{
		EnvironmentID: i.environmentID, Source: i.Source, Name: i.FileName, Fingerprint: "upload:" + i.ID.String(),
	})
	if err != nil {
		return err
	}
	defer record.Close()
	// The lock is ours, and somebody may have finished it meanwhile.
	var resume int64
	var kept []byte
	err = u.DB.Pool.QueryRow(ctx, `update history_upload set import_id = $2 where id = $1 and state = 'running'
		returning resume_at, before`, i.ID, record.ID).Scan(&resume, &kept)
	if errors.Is(err, pgx.ErrNoRows) {
		if !record.Resumed {
			return record.Note(ctx, archive.ImportCounts{}, archive.ImportCounts{}, false) // which forgets it
		}
		return nil
	}
	if err != nil {
		return err
	}
	var before archive.ImportCounts
	if err := json.Unmarshal(kept, &before); err != nil || !record.Resumed {
		resume, before = 0, archive.ImportCounts{}
	}
	err = u.store(ctx, i, record, resume, before)
	if errors.Is(err, errRemoved) || isOurs(err) || ctx.Err() != nil {
		return err // the next look goes on, or removes it
	}
	return u.end(ctx, i.ID, err)
}

// end forgets the file of an import that is over.
func (u *Uploads) end(ctx context.Context, id uuid.UUID, failed error) error {
	state, problem := Finished, ""
	switch {
	case errors.Is(failed, archive.ErrTooManyRejected):
		state = Failed
		problem = fmt.Sprintf("More than %d lines were refused: is this an export of the tool? "+
			"What was stored is kept until the import is removed.", maxRejected)
	case failed != nil:
		state, problem = Failed, problemOf(failed)
	}
	return pgx.BeginFunc(ctx, u.DB.Pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `update history_upload set state = $2, problem = $3, read_bytes = bytes,
			changed_at = now() where id = $1 and state = 'running'`, id, state, problem); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `delete from history_upload_part where upload_id = $1`, id)
		return err
	})
}

// store imports the lines from one on.
func (u *Uploads) store(
	ctx context.Context, i *Import, record *history.Running, from int64, before archive.ImportCounts,
) error {
	zone, err := location(i.TimeZone)
	if err != nil {
		return err
	}
	var read atomic.Int64
	var rejects []Reject
	storage := history.Storage{DB: u.DB, Ingest: u.Ingest, Logger: u.Logger}
	_, err = storage.Store(ctx, record, history.Lines{
		Source: i.Source, Zone: zone, MaxUnpacked: maxUnpacked, From: from, Before: before, MaxRejected: maxRejected,
		Into: ingest.History{EnvironmentID: i.environmentID, Path: ingest.PathProduct, ReceivedAt: record.StartedAt},
		Open: func() (io.ReadCloser, error) {
			read.Store(0)
			return u.file(ctx, i, func(n int) { read.Add(int64(n)) }), nil
		},
		Rejected: func(r archive.Reject) { rejects = append(rejects, Reject{r.Line, r.EventID, r.Code, r.Message}) },
		Keep: func(from int64, before archive.ImportCounts) error {
			going, err := u.step(ctx, i.ID, from, before, read.Load(), rejects)
			if rejects = rejects[:0]; err == nil && !going {
				err = errRemoved
			}
			return err
		},
	})
	return err
}

// step keeps how far an import is and which lines were refused. It reports whether the import is to go on.
func (u *Uploads) step(
	ctx context.Context, id uuid.UUID, resume int64, before archive.ImportCounts, read int64, rejects []Reject,
) (going bool, err error) {
	kept, err := json.Marshal(before)
	if err != nil {
		return false, err
	}
	err = pgx.BeginFunc(ctx, u.DB.Pool, func(tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, `update history_upload set resume_at = $2, before = $3, read_bytes = $4, changed_at = now()
			where id = $1 and state = 'running'`, id, resume, kept, read)
		if going = tag.RowsAffected() == 1; err != nil || !going {
			return err
		}
		for _, r := range rejects {
			if _, err := tx.Exec(ctx, `insert into history_upload_reject (upload_id, line, event_id, code, message)
				values ($1, $2, $3, $4, $5) on conflict do nothing`,
				id, r.Line, storable(r.EventID), r.Code, storable(r.Message)); err != nil {
				return err
			}
		}
		return nil
	})
	return going, err
}

// isOurs reports whether an error says nothing about the file, so that the import goes on later.
func isOurs(err error) bool {
	var refused *pgconn.PgError
	return err != nil && (errors.As(err, &refused) || pgerr.IsTransient(err) || errors.Is(err, ingest.ErrUnavailable) ||
		errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded))
}

// storable returns a text of a stranger's file as the database takes it.
func storable(text string) string {
	return strings.ToValidUTF8(strings.ReplaceAll(text, "\x00", ""), "\uFFFD")
}
