package main

import (
	"context"
	"encoding/json"
	"math"
	"strings"

	"github.com/spf13/cobra"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/analytics/flow"
)

// flowReport is one command of `svc analytics` that reads the runs of a flow. Lists of names are those of the engine; a
// test holds them against the schema's enums.
type flowReport struct {
	name, short string
	list        pagedList
	orders      []string // values of --order-by; none: not a table
	page        int      // the largest page of a list that is read whole; 0: no list
	rows        int      // of a list unless --first says otherwise; 0: a page of 50, or all as csv or jsonl
	dimension   bool     // --dimension, required, and --key
	grain       bool     // --grain
	chart       []string // columns that -o chart draws; none: there is no chart
	more        []flowFlag
}

// flowFlag is a flag that becomes a variable of the document.
type flowFlag struct {
	name, fallback, usage, variable string
	values                          []string // closed list; none: any text
	required                        bool
	read                            func(text string) (any, error) // nil: the text, or the enum's name of one of values
}

// flowFilters are the dimensions of --xf-… for flows, and their members of FlowFilters.
var flowFilters = []crossFilter{
	{"locale", "locale", false}, {"language", "language", false}, {"country", "country", false},
	{"region", "region", false}, {"app-version", "appVersion", false}, {"device", "device", false},
	{"browser", "browser", false}, {"os", "os", false}, {"channel", "acquisitionChannel", false},
	{"source", "source", false}, {"medium", "medium", false}, {"campaign", "campaign", false},
}

var (
	cohortDimensions = nameList(flow.CohortDimensions)
	flowSides        = nameList([]analytics.Dimension{flow.Version, flow.Variant})
	cohortMetrics    = metricNames(flow.CohortMetrics)
	appFlowMetrics   = metricNames(flow.AppOverviewMetrics)
	responseMetrics  = []string{"answered", "skipped"}
)

func ofFlow(operation, field string) pagedList {
	return pagedList{operation: operation, path: []string{"flowAnalytics", field}}
}

var flowReports = []flowReport{
	{name: "overview", short: "How many came, completed and paid, and the same of the previous period",
		list: ofFlow("flowOverview", "overview")},
	{name: "timeseries", short: "Starts, completions and revenue over time",
		list: ofFlow("flowTimeseries", "timeseries"), grain: true, chart: []string{"starts", "completions"}},
	{name: "funnel", short: "The way of runs through the steps", list: ofFlow("flowFunnel", "funnel")},
	{name: "dropoff", short: "Steps that lose more runs than others", list: ofFlow("flowDropoff", "dropoff")},
	{name: "step-duration", short: "How long visits of each step took", list: ofFlow("flowStepDuration", "stepDuration")},
	{name: "cohorts", short: "Figures by a dimension", list: ofFlow("flowCohorts", "cohorts"), dimension: true,
		orders: cohortMetrics, page: exportPage, chart: []string{"starts"}},
	{name: "cohort-keys", short: "Custom properties of the runs", list: ofFlow("flowCohortKeys", "cohortKeys")},
	{name: "timeseries-cohorts", short: "The ten largest values of a dimension over time",
		list: ofFlow("flowTimeseriesCohorts", "timeseriesCohorts"), dimension: true, grain: true},
	{name: "cvr-heatmap", short: "Conversion by two dimensions", list: ofFlow("flowHeatmap", "heatmap"),
		more: []flowFlag{
			{name: "row", variable: "row", fallback: "language", usage: "dimension of the rows", values: cohortDimensions},
			{name: "row-key", variable: "rowKey", usage: "custom property of --row customProperty"},
			{name: "column", variable: "column", fallback: "platform", usage: "dimension of the columns",
				values: cohortDimensions},
			{name: "column-key", variable: "columnKey", usage: "custom property of --column customProperty"},
		}},
	{name: "purchases", short: "Paywall presentations and purchases", list: ofFlow("flowPurchases", "purchases")},
	{name: "responses", short: "What users answered, by field", list: ofFlow("flowResponses", "responses"),
		orders: responseMetrics, page: exportPage},
	{name: "recent", short: "Newest runs", list: ofFlow("flowRecent", "recent"), page: recentPage, rows: 50},
	{name: "run", short: "One run with every event that it recorded", list: ofFlow("flowRun", "run"),
		more: []flowFlag{{name: "id", variable: "id", usage: "id of the run, as recent prints it", required: true}}},
	{name: "retention", short: "Retention after the first run, by version or variant",
		list: ofFlow("flowRetention", "retention"),
		more: []flowFlag{
			{name: "by", variable: "by", fallback: "version", usage: "what tells users apart", values: flowSides},
		}},
	{name: "compare", short: "Two versions or variants side by side", list: ofFlow("flowCompare", "compare"),
		more: []flowFlag{
			{name: "by", variable: "by", fallback: "version", usage: "what is compared", values: flowSides},
			{name: "first", variable: "one", usage: "id of a version or key of a variant", required: true},
			{name: "second", variable: "other", usage: "the other one", required: true},
		}},
	{name: "people-behind", short: "The users of a cell of any report", list: ofFlow("flowPeopleBehind", "peopleBehind"),
		page: exportPage, more: []flowFlag{{name: "cell", variable: "cell", fallback: "{}", read: readObject,
			usage: `what the runs of the cell have in common, a JSON object as GraphQL's FlowCell: {"figure": "DROPPED"}`}}},
}

