package uploads

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/svc-dev/svc/account"
	"github.com/svc-dev/svc/ent/environment"
	"github.com/svc-dev/svc/ingest"
	"github.com/svc-dev/svc/ingest/history"
	"github.com/svc-dev/svc/internal/fault"
	"github.com/svc-dev/svc/internal/service"
	"github.com/svc-dev/svc/internal/validate"
	"github.com/svc-dev/svc/postgres"
)

// Bounds on what members upload, in bytes: the database keeps it until it is imported.
const (
	MaxPart     = 4 << 20 // of one request
	MaxFile     = 1 << 30
	maxWaiting  = 2 << 30 // of an app's files that are not imported yet
	maxListed   = 200
	maxRejected = 1000 // lines that are refused before a file is taken for something else
)

// State is how far an import is.
type State string

// The states, in the order in which they come about.
const (
	Uploading State = "uploading"
	Ready     State = "ready" // all of the file is there
	Running   State = "running"
	Finished  State = "finished"
	Failed    State = "failed" // Problem says why
	Removing  State = "removing"
)

// Import is a file of another tool and what became of its lines. Those that a shell brought have no bytes.
type Import struct {
	ID       uuid.UUID
	Source   history.Source
	FileName string
	State    State
	Problem  string
	TimeZone string // of times that name none
	Bytes    int64
	Received int64 // of Bytes
	// ReadBytes is how much of the file is imported, with what is on its way.
	ReadBytes  int64
	CreatedAt  time.Time
	FinishedAt *time.Time
	history.Counts

	environmentID int64
	importID      *uuid.UUID
	owner         account.App
}

// Uploads are the use cases of imports by members. Start begins to import what is uploaded.
type Uploads struct {
	DB       *postgres.DB
	Ingest   ingest.Settings
	HitLimit int // of a session
	Logger   *slog.Logger

	service.Loops
}

// find returns an import that who makes the request may change.
func (u *Uploads) find(ctx context.Context, id uuid.UUID) (*Import, error) {
	if _, err := account.From(ctx); err != nil {
		return nil, err
	}
	rows, err := u.DB.Pool.Query(ctx, selectImports+` where id = $1`, id)
	if err != nil {
		return nil, fmt.Errorf("read an import: %w", err)
	}
	found, err := pgx.CollectExactlyOneRow(rows, scan)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, fault.Missing("import")
	}
	if err != nil {
		return nil, fmt.Errorf("read an import: %w", err)
	}
	return found, account.AuthorizeAppChange(ctx, found.owner, "import", account.AppSettings)
}

// selectImports reads uploads, and imports that no upload was.
const selectImports = `
	select id, source, file_name, state, problem, time_zone, bytes, received, read_bytes, created_at, finished_at,
		lines, stored, duplicates, rejected, left_out, environment_id, import_id, workspace_id, archived_at
	from (
		select u.id, u.source, u.file_name, u.state, u.problem, u.time_zone, u.bytes, u.received, u.read_bytes,
			u.created_at, i.finished_at, coalesce(i.lines, 0) as lines, coalesce(i.stored, 0) as stored,
			coalesce(i.duplicates, 0) as duplicates, coalesce(i.rejected, 0) as rejected,
			coalesce(i.left_out, 0) as left_out, u.environment_id, u.import_id
		from history_upload u
		left join history_import i on i.environment_id = u.environment_id and i.id = u.import_id
		union all
		select i.id, i.source, i.file_name, case when i.finished_at is null then 'running' else 'finished' end, '', 'UTC',
			0, 0, 0, i.started_at, i.finished_at, i.lines, i.stored, i.duplicates, i.rejected, i.left_out,
			i.environment_id, i.id
		from history_import i
		where i.removed_at is null
			and not exists (select from history_upload u where u.environment_id = i.environment_id and u.import_id = i.id)
	) x
	join (select e.id as environment, a.workspace_id, a.archived_at, a.id as app_id, e.kind
		from environments e join apps a on a.id = e.app_id) o on o.environment = x.environment_id`

func scan(row pgx.CollectableRow) (*Import, error) {
	i := &Import{}
	err := row.Scan(&i.ID, &i.Source, &i.FileName, &i.State, &i.Problem, &i.TimeZone, &i.Bytes, &i.Received, &i.ReadBytes,
		&i.CreatedAt, &i.FinishedAt, &i.Lines, &i.Stored, &i.Duplicates, &i.Rejected, &i.LeftOut, &i.environmentID,
		&i.importID, &i.owner.Workspace, &i.owner.ArchivedAt)
	return i, err
}

