package resolvers

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/vektah/gqlparser/v2"

	"github.com/svc-dev/svc/graph"
)

func costOf(t *testing.T, query string) int {
	t.Helper()
	schema := graph.NewExecutableSchema(graph.Config{Resolvers: &Resolver{}, Complexity: costs()})
	document, errs := gqlparser.LoadQueryWithRules(schema.Schema(), query, nil)
	require.Empty(t, errs)
	limit := &costLimit{schema: schema}
	return limit.of(context.Background(), document.Operations[0], nil)
}

const anApp = `{ app(id: "0197aa00-0000-7000-8000-000000000001") { productAnalytics `

func TestCostGrowsWithRepetitionAndRows(t *testing.T) {
	one := costOf(t, anApp+`{ events { totalCount } } } }`)
	two := costOf(t, anApp+`{ events { totalCount } again: events { totalCount } } } }`)
	three := costOf(t, anApp+`{ ...e ... on ProductAnalytics { b: events { totalCount } c: events { totalCount } } } } } fragment e on ProductAnalytics { events { totalCount } }`)
	require.Greater(t, two-one, 2*reportCosts["events"]-1)
	require.Greater(t, three-two, 3*reportCosts["events"]-1)

	few := costOf(t, anApp+`{ events(first: 10) { nodes { name count visitors } } } } }`)
	many := costOf(t, anApp+`{ events(first: 10000) { nodes { name count visitors } } } } }`)
	require.Greater(t, many, 5*few)
	require.Less(t, costOf(t, anApp+`{ summary { visitors events sessions } } } }`), 200, "fields of a row are no reports")
}

func TestADocumentWithEveryReportIsAffordable(t *testing.T) {
	cost := costOf(t, anApp+`{
		summary { visitors sessions views events newVisitors bounceRate revenue previous { visitors } } series { bucket visitors sessions revenue }
		overview { channel { value visitors } source { value visitors } page { value views } event { name count } country { value visitors } }
		attribution(dimension: SOURCE) { totalCount nodes { value visitors sessions views bounceRate revenue } }
		attributionSeries(dimension: SOURCE) { value points { bucket value } }
		engagement(dimension: PAGE) { totalCount nodes { value visitors views exitRate } } engagementSeries(dimension: PAGE) { value points { bucket value } }
		screens { nodes { value views } } events { nodes { name count visitors } } eventsSeries { value points { bucket value } }
		retention { visitors days { offset rate } } retentionSeries { bucket new returning } retentionCohorts { bucket size offsets { rate } } retentionCurve { offset rate }
		demographic(dimension: COUNTRY) { nodes { value visitors } } demographicSeries(dimension: COUNTRY) { value points { bucket value } }
		technology(dimension: BROWSER) { nodes { value visitors } } technologySeries(dimension: BROWSER) { value points { bucket value } }
		visitors { totalCount nodes { appUserId firstSeen lastSeen sessions views country device revenueUsd } } } } }`)
	require.Less(t, cost, maxCost/2)
	t.Logf("every report once costs %d", cost)
}
