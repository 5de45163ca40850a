package resolvers_test

import (
	"context"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/account/sqlrole"
	"github.com/svc-dev/svc/postgres/pgtest"
)

const sqlRoleFields = `{ url password role { id name appId environment } }`

// A role is made, changed and dropped by members who may change settings, and reads what it is for.
func TestSQLRolesOfMembers(t *testing.T) {
	t.Parallel()
	if pgtest.Capabilities(t).Citus != "" {
		t.Skip("there are no SQL roles in a cluster")
	}
	w := newWorld(t)
	app := w.shop()
	admin := w.as("admin")
	create := func(c *client, input vars) answer {
		return c.do(`mutation($i: CreateSqlRoleInput!) { createSqlRole(input: $i) `+sqlRoleFields+` }`, vars{"i": input})
	}
	rotate := func(c *client, id string) answer {
		return c.do(`mutation($i: ID!) { rotateSqlRole(input: {id: $i}) `+sqlRoleFields+` }`, vars{"i": id})
	}
	drop := func(c *client, id string) answer {
		return c.do(`mutation($i: ID!) { dropSqlRole(input: {id: $i}) }`, vars{"i": id})
	}
	made := create(admin, vars{"workspaceId": w.workspace, "appId": app, "environment": "TEST"})
	require.Empty(t, made.Errors)
	id := made.at(t, "createSqlRole", "role", "id").(string)
	t.Cleanup(func() { // the databases of a server share their roles
		_, _ = sqlrole.Drop(context.Background(), w.db, uuid.MustParse(id))
	})
	require.Equal(t, app, made.at(t, "createSqlRole", "role", "appId"))
	require.Equal(t, "TEST", made.at(t, "createSqlRole", "role", "environment"))
	address := made.at(t, "createSqlRole", "url").(string)

	// The queries that the settings show answer, and what is not the role's is not there.
	shown, err := os.ReadFile("../dashboard/src/settings/sql-examples.json")
	require.NoError(t, err)
	var examples []struct{ Name, SQL string }
	require.NoError(t, json.Unmarshal(shown, &examples))
	require.NotEmpty(t, examples)
	conn, err := pgx.Connect(t.Context(), address)
	require.NoError(t, err)
	for _, example := range examples {
		_, err := conn.Exec(t.Context(), example.SQL)
		require.NoError(t, err, example.Name)
	}
	var environments string
	require.NoError(t, conn.QueryRow(t.Context(),
		`select coalesce(string_agg(distinct environment, ' '), 'test') from sessions`).Scan(&environments))
	require.Equal(t, "test", environments)
	_, err = conn.Exec(t.Context(), `select * from users`)
	require.Error(t, err)
	require.NoError(t, conn.Close(t.Context()))

	const read = `query($w: ID!) { workspace(id: $w) { sqlRoles { id appId environment } sqlViews { name columns { name type } } } }`
	listed := admin.must(read, vars{"w": w.workspace})
	require.Len(t, listed.at(t, "workspace", "sqlRoles"), 1)
	require.Len(t, listed.at(t, "workspace", "sqlViews"), 10)
	require.Equal(t, map[string]any{"name": "id", "type": "uuid"}, columnOf(listed.at(t, "workspace", "sqlViews"), "annotations", "id"))
	require.NotContains(t, asJSON(t, listed.Data), strings.Split(address, "@")[0])

	// Who may not, and who is of another workspace.
	key := w.keyed("owner", "app:settings")
	stranger := w.as("stranger")
	require.Empty(t, key.do(read, vars{"w": w.workspace}).Errors)
	for _, refused := range []struct {
		who  *client
		code string
	}{{w.as("editor"), "forbidden"}, {w.as("viewer"), "forbidden"}, {key, "forbidden"}, {w.as("anonymous"), "unauthenticated"}} {
		require.Equal(t, refused.code, create(refused.who, vars{"workspaceId": w.workspace}).code())
		require.Equal(t, refused.code, rotate(refused.who, id).code())
		require.Equal(t, refused.code, drop(refused.who, id).code())
	}
	require.Equal(t, "forbidden", w.as("editor").do(read, vars{"w": w.workspace}).code())
	require.Equal(t, "not_found", rotate(stranger, id).code())
	require.Equal(t, "not_found", drop(stranger, id).code())
	require.Equal(t, "not_found", create(stranger, vars{"workspaceId": w.workspace}).code())
	require.Equal(t, "not_found", create(stranger, vars{"workspaceId": workspaceOf(t, stranger), "appId": app}).code())

	changed := rotate(admin, id)
	require.Empty(t, changed.Errors)
	_, err = pgx.Connect(t.Context(), address)
	require.Error(t, err)
	conn, err = pgx.Connect(t.Context(), changed.at(t, "rotateSqlRole", "url").(string))
	require.NoError(t, err)
	require.Empty(t, drop(admin, id).Errors)
	require.Error(t, conn.Ping(t.Context()))
	require.Equal(t, "not_found", drop(admin, id).code())
	log := admin.must(`query($w: ID!) { workspace(id: $w) { auditLog(first: 3, filter: {text: "sql_role."}) { nodes { action user { email } } } } }`,
		vars{"w": w.workspace})
	for i, action := range []string{"sql_role.drop", "sql_role.rotate", "sql_role.create"} {
		require.Equal(t, action, log.at(t, "workspace", "auditLog", "nodes", i, "action"))
		require.Contains(t, log.at(t, "workspace", "auditLog", "nodes", i, "user", "email"), "admin")
	}
}

func columnOf(views any, view, name string) any {
	for _, one := range views.([]any) {
		if one := one.(map[string]any); one["name"] == view {
			for _, column := range one["columns"].([]any) {
				if column := column.(map[string]any); column["name"] == name {
					return column
				}
			}
		}
	}
	return nil
}
