package main

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/parser"
	"github.com/vektah/gqlparser/v2/validator/rules"
)

func loadSchema(t *testing.T) *ast.Schema {
	t.Helper()
	var sources []*ast.Source
	for _, pattern := range []string{"schema.graphql", "resolvers/*.graphql", "graph/*.graphql"} {
		paths, err := filepath.Glob(filepath.Join("..", "..", pattern))
		require.NoError(t, err)
		for _, path := range paths {
			content, err := os.ReadFile(path)
			require.NoError(t, err)
			sources = append(sources, &ast.Source{Name: path, Input: string(content)})
		}
	}
	schema, err := gqlparser.LoadSchema(sources...)
	require.NoError(t, err)
	return schema
}

func TestDocumentsFitTheSchema(t *testing.T) {
	_, errs := gqlparser.LoadQueryWithRules(loadSchema(t), documents, rules.NewDefaultRules())
	require.Empty(t, errs)
	files, err := filepath.Glob("documents/*.graphql")
	require.NoError(t, err)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		parsed, err := parser.ParseQuery(&ast.Source{Name: file, Input: string(text)})
		require.NoError(t, err)
		for _, operation := range parsed.Operations {
			_, err := document(operation.Name)
			require.NoError(t, err, file)
		}
	}
}

// Every name that the command line takes must be a value of the enum that its
// document's variable has.
func TestNamesFitTheSchema(t *testing.T) {
	schema := loadSchema(t)
	parsed, err := parser.ParseQuery(&ast.Source{Input: documents})
	require.NoError(t, err)
	check := func(list pagedList, variable string, names []string) {
		t.Helper()
		if len(names) == 0 {
			return
		}
		operation := parsed.Operations.ForName(list.operation)
		require.NotNil(t, operation, list.operation)
		definition := operation.VariableDefinitions.ForName(variable)
		require.NotNil(t, definition, "%s has no $%s", list.operation, variable)
		enum := schema.Types[definition.Type.Name()]
		var values []string
		for _, value := range enum.EnumValues {
			values = append(values, value.Name)
		}
		var asked []string
		for _, name := range names {
			asked = append(asked, enumName(name))
		}
		require.ElementsMatch(t, values, asked, "%s: $%s and %s", list.operation, variable, enum.Name)
	}
	for _, r := range productReports {
		check(r.list, "dimension", r.dimensions)
		check(r.list, "orderBy", r.orders)
		check(r.list, "metric", r.metrics)
		if b := r.breakdown; b != nil {
			check(b.list, "dimension", b.dimensions)
			check(b.list, "orderBy", b.orders)
		}
	}
	columns := schema.Types["ColumnFilters"].Fields
	require.Len(t, columns, len(columnFilters))
	for _, c := range columnFilters {
		require.NotNil(t, columns.ForName(c[1]), c[1])
	}
	cross := schema.Types["CrossFilters"].Fields
	require.Len(t, cross, len(crossFilters))
	for _, x := range crossFilters {
		want := map[bool]string{true: "TextFilter", false: "ExactFilter"}[x.text]
		require.Equal(t, want, cross.ForName(x.member).Type.Name(), x.member)
	}
}

// served runs one command line against a server that records the request.
func served(
	t *testing.T, answer string, status int, args ...string,
) (exit int, stdout, stderr string, variables map[string]any) {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body struct {
			Query     string
			Variables map[string]any
		}
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			t.Error(err)
		}
		_, errs := gqlparser.LoadQueryWithRules(loadSchema(t), body.Query, rules.NewDefaultRules())
		if len(errs) > 0 {
			t.Error(errs)
		}
		variables = body.Variables
		w.WriteHeader(status)
		_, _ = w.Write([]byte(answer))
	}))
	defer server.Close()
	var out, errs bytes.Buffer
	exit = run(context.Background(), args, terminal{
		in: strings.NewReader(""), out: &out, err: &errs,
		environ: []string{
			"SVC_API_URL=" + server.URL, "SVC_API_KEY=svc_wk_x", "SVC_CONFIG_PATH=" + filepath.Join(t.TempDir(), "none.json"),
		},
	})
	return exit, out.String(), errs.String(), variables
}

