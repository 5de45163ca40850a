package resolvers

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/validator"

	"github.com/svc-dev/svc/graph"
	"github.com/svc-dev/svc/internal/graphqlhttp/document"
)

func theSchema() *ast.Schema { return graph.NewExecutableSchema(graph.Config{}).Schema() }

func costWith(t *testing.T, query string, variables map[string]any) int {
	t.Helper()
	schema := theSchema()
	doc, errs := document.Read(schema, query)
	require.Empty(t, errs)
	values, err := validator.VariableValues(schema, doc.Operations[0], variables)
	require.NoError(t, err)
	cost, _ := costOf(schema, doc.Operations[0], values)
	return cost
}

func cost(t *testing.T, query string) int {
	t.Helper()
	return costWith(t, query, nil)
}

const anID = `"0197aa00-0000-7000-8000-000000000001"`

const anApp = `{ app(id: ` + anID + `) { productAnalytics `

func TestCostGrowsWithRepetitionAndRows(t *testing.T) {
	t.Parallel()
	one := cost(t, anApp+`{ events { totalCount } } } }`)
	two := cost(t, anApp+`{ events { totalCount } again: events { totalCount } } } }`)
	three := cost(
		t,
		anApp+`{ ...e ... on ProductAnalytics { b: events { totalCount } c: events { totalCount } } } } } fragment e on
			ProductAnalytics { events { totalCount } }`,
	)
	require.GreaterOrEqual(t, two-one, 2*prices["ProductAnalytics.events"])
	require.GreaterOrEqual(t, three-two, 3*prices["ProductAnalytics.events"])

	few := cost(t, anApp+`{ events(first: 10) { nodes { name count visitors } } } } }`)
	many := cost(t, anApp+`{ events(first: 10000) { nodes { name count visitors } } } } }`)
	require.Greater(t, many, 5*few)
	require.Less(
		t, cost(t, anApp+`{ events(first: 10000) { totalCount pageInfo { endCursor } } } } }`), 200, "only nodes are many",
	)
	require.Less(t, cost(t, anApp+`{ summary { visitors events sessions } } } }`), 200, "fields of a row are no reports")
	require.Equal(
		t, many,
		costWith(
			t, `query($n: Int) `+anApp+`{ events(first: $n) { nodes { name count visitors } } } } }`,
			map[string]any{"n": 10_000},
		),
	)
}

// A preview of an email reads and renders a draft: no operation has hundreds.
func TestPreviewsOfEmailsAreBounded(t *testing.T) {
	t.Parallel()
	previews := func(n int) string {
		var fields strings.Builder
		for i := range n {
			fmt.Fprintf(&fields, "p%d: emailPreview(node: \"a\") { html } ", i)
		}
		return `{ automation(id: ` + anID + `) { ` + fields.String() + `} }`
	}
	require.Less(t, cost(t, previews(40)), maxCost)
	require.Greater(t, cost(t, previews(60)), maxCost)
}

func TestCostGrowsWithTheBucketsOfASeries(t *testing.T) {
	t.Parallel()
	series := func(from, to, grain, field string) int {
		return costWith(t, `query($s: ScopeInput!) { app(id:
			`+anID+`) { productAnalytics(scope: $s) { `+strings.Replace(field, "@", grain, 1)+` } } }`,
			map[string]any{"s": map[string]any{"range": map[string]any{"start": from, "end": to}}})
	}
	const points = `series(grain: @) { visitors sessions views events }`
	const chart = `eventsSeries(grain: @) { value points { bucket value } }`
	week := series("2026-03-01T00:00:00Z", "2026-03-08T00:00:00Z", "DAY", points)
	hours := series("2026-03-01T00:00:00Z", "2026-03-08T00:00:00Z", "HOUR", points)
	require.Greater(t, hours, week+160*4/valuesAtOnce)
	require.Greater(t, series("2025-03-01T00:00:00Z", "2026-03-08T00:00:00Z", "HOUR", points), hours+8_000*4/valuesAtOnce)
	require.Greater(t, series("2026-01-01T00:00:00Z", "2026-04-01T00:00:00Z", "DAY", chart), 150+90*10*2/valuesAtOnce)
	require.Less(
		t,
		series(
			"2025-01-01T00:00:00Z", "2026-01-01T00:00:00Z", "DAY",
			`retentionCohorts(grain: @) { bucket size offsets { offset returned eligible rate } }`,
		),
		maxCost,
	)
}

