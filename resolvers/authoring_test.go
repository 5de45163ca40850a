package resolvers_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/account"
	"github.com/svc-dev/svc/studio"
)

// A pin is served by the answering server before the mutation returns.
func TestFromAppToServedChannel(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	owner := w.as("owner")
	app := w.app("Shop")

	keys := owner.must(
		`query($a: ID!) { app(id: $a) { environments { kind publishableKeys { nodes { key } } } } }`, vars{"a": app},
	)
	require.Regexp(
		t, `^ob_pk_test_[0-9A-Za-z]{22}$`, keys.at(t, "app", "environments", 0, "publishableKeys", "nodes", 0, "key"),
	)
	live, ok := keys.at(t, "app", "environments", 1, "publishableKeys", "nodes", 0, "key").(string)
	require.True(t, ok)
	require.Regexp(t, `^ob_pk_live_`, live)

	channel, version := w.channel(app), w.version(app)
	require.Regexp(t, `^ch_live_`, channel)
	pinned := owner.must(`mutation($c: ChannelID!, $v: ID!) { pinChannel(input: {id: $c, versionId: $v}) {
		channel { assignment assignmentVersion version { number checksum flow { name } } history { nodes { reason version { id } changedBy { email } } } } warnings { code } } }`,
		vars{"c": channel, "v": version})
	require.Equal(t, "DIRECT", pinned.at(t, "pinChannel", "channel", "assignment"))
	require.Equal(t, "pin", pinned.at(t, "pinChannel", "channel", "history", "nodes", 0, "reason"))
	require.Equal(
		t, "owner@example.com", pinned.at(t, "pinChannel", "channel", "history", "nodes", 0, "changedBy", "email"),
	)

	snapshot := w.catalogue.Snapshot()
	tenant := snapshot.Tenant(live)
	require.NotNil(t, tenant)
	served, condition := snapshot.Channel(tenant, channel)
	require.Empty(t, condition)
	answer, condition := served.Resolve("dev-1", "")
	require.Empty(t, condition)
	require.Equal(t, `"1-`+version+`"`, answer.ETag)
}

// Whatever changes what anyone may get raises the channels' assignment version:
// clients would reuse what they have otherwise.
func TestSettingsRaiseChannels(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	owner, app := w.as("owner"), w.app("Shop")
	channel, idle := w.channel(app), w.channel(app)
	owner.must(
		`mutation($c: ChannelID!, $v: ID!) { pinChannel(input: {id: $c, versionId: $v}) { channel { id } } }`,
		vars{"c": channel, "v": w.version(app)},
	)
	version := func(channel string) any {
		return owner.must(
			`query($c: ChannelID!) { channel(id: $c) { assignmentVersion } }`, vars{"c": channel},
		).at(t, "channel", "assignmentVersion")
	}
	require.Equal(t, json.Number("1"), version(channel))
	for i, mutation := range []string{
		`mutation($a: ID!) { updateBranding(input: {appId: $a, branding: {colorPresets: [{name: "Red", value: "#ff0000"}]}}) { id } }`,
		`mutation($a: ID!) { updateIntegrations(input: {appId: $a, revenuecat: {enabled: true, defaultOfferingId: "o"}}) { id } }`,
		`mutation($a: ID!) { updateIntegrations(input: {appId: $a, stripe: {enabled: true}}) { id } }`,
	} {
		owner.must(mutation, vars{"a": app})
		require.Equal(t, json.Number(fmt.Sprint(i+2)), version(channel), mutation)
	}
	require.Equal(t, json.Number("0"), version(idle), "a channel that serves nothing has nothing to raise")

	owner.must(
		`mutation($a: ID!) { updateBranding(input: {appId: $a, branding: {colorPresets: [{name: "Leaf", value: "#2f855a"}]}}) { id } }`,
		vars{"a": app},
	)
	merged := owner.must(
		`query($a: ID!) { app(id: $a) { integrations { revenuecat { enabled defaultOfferingId } stripe { enabled } appsflyer { enabled } } branding } }`,
		vars{"a": app},
	)
	require.Equal(
		t, "o", merged.at(t, "app", "integrations", "revenuecat", "defaultOfferingId"),
		"a later change of another provider keeps it",
	)
	require.Equal(t, true, merged.at(t, "app", "integrations", "stripe", "enabled"))
	require.Len(t, merged.at(t, "app", "branding", "colorPresets"), 1)
	require.Equal(t, "Leaf", merged.at(t, "app", "branding", "colorPresets", 0, "name"), "branding is replaced")

	owner.must(
		`mutation($c: ChannelID!) { archiveChannel(input: {id: $c, confirmName: "Main"}) { id } unarchiveChannel(input: {id: $c}) { id } }`,
		vars{"c": channel},
	)
	require.Equal(t, json.Number("6"), version(channel))
	owner.must(`mutation($c: ChannelID!) { unassignChannel(input: {id: $c}) { id } }`, vars{"c": channel})
	history := owner.must(
		`query($c: ChannelID!) { channel(id: $c) { history(first: 2) { nodes { assignment reason assignmentVersion } } } }`,
		vars{"c": channel},
	)
	require.Equal(t, "unassign", history.at(t, "channel", "history", "nodes", 0, "reason"))
	require.Equal(t, "NONE", history.at(t, "channel", "history", "nodes", 0, "assignment"))
	require.Len(t, history.at(t, "channel", "history", "nodes"), 2)
}

