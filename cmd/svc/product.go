package main

import (
	"context"
	"slices"
	"strings"
	"unicode"

	"github.com/spf13/cobra"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/analytics/report"
)

// productReport is one command of `svc analytics product`. Lists of names are
// those of the engine; a test holds them against the schema's enums.
type productReport struct {
	name, short string
	list        pagedList     // what the command asks for; its pages matter to tables and to live
	breakdown   *breakdown    // the table that --dimension asks for instead, if any
	dimensions  []string      // values of --dimension, which is required
	orders      []string      // values of --order-by; none: not a table
	metrics     []string      // values of --metric, the first is the default
	drawn       []string      // columns that -o chart can draw, by --metric; the first is the default
	chart       []string      // columns that -o chart draws; all unless named
	flags       reportFlagSet // flags that only some reports have
}

// reportFlagSet tells which flags a report takes beside the scope.
type reportFlagSet struct {
	grain  bool // --grain
	drill  bool // --dimension and --value together
	days   bool // --days
	where  bool // of the scope only environment, platform and segment
	user   bool // --user, and pages
	goal   bool // --goal
	paths  bool // those of paths
	funnel bool // --funnel
	step   bool // --step and --outcome
}

// breakdown is a table by dimension of a report that is none itself.
type breakdown struct {
	list       pagedList
	dimensions []string
	orders     []string // the first is the default
}

var (
	attributionDimensions = nameList(analytics.AttributionDimensions)
	technologyDimensions  = []string{"browsers", "operatingSystems", "devices"} // as interface.md §4.1 names them
	locationDimensions    = nameList(analytics.LocationDimensions)
	engagementDimensions  = nameList(analytics.EngagementDimensions)
	goalDimensions        = nameList(report.GoalDimensions)
	retentionDimensions   = nameList(analytics.RetentionDimensions)

	sessionMetrics    = metricNames(report.SessionMetrics)
	engagementMetrics = metricNames(report.SessionMetrics, report.PageMetrics)
	retentionColumns  = metricNames(report.RetentionMetrics())
)

// metricNames returns the names in some lists of metrics, each once.
func metricNames(lists ...[]report.Metric) []string {
	var names []string
	for _, metric := range slices.Concat(lists...) {
		if !slices.Contains(names, string(metric)) {
			names = append(names, string(metric))
		}
	}
	return names
}

func nameList[D ~string](dimensions []D) []string {
	names := make([]string, len(dimensions))
	for i, d := range dimensions {
		names[i] = string(d)
	}
	return names
}

func lower(names []string) []string {
	for i := range names {
		names[i] = strings.ToLower(names[i])
	}
	return names
}

// inScope returns an operation of the same name as its field of ProductAnalytics.
func inScope(field string) pagedList {
	return pagedList{operation: field, path: []string{"app", "productAnalytics", field}}
}

var (
	grained  = reportFlagSet{grain: true}
	arrivals = reportFlagSet{grain: true, drill: true}
)

