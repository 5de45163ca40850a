// Package sqlrole makes login roles of PostgreSQL that read what a workspace or one environment of it has stored, in
// the views of the schema svc_read, and nothing else.
//
// A role is named at random, since every role of a server can read the names of all. What it may read is looked up by
// the name with which it logged in (read_views.sql). Its settings are defaults that a session may change, and
// PostgreSQL has no other bound for the time of a statement: [EndOverdue] ends what takes longer.
package sqlrole

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/svc-dev/svc/account"
	"github.com/svc-dev/svc/ent/environment"
	"github.com/svc-dev/svc/internal/fault"
	"github.com/svc-dev/svc/postgres"
)

// Bounds of a role.
const (
	Connections      = 4
	StatementTimeout = 30 * time.Second
	IdleTimeout      = time.Minute // of a transaction that asks nothing
	WorkMemory       = "32MB"
	TemporaryFiles   = "1GB" // of a session
	MaxRoles         = 20    // of a workspace
)

const prefix = "svc_sql_"

// Role is a login role.
type Role struct {
	ID            uuid.UUID  `json:"id"`
	Name          string     `json:"name"` // in PostgreSQL
	WorkspaceID   uuid.UUID  `json:"workspaceId"`
	EnvironmentID *int64     `json:"-"`                     // nil: all environments of the workspace
	AppID         *uuid.UUID `json:"appId,omitempty"`       // of the environment
	Environment   *Kind      `json:"environment,omitempty"` // of the app
	CreatedAt     time.Time  `json:"createdAt"`
	RotatedAt     time.Time  `json:"rotatedAt"` // when its password was made
}

// Kind is live or test.
type Kind = environment.Kind

// Made is a role with what a client signs in with, which is known this once.
type Made struct {
	Role
	Password string `json:"password"`
	URL      string `json:"url"`
}

// address returns where a client signs in: host is that of the server's own connection where it is empty.
func (m Made) address(db *postgres.DB, host string) string {
	to := db.Pool.Config().ConnConfig
	if host == "" {
		host = net.JoinHostPort(to.Host, fmt.Sprint(to.Port))
	}
	address := url.URL{
		Scheme: "postgresql", User: url.UserPassword(m.Name, m.Password), Host: host, Path: "/" + to.Database,
	}
	return address.String()
}

// Create makes a role for a workspace, or for one environment of it. Clients reach the database at host, or where the
// server does when it is empty. Who may is the caller's to check; the audit log names the principal of ctx.
func Create(
	ctx context.Context, db *postgres.DB, host string, workspace uuid.UUID, environment *int64,
) (made Made, err error) {
	made = Made{Password: rand.Text()}
	secret, err := verifier(made.Password)
	if err != nil {
		return made, err
	}
	id := uuid.Must(uuid.NewV7())
	name := prefix + strings.ToLower(rand.Text()[:16])
	err = pgx.BeginFunc(ctx, db.Pool, func(tx pgx.Tx) error {
		if err := refuseCluster(ctx, tx); err != nil {
			return err
		}
		if err := admit(ctx, tx, workspace, environment); err != nil {
			return err
		}
		if err := closeDatabase(ctx, tx); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, createRole(name, secret)); err != nil {
			return fmt.Errorf("create the role: %w", err)
		}
		if err := postgres.GrantReadViews(ctx, tx, name); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `
			insert into sql_roles (id, name, workspace_id, environment_id) values ($1, $2, $3, $4)`,
			id, name, workspace, environment); err != nil {
			return fmt.Errorf("store the role: %w", err)
		}
		if err := refuseRights(ctx, tx, name); err != nil {
			return err
		}
		if made.Role, err = read(ctx, tx, id); err != nil {
			return err
		}
		return account.RecordIn(ctx, tx, workspace, "sql_role.create", id.String(), made.detail())
	})
	made.URL = made.address(db, host)
	return made, err
}

func (r Role) detail() map[string]any {
	detail := map[string]any{"name": r.Name}
	if r.Environment != nil {
		detail["appId"], detail["environment"] = r.AppID, r.Environment
	}
	return detail
}

// createRole returns the statements that make a role, which has a password with this verifier. Whoever makes it becomes
// a member, so that its sessions can be seen and ended.
func createRole(name, secret string) string {
	role := pgx.Identifier{name}.Sanitize()
	return strings.Join(append([]string{
		fmt.Sprintf("create role %s login noinherit connection limit %d password '%s'", role, Connections, secret),
		fmt.Sprintf("grant %s to current_user", role),
	}, defaults(role)...), ";")
}

// defaults returns the statements that set what sessions of a role begin with.
func defaults(role string) (statements []string) {
	for _, setting := range [][2]string{
		{"default_transaction_read_only", "on"},
		{"statement_timeout", fmt.Sprint(StatementTimeout.Milliseconds())},
		{"idle_in_transaction_session_timeout", fmt.Sprint(IdleTimeout.Milliseconds())},
		{"lock_timeout", "5000"},
		{"work_mem", WorkMemory},
		{"max_parallel_workers_per_gather", "0"},
		{"temp_file_limit", TemporaryFiles},
		{"timezone", "UTC"},
		{"search_path", postgres.ReadSchema},
	} {
		statements = append(statements, fmt.Sprintf("alter role %s set %s = '%s'", role, setting[0], setting[1]))
	}
	return statements
}