// appOverview is the report of all flows of an app.
var appOverview = flowReport{
	name: "app-overview", short: "The flows of an app side by side",
	list:   pagedList{operation: "appFlowOverview", path: []string{"app", "appFlowOverview"}},
	orders: appFlowMetrics, page: exportPage, chart: []string{"starts"},
}

// command makes the command of a report.
func (r flowReport) command(t terminal) *cobra.Command {
	var scope flowScopeFlags
	subject, variable := "flowId", "flow"
	if r.name == appOverview.name {
		subject, variable = "appId", "app"
	}
	forms := rowOutputs
	if len(r.chart) > 0 {
		forms = outputs
	}
	cmd := clientCommand{use: r.name, short: r.short, arguments: []string{subject}, outputs: forms}.command(t,
		func(ctx context.Context, server api, args []string, out printer) error {
			variables, err := r.variables(scope)
			if err != nil {
				return err
			}
			asked, err := scope.scope(variable == "flow")
			if err != nil {
				return err
			}
			if variables["scope"] = asked; variable == "flow" {
				asked["flowId"] = args[0]
			} else {
				variables["app"] = args[0]
			}
			data, err := r.read(ctx, server, variables, scope)
			if err != nil {
				return err
			}
			out.chart = r.chart
			return out.print(t.out, data)
		})
	scope.bindWhere(cmd)
	scope.bindRange(cmd)
	scope.bindRuns(cmd, variable == "flow")
	r.bindFlags(cmd)
	return cmd
}

func (r flowReport) bindFlags(cmd *cobra.Command) {
	if r.grain {
		choice(cmd, "grain", "day", "width of a bucket", grains)
	}
	if r.dimension {
		choice(cmd, "dimension", "", "what to break down by, required", cohortDimensions)
		cmd.Flags().String("key", "", "custom property of --dimension customProperty")
	}
	for _, f := range r.more {
		if len(f.values) > 0 {
			choice(cmd, f.name, f.fallback, f.usage, f.values)
		} else {
			cmd.Flags().String(f.name, f.fallback, f.usage)
		}
	}
	if len(r.orders) > 0 {
		choice(cmd, "order-by", "", "column that orders the rows", r.orders)
		cmd.Flags().Bool("ascending", false, "smallest first")
		cmd.Flags().String("search", "", "only rows whose value contains this")
	}
	if r.page > 0 {
		usage := "rows of a page; csv and jsonl get all rows unless this is given"
		if r.rows > 0 {
			usage = "rows, as many as wanted"
		}
		cmd.Flags().Int("first", 50, usage)
		cmd.Flags().String("after", "", "endCursor of the page before")
	}
}

// variables reads the flags that are none of the scope.
func (r flowReport) variables(f flowScopeFlags) (map[string]any, error) {
	table := productReport{orders: r.orders, flags: reportFlagSet{grain: r.grain}}
	if r.dimension {
		table.dimensions = cohortDimensions
	}
	if r.page > 0 && len(r.orders) == 0 {
		table.list.member = "nodes" // a list without an order
	}
	variables := map[string]any{}
	for _, read := range []func(scopeFlags, map[string]any) error{
		table.readGrain, table.readDimension, table.readPage, table.readOrder,
	} {
		if err := read(f.scopeFlags, variables); err != nil {
			return nil, err
		}
	}
	if r.dimension && f.text("key") != "" {
		variables["key"] = f.text("key")
	}
	for _, flag := range r.more {
		if err := flag.into(f.scopeFlags, variables); err != nil {
			return nil, err
		}
	}
	return variables, nil
}

