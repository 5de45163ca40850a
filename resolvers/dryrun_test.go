package resolvers_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A dry run makes every check, answers what would be, and leaves no trace: no row, no audit entry, nothing delivered.
func TestDryRunsChangeNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	app := w.app("Shop")
	editor, channel, version := w.as("editor"), w.channel(app), w.version(app)
	flow := editor.text(
		`query($v: ID!) { flowVersion(id: $v) { flow { id } } }`, vars{"v": version}, "flowVersion", "flow", "id",
	)
	experiment := func(endsAt any, versions ...any) string {
		variants := []any{}
		for i, v := range versions {
			variants = append(variants, map[string]any{"key": string(rune('a' + i)), "weight": 1, "versionId": v})
		}
		return editor.text(
			`mutation($c: ChannelID!, $e: Time, $v: [VariantInput!]) { createExperiment(input: {channelId: $c, name: "X", endsAt: $e, variants: $v}) { id } }`,
			vars{"c": channel, "e": endsAt, "v": variants}, "createExperiment", "id",
		)
	}
	ready := experiment(time.Now().Add(time.Hour), version, version)
	incomplete := experiment(time.Now().Add(time.Hour), version)
	variables := vars{
		"f": flow, "c": channel, "v": version, "x": ready, "i": incomplete, "d": json.RawMessage(publishable),
		"foreign": "00000000-0000-7000-8000-000000000000",
	}
	state := func() any {
		read := w.as("owner").must(`query($f: ID!, $c: ChannelID!, $x: ID!, $w: ID!) {
			flow(id: $f) { draft draftRevision updatedAt versions { totalCount } }
			channel(id: $c) { assignment assignmentVersion updatedAt history { totalCount } }
			experiment(id: $x) { status startedAt stoppedAt updatedAt }
			workspace(id: $w) { auditLog { totalCount } } }`,
			vars{"f": flow, "c": channel, "x": ready, "w": w.workspace})
		return read.Data
	}
	type step struct {
		query, code string
		path        []any
		want        any
	}
	try := func(steps []step) {
		t.Helper()
		for _, step := range steps {
			before, served := state(), w.catalogue.Snapshot()
			got := editor.do(step.query, variables)
			require.Equal(t, step.code, got.code(), "%s: %v", step.query, got.Errors)
			if step.code == "" {
				require.Equal(t, step.want, got.at(t, step.path...), step.query)
			}
			require.Equal(t, before, state(), step.query)
			require.Same(t, served, w.catalogue.Snapshot(), step.query)
			require.Equal(t, "forbidden", w.as("viewer").do(step.query, variables).code(), step.query)
		}
	}
	const stop = `mutation($x: ID!) { stopExperiment(input: {id: $x, dryRun: true}) { status } }`
	try([]step{
		{`mutation($f: ID!, $d: JSON!) { saveDraft(input: {flowId: $f, revision: 1, draft: $d, dryRun: true}) { flow { draftRevision } problems { code } } }`,
			"", []any{"saveDraft", "flow", "draftRevision"}, json.Number("2")},
		{`mutation($f: ID!, $d: JSON!) { saveDraft(input: {flowId: $f, revision: 7, draft: $d, dryRun: true}) { flow { id } } }`,
			"conflict", nil, nil},
		{`mutation($f: ID!) { publishFlow(input: {id: $f, dryRun: true}) { version { number checksum } } }`,
			"", []any{"publishFlow", "version", "number"}, json.Number("2")},
		{`mutation($c: ChannelID!, $v: ID!) { pinChannel(input: {id: $c, versionId: $v, dryRun: true}) { channel { assignmentVersion version { number } } } }`,
			"", []any{"pinChannel", "channel", "version", "number"}, json.Number("1")},
		{`mutation($c: ChannelID!, $foreign: ID!) { pinChannel(input: {id: $c, versionId: $foreign, dryRun: true}) { channel { id } } }`,
			"invalid_input", nil, nil},
		{`mutation($i: ID!) { startExperiment(input: {id: $i, dryRun: true}) { status } }`, "invalid_input", nil, nil},
		{`mutation($x: ID!) { startExperiment(input: {id: $x, dryRun: true}) { status } }`,
			"", []any{"startExperiment", "status"}, "RUNNING"},
		{stop, "conflict", nil, nil},
	})
	editor.must(`mutation($x: ID!) { startExperiment(input: {id: $x}) { status } }`, vars{"x": ready})
	try([]step{{stop, "", []any{"stopExperiment", "status"}, "STOPPED"}})
}

