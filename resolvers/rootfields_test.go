package resolvers_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/vektah/gqlparser/v2/ast"

	"github.com/svc-dev/svc/graph"
)

// operation is one field of the schema with a value for each of its inputs.
type operation struct {
	name     string // renameFlow, or app.erasure for a field below one of Query
	document string
	inputs   vars
	places   []place
}

// place is where an operation takes an id.
type place struct {
	name string // renameFlow.id
	kind string // what it is an id of, such as flow
	set  func(id string)
}

// forms take a file, which operations have none of.
var forms = []string{"uploadMedia", "importFlow", "uploadHistoryPart"}

// operations makes one for every mutation, every query, and every field with arguments of what a query names by its
// id. The values are of the right type and say nothing; the ids are those of things.
func operations(t *testing.T, things map[string]string) []operation {
	t.Helper()
	schema := graph.NewExecutableSchema(graph.Config{}).Schema()
	var all []operation
	for _, field := range schema.Mutation.Fields {
		all = append(all, operationOf(t, schema, things, "mutation", field))
	}
	for _, field := range schema.Query.Fields {
		if strings.HasPrefix(field.Name, "__") || len(field.Arguments) == 0 {
			continue
		}
		all = append(all, operationOf(t, schema, things, "query", field))
		if field.Arguments.ForName("id") == nil {
			continue
		}
		for _, inner := range schema.Types[field.Type.Name()].Fields {
			if len(inner.Arguments) > 0 {
				all = append(all, operationOf(t, schema, things, "query", field, inner))
			}
		}
	}
	return all
}

func operationOf(
	t *testing.T, schema *ast.Schema, things map[string]string, kind string, fields ...*ast.FieldDefinition,
) operation {
	t.Helper()
	b := builder{t: t, schema: schema, things: things, operation: operation{inputs: vars{}}}
	var names, declared, opened []string
	for _, field := range fields {
		names = append(names, field.Name)
		b.name = strings.Join(names, ".")
		var given []string
		for _, argument := range field.Arguments {
			if !b.wants(argument.Type, argument.DefaultValue) {
				continue
			}
			variable := strings.Join(names, "_") + "_" + argument.Name
			declared = append(declared, "$"+variable+": "+argument.Type.String())
			given = append(given, argument.Name+": $"+variable)
			b.inputs[variable] = b.value(argument.Type, field.Name, argument.Name, func(id any) { b.inputs[variable] = id })
		}
		text := field.Name
		if len(given) > 0 {
			text += "(" + strings.Join(given, ", ") + ")"
		}
		opened = append(opened, text)
	}
	selection := " { __typename }"
	if last := schema.Types[fields[len(fields)-1].Type.Name()]; last.Kind == ast.Scalar || last.Kind == ast.Enum {
		selection = ""
	}
	b.document = kind
	if len(declared) > 0 {
		b.document += "(" + strings.Join(declared, ", ") + ")"
	}
	b.document += " { " + strings.Join(opened, " { ") + selection + strings.Repeat(" }", len(opened))
	return b.operation
}

type builder struct {
	operation
	t      *testing.T
	schema *ast.Schema
	things map[string]string
}

func isID(t *ast.Type) bool { return t.Name() == "ID" || t.Name() == "ChannelID" }

// wants tells whether an input is given a value: it must have one, or it is an id.
func (b *builder) wants(t *ast.Type, standard *ast.Value) bool {
	return t.NonNull && standard == nil || isID(t) || t.NonNull && b.schema.Types[t.Name()].Kind == ast.InputObject
}

func (b *builder) value(t *ast.Type, field, name string, set func(any)) any {
	if t.Elem != nil {
		return []any{b.value(t.Elem, field, strings.TrimSuffix(name, "s"), func(id any) { set([]any{id}) })}
	}
	definition := b.schema.Types[t.Name()]
	switch {
	case name == "clientId": // of the sender's making, it names nothing that is kept
		return uuid.NewString()
	case isID(t):
		kind := kindOf(field, name)
		if b.things[kind] == "" {
			b.t.Errorf("what is %s of %s an id of?", name, b.name)
		}
		b.places = append(b.places, place{b.name + "." + name, kind, func(id string) { set(id) }})
		return b.things[kind]
	case definition.Kind == ast.InputObject:
		object := map[string]any{}
		for _, inner := range definition.Fields {
			if b.wants(inner.Type, inner.DefaultValue) {
				object[inner.Name] = b.value(inner.Type, field, inner.Name, func(id any) { object[inner.Name] = id })
			}
		}
		return object
	case definition.Kind == ast.Enum:
		return definition.EnumValues[0].Name
	}
	scalars := map[string]any{
		"String": "x", "Int": 1, "Float": 1, "Boolean": false, "JSON": map[string]any{}, "Time": "2026-01-01T00:00:00Z",
		"USD": 1, "Count64": 1, "Figure": 1, "Upload": nil,
	}
	require.Contains(b.t, scalars, t.Name())
	return scalars[t.Name()]
}