func TestADocumentWithEveryReportIsAffordable(t *testing.T) {
	t.Parallel()
	cost := cost(t, anApp+`{
		summary { visitors sessions views events newVisitors bounceRate revenue previous { visitors } } series { bucket
		visitors sessions revenue }
		overview { channel { value visitors } source { value visitors } page { value views } event { name count } country {
		value visitors } }
		attribution(dimension: SOURCE) { totalCount nodes { value visitors sessions views bounceRate revenue } }
		attributionSeries(dimension: SOURCE) { value points { bucket value } }
		engagement(dimension: PAGE) { totalCount nodes { value visitors views exitRate } } engagementSeries(dimension:
		PAGE) { value points { bucket value } }
		screens { nodes { value views } } events { nodes { name count visitors } } eventsSeries { value points { bucket
		value } }
		retention { visitors days { offset rate } } retentionSeries { bucket new returning } retentionCohorts { bucket size
		offsets { rate } } retentionCurve { offset rate }
		demographic(dimension: COUNTRY) { nodes { value visitors } } demographicSeries(dimension: COUNTRY) { value points {
		bucket value } }
		technology(dimension: BROWSER) { nodes { value visitors } } technologySeries(dimension: BROWSER) { value points {
		bucket value } }
		visitors { totalCount nodes { appUserId firstSeen lastSeen sessions views country device revenueUsd } } } } }`)
	require.Less(t, cost, maxCost/2)
	t.Logf("every report once costs %d", cost)
}

// The introspection query of common tools passes, and not often at once.
func TestIntrospectionIsAffordable(t *testing.T) {
	t.Parallel()
	const whole = `__schema { queryType { name } mutationType { name } types { ...T } directives { name description
		locations args { ...I } } }`
	const fragments = ` fragment T on __Type { kind name description fields(includeDeprecated: true) { name description
		args { ...I } type { ...R } isDeprecated deprecationReason }
		inputFields { ...I } interfaces { ...R } enumValues(includeDeprecated: true) { name description isDeprecated
		deprecationReason } possibleTypes { ...R } }
		fragment I on __InputValue { name description type { ...R } defaultValue }
		fragment R on __Type { kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name ofType {
		kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name } } } } } } } } } }`
	once := cost(t, `{ `+whole+` }`+fragments)
	t.Logf("introspection costs %d", once)
	require.LessOrEqual(t, once, maxCost)
	require.Greater(t, cost(t, `{ `+whole+` b: `+whole+` c: `+whole+` }`+fragments), maxCost)
}

// What introspection lists costs what the schema has, give or take one value a type.
func TestIntrospectionIsPricedByTheSchema(t *testing.T) {
	t.Parallel()
	types := theSchema().Types
	var fields, inputs, values int
	for _, is := range types {
		values += len(is.EnumValues)
		if is.Kind == ast.InputObject {
			inputs += len(is.Fields)
		} else {
			fields += len(is.Fields)
		}
	}
	for list, n := range map[string]int{"fields": fields, "inputFields": inputs, "enumValues": values} {
		// Each of a hundred names of an entry is a value, and each list one.
		names := strings.Repeat(" name", 100)
		costs := cost(t, `{ __schema { types { `+list+` {`+names+` } } } }`)
		require.InDelta(t, (100*n+len(types))/valuesAtOnce, costs, float64(len(types)/valuesAtOnce+1), list)
	}
}