func TestDraftsConflictAndPublishIsGated(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	editor, app := w.as("editor"), w.app("Shop")
	flow := editor.text(
		`mutation($a: ID!) { createFlow(input: {appId: $a, name: "Flow"}) { id } }`, vars{"a": app}, "createFlow", "id",
	)
	publish := `mutation($f: ID!) { publishFlow(input: {id: $f}) { version { number manifest checksum createdBy { email } } } }`

	blocked := editor.do(publish, vars{"f": flow})
	require.Equal(t, "publish_blocked", blocked.code())
	problems, ok := blocked.Errors[0].Extensions["problems"].([]any)
	require.True(t, ok)
	require.Equal(t, "flow.no_screens", problems[0].(map[string]any)["code"])
	gate := editor.must(
		`query($f: ID!) { flow(id: $f) { problems { code severity pointer } draftRevision } }`, vars{"f": flow},
	)
	require.Equal(t, "flow.no_screens", gate.at(t, "flow", "problems", 0, "code"))
	require.Equal(t, "ERROR", gate.at(t, "flow", "problems", 0, "severity"))

	save := `mutation($f: ID!, $r: Int!, $d: JSON!) { saveDraft(input: {flowId: $f, revision: $r, draft: $d}) { flow { draftRevision draft } problems { code } } }`
	saved := editor.must(save, vars{"f": flow, "r": 1, "d": json.RawMessage(publishable)})
	require.Equal(t, json.Number("2"), saved.at(t, "saveDraft", "flow", "draftRevision"))
	require.Equal(t, flow, saved.at(t, "saveDraft", "flow", "draft", "flowId"), "a draft is of its own flow")
	stale := editor.do(save, vars{"f": flow, "r": 1, "d": json.RawMessage(publishable)})
	require.Equal(t, "conflict", stale.code())
	require.Equal(t, json.Number("2"), stale.Errors[0].Extensions["currentRevision"])
	wrong := editor.must(save, vars{"f": flow, "r": 2, "d": json.RawMessage(`{"screens": 1}`)})
	require.NotEmpty(t, wrong.at(t, "saveDraft", "problems"), "a draft may be wrong")
	editor.must(save, vars{"f": flow, "r": 3, "d": json.RawMessage(publishable)})

	first := editor.must(publish, vars{"f": flow})
	require.Equal(t, json.Number("1"), first.at(t, "publishFlow", "version", "number"))
	require.Equal(t, json.Number("2"), editor.must(publish, vars{"f": flow}).at(t, "publishFlow", "version", "number"))
	require.Equal(t, json.Number("2"), editor.must(
		`query($f: ID!) { flow(id: $f) { versions(first: 1) { nodes { number manifest } } } }`, vars{"f": flow},
	).
		at(t, "flow", "versions", "nodes", 0, "manifest", "version"))
	require.Regexp(t, `^[0-9a-f]{64}$`, first.at(t, "publishFlow", "version", "checksum"))

	imported := editor.do(
		`mutation($a: ID!, $m: JSON) { createFlow(input: {appId: $a, name: "F", manifest: $m}) { id } }`,
		vars{"a": app, "m": json.RawMessage(`{"screens": 1}`)},
	)
	require.Equal(t, "invalid_input", imported.code())
	require.Equal(t, "manifest", imported.Errors[0].Extensions["field"])

	// A switched-off building block blocks publishing.
	withLottie := strings.Replace(publishable, `"children":[
		{`, `"children":[{"id":"lyr_l","kind":"lottie","media":{"mediaAssetId":"0197aa00-0000-7000-8000-000000000001"}},{`, 1)
	editor.must(save, vars{"f": flow, "r": 4, "d": json.RawMessage(withLottie)})
	canvas := w.as("admin").must(
		`mutation($a: ID!) { updateCanvas(input: {appId: $a, lottie: false}) { canvas { key on } } }`, vars{"a": app},
	)
	require.Equal(t, map[string]any{"key": "LOTTIE", "on": false}, canvas.at(t, "updateCanvas", "canvas", 0))
	require.Equal(t, map[string]any{"key": "OAUTH_LOGIN", "on": true}, canvas.at(t, "updateCanvas", "canvas", 1))
	codes := []any{}
	for _, problem := range editor.do(publish, vars{"f": flow}).Errors[0].Extensions["problems"].([]any) {
		codes = append(codes, problem.(map[string]any)["code"])
	}
	require.Contains(t, codes, "media.unknown_asset")
	require.Len(t, codes, 2, "%v", codes)
}

