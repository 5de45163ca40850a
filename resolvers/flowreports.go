package resolvers

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/google/uuid"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/analytics/flow"
	"github.com/svc-dev/svc/analytics/report"
	"github.com/svc-dev/svc/analytics/session"
	"github.com/svc-dev/svc/ent"
	"github.com/svc-dev/svc/ent/channel"
	"github.com/svc-dev/svc/ent/flowversion"
	"github.com/svc-dev/svc/graph"
	"github.com/svc-dev/svc/internal/fault"
	"github.com/svc-dev/svc/resolvers/flowreport"
	"github.com/svc-dev/svc/resolvers/page"
)

// inMemory are the fields of FlowAnalytics that are answered from memory.
var inMemory = []string{
	"overview", "timeseries", "funnel", "dropoff", "stepDuration", "cohorts", "cohortKeys", "timeseriesCohorts", "heatmap",
	"purchases", "retention", "compare", "peopleBehind",
}

// selectInMemory evaluates a scope for the fields that are asked for and need it.
func (r *Resolver) selectInMemory(ctx context.Context, of *flowreport.Reports) (err error) {
	for _, field := range inMemory {
		if asksFor(ctx, field) {
			of.Runs, err = r.reports.SelectRuns(
				ctx, of.EnvironmentID, of.Scope, asksFor(ctx, "overview"), asksFor(ctx, "retention"), of.Now,
			)
			return err
		}
	}
	return nil
}

// readGraphs returns the graphs of the versions that a scope's runs are of, and of those that it names; of the newest
// version when there are none. Of more than flow.MaxValues those with most runs.
func (r *Resolver) readGraphs(ctx context.Context, of *flowreport.Reports) ([]flow.Graph, error) {
	return of.Graphs(func() ([]flow.Graph, error) {
		served, err := of.Runs.Versions(ctx)
		if err != nil {
			return nil, err
		}
		published, err := r.client.FlowVersion.Query().Where(flowversion.FlowID(uuid.UUID(of.Scope.Flow))).
			Order(flowversion.ByNumber(newestFirst)).IDs(ctx)
		if err != nil {
			return nil, fmt.Errorf("list the versions of a flow: %w", err)
		}
		// A client may send the id of a version that was never published.
		runs := map[uuid.UUID]int64{}
		for _, version := range served {
			if id, err := uuid.Parse(version.Version); err == nil {
				runs[id] = version.Runs
			}
		}
		named := func(id uuid.UUID) bool { return slices.Contains(of.Scope.Versions, session.Key(id)) }
		var ids []uuid.UUID
		for _, id := range published {
			if runs[id] > 0 || named(id) {
				ids = append(ids, id)
			}
		}
		slices.SortStableFunc(ids, func(a, b uuid.UUID) int { return cmp.Compare(runs[b], runs[a]) })
		switch {
		case len(ids) > 0:
			ids = ids[:min(len(ids), flow.MaxValues)]
		case len(served) == 0 && len(of.Scope.Versions) == 0:
			ids = published[:min(len(published), 1)]
		}
		graphs := make([]flow.Graph, len(ids))
		for i, id := range ids {
			version, err := r.versions.Of(ctx, id)
			if err != nil {
				return nil, err
			}
			graphs[i] = version.Graph
		}
		return graphs, nil
	})
}

// compareRuns compares two versions, or two variants by their keys.
func (r *Resolver) compareRuns(
	ctx context.Context, of *flowreport.Reports, by analytics.Dimension, named [2]string, graphs []flow.Graph,
) (*flow.Comparison, error) {
	if by != flow.Variant || of.Scope.Experiment == (session.Key{}) {
		return of.Runs.Compare(ctx, by, named, graphs)
	}
	ids, err := r.findVariantIDs(ctx, of.EnvironmentID, uuid.UUID(of.Scope.Experiment), named[:])
	if err != nil {
		return nil, err
	}
	compared, err := of.Runs.Compare(ctx, by, [2]string(ids), graphs)
	if err != nil {
		return nil, err
	}
	for i := range compared.Sides {
		compared.Sides[i].Variant = named[i]
	}
	return compared, nil
}

