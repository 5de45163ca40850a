package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/spf13/cobra"
)

// report is one command of `svc analytics product`.
type report struct {
	name, short string
	operation   string // document
	path        []string
	dimensions  []string // values of --dimension, in the names of interface.md §4.1
	orders      []string // values of --order-by; none: not a table
	metrics     []string // values of --metric, the first is the default
	grained     bool     // takes --grain
	drilled     bool     // takes --dimension and --value together
	curve       bool     // takes --days
	unscoped    bool     // takes environment, platform and segment only
	drawn       []string // columns that -o chart can draw, by --metric; the first is the default
	chart       []string // columns that -o chart draws; all unless named
}

var (
	sessionMetrics    = []string{"visitors", "sessions", "views", "events", "newVisitors", "bounceRate", "averageSessionSeconds", "viewsPerSession", "revenue"}
	engagementMetrics = append(slices.Clone(sessionMetrics), "averageSecondsOnPage", "entries", "exits", "exitRate")
	retentionColumns  = retentionOrders()

	attributionDimensions = []string{"acquisitionChannel", "referrer", "source", "campaign", "medium", "content", "term", "adset", "creative"}
	technologyDimensions  = []string{"browsers", "operatingSystems", "devices"}
	locationDimensions    = []string{"country", "region", "city"}
	engagementDimensions  = []string{"page", "entry", "exit"}
	retentionDimensions   = []string{"source", "campaign", "country", "platform", "device"}
)

func retentionOrders() []string {
	columns := []string{"visitors"}
	for _, day := range []int{1, 3, 7, 14, 30} {
		for _, column := range []string{"Returned", "Eligible", "Rate"} {
			columns = append(columns, fmt.Sprintf("day%d%s", day, column))
		}
	}
	return columns
}

func inScope(field string) []string { return []string{"app", "productAnalytics", field} }

var reports = []report{
	{name: "summary", short: "Overview totals, and those of the previous period", operation: "summary", path: inScope("summary")},
	{name: "series", short: "Overview chart", operation: "series", path: inScope("series"), grained: true, drawn: sessionMetrics},
	{name: "overview", short: "Overview ranked lists in one payload", operation: "overview", path: inScope("overview")},
	{name: "live", short: "Who is online, and where", operation: "live", path: []string{"app", "live"}, unscoped: true},
	{name: "attribution", short: "Acquisition table", operation: "attribution", path: inScope("attribution"), dimensions: attributionDimensions, orders: sessionMetrics},
	{name: "attribution-series", short: "Acquisition chart", operation: "attributionSeries", path: inScope("attributionSeries"), dimensions: attributionDimensions, metrics: sessionMetrics, grained: true},
	{name: "engagement", short: "Engagement table", operation: "engagement", path: inScope("engagement"), dimensions: engagementDimensions, orders: engagementMetrics},
	{name: "engagement-series", short: "Engagement chart", operation: "engagementSeries", path: inScope("engagementSeries"), dimensions: engagementDimensions, metrics: engagementMetrics, grained: true},
	{name: "screens", short: "Page and screen name totals", operation: "screens", path: inScope("screens"), orders: []string{"views", "visitors"}},
	{name: "events", short: "Events table", operation: "events", path: inScope("events"), orders: []string{"count", "visitors", "sessions", "lastSeen"}},
	{name: "events-series", short: "Events chart", operation: "eventsSeries", path: inScope("eventsSeries"), metrics: []string{"count", "visitors", "sessions"}, grained: true},
	{name: "retention", short: "Retention summary and breakdowns; with --dimension one breakdown as a table", operation: "retention", path: []string{"app", "productAnalytics"}},
	{name: "retention-series", short: "New and returning over time", operation: "retentionSeries", path: inScope("retentionSeries"), grained: true, drilled: true},
	{name: "retention-cohorts", short: "Cohort table", operation: "retentionCohorts", path: inScope("retentionCohorts"), grained: true, drilled: true, chart: []string{"size"}},
	{name: "retention-curve", short: "Return curve", operation: "retentionCurve", path: inScope("retentionCurve"), drilled: true, curve: true, chart: []string{"rate"}},
	{name: "demographic", short: "Location table", operation: "demographic", path: inScope("demographic"), dimensions: locationDimensions, orders: sessionMetrics},
	{name: "demographic-series", short: "Location chart", operation: "demographicSeries", path: inScope("demographicSeries"), dimensions: locationDimensions, metrics: sessionMetrics, grained: true},
	{name: "technology", short: "Technology table", operation: "technology", path: inScope("technology"), dimensions: technologyDimensions, orders: sessionMetrics},
	{name: "technology-series", short: "Technology chart", operation: "technologySeries", path: inScope("technologySeries"), dimensions: technologyDimensions, metrics: sessionMetrics, grained: true},
	{name: "visitors", short: "Visitor list", operation: "visitors", path: inScope("visitors"), orders: []string{"lastSeen", "firstSeen", "sessions", "views", "events", "revenueUsd"}},
}