func TestAppRules(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	owner, app := w.as("owner"), w.app("Shop")
	origins := func(list ...string) answer {
		return owner.do(
			`mutation($a: ID!, $o: [String!]) { updateApp(input: {id: $a, allowedOrigins: $o}) { allowedOrigins } }`,
			vars{"a": app, "o": list},
		)
	}
	got := origins("https://A.example.com/", "http://localhost:3000", "http://127.0.0.1:8080", "https://a.example.com")
	require.Equal(
		t, []any{"https://a.example.com", "http://localhost:3000", "http://127.0.0.1:8080"},
		got.at(t, "updateApp", "allowedOrigins"),
	)
	for _, wrong := range []string{
		"http://example.com", "https://*.example.com", "https://example.com/path", "example.com", "ftp://example.com", "",
	} {
		got := origins(wrong)
		require.Equal(t, "invalid_input", got.code(), wrong)
		require.Equal(t, "allowedOrigins.0", got.Errors[0].Extensions["field"])
	}
	require.Equal(t, "allowedOrigins", origins(make([]string, 21)...).Errors[0].Extensions["field"])

	branding := owner.do(
		`mutation($a: ID!) { updateBranding(input: {appId: $a, branding: {colorPresets: [{name: "", value: "red"}], gradientPresets: [{name: "g", type: "linear", stops: []}]}}) { id } }`,
		vars{"a": app},
	)
	require.Equal(t, "invalid_input", branding.code())
	require.Len(t, branding.Errors[0].Extensions["errors"], 3, "every wrong field is named")

	require.Equal(
		t, "confirmName",
		owner.do(
			`mutation($a: ID!) { archiveApp(input: {id: $a, confirmName: "shop"}) { id } }`, vars{"a": app},
		).Errors[0].Extensions["field"],
	)
	flow := owner.text(
		`mutation($a: ID!, $m: JSON) { createFlow(input: {appId: $a, name: "Flow", manifest: $m}) { id } }`,
		vars{"a": app, "m": json.RawMessage(publishable)}, "createFlow", "id",
	)
	owner.must(
		`mutation($c: ChannelID!, $v: ID!) { pinChannel(input: {id: $c, versionId: $v}) { channel { id } } }`,
		vars{"c": w.channel(app), "v": w.publish(flow)},
	)
	require.Equal(
		t, "conflict", owner.do(`mutation($f: ID!) { archiveFlow(input: {id: $f}) { id } }`, vars{"f": flow}).code(),
		"a channel serves it",
	)

	key := owner.must(
		`mutation($a: ID!) { rotatePublishableKey(input: {appId: $a, environment: LIVE}) { id key } }`, vars{"a": app},
	)
	text := key.at(t, "rotatePublishableKey", "key").(string)
	require.NotNil(t, w.catalogue.Snapshot().Tenant(text))
	owner.must(
		`mutation($k: ID!) { revokePublishableKey(input: {id: $k}) { revokedAt } }`,
		vars{"k": key.at(t, "rotatePublishableKey", "id")},
	)
	require.Nil(t, w.catalogue.Snapshot().Tenant(text), "refused at once")
}