func TestCostsThatAreTooMuch(t *testing.T) {
	t.Parallel()
	aliases := func(n int, field string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, " f%d: %s", i, field)
		}
		return b.String()
	}
	nested := func(n, first int) string {
		return `{ flow(id: ` + anID + `) { ` + strings.Repeat(
			fmt.Sprintf(`versions(first: %d) { nodes { flow { `, first), n,
		) + `id` + strings.Repeat(` } } }`, n) + ` } }`
	}
	for name, query := range map[string]string{
		"passwords":          `mutation { ` + aliases(2, `signIn(input: {email: "a@b.c", password: "x"}) { email }`) + ` }`,
		"set-up links":       `mutation { ` + aliases(2, `completeSetup(input: {token: "t", password: "x"}) { email }`) + ` }`,
		"passwords of links": `mutation { ` + aliases(2, `openSharedLink(input: {token: "t", password: "x"}) { key }`) + ` }`,
		"links with passwords": `mutation { ` + aliases(
			2, `createSharedLink(input: {appId: `+anID+`, name: "x", reports: [HOME], password: "x"}) { token }`,
		) + ` }`,
		"workspaces": `mutation { ` + aliases(11, `createWorkspace(input: {name: "x"}) { id }`) + ` }`,
		"estimates":  `{ app(id: ` + anID + `) { ` + aliases(6, `segmentEstimate(rules: {})`) + ` } }`,
		"manifests":  `{ flow(id: ` + anID + `) { versions(first: 20) { nodes { manifest } } } }`,
		"lookups": `query($a: ID!) { ` + aliases(
			250, `app(id: $a) { a: flows(first: 200) { nodes { id } } b: flows(first: 200) { nodes { id } } }`,
		) + ` }`,
		"nested pages":  nested(3, 200),
		"more than int": nested(7, 2_000_000_000),
		"types":         `{ __schema { types { fields { type { fields { ` + aliases(250, "name") + ` } } } } } }`,
		"columns":       anApp + `{ events(first: 10000) { nodes { ` + aliases(250, "count") + ` } } } } }`,
	} {
		require.Greater(t, costWith(t, query, map[string]any{"a": "x"}), maxCost, name)
	}
	require.Less(t, cost(t, `mutation { signIn(input: {email: "a@b.c", password: "x"}) { email } }`), maxCost)
	require.Equal(t, math.MaxInt, times(math.MaxInt/2, 3))
	require.Equal(t, math.MaxInt, plus(math.MaxInt-1, 3))
}

// Every mutation costs like one, and every list by the size that is asked for or,
// where none can be asked for, by a number that somebody has thought about.
func TestEveryMutationAndEveryListHasAPrice(t *testing.T) {
	t.Parallel()
	schema := theSchema()
	for _, field := range schema.Mutation.Fields {
		of := &ast.Field{Name: field.Name, Definition: field, ObjectDefinition: schema.Mutation}
		require.GreaterOrEqual(t, priceOf(schema, of), 500, "Mutation.%s", field.Name)
	}
	w := costWalk{schema: schema}
	around := listBounds{page: 777, buckets: 555}
	lists := 0
	for _, owner := range schema.Types {
		if owner.Kind != ast.Object {
			continue
		}
		for _, field := range owner.Fields {
			name := owner.Name + "." + field.Name
			if strings.HasSuffix(field.Type.Name(), "Connection") && name != "Live.people" { // live has the argument
				require.NotNil(t, field.Arguments.ForName("first"), "%s is a page of any size", name)
			}
			if field.Type.Elem == nil {
				continue
			}
			lists++
			of := &ast.Field{Name: field.Name, Definition: field, ObjectDefinition: owner}
			entries := w.countEntries(of, name, around)
			if field.Arguments.ForName("first") != nil || strings.HasSuffix(owner.Name, "Connection") {
				require.Equal(t, around.page, entries, name)
			}
			_, listed := listEntries[name]
			_, ofType := listEntries[owner.Name]
			_, _, counted := w.introspected(name)
			leaf := schema.Types[field.Type.Name()].IsLeafType()
			sized := field.Arguments.ForName("grain") != nil || entries == around.page || entries == around.buckets
			require.True(
				t, sized || leaf || listed || ofType || counted || name == "RetentionCohort.offsets" || name == "__Schema.types",
				"say in listEntries how many entries %s has", name,
			)
			require.GreaterOrEqual(t, entries, 1, name)
		}
	}
	require.Greater(t, lists, 40)
}