// enumNames are dimension names whose enum value is not their own spelling.
var enumNames = map[string]string{"browsers": "BROWSER", "operatingSystems": "OPERATING_SYSTEM", "devices": "DEVICE"}

// enumName turns a name of the command line into the schema's enum value.
func enumName(name string) string {
	if special, ok := enumNames[name]; ok {
		return special
	}
	var out strings.Builder
	for _, r := range name {
		if unicode.IsUpper(r) {
			out.WriteByte('_')
		}
		out.WriteRune(unicode.ToUpper(r))
	}
	return out.String()
}

// readCommand makes a command that reads from a server: connection and output
// flags, and one positional app id.
func readCommand(t terminal, use, short string, ask func(context.Context, api, string, printer) error) *cobra.Command {
	var client clientFlags
	var out printer
	cmd := &cobra.Command{
		Use:               use + " <appId>",
		Short:             short,
		ValidArgsFunction: cobra.NoFileCompletions,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usageError("%s takes one app id", cmd.CommandPath())
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if !slices.Contains(outputs, out.format) {
				return usageError("--output must be %s, not %q", strings.Join(outputs, ", "), out.format)
			}
			if out.jq != "" && out.format != "json" {
				return usageError("--jq filters the JSON: leave --output out")
			}
			connection, err := client.resolve(t)
			if err != nil {
				return err
			}
			out.notes, out.color = t.err, t.colored()
			return ask(cmd.Context(), newAPI(connection), args[0], out)
		},
	}
	client.bind(cmd)
	cmd.Flags().StringVarP(&out.format, "output", "o", "json", "form of the output: "+strings.Join(outputs, ", "))
	_ = cmd.RegisterFlagCompletionFunc("output", cobra.FixedCompletions(outputs, cobra.ShellCompDirectiveNoFileComp)) // the flag exists
	cmd.Flags().StringVar(&out.jq, "jq", "", "filter the JSON with this jq program")
	return cmd
}

// command makes the command of a report.
func (r report) command(t terminal) *cobra.Command {
	var scope scopeFlags
	cmd := readCommand(t, r.name, r.short, func(ctx context.Context, server api, app string, out printer) error {
		asked, variables, err := r.variables(scope)
		if err != nil {
			return err
		}
		variables["app"] = app
		data, err := asked.read(ctx, server, variables, scope)
		if err != nil {
			return err
		}
		out.chart = asked.chart
		switch {
		case len(r.drawn) > 0:
			out.chart = []string{scope.text("metric")}
		case len(r.metrics) > 0:
			out.title = scope.text("metric")
		case len(asked.orders) > 0:
			out.chart = []string{firstOf(scope.text("order-by"), asked.orders[0])}
		}
		return out.print(t.out, data)
	})
	scope.bindWhere(cmd)
	if !r.unscoped {
		scope.bindRange(cmd)
		scope.bindFilters(cmd)
	}
	r.bindOwn(cmd)
	return cmd
}