func TestFlagsBecomeTheScope(t *testing.T) {
	exit, stdout, stderr, variables := served(t, `{"data":{"app":{"productAnalytics":{"attribution":{"nodes":[]}}}}}`, 200,
		"analytics", "product", "attribution", "app-1", "--dimension", "acquisitionChannel", "--env", "test", "--platform",
		"mobile",
		"--start", "2026-03-29", "--end", "2026-03-30", "--time-zone", "Europe/Berlin", "--source", "", "--operating-systems",
		"iOS",
		"--xf-campaign", `spring,"a, b"`, "--xf-campaign", "x", "--xf-op-campaign", "contains", "--xf-country", "",
		"--revenue-provider", "stripe",
		"--order-by", "newVisitors", "--ascending", "--search", "goo", "--first", "7", "--after", "c", "--segment-id", "s")
	require.Equal(t, 0, exit, stderr)
	require.Equal(t, "{\n  \"nodes\": []\n}\n", stdout)
	require.Equal(t, map[string]any{
		"app": "app-1", "dimension": "ACQUISITION_CHANNEL", "orderBy": "NEW_VISITORS", "ascending": true, "search": "goo",
		"first": 7.0, "after": "c",
		"scope": map[string]any{
			"environment": "TEST", "platform": "MOBILE", "segmentId": "s", "timeZone": "Europe/Berlin",
			"revenueProvider": "STRIPE",
			// The clocks go forward on that day.
			"range":   map[string]any{"start": "2026-03-29T00:00:00+01:00", "end": "2026-03-30T00:00:00+02:00"},
			"columns": map[string]any{"source": "", "os": "iOS"},
			"cross": map[string]any{
				"campaign": map[string]any{"op": "CONTAINS", "values": []any{"spring", "a, b", "x"}},
				"country":  map[string]any{"op": "IS", "values": []any{""}},
			},
		},
	}, variables)
}

// A value is what stands between two commas or two quotes, spaces included.
func TestCrossFiltersKeepSpaces(t *testing.T) {
	for text, want := range map[string][]any{
		" google":            {" google"},
		`" google"`:          {" google"},
		`"big sale "`:        {"big sale "},
		`" "`:                {" "},
		"a, b":               {"a", " b"},
		`x," y, z ",`:        {"x", " y, z ", ""},
		`"say ""hi"" ",b`:    {`say "hi" `, "b"},
		"\tspaced\u00a0out ": {"\tspaced\u00a0out "},
	} {
		exit, _, stderr, variables := served(t, `{"data":{"app":{"productAnalytics":{"summary":{}}}}}`, 200,
			"analytics", "product", "summary", "app-1", "--xf-campaign", text, "--xf-op-campaign", "contains")
		require.Zero(t, exit, stderr)
		scope := variables["scope"].(map[string]any)
		require.Equal(t, map[string]any{"op": "CONTAINS", "values": want}, scope["cross"].(map[string]any)["campaign"], text)
	}
}

func TestUsageErrorsNameTheFlag(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"summary", "one app id"},
		{"summary a b", "one app id"},
		{"summary a --start 2026-01-01", "--start and --end go together"},
		{"summary a --start yesterday --end 2026-01-01", "--start must be a date"},
		{"summary a --start 2026-01-01 --end 2026-01-02 --time-zone Mars/Base", "--time-zone"},
		{"summary a --env prod", "--env must be live, test"},
		{"summary a --platform tv", "--platform"},
		{"summary a --xf-op-page contains", "--xf-op-page has no values"},
		{"summary a --xf-os iOS --xf-op-os contains", "--xf-op-os must be is, is_not"},
		{"summary a --xf-page /a\"b\"", "as in CSV"},
		{"summary a --grain day", "unknown flag: --grain"},
		{"series a --grain year", "--grain"},
		{"attribution a", "--dimension is required"},
		{"attribution a --dimension city", "--dimension must be"},
		{"attribution a --dimension source --order-by rank", "--order-by"},
		{"attribution a --dimension source --first 0", "--first"},
		{"retention-curve a --dimension source", "--dimension and --value go together"},
		{"retention-curve a --value x", "--dimension and --value go together"},
		{"recent a", "--name is required"},
		{"paths a", "--anchor is required"},
		{"paths a --anchor flow:x", "--anchor is required"},
		{"paths a --anchor page:/ --kinds flow", "--kinds: unknown kind"},
		{"retention a --order-by day1Rate", "--order-by is of one breakdown"},
		{"retention a --first 3", "--first is of one breakdown"},
		{"series a --metric views", "--metric is what -o chart draws"},
		{"summary a --jq .visitors -o csv", "--jq filters the JSON"},
		{"summary a --platform", "flag needs an argument"},
		{"summary a -o yaml", "--output must be"},
		{"nothing a", "no command"},
	} {
		exit, _, stderr, _ := served(t, "{}", 200, append([]string{"analytics", "product"}, strings.Fields(c.args)...)...)
		require.Equal(t, exitUsage, exit, c.args)
		require.Contains(t, stderr, c.want, c.args)
		require.True(t, json.Valid([]byte(stderr)), stderr)
	}
}

