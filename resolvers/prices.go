package resolvers

import (
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
)

// prices are what fields cost beside the values of the answer, by type and field.
// A report that reads the selection once costs 100.
var prices = map[string]int{
	"App.productAnalytics":                50, // the selection
	"App.live":                            100,
	"App.recentEvents":                    100,
	"App.ingestHealth":                    100,
	"App.chartMarks":                      50,
	"App.segmentEstimate":                 500, // no rules like these were read before
	"Segment.estimate":                    100,
	"Segment.members":                     100,
	"Person.timeline":                     50, // reads stored events
	"Person.activity":                     2,
	"Subscription.live":                   100,
	"ProductAnalytics.summary":            100,
	"ProductAnalytics.series":             100,
	"ProductAnalytics.overview":           400, // twelve tables
	"ProductAnalytics.attribution":        100,
	"ProductAnalytics.attributionSeries":  150,
	"ProductAnalytics.engagement":         100,
	"ProductAnalytics.engagementSeries":   150,
	"ProductAnalytics.screens":            100,
	"ProductAnalytics.events":             100,
	"ProductAnalytics.eventsSeries":       150,
	"ProductAnalytics.paths":              150, // two passes
	"ProductAnalytics.retention":          100,
	"ProductAnalytics.retentionBreakdown": 100,
	"ProductAnalytics.retentionSeries":    150,
	"ProductAnalytics.retentionCohorts":   150,
	"ProductAnalytics.retentionCurve":     150,
	"ProductAnalytics.demographic":        100,
	"ProductAnalytics.demographicSeries":  150,
	"ProductAnalytics.technology":         100,
	"ProductAnalytics.technologySeries":   150,
	"ProductAnalytics.visitors":           150,
	"ProductAnalytics.timeline":           100,
	"ProductAnalytics.funnel":             400, // reads every hit of the range and of the window after it
	"ProductAnalytics.funnelSeries":       400,
	"ProductAnalytics.funnelBreakdown":    400,
	"ProductAnalytics.funnelVisitors":     500, // and lists visitors
	"Query.experimentResults":             400, // seven metrics with their series
	"Query.experimentPlan":                300, // two overviews
	"Query.channelWatch":                  300, // the runs of six weeks at most
	"Query.flowAnalytics":                 50,
	"FlowAnalytics.overview":              150, // two periods
	"FlowAnalytics.timeseries":            150,
	"FlowAnalytics.funnel":                150,
	"FlowAnalytics.dropoff":               100,
	"FlowAnalytics.stepDuration":          100,
	"FlowAnalytics.cohorts":               100,
	"FlowAnalytics.cohortKeys":            50,
	"FlowAnalytics.timeseriesCohorts":     150,
	"FlowAnalytics.heatmap":               100,
	"FlowAnalytics.purchases":             100,
	"FlowAnalytics.retention":             150,
	"FlowAnalytics.compare":               400, // two overviews and three funnels
	"FlowAnalytics.peopleBehind":          150,
	"App.appFlowOverview":                 150,
	"App.alertPreview":                    300, // the hours of 19 weeks, and 2,160 judgements
	"FlowAnalytics.responses":             400, // reads stored events
	"FlowAnalytics.recent":                100,
	"FlowAnalytics.run":                   50,

	"Query.revenue":                        50,
	"RevenueFigures.totals":                100,
	"RevenueFigures.series":                150,
	"RevenueFigures.breakdown":             250, // money, subscriptions and trials
	"RevenueFigures.subscriptions":         250,
	"RevenueFigures.subscriptionSeries":    250,
	"RevenueFigures.lifetimeValue":         150,
	"RevenueFigures.subscriptionRetention": 150,

	"App.automations":            100,
	"App.webhookEndpoints":       50,
	"App.emailSuppressions":      50,
	"App.scheduledReports":       50,
	"App.historyImports":         50,
	"App.parquetExport":          10,
	"App.importedTotals":         100,
	"ImportedTotals.series":      100, // reads five years of days
	"ImportedTotals.rows":        400, // of as many days of pages
	"HistoryImport.rejects":      50,
	"HistoryImport.preview":      200,   // reads a part of 4 MiB
	"App.scheduledReportPreview": 4_000, // asks for the reports of two periods
	"Component.content":          30,    // of 64 kB
	"Component.usedIn":           2_000, // looks through drafts: 5 s for 500 of 850 kB
	"Automation.problems":        50,
	"Automation.versions":        500, // of 64 kB each
	"Automation.figures":         150,
	"Automation.explanation":     150,
	"Automation.rehearsal":       4_000, // plays weeks of events
	"Automation.testRun":         4_000, // the same
	"Automation.emailPreview":    200,   // reads the draft, and is of 192 kB
	"WebhookEndpoint.deliveries": 400,   // bodies and answers

	"App.mediaUses": 500, // looks through drafts and versions

	// A manifest may have 4 MiB.
	"Flow.draft":           500,
	"Flow.problems":        2_000, // reads and checks all of the draft
	"Draft.problems":       2_000, // the same
	"FlowVersion.manifest": 500,
	// Templates have some 60 kB each, the files that they show included.
	"FlowTemplate.manifest":    20,
	"FlowTemplate.media":       20,
	"Draft.document":           500,
	"Query.simulateDraft":      6_000, // reads up to 100,000 runs
	"Query.draftAt":            1_000, // reads up to 32 MiB of edits
	"Draft.wayBack":            1_000, // the same
	"Query.draftHistory":       100,   // groups the edits of 90 days
	"Draft.oldestRevision":     100,   // reads the revisions of as many
	"Mutation.deleteComponent": 2_000, // looks through drafts

	// A password costs its hash: one an operation.
	"Mutation.erasePerson":      2_000, // looks at every session for the custom user id
	"Mutation.signIn":           passwordPrice,
	"Mutation.completeSetup":    passwordPrice,
	"Mutation.changePassword":   passwordPrice,
	"Mutation.resetPassword":    passwordPrice,
	"Mutation.openSharedLink":   passwordPrice,
	"Mutation.createSharedLink": passwordPrice,
}

const (
	passwordPrice = 6_000
	// mutationPrice lets an operation have ten.
	mutationPrice = 950
	// lookupPrice is what it costs to find a thing by its id, and whether the caller
	// may see it.
	lookupPrice = 20
	// objectPrice is what a thing costs that may have to be read.
	objectPrice = 1
)

// isReport tells whether the second time costs more than the first.
func isReport(field string) bool {
	owner, _, _ := strings.Cut(field, ".")
	switch owner {
	case "App", "Query", "Segment", "Subscription", "ProductAnalytics", "FlowAnalytics", "RevenueFigures":
		return prices[field] > 0
	}
	return false
}

// priceOf returns what a field costs beside the values of the answer.
func priceOf(schema *ast.Schema, field *ast.Field) int {
	price, priced := prices[field.ObjectDefinition.Name+"."+field.Name]
	switch {
	case priced:
		return price
	case field.ObjectDefinition == schema.Mutation:
		return mutationPrice
	case field.ObjectDefinition == schema.Query && len(field.Definition.Arguments) > 0:
		return lookupPrice
	case strings.HasPrefix(field.ObjectDefinition.Name, "__") || schema.Types[field.Definition.Type.Name()].IsLeafType():
		return 0
	}
	return objectPrice
}
