package resolvers_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/vektah/gqlparser/v2/ast"

	"github.com/svc-dev/svc/graph"
)

// notOfAnApp are the mutations that change nothing that an app has, and those that an archived app takes: it comes
// back, and people may ask to be erased or for what is kept of them.
var notOfAnApp = strings.Fields(`
	beginPasskeySignIn signInWithPasskey beginPasskey addPasskey removePasskey setSignInRule
	renamePasskey requestPasswordReset resetPassword approveOAuthRequest createSqlRole rotateSqlRole dropSqlRole
	signIn signOut endSession endOtherSessions beginTotp confirmTotp removeTotp replaceRecoveryCodes
	completeSetup changePassword createWorkspace renameWorkspace inviteMember revokeInvitation
	acceptInvitation declineInvitation changeMemberRole removeMember transferOwnership createApiKey revokeApiKey
	createApp archiveApp unarchiveApp uploadMedia renameMedia archiveMedia markNotificationRead
	setNotificationMail sendMailConfirmation sendTestMail setHomeLayout
	createScheduledReport updateScheduledReport deleteScheduledReport sendScheduledReport
	markAllNotificationsRead savePlan changeSubscription erasePerson exportPerson announceInDraft
	openSharedLink importFlow uploadHistoryPart`) // these take a form; tests of studio and uploads try them

// Every mutation below an archived app is a conflict. Inputs are made from the schema: a new mutation fails here until
// it keeps the rule or is listed above.
func TestNothingOfAnArchivedAppChanges(t *testing.T) {
	t.Parallel()
	r := newRunning(t)
	owner, version := r.as("owner"), r.version(r.app)
	variables := vars{"a": r.app, "v": version}
	channel := r.channel(r.app)
	text := func(query, mutation string, path ...any) string {
		return owner.text(query, variables, append([]any{mutation}, path...)...)
	}
	source := text(`mutation($a: ID!) { createRevenueSource(input: {appId: $a, provider: REVENUECAT, name: "C",
		stores: ["app_store"]}) { source { id } } }`, "createRevenueSource", "source", "id")
	variables["c"] = channel
	// What each mutation takes by id.
	ids := map[string]string{
		"Channel": channel, "AutomaticReturn": channel,
		"Segment": r.segment, "Automation": r.automation, "WebhookEndpoint": r.endpoint,
		"RevenueSource": source, "RevenueSecret": source, "WebhookSecret": r.endpoint, "Webhooks": r.endpoint,
		"Flow": text(`query($v: ID!) { flowVersion(id: $v) { flow { id } } }`, "flowVersion", "flow", "id"),
		"Experiment": text(`mutation($c: ChannelID!) { createExperiment(input: {channelId: $c, name: "X"}) { id } }`,
			"createExperiment", "id"),
		"Component": text(`mutation($a: ID!) { createComponent(input: {appId: $a, name: "C",
			content: {tree: {id: "lyr_a", kind: "text", text: {default: "x"}}}}) { id } }`,
			"createComponent", "id"),
		"SavedView": text(`mutation($a: ID!) { createSavedView(input: {appId: $a, name: "V", scope: {}}) { id } }`,
			"createSavedView", "id"),
		"Funnel": text(`mutation($a: ID!) { createFunnel(input: {appId: $a, name: "F", funnel: {steps: [
			{condition: {event: {name: "a"}}}, {condition: {event: {name: "b"}}}]}}) { id } }`, "createFunnel", "id"),
		"Goal": text(`mutation($a: ID!) { createGoal(input: {appId: $a, name: "G", condition: {event: {name: "e"}}}) { id } }`,
			"createGoal", "id"),
		"Alert": text(`mutation($a: ID!) { createAlert(input: {appId: $a, name: "A", rule: {condition: {above: 1}}}) { id } }`,
			"createAlert", "id"),
		"HistoryImport": text(`mutation($a: ID!) { createHistoryImport(input: {appId: $a, source: CSV, fileName: "F",
			bytes: 1}) { id } }`, "createHistoryImport", "id"),
		"ParquetExport": text(`mutation($a: ID!) { saveParquetExport(input: {appId: $a, frequency: NEVER, destination: {
			endpoint: "https://s3.example.com", bucket: "history", accessKeyId: "a", secretAccessKey: "s"}}) { id } }`,
			"saveParquetExport", "id"),
		"SharedLink": text(`mutation($a: ID!) { createSharedLink(input: {appId: $a, name: "L", reports: [HOME]}) {
			link { id } } }`, "createSharedLink", "link", "id"),
		"Note": text(`mutation($a: ID!) { createNote(input: {appId: $a, environment: LIVE, at: "2026-01-01T00:00:00Z",
			text: "N"}) { id } }`, "createNote", "id"),
		"PublishableKey": text(`query($a: ID!) { app(id: $a) { environments { publishableKeys { nodes { id } } } } }`,
			"app", "environments", 0, "publishableKeys", "nodes", 0, "id"),
		"App": r.app,
	}
	var suppression string
	require.NoError(t, r.db.Pool.QueryRow(t.Context(), `insert into mail_suppression (environment_id, address_key)
		select id, uuid_send(gen_random_uuid()) from environments where app_id = $1 and kind = 'live' returning id::text`,
		r.app).Scan(&suppression))
	ids["EmailSuppression"] = suppression
	schema := graph.NewExecutableSchema(graph.Config{}).Schema()
	m := inputMaker{schema: schema, version: version, ids: ids, app: r.app, channel: channel, flow: ids["Flow"],
		segment: r.segment, automation: r.automation, endpoint: r.endpoint}
	owner.must(`mutation($a: ID!) { archiveApp(input: {id: $a, confirmName: "Shop"}) { id } }`, variables)
	tried := 0
	for _, field := range schema.Mutation.Fields {
		if strings.HasPrefix(field.Name, "__") || contains(notOfAnApp, field.Name) {
			continue
		}
		query, input := m.mutation(t, field)
		got := owner.do(query, input)
		require.Equal(t, "conflict", got.code(), "%s %v: %v", query, input, got.Errors)
		require.Contains(t, got.Errors[0].Message, "archived", query)
		// Rights come first: who may not is told no more than before.
		require.Equal(t, "forbidden", r.as("viewer").do(query, input).code(), query)
		require.Equal(t, "not_found", r.as("stranger").do(query, input).code(), query)
		tried++
	}
	require.Greater(t, tried, 50)
	// Reports and lists stay, people are erased, and the app comes back as it was.
	owner.must(`query($a: ID!) { app(id: $a) { automations { totalCount } flows { totalCount } revenueSources { id }
		unmappedRevenue { nodes { amount } } retention { days } } }`, variables)
	owner.must(`mutation($a: ID!) {
		erasePerson(input: {appId: $a, environment: LIVE, appUserId: "v"}) { id } }`, variables)
	owner.must(`mutation($a: ID!) { unarchiveApp(input: {id: $a}) { id } }`, variables)
	owner.must(`mutation($a: ID!) { createSegment(input: {appId: $a, name: "S"}) { id } }`, variables)
}

