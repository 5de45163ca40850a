package resolvers_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

// Whoever may erases a person; the reports of the next request do not know them.
func TestErasePerson(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	app := w.shop()
	const visitors = `query($a: ID!) { app(id: $a) { productAnalytics { summary { visitors revenue } } } }`
	require.Equal(t, json.Number("3"), w.as("admin").must(visitors, vars{"a": app}).at(
		t, "app", "productAnalytics", "summary", "visitors"))

	const erase = `mutation($i: ErasePersonInput!) {
		erasePerson(input: $i) { id finishedAt devices removed { table rows } } }`
	input := func(name, value string) vars {
		return vars{"i": vars{"appId": app, "environment": "LIVE", name: value}}
	}
	require.Equal(t, "forbidden", w.as("editor").do(erase, input("appUserId", "v2")).code())
	require.Equal(t, "not_found", w.as("stranger").do(erase, input("appUserId", "v2")).code())
	require.Equal(t, "invalid_input", w.as("admin").do(erase, vars{"i": vars{"appId": app, "environment": "LIVE"}}).code())
	require.Equal(t, "not_found", w.as("admin").do(erase, input("customUserId", "nobody")).code())

	done := w.as("admin").must(erase, input("appUserId", "v2"))
	require.NotNil(t, done.at(t, "erasePerson", "finishedAt"))
	require.Equal(t, json.Number("1"), done.at(t, "erasePerson", "devices"))
	id := done.at(t, "erasePerson", "id")

	summary := w.as("admin").must(visitors, vars{"a": app})
	require.Equal(t, json.Number("2"), summary.at(t, "app", "productAnalytics", "summary", "visitors"))
	require.Equal(t, json.Number("12.345678"), summary.at(t, "app", "productAnalytics", "summary", "revenue"),
		"the purchase stays in the books")
	again := w.as("admin").must(
		`query($a: ID!, $e: ID!) { app(id: $a) { erasure(id: $e) { id devices removed { table rows } } } }`,
		vars{"a": app, "e": id},
	)
	require.Equal(t, json.Number("0"), again.at(t, "app", "erasure", "devices"))
	require.Equal(t, done.at(t, "erasePerson", "removed"), again.at(t, "app", "erasure", "removed"))

	audit := w.as("admin").must(
		`query($w: ID!) { workspace(id: $w) { auditLog(first: 1) { nodes { action subject detail } } } }`,
		vars{"w": w.workspace},
	)
	require.Equal(t, "person.erase", audit.at(t, "workspace", "auditLog", "nodes", 0, "action"))
	require.Equal(t, id, audit.at(t, "workspace", "auditLog", "nodes", 0, "subject"))
	require.NotContains(t, w.log.String(), "v2")
}

// Whoever may has everything that is stored of a person, and the audit log says so without naming them.
func TestExportPerson(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	app := w.shop()
	const export = `mutation($i: ExportPersonInput!) { exportPerson(input: $i) { devices records { table row } endCursor } }`
	input := func(name, value string) vars {
		return vars{"i": vars{"appId": app, "environment": "LIVE", name: value}}
	}
	require.Equal(t, "forbidden", w.as("editor").do(export, input("appUserId", "v2")).code())
	require.Equal(t, "not_found", w.as("stranger").do(export, input("appUserId", "v2")).code())
	require.Equal(t, "not_found", w.as("admin").do(export, input("customUserId", "nobody")).code())
	require.Equal(t, "invalid_input", w.as("admin").do(export, input("after", "x")).code())

	tables, one := map[string]int{}, input("appUserId", "v2")
	for after := any(""); after != nil; { // a busy server gives a small archive in pages, too
		one["i"].(vars)["after"] = after
		archive := w.as("admin").must(export, one)
		require.Equal(t, json.Number("1"), archive.at(t, "exportPerson", "devices"))
		for i := range archive.at(t, "exportPerson", "records").([]any) {
			tables[archive.at(t, "exportPerson", "records", i, "table").(string)]++
			require.Contains(t, archive.at(t, "exportPerson", "records", i, "row", "app_user_id"), "v2")
		}
		after = archive.at(t, "exportPerson", "endCursor")
	}
	require.NotZero(t, tables["product_session"])
	require.NotZero(t, tables["product_event"])

	audit := w.as("admin").must(
		`query($w: ID!) { workspace(id: $w) { auditLog(first: 1) { nodes { action detail } } } }`,
		vars{"w": w.workspace},
	)
	require.Equal(t, "person.export", audit.at(t, "workspace", "auditLog", "nodes", 0, "action"))
	require.NotContains(t, w.log.String(), "v2")
}

// An app keeps a kind of events for as long as its settings say.
func TestSetRetention(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	app := w.app("Shop")
	const set = `mutation($i: SetRetentionInput!) { setRetention(input: $i) { retention { kind days } } }`
	input := func(kind string, days any) vars { return vars{"i": vars{"appId": app, "kind": kind, "days": days}} }
	require.Equal(t, "forbidden", w.as("editor").do(set, input("FLOW", 30)).code())
	for _, days := range []int{0, -1, 3654} {
		refusal := w.as("admin").do(set, input("FLOW", days))
		require.Equal(t, "invalid_input", refusal.code())
	}
	w.as("admin").must(set, input("FLOW", 30))
	kept := w.as("admin").must(set, input("PRODUCT", 3653)).at(t, "setRetention", "retention")
	require.Equal(t, []any{
		map[string]any{"kind": "FLOW", "days": json.Number("30")}, map[string]any{"kind": "PRODUCT", "days": json.Number("3653")},
	}, kept)
	kept = w.as("admin").must(set, input("FLOW", nil)).at(t, "setRetention", "retention")
	require.Len(t, kept, 1)
	viewer := w.as("viewer").must(`query($a: ID!) { app(id: $a) { retention { kind } } }`, vars{"a": app})
	require.Len(t, viewer.at(t, "app", "retention"), 1)
}
