package resolvers_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/automation/notification"
	"github.com/svc-dev/svc/ent/environment"
)

const createView = `mutation($a: ID!, $n: String!, $s: ViewScopeInput!) {
	createSavedView(input: {appId: $a, name: $n, scope: $s}) { id name } }`

// What was saved is given back whole, and applied by those who may only read.
func TestSavedViews(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	app := w.app("Shop")
	owner, viewer := w.as("owner"), w.as("viewer")
	segment := owner.text(`mutation($a: ID!) { createSegment(input: {appId: $a, name: "S"}) { id } }`, vars{"a": app},
		"createSegment", "id")
	scope := vars{
		"period": "CUSTOM", "from": "2026-01-01", "to": "2026-01-31", "timeZone": "Europe/Berlin", "grain": "WEEK",
		"platform": "IOS", "segmentId": segment, "comparison": "SEGMENT", "against": segment, "matchWeekdays": true,
		"cross": vars{"country": vars{"op": "IS_NOT", "values": []string{"DE", ""}},
			"page": vars{"op": "CONTAINS", "values": []string{"/a,b"}}},
	}
	id := w.as("editor").text(createView, vars{"a": app, "n": " January ", "s": scope}, "createSavedView", "id")
	const read = `query($a: ID!) { app(id: $a) { savedViews { totalCount nodes { id name app { name } scope {
		period from to timeZone grain platform segmentId comparison against matchWeekdays cross } } } } }`
	got := viewer.must(read, vars{"a": app}).at(t, "app", "savedViews", "nodes", 0)
	require.JSONEq(t, asJSON(t, vars{"id": id, "name": "January", "app": vars{"name": "Shop"}, "scope": scope}),
		asJSON(t, got))

	owner.must(`mutation($v: ID!) { updateSavedView(input: {id: $v, scope: {period: TODAY}}) { id } }`, vars{"v": id})
	owner.must(`mutation($v: ID!) { updateSavedView(input: {id: $v, name: "Now"}) { id } }`, vars{"v": id})
	got = viewer.must(read, vars{"a": app}).at(t, "app", "savedViews", "nodes", 0)
	require.JSONEq(t, asJSON(t, vars{"id": id, "name": "Now", "app": vars{"name": "Shop"}, "scope": vars{
		"period": "TODAY", "from": nil, "to": nil, "timeZone": nil, "grain": nil, "platform": nil, "segmentId": nil,
		"comparison": "PREVIOUS", "against": nil, "matchWeekdays": false, "cross": nil,
	}}), asJSON(t, got))

	again := owner.do(createView, vars{"a": app, "n": "Now", "s": vars{}})
	require.Equal(t, "invalid_input", again.code())
	require.Equal(t, "name", again.Errors[0].Extensions["field"])
	other := w.app("Other")
	owner.must(createView, vars{"a": other, "n": "Now", "s": vars{}}) // names are an app's

	require.Equal(t, id, owner.text(`mutation($v: ID!) { deleteSavedView(input: {id: $v}) }`, vars{"v": id}, "deleteSavedView"))
	require.Equal(t, "0", asJSON(t, viewer.must(read, vars{"a": app}).at(t, "app", "savedViews", "totalCount")))
	log := owner.must(`query($w: ID!) { workspace(id: $w) { auditLog(filter: {text: "view."}) { nodes { action subject } } } }`,
		vars{"w": w.workspace}).at(t, "workspace", "auditLog", "nodes").([]any)
	var actions []any
	for _, entry := range log {
		if entry := entry.(map[string]any); entry["subject"] == id {
			actions = append(actions, entry["action"])
		}
	}
	require.Equal(t, []any{"view.delete", "view.update", "view.update", "view.create"}, actions)
}

