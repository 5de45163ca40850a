package exports

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/svc-dev/svc/account"
	"github.com/svc-dev/svc/ent/environment"
	"github.com/svc-dev/svc/ingest/archive/bucket"
	"github.com/svc-dev/svc/ingest/archive/parquetfiles"
	"github.com/svc-dev/svc/internal/fault"
)

// checkTimeout bounds a check: a member waits for it.
const checkTimeout = 20 * time.Second

// Save sets where an environment is exported to, and how often. An address without a secret key keeps the stored one.
func (x *Exports) Save(
	ctx context.Context, app uuid.UUID, kind environment.Kind, to bucket.Address, every Frequency,
) (*Export, error) {
	t, err := x.target(ctx, app, kind)
	if err != nil {
		return nil, err
	}
	if to, err = x.complete(ctx, t, to); err != nil {
		return nil, err
	}
	id, action := uuid.Must(uuid.NewV7()), "export.create"
	if t.stored != nil {
		id, action = t.stored.ID, "export.update"
	}
	keyID, sealed, err := x.Ring.Seal([]byte(to.SecretKey), id.String())
	if err != nil {
		return nil, err
	}
	detail := map[string]any{
		"appId": app, "environment": kind, "endpoint": to.Endpoint, "bucket": to.Bucket, "prefix": to.Prefix,
		"frequency": every,
	}
	err = x.change(ctx, t.workspace, action, id, detail, func(tx pgx.Tx) error {
		// A run of what was saved before ends; what it did is forgotten where files go to another place now.
		tag, err := tx.Exec(ctx, `
			insert into parquet_export as x (id, environment_id, endpoint, region, bucket, prefix, access_key_id, key_id,
				sealed, frequency, run_at)
			values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, case when $10 <> 'never' then $11::timestamptz end)
			on conflict (environment_id) do update set endpoint = excluded.endpoint, region = excluded.region,
				bucket = excluded.bucket, prefix = excluded.prefix, access_key_id = excluded.access_key_id,
				key_id = excluded.key_id, sealed = excluded.sealed, frequency = excluded.frequency,
				run_at = excluded.run_at, saved_at = clock_timestamp(),
				problem = case when x.started_at is not null and x.finished_at is null
					then 'The export was changed while it was running.' else x.problem end,
				finished_at = coalesce(x.finished_at, $11::timestamptz),
				started_at = case when (x.endpoint, x.bucket, x.prefix) = (excluded.endpoint, excluded.bucket, excluded.prefix)
					then x.started_at end,
				succeeded_at = case when (x.endpoint, x.bucket, x.prefix) = (excluded.endpoint, excluded.bucket, excluded.prefix)
					then x.succeeded_at end
			where x.id = excluded.id`,
			id, t.environmentID, to.Endpoint, to.Region, to.Bucket, to.Prefix, to.AccessKey, keyID, sealed, every, x.now())
		if err == nil && tag.RowsAffected() == 0 { // the secret is sealed for another id
			return fault.New(fault.Conflict, "somebody else has set up the export meanwhile")
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return x.mayChange(ctx, id)
}

// change runs a change with its audit entry.
func (x *Exports) change(
	ctx context.Context, workspace uuid.UUID, action string, id uuid.UUID, detail map[string]any,
	change func(pgx.Tx) error,
) error {
	return pgx.BeginFunc(ctx, x.Pool, func(tx pgx.Tx) error {
		if err := change(tx); err != nil {
			return err
		}
		return account.RecordIn(ctx, tx, workspace, action, id.String(), detail)
	})
}

// Check writes a file to a destination, reads it and removes it.
func (x *Exports) Check(
	ctx context.Context, app uuid.UUID, kind environment.Kind, to bucket.Address,
) (*Checked, error) {
	t, err := x.target(ctx, app, kind)
	if err != nil {
		return nil, err
	}
	if to, err = x.complete(ctx, t, to); err != nil {
		return nil, err
	}
	place, err := bucket.Open(to, bounded{x.Transport, checkTimeout})
	if err != nil {
		return nil, err
	}
	trying, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	err = parquetfiles.Try(trying, parquetfiles.Options{App: app.String(), Environment: string(kind), To: place})
	if err != nil {
		return &Checked{Problem: x.explain(ctx, err, checkTimeout)}, ctx.Err()
	}
	return &Checked{Works: true}, nil
}

// RunNow begins a run, unless one is running.
func (x *Exports) RunNow(ctx context.Context, id uuid.UUID) (*Export, error) {
	found, err := x.mayChange(ctx, id)
	if err != nil {
		return nil, err
	}
	err = x.change(ctx, found.owner.Workspace, "export.run", id, map[string]any{}, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `update parquet_export set run_at = least(run_at, $2) where id = $1`, id, x.now())
		return err
	})
	if err != nil {
		return nil, err
	}
	return x.mayChange(ctx, id)
}

// Remove ends an export and forgets its keys. What it wrote stays in the bucket.
func (x *Exports) Remove(ctx context.Context, id uuid.UUID) error {
	found, err := x.mayChange(ctx, id)
	if err != nil {
		return err
	}
	detail := map[string]any{"bucket": found.Bucket, "prefix": found.Prefix}
	return x.change(ctx, found.owner.Workspace, "export.remove", id, detail, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `delete from parquet_export where id = $1`, id)
		return err
	})
}
