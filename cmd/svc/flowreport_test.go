package main

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/parser"
)

// Every name that a flow report takes is a value of the enum that its document's variable has, every report has a
// command, and every filter a flag.
func TestFlowReportsFitTheSchema(t *testing.T) {
	schema := loadSchema(t)
	parsed, err := parser.ParseQuery(&ast.Source{Input: documents})
	require.NoError(t, err)
	check := func(r flowReport, variable string, names []string) {
		t.Helper()
		operation := parsed.Operations.ForName(r.list.operation)
		require.NotNil(t, operation, r.name)
		definition := operation.VariableDefinitions.ForName(variable)
		if len(names) == 0 {
			require.True(t, definition == nil || variable != "orderBy", "%s can be ordered", r.name)
			return
		}
		require.NotNil(t, definition, "%s has no $%s", r.name, variable)
		var values, asked []string
		for _, value := range schema.Types[definition.Type.Name()].EnumValues {
			values = append(values, value.Name)
		}
		for _, name := range names {
			asked = append(asked, enumName(name))
		}
		require.ElementsMatch(t, values, asked, "%s: $%s", r.name, variable)
	}
	fields := map[string]bool{}
	for _, r := range append([]flowReport{appOverview}, flowReports...) {
		fields[r.list.path[1]] = true
		check(r, "orderBy", r.orders)
		if r.dimension {
			check(r, "dimension", cohortDimensions)
		}
		for _, flag := range r.more {
			check(r, flag.variable, flag.values)
		}
	}
	for _, field := range schema.Types["FlowAnalytics"].Fields {
		require.True(t, field.Name == "range" || field.Name[:2] == "__" || fields[field.Name], "no command reads %s", field.Name)
	}
	filters := schema.Types["FlowFilters"].Fields
	require.Len(t, filters, len(flowFilters))
	for _, x := range flowFilters {
		require.NotNil(t, filters.ForName(x.member), x.member)
	}
}

func TestFlagsBecomeTheScopeOfAFlow(t *testing.T) {
	exit, stdout, stderr, variables := served(t, `{"data":{"flowAnalytics":{"cohorts":{"nodes":[],"incomplete":true}}}}`, 200,
		"analytics", "cohorts", "flow-1", "--dimension", "customProperty", "--key", "tier", "--env", "test", "--platform", "ios",
		"--start", "2026-03-29", "--end", "2026-03-30", "--time-zone", "Europe/Berlin", "--versions", "v1,v2", "--versions", "v3",
		"--channels", "ch_live_1", "--experiment", "e", "--variants", "a", "--segment-id", "s",
		"--custom", `tier=gold,"a, b"`, "--xf-language", "de,en", "--xf-op-language", "is_not", "--xf-app-version", "1.2",
		"--order-by", "completionRate", "--ascending", "--search", "go", "--first", "7", "--after", "c")
	require.Equal(t, 0, exit, stderr)
	require.JSONEq(t, `{"nodes":[],"incomplete":true}`, stdout)
	require.Equal(t, map[string]any{
		"dimension": "CUSTOM_PROPERTY", "key": "tier", "orderBy": "COMPLETION_RATE", "ascending": true, "search": "go",
		"first": 7.0, "after": "c",
		"scope": map[string]any{
			"flowId": "flow-1", "environment": "TEST", "platform": "IOS", "segmentId": "s", "timeZone": "Europe/Berlin",
			"range":    map[string]any{"start": "2026-03-29T00:00:00+01:00", "end": "2026-03-30T00:00:00+02:00"},
			"versions": []any{"v1", "v2", "v3"}, "channels": []any{"ch_live_1"},
			"experimentId": "e", "variants": []any{"a"},
			"customProperty": map[string]any{"key": "tier", "values": []any{"gold", "a, b"}},
			"filters": map[string]any{
				"language":   map[string]any{"op": "IS_NOT", "values": []any{"de", "en"}},
				"appVersion": map[string]any{"op": "IS", "values": []any{"1.2"}},
			},
		},
	}, variables)
}

func TestFlowReportsRefuseWhatTheyDoNotKnow(t *testing.T) {
	for _, c := range []struct {
		want string
		args []string
	}{
		{"--dimension is required", []string{"cohorts", "f"}},
		{"--dimension must be", []string{"timeseries-cohorts", "f", "--dimension", "page"}},
		{"--grain must be", []string{"timeseries", "f", "--grain", "year"}},
		{"--id is required", []string{"run", "f"}},
		{"--second is required", []string{"compare", "f", "--first", "a"}},
		{"--by must be", []string{"retention", "f", "--by", "country"}},
		{"--cell", []string{"people-behind", "f", "--cell", "{"}},
		{"--custom must be", []string{"overview", "f", "--custom", "tier"}},
		{"--xf-op-os has no values", []string{"overview", "f", "--xf-op-os", "is"}},
		{"--start and --end", []string{"overview", "f", "--start", "2026-01-01"}},
		{"--first must be positive", []string{"recent", "f", "--first", "0"}},
		{"--output must be", []string{"funnel", "f", "-o", "chart"}},
		{"takes one app id", []string{"app-overview"}},
		{"takes one flow id", []string{"overview"}},
		{"unknown flag", []string{"app-overview", "a", "--versions", "v"}},
	} {
		exit, _, stderr, _ := served(t, `{}`, 200, append([]string{"analytics"}, c.args...)...)
		require.Equal(t, exitUsage, exit, c.args)
		require.Contains(t, stderr, c.want, c.args)
	}
}

func TestFlowReportsAsRows(t *testing.T) {
	_, stdout, _, variables := served(
		t, `{"data":{"app":{"appFlowOverview":{"nodes":[{"flowId":"f","name":"Plants","starts":3}],"totals":{"starts":3},
			"totalCount":1,"pageInfo":{"hasNextPage":false,"endCursor":null},"incomplete":false}}}}`, 200,
		"analytics", "app-overview", "app-1", "-o", "csv")
	require.Equal(t, "flowId,name,starts\nf,Plants,3\n", stdout)
	require.Equal(t, "app-1", variables["app"])
	_, stdout, _, _ = served(t, `{"data":{"flowAnalytics":{"timeseries":[{"bucket":"2026-01-01T00:00:00Z","starts":3}]}}}`, 200,
		"analytics", "timeseries", "f", "-o", "table")
	require.Contains(t, stdout, "starts")
	_, _, _, variables = served(t, `{"data":{"flowAnalytics":{"recent":{"nodes":[],"pageInfo":{"hasNextPage":false}}}}}`, 200,
		"analytics", "recent", "f", "--first", "500")
	require.InDelta(t, 200, variables["first"], 0, "a page has at most 200")
}