// bindOwn adds the flags that not every report has.
func (r report) bindOwn(cmd *cobra.Command) {
	flags := cmd.Flags()
	if r.grained {
		choice(cmd, "grain", "day", "width of a bucket", grains)
	}
	if len(r.metrics) > 0 {
		choice(cmd, "metric", r.metrics[0], "what the chart shows", r.metrics)
	}
	if len(r.drawn) > 0 {
		choice(cmd, "metric", r.drawn[0], "what -o chart draws", r.drawn)
	}
	switch {
	case len(r.dimensions) > 0:
		choice(cmd, "dimension", "", "what to break down by, required", r.dimensions)
	case r.drilled:
		choice(cmd, "dimension", "", "with --value: only people whose first touch has the value", retentionDimensions)
		flags.String("value", "", "value of the dimension")
	case r.name == "retention":
		choice(cmd, "dimension", "", "only this breakdown, as a table", retentionDimensions)
		choice(cmd, "order-by", "visitors", "column that orders the rows", retentionColumns)
	}
	if r.curve {
		flags.Int("days", 30, "days after the first")
	}
	if len(r.orders) > 0 {
		choice(cmd, "order-by", "", "column that orders the rows", r.orders)
	}
	if len(r.orders) > 0 || r.name == "retention" {
		flags.Bool("ascending", false, "smallest first")
		flags.String("search", "", "only rows whose value contains this")
	}
	if len(r.orders) > 0 || r.name == "retention" || r.name == "live" {
		flags.Int("first", 50, "rows of a page; csv and jsonl get all rows unless this is given")
		flags.String("after", "", "endCursor of the page before")
	}
}

// variables reads the flags. The report that comes back is the one to ask for:
// retention with a dimension is another document.
func (r report) variables(f scopeFlags) (report, map[string]any, error) {
	var variables map[string]any
	var err error
	if r.unscoped {
		variables, err = f.where()
	} else {
		var scope map[string]any
		scope, err = f.scope()
		variables = map[string]any{"scope": scope}
	}
	if err != nil {
		return r, nil, err
	}
	if r.grained {
		if variables["grain"], err = f.chosen("grain", grains); err != nil {
			return r, nil, err
		}
	}
	if len(r.metrics) > 0 {
		metric, err := f.oneOf("metric", r.metrics)
		if err != nil {
			return r, nil, err
		}
		variables["metric"] = enumName(metric)
	}
	if len(r.drawn) > 0 {
		if _, err := f.oneOf("metric", r.drawn); err != nil {
			return r, nil, err
		}
		if f.set.Changed("metric") && f.text("output") != "chart" {
			return r, nil, usageError("--metric is what -o chart draws: the other forms have every metric")
		}
	}
	if r.curve {
		days, err := f.set.GetInt("days")
		if err != nil {
			return r, nil, err
		}
		variables["days"] = days
	}
	if r, err = r.dimension(f, variables); err != nil {
		return r, nil, err
	}
	return r, variables, r.page(f, variables)
}

func (f scopeFlags) oneOf(name string, values []string) (string, error) {
	if _, err := f.chosen(name, values); err != nil {
		return "", err
	}
	return f.text(name), nil
}

