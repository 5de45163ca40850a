package resolvers

import (
	"context"

	"github.com/99designs/gqlgen/complexity"
	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/errcode"
	"github.com/google/uuid"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/analytics/report"
	"github.com/svc-dev/svc/ent/environment"
	"github.com/svc-dev/svc/graph"
	"github.com/svc-dev/svc/resolvers/page"
)

// maxCost is the most that one operation may cost. A dashboard page with every
// report once costs about a third of it; 16 aliases of one report cost more.
const maxCost = 10_000

// codeTooCostly is gqlgen's own code, which clients of GraphQL servers know.
const codeTooCostly = "COMPLEXITY_LIMIT_EXCEEDED"

// costLimit refuses operations that cost too much. The cost is the sum over
// fields (see costs), and a report that an operation asks for again costs as
// often again: asking for the same thing 16 times is not a dashboard.
type costLimit struct{ schema graphql.ExecutableSchema }

// ExtensionName implements graphql.HandlerExtension.
func (c *costLimit) ExtensionName() string { return "CostLimit" }

// Validate implements graphql.HandlerExtension.
func (c *costLimit) Validate(schema graphql.ExecutableSchema) error {
	c.schema = schema
	return nil
}

// MutateOperationContext implements graphql.OperationContextMutator.
func (c *costLimit) MutateOperationContext(ctx context.Context, operation *graphql.OperationContext) *gqlerror.Error {
	cost := c.of(ctx, operation.Doc.Operations.ForName(operation.OperationName), operation.Variables)
	if cost <= maxCost {
		return nil
	}
	err := gqlerror.Errorf("this operation costs %d, more than the limit of %d; ask for fewer reports or rows at once", cost, maxCost)
	errcode.Set(err, codeTooCostly)
	return err
}

func (c *costLimit) of(ctx context.Context, operation *ast.OperationDefinition, variables map[string]any) int {
	cost := complexity.Calculate(ctx, c.schema, operation, variables)
	counts := map[string]int{}
	countReports(operation.SelectionSet, counts)
	for name, n := range counts {
		// The first is in the sum already; the second costs twice, the third three
		// times as much.
		cost += reportCosts[name] * n * (n - 1) / 2
	}
	return cost
}

// countReports counts how often each report is asked for, fragments included.
func countReports(set ast.SelectionSet, counts map[string]int) {
	for _, selection := range set {
		switch s := selection.(type) {
		case *ast.Field:
			// Rows have fields of the same names; only the owners of reports count.
			if _, report := reportCosts[s.Name]; report && s.ObjectDefinition != nil && reportOwners[s.ObjectDefinition.Name] {
				counts[s.Name]++
			}
			countReports(s.SelectionSet, counts)
		case *ast.InlineFragment:
			countReports(s.SelectionSet, counts)
		case *ast.FragmentSpread:
			if s.Definition != nil {
				countReports(s.Definition.SelectionSet, counts)
			}
		}
	}
}

// reportOwners are the types whose fields are reports.
var reportOwners = map[string]bool{"ProductAnalytics": true, "App": true, "Segment": true, "Subscription": true}

// reportCosts are the costs of reports beside their rows, by field. A report that
// reads the selection once costs 100; one is about what reading a row of the
// control plane costs.
var reportCosts = map[string]int{
	"productAnalytics": 50, // the selection
	"summary":          100,
	"series":           100,
	"overview":         400, // twelve tables
	"attribution":      100, "attributionSeries": 150,
	"engagement": 100, "engagementSeries": 150,
	"screens": 100,
	"events":  100, "eventsSeries": 150,
	"retention": 100, "retentionBreakdown": 100, "retentionSeries": 150, "retentionCohorts": 150, "retentionCurve": 150,
	"demographic": 100, "demographicSeries": 150,
	"technology": 100, "technologySeries": 150,
	"visitors":        150,
	"live":            100,
	"recentEvents":    100,
	"ingestHealth":    100,
	"estimate":        100,
	"segmentEstimate": 500, // no rules like these were read before
}

// rowsAtOnce is how many rows of a table cost as much as their fields once.
const rowsAtOnce = 25

// rows is the cost of a page of rows.
func rows(children int, first *int, usual int) int {
	n := usual
	if first != nil {
		n = min(max(*first, 1), report.MaxFirst)
	}
	return children * ((n + rowsAtOnce - 1) / rowsAtOnce)
}

// listed is how many rows of a control-plane list an operation pays for: each is read from the database, and may be
// followed by reads of its own.
func listed(first *int) int {
	if first == nil {
		return page.Default
	}
	return min(max(*first, 10), page.Max)
}

