package resolvers_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/vektah/gqlparser/v2/ast"

	"github.com/svc-dev/svc/graph"
)

// bounded are the lists that are no pages, with what bounds them.
var bounded = map[string]string{
	"App.environments":   "two",
	"Experiment.goals":   "ten",
	"App.historyImports": "200 (uploads)", "HistoryImport.rejects": "1,000 (uploads)",
	"HistoryPreview.events": "20 lines", "HistoryPreview.rejects": "20 lines", "HistoryPreview.totals": "20 lines",
	"ImportedTotals.series": "10,000 buckets", "ImportedTotals.rows": "200",
	"App.scheduledReports":              "50 of each member (scheduledreport)",
	"AuditEntry.names":                  "maxAuditNames",
	"AlertPreview.firings":              "the latest 500",
	"AlertPreview.points":               "91 days of hours",
	"App.canvas":                        "the eight switches",
	"Experiment.variants":               "at most 20",
	"ChannelExplanation.arms":           "at most 20",
	"ChannelExplanation.variants":       "at most 20",
	"CohortSeries.points":               "2,400 buckets",
	"FlowAnalytics.cohortKeys":          "flow.MaxCohortKeys",
	"FlowAnalytics.timeseries":          "10,000 buckets",
	"FlowComparison.sides":              "two",
	"FlowComparison.steps":              "names of an environment grow by new_names_per_day",
	"FlowDropoff.steps":                 "names of an environment grow by new_names_per_day",
	"FlowFunnel.arrivals":               "pairs of steps that runs went between",
	"FlowFunnel.exits":                  "pairs of steps that runs went between",
	"FlowFunnel.decisions":              "names of an environment grow by new_names_per_day",
	"FlowFunnel.steps":                  "names of an environment grow by new_names_per_day",
	"FlowHeatmap.cells":                 "flow.MaxHeatmap squared",
	"FlowPurchases.products":            "products of the ledger",
	"FlowPurchases.surfaces":            "names of an environment grow by new_names_per_day",
	"FlowRetention.days":                "five offsets",
	"FlowRetention.rows":                "versions or arms",
	"FlowRetentionRow.days":             "five offsets",
	"SimulatedFlow.steps":               "a manifest has at most 500 screens and 4 MiB",
	"SimulatedFlow.ways":                "a manifest has at most 500 screens and 4 MiB",
	"SimulatedFlow.questions":           "a manifest has at most 5,000 layers",
	"SimulatedQuestion.options":         "a manifest has at most 5,000 layers",
	"FlowStepDurations.steps":           "names of an environment grow by new_names_per_day",
	"FlowSurface.outcomes":              "names of an environment grow by new_names_per_day",
	"FieldResponses.buckets":            "runlog.MaxBuckets",
	"FieldResponses.choices":            "runlog.MaxChoices",
	"FieldResponses.months":             "runlog.MaxMonths",
	"FieldResponses.texts":              "runlog.TopTexts",
	"FlowRun.path":                      "the setting run_hits",
	"FlowRunRecord.hits":                "the setting run_hits",
	"FlowRunRecord.events":              "the setting run_hits",
	"Flow.problems":                     "a manifest has at most 4 MiB",
	"SavedDraft.problems":               "a manifest has at most 4 MiB",
	"PublishedVersion.warnings":         "a manifest has at most 4 MiB",
	"PinnedChannel.warnings":            "a manifest has at most 4 MiB",
	"CopiedFlow.fontsAdded":             "a manifest has at most 4 MiB",
	"CopiedFlow.missing":                "a manifest has at most 4 MiB",
	"ProductAnalytics.series":           "10,000 buckets",
	"ProductAnalytics.retentionSeries":  "10,000 buckets",
	"ProductAnalytics.retentionCohorts": "report.MaxCohorts",
	"ProductAnalytics.retentionCurve":   "366 days",
	"RetentionCohort.offsets":           "report.MaxCohorts",
	"Retention.days":                    "five offsets",
	"RetentionRow.days":                 "five offsets",
	"Viewer.closedWorkspaces":           "those of the viewer that keep a rule", "SecondFactor.passkeys": "account.maxPasskeys",
	"Workspace.sqlRoles": "sqlrole.MaxRoles", "Workspace.sqlViews": "ten", "SqlView.columns": "those of read_views.sql",
	"Viewer.sessions":                      "account.maxSessions",
	"ValueSeries.points":                   "2,400 buckets",
	"ExperimentResults.culprits":           "experiment.MaxCulprits",
	"Erasure.removed":                      "the tables of people",
	"FunnelBreakdown.rows":                 "report.FunnelRows",
	"FunnelReport.steps":                   "analytics.MaxFunnelSteps",
	"FunnelStep.next":                      "report.FunnelNexts",
	"Paths.links":                          "those between the nodes of two steps",
	"Paths.nodes":                          "report.PathNodes and all others, of 8 steps",
	"PersonArchive.records":                "privacy.ArchiveRecords and 1 MiB",
	"Query.plans":                          "the operator makes them",
	"Query.sdkPackages":                    "the five SDKs",
	"Query.flowTemplates":                  "those in the repository",
	"FlowTemplate.locales":                 "those of its texts",
	"FlowTemplate.products":                "those in the repository",
	"WorkspaceUsage.days":                  "31",
	"WorkspaceUsage.byApp":                 "the apps of a workspace",
	"App.retention":                        "three kinds",
	"App.webhookEndpoints":                 "100",
	"Automation.problems":                  "a definition has at most 64 KiB",
	"Automation.versions":                  "the latest 100",
	"AutomationFigures.nodes":              "100",
	"AutomationNodeFigures.steps":          "results and their reasons",
	"AutomationExplanation.enrolments":     "the latest 20",
	"AutomationExplanation.entries":        "the latest 20",
	"AutomationEnrolment.steps":            "a definition has at most 100 nodes",
	"AutomationEnrolment.deliveries":       "a definition has at most 100 nodes",
	"AutomationRehearsal.skipped":          "results and their reasons",
	"AutomationRehearsal.examples":         "200",
	"WebhookEndpoint.deliveries":           "100",
	"WebhookDelivery.log":                  "20 attempts",
	"Person.devices":                       "people.MaxDevices",
	"Person.topicConsents":                 "people.MaxTopics",
	"Person.consentLog":                    "people.MaxConsentLog",
	"ExperimentResults.metrics":            "seven",
	"ExperimentSplit.people":               "at most 20 arms",
	"ChannelWatch.metrics":                 "two",
	"Component.usedIn":                     "500",
	"ComponentRevision.overridable":        "500",
	"ComponentRevision.slots":              "20",
	"ExperimentCulprit.people":             "at most 20 arms",
	"ExperimentMetric.arms":                "at most 20",
	"ExperimentMetric.variants":            "at most 20",
	"ExperimentMetric.comparisons":         "at most 19",
	"ExperimentMetric.series":              "366 days",
	"ExperimentPoint.arms":                 "at most 20",
	"ExperimentPoint.variants":             "at most 20",
	"RevenueFigures.series":                "10,000 buckets",
	"RevenueFigures.subscriptionSeries":    "10,000 buckets",
	"RevenueFigures.lifetimeValue":         "figures.MaxLifetimeDays",
	"RevenueFigures.subscriptionRetention": "figures.PeriodLengths",
	"SubscriptionRetention.periods":        "figures.MaxRetentionPeriods",
	"App.revenueSources":                   "each store has one that is not archived",
	"RevenueSource.secrets":                "four",
	"IdentityProof.secrets":                "proof.MaxSecrets",
	"IdentityProof.days":                   "proof.DaysShown",
	"UnmappedRevenuePage.nodes":            "studio.UnmappedLimit",
	"Live.minutes":                         "30",
	"Live.pages":                           "ten",
	"Live.places":                          "10,000",
	"IngestHealth.rejected":                "the codes",
	"RejectedCount.samples":                "five",
	"App.chartMarks":                       "500",
	"EditedDraft.outcomes":                 "200 steps",
	"EditedDraft.others":                   "500",
	"DraftNews.edits":                      "500",
	"DraftNews.people":                     "30",
	"DraftPerson.layers":                   "512 bytes",
	"Draft.problems":                       "problem.Max",
	"MediaUses.flows":                      "500",
	"IngestHealth.points":                  "2,400 buckets",
}

