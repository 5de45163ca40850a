package main

import (
	"context"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/svc-dev/svc/revenue/figures"
)

// revenueReport is a value of --report of `svc analytics revenue`.
type revenueReport struct {
	name  string
	list  pagedList
	flags []string // of those that not every report has
	chart []string
}

func ofRevenue(operation string, path ...string) pagedList {
	return pagedList{operation: operation, path: append([]string{"revenue"}, path...)}
}

var revenueReports = []revenueReport{
	{name: "overview", list: ofRevenue("revenueOverview")},
	{name: "series", list: ofRevenue("revenueSeries", "series"), flags: []string{"grain"},
		chart: []string{"totals.gross", "totals.net"}},
	{name: "breakdown", list: ofRevenue("revenueBreakdown", "breakdown"),
		flags: []string{"dimension", "first", "after"}, chart: []string{"totals.gross"}},
	{name: "subscriptions", list: ofRevenue("revenueSubscriptionSeries", "subscriptionSeries"), flags: []string{"grain"},
		chart: []string{"state.mrr"}},
	{name: "lifetime-value", list: ofRevenue("revenueLifetimeValue", "lifetimeValue"), flags: []string{"days"}},
	{name: "retention", list: ofRevenue("revenueRetention", "subscriptionRetention")},
}

var (
	revenueBases      = []string{"event", "charge"}
	revenueDimensions = nameList(figures.Dimensions)
	// revenueFilters are the flags of lists of values, and their members of RevenueScope.
	revenueFilters = [][2]string{
		{"stores", "stores"}, {"products", "products"}, {"countries", "countries"}, {"period-lengths", "periodLengths"},
		{"flow-versions", "flowVersions"}, {"arms", "experimentArms"},
	}
)

// newRevenueReport makes the command that reads the figures of revenue.
func newRevenueReport(t terminal) *cobra.Command {
	var scope scopeFlags
	lists := map[string]*[]string{}
	names := make([]string, len(revenueReports))
	for i, r := range revenueReports {
		names[i] = r.name
	}
	cmd := clientCommand{
		use: "revenue", short: "Revenue as billing providers report it", outputs: outputs,
		long: "Money of the ledger, recurring revenue, trials, lifetime value and retention of subscriptions of one app,\n" +
			"of the live environment and the last seven days unless flags say otherwise.",
		arguments: []string{"appId"},
	}.command(t, func(ctx context.Context, server api, args []string, out printer) error {
		name, err := scope.oneOf("report", names)
		if err != nil {
			return err
		}
		report := revenueReports[slices.Index(names, name)]
		variables, err := report.variables(scope)
		if err != nil {
			return err
		}
		asked, err := revenueScope(scope, lists)
		if err != nil {
			return err
		}
		asked["appId"], variables["scope"] = args[0], asked
		out.chart = report.chart
		if slices.Contains(report.flags, "first") && wantsAllRows(scope) {
			data, err := report.list.readAll(ctx, server, variables, exportPage, math.MaxInt)
			if err != nil {
				return err
			}
			return out.print(t.out, data)
		}
		data, err := server.query(ctx, report.list.operation, variables, report.list.path...)
		if err != nil {
			return err
		}
		return out.print(t.out, data)
	})
	scope.set = cmd.Flags()
	choice(cmd, "report", "overview", "what to read", names)
	choice(cmd, "env", "live", "environment", environments)
	scope.bindRange(cmd)
	choice(cmd, "basis", "event", "when refunds count: at their own time, or at that of their charge", revenueBases)
	for _, f := range append([][2]string{{"providers", "providers"}}, revenueFilters...) {
		lists[f[0]] = new([]string)
		scope.set.StringArrayVar(lists[f[0]], f[0], nil, "only revenue of these; repeat or separate by commas")
	}
	choice(cmd, "grain", "day", "width of a bucket of series and subscriptions", grains)
	choice(cmd, "dimension", "provider", "what breakdown breaks down by", revenueDimensions)
	cmd.Flags().Int("first", 50, "rows of a page of breakdown; csv and jsonl get all rows unless this is given")
	cmd.Flags().String("after", "", "endCursor of the page before")
	cmd.Flags().Int("days", 30, "last day of lifetime-value, from 0")
	return cmd
}

// variables reads the flags of the report, and refuses those of others.
func (r revenueReport) variables(f scopeFlags) (variables map[string]any, err error) {
	for _, flag := range []string{"grain", "dimension", "first", "after", "days"} {
		if f.set.Changed(flag) && !slices.Contains(r.flags, flag) {
			return nil, usageError("--%s is none of --report %s", flag, r.name)
		}
	}
	variables = map[string]any{}
	for _, flag := range r.flags {
		switch flag {
		case "grain":
			variables["grain"], err = f.chosen("grain", grains)
		case "dimension":
			var name string
			name, err = f.oneOf("dimension", revenueDimensions)
			variables["dimension"] = enumName(name)
		case "first", "days":
			variables[flag], err = f.set.GetInt(flag)
		case "after":
			if after := f.text("after"); after != "" {
				variables["after"] = after
			}
		}
		if err != nil {
			return nil, err
		}
	}
	return variables, nil
}

// revenueScope returns RevenueScope without the app.
func revenueScope(f scopeFlags, lists map[string]*[]string) (map[string]any, error) {
	environment, err := f.chosen("env", environments)
	if err != nil {
		return nil, err
	}
	basis, err := f.chosen("basis", revenueBases)
	if err != nil {
		return nil, err
	}
	scope := map[string]any{"environment": environment, "basis": basis, "timeZone": f.text("time-zone")}
	dates, err := f.dates()
	if err != nil {
		return nil, err
	}
	if dates != nil {
		scope["range"] = dates
	}
	for _, filter := range revenueFilters {
		values, err := splitAll(filter[0], *lists[filter[0]])
		if err != nil {
			return nil, err
		}
		if len(values) > 0 {
			scope[filter[1]] = values
		}
	}
	providers, err := splitAll("providers", *lists["providers"])
	if err != nil {
		return nil, err
	}
	for i, provider := range providers {
		if !slices.Contains(revenueProviders, provider) {
			return nil, usageError("--providers must be %s, not %q", strings.Join(revenueProviders, ", "), provider)
		}
		providers[i] = strings.ToUpper(provider)
	}
	if len(providers) > 0 {
		scope["providers"] = providers
	}
	return scope, nil
}
