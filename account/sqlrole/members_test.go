package sqlrole_test

import (
	"context"
	"log/slog"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/account"
	"github.com/svc-dev/svc/account/sqlrole"
	"github.com/svc-dev/svc/ent/environment"
	"github.com/svc-dev/svc/internal/fault"
	"github.com/svc-dev/svc/postgres"
)

// memberOf returns requests of the person of a tenant's mark, who has a role in its workspace.
func memberOf(t *testing.T, db *postgres.DB, mark string, of tenant, role string) context.Context {
	t.Helper()
	_, err := db.Pool.Exec(t.Context(), `insert into memberships (id, role, user_id, workspace_id)
		select gen_random_uuid(), $1, id, $2 from users where email = $3`, role, of.workspace, mark+"@example.com")
	require.NoError(t, err)
	accounts := account.New(db.Ent(), db.Pool, account.Options{Logger: slog.New(slog.DiscardHandler)})
	p, err := accounts.PrincipalOf(t.Context(), mark+"@example.com")
	require.NoError(t, err)
	return account.With(t.Context(), p)
}

func wantFault(t *testing.T, code fault.Code, err error) {
	t.Helper()
	require.True(t, fault.Is(err, code), "%v is not %s", err, code)
}

func TestMembersManageTheRolesOfTheirWorkspace(t *testing.T) {
	db := newDB(t)
	mine, theirs := store(t, db, "mine"), store(t, db, "theirs")
	admin := memberOf(t, db, "mine", mine, "admin")
	stranger := memberOf(t, db, "theirs", theirs, "admin")
	m := sqlrole.Members{DB: db, Host: "db.example.com:5432"}

	made, err := m.Create(admin, mine.workspace, &mine.app, environment.KindTest)
	require.NoError(t, err)
	t.Cleanup(func() { _, _ = sqlrole.Drop(context.Background(), db, made.ID) })
	require.Equal(t, mine.test, *made.EnvironmentID)
	require.Contains(t, made.URL, "@db.example.com:5432/")

	found, err := m.Views(admin, mine.workspace)
	require.NoError(t, err)
	names := make([]string, len(found))
	for i, view := range found {
		names[i] = view.Name
		require.NotEmpty(t, view.Columns, view.Name)
	}
	require.ElementsMatch(t, views, names)

	// What is another workspace's does not exist, to either.
	_, err = m.Create(admin, mine.workspace, &theirs.app, environment.KindLive)
	wantFault(t, fault.NotFound, err)
	_, err = m.List(stranger, mine.workspace)
	wantFault(t, fault.NotFound, err)
	_, err = m.Views(stranger, mine.workspace)
	wantFault(t, fault.NotFound, err)
	_, err = m.Rotate(stranger, made.ID)
	wantFault(t, fault.NotFound, err)
	wantFault(t, fault.NotFound, m.Drop(stranger, made.ID))
	wantFault(t, fault.NotFound, m.Drop(admin, uuid.New()))
	wantFault(t, fault.Unauthenticated, m.Drop(t.Context(), made.ID))

	rotated, err := m.Rotate(admin, made.ID)
	require.NoError(t, err)
	require.NotEqual(t, made.Password, rotated.Password)
	roles, err := m.List(admin, mine.workspace)
	require.NoError(t, err)
	require.Equal(t, []*sqlrole.Role{&rotated.Role}, roles)

	// Without a host nobody is given a way in; what was given is taken back all the same.
	closed := sqlrole.Members{DB: db}
	_, err = closed.Create(admin, mine.workspace, nil, environment.KindLive)
	wantFault(t, fault.Conflict, err)
	_, err = closed.Rotate(admin, made.ID)
	wantFault(t, fault.Conflict, err)
	require.NoError(t, closed.Drop(admin, made.ID))
}

func TestWeakerMembersManageNoRoles(t *testing.T) {
	db := newDB(t)
	mine := store(t, db, "mine")
	editor := memberOf(t, db, "mine", mine, "editor")
	made := create(t, db, mine.workspace, nil)
	m := sqlrole.Members{DB: db, Host: "db.example.com:5432"}
	_, err := m.Create(editor, mine.workspace, nil, environment.KindLive)
	wantFault(t, fault.Forbidden, err)
	_, err = m.List(editor, mine.workspace)
	wantFault(t, fault.Forbidden, err)
	_, err = m.Rotate(editor, made.ID)
	wantFault(t, fault.Forbidden, err)
	wantFault(t, fault.Forbidden, m.Drop(editor, made.ID))
}
