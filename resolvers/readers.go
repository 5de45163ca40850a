package resolvers

import (
	"context"
	"slices"
	"strings"

	"github.com/99designs/gqlgen/graphql"
	"github.com/google/uuid"

	"github.com/svc-dev/svc/account"
	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/ent"
	"github.com/svc-dev/svc/ent/environment"
	"github.com/svc-dev/svc/graph"
	"github.com/svc-dev/svc/internal/fault"
	"github.com/svc-dev/svc/studio"
)

// shared is what a report of a shared link lets its readers ask for: fields of ProductAnalytics, the dimensions that
// they may filter by, which are those that it shows, and those of imported totals beside them.
type shared struct {
	fields     []string
	dimensions []analytics.Dimension
	imported   []graph.ImportedDimension
}

var sharedBy = map[graph.SharedReport]shared{
	graph.SharedReportHome: {
		[]string{"summary", "series", "overview"},
		[]analytics.Dimension{
			analytics.AcquisitionChannel, analytics.Referrer, analytics.Source, analytics.Campaign, analytics.Page,
			analytics.Entry, analytics.Exit, analytics.Country, analytics.Device, analytics.Browser, analytics.OS,
			analytics.Event,
		},
		nil, // the page draws the series alone
	},
	graph.SharedReportAcquisition: {
		[]string{"attribution", "attributionSeries"},
		[]analytics.Dimension{
			analytics.AcquisitionChannel, analytics.Referrer, analytics.Source, analytics.Campaign, analytics.Medium,
		},
		[]graph.ImportedDimension{
			graph.ImportedDimensionSource, graph.ImportedDimensionReferrer, graph.ImportedDimensionMedium,
			graph.ImportedDimensionCampaign, graph.ImportedDimensionContent, graph.ImportedDimensionTerm,
		},
	},
	graph.SharedReportEngagement: {
		[]string{"engagement", "engagementSeries", "screens"},
		[]analytics.Dimension{analytics.Page, analytics.Entry, analytics.Exit},
		[]graph.ImportedDimension{
			graph.ImportedDimensionPage, graph.ImportedDimensionEntry, graph.ImportedDimensionExit,
		},
	},
	graph.SharedReportEvents: {
		[]string{"events", "eventsSeries"}, []analytics.Dimension{analytics.Event},
		[]graph.ImportedDimension{graph.ImportedDimensionEvent},
	},
	graph.SharedReportGoals: {
		[]string{"goals", "goalSeries", "goalBreakdown"},
		[]analytics.Dimension{
			analytics.AcquisitionChannel, analytics.Referrer, analytics.Source, analytics.Campaign, analytics.Medium,
			analytics.Country, analytics.Region, analytics.Browser, analytics.OS, analytics.Device, analytics.Entry,
			analytics.Exit,
		},
		nil,
	},
	graph.SharedReportRetention: {
		[]string{"retention", "retentionBreakdown", "retentionSeries", "retentionCohorts", "retentionCurve"},
		[]analytics.Dimension{analytics.Source, analytics.Campaign, analytics.Country, analytics.Device},
		nil,
	},
	graph.SharedReportLocations: {
		[]string{"demographic", "demographicSeries"}, []analytics.Dimension{analytics.Country, analytics.Region},
		[]graph.ImportedDimension{graph.ImportedDimensionCountry},
	},
	graph.SharedReportDevices: {
		[]string{"technology", "technologySeries"},
		[]analytics.Dimension{analytics.Browser, analytics.OS, analytics.Device},
		[]graph.ImportedDimension{
			graph.ImportedDimensionBrowser, graph.ImportedDimensionOs, graph.ImportedDimensionDevice,
		},
	},
}

// figureTypes are the types that fields of shared reports answer with. None of their fields tells of a single user.
var figureTypes = setOf(`
	BreakdownConnection BreakdownRow EngagementConnection EngagementRow EntryRow EventConnection EventRow ExitRow
	GoalBreakdownConnection GoalBreakdownRow GoalPoint GoalRow GoalRowConnection ImportedPoint ImportedRow Metrics
	Overview PageInfo PageRow ReportRange Retention RetentionCohort RetentionConnection RetentionPoint RetentionRow
	ReturnedShare RevenueByProvider ScreenConnection ScreenRow SeriesPoint Summary ValuePoint ValueSeries`)

// readable are the other fields that readers may ask for, whatever their link shares.
var readable = setOf(`
	Query.sharedView Query.app App.id App.name App.productAnalytics ProductAnalytics.range
	App.importedTotals ImportedTotals.range ImportedTotals.leftOut ImportedTotals.sources ImportedTotals.rows
	SharedView.name SharedView.app SharedView.environment SharedView.reports SharedView.scope SharedView.segment
	SharedView.expiresAt SharedView.poweredBy
	ViewScope.period ViewScope.from ViewScope.to ViewScope.timeZone ViewScope.grain ViewScope.platform
	ViewScope.segmentId ViewScope.cross ViewScope.comparison ViewScope.against ViewScope.matchWeekdays`)