// Plans and the address of media are part of what clients keep.
func TestPlansAndMediaAddressRaiseChannels(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	owner, app, ctx := w.as("owner"), w.app("Shop"), t.Context()
	channel := w.channel(app)
	owner.must(
		`mutation($c: ChannelID!, $v: ID!) { pinChannel(input: {id: $c, versionId: $v}) { channel { id } } }`,
		vars{"c": channel, "v": w.version(app)},
	)
	_, err := w.db.Pool.Exec(
		ctx, `insert into plans (key, name, features, limits) values ('indie', 'Indie', '[]', '{"active_apps": 1}')`,
	)
	require.NoError(t, err)
	workspace := uuid.MustParse(w.workspace)
	_, err = w.studio.ChangeSubscription(
		account.With(ctx, account.Operator()), studio.SubscriptionChange{WorkspaceID: workspace, Plan: new("indie")},
	)
	require.NoError(t, err)
	require.NoError(t, w.studio.RaiseAll(ctx, "media"))
	history := owner.must(
		`query($c: ChannelID!) { channel(id: $c) { history { nodes { reason assignmentVersion } } } }`, vars{"c": channel},
	)
	require.Equal(t, "media", history.at(t, "channel", "history", "nodes", 0, "reason"))
	require.Equal(t, "plan", history.at(t, "channel", "history", "nodes", 1, "reason"))
	require.Equal(
		t, "plan_limit_reached",
		owner.do(
			`mutation($w: ID!) { createApp(input: {workspaceId: $w, name: "Second"}) { id } }`, vars{"w": w.workspace},
		).code(),
	)
	require.Equal(
		t, "plan_feature_missing",
		owner.do(
			`mutation($c: ChannelID!) { createExperiment(input: {channelId: $c, name: "X"}) { id } }`, vars{"c": channel},
		).code(),
	)
}

// The ledger takes a provider's event once; a refund is negative.
func TestLedgerByHand(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	app := w.app("Shop")
	record := func(role, id, kind string, amount any) answer {
		return w.as(role).do(`mutation($a: ID!, $i: String!, $k: PurchaseKind!, $n: USD!) { recordPurchase(input: {appId: $a, environment: LIVE, provider: REVENUECAT, providerEventId: $i, kind: $k, appUserId: "v", occurredAt: "2026-11-01T00:00:00Z", amount: $n}) { duplicate } }`,
			vars{"a": app, "i": id, "k": kind, "n": amount})
	}
	require.Equal(t, "forbidden", record("editor", "e1", "ORIGINATING", 1).code())
	require.Equal(t, false, record("admin", "e1", "ORIGINATING", json.Number("9.99")).at(t, "recordPurchase", "duplicate"))
	require.Equal(t, true, record("admin", "e1", "ORIGINATING", 5).at(t, "recordPurchase", "duplicate"))
	require.Equal(t, false, record("admin", "e2", "REFUND", json.Number("9.99")).at(t, "recordPurchase", "duplicate"))
	require.Equal(t, "amount", record("admin", "e3", "ORIGINATING", 0).Errors[0].Extensions["field"])
	require.Equal(t, "invalid_input", record("admin", "e4", "ORIGINATING", json.Number("0.0000001")).code())
	var sum, rows int64
	require.NoError(
		t,
		w.db.Pool.QueryRow(t.Context(), `select sum(amount_micros)::bigint, count(*) from revenue_ledger`).Scan(&sum, &rows),
	)
	require.Zero(t, sum)
	require.Equal(t, int64(2), rows)
}