// Every list of objects is a page of one shape, or has a bound of its own.
func TestEveryListIsBounded(t *testing.T) {
	t.Parallel()
	schema := graph.NewExecutableSchema(graph.Config{}).Schema()
	connections := 0
	for _, typ := range schema.Types {
		if typ.Kind != ast.Object || strings.HasPrefix(typ.Name, "__") {
			continue
		}
		for _, field := range typ.Fields {
			name := typ.Name + "." + field.Name
			element := schema.Types[field.Type.Name()]
			switch {
			case strings.HasPrefix(field.Name, "__"):
			case strings.HasSuffix(element.Name, "Connection"):
				connections++
				if name != "Live.people" { // the field live takes its arguments
					require.Equal(t, "Int", field.Arguments.ForName("first").Type.String(), name)
					require.Equal(t, "String", field.Arguments.ForName("after").Type.String(), name)
				}
				require.Regexp(t, `^\[\w+!\]!$`, element.Fields.ForName("nodes").Type.String(), element.Name)
				require.Equal(t, "PageInfo!", element.Fields.ForName("pageInfo").Type.String(), element.Name)
				// Counting these would read them all; events and overview count.
				if element.Name != "RecentEventConnection" && element.Name != "FlowRunConnection" {
					require.Equal(t, "Int!", element.Fields.ForName("totalCount").Type.String(), element.Name)
				}
			case strings.HasSuffix(typ.Name, "Connection") && field.Name == "nodes":
			case field.Type.Elem == nil || element.Kind != ast.Object || typ.Name == "Overview":
			case strings.HasSuffix(field.Name, "Series"), element.Name == "CohortSeries": // the top ten
			default:
				assert.Contains(t, bounded, name, "a list needs pages, or a bound")
			}
		}
	}
	require.Greater(t, connections, 20)
}