func (r report) dimension(f scopeFlags, variables map[string]any) (report, error) {
	switch {
	case len(r.dimensions) > 0:
		name, err := f.oneOf("dimension", r.dimensions)
		if err != nil {
			return r, err
		}
		if name == "" {
			return r, usageError("--dimension is required: %s", strings.Join(r.dimensions, ", "))
		}
		variables["dimension"] = enumName(name)
	case r.drilled:
		name, err := f.oneOf("dimension", retentionDimensions)
		if err != nil {
			return r, err
		}
		if (name == "") == f.set.Changed("value") {
			return r, usageError("--dimension and --value go together")
		}
		if name != "" {
			variables["drill"] = map[string]any{"dimension": enumName(name), "value": f.text("value")}
		}
	case r.name == "retention":
		name, err := f.oneOf("dimension", retentionDimensions)
		if err != nil {
			return r, err
		}
		for _, flag := range []string{"order-by", "ascending", "search", "first", "after"} {
			if name == "" && f.set.Changed(flag) {
				return r, usageError("--%s is of one breakdown: give --dimension", flag)
			}
		}
		if name != "" {
			r.operation, r.path, r.orders = "retentionBreakdown", inScope("retentionBreakdown"), retentionColumns
			variables["dimension"] = enumName(name)
		}
	}
	return r, nil
}

// page reads the flags of a table.
func (r report) page(f scopeFlags, variables map[string]any) error {
	if len(r.orders) == 0 && r.name != "live" {
		return nil
	}
	first, err := f.set.GetInt("first")
	if err != nil {
		return err
	}
	if first < 1 {
		return usageError("--first must be positive, not %d", first)
	}
	if variables["first"] = first; r.name == "live" && r.rows(f) {
		variables["first"] = maxRows
	}
	if after := f.text("after"); after != "" {
		variables["after"] = after
	}
	if len(r.orders) == 0 {
		return nil
	}
	order, err := f.oneOf("order-by", r.orders)
	if err != nil {
		return err
	}
	if order != "" {
		variables["orderBy"] = enumName(order)
	}
	if search := f.text("search"); search != "" {
		variables["search"] = search
	}
	variables["ascending"], err = f.set.GetBool("ascending")
	return err
}

const (
	exportPage = 1000   // the page size of a whole table
	maxRows    = 10_000 // the largest page of a table
)

// rows tells whether all rows of a table are written for a program to read.
func (r report) rows(f scopeFlags) bool {
	form := f.text("output")
	return (form == "csv" || form == "jsonl") && !f.set.Changed("first") && !f.set.Changed("after")
}

// read asks for the report: one page, or all pages of a table that is written
// as rows.
func (r report) read(ctx context.Context, server api, variables map[string]any, f scopeFlags) (json.RawMessage, error) {
	if len(r.orders) == 0 || !r.rows(f) {
		return server.query(ctx, r.operation, variables, r.path...)
	}
	return readPages(ctx, server, r.operation, variables, r.path, exportPage, math.MaxInt)
}

// readPages follows the cursors of a table, a page at a time, until it has so many
// rows. What one page holds is answered as it is, more as {"nodes": […]} with the
// end of the last page.
func readPages(ctx context.Context, server api, operation string, variables map[string]any, path []string, page, rows int) (json.RawMessage, error) {
	var nodes [][]byte
	for {
		variables["first"] = min(page, rows-len(nodes))
		data, err := server.query(ctx, operation, variables, path...)
		if err != nil {
			return nil, err
		}
		var answer struct {
			Nodes    []json.RawMessage
			PageInfo struct {
				HasNextPage bool    `json:"hasNextPage"`
				EndCursor   *string `json:"endCursor"`
			}
		}
		if err := json.Unmarshal(data, &answer); err != nil {
			return nil, fmt.Errorf("read answer: %w", err)
		}
		for _, node := range answer.Nodes {
			nodes = append(nodes, node)
		}
		if answer.PageInfo.HasNextPage && answer.PageInfo.EndCursor != nil && len(nodes) < rows {
			variables["after"] = *answer.PageInfo.EndCursor
			continue
		}
		if len(nodes) == len(answer.Nodes) {
			return data, nil
		}
		info, err := json.Marshal(answer.PageInfo)
		if err != nil {
			return nil, err
		}
		return slices.Concat([]byte(`{"nodes":[`), bytes.Join(nodes, []byte(",")), []byte(`],"pageInfo":`), info, []byte("}")), nil
	}
}
