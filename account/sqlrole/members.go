package sqlrole

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/svc-dev/svc/account"
	"github.com/svc-dev/svc/internal/fault"
	"github.com/svc-dev/svc/postgres"
)

// Members are the roles as members of workspaces make and end them, by app:settings. Who finds an API key can't: a role
// outlives it.
type Members struct {
	DB *postgres.DB
	// Host is where clients reach the database; where it is empty, members make no roles.
	Host string
}

// View is a view that roles read.
type View struct {
	Name    string
	Columns []Column
}

// Column is a column of a view; Type is PostgreSQL's name.
type Column struct{ Name, Type string }

// List returns the roles of a workspace.
func (m Members) List(ctx context.Context, workspace uuid.UUID) ([]*Role, error) {
	if _, err := account.Authorize(ctx, workspace, account.AppSettings); err != nil {
		return nil, err
	}
	return List(ctx, m.DB.Pool, workspace)
}

// Views returns what roles of a workspace read, by name.
func (m Members) Views(ctx context.Context, workspace uuid.UUID) ([]*View, error) {
	if _, err := account.Authorize(ctx, workspace, account.AppSettings); err != nil {
		return nil, err
	}
	rows, err := m.DB.Pool.Query(ctx, `
		select c.relname, array_agg(a.attname::text order by a.attnum),
		       array_agg(format_type(a.atttypid, null) order by a.attnum)
		from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
		where c.relnamespace = $1::regnamespace and c.relkind = 'v' group by 1 order by 1`, postgres.ReadSchema)
	if err != nil {
		return nil, fmt.Errorf("read the views: %w", err)
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (*View, error) {
		view := &View{}
		var names, types []string
		if err := row.Scan(&view.Name, &names, &types); err != nil {
			return view, fmt.Errorf("read a view: %w", err)
		}
		for i, name := range names {
			view.Columns = append(view.Columns, Column{name, types[i]})
		}
		return view, nil
	})
}

// Create makes a role that reads an environment of an app, or all of a workspace when app is nil.
func (m Members) Create(ctx context.Context, workspace uuid.UUID, app *uuid.UUID, kind Kind) (*Made, error) {
	if _, err := account.AuthorizePerson(ctx, workspace, account.AppSettings); err != nil {
		return nil, err
	}
	if err := m.offered(); err != nil {
		return nil, err
	}
	var environment *int64
	if app != nil {
		err := m.DB.Pool.QueryRow(ctx, `
			select e.id from environments e join apps a on a.id = e.app_id
			where a.id = $1 and a.workspace_id = $2 and e.kind = $3`, *app, workspace, kind).Scan(&environment)
		if errors.Is(err, pgx.ErrNoRows) {
			return nil, fault.Missing("app")
		}
		if err != nil {
			return nil, fmt.Errorf("read the app's environment: %w", err)
		}
	}
	made, err := Create(ctx, m.DB, m.Host, workspace, environment)
	return &made, err
}

// offered refuses where whoever runs the server has not said where clients reach the database. Not everything that a
// role may do is bound (docs/sql.md), so that is theirs to decide.
func (m Members) offered() error {
	if m.Host == "" {
		return fault.New(fault.Conflict, "this server offers no SQL access: whoever runs it sets sql_host")
	}
	return nil
}

// Rotate gives a role another password.
func (m Members) Rotate(ctx context.Context, id uuid.UUID) (*Made, error) {
	if err := m.authorize(ctx, id); err != nil {
		return nil, err
	}
	if err := m.offered(); err != nil {
		return nil, err
	}
	made, err := Rotate(ctx, m.DB, m.Host, id)
	return &made, err
}

// Drop removes a role.
func (m Members) Drop(ctx context.Context, id uuid.UUID) error {
	if err := m.authorize(ctx, id); err != nil {
		return err
	}
	_, err := Drop(ctx, m.DB, id)
	return err
}

// authorize refuses who may not change a role. One of a workspace that is not theirs is not found.
func (m Members) authorize(ctx context.Context, id uuid.UUID) error {
	if err := account.RequirePerson(ctx); err != nil {
		return err
	}
	var workspace uuid.UUID
	err := m.DB.Pool.QueryRow(ctx, `select workspace_id from sql_roles where id = $1`, id).Scan(&workspace)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return fmt.Errorf("read the role's workspace: %w", err)
	}
	if _, entered := account.Enter(ctx, workspace); err != nil || fault.Is(entered, fault.NotFound) {
		return fault.Missing("SQL role")
	}
	_, err = account.AuthorizePerson(ctx, workspace, account.AppSettings)
	return err
}
