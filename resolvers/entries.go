package resolvers

import (
	"strings"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/analytics/experiment"
	"github.com/svc-dev/svc/analytics/flow"
	"github.com/svc-dev/svc/analytics/report"
	"github.com/svc-dev/svc/analytics/runlog"
	"github.com/svc-dev/svc/automation/alerting"
	"github.com/svc-dev/svc/ingest/history"
	"github.com/svc-dev/svc/people/privacy"
	"github.com/svc-dev/svc/people/proof"
	"github.com/svc-dev/svc/revenue/figures"
	"github.com/svc-dev/svc/studio"
)

const (
	defaultPage = report.DefaultFirst
	defaultSpan = 7 * 24 * time.Hour
)

// listEntries are how many entries lists have that are no pages: at most where
// that is known, else usually. A type stands for all of its lists.
var listEntries = map[string]int{
	"App.environments":            2,
	"AlertPreview.points":         24 * (alerting.PreviewDays + 1),
	"AlertPreview.firings":        20,
	"App.scheduledReports":        5,
	"App.historyImports":          5, // of at most 200
	"HistoryImport.rejects":       20,
	"HistoryPreview.events":       20,
	"HistoryPreview.rejects":      20,
	"HistoryPreview.totals":       20,
	"ImportedTotals.sources":      1,
	"ImportedTotals.rows":         history.MaxRows,
	"AuditEntry.names":            maxAuditNames,
	"App.canvas":                  8,
	"EditedDraft.outcomes":        10,
	"EditedDraft.others":          10,
	"DraftNews.edits":             10,
	"DraftNews.people":            5,
	"Experiment.variants":         3,
	"ChannelExplanation.arms":     3,
	"ChannelExplanation.variants": 3,
	"ChannelWatch.metrics":        2,
	"Erasure.removed":             13,
	"Query.plans":                 8,
	"Query.flowTemplates":         16,
	"FlowTemplate.locales":        2,
	"FlowTemplate.products":       3,
	"Query.sdkPackages":           5,
	"Workspace.sqlRoles":          2, // of at most 20
	"Workspace.sqlViews":          10,
	"SqlView.columns":             15,
	"Viewer.sessions":             10, // of at most 100
	"RecoveryCodes.codes":         10,
	"Viewer.closedWorkspaces":     2,
	"SecondFactor.passkeys":       3, // of at most 20
	"WorkspaceUsage.days":         31,
	"WorkspaceUsage.byApp":        10,
	"App.revenueSources":          3,
	"RevenueSource.secrets":       4,
	"IdentityProof.secrets":       proof.MaxSecrets,
	"IdentityProof.days":          proof.DaysShown,
	"UnmappedRevenuePage.nodes":   studio.UnmappedLimit,
	"PersonArchive.records":       privacy.ArchiveRecords,
	"App.retention":               3,
	"Person.devices":              3,
	"Person.topicConsents":        5,
	"Flow.problems":               10,
	"Draft.problems":              10,
	"SavedDraft.problems":         10,
	"PublishedVersion.warnings":   10,
	"PinnedChannel.warnings":      10,
	"CopiedFlow.fontsAdded":       3,
	"CopiedFlow.missing":          10,

	"Overview":              report.OverviewRows,
	"Live.places":           100,
	"Live.minutes":          report.LiveMinutes,
	"Live.pages":            report.LivePages,
	"Retention.days":        len(report.RetentionDays),
	"RetentionRow.days":     len(report.RetentionDays),
	"IngestHealth.rejected": 10,
	"RejectedCount.samples": 5,
	"App.chartMarks":        100,
	"MediaUses.flows":       20,

	"Component.usedIn":              20,
	"ComponentRevision.slots":       3,
	"ComponentRevision.overridable": 20,

	"SimulatedFlow.steps":       20,
	"SimulatedFlow.ways":        40,
	"SimulatedFlow.questions":   10,
	"SimulatedQuestion.options": 5,

	"FunnelReport.steps":       analytics.MaxFunnelSteps,
	"FunnelStep.next":          report.FunnelNexts,
	"FunnelBreakdown.rows":     report.FunnelRows,
	"FunnelRow.steps":          analytics.MaxFunnelSteps,
	"Paths.nodes":              60,  // of at most 92
	"Paths.links":              300, // of at most 1,027
	"FlowFunnel.steps":         20,
	"FlowFunnel.arrivals":      60,
	"FlowFunnel.exits":         80,
	"FlowFunnel.decisions":     10,
	"FlowDropoff.steps":        20,
	"FlowStepDurations.steps":  20,
	"FlowAnalytics.cohortKeys": 20,
	"FlowHeatmap":              flow.MaxHeatmap,
	"FlowHeatmap.cells":        300,
	"FlowPurchases":            10,
	"FlowSurface.outcomes":     6,
	"FlowRetention.days":       len(report.RetentionDays),
	"FlowRetention.rows":       10,
	"FlowRetentionRow.days":    len(report.RetentionDays),
	"FlowComparison.sides":     2,
	"FlowComparison.steps":     20,

	"FieldResponses.choices": 8,
	"FieldResponses.buckets": runlog.MaxBuckets,
	"FieldResponses.months":  12,
	"FieldResponses.texts":   runlog.TopTexts,
	"FlowRun.path":           10,
	"FlowRunRecord.hits":     100,
	"FlowRunRecord.events":   100,

	"ExperimentResults.culprits":   experiment.MaxCulprits,
	"ExperimentResults.metrics":    7,
	"ExperimentSplit.people":       3,
	"ExperimentCulprit.people":     3,
	"ExperimentMetric.arms":        3,
	"ExperimentMetric.variants":    3,
	"ExperimentMetric.comparisons": 2,
	"ExperimentMetric.series":      60,
	"ExperimentPoint.arms":         3,
	"ExperimentPoint.variants":     3,
	"Experiment.goals":             10,

	"RevenueFigures.lifetimeValue":         figures.MaxLifetimeDays + 1,
	"RevenueFigures.subscriptionRetention": 3,
	"SubscriptionRetention.periods":        12,

	"App.webhookEndpoints":             5,
	"Automation.problems":              10,
	"Automation.versions":              10,
	"AutomationFigures.nodes":          20,
	"AutomationNodeFigures.steps":      3,
	"AutomationExplanation.enrolments": 5,
	"AutomationExplanation.entries":    5,
	"AutomationEnrolment.steps":        10,
	"AutomationEnrolment.deliveries":   3,
	"AutomationRehearsal.skipped":      5,
	"AutomationRehearsal.examples":     200,
	"WebhookDelivery.log":              3,

	// Introspection, of which the rest is counted; see [costWalk.introspected].
	"__Schema.directives":   5,
	"__Type.interfaces":     1,
	"__Type.possibleTypes":  1,
	"__Directive.args":      2,
	"__Directive.locations": 4,
}