// list is a connection of the control plane, with how many rows the test has made.
type list struct {
	query string // with $first and $after
	path  []any
	rows  int
}

// pages walks a list by pages of two and returns the ids in their order.
func (c *client) pages(l list, variables vars) (ids []string) {
	c.w.t.Helper()
	asked := vars{"first": 2}
	for name, value := range variables {
		asked[name] = value
	}
	for {
		got := c.must(l.query, asked)
		page := got.at(c.w.t, l.path...).(map[string]any)
		require.Equal(c.w.t, json.Number(fmt.Sprint(l.rows)), page["totalCount"], l.query)
		nodes := page["nodes"].([]any)
		require.LessOrEqual(c.w.t, len(nodes), 2)
		for _, node := range nodes {
			ids = append(ids, fmt.Sprint(node))
		}
		info := page["pageInfo"].(map[string]any)
		if info["hasNextPage"] != true {
			return ids
		}
		asked["after"] = info["endCursor"]
	}
}

// Every list gives all rows once, whatever the size of its pages, also where names and times are equal.
func TestListsAreReadInPages(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	owner, ctx := w.as("owner"), t.Context()
	app := w.app("Shop")
	flow := owner.text(`mutation($a: ID!, $m: JSON) { createFlow(input: {appId: $a, name: "Flow", manifest: $m}) { id } }`,
		vars{"a": app, "m": json.RawMessage(publishable)}, "createFlow", "id")
	version, channel := w.publish(flow), w.channel(app)
	for range 4 {
		w.publish(flow)
		owner.must(`mutation($a: ID!, $f: ID!, $v: ID!, $c: ChannelID!, $w: ID!) {
			createApp(input: {workspaceId: $w, name: "Shop"}) { id }
			duplicateFlow(input: {id: $f, name: "Flow"}) { id }
			createChannel(input: {appId: $a, environment: LIVE, name: "Main"}) { id }
			pinChannel(input: {id: $c, versionId: $v}) { channel { id } }
			createExperiment(input: {channelId: $c, name: "Split"}) { id }
			createSegment(input: {appId: $a, name: "People"}) { id }
			createAutomation(input: {appId: $a, environment: LIVE, name: "Carts", definition: {}}) { id }
			rotatePublishableKey(input: {appId: $a, environment: LIVE}) { id }
			createApiKey(input: {workspaceId: $w, name: "key", scopes: [ANALYTICS_READ]}) { secret }
		}`, vars{"a": app, "f": flow, "v": version, "c": channel, "w": w.workspace})
	}
	// Equal times: rows that one statement made.
	_, err := w.db.Pool.Exec(ctx, `
		with made as (
			insert into users (id, email, password_hash)
			select gen_random_uuid(), 'm' || i || '@example.com', 'none' from generate_series(1, 4) i returning id)
		insert into memberships (id, workspace_id, user_id, role) select gen_random_uuid(), $1, id, 'viewer'
		from made`, w.workspace)
	require.NoError(t, err)
	for i := range 4 {
		owner.must(`mutation($w: ID!, $e: String!) { inviteMember(input: {workspaceId: $w, email: $e, role: VIEWER}) { setupToken } }`,
			vars{"w": w.workspace, "e": fmt.Sprintf("i%d@example.com", i)})
	}
	_, err = w.db.Pool.Exec(ctx, `
		insert into media_assets (id, workspace_id, type, content_type, size_bytes, sha256, extension)
		select gen_random_uuid(), $1, 'image', 'image/png', 1, i::text, 'png' from generate_series(1, 5) i`, w.workspace)
	require.NoError(t, err)
	_, err = w.db.Pool.Exec(ctx, `
		insert into notification (id, workspace_id, kind, key, severity, title, body, about)
		select gen_random_uuid(), $1, 'ingest_refused', i::text, 'info', '', '', '{}' from generate_series(1, 5) i`, w.workspace)
	require.NoError(t, err)
	_, err = w.db.Pool.Exec(ctx, `
		with views as (
			insert into saved_views (id, app_id, name, scope, updated_at)
			select gen_random_uuid(), $1, i::text, '{}', now() from generate_series(1, 4) i),
		aims as (
			insert into goals (id, app_id, name, condition, updated_at)
			select gen_random_uuid(), $1, i::text, '{}', now() from generate_series(1, 4) i),
		watching as (
			insert into alerts (id, environment_id, name, rule, state, due_at, updated_at)
			select gen_random_uuid(), $2, i::text, '{}', '{}', now(), now() from generate_series(1, 4) i),
		funnels as (
			insert into funnels (id, app_id, name, definition, updated_at)
			select gen_random_uuid(), $1, i::text, '{}', now() from generate_series(1, 4) i),
		links as (
			insert into shared_links (id, environment_id, user_id, name, hash, reports, scope, frame_origins)
			select gen_random_uuid(), $2, (select id from users limit 1), 'x', i::text::bytea, '[]', '{}', '[]'
			from generate_series(1, 4) i),
		parts as (
			insert into components (id, app_id, name, updated_at)
			select gen_random_uuid(), $1, i::text, now() from generate_series(1, 4) i)
		insert into notes (id, environment_id, user_id, at, text, updated_at)
		select gen_random_uuid(), $2, (select id from users limit 1), now(), 'x', now() from generate_series(1, 4) i`,
		app, w.environment(app))
	require.NoError(t, err)
	var entries int
	require.NoError(
		t, w.db.Pool.QueryRow(ctx, `select count(*) from audit_entries where workspace_id = $1`, w.workspace).Scan(&entries),
	)
	w.as("owner").must(`mutation { createWorkspace(input: {name: "Acme"}) { id } }`, nil)

	const tail = `(first: $first, after: $after) { totalCount pageInfo { hasNextPage endCursor } nodes { `
	const args = `query($first: Int, $after: String, $w: ID!, $a: ID!, $f: ID!, $c: ChannelID!) {
		viewer { email } w: workspace(id: $w) { name } a: app(id: $a) { name } f: flow(id: $f) { name } c: channel(id: $c) { name } `
	workspace := func(field, row string, rows int) list {
		return list{args + `workspace(id: $w) { ` + field + tail + row + ` } } } }`, []any{"workspace", field}, rows}
	}
	ofApp := func(field string, rows int) list {
		return list{args + `app(id: $a) { ` + field + tail + `id } } } }`, []any{"app", field}, rows}
	}
	environment := func(field string, rows int) list {
		return list{
			args + `app(id: $a) { environment(kind: LIVE) { ` + field + tail + `id } } } } }`,
			[]any{"app", "environment", field}, rows,
		}
	}
	ofChannel := func(field, row string, rows int) list {
		return list{args + `channel(id: $c) { ` + field + tail + row + ` } } } }`, []any{"channel", field}, rows}
	}
	variables := vars{"w": w.workspace, "a": app, "f": flow, "c": channel}
	for _, l := range []list{
		{args + `viewer { workspaces` + tail + `workspace { id } } } } }`, []any{"viewer", "workspaces"}, 2},
		workspace("apps", "id", 5), workspace("members", "id", 5), workspace("apiKeys", "id", 4),
		workspace("invitations", "id", 4),
		workspace("media", "id", 5), workspace("auditLog", "id", entries), workspace("notifications", "id", 5),
		ofApp("flows", 5), ofApp("segments", 4), ofApp("savedViews", 4), ofApp("components", 4), ofApp("goals", 4),
		ofApp("funnels", 4), ofApp("alerts", 4), ofApp("sharedLinks", 4),
		ofApp("notes", 4), ofApp("automations", 4), environment("channels", 5), environment("publishableKeys", 5),
		{args + `flow(id: $f) { versions` + tail + `id } } } }`, []any{"flow", "versions"}, 5},
		ofChannel("experiments", "id", 4), ofChannel("history", "assignmentVersion", 4),
	} {
		ids := owner.pages(l, variables)
		require.Len(t, ids, l.rows, l.query)
		seen := map[string]bool{}
		for _, id := range ids {
			require.False(t, seen[id], "%v: %s twice", l.path, id)
			seen[id] = true
		}
		for _, wrong := range []vars{{"after": "nonsense"}, {"after": "bm9uc2Vuc2U"}, {"after": ""}} {
			for name, value := range variables {
				wrong[name] = value
			}
			got := owner.do(l.query, wrong)
			require.Equal(t, "invalid_input", got.code(), "%v after %q", l.path, wrong["after"])
			require.Equal(t, "after", got.Errors[0].Extensions["field"])
		}
		for _, size := range []int{-1, 0, 201} {
			wrong := vars{"first": size}
			for name, value := range variables {
				wrong[name] = value
			}
			require.Equal(t, "first", owner.do(l.query, wrong).Errors[0].Extensions["field"], l.path)
		}
	}
}