// kinds are what ids are of where they are only called id: by the end of the name of the field.
var kinds = []string{
	"app", "workspace", "flowVersion", "flow", "channel", "experiment", "experimentPlan", "experimentResults", "segment",
	"segmentMembers", "automation", "channelWatch", "automaticReturn", "webhookEndpoint", "webhookSecret", "emailSuppression", "revenueSource", "revenueSecret", "media",
	"passkey", "session", "alert", "sqlRole", "historyImport", "historyPart", "parquetExport",
	"scheduledReport", "savedView", "sharedLink", "goal", "funnel", "component", "note", "apiKey", "publishableKey", "invitation", "notificationRead", "erasure", "draft",
}

// kindOf returns what an id is of, such as flow for flowId.
func kindOf(field, name string) string {
	same := map[string]string{
		"experimentPlan": "experiment", "experimentResults": "experiment", "segmentMembers": "segment", "version": "flowVersion",
		"webhookSecret": "webhookEndpoint", "revenueSecret": "revenueSource", "notificationRead": "notification",
		"asset": "media", "draft": "flow", "secret": "revenueSecret", "endpoint": "webhookEndpoint", "enrolment": "random",
		"delivery": "random", "before": "random", "event": "random", "variant": "random",
		"channelWatch": "channel", "automaticReturn": "channel", "passkey": "random", "session": "random",
		"historyPart": "historyImport",
	}
	kind, named := strings.CutSuffix(name, "Id")
	if !named && name == "id" {
		kind = ""
		for _, known := range kinds {
			if strings.HasSuffix(strings.ToLower(field), strings.ToLower(known)) && len(known) > len(kind) {
				kind = known
			}
		}
	}
	if other, is := same[kind]; is {
		return other
	}
	return kind
}