// readCohorts returns a page of the values of a dimension.
func (r *Resolver) readCohorts(
	ctx context.Context, of *flowreport.Reports, by flow.Value, asked report.Page,
) (*flowreport.CohortPage, error) {
	found, err := of.Runs.Cohorts(ctx, by.Dimension, by.Key, asked)
	if err != nil {
		return nil, err
	}
	name, err := r.nameValues(ctx, of, by.Dimension)
	if err != nil {
		return nil, err
	}
	for i := range found.Rows {
		found.Rows[i].Value = name(found.Rows[i].Value)
	}
	rows, err := convertTable(&found.Table, nil)
	return &flowreport.CohortPage{Of: rows, Incomplete: found.Incomplete}, err
}

func (r *Resolver) readCohortSeries(
	ctx context.Context, of *flowreport.Reports, by flow.Value, grain analytics.Grain,
) ([]*flow.CohortSeries, error) {
	series, err := of.Runs.TimeseriesCohorts(ctx, by.Dimension, by.Key, grain)
	if err != nil {
		return nil, err
	}
	name, err := r.nameValues(ctx, of, by.Dimension)
	if err != nil {
		return nil, err
	}
	for i := range series {
		series[i].Value = name(series[i].Value)
	}
	return pointers(series), nil
}

func (r *Resolver) readHeatmap(
	ctx context.Context, of *flowreport.Reports, row, column flow.Value,
) (*flow.Heatmap, error) {
	found, err := of.Runs.Heatmap(ctx, row, column)
	if err != nil {
		return nil, err
	}
	rowName, err := r.nameValues(ctx, of, row.Dimension)
	if err != nil {
		return nil, err
	}
	columnName, err := r.nameValues(ctx, of, column.Dimension)
	if err != nil {
		return nil, err
	}
	for i, value := range found.Rows {
		found.Rows[i] = rowName(value)
	}
	for i, value := range found.Columns {
		found.Columns[i] = columnName(value)
	}
	for i := range found.Cells {
		cell := &found.Cells[i]
		cell.Row, cell.Column = rowName(cell.Row), columnName(cell.Column)
	}
	return found, nil
}

// nameValues returns what writes a value of a dimension: of channels their public ids, unless one is gone, of variants
// their names.
func (r *Resolver) nameValues(
	ctx context.Context, of *flowreport.Reports, d analytics.Dimension,
) (func(value string) string, error) {
	switch d {
	case flow.Variant:
		variants, err := r.readVariants(ctx, of.EnvironmentID, of.Scope.Experiment)
		return variants.name, err
	case flow.Channel:
		return r.nameChannels(ctx, of)
	}
	return func(value string) string { return value }, nil
}

func (r *Resolver) nameChannels(ctx context.Context, of *flowreport.Reports) (func(value string) string, error) {
	ctx, cancel := context.WithTimeout(ctx, lookupTime)
	defer cancel()
	channels, err := r.client.Channel.Query().Where(channel.EnvironmentID(of.EnvironmentID)).All(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the channels of an environment: %w", err)
	}
	names := make(map[string]string, len(channels))
	for _, c := range channels {
		names[strconv.FormatInt(c.ID, 10)] = c.PublicID
	}
	return func(value string) string {
		if name, ok := names[value]; ok {
			return name
		}
		return value
	}, nil
}