func TestChannelsExplainThemselves(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	app := w.app("Shop")
	owner, channel, version := w.as("owner"), w.channel(app), w.version(app)
	explain := func(by *client, person any) answer {
		return by.do(`query($c: ChannelID!, $p: String) { channel(id: $c) { explanation(appUserId: $p) {
			reason refusal bucket totalWeight
			arm { variant { key } version { id number } share refusal leftOut } arms { variant { key } version { id } share } } } }`,
			vars{"c": channel, "p": person})
	}
	value := func(a answer, path ...any) any {
		t.Helper()
		require.Empty(t, a.Errors)
		return a.at(t, append([]any{"channel", "explanation"}, path...)...)
	}
	require.Equal(t, "channel_unassigned", value(explain(w.as("viewer"), nil), "refusal"))
	owner.must(
		`mutation($c: ChannelID!, $v: ID!) { pinChannel(input: {id: $c, versionId: $v}) { channel { id } } }`,
		vars{"c": channel, "v": version},
	)
	pinned := explain(w.as("viewer"), nil)
	require.Nil(t, value(pinned, "refusal"))
	require.Equal(t, version, value(pinned, "arm", "version", "id"))
	require.Nil(t, value(pinned, "arm", "variant"))
	require.Equal(t, []any{}, value(pinned, "arm", "leftOut"))

	variants := []any{
		map[string]any{"key": "control", "weight": 3, "versionId": version},
		map[string]any{"key": "other", "weight": 1, "versionId": version},
	}
	experiment := owner.text(
		`mutation($c: ChannelID!, $e: Time, $v: [VariantInput!]) { createExperiment(input: {channelId: $c, name: "X", endsAt: $e, variants: $v}) { id } }`,
		vars{"c": channel, "e": time.Now().Add(time.Hour), "v": variants}, "createExperiment", "id",
	)
	owner.must(`mutation($x: ID!) { startExperiment(input: {id: $x}) { status } }`, vars{"x": experiment})
	everybody := explain(owner, nil)
	require.Nil(t, value(everybody, "arm"))
	require.Nil(t, value(everybody, "bucket"))
	require.Equal(t, json.Number("4"), value(everybody, "totalWeight"))
	require.Equal(t, json.Number("0.75"), value(everybody, "arms", 0, "share"))
	person := explain(owner, "dev-1")
	require.NotNil(t, value(person, "bucket"))
	require.Contains(t, []any{"control", "other"}, value(person, "arm", "variant", "key"))
	require.Contains(t, value(person, "reason"), "bucket")

	for _, wrong := range []string{"", string(make([]byte, 257))} {
		require.Equal(t, "invalid_input", explain(owner, wrong).code())
	}
	require.Equal(t, "not_found", explain(w.as("stranger"), nil).code())
	require.Equal(t, "unauthenticated", explain(w.as("anonymous"), nil).code())
	require.Equal(t, "forbidden", explain(w.keyed("owner", "analytics:read"), nil).code())

	owner.must(`mutation($x: ID!) { stopExperiment(input: {id: $x}) { status } }`, vars{"x": experiment})
	owner.must(
		`mutation($c: ChannelID!) { archiveChannel(input: {id: $c, confirmName: "Main"}) { id } }`, vars{"c": channel},
	)
	require.Equal(t, "channel_archived", value(explain(owner, nil), "refusal"))
	owner.must(`mutation($a: ID!) { archiveApp(input: {id: $a, confirmName: "Shop"}) { id } }`, vars{"a": app})
	require.Equal(t, "invalid_key", value(explain(owner, nil), "refusal"))
}