// costs are the costs of fields that are not 1 + children.
func costs() graph.ComplexityRoot {
	var c graph.ComplexityRoot
	// times is a list without pages, of about so many entries.
	times := func(n int) func(int) int { return func(children int) int { return 1 + n*children } }

	// sum is a report without pages.
	sum := func(name string) func(int) int {
		return func(children int) int { return reportCosts[name] + children }
	}
	breakdown := func(name string) func(int, analytics.Dimension, *int, *string, *report.Metric, bool, *string) int {
		return func(children int, _ analytics.Dimension, first *int, _ *string, _ *report.Metric, _ bool, _ *string) int {
			return reportCosts[name] + rows(children, first, report.DefaultFirst)
		}
	}
	table := func(name string) func(int, *int, *string, *report.Metric, bool, *string) int {
		return func(children int, first *int, _ *string, _ *report.Metric, _ bool, _ *string) int {
			return reportCosts[name] + rows(children, first, report.DefaultFirst)
		}
	}
	breakdownSeries := func(name string) func(int, analytics.Dimension, report.Metric, analytics.Grain) int {
		return func(children int, _ analytics.Dimension, _ report.Metric, _ analytics.Grain) int {
			return reportCosts[name] + report.SeriesValues*children
		}
	}
	drilled := func(name string) func(int, analytics.Grain, *report.Drill) int {
		return func(children int, _ analytics.Grain, _ *report.Drill) int { return reportCosts[name] + children }
	}
	p := &c.ProductAnalytics
	p.Summary, p.Overview, p.Retention = sum("summary"), sum("overview"), sum("retention")
	p.Series = func(children int, _ analytics.Grain) int { return reportCosts["series"] + children }
	p.Attribution, p.AttributionSeries = breakdown("attribution"), breakdownSeries("attributionSeries")
	p.Engagement, p.EngagementSeries = breakdown("engagement"), breakdownSeries("engagementSeries")
	p.Demographic, p.DemographicSeries = breakdown("demographic"), breakdownSeries("demographicSeries")
	p.Technology, p.TechnologySeries = breakdown("technology"), breakdownSeries("technologySeries")
	p.Screens, p.Events, p.Visitors = table("screens"), table("events"), table("visitors")
	p.EventsSeries = func(children int, _ report.Metric, _ analytics.Grain) int {
		return reportCosts["eventsSeries"] + report.SeriesValues*children
	}
	p.RetentionBreakdown = func(children int, _ analytics.Dimension, first *int, _ *string, _ *graph.RetentionMetric, _ bool, _ *string) int {
		return reportCosts["retentionBreakdown"] + rows(children, first, report.DefaultFirst)
	}
	p.RetentionSeries, p.RetentionCohorts = drilled("retentionSeries"), drilled("retentionCohorts")
	p.RetentionCurve = func(children int, _ int, _ *report.Drill) int { return reportCosts["retentionCurve"] + children }

	c.App.ProductAnalytics = func(children int, _ graph.ScopeInput) int { return reportCosts["productAnalytics"] + children }
	c.App.Live = func(children int, _ environment.Kind, _ *graph.Platform, _ *uuid.UUID, first *int, _ *string) int {
		return reportCosts["live"] + rows(children, first, report.DefaultFirst)
	}
	c.Subscription.Live = func(children int, _ uuid.UUID, _ environment.Kind, _ *graph.Platform, _ *uuid.UUID, first *int) int {
		return reportCosts["live"] + rows(children, first, report.DefaultFirst)
	}
	c.App.RecentEvents = func(children int, _ string, _ environment.Kind, _ *graph.Platform, _ *uuid.UUID, _ *graph.RangeInput, first *int, _ *string) int {
		return reportCosts["recentEvents"] + rows(children, first, 50)
	}
	c.App.IngestHealth = func(children int, _ environment.Kind, _ *graph.RangeInput, _ graph.IngestGrain) int {
		return reportCosts["ingestHealth"] + children
	}
	c.App.SegmentEstimate = func(children int, _ environment.Kind, _ graph.SegmentRulesInput, _ int) int {
		return reportCosts["segmentEstimate"] + children
	}
	c.Segment.Estimate = func(children int, _ environment.Kind) int { return reportCosts["estimate"] + children }

	// Pages of the control plane's lists, by the rows they may have; a manifest is large.
	paged := func(children int, first *int, _ *string) int { return 1 + listed(first)*children }
	filtered := func(children int, _ bool, first *int, after *string) int { return paged(children, first, after) }
	c.Viewer.Workspaces, c.Workspace.Members, c.Workspace.APIKeys = paged, paged, paged
	c.Workspace.AuditLog, c.App.Segments, c.Channel.Experiments = paged, paged, paged
	c.Flow.Versions, c.Channel.History, c.Workspace.Invitations = paged, paged, paged
	c.Workspace.Apps, c.Workspace.Media, c.App.Flows = filtered, filtered, filtered
	c.Environment.Channels, c.Environment.PublishableKeys = filtered, filtered
	c.Experiment.Variants = times(3)
	heavy := func(children int) int { return 20 + children }
	c.Flow.Draft, c.FlowVersion.Manifest, c.Flow.Problems = heavy, heavy, heavy
	return c
}