// thingsOf makes one of each kind that ids are of, in a new app of somebody's workspace.
func (w *world) thingsOf(c *client, workspace string) map[string]string {
	t := w.t
	things := map[string]string{"workspace": workspace, "random": uuid.NewString()}
	made := func(kind, document string, path ...any) {
		variables := vars{"m": []byte(nil)}
		for name, id := range things {
			if strings.Contains(document, "$"+name+":") {
				variables[name] = id
			}
		}
		delete(variables, "m")
		things[kind] = c.text(document, variables, path...)
	}
	made("app", `mutation($workspace: ID!) { createApp(input: {workspaceId: $workspace, name: "A"}) { id } }`, "createApp", "id")
	things["flow"] = c.text(`mutation($a: ID!, $m: JSON) { createFlow(input: {appId: $a, name: "F", manifest: $m}) { id } }`,
		vars{"a": things["app"], "m": json.RawMessage(publishable)}, "createFlow", "id")
	made("flowVersion", `mutation($flow: ID!) { publishFlow(input: {id: $flow}) { version { id } } }`, "publishFlow", "version", "id")
	made("channel", `mutation($app: ID!) { createChannel(input: {appId: $app, environment: LIVE, name: "C"}) { id } }`, "createChannel", "id")
	made("experiment", `mutation($channel: ChannelID!) { createExperiment(input: {channelId: $channel, name: "X"}) { id } }`,
		"createExperiment", "id")
	made("segment", `mutation($app: ID!) { createSegment(input: {appId: $app, name: "S"}) { id } }`, "createSegment", "id")
	made("savedView", `mutation($app: ID!) { createSavedView(input: {appId: $app, name: "V", scope: {}}) { id } }`, "createSavedView", "id")
	made("sharedLink", `mutation($app: ID!) { createSharedLink(input: {appId: $app, name: "L", reports: [HOME]}) {
		link { id } } }`, "createSharedLink", "link", "id")
	made("goal", `mutation($app: ID!) {
		createGoal(input: {appId: $app, name: "G", condition: {event: {name: "e"}}}) { id } }`, "createGoal", "id")
	made("alert", `mutation($app: ID!) {
		createAlert(input: {appId: $app, name: "A", rule: {condition: {above: 1}}}) { id } }`, "createAlert", "id")
	made("funnel", `mutation($app: ID!) { createFunnel(input: {appId: $app, name: "F", funnel: {steps: [
		{condition: {event: {name: "a"}}}, {condition: {event: {name: "b"}}}]}}) { id } }`, "createFunnel", "id")
	made("scheduledReport", `mutation($app: ID!) { createScheduledReport(input: {
		appId: $app, frequency: WEEKLY, timeZone: "UTC", destination: EMAIL}) { id } }`, "createScheduledReport", "id")
	made("component", `mutation($app: ID!) { createComponent(input: {appId: $app, name: "C",
		content: {tree: {id: "lyr_a", kind: "text", text: {default: "x"}}}}) { id } }`, "createComponent", "id")
	made("note", `mutation($app: ID!) { createNote(input: {appId: $app, at: "2026-01-01T00:00:00Z", text: "n"}) { id } }`,
		"createNote", "id")
	made("automation", `mutation($app: ID!) {
		createAutomation(input: {appId: $app, environment: LIVE, name: "M", definition: {}}) { id } }`, "createAutomation", "id")
	made("historyImport", `mutation($app: ID!) {
		createHistoryImport(input: {appId: $app, source: CSV, fileName: "f.csv", bytes: 1}) { id } }`, "createHistoryImport", "id")
	made("parquetExport", `mutation($app: ID!) { saveParquetExport(input: {appId: $app, frequency: NEVER, destination: {
		endpoint: "https://s3.example.com", bucket: "history", accessKeyId: "a", secretAccessKey: "s"}}) { id } }`,
		"saveParquetExport", "id")
	made("webhookEndpoint", `mutation($app: ID!) { createWebhookEndpoint(input: {appId: $app, environment: LIVE, name: "E",
		url: "https://example.com/"}) { endpoint { id } } }`, "createWebhookEndpoint", "endpoint", "id")
	made("revenueSource", `mutation($app: ID!) { createRevenueSource(input: {
		appId: $app, provider: REVENUECAT, name: "R", stores: ["app_store"]}) { source { id } } }`, "createRevenueSource", "source", "id")
	made("revenueSecret", `query($app: ID!) { app(id: $app) { revenueSources { secrets { id } } } }`,
		"app", "revenueSources", 0, "secrets", 0, "id")
	made("apiKey", `mutation($workspace: ID!) { createApiKey(input: {workspaceId: $workspace, name: "k", scopes: [AUDIT_READ]}) {
		apiKey { id } } }`, "createApiKey", "apiKey", "id")
	made("publishableKey", `query($app: ID!) { app(id: $app) { environments { publishableKeys { nodes { id } } } } }`,
		"app", "environments", 0, "publishableKeys", "nodes", 0, "id")
	made("user", `query { viewer { userId } }`, "viewer", "userId")
	made("invitation", `mutation($workspace: ID!) { inviteMember(input: {workspaceId: $workspace, email: "new@example.com",
		role: VIEWER}) { invitation { id } } }`, "inviteMember", "invitation", "id")
	made("erasure", `mutation($app: ID!) { erasePerson(input: {appId: $app, environment: LIVE, appUserId: "v"}) { id } }`,
		"erasePerson", "id")
	var suppression string
	things["notification"] = uuid.NewString()
	_, err := w.db.Pool.Exec(t.Context(), `insert into notification (id, workspace_id, kind, key, severity, title, body, about)
		values ($1, $2, 'ingest_stopped', 'k', 'info', 't', 'b', '{}')`, things["notification"], workspace)
	require.NoError(t, err)
	require.NoError(t, w.db.Pool.QueryRow(t.Context(), `insert into mail_suppression (environment_id, address_key)
		select id, uuid_send(gen_random_uuid()) from environments where app_id = $1 and kind = 'live' returning id::text`,
		things["app"]).Scan(&suppression))
	things["emailSuppression"] = suppression
	things["sqlRole"] = uuid.NewString()
	_, err = w.db.Pool.Exec(t.Context(), `insert into sql_roles (id, name, workspace_id) values ($1, $2, $3)`,
		things["sqlRole"], "svc_sql_"+things["sqlRole"], workspace)
	require.NoError(t, err)
	things["media"] = uuid.NewString()
	_, err = w.db.Ent().MediaAsset.Create().SetID(uuid.MustParse(things["media"])).SetWorkspaceID(uuid.MustParse(workspace)).
		SetType("image").SetName("m").SetContentType("image/png").SetSizeBytes(1).SetSha256(strings.Repeat("0", 64)).
		SetExtension("png").Save(t.Context())
	require.NoError(t, err)
	return things
}