func setOf(words string) map[string]bool {
	set := map[string]bool{}
	for _, word := range strings.Fields(words) {
		set[word] = true
	}
	return set
}

// limitReaders refuses to readers of shared links every field that their link does not share, before anything is read
// for it.
func limitReaders(ctx context.Context, field *graphql.FieldContext) error {
	if figureTypes[field.Object] { // first: they are nearly all fields of an answer
		return nil
	}
	if link := account.LinkOf(ctx); link != nil && !mayRead(link, field.Object, field.Field.Name) {
		return fault.New(fault.Forbidden, "this shared link does not show %s.%s", field.Object, field.Field.Name)
	}
	return nil
}

func mayRead(link *account.Link, object, field string) bool {
	if readable[object+"."+field] {
		return true
	}
	if object == "ImportedTotals" { // visitors, sessions, views and their series; rows are told by their dimension
		return slices.Contains(link.Reports, string(graph.SharedReportHome))
	}
	return object == "ProductAnalytics" && slices.ContainsFunc(link.Reports, func(report string) bool {
		return slices.Contains(sharedBy[graph.SharedReport(report)].fields, field)
	})
}

func sharedReports(names []string) []graph.SharedReport {
	reports := make([]graph.SharedReport, len(names))
	for i, name := range names {
		reports[i] = graph.SharedReport(name)
	}
	return reports
}

func namesOf[T ~string](values []T) []string {
	list := make([]string, len(values))
	for i, value := range values {
		list[i] = string(value)
	}
	return list
}

// authorizeSessions returns the id of an app's environment for those who may read reports, and for readers of a link
// that shares it.
func (r *Resolver) authorizeSessions(
	ctx context.Context, link *account.Link, app *ent.App, kind environment.Kind,
) (int64, error) {
	if link == nil {
		return r.authorizeReports(ctx, app, kind)
	}
	if app.ID != link.App || string(kind) != link.Environment {
		return 0, fault.Missing("environment")
	}
	return r.environmentID(ctx, app, kind)
}

// limitScope limits what a reader asks for to the scope of their link, whatever the query says, and returns the segment
// of the link.
func limitScope(link *account.Link, asked graph.ScopeInput, scope *analytics.Scope) (*uuid.UUID, error) {
	switch {
	case asked.SegmentID != nil:
		return nil, fault.Invalid("segmentId", "readers of a shared link choose no segment")
	case asked.Columns != nil:
		return nil, fault.Invalid("columns", "readers of a shared link filter by cross")
	case asked.RevenueProvider != nil:
		return nil, fault.Invalid("revenueProvider", "readers of a shared link choose no provider")
	}
	fixed, err := studio.ReadFixedScope(link.Scope)
	if err != nil {
		return nil, err
	}
	if platform := strings.ToLower(fixed.Platform); !withinPlatform(scope.Platform, platform) {
		return nil, fault.Invalid("platform", "the shared link shows %s only", fixed.Platform)
	} else if scope.Platform == "" {
		scope.Platform = platform
	}
	for _, filter := range scope.Cross {
		field := "cross." + string(filter.Dimension)
		if slices.ContainsFunc(fixed.Filters, func(f analytics.Filter) bool { return f.Dimension == filter.Dimension }) {
			return nil, fault.Invalid(field, "the shared link has a filter of its own")
		}
		if !mayFilter(link, filter.Dimension) {
			return nil, fault.Invalid(field, "none of the shared reports shows it")
		}
	}
	scope.Cross = append(scope.Cross, fixed.Filters...)
	return fixed.SegmentID, nil
}

// withinPlatform tells whether all users of the platform that is asked for, or all that are shown without one, are of
// the fixed one.
func withinPlatform(asked, fixed string) bool {
	return fixed == "" || asked == "" || asked == fixed ||
		fixed == analytics.Mobile && (asked == analytics.IOS || asked == analytics.Android)
}

func mayFilter(link *account.Link, dimension analytics.Dimension) bool {
	return slices.ContainsFunc(link.Reports, func(report string) bool {
		return slices.Contains(sharedBy[graph.SharedReport(report)].dimensions, dimension)
	})
}

// mayReadImported refuses to readers of a link the imported totals of dimensions that none of its reports shows.
func mayReadImported(ctx context.Context, dimension graph.ImportedDimension) error {
	link := account.LinkOf(ctx)
	if link == nil || slices.ContainsFunc(link.Reports, func(report string) bool {
		return slices.Contains(sharedBy[graph.SharedReport(report)].imported, dimension)
	}) {
		return nil
	}
	return fault.New(fault.Forbidden, "this shared link does not show imported totals by %s", dimension)
}

// sharedSegment returns the name of the segment that a link limits its readers to; nil without one.
func (r *Resolver) sharedSegment(ctx context.Context, link *account.Link) (*string, error) {
	fixed, err := studio.ReadFixedScope(link.Scope)
	if err != nil || fixed.SegmentID == nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, lookupTime)
	defer cancel()
	found, err := r.client.Segment.Get(ctx, *fixed.SegmentID)
	if err != nil {
		return nil, readError(err, "segment")
	}
	return &found.Name, nil
}
