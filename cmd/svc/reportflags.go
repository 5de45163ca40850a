package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/svc-dev/svc/analytics"
)

// tableFlags are the flags of a table beside its pages.
var tableFlags = []string{"order-by", "ascending", "search", "first", "after"}

// bindFlags adds the flags that not every report has.
func (r productReport) bindFlags(cmd *cobra.Command) {
	if r.flags.grain {
		choice(cmd, "grain", "day", "width of a bucket", grains)
	}
	if len(r.metrics) > 0 {
		choice(cmd, "metric", r.metrics[0], "what the chart shows", r.metrics)
	}
	if len(r.drawn) > 0 {
		choice(cmd, "metric", r.drawn[0], "what -o chart draws", r.drawn)
	}
	if len(r.dimensions) > 0 {
		choice(cmd, "dimension", "", "what to break down by, required", r.dimensions)
	}
	if r.flags.drill {
		choice(cmd, "dimension", "", "with --value: only people whose first touch has the value", retentionDimensions)
		cmd.Flags().String("value", "", "value of the dimension")
	}
	if r.flags.days {
		cmd.Flags().Int("days", 30, "days after the first")
	}
	orders, defaultOrder := r.orders, ""
	if b := r.breakdown; b != nil {
		choice(cmd, "dimension", "", "only this breakdown, as a table", b.dimensions)
		orders, defaultOrder = b.orders, b.orders[0]
	}
	if len(orders) > 0 {
		choice(cmd, "order-by", defaultOrder, "column that orders the rows", orders)
		cmd.Flags().Bool("ascending", false, "smallest first")
		cmd.Flags().String("search", "", "only rows whose value contains this")
	}
	if r.flags.user {
		cmd.Flags().String("user", "", "app user id, required")
	}
	if r.flags.goal {
		cmd.Flags().String("goal", "", "id of the goal, required; svc goals list has them")
	}
	if r.flags.funnel {
		cmd.Flags().String("funnel", "", "file of the funnel, required; - is the standard input. See svc funnels")
	}
	if r.flags.step {
		cmd.Flags().Int("step", 1, "step that the visitors entered, counted from one")
		choice(cmd, "outcome", funnelOutcomes[0], "outcome of the visitors at the step", funnelOutcomes)
	}
	if r.flags.paths {
		bindPaths(cmd)
	}
	if len(orders) > 0 || r.pagedOnly() {
		cmd.Flags().Int("first", 50, "rows of a page; csv and jsonl get all rows unless this is given")
		cmd.Flags().String("after", "", "endCursor of the page before")
	}
}

// chosen returns the report to ask for: the breakdown of a report that has one,
// when a dimension is given, else the report itself.
func (r productReport) chosen(f scopeFlags) (productReport, error) {
	if r.breakdown == nil {
		return r, nil
	}
	if f.text("dimension") != "" {
		r.list, r.dimensions, r.orders = r.breakdown.list, r.breakdown.dimensions, r.breakdown.orders
		return r, nil
	}
	for _, flag := range tableFlags {
		if f.set.Changed(flag) {
			return r, usageError("--%s is of one breakdown: give --dimension", flag)
		}
	}
	return r, nil
}

// variables reads the flags.
func (r productReport) variables(f scopeFlags) (map[string]any, error) {
	variables, err := r.scopeVariables(f)
	if err != nil {
		return nil, err
	}
	for _, read := range []func(scopeFlags, map[string]any) error{
		r.readGrain, r.readMetric, r.readDays, r.readDimension, r.readDrill, r.readUser, r.readGoal, r.readPaths, r.readStep,
		r.readPage, r.readOrder,
	} {
		if err := read(f, variables); err != nil {
			return nil, err
		}
	}
	return variables, nil
}

func (r productReport) scopeVariables(f scopeFlags) (map[string]any, error) {
	if r.flags.where {
		return f.where()
	}
	scope, err := f.scope()
	return map[string]any{"scope": scope}, err
}