var productReports = []productReport{
	{name: "summary", short: "Overview totals, and those of the previous period", list: inScope("summary")},
	{name: "series", short: "Overview chart", list: inScope("series"), flags: grained, drawn: sessionMetrics},
	{name: "overview", short: "Overview ranked lists in one payload", list: inScope("overview")},
	{name: "live", short: "Who is online, and where",
		list:  pagedList{operation: "live", path: []string{"app", "live"}, member: "people"},
		flags: reportFlagSet{where: true}},
	{name: "attribution", short: "Acquisition table", list: inScope("attribution"),
		dimensions: attributionDimensions, orders: sessionMetrics},
	{name: "attribution-series", short: "Acquisition chart", list: inScope("attributionSeries"),
		dimensions: attributionDimensions, metrics: sessionMetrics, flags: grained},
	{name: "engagement", short: "Engagement table", list: inScope("engagement"),
		dimensions: engagementDimensions, orders: engagementMetrics},
	{name: "engagement-series", short: "Engagement chart", list: inScope("engagementSeries"),
		dimensions: engagementDimensions, metrics: engagementMetrics, flags: grained},
	{name: "screens", short: "Page and screen name totals", list: inScope("screens"),
		orders: metricNames(report.ScreenMetrics)},
	{name: "events", short: "Events table", list: inScope("events"), orders: metricNames(report.EventMetrics)},
	{name: "events-series", short: "Events chart", list: inScope("eventsSeries"),
		metrics: metricNames(report.EventPointMetrics), flags: grained},
	{name: "goals", short: "How often each goal was met", list: inScope("goals"),
		orders: metricNames(report.GoalMetrics)},
	{name: "goal-series", short: "A goal over time", list: inScope("goalSeries"),
		flags: reportFlagSet{grain: true, goal: true}, drawn: metricNames(report.GoalMetrics)},
	{name: "goal-breakdown", short: "A goal by a dimension of sessions", list: inScope("goalBreakdown"),
		dimensions: goalDimensions, orders: metricNames(report.GoalBreakdownMetrics), flags: reportFlagSet{goal: true}},
	{name: "funnel", short: "How far visitors came through a funnel", list: inScope("funnel"),
		flags: reportFlagSet{funnel: true}},
	{name: "funnel-series", short: "A funnel by when it began", list: inScope("funnelSeries"),
		flags: reportFlagSet{grain: true, funnel: true}, drawn: []string{"entered", "converted", "open", "rate"}},
	{name: "funnel-breakdown", short: "A funnel by a dimension of the sessions in which it began",
		list: inScope("funnelBreakdown"), dimensions: goalDimensions, flags: reportFlagSet{funnel: true}},
	{name: "funnel-visitors", short: "Visitors who entered a step, by outcome",
		list: inScope("funnelVisitors"), orders: metricNames(report.VisitorMetrics),
		flags: reportFlagSet{funnel: true, step: true}},
	{name: "paths", short: "Where sessions went from a page, a screen or an event, or how they got there",
		list: inScope("paths"), flags: reportFlagSet{paths: true}, chart: []string{"sessions"}},
	{name: "retention", short: "Retention summary and breakdowns; with --dimension one breakdown as a table",
		list: pagedList{operation: "retention", path: []string{"app", "productAnalytics"}},
		breakdown: &breakdown{
			list: inScope("retentionBreakdown"), dimensions: retentionDimensions, orders: retentionColumns,
		}},
	{name: "retention-series", short: "New and returning over time", list: inScope("retentionSeries"), flags: arrivals},
	{name: "retention-cohorts", short: "Cohort table", list: inScope("retentionCohorts"), flags: arrivals,
		chart: []string{"size"}},
	{name: "retention-curve", short: "Return curve", list: inScope("retentionCurve"),
		flags: reportFlagSet{drill: true, days: true}, chart: []string{"rate"}},
	{name: "demographic", short: "Location table", list: inScope("demographic"),
		dimensions: locationDimensions, orders: sessionMetrics},
	{name: "demographic-series", short: "Location chart", list: inScope("demographicSeries"),
		dimensions: locationDimensions, metrics: sessionMetrics, flags: grained},
	{name: "technology", short: "Technology table", list: inScope("technology"),
		dimensions: technologyDimensions, orders: sessionMetrics},
	{name: "technology-series", short: "Technology chart", list: inScope("technologySeries"),
		dimensions: technologyDimensions, metrics: sessionMetrics, flags: grained},
	{name: "visitors", short: "Visitor list", list: inScope("visitors"), orders: metricNames(report.VisitorMetrics)},
	{name: "timeline", short: "What one user did: sessions and runs of flows, the latest first",
		list: inScope("timeline"), flags: reportFlagSet{user: true}},
}

// enumNames are the names of interface.md §4.1 that the schema spells otherwise.
var enumNames = map[string]string{"browsers": "BROWSER", "operatingSystems": "OS", "devices": "DEVICE"}

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

// command makes the command of a report.
func (r productReport) command(t terminal) *cobra.Command {
	var scope scopeFlags
	cmd := readCommand(t, r.name, r.short, func(ctx context.Context, server api, app string, out printer) error {
		asked, err := r.chosen(scope)
		if err != nil {
			return err
		}
		variables, err := asked.variables(scope)
		if err != nil {
			return err
		}
		variables["app"] = app
		if asked.flags.funnel {
			if variables["input"], err = readFunnel(t, scope); err != nil {
				return err
			}
		}
		data, err := asked.read(ctx, server, variables, scope)
		if err != nil {
			return err
		}
		out.chart = asked.chart
		switch {
		case len(asked.drawn) > 0:
			out.chart = []string{scope.text("metric")}
		case len(asked.metrics) > 0:
			out.title = scope.text("metric")
		case len(asked.orders) > 0:
			out.chart = []string{firstOf(scope.text("order-by"), asked.orders[0])}
		}
		return out.print(t.out, data)
	})
	scope.bindWhere(cmd)
	if !r.flags.where {
		scope.bindRange(cmd)
		scope.bindFilters(cmd)
	}
	r.bindFlags(cmd)
	return cmd
}