func TestExitCodes(t *testing.T) {
	for _, c := range []struct {
		answer string
		status int
		exit   int
		code   string
	}{
		{`{"errors":[{"message":"no","extensions":{"code":"unauthenticated"}}]}`, 200, exitAuth, "unauthenticated"},
		{`{"errors":[{"message":"no","extensions":{"code":"forbidden"}}]}`, 200, exitAuth, "forbidden"},
		{
			`{"errors":[{"message":"later","extensions":{"code":"product_analytics_unavailable"}}]}`, 503, exitRetryable,
			"product_analytics_unavailable",
		},
		{`{"errors":[{"message":"bad","extensions":{"code":"invalid_input"}}]}`, 200, exitUsage, "invalid_input"},
		{`{"errors":[{"message":"none","extensions":{"code":"not_found"}}]}`, 200, exitError, "not_found"},
		{`<html>`, 502, exitRetryable, "unavailable"},
		{`<html>`, 403, exitAuth, "unauthenticated"},
		{`{"code":"misdirected_request","message":"role reports"}`, 421, exitError, "misdirected_request"},
		{`{"code":"misdirected_request","message":"role reports"}`, 421, exitError, "421 Misdirected Request: role reports"},
		{`{"code":"ingest_unavailable","message":"starting"}`, 503, exitRetryable, "503 Service Unavailable: starting"},
		{`{}`, 200, exitError, "answered 200 OK"},
	} {
		exit, stdout, stderr, _ := served(t, c.answer, c.status, "analytics", "product", "summary", "a")
		require.Equal(t, c.exit, exit, c.answer)
		require.Contains(t, stderr, c.code)
		require.Empty(t, stdout)
	}
	var errs bytes.Buffer
	exit := run(context.Background(), []string{
		"analytics", "product", "summary", "a", "--api-url", "http://127.0.0.1:1", "--api-key", "k",
	},
		terminal{out: &errs, err: &errs, environ: []string{"SVC_CONFIG_PATH=/nowhere/config.json"}})
	require.Equal(t, exitRetryable, exit)
	exit = run(context.Background(), []string{"analytics", "product", "summary", "a"},
		terminal{out: &errs, err: &errs, environ: []string{"SVC_CONFIG_PATH=/nowhere/config.json"}})
	require.Equal(t, exitAuth, exit)
}

const table1 = `{"data":{"app":{"productAnalytics":{"attribution":{"nodes":[
	{"value":"google, inc","visitors":12,"bounceRate":0.25},{"value":"","visitors":3,"bounceRate":null}],
	"totalCount":2,"pageInfo":{"hasNextPage":false,"endCursor":null}}}}}}`

func TestForms(t *testing.T) {
	ask := func(args ...string) string {
		t.Helper()
		exit, stdout, stderr, _ := served(
			t, table1, 200, append([]string{"analytics", "product", "attribution", "a", "--dimension", "source"}, args...)...,
		)
		require.Equal(t, 0, exit, stderr)
		return stdout
	}
	require.Equal(t, "value,visitors,bounceRate\n\"google, inc\",12,0.25\n,3,\n", ask("-o", "csv"))
	require.Equal(
		t,
		"{\"value\":\"google, "+
			"inc\",\"visitors\":12,\"bounceRate\":0.25}\n{\"value\":\"\",\"visitors\":3,\"bounceRate\":null}\n",
		ask("-o", "jsonl"),
	)
	require.Equal(t, "15\n", ask("--jq", "[.nodes[].visitors] | add"))
	_, exact, _, _ := served(t, `{"data":{"app":{"productAnalytics":{"summary":{"orderId":9007199254740993,"revenue":1.10,"e":1e-7}}}}}`, 200,
		"analytics", "product", "summary", "a", "--jq", ".orderId, .orderId + 1, .")
	require.Equal(
		t, "9007199254740993\n9007199254740994\n{\"e\":1e-7,\"orderId\":9007199254740993,\"revenue\":1.10}\n", exact,
	)
	table := ask("-o", "table")
	require.Contains(t, table, "google, inc")
	require.Contains(t, table, "bounceRate")

	series := `{"data":{"app":{"productAnalytics":{"attributionSeries":[
		{"value":"a","points":[{"bucket":"2026-01-01T00:00:00Z","value":1},{"bucket":"2026-01-02T00:00:00Z","value":4}]},
		{"value":"b","points":[{"bucket":"2026-01-01T00:00:00Z","value":2},{"bucket":"2026-01-02T00:00:00Z","value":0}]}]}}}}`
	exit, chart, stderr, _ := served(
		t, series, 200, "analytics", "product", "attribution-series", "a", "--dimension", "source", "-o", "chart",
	)
	require.Equal(t, 0, exit, stderr)
	require.Contains(t, chart, "┤")
	require.Contains(t, chart, "visitors, 2026-01-01T00:00:00Z to 2026-01-02T00:00:00Z")
	require.Contains(t, chart, "\n  a  a\n  b  b\n", "a line has a letter where there are no colors")
	require.NotContains(t, chart, "\x1b")
	exit, rows, _, _ := served(
		t, series, 200, "analytics", "product", "attribution-series", "a", "--dimension", "source", "-o", "csv",
	)
	require.Equal(t, 0, exit)
	require.True(t, strings.HasPrefix(rows, "value,points.bucket,points.value\n"), rows)
	require.True(t, slices.Contains(strings.Split(rows, "\n"), "b,2026-01-02T00:00:00Z,0"), rows)
}