// List returns the imports of an environment, the latest first.
func (u *Uploads) List(
	ctx context.Context, workspace, app uuid.UUID, kind environment.Kind,
) ([]*Import, error) {
	if _, err := account.Authorize(ctx, workspace, account.AppSettings); err != nil {
		return nil, err
	}
	rows, err := u.DB.Pool.Query(ctx, selectImports+` where o.app_id = $1 and o.kind = $2
		order by created_at desc, id limit $3`, app, kind, maxListed)
	if err != nil {
		return nil, fmt.Errorf("read imports: %w", err)
	}
	found, err := pgx.CollectRows(rows, scan)
	if err != nil {
		return nil, fmt.Errorf("read imports: %w", err)
	}
	return found, nil
}

// Get returns an import of an app, nil when there is none.
func (u *Uploads) Get(ctx context.Context, workspace, app, id uuid.UUID) (*Import, error) {
	if _, err := account.Authorize(ctx, workspace, account.AppSettings); err != nil {
		return nil, err
	}
	rows, err := u.DB.Pool.Query(ctx, selectImports+` where o.app_id = $1 and id = $2`, app, id)
	if err != nil {
		return nil, fmt.Errorf("read an import: %w", err)
	}
	found, err := pgx.CollectExactlyOneRow(rows, scan)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read an import: %w", err)
	}
	return found, nil
}

// File is what is to be imported.
type File struct {
	Environment environment.Kind
	Source      history.Source
	Name        string `json:"fileName" validate:"required,utf16max=200"`
	Bytes       int64  `json:"bytes"`
}