// workspaceOf returns the first workspace of somebody.
func workspaceOf(t *testing.T, c *client) string {
	return c.text(`{ viewer { workspaces { nodes { workspace { id } } } } }`, nil, "viewer", "workspaces", "nodes", 0, "workspace", "id")
}

// Whatever takes an id answers about somebody else's as about one that does not exist; to who is not signed in it says
// nothing of either.
func TestIDsGiveNothingAway(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	theirs := w.thingsOf(w.as("owner"), w.workspace)
	theirs["user"] = w.as("viewer").text(`{ viewer { userId } }`, nil, "viewer", "userId") // the owner is in both
	stranger := w.as("stranger")
	own := w.thingsOf(stranger, workspaceOf(t, stranger))
	// said is all that an answer tells, whichever of the ids it was asked about.
	said := func(got answer, ids ...string) string {
		list := []any{got.status, got.Data}
		for _, err := range got.Errors {
			list = append(list, err.code(), err.Message, err.Path, err.Extensions["field"])
		}
		text := asJSON(t, list)
		for _, id := range ids {
			text = strings.ReplaceAll(text, id, "ID")
		}
		return text
	}
	tried := 0
	for _, o := range operations(t, own) {
		if slices.Contains(forms, o.name) { // they are tried by themselves
			continue
		}
		for _, p := range o.places {
			random := uuid.NewString()
			if p.kind == "channel" {
				random = "ch_live_0123456789abcdef"
			}
			answers := map[string]map[*client]string{}
			for _, id := range []string{theirs[p.kind], random} {
				p.set(id)
				answers[id] = map[*client]string{}
				for _, c := range []*client{stranger, w.as("anonymous")} {
					got := c.do(o.document, o.inputs)
					answers[id][c] = said(got, id)
					if c != stranger && strings.HasPrefix(o.document, "mutation") {
						// An input may be wrong whoever sends it.
						assert.Contains(t, []string{"unauthenticated", "invalid_input"}, got.code(), p.name)
					}
				}
			}
			assert.Equal(t, answers[random], answers[theirs[p.kind]], p.name)
			p.set(own[p.kind])
			tried++
		}
	}
	require.Greater(t, tried, 90)
}

// A key of every scope makes every mutation but those that need a signed-in person.
func TestWhatNeedsASignedInPerson(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	things := w.thingsOf(w.as("owner"), w.workspace)
	key := w.keyed("owner", strings.Fields(strings.ReplaceAll(strings.ToLower(strings.Join(scopesOf(w), " ")), "_", ":"))...)
	person := []string{
		"acceptInvitation", "addPasskey", "approveOAuthRequest", "beginPasskey", "beginTotp", "changeMemberRole",
		"changePassword", "confirmTotp", "createApiKey", "createSqlRole", "createWorkspace", "dropSqlRole",
		"endOtherSessions", "endSession", "inviteMember", "removeMember", "removePasskey", "removeTotp", "renamePasskey",
		"renameWorkspace", "replaceRecoveryCodes", "revokeInvitation", "rotateSqlRole", "sendMailConfirmation",
		"transferOwnership",
	}
	var refused []string
	for _, o := range operations(t, things) {
		if strings.HasPrefix(o.document, "query") {
			continue
		}
		for _, p := range o.places {
			p.set(uuid.NewString()) // nothing is changed
		}
		got := key.do(o.document, o.inputs)
		if len(got.Errors) > 0 && got.Errors[0].Message == "an API key cannot do this; sign in" {
			require.Equal(t, "forbidden", got.code())
			refused = append(refused, o.name)
		}
		operator := &client{w: w, http: key.http, key: operatorKey}
		if slices.Contains(person, o.name) {
			require.Equal(t, "forbidden", operator.do(o.document, o.inputs).code(), o.name)
			require.Equal(t, "unauthenticated", w.as("anonymous").do(o.document, o.inputs).code(), o.name)
		}
	}
	slices.Sort(refused)
	require.Equal(t, person, refused)
	// What a person may do in a workspace of theirs no key does there either.
	require.Equal(t, "forbidden", key.do(`mutation($w: ID!) { renameWorkspace(input: {id: $w, name: "Mine"}) { id } }`,
		vars{"w": w.workspace}).code())
}

// scopesOf returns all values of Capability that a key may have.
func scopesOf(w *world) (names []string) {
	for _, scope := range w.as("owner").must(`{ __type(name: "Capability") { enumValues { name } } }`, nil).
		at(w.t, "__type", "enumValues").([]any) {
		if name := scope.(map[string]any)["name"].(string); name != "PLAN_MANAGE" {
			names = append(names, name)
		}
	}
	return names
}