// A scope that no report could answer is refused with the field, and what is stored is bounded in bytes and in number.
func TestBadSavedViewsNameTheField(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	app, other := w.app("Shop"), w.app("Other")
	owner := w.as("owner")
	foreign := owner.text(`mutation($a: ID!) { createSegment(input: {appId: $a, name: "S"}) { id } }`, vars{"a": other},
		"createSegment", "id")
	values := make([]string, 20)
	for i := range values {
		values[i] = strings.Repeat("ä", 500) + fmt.Sprint(i)
	}
	for field, scope := range map[string]vars{
		"scope.from":      {"period": "CUSTOM", "to": "2026-01-31"},
		"scope.to":        {"period": "TODAY", "to": "2026-01-31"},
		"scope.timeZone":  {"timeZone": "Mars/Base"},
		"scope.segmentId": {"segmentId": foreign},
		"scope.against":   {"comparison": "ARM"},
		"scope":           {"cross": vars{"page": vars{"op": "IS", "values": values}}},
	} {
		got := owner.do(createView, vars{"a": app, "n": "View", "s": scope})
		require.Equal(t, "invalid_input", got.code(), field)
		require.Equal(t, field, got.Errors[0].Extensions["field"], asJSON(t, got.Errors))
	}
	for _, name := range []string{" ", strings.Repeat("x", 121), "a\x00b"} {
		got := owner.do(createView, vars{"a": app, "n": name, "s": vars{}})
		require.Equal(t, "invalid_input", got.code())
		require.Equal(t, "name", got.Errors[0].Extensions["field"])
	}
	_, err := w.db.Pool.Exec(t.Context(), `insert into saved_views (id, app_id, name, scope, updated_at)
		select gen_random_uuid(), $1, i::text, '{}', now() from generate_series(1, 200) i`, app)
	require.NoError(t, err)
	full := owner.do(createView, vars{"a": app, "n": "One more", "s": vars{}})
	require.Equal(t, "appId", full.Errors[0].Extensions["field"])
}