// Create announces a file whose parts are to follow.
func (u *Uploads) Create(ctx context.Context, app uuid.UUID, file File) (*Import, error) {
	if _, err := account.From(ctx); err != nil { // who is nobody learns of no app
		return nil, err
	}
	var owner account.App
	var environmentID int64
	err := u.DB.Pool.QueryRow(ctx, `select a.workspace_id, a.archived_at, e.id from apps a
		join environments e on e.app_id = a.id where a.id = $1 and e.kind = $2`, app, file.Environment).
		Scan(&owner.Workspace, &owner.ArchivedAt, &environmentID)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, fault.Missing("app")
	}
	if err != nil {
		return nil, fmt.Errorf("read the app: %w", err)
	}
	if err := account.AuthorizeAppChange(ctx, owner, "app", account.AppSettings); err != nil {
		return nil, err
	}
	file.Name = storable(file.Name)
	if err := validate.Input(file); err != nil {
		return nil, err
	}
	if file.Source == history.Parquet {
		return nil, fault.Invalid("source", "Parquet files are imported by svc import parquet, in a process of their own: "+
			"what a small one unpacks to is not bounded")
	}
	if file.Bytes < 1 || file.Bytes > MaxFile {
		return nil, fault.Invalid("bytes", "must be from 1 to %d: use svc import for a larger file", MaxFile)
	}
	id := uuid.Must(uuid.NewV7())
	detail := map[string]any{"source": file.Source, "fileName": file.Name}
	err = u.change(ctx, owner.Workspace, "import.create", id, detail, func(tx pgx.Tx) error {
		// The lock makes two that ask at once wait for each other.
		if _, err := tx.Exec(ctx, `select from apps where id = $1 for update`, app); err != nil {
			return err
		}
		tag, err := tx.Exec(ctx, `
			insert into history_upload (id, environment_id, source, file_name, bytes)
			select $1, $2, $3, $4, $5::bigint where $5::bigint + (
				select coalesce(sum(u.bytes), 0) from history_upload u join environments e on e.id = u.environment_id
				where e.app_id = $6 and u.state in ('uploading', 'ready', 'running')) <= $7`,
			id, environmentID, file.Source, file.Name, file.Bytes, app, int64(maxWaiting))
		if err == nil && tag.RowsAffected() == 0 {
			return fault.New(fault.Conflict, "files that are not imported yet may have %d bytes: start or remove them first",
				int64(maxWaiting))
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return u.find(ctx, id)
}

// change runs a change with its audit entry.
func (u *Uploads) change(
	ctx context.Context, workspace uuid.UUID, action string, id uuid.UUID, detail map[string]any,
	change func(pgx.Tx) error,
) error {
	return pgx.BeginFunc(ctx, u.DB.Pool, func(tx pgx.Tx) error {
		if err := change(tx); err != nil {
			return err
		}
		return account.RecordIn(ctx, tx, workspace, action, id.String(), detail)
	})
}

// AddPart stores a part of a file that begins at a byte. One that is there already is passed over: the answer to it
// may have been lost.
func (u *Uploads) AddPart(ctx context.Context, id uuid.UUID, position int64, content []byte) (*Import, error) {
	found, err := u.find(ctx, id)
	if err != nil {
		return nil, err
	}
	end := position + int64(len(content))
	switch {
	case len(content) == 0 || len(content) > MaxPart:
		return nil, fault.Invalid("file", "must have from 1 to %d bytes", MaxPart)
	case position >= 0 && end <= found.Received:
		return found, nil
	case found.State != Uploading || position != found.Received:
		return nil, fault.New(fault.Conflict, "the next part begins at byte %d of a file that is being uploaded",
			found.Received)
	case end > found.Bytes:
		return nil, fault.Invalid("file", "goes beyond the %d bytes that were announced", found.Bytes)
	}
	err = pgx.BeginFunc(ctx, u.DB.Pool, func(tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, `update history_upload set received = $3, changed_at = now(),
			state = case when $3 = bytes then 'ready' else state end
			where id = $1 and received = $2 and state = 'uploading'`, id, position, end)
		if err != nil {
			return err
		}
		if tag.RowsAffected() == 0 {
			return fault.New(fault.Conflict, "another part was stored meanwhile")
		}
		_, err = tx.Exec(ctx, `insert into history_upload_part (upload_id, position, content) values ($1, $2, $3)`,
			id, position, content)
		return err
	})
	if err != nil {
		return nil, err
	}
	return u.find(ctx, id)
}

// Begin imports a file that is there; zone is that of times that name none.
func (u *Uploads) Begin(ctx context.Context, id uuid.UUID, zone string) (*Import, error) {
	found, err := u.find(ctx, id)
	if err != nil {
		return nil, err
	}
	if _, err := location(zone); err != nil {
		return nil, err
	}
	err = u.change(ctx, found.owner.Workspace, "import.start", id, map[string]any{"timeZone": zone},
		func(tx pgx.Tx) error {
			tag, err := tx.Exec(ctx, `update history_upload set state = 'running', time_zone = $2, problem = '',
				changed_at = now() where id = $1 and state = 'ready'`, id, zone)
			if err == nil && tag.RowsAffected() == 0 {
				return fault.New(fault.Conflict, "only a file that was uploaded whole and is not imported yet can be started")
			}
			return err
		})
	if err != nil {
		return nil, err
	}
	return u.find(ctx, id)
}

// location returns a time zone by its name.
func location(name string) (*time.Location, error) {
	zone, err := time.LoadLocation(name)
	if err != nil || name == "" || name == "Local" {
		return nil, fault.Invalid("timeZone", "must be an IANA name, such as Europe/Berlin")
	}
	return zone, nil
}

// Remove takes an import out of events and reports, and forgets its file. It is done in the background, also when a
// server ends meanwhile; a running import ends.
func (u *Uploads) Remove(ctx context.Context, id uuid.UUID) error {
	found, err := u.find(ctx, id)
	if err != nil {
		return err
	}
	detail := map[string]any{"source": found.Source, "fileName": found.FileName}
	return u.change(ctx, found.owner.Workspace, "import.remove", id, detail, func(tx pgx.Tx) error {
		// An import from a shell has no upload yet: the one made here stands for its removal.
		_, err := tx.Exec(ctx, `
			insert into history_upload (id, environment_id, source, file_name, bytes, state, import_id)
			values ($1, $2, $3, $4, 0, 'removing', $5)
			on conflict (id) do update set state = 'removing', changed_at = now()`,
			found.ID, found.environmentID, found.Source, found.FileName, found.importID)
		return err
	})
}

// Reject is a line that was not stored.
type Reject struct {
	Line    int64
	EventID string
	Code    string
	Message string
}

// Rejects returns the lines of an import that were refused, at most a thousand, by line.
func (u *Uploads) Rejects(ctx context.Context, i *Import) ([]*Reject, error) {
	if _, err := account.Authorize(ctx, i.owner.Workspace, account.AppSettings); err != nil {
		return nil, err
	}
	rows, err := u.DB.Pool.Query(ctx, `select line, event_id, code, message from history_upload_reject
		where upload_id = $1 order by line limit $2`, i.ID, maxRejected)
	if err != nil {
		return nil, fmt.Errorf("read refused lines: %w", err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowToAddrOfStructByPos[Reject])
	if err != nil {
		return nil, fmt.Errorf("read refused lines: %w", err)
	}
	return found, nil
}