func contains(list []string, text string) bool {
	for _, entry := range list {
		if entry == text {
			return true
		}
	}
	return false
}

// inputMaker makes the least input of mutations from the schema.
type inputMaker struct {
	schema                                                     *ast.Schema
	ids                                                        map[string]string
	app, channel, flow, version, segment, automation, endpoint string
}

// mutation returns a document and its variables. Ids are those of what the mutation's name ends with.
func (m inputMaker) mutation(t *testing.T, field *ast.FieldDefinition) (string, vars) {
	var declared, passed []string
	values := vars{}
	for _, argument := range field.Arguments {
		declared = append(declared, "$"+argument.Name+": "+argument.Type.String())
		passed = append(passed, argument.Name+": $"+argument.Name)
		values[argument.Name] = m.value(t, field.Name, argument.Name, argument.Type)
	}
	selection := ""
	if kind := m.schema.Types[field.Type.Name()].Kind; kind == ast.Object {
		selection = " { __typename }"
	}
	return fmt.Sprintf("mutation(%s) { %s(%s)%s }", strings.Join(declared, ", "), field.Name, strings.Join(passed, ", "),
		selection), values
}

func (m inputMaker) value(t *testing.T, mutation, name string, typ *ast.Type) any {
	definition := m.schema.Types[typ.Name()]
	switch {
	case typ.Elem != nil:
		return []any{m.value(t, mutation, name, typ.Elem)}
	case definition.Kind == ast.Enum:
		return definition.EnumValues[0].Name
	case definition.Kind == ast.InputObject:
		value := vars{}
		for _, member := range definition.Fields {
			if member.Type.NonNull && member.DefaultValue == nil {
				value[member.Name] = m.value(t, mutation, member.Name, member.Type)
			}
		}
		return value
	}
	named := map[string]string{
		"appId": m.app, "channelId": m.channel, "flowId": m.flow, "versionId": m.version, "segmentId": m.segment,
		"automationId": m.automation, "endpointId": m.endpoint, "secretId": m.app,
		"clientId": m.app,
	}
	if id, known := named[name]; known {
		return id
	}
	switch typ.Name() {
	case "ID", "ChannelID":
		longest := ""
		for what := range m.ids {
			if strings.HasSuffix(mutation, what) && len(what) > len(longest) {
				longest = what
			}
		}
		id := m.ids[longest]
		if mutation == "duplicateFlow" {
			id = m.flow
		}
		require.NotEmpty(t, id, "%s takes something unknown by id: add it to the test", mutation)
		return id
	case "Int", "Int64", "Float", "USD":
		return 1
	case "Boolean":
		return true
	case "Time":
		return "2100-01-01T00:00:00Z"
	case "JSON":
		return vars{}
	}
	return "x"
}