// admit refuses a workspace that does not exist or has roles enough, and an environment that is not its.
func admit(ctx context.Context, tx pgx.Tx, workspace uuid.UUID, environment *int64) error {
	// One at a time: PostgreSQL refuses changes of one object's rights that happen at once.
	if _, err := tx.Exec(ctx, `lock table sql_roles in share row exclusive mode`); err != nil {
		return fmt.Errorf("wait for other roles: %w", err)
	}
	var roles int
	var there, its bool
	if err := tx.QueryRow(ctx, `
		select exists (select from workspaces where id = $1), (select count(*) from sql_roles where workspace_id = $1),
		       $2::bigint is null or exists (select from environments e join apps a on a.id = e.app_id
		           where e.id = $2 and a.workspace_id = $1)`, workspace, environment).Scan(
		&there, &roles, &its,
	); err != nil {
		return fmt.Errorf("count the roles: %w", err)
	}
	if !there {
		return fault.New(fault.NotFound, "no such workspace")
	}
	if !its {
		return fault.New(fault.NotFound, "no such environment in the workspace")
	}
	if roles >= MaxRoles {
		return fault.New(fault.Conflict, "a workspace has at most %d SQL roles: drop one first", MaxRoles)
	}
	return nil
}

const selectRoles = `
	select r.id, r.name, r.workspace_id, r.environment_id, e.app_id, e.kind, r.created_at, r.rotated_at
	from sql_roles r left join environments e on e.id = r.environment_id`

// List returns the roles of a workspace, the oldest first.
func List(ctx context.Context, pool *pgxpool.Pool, workspace uuid.UUID) ([]*Role, error) {
	rows, err := pool.Query(ctx, selectRoles+` where r.workspace_id = $1 order by r.created_at, r.id`, workspace)
	if err != nil {
		return nil, fmt.Errorf("list the roles: %w", err)
	}
	return pgx.CollectRows(rows, pgx.RowToAddrOfStructByPos[Role])
}

func read(ctx context.Context, tx pgx.Tx, id uuid.UUID) (Role, error) {
	rows, err := tx.Query(ctx, selectRoles+` where r.id = $1`, id)
	if err != nil {
		return Role{}, fmt.Errorf("read the role: %w", err)
	}
	role, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[Role])
	if errors.Is(err, pgx.ErrNoRows) {
		return role, fault.New(fault.NotFound, "no such SQL role")
	}
	return role, err
}

// Rotate gives a role another password and ends its sessions.
func Rotate(ctx context.Context, db *postgres.DB, host string, id uuid.UUID) (made Made, err error) {
	made = Made{Password: rand.Text()}
	secret, err := verifier(made.Password)
	if err != nil {
		return made, err
	}
	err = pgx.BeginFunc(ctx, db.Pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `update sql_roles set rotated_at = now() where id = $1`, id); err != nil {
			return fmt.Errorf("note the rotation: %w", err)
		}
		if made.Role, err = read(ctx, tx, id); err != nil {
			return err
		}
		// What the server may not do itself keeps nobody from a new password.
		if err := closeDatabase(ctx, tx); err != nil && !fault.Is(err, fault.Conflict) {
			return err
		}
		role := pgx.Identifier{made.Name}.Sanitize()
		if _, err := tx.Exec(ctx, "alter role "+role+" nologin"); err != nil {
			return fmt.Errorf("close the role: %w", err)
		}
		return account.RecordIn(ctx, tx, made.WorkspaceID, "sql_role.rotate", id.String(), made.detail())
	})
	if err != nil {
		return made, err
	}
	// A session may change the password and the defaults of its role: it must be gone before they are set.
	if err := endSessions(ctx, db.Pool, made.Name); err != nil {
		return made, err
	}
	role := pgx.Identifier{made.Name}.Sanitize()
	_, err = db.Pool.Exec(ctx, strings.Join(append([]string{
		fmt.Sprintf("alter role %s reset all", role), fmt.Sprintf("alter role %s login password '%s'", role, secret),
	}, defaults(role)...), ";"))
	if err != nil {
		return made, fmt.Errorf("open the role with a new password: %w", err)
	}
	made.URL = made.address(db, host)
	return made, nil
}

// Drop removes a role and ends its sessions. A role that is gone in PostgreSQL already is removed here too.
func Drop(ctx context.Context, db *postgres.DB, id uuid.UUID) (dropped Role, err error) {
	var there bool
	err = pgx.BeginFunc(ctx, db.Pool, func(tx pgx.Tx) error {
		if dropped, err = read(ctx, tx, id); err != nil {
			return err
		}
		return tx.QueryRow(ctx, `select exists (select from pg_roles where rolname = $1)`, dropped.Name).Scan(&there)
	})
	if err != nil {
		return dropped, err
	}
	role := pgx.Identifier{dropped.Name}.Sanitize()
	if there {
		// Sessions are ended while they are of a role whose members may end them, and after nobody can begin one.
		if _, err := db.Pool.Exec(ctx, "alter role "+role+" nologin"); err != nil {
			return dropped, fmt.Errorf("close the role: %w", err)
		}
		if err := endSessions(ctx, db.Pool, dropped.Name); err != nil {
			return dropped, err
		}
	}
	return dropped, pgx.BeginFunc(ctx, db.Pool, func(tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, `delete from sql_roles where id = $1`, id)
		if err != nil {
			return fmt.Errorf("forget the role: %w", err)
		}
		if tag.RowsAffected() == 0 { // dropped by somebody else meanwhile
			return nil
		}
		if there {
			if err := dropJobs(ctx, tx, dropped.Name); err != nil {
				return err
			}
			if _, err := tx.Exec(ctx, "drop owned by "+role+"; drop role "+role); err != nil {
				return fmt.Errorf("drop the role: %w", err)
			}
		}
		return account.RecordIn(ctx, tx, dropped.WorkspaceID, "sql_role.drop", id.String(), dropped.detail())
	})
}
