package exports

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/svc-dev/svc/account"
	"github.com/svc-dev/svc/ent/environment"
	"github.com/svc-dev/svc/ingest/archive/bucket"
	"github.com/svc-dev/svc/internal/fault"
	"github.com/svc-dev/svc/internal/seal"
)

const selectExports = `
	select x.id, x.endpoint, x.region, x.bucket, x.prefix, x.access_key_id, x.frequency, x.created_at, x.succeeded_at,
		x.run_at, x.saved_at, x.started_at, x.finished_at, x.files, x.unchanged, x.removed, x.rows, x.bytes, x.problem,
		e.app_id, e.id, e.kind, a.workspace_id, a.archived_at
	from parquet_export x join environments e on e.id = x.environment_id join apps a on a.id = e.app_id `

func scan(row pgx.CollectableRow) (*Export, error) {
	e, run := &Export{}, Run{State: Running}
	var startedAt *time.Time
	err := row.Scan(&e.ID, &e.Endpoint, &e.Region, &e.Bucket, &e.Prefix, &e.AccessKey, &e.Frequency, &e.CreatedAt,
		&e.SucceededAt, &e.runAt, &e.savedAt, &startedAt, &run.FinishedAt, &run.Files, &run.Kept, &run.Removed, &run.Rows,
		&run.Bytes, &run.Problem, &e.app, &e.environmentID, &e.kind, &e.owner.Workspace, &e.owner.ArchivedAt)
	if startedAt == nil {
		return e, err
	}
	switch {
	case run.Problem != "":
		run.State = Failed
	case run.FinishedAt != nil:
		run.State = Succeeded
	}
	run.StartedAt, e.LastRun = *startedAt, &run
	return e, err
}

// one returns the export that a condition selects, nil when there is none.
func (x *Exports) one(ctx context.Context, condition string, args ...any) (*Export, error) {
	rows, err := x.Pool.Query(ctx, selectExports+condition, args...)
	if err != nil {
		return nil, fmt.Errorf("read an export: %w", err)
	}
	found, err := pgx.CollectExactlyOneRow(rows, scan)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read an export: %w", err)
	}
	return found, nil
}

// Get returns the export of an environment, nil when there is none.
func (x *Exports) Get(ctx context.Context, workspace, app uuid.UUID, kind environment.Kind) (*Export, error) {
	if _, err := account.Authorize(ctx, workspace, account.AppSettings); err != nil {
		return nil, err
	}
	return x.one(ctx, `where e.app_id = $1 and e.kind = $2`, app, kind)
}

// mayChange returns an export that who makes the request may change.
func (x *Exports) mayChange(ctx context.Context, id uuid.UUID) (*Export, error) {
	if _, err := account.From(ctx); err != nil {
		return nil, err
	}
	found, err := x.one(ctx, `where x.id = $1`, id)
	if err != nil {
		return nil, err
	}
	if found == nil {
		return nil, fault.Missing("export")
	}
	return found, account.AuthorizeAppChange(ctx, found.owner, "export", account.AppSettings)
}

// target is the environment that a member sets the export of, and the one that it has.
type target struct {
	workspace     uuid.UUID
	environmentID int64
	stored        *Export // nil when there is none
}

// target returns the environment for a signed-in person who may say where what it has stored goes.
func (x *Exports) target(ctx context.Context, app uuid.UUID, kind environment.Kind) (t target, err error) {
	if _, err := account.From(ctx); err != nil { // who is nobody learns of no app
		return t, err
	}
	var owner account.App
	err = x.Pool.QueryRow(ctx, `select a.workspace_id, a.archived_at, e.id from apps a
		join environments e on e.app_id = a.id where a.id = $1 and e.kind = $2`, app, kind).
		Scan(&owner.Workspace, &owner.ArchivedAt, &t.environmentID)
	if errors.Is(err, pgx.ErrNoRows) {
		return t, fault.Missing("app")
	}
	if err != nil {
		return t, fmt.Errorf("read the app: %w", err)
	}
	if err := account.AuthorizeAppChange(ctx, owner, "app", account.AppSettings); err != nil {
		return t, err
	}
	if err := account.RequirePerson(ctx); err != nil {
		return t, err
	}
	t.workspace = owner.Workspace
	t.stored, err = x.one(ctx, `where e.id = $1`, t.environmentID)
	return t, err
}

// inputs are the fields of an address as members give them.
var inputs = map[string]string{"accessKey": "accessKeyId", "secretKey": "secretAccessKey"}

// complete checks a destination and adds the stored secret where it has none: to an endpoint and a key that the secret
// was given for, so that it opens nothing else.
func (x *Exports) complete(ctx context.Context, t target, to bucket.Address) (bucket.Address, error) {
	to.Endpoint, to.Region = strings.TrimSpace(to.Endpoint), strings.TrimSpace(to.Region)
	to.Bucket, to.Prefix = strings.TrimSpace(to.Bucket), strings.Trim(strings.TrimSpace(to.Prefix), "/")
	to.AccessKey, to.SecretKey = strings.TrimSpace(to.AccessKey), strings.TrimSpace(to.SecretKey)
	if to.SecretKey == "" {
		if t.stored == nil || t.stored.Endpoint != to.Endpoint || t.stored.AccessKey != to.AccessKey {
			return to, fault.Invalid("destination.secretAccessKey", "is needed for a new endpoint or access key")
		}
		secret, err := x.secret(ctx, t.stored.ID)
		if errors.Is(err, seal.ErrUnknownKey) {
			return to, fault.Invalid("destination.secretAccessKey", "is needed: the server lacks the key of the stored one")
		}
		if err != nil {
			return to, err
		}
		to.SecretKey = secret
	}
	var wrong *bucket.Problem
	if err := to.Check(); errors.As(err, &wrong) {
		field := wrong.Field
		if input, other := inputs[field]; other {
			field = input
		}
		return to, fault.Invalid("destination."+field, "%s", wrong.Message)
	}
	return to, nil
}

// secret reads the secret access key of an export.
func (x *Exports) secret(ctx context.Context, id uuid.UUID) (string, error) {
	var keyID string
	var sealed []byte
	err := x.Pool.QueryRow(ctx, `select key_id, sealed from parquet_export where id = $1`, id).Scan(&keyID, &sealed)
	if err != nil {
		return "", fmt.Errorf("read the secret of an export: %w", err)
	}
	opened, err := x.Ring.Open(keyID, sealed, id.String())
	return string(opened), err
}