// into reads the flag into the variables.
func (f flowFlag) into(flags scopeFlags, variables map[string]any) error {
	text, err := flags.oneOf(f.name, f.values)
	if len(f.values) == 0 {
		text, err = flags.text(f.name), nil
	}
	switch {
	case err != nil:
		return err
	case text == "" && f.required:
		return usageError("--%s is required: %s", f.name, f.usage)
	case text == "":
		return nil
	case len(f.values) > 0:
		variables[f.variable] = enumName(text)
		return nil
	case f.read == nil:
		variables[f.variable] = text
		return nil
	}
	value, err := f.read(text)
	if err != nil {
		return usageError("--%s: %s", f.name, err)
	}
	variables[f.variable] = value
	return nil
}

func readObject(text string) (any, error) {
	var object map[string]any
	err := json.Unmarshal([]byte(text), &object)
	return object, err
}

// read asks for the report: one page, all pages of a list that is written as rows, or as many rows as are wanted.
func (r flowReport) read(
	ctx context.Context, server api, variables map[string]any, f flowScopeFlags,
) (json.RawMessage, error) {
	switch {
	case r.rows > 0:
		first, err := f.set.GetInt("first")
		if err != nil {
			return nil, err
		}
		return r.list.readAll(ctx, server, variables, r.page, first)
	case r.page > 0 && wantsAllRows(f.scopeFlags):
		return r.list.readAll(ctx, server, variables, r.page, math.MaxInt)
	}
	return server.query(ctx, r.list.operation, variables, r.list.path...)
}

// flowScopeFlags are the flags of FlowAnalyticsScope and AppFlowScope.
type flowScopeFlags struct {
	scopeFlags
	channels, versions, variants *[]string
}

// bindRuns adds the flags that choose runs; of one flow those of its versions and arms too.
func (f *flowScopeFlags) bindRuns(cmd *cobra.Command, ofOneFlow bool) {
	f.channels, f.versions, f.variants = new([]string), new([]string), new([]string)
	f.set.StringArrayVar(f.channels, "channels", nil, "only runs of these channels; repeat or separate by commas")
	if ofOneFlow {
		f.set.StringArrayVar(f.versions, "versions", nil, "only runs of these versions, by id")
		f.set.String("experiment", "", "only runs of this experiment, by id")
		f.set.StringArrayVar(f.variants, "variants", nil, "only these variants of --experiment, by key")
	}
	f.set.String("custom", "", "only runs whose custom property has one of the values: key=value,value")
	f.crossValues = map[string]*[]string{}
	for _, x := range flowFilters {
		values := new([]string)
		f.crossValues[x.flag] = values
		f.set.StringArrayVar(
			values, "xf-"+x.flag, nil, "filter on "+x.member+"; repeat or separate by commas, quote as in CSV",
		)
		choice(cmd, "xf-op-"+x.flag, "is", "operator of --xf-"+x.flag, exactOperators)
	}
}

// scope returns the input of all flags but the flow's id.
func (f flowScopeFlags) scope(ofOneFlow bool) (map[string]any, error) {
	scope, err := f.where()
	if err != nil {
		return nil, err
	}
	dates, err := f.dates()
	if err != nil {
		return nil, err
	}
	if dates != nil {
		scope["range"] = dates
	}
	scope["timeZone"] = f.text("time-zone")
	for _, list := range []struct {
		name  string
		texts *[]string
	}{{"channels", f.channels}, {"versions", f.versions}, {"variants", f.variants}} {
		values, err := splitAll(list.name, *list.texts)
		if err != nil {
			return nil, err
		}
		if len(values) > 0 {
			scope[list.name] = values
		}
	}
	if ofOneFlow && f.text("experiment") != "" {
		scope["experimentId"] = f.text("experiment")
	}
	if custom := f.text("custom"); custom != "" {
		key, list, found := strings.Cut(custom, "=")
		values, err := splitValues(list)
		if !found || key == "" || err != nil {
			return nil, usageError("--custom must be key=value,value with values as in CSV, not %q", custom)
		}
		scope["customProperty"] = map[string]any{"key": key, "values": values}
	}
	filters, err := f.crossOf(flowFilters)
	if err != nil {
		return nil, err
	}
	if len(filters) > 0 {
		scope["filters"] = filters
	}
	return scope, nil
}