// Notes stand beside the marks of what was changed; who wrote and did it is said to those who see members.
func TestNotesAndMarks(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	app := w.app("Shop")
	owner, editor, viewer := w.as("owner"), w.as("editor"), w.as("viewer")
	version, channel := w.version(app), w.channel(app)
	owner.must(`mutation($c: ChannelID!, $v: ID!) { pinChannel(input: {id: $c, versionId: $v}) { channel { id } } }`,
		vars{"c": channel, "v": version})
	live, id := environment.KindLive, uuid.MustParse(app)
	w.post(notification.IngestRefused, "1", notification.About{AppID: &id, Environment: &live})

	const create = `mutation($a: ID!, $at: Time!, $t: String!, $e: EnvironmentKind!) {
		createNote(input: {appId: $a, environment: $e, at: $at, text: $t}) { id } }`
	at := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	note := editor.text(create, vars{"a": app, "at": at, "t": " TV spot ", "e": "LIVE"}, "createNote", "id")
	owner.must(create, vars{"a": app, "at": at.AddDate(0, 1, 0), "t": "later", "e": "LIVE"})
	owner.must(create, vars{"a": app, "at": at, "t": "elsewhere", "e": "TEST"})

	const read = `query($a: ID!, $from: Time!, $to: Time!) { app(id: $a) {
		notes(range: {start: $from, end: $to}) { nodes { id at text editable author { email } environment { kind } } }
		chartMarks(range: {start: $from, end: $to}) { kind name author { email } } } }`
	march := vars{"a": app, "from": at.AddDate(0, 0, -1), "to": at.AddDate(0, 0, 1)}
	require.JSONEq(t, fmt.Sprintf(`[{"id": %q, "at": "2026-03-04T05:06:07Z", "text": "TV spot", "editable": false,
		"author": {"email": "editor@example.com"}, "environment": {"kind": "LIVE"}}]`, note),
		asJSON(t, viewer.must(read, march).at(t, "app", "notes", "nodes")))
	require.Equal(t, true, editor.must(read, march).at(t, "app", "notes", "nodes", 0, "editable"))
	require.Equal(t, "[]", asJSON(t, viewer.must(read, march).at(t, "app", "chartMarks")))

	ever := vars{"a": app, "from": at.AddDate(-20, 0, 0), "to": time.Now().Add(time.Hour)}
	kinds := func(marks any) (kinds, authors []any) {
		for _, mark := range marks.([]any) {
			mark := mark.(map[string]any)
			kinds = append(kinds, mark["kind"])
			authors = append(authors, mark["author"])
		}
		return kinds, authors
	}
	by := map[string]any{"email": "owner@example.com"}
	kind, authors := kinds(viewer.must(read, ever).at(t, "app", "chartMarks"))
	require.Equal(t, []any{"INGEST_REFUSED", "CHANNEL_PINNED", "FLOW_PUBLISHED"}, kind)
	require.Equal(t, []any{nil, by, by}, authors)
	kind, authors = kinds(w.keyed("owner", "analytics:read").must(read, ever).at(t, "app", "chartMarks"))
	require.Equal(t, []any{"INGEST_REFUSED", "CHANNEL_PINNED", "FLOW_PUBLISHED"}, kind)
	require.Equal(t, []any{nil, nil, nil}, authors)
	require.Nil(t, w.keyed("owner", "analytics:read").must(read, march).at(t, "app", "notes", "nodes", 0, "author"))

	// One's own by an editor, everybody's by an administrator.
	const update = `mutation($n: ID!, $t: String) { updateNote(input: {id: $n, text: $t}) { text at } }`
	require.Equal(t, "TV spot 2", editor.text(update, vars{"n": note, "t": "TV spot 2"}, "updateNote", "text"))
	colleague := w.invite("colleague@example.com", "editor")
	for _, who := range []*client{viewer, colleague} {
		require.Equal(t, "forbidden", who.do(update, vars{"n": note, "t": "x"}).code())
		require.Equal(t, "forbidden", who.do(`mutation($n: ID!) { deleteNote(input: {id: $n}) }`, vars{"n": note}).code())
	}
	require.Equal(t, "TV spot 3", w.as("admin").text(update, vars{"n": note, "t": "TV spot 3"}, "updateNote", "text"))
	require.Equal(t, note, w.as("admin").text(`mutation($n: ID!) { deleteNote(input: {id: $n}) }`, vars{"n": note}, "deleteNote"))
	require.Equal(t, "not_found", editor.do(update, vars{"n": note, "t": "x"}).code())

	for field, input := range map[string]vars{
		"text": {"a": app, "at": at, "t": strings.Repeat("😀", 281), "e": "LIVE"},
		"at":   {"a": app, "at": at.AddDate(100, 0, 0), "t": "x", "e": "LIVE"},
	} {
		got := owner.do(create, input)
		require.Equal(t, "invalid_input", got.code())
		require.Equal(t, field, got.Errors[0].Extensions["field"])
	}
	owner.must(create, vars{"a": app, "at": at, "t": strings.Repeat("😀", 280), "e": "LIVE"})
	_, err := w.db.Pool.Exec(t.Context(), `insert into notes (id, environment_id, user_id, at, text, updated_at)
		select gen_random_uuid(), $1, (select id from users limit 1), now(), 'x', now() from generate_series(1, 1000)`,
		w.environment(app))
	require.NoError(t, err)
	require.Equal(t, "environment", owner.do(create, vars{"a": app, "at": at, "t": "x", "e": "LIVE"}).
		Errors[0].Extensions["field"])
}