// A draft may have 4 MiB, and a query is no way to have it by the hundred.
func TestDraftsCostWhatTheyWeigh(t *testing.T) {
	t.Parallel()
	drafts := func(n int, field string) string {
		var query strings.Builder
		for i := range n {
			fmt.Fprintf(&query, "d%d: %s { revision document } ", i, field)
		}
		return "{" + query.String() + "}"
	}
	now, then := "draft(flowId: "+anID+")", "draftAt(flowId: "+anID+", revision: 1)"
	require.Less(t, cost(t, drafts(1, now)), maxCost/10)
	require.Greater(t, cost(t, drafts(20, now)), maxCost)
	require.Greater(t, cost(t, drafts(4, then)), maxCost)
	for _, checked := range []string{"draft(flowId: " + anID + ")", "flow(id: " + anID + ")"} {
		check := "{ one: " + checked + " { " + strings.Repeat("%s: problems { message } ", 5) + "} }"
		require.Greater(t, cost(t, fmt.Sprintf(check, "a", "b", "c", "d", "e")), maxCost, "%s is checked by the dozen", checked)
	}
}

// Where a component is used stands in no index: drafts are looked through.
func TestUsesOfComponentsCostWhatTheyTake(t *testing.T) {
	t.Parallel()
	asked := func(n int, field string) string {
		query := "{ component(id: " + anID + ") {"
		for i := range n {
			query += fmt.Sprintf(" f%d: %s", i, field)
		}
		return query + " } }"
	}
	require.Less(t, cost(t, asked(1, "usedIn { flowId }")), maxCost/4)
	require.Greater(t, cost(t, asked(5, "usedIn { flowId }")), maxCost)
	require.Less(t, cost(t, asked(100, "content { tree }")), maxCost/2)
	twice := strings.Replace(asked(200, "content { tree }"), "{ component", "{ first: component", 1)
	twice = strings.TrimSuffix(twice, "}") + strings.TrimPrefix(asked(200, "content { tree }"), "{")
	require.Greater(t, cost(t, twice), maxCost, "25 MB")
}

func TestTheOldestRevisionCostsWhatTheHistoryDoes(t *testing.T) {
	t.Parallel()
	query := "{ draft(flowId: " + anID + ") {"
	for i := range 100 {
		query += fmt.Sprintf(" r%d: oldestRevision", i)
	}
	require.Greater(t, cost(t, query+" } }"), maxCost)
}

// A template is answered whole, and the same could be asked for a hundred times: 95 MB.
func TestTemplatesCostWhatTheyWeigh(t *testing.T) {
	t.Parallel()
	listed := func(n int) string {
		return "{" + strings.Repeat(" %s: flowTemplates { id name manifest media cover }", n) + " }"
	}
	names := make([]any, 20)
	for i := range names {
		names[i] = fmt.Sprintf("t%d", i)
	}
	require.Less(t, cost(t, fmt.Sprintf(listed(1), names[0])), maxCost/10)
	require.Greater(t, cost(t, fmt.Sprintf(listed(20), names...)), maxCost)
}

func TestOneFieldAppearsInTheSchemaAsItIsPriced(t *testing.T) {
	t.Parallel()
	schema := theSchema()
	for name := range prices {
		owner, field, _ := strings.Cut(name, ".")
		require.NotNil(t, schema.Types[owner], name)
		require.NotNil(t, schema.Types[owner].Fields.ForName(field), name)
	}
}

// The rule that fields can be merged is simpler than the specification's: it
// needs a schema without interfaces and unions.
func TestTheSchemaHasObjectTypesOnly(t *testing.T) {
	t.Parallel()
	for _, definition := range theSchema().Types {
		require.False(t, definition.IsAbstractType(), definition.Name)
	}
}
