package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/vektah/gqlparser/v2/ast"
)

// figureTypes are the types of columns that order a table (analytics.md §4).
var figureTypes = []string{"Count64", "Float", "USD", "Time"}

// Every table has pages, a total, a search and an order by each of its figureTypes.
func TestEveryTableIsWhole(t *testing.T) {
	schema := loadSchema(t)
	tables := 0
	for _, field := range schema.Types["ProductAnalytics"].Fields {
		connection := schema.Types[field.Type.Name()]
		if !strings.HasSuffix(connection.Name, "Connection") || field.Name == "timeline" {
			continue // what a person did comes in the order in which they did it
		}
		tables++
		for _, argument := range []string{"first", "after", "orderBy", "ascending", "search"} {
			require.NotNil(t, field.Arguments.ForName(argument), "%s takes %s", field.Name, argument)
		}
		for _, member := range []string{"nodes", "pageInfo", "totalCount"} {
			require.NotNil(t, connection.Fields.ForName(member), "%s has %s", connection.Name, member)
		}
		row := schema.Types[connection.Fields.ForName("nodes").Type.Name()]
		order := schema.Types[field.Arguments.ForName("orderBy").Type.Name()]
		columns := 0
		for _, column := range row.Fields {
			if !slices.Contains(figureTypes, column.Type.Name()) || column.Name == "latitude" || column.Name == "longitude" {
				continue
			}
			columns++
			require.NotNil(
				t, order.EnumValues.ForName(enumName(column.Name)), "%s can be ordered by %s", field.Name, column.Name,
			)
		}
		require.NotZero(t, columns, field.Name)
	}
	require.Equal(t, 11, tables,
		"attribution, engagement, screens, events, goals, goalBreakdown, funnelVisitors, retention, demographic, technology, visitors")
}

// Every value that interface.md §4.1 lists can be asked for.
func TestTheSchemaHasTheContract(t *testing.T) {
	schema := loadSchema(t)
	has := func(enum string, names ...string) {
		t.Helper()
		require.Len(t, schema.Types[enum].EnumValues, len(names), enum)
		for _, name := range names {
			require.NotNil(t, schema.Types[enum].EnumValues.ForName(enumName(name)), "%s has %s", enum, name)
		}
	}
	has(
		"AttributionDimension", "acquisitionChannel", "referrer", "source", "campaign", "medium", "content", "term", "adset",
		"creative",
	)
	has("TechnologyDimension", "browsers", "operatingSystems", "devices")
	has("LocationDimension", "country", "region", "city")
	has("EngagementDimension", "page", "entry", "exit")
	has("RetentionDimension", "source", "campaign", "country", "platform", "device")
	has("RevenueProvider", "revenuecat", "superwall", "stripe")
	has("Grain", "hour", "day", "week", "month")
	has("Platform", "web", "ios", "android", "mobile")
	has("TextOperator", "is", "is_not", "contains", "does_not_contain")
	has("ExactOperator", "is", "is_not")
	members := func(input string) (names []string) {
		for _, f := range schema.Types[input].Fields {
			names = append(names, f.Name)
		}
		return names
	}
	require.ElementsMatch(
		t,
		strings.Fields(
			"source campaign medium content term adset creative browser os device country region city page entry exit",
		),
		members("ColumnFilters"),
	)
	require.ElementsMatch(
		t,
		strings.Fields(
			"acquisitionChannel referrer source campaign medium country region browser os device page event entry exit "+
				"flow flowVersion variant flowOutcome goal",
		),
		members("CrossFilters"),
	)
	for _, f := range schema.Types["CrossFilters"].Fields {
		text := slices.Contains([]string{"campaign", "page", "event", "entry", "exit"}, f.Name)
		require.Equal(t, map[bool]string{true: "TextFilter", false: "ExactFilter"}[text], f.Type.Name(), f.Name)
	}
	// A series carries revenue beside its metrics, and by provider.
	for _, column := range []string{
		"visitors", "sessions", "views", "events", "newVisitors", "bounceRate", "averageSessionSeconds", "viewsPerSession",
		"revenue", "revenueByProvider",
	} {
		require.NotNil(t, schema.Types["SeriesPoint"].Fields.ForName(column), column)
		require.NotNil(t, schema.Types["Summary"].Fields.ForName(column), column)
	}
	require.Equal(t, ast.Object, schema.Types["Subscription"].Kind)
	require.Equal(t, "Live", schema.Types["Subscription"].Fields.ForName("live").Type.Name())
}