// readPeopleBehind returns a page of the people of a cell.
func (r *Resolver) readPeopleBehind(
	ctx context.Context, of *flowreport.Reports, cell graph.FlowCell, first *int, after *string,
) (*page.Of[flow.Person], error) {
	asked, err := convertPage(first, after, nil, false, nil)
	if err != nil {
		return nil, err
	}
	behind, err := r.convertCell(ctx, of, cell)
	if err != nil {
		return nil, err
	}
	var graphs []flow.Graph
	if behind.NamesOther() {
		if graphs, err = r.readGraphs(ctx, of); err != nil {
			return nil, err
		}
	}
	found, err := of.Runs.PeopleBehind(ctx, behind, graphs, asked.First, asked.After)
	if err != nil {
		return nil, err
	}
	return page.New(pointers(found.People), found.HasNextPage, found.EndCursor, found.TotalCount), nil
}

func (r *Resolver) convertCell(
	ctx context.Context, of *flowreport.Reports, cell graph.FlowCell,
) (behind flow.Behind, err error) {
	behind.Figure, behind.Outcome = deref(cell.Figure), deref(cell.Outcome)
	if cell.Range != nil {
		behind.From, behind.To = cell.Range.Start, cell.Range.End
	}
	for _, v := range cell.Values {
		value := flow.Value{Dimension: v.Dimension, Key: deref(v.Key), Value: v.Value}
		switch v.Dimension {
		case flow.Variant:
			variants, err := r.readVariants(ctx, of.EnvironmentID, of.Scope.Experiment)
			if err != nil {
				return behind, err
			}
			value.Value = variants.id(v.Value)
		case flow.Channel:
			ids, err := r.findChannelIDs(ctx, of.EnvironmentID, []string{v.Value})
			if err != nil {
				return behind, fault.Invalid("cell.values", "the environment has no channel %s", v.Value)
			}
			value.Value = strconv.FormatInt(ids[0], 10)
		}
		behind.Values = append(behind.Values, value)
	}
	if step := cell.Step; step != nil {
		behind.Step, behind.LastStep, behind.Completed, behind.Skipped = step.ID, step.Last, step.Completed, step.Skipped
	}
	if edge := cell.Arrival; edge != nil {
		behind.Arrival = &[2]string{edge.From, edge.To}
	}
	if edge := cell.Exit; edge != nil {
		behind.Exit = &[2]string{edge.From, edge.To}
	}
	if d := cell.Decision; d != nil {
		behind.Decision = &[2]string{d.Node, d.Case}
	}
	if s := cell.Surface; s != nil {
		behind.Surface = &[2]string{s.ID, s.Provider}
	}
	return behind, nil
}

// readAppFlows returns a page of the flows of an app's environment.
func (r *Resolver) readAppFlows(
	ctx context.Context, app *ent.App, input graph.AppFlowScope, asked report.Page,
) (*flowreport.AppFlowPage, error) {
	environmentID, err := r.authorizeReports(ctx, app, input.Environment)
	if err != nil {
		return nil, err
	}
	scope, err := r.convertFlowScope(ctx, app, environmentID, graph.FlowAnalyticsScope{
		Range: input.Range, TimeZone: input.TimeZone, Channels: input.Channels, Platform: input.Platform,
		Filters: input.Filters, CustomProperty: input.CustomProperty,
	})
	if err != nil {
		return nil, err
	}
	if scope.Segment, err = r.readSegment(ctx, app, input.SegmentID); err != nil {
		return nil, err
	}
	selection, err := r.reports.SelectRuns(ctx, environmentID, scope, false, false, r.now())
	if err != nil {
		return nil, err
	}
	found, err := selection.AppOverview(ctx, asked)
	if err != nil {
		return nil, err
	}
	rows, err := convertTable(&found.Table, nil)
	return &flowreport.AppFlowPage{Of: rows, Totals: found.Totals, Incomplete: found.Incomplete}, err
}

// readFlowName returns the name of a flow, empty when it is gone: whoever may read the figures of an app may know
// what its flows are called.
func (r *Resolver) readFlowName(ctx context.Context, id string) (string, error) {
	parsed, err := uuid.Parse(id)
	if err != nil {
		return "", err
	}
	found, err := load(ctx, r.finder.batch(ctx).flows, parsed, "flow")
	if fault.Is(err, fault.NotFound) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	return found.Name, nil
}
