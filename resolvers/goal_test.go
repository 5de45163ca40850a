package resolvers_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestGoalsAreCountedOverWhatIsStored(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	app, owner := w.shop(), w.as("owner")
	number := func(text string) json.Number { return json.Number(text) }
	goal := func(name string, condition vars) string {
		return owner.text(`mutation($a: ID!, $n: String!, $c: GoalConditionInput!) {
			createGoal(input: {appId: $a, name: $n, condition: $c}) { id } }`,
			vars{"a": app, "n": name, "c": condition}, "createGoal", "id")
	}
	pages := goal("Any page", vars{"page": vars{"name": "/**"}})
	goal("Home", vars{"screen": vars{"op": "IS", "name": "Home"}})
	signUp := goal("Sign up", vars{"event": vars{"name": "sign_up"}})
	paid := goal("Paid", vars{"purchase": vars{"provider": "STRIPE", "minUsd": 10}})

	reports := `query($a: ID!, $g: ID!, $s: ScopeInput!) { app(id: $a) { productAnalytics(scope: $s) {
		goals { totalCount nodes { goalId name conversions converters rate revenue } }
		goalSeries(goalId: $g) { bucket visitors conversions converters rate revenue }
		goalBreakdown(goalId: $g, dimension: SOURCE) { nodes { value visitors conversions converters rate revenue } } } } }`
	got := w.as("viewer").must(reports, vars{"a": app, "g": paid, "s": vars{}})
	report := func(path ...any) any { return got.at(t, append([]any{"app", "productAnalytics"}, path...)...) }
	require.Equal(t, map[string]any{
		"goalId": pages, "name": "Any page", "conversions": number("4"), "converters": number("2"),
		"rate": number("0.6666666666666666"), "revenue": nil,
	}, report("goals", "nodes", 0))
	require.Equal(t, number("4"), report("goals", "totalCount"))
	require.Len(t, report("goalSeries"), 7)
	require.Equal(t, map[string]any{
		"value": "news", "visitors": number("1"), "conversions": number("1"), "converters": number("1"),
		"rate": number("1"), "revenue": number("12.345678"),
	}, report("goalBreakdown", "nodes", 0))

	got = owner.must(reports, vars{"a": app, "g": signUp, "s": vars{"columns": vars{"source": "google"}}})
	require.Equal(t, "Any page", report("goals", "nodes", 0, "name"))
	require.Equal(t, number("2"), report("goals", "nodes", 0, "conversions"), "of sessions that came from there")

	// As a filter it keeps who met it, wherever their sessions came from; as its opposite all others.
	filtered := func(op string, goals ...string) any {
		got := owner.must(`query($a: ID!, $s: ScopeInput!) { app(id: $a) { productAnalytics(scope: $s) {
			summary { visitors } } } }`, vars{"a": app, "s": vars{"cross": vars{"goal": vars{"op": op, "values": goals}}}})
		return got.at(t, "app", "productAnalytics", "summary", "visitors")
	}
	require.Equal(t, number("2"), filtered("IS", pages))
	require.Equal(t, number("1"), filtered("IS_NOT", pages))
	require.Equal(t, number("1"), filtered("IS", paid))
	require.Equal(t, number("2"), filtered("IS_NOT", signUp))
	unknown := owner.do(`query($a: ID!) { app(id: $a) { productAnalytics(scope: {cross: {goal: {
		values: ["0197aa00-0000-7000-8000-000000000001"]}}}) { summary { visitors } } } }`, vars{"a": app})
	require.Equal(t, "invalid_input", unknown.code())
	require.Contains(t, unknown.Errors[0].Message, "cross.goal")
	require.Contains(t, unknown.Errors[0].Message, "is not a goal of this app")
	segment := owner.do(`mutation($a: ID!, $g: [String!]!) { createSegment(input: {appId: $a, name: "Paid", rules: {
		cross: {goal: {values: $g}}}}) { id } }`, vars{"a": app, "g": []string{paid}})
	require.Equal(t, "invalid_input", segment.code())
	require.Contains(t, segment.Errors[0].Message, "where.goal")

	// Another condition changes history.
	owner.must(`mutation($g: ID!) {
		updateGoal(input: {id: $g, condition: {event: {name: "page_view"}}}) { id condition } }`, vars{"g": signUp})
	got = owner.must(reports, vars{"a": app, "g": signUp, "s": vars{}})
	require.Equal(t, number("4"), report("goals", "nodes", 1, "conversions"))

	wrong := owner.do(`mutation($a: ID!) { createGoal(input: {appId: $a, name: "Two",
		condition: {event: {name: "a"}, page: {name: "/"}}}) { id } }`, vars{"a": app})
	require.Equal(t, "invalid_input", wrong.code())
	require.Contains(t, wrong.Errors[0].Message, "condition: needs exactly one")
	require.Equal(t, app, owner.must(`mutation($g: ID!) { updateGoal(input: {id: $g, name: "P"}) { app { id } } }`,
		vars{"g": paid}).at(t, "updateGoal", "app", "id"))
	owner.must(`mutation($g: ID!) { deleteGoal(input: {id: $g}) }`, vars{"g": paid})
	gone := owner.do(reports, vars{"a": app, "g": paid, "s": vars{}})
	require.Equal(t, "invalid_input", gone.code())
	require.Contains(t, gone.Errors[0].Message, "goalId")
	other := w.app("Other")
	foreign := owner.do(reports, vars{"a": other, "g": pages, "s": vars{}})
	require.Equal(t, "invalid_input", foreign.code(), "a goal of another app")
}