// usualEntries is how many a list of names or other plain values has.
const usualEntries = 10

// listBounds are what the arguments around a list say of its length.
type listBounds struct {
	page    int           // entries of a connection
	span    time.Duration // of the reports
	buckets int           // of the series
}

// inside returns the bounds inside of a field with these arguments. Values that are
// not understood change nothing: the resolver refuses them.
func (s listBounds) inside(arguments map[string]any) listBounds {
	for _, name := range []string{"first", "days"} {
		if size, err := graphql.UnmarshalInt(arguments[name]); err == nil && size > 0 {
			s.page = size
		}
	}
	if scope, given := arguments["scope"].(map[string]any); given {
		s.span = parseSpan(scope["range"])
	}
	if between, given := arguments["range"]; given {
		s.span = parseSpan(between)
	}
	if grain, given := arguments["grain"].(string); given {
		s.buckets = min(int(s.span/grainLength(grain))+1, analytics.MaxBuckets)
	}
	return s
}

func parseSpan(between any) time.Duration {
	fields, _ := between.(map[string]any)
	start, startErr := parseTime(fields["start"])
	end, endErr := parseTime(fields["end"])
	if startErr != nil || endErr != nil || end.Before(start) {
		return defaultSpan
	}
	return end.Sub(start)
}

func parseTime(value any) (time.Time, error) {
	text, _ := value.(string)
	return time.Parse(time.RFC3339Nano, text)
}

func grainLength(grain string) time.Duration {
	const day = 24 * time.Hour
	switch analytics.Grain(strings.ToLower(grain)) {
	case analytics.Hour:
		return time.Hour
	case analytics.Week:
		return 7 * day
	case analytics.Month:
		return 28 * day
	}
	return day
}

// countEntries returns how many entries a list has.
func (w *costWalk) countEntries(field *ast.Field, name string, around listBounds) int {
	arguments := field.Definition.Arguments
	switch {
	case name == "RevenueFigures.lifetimeValue":
		return min(around.page, figures.MaxLifetimeDays) + 1
	case arguments.ForName("first") != nil, arguments.ForName("days") != nil,
		strings.HasSuffix(field.ObjectDefinition.Name, "Connection"):
		return around.page
	case field.Definition.Type.Name() == "ValueSeries", field.Definition.Type.Name() == "CohortSeries":
		return report.SeriesValues
	case arguments.ForName("grain") != nil, name == "ValueSeries.points", name == "CohortSeries.points",
		name == "IngestHealth.points":
		return around.buckets
	case name == "RetentionCohort.offsets":
		return min(around.buckets, 100) // the later a cohort, the fewer
	case name == "__Schema.types":
		return len(w.schema.Types)
	}
	if known, listed := listEntries[name]; listed {
		return known
	}
	if known, listed := listEntries[field.ObjectDefinition.Name]; listed {
		return known
	}
	return usualEntries
}