// Everybody who may not, tried on everything that views, notes, marks and samples have.
func TestWhoHasNoRightToViewsAndNotes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	app := w.app("Shop")
	owner := w.as("owner")
	view := owner.text(createView, vars{"a": app, "n": "V", "s": vars{}}, "createSavedView", "id")
	note := owner.text(`mutation($a: ID!) { createNote(input: {appId: $a, at: "2026-01-01T00:00:00Z", text: "x"}) { id } }`,
		vars{"a": app}, "createNote", "id")
	variables := vars{"a": app, "v": view, "n": note}
	for _, step := range []struct{ scope, least, query string }{
		{"analytics:read", "viewer", `query($a: ID!) { app(id: $a) { savedViews { totalCount } } }`},
		{"analytics:read", "viewer", `query($a: ID!) { app(id: $a) { notes { totalCount } } }`},
		{"analytics:read", "viewer", `query($a: ID!) { app(id: $a) {
			chartMarks(range: {start: "2026-01-01T00:00:00Z", end: "2026-02-01T00:00:00Z"}) { kind } } }`},
		{"analytics:read", "viewer", `query($a: ID!) { app(id: $a) { ingestHealth { rejected { samples { message } } } } }`},
		{"view:manage", "editor", `mutation($a: ID!) { createSavedView(input: {appId: $a, name: "x", scope: {}}) { id } }`},
		{"view:manage", "editor", `mutation($v: ID!) { updateSavedView(input: {id: $v, name: "V"}) { id } }`},
		{"view:manage", "editor", `mutation($v: ID!) { deleteSavedView(input: {id: $v}) }`},
		{"view:manage", "editor", `mutation($a: ID!) { createNote(input: {appId: $a, at: "2026-01-01T00:00:00Z", text: "x"}) { id } }`},
		{"app:settings", "admin", `mutation($n: ID!) { updateNote(input: {id: $n, text: "y"}) { id } }`},
		{"app:settings", "admin", `mutation($n: ID!) { deleteNote(input: {id: $n}) }`},
	} {
		require.Equal(t, "not_found", w.as("stranger").do(step.query, variables).code(), step.query)
		require.Equal(t, "unauthenticated", w.as("anonymous").do(step.query, variables).code(), step.query)
		require.Equal(t, "forbidden", w.keyed("owner", "customers:read").do(step.query, variables).code(), step.query)
		allowed := false
		for _, role := range []string{"viewer", "editor", "admin"} {
			allowed = allowed || role == step.least
			if !allowed {
				require.Equal(t, "forbidden", w.as(role).do(step.query, variables).code(), "%s: %s", role, step.query)
			} else if role == step.least {
				w.as(role).must(step.query, variables)
			}
		}
	}
}

// The history is filtered over all its rows, not over those that were read.
func TestAuditFilters(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	app := w.app("Shop")
	w.as("editor").must(`mutation($a: ID!) { createFlow(input: {appId: $a, name: "F"}) { id } }`, vars{"a": app})
	_, err := w.db.Pool.Exec(t.Context(), `insert into audit_entries (id, workspace_id, action, subject)
		select gen_random_uuid(), $1, 'experiment.end', 'x_' || i from generate_series(1, 150) i`, w.workspace)
	require.NoError(t, err)
	editor := w.as("editor").text(`{ viewer { userId } }`, nil, "viewer", "userId")
	count := func(filter vars) string {
		return asJSON(t, w.as("owner").must(`query($w: ID!, $f: AuditFilter!) { workspace(id: $w) {
			auditLog(filter: $f, first: 1) { totalCount } } }`, vars{"w": w.workspace, "f": filter}).
			at(t, "workspace", "auditLog", "totalCount"))
	}
	require.Equal(t, "1", count(vars{"userId": editor, "text": "flow."}))
	require.Equal(t, "150", count(vars{"byServer": true}))
	require.Equal(t, "1", count(vars{"text": "flow.create"}))
	require.Equal(t, "1", count(vars{"text": "x_150"}))
	require.Equal(t, "0", count(vars{"text": "x%"}), "a filter is no pattern")
	require.Equal(t, "0", count(vars{"range": vars{"start": "2020-01-01T00:00:00Z", "end": "2020-01-02T00:00:00Z"}}))
	wrong := w.as("owner").do(`query($w: ID!, $t: String!) { workspace(id: $w) { auditLog(filter: {text: $t}) { totalCount } } }`,
		vars{"w": w.workspace, "t": strings.Repeat("x", 201)})
	require.Equal(t, "filter.text", wrong.Errors[0].Extensions["field"])
	require.Equal(t, "forbidden", w.as("editor").do(`query($w: ID!) { workspace(id: $w) {
		auditLog(filter: {byServer: true}) { totalCount } } }`, vars{"w": w.workspace}).code())
}
