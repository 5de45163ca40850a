package resolvers_test

import (
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
)

// Entries of the audit log say what their ids are called today: of the subject and of what it was given, in the
// workspace of the entry alone.
func TestTheAuditLogSaysNames(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	app := w.app("Shop")
	exec := func(sql string, args ...any) {
		_, err := w.db.Pool.Exec(t.Context(), sql, args...)
		require.NoError(t, err)
	}
	owner := w.as("owner")
	flow := owner.text(`mutation($a: ID!) { createFlow(input: {appId: $a, name: "Hello"}) { id } }`, vars{"a": app}, "createFlow", "id")
	channel := owner.text(`mutation($a: ID!) { createChannel(input: {appId: $a, environment: LIVE, name: "Front door"}) { id } }`,
		vars{"a": app}, "createChannel", "id")
	owner.must(`mutation($f: ID!) { renameFlow(input: {id: $f, name: "Hello again"}) { id } }`, vars{"f": flow})
	foreign := uuid.NewString()
	exec(`insert into audit_entries (id, workspace_id, action, subject, detail) values ($1, $2, 'channel.pin', $3, $4)`,
		uuid.NewString(), w.workspace, channel, map[string]any{"version": foreign, "flow": flow, "count": 3})

	nodes := owner.must(
		`query($w: ID!) { workspace(id: $w) { auditLog(first: 4) { nodes { action subject names { id name } } } } }`,
		vars{"w": w.workspace},
	)
	entry := func(i int) any { return nodes.at(t, "workspace", "auditLog", "nodes", i, "names") }
	named := func(id, name string) map[string]any { return map[string]any{"id": id, "name": name} }
	require.Equal(t, []any{named(channel, "Front door"), named(flow, "Hello again")}, entry(0), "an id that is nothing has no name")
	require.Equal(t, []any{named(flow, "Hello again")}, entry(1))
	require.Equal(t, []any{named(channel, "Front door")}, entry(2))
	require.Equal(t, []any{named(flow, "Hello again")}, entry(3), "by the name of today")

	// What another workspace has is not told, even where an entry holds its id.
	stranger := w.as("stranger")
	elsewhere := stranger.text(`{ viewer { workspaces(first: 1) { nodes { workspace { id } } } } }`, nil, "viewer", "workspaces", "nodes", 0, "workspace", "id")
	exec(`insert into audit_entries (id, workspace_id, action, subject) values ($1, $2, 'flow.publish', $3)`,
		uuid.NewString(), elsewhere, flow)
	require.Equal(t, []any{}, stranger.must(
		`query($w: ID!) { workspace(id: $w) { auditLog(first: 1) { nodes { names { id name } } } } }`, vars{"w": elsewhere},
	).at(t, "workspace", "auditLog", "nodes", 0, "names"))
}
