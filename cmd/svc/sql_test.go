package main

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/account/sqlrole"
	"github.com/svc-dev/svc/postgres/pgtest"
)

// TestSQLRolesByCommandLine makes a role, reads with the address that is printed, rotates it and drops it.
func TestSQLRolesByCommandLine(t *testing.T) {
	if pgtest.Capabilities(t).Citus != "" {
		t.Skip("there are no SQL roles in a cluster")
	}
	address, ctx := pgtest.URL(t), context.Background()
	run := func(args ...string) (out, errs string) {
		var stdout, stderr bytes.Buffer
		term := terminal{
			in: strings.NewReader(""), out: &stdout, err: &stderr, environ: []string{"SVC_DATABASE_URL=" + address},
		}
		cmd := newSQL(term)
		cmd.SilenceErrors, cmd.SilenceUsage = true, true
		cmd.SetArgs(args)
		fail(&stderr, cmd.ExecuteContext(ctx))
		return stdout.String(), stderr.String()
	}
	made := func(args ...string) (l sqlrole.Made) {
		t.Helper()
		out, errs := run(args...)
		require.Empty(t, errs)
		require.NoError(t, json.Unmarshal([]byte(out), &l))
		return l
	}
	admin, err := pgx.Connect(ctx, address)
	require.NoError(t, err)
	defer admin.Close(ctx)
	workspace, app := uuid.New(), uuid.New()
	for _, sql := range []string{
		`insert into workspaces (id, name) select $1, 'Acme' where $2::uuid is not null`,
		`insert into apps (id, name, allowed_origins, integrations, canvas_gates, workspace_id)
			values ($2, 'Shop', '[]', '{}', '{}', $1)`,
		`insert into environments (kind, app_id) select kind, $2
			from unnest('{live,test}'::text[]) kind where $1::uuid is not null`,
	} {
		_, err := admin.Exec(ctx, sql, workspace, app)
		require.NoError(t, err)
	}

	role := made("create-role", "--app", app.String(), "--env", "test")
	defer run("drop-role", role.ID.String())
	reads := func(url string) error {
		conn, err := pgx.Connect(ctx, url)
		if err != nil {
			return err
		}
		defer conn.Close(ctx)
		_, err = conn.Exec(ctx, "select from sessions")
		return err
	}
	require.NoError(t, reads(role.URL))
	require.Equal(t, sqlrole.Kind("test"), *role.Environment)
	rotated := made("rotate-role", role.ID.String(), "--host", "replica.example:6432")
	require.Contains(t, rotated.URL, "@replica.example:6432/")
	require.Error(t, reads(role.URL))
	require.NoError(t, reads(strings.Replace(role.URL, role.Password, rotated.Password, 1)))

	whole := made("create-role", "--workspace", workspace.String())
	out, _ := run("roles", workspace.String())
	require.Contains(t, out, role.Name)
	require.Contains(t, out, whole.Name)
	require.NotContains(t, out, "password")
	for _, id := range []string{role.ID.String(), whole.ID.String()} {
		_, errs := run("drop-role", id)
		require.Empty(t, errs)
	}
	out, _ = run("roles", workspace.String())
	require.JSONEq(t, `[]`, out)

	for want, args := range map[string][]string{
		"either --app or --workspace": {"create-role"},
		"--app must be the id":        {"create-role", "--app", "x"},
		"--workspace must be the id":  {"create-role", "--workspace", "x"},
		"--env must be live or test":  {"create-role", "--app", app.String(), "--env", "dev"},
		"no app":                      {"create-role", "--app", uuid.NewString()},
		"no such workspace":           {"create-role", "--workspace", uuid.NewString()},
		"no such SQL role":            {"drop-role", uuid.NewString()},
		"roleId must be the id":       {"rotate-role", "x"},
		"workspaceId must be the id":  {"roles", "x"},
	} {
		_, errs := run(args...)
		require.Contains(t, errs, want)
	}
}
