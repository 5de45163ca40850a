package postgres_test

import (
	"os"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"

	"github.com/svc-dev/svc/postgres"
	"github.com/svc-dev/svc/postgres/pgtest"
)

// migratedTo opens a database at an earlier migration.
func migratedTo(t *testing.T, version int64) *postgres.DB {
	t.Helper()
	db := open(t, pgtest.EmptyURL(t))
	sqlDB := stdlib.OpenDBFromPool(db.Pool)
	t.Cleanup(func() { sqlDB.Close() })
	provider, err := goose.NewProvider(goose.DialectPostgres, sqlDB, os.DirFS("migrations"),
		goose.WithTableName("schema_migration"), goose.WithDisableGlobalRegistry(true))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := provider.UpTo(t.Context(), version); err != nil {
		t.Fatal(err)
	}
	return db
}

// People who were invited before invitations had rows of their own become
// expired invitations: their links may be with somebody else.
func TestPendingMembersBecomeExpiredInvitations(t *testing.T) {
	t.Parallel()
	db := migratedTo(t, 4)
	exec(t, db, `
		insert into users (id, email, password_hash) values
			('00000000-0000-0000-0000-00000000000a', 'ann@example.com', 'x'),
			('00000000-0000-0000-0000-00000000000b', 'bob@example.com', 'x'),
			('00000000-0000-0000-0000-00000000000c', 'new@example.com', '')`)
	exec(t, db, `
		insert into workspaces (id, name) values
			('00000000-0000-0000-0000-000000000001', 'Acme'),
			('00000000-0000-0000-0000-000000000002', 'Given away'),
			('00000000-0000-0000-0000-000000000003', 'Left alone')`)
	exec(t, db, `
		insert into memberships (id, workspace_id, user_id, role)
		select gen_random_uuid(), ('00000000-0000-0000-0000-00000000000' || w)::uuid,
			('00000000-0000-0000-0000-00000000000' || u)::uuid, role
		from (values (1, 'a', 'owner'), (1, 'b', 'viewer'), (1, 'c', 'editor'),
			(2, 'c', 'owner'), (2, 'a', 'admin'), (2, 'b', 'editor'), (3, 'c', 'owner')) v (w, u, role)`)
	exec(t, db, `insert into setup_tokens (id, hash, expires_at, used_at, user_id) values
		(gen_random_uuid(), '\x01', now() + interval '1 day', null, '00000000-0000-0000-0000-00000000000c'),
		(gen_random_uuid(), '\x02', now() + interval '1 day', now(), null),
		(gen_random_uuid(), '\x03', now() + interval '1 day', null, null)`)
	if err := postgres.Migrate(t.Context(), db, options(t)); err != nil {
		t.Fatal(err)
	}
	for sql, want := range map[string]string{
		`select email from users order by 1`: "ann@example.com bob@example.com",
		`select w.name || '/' || u.email || '/' || role from memberships m join users u on u.id = m.user_id
			join workspaces w on w.id = m.workspace_id order by 1`: "" +
			"Acme/ann@example.com/owner Acme/bob@example.com/viewer " +
			"Given away/ann@example.com/owner Given away/bob@example.com/editor",
		`select w.name || '/' || i.email || '/' || role || '/' || u.email from invitations i
			join users u on u.id = i.invited_by join workspaces w on w.id = i.workspace_id order by 1`: "" +
			"Acme/new@example.com/editor/ann@example.com " +
			"Given away/new@example.com/admin/ann@example.com",
		`select email from invitations where expires_at > now()`: "",
		`select encode(hash, 'hex') from setup_tokens`:           "03",
	} {
		if got := strings.Join(query[string](t, db, sql), " "); got != want {
			t.Errorf("%s\n got %s\nwant %s", sql, got, want)
		}
	}
}