func (r productReport) readGrain(f scopeFlags, variables map[string]any) (err error) {
	if r.flags.grain {
		variables["grain"], err = f.chosen("grain", grains)
	}
	return err
}

func (r productReport) readMetric(f scopeFlags, variables map[string]any) error {
	if len(r.metrics) > 0 {
		metric, err := f.oneOf("metric", r.metrics)
		variables["metric"] = enumName(metric)
		return err
	}
	if len(r.drawn) == 0 {
		return nil
	}
	if _, err := f.oneOf("metric", r.drawn); err != nil {
		return err
	}
	if f.set.Changed("metric") && f.text("output") != "chart" {
		return usageError("--metric is what -o chart draws: the other forms have every metric")
	}
	return nil
}

func (r productReport) readDays(f scopeFlags, variables map[string]any) (err error) {
	if r.flags.days {
		variables["days"], err = f.set.GetInt("days")
	}
	return err
}

func (r productReport) readDimension(f scopeFlags, variables map[string]any) error {
	if len(r.dimensions) == 0 {
		return nil
	}
	name, err := f.oneOf("dimension", r.dimensions)
	if err == nil && name == "" {
		err = usageError("--dimension is required: %s", strings.Join(r.dimensions, ", "))
	}
	variables["dimension"] = enumName(name)
	return err
}

func (r productReport) readDrill(f scopeFlags, variables map[string]any) error {
	if !r.flags.drill {
		return nil
	}
	name, err := f.oneOf("dimension", retentionDimensions)
	if err != nil {
		return err
	}
	if (name == "") == f.set.Changed("value") {
		return usageError("--dimension and --value go together")
	}
	if name != "" {
		variables["drill"] = map[string]any{"dimension": enumName(name), "value": f.text("value")}
	}
	return nil
}

// paged tells whether the report has a list with pages.
func (r productReport) paged() bool { return len(r.orders) > 0 || r.pagedOnly() }

// pagedOnly tells whether the report has pages, but neither orders nor a search.
func (r productReport) pagedOnly() bool { return r.list.member != "" || r.flags.user }

func (r productReport) readUser(f scopeFlags, variables map[string]any) error {
	if !r.flags.user {
		return nil
	}
	user := f.text("user")
	if user == "" {
		return usageError("--user is required: the app user id of whose time line")
	}
	variables["user"] = user
	return nil
}

func (r productReport) readGoal(f scopeFlags, variables map[string]any) error {
	if !r.flags.goal {
		return nil
	}
	goal := f.text("goal")
	if goal == "" {
		return usageError("--goal is required: the id of a goal, as svc goals list prints it")
	}
	variables["goal"] = goal
	return nil
}

// funnelOutcomes are the values of --outcome; the first is the default.
var funnelOutcomes = lower(nameList(analytics.FunnelOutcomes))

func (r productReport) readStep(f scopeFlags, variables map[string]any) error {
	if !r.flags.step {
		return nil
	}
	step, err := f.set.GetInt("step")
	if err != nil {
		return err
	}
	outcome, err := f.oneOf("outcome", funnelOutcomes)
	variables["step"], variables["outcome"] = step, enumName(outcome)
	return err
}

// readFunnel reads the file that --funnel names.
func readFunnel(t terminal, f scopeFlags) (any, error) {
	name := f.text("funnel")
	if name == "" {
		return nil, usageError("--funnel is required: a file with the steps of a funnel")
	}
	return readObjectFile(t, name)
}

func (r productReport) readPage(f scopeFlags, variables map[string]any) error {
	if !r.paged() {
		return nil
	}
	first, err := f.set.GetInt("first")
	if err != nil {
		return err
	}
	if first < 1 {
		return usageError("--first must be positive, not %d", first)
	}
	variables["first"] = first
	if after := f.text("after"); after != "" {
		variables["after"] = after
	}
	return nil
}

func (r productReport) readOrder(f scopeFlags, variables map[string]any) error {
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
