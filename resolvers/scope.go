package resolvers

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/google/uuid"
	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/svc-dev/svc/account"
	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/analytics/alert"
	"github.com/svc-dev/svc/analytics/flow"
	"github.com/svc-dev/svc/analytics/frame"
	"github.com/svc-dev/svc/analytics/report"
	"github.com/svc-dev/svc/ent"
	"github.com/svc-dev/svc/ent/environment"
	"github.com/svc-dev/svc/graph"
	"github.com/svc-dev/svc/internal/fault"
	"github.com/svc-dev/svc/studio"
)

// Reports is the store that reports read. Its errors are analytics.FieldErrors, or wrap
// analytics.ErrUnavailable.
type Reports interface {
	// Select evaluates a scope and the members of its segment, and with withPrevious the period
	// before, with withRuns the runs of its visitors.
	Select(
		ctx context.Context, environmentID int64, scope analytics.Scope, withPrevious, withRuns bool, now time.Time,
	) (*report.Selection, error)
	// SelectRuns evaluates a scope of runs: with withPrevious also the period before, with withSessions also who came
	// back.
	SelectRuns(
		ctx context.Context, environmentID int64, scope flow.Scope, withPrevious, withSessions bool, now time.Time,
	) (*flow.Selection, error)
	// Members evaluates a segment, at most a minute ago.
	Members(
		ctx context.Context, environmentID int64, segment *analytics.Segment, now time.Time,
	) (*report.Members, error)
	// Live evaluates the live report of a platform, all without one, and a segment, everybody without one.
	Live(
		ctx context.Context, environmentID int64, platform string, segment *analytics.Segment, page report.Page,
		now time.Time,
	) (*report.Live, error)
	// SegmentView returns a view of all visitors, and which of them are in the segment; nil without one.
	SegmentView(
		ctx context.Context, environmentID int64, segment *analytics.Segment, now time.Time,
	) (*frame.View, *report.Members, error)
	// Guard calls what reads a report where no field does.
	Guard(read func() error) error
	// Distrust is called when what a report read can't be read any more.
	Distrust(why error)
}

// lookupTime bounds the reads that a report request makes of the database itself,
// so that one that hangs is reported within five seconds.
const lookupTime = 4 * time.Second

// selectSessions evaluates a scope once, for all reports under it.
func (r *Resolver) selectSessions(
	ctx context.Context, app *ent.App, input graph.ScopeInput,
) (*report.Selection, error) {
	link := account.LinkOf(ctx)
	environmentID, err := r.authorizeSessions(ctx, link, app, input.Environment)
	if err != nil {
		return nil, err
	}
	scope, err := convertScope(input)
	if err != nil {
		return nil, err
	}
	if link != nil {
		if input.SegmentID, err = limitScope(link, input, &scope); err != nil {
			return nil, err
		}
	}
	scope.Lapse = windowsOf(app).Lapse
	if scope.Segment, err = r.readSegment(ctx, app, input.SegmentID); err != nil {
		return nil, err
	}
	if scope.Follow, err = followedBy(ctx); err != nil {
		return nil, err
	}
	reads := asksFor(ctx, "goals") || asksFor(ctx, "goalSeries") || asksFor(ctx, "goalBreakdown")
	if reads || scope.Follow > 0 || analytics.HasGoalFilter(scope.Cross) {
		if scope.Goals, err = r.studio.Goals(ctx, app.ID); err != nil {
			return nil, err
		}
	}
	withRuns := scope.Follow > 0 || asksFor(ctx, "visitors") || asksFor(ctx, "timeline")
	return r.reports.Select(ctx, environmentID, scope, asksFor(ctx, "summary"), withRuns, r.now())
}

// asksFor tells whether the field being answered selects a field of that name.
func asksFor(ctx context.Context, name string) bool {
	return slices.Contains(graphql.CollectAllFields(ctx), name)
}

// environmentOf names the environment of an app.
type environmentOf struct {
	app  uuid.UUID
	kind environment.Kind
}

// environmentsKept bounds the ids of environments in memory: some hundred bytes each.
const environmentsKept = 10_000

func newEnvironments() *lru.Cache[environmentOf, int64] {
	environments, err := lru.New[environmentOf, int64](environmentsKept)
	if err != nil {
		panic(err) // the size is a constant above zero
	}
	return environments
}

// authorizeReports returns the id of an app's environment for callers who may read reports.
func (r *Resolver) authorizeReports(ctx context.Context, app *ent.App, kind environment.Kind) (int64, error) {
	if _, err := account.Authorize(ctx, app.WorkspaceID, account.AnalyticsRead); err != nil {
		return 0, err
	}
	return r.environmentID(ctx, app, kind)
}

// environmentID returns the id of an app's environment, where the server holds reports.
func (r *Resolver) environmentID(ctx context.Context, app *ent.App, kind environment.Kind) (int64, error) {
	if r.reports == nil {
		return 0, fmt.Errorf("%w: this server holds no reports", analytics.ErrUnavailable)
	}
	// An app has its environments for ever, so those that were read once need no round trip.
	of := environmentOf{app.ID, kind}
	if id, known := r.environments.Get(of); known {
		return id, nil
	}
	ctx, cancel := context.WithTimeout(ctx, lookupTime)
	defer cancel()
	id, err := r.client.Environment.Query().Where(environment.AppID(app.ID), environment.KindEQ(kind)).OnlyID(ctx)
	if err != nil {
		return 0, readError(err, "environment")
	}
	r.environments.Add(of, id)
	return id, nil
}

func (r *Resolver) readSegment(ctx context.Context, app *ent.App, id *uuid.UUID) (*analytics.Segment, error) {
	if id == nil {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(ctx, lookupTime)
	defer cancel()
	audience, err := r.studio.Audience(ctx, app.ID, *id, "segmentId")
	return inWindows(audience, app), err
}

// windowsOf returns how long an app waits for what its runs lead to.
func windowsOf(app *ent.App) flow.Windows {
	const day = 24 * time.Hour
	return flow.Windows{
		Completion: time.Duration(app.CompletionWindowDays) * day, Purchase: time.Duration(app.PurchaseWindowDays) * day,
		Lapse: time.Duration(app.LapseMinutes) * time.Minute,
	}
}

// inWindows sets when runs have lapsed for the rules of an audience, if it has any, and returns it.
func inWindows(audience *analytics.Segment, app *ent.App) *analytics.Segment {
	if audience != nil && audience.Rules != nil {
		audience.Rules.Lapse = windowsOf(app).Lapse
	}
	return audience
}

// convertScope converts the input; its values are checked by Scope.Resolve.
func convertScope(input graph.ScopeInput) (analytics.Scope, error) {
	zone, err := time.LoadLocation(input.TimeZone)
	if err != nil || input.TimeZone == "Local" || input.TimeZone == "" {
		return analytics.Scope{}, fault.Invalid(
			"timeZone", "unknown time zone %q: use an IANA name such as Europe/Berlin", input.TimeZone,
		)
	}
	scope := analytics.Scope{
		Location: zone, Platform: convertPlatform(input.Platform),
		Columns: deref(input.Columns), Cross: convertCross(input.Cross),
	}
	if input.Range != nil {
		scope.Start, scope.End = input.Range.Start, input.Range.End
	}
	if input.RevenueProvider != nil {
		scope.RevenueProvider = strings.ToLower(string(*input.RevenueProvider))
	}
	return scope, nil
}

func convertPlatform(platform *graph.Platform) string {
	return strings.ToLower(string(deref(platform)))
}

func convertCross(input *graph.CrossFilters) []analytics.Filter {
	if input == nil {
		return nil
	}
	var filters []analytics.Filter
	exact := func(dimension analytics.Dimension, f *graph.ExactFilter) {
		if f != nil {
			filters = append(filters, analytics.Filter{Dimension: dimension, Operator: f.Op, Values: f.Values})
		}
	}
	text := func(dimension analytics.Dimension, f *graph.TextFilter) {
		if f != nil {
			filters = append(filters, analytics.Filter{Dimension: dimension, Operator: f.Op, Values: f.Values})
		}
	}
	exact(analytics.AcquisitionChannel, input.AcquisitionChannel)
	exact(analytics.Referrer, input.Referrer)
	exact(analytics.Source, input.Source)
	exact(analytics.Medium, input.Medium)
	exact(analytics.Country, input.Country)
	exact(analytics.Region, input.Region)
	exact(analytics.Browser, input.Browser)
	exact(analytics.OS, input.Os)
	exact(analytics.Device, input.Device)
	text(analytics.Campaign, input.Campaign)
	text(analytics.Page, input.Page)
	text(analytics.Event, input.Event)
	text(analytics.Entry, input.Entry)
	text(analytics.Exit, input.Exit)
	exact(analytics.Flow, input.Flow)
	exact(analytics.FlowVersion, input.FlowVersion)
	exact(analytics.Variant, input.Variant)
	exact(analytics.FlowOutcome, input.FlowOutcome)
	exact(analytics.MetGoal, input.Goal)
	return filters
}

// convertRules converts rules to the form that they are stored in.
func convertRules(input *graph.SegmentRulesInput) *studio.SegmentRules {
	if input == nil {
		return nil
	}
	rules := &studio.SegmentRules{
		Platform: string(deref(input.Platform)), Columns: map[string]string{}, Cross: convertRuleFilters(input.Cross),
		Where: input.Where,
	}
	for _, filter := range deref(input.Columns).Filters() {
		rules.Columns[string(filter.Dimension)] = filter.Values[0]
	}
	return rules
}

// readViewScope reads a scope as it is stored.
func readViewScope(stored json.RawMessage) (*graph.ViewScope, error) {
	var scope graph.ViewScope
	if err := json.Unmarshal(stored, &scope); err != nil {
		return nil, fmt.Errorf("read the scope of a view: %w", err)
	}
	return &scope, nil
}

// convertViewScope converts a scope to the form that it is stored in, which is that of graph.ViewScope in JSON.
func convertViewScope(input *graph.ViewScopeInput) *studio.ViewScope {
	if input == nil {
		return nil
	}
	scope := &studio.ViewScope{
		Period: string(input.Period), From: deref(input.From), To: deref(input.To), TimeZone: deref(input.TimeZone),
		Grain: string(deref(input.Grain)), Platform: string(deref(input.Platform)),
		SegmentID: input.SegmentID, Cross: convertRuleFilters(input.Cross),
		Comparison: string(input.Comparison), Against: deref(input.Against), MatchWeekdays: input.MatchWeekdays,
	}
	return scope
}

// convertAlertRule converts a rule to the form that it is stored in, which is that of the input in JSON.
func convertAlertRule(input *graph.AlertRuleInput) *alert.Rule {
	if input == nil {
		return nil
	}
	return &alert.Rule{
		Metric: input.Metric, GoalID: input.GoalID, TimeZone: input.TimeZone,
		Platform: string(deref(input.Platform)), SegmentID: input.SegmentID, Cross: convertRuleFilters(input.Cross),
		Grain: strings.ToUpper(string(input.Grain)), Condition: *input.Condition,
		Breaches: input.Breaches, Of: input.Of,
		QuietFrom: deref(input.QuietFrom), QuietUntil: deref(input.QuietUntil),
	}
}

// convertRuleFilters converts filters to the form that they are stored in.
func convertRuleFilters(input *graph.CrossFilters) map[string]studio.RuleFilter {
	filters := map[string]studio.RuleFilter{}
	for _, filter := range convertCross(input) {
		filters[string(filter.Dimension)] = studio.RuleFilter{
			Op: strings.ToUpper(string(filter.Operator)), Values: filter.Values,
		}
	}
	return filters
}

// countMembers counts the people that an audience has now.
func (r *Resolver) countMembers(
	ctx context.Context, app *ent.App, kind environment.Kind, audience *analytics.Segment,
) (*int, error) {
	environmentID, err := r.authorizeReports(ctx, app, kind)
	if err != nil {
		return nil, err
	}
	members, err := r.reports.Members(ctx, environmentID, inWindows(audience, app), r.now())
	if err != nil {
		return nil, err
	}
	count := members.Count()
	return &count, nil
}

// liveInput is what the live report takes.
type liveInput struct {
	environment environment.Kind
	platform    *graph.Platform
	segmentID   *uuid.UUID
	first       *int
	after       *string
}

func (r *Resolver) readLive(ctx context.Context, app *ent.App, input liveInput) (*graph.Live, error) {
	environmentID, err := r.authorizeReports(ctx, app, input.environment)
	if err != nil {
		return nil, err
	}
	audience, err := r.readSegment(ctx, app, input.segmentID)
	if err != nil {
		return nil, err
	}
	page, err := convertPage(input.first, input.after, nil, false, nil)
	if err != nil {
		return nil, err
	}
	var answer *graph.Live
	err = r.reports.Guard(func() error { // a subscription reads it outside of fields
		live, err := r.reports.Live(ctx, environmentID, convertPlatform(input.platform), audience, page, r.now())
		if err != nil {
			return err
		}
		people, err := convertTable(&live.People, nil)
		answer = &graph.Live{
			Count:  live.Count,
			People: people,
			Places: pointers(live.Places), Minutes: pointers(live.Minutes), Pages: pointers(live.Pages),
		}
		return err
	})
	return answer, err
}
