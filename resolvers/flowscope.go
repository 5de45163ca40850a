package resolvers

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/analytics/flow"
	"github.com/svc-dev/svc/analytics/report"
	"github.com/svc-dev/svc/analytics/run"
	"github.com/svc-dev/svc/analytics/runlog"
	"github.com/svc-dev/svc/analytics/session"
	"github.com/svc-dev/svc/ent"
	entapp "github.com/svc-dev/svc/ent/app"
	"github.com/svc-dev/svc/ent/channel"
	"github.com/svc-dev/svc/ent/experiment"
	entflow "github.com/svc-dev/svc/ent/flow"
	"github.com/svc-dev/svc/ent/flowversion"
	"github.com/svc-dev/svc/ent/variant"
	"github.com/svc-dev/svc/graph"
	"github.com/svc-dev/svc/internal/fault"
	"github.com/svc-dev/svc/resolvers/flowreport"
	"github.com/svc-dev/svc/resolvers/page"
)

const (
	// responsesTime bounds the report of what people answered, which reads stored events.
	responsesTime = 20 * time.Second
	// questionVersions is how many versions of a flow are asked which fields they have, the newest first.
	questionVersions = 50
)

// selectRuns evaluates the scope of flow reports once, for all of them.
func (r *Resolver) selectRuns(ctx context.Context, input graph.FlowAnalyticsScope) (*flowreport.Reports, error) {
	app, err := r.finder.findOwnApp(ctx, "flow", entapp.HasFlowsWith(entflow.ID(input.FlowID)))
	if err != nil {
		return nil, err
	}
	environmentID, err := r.authorizeReports(ctx, app, input.Environment)
	if err != nil {
		return nil, err
	}
	scope, err := r.convertFlowScope(ctx, app, environmentID, input)
	if err != nil {
		return nil, err
	}
	if scope.Segment, err = r.readSegment(ctx, app, input.SegmentID); err != nil {
		return nil, err
	}
	now := r.now()
	if scope, err = scope.Resolve(now); err != nil {
		return nil, err
	}
	people, err := r.selectPeople(ctx, environmentID, &scope, now)
	if err != nil {
		return nil, err
	}
	of := &flowreport.Reports{
		EnvironmentID: environmentID, Scope: scope, Now: now,
		Filter: runlog.NewFilter(scope, people),
		Reader: &runlog.Reader{DB: r.db.Pool, EnvironmentID: environmentID, Flow: scope.Flow},
	}
	return of, r.selectInMemory(ctx, of)
}

// convertFlowScope converts the input; its values are checked by Scope.Resolve.
func (r *Resolver) convertFlowScope(
	ctx context.Context, app *ent.App, environmentID int64, input graph.FlowAnalyticsScope,
) (flow.Scope, error) {
	base, err := convertScope(graph.ScopeInput{TimeZone: input.TimeZone, Range: input.Range, Platform: input.Platform})
	if err != nil {
		return flow.Scope{}, err
	}
	scope := flow.Scope{
		Flow: session.Key(input.FlowID), Start: base.Start, End: base.End, Location: base.Location, Platform: base.Platform,
		Filters: convertFlowFilters(input.Filters), Windows: windowsOf(app),
	}
	for _, id := range input.Versions {
		scope.Versions = append(scope.Versions, session.Key(id))
	}
	if err := r.requireNamed(ctx, app.ID, input); err != nil {
		return flow.Scope{}, err
	}
	scope.Variants = input.Variants
	if input.ExperimentID != nil {
		scope.Experiment = session.Key(*input.ExperimentID)
		if scope.Variants, err = r.findVariantIDs(ctx, environmentID, *input.ExperimentID, input.Variants); err != nil {
			return flow.Scope{}, err
		}
	}
	if p := input.CustomProperty; p != nil {
		scope.Property = &flow.Property{Key: p.Key, Values: p.Values}
	}
	scope.Channels, err = r.findChannelIDs(ctx, environmentID, input.Channels)
	return scope, err
}

// requireNamed refuses versions that the flow and an experiment that the app does not have: reports of what names
// nothing would be zeros. An experiment may be of the other environment, whose history was imported into this one.
func (r *Resolver) requireNamed(ctx context.Context, app uuid.UUID, input graph.FlowAnalyticsScope) error {
	ctx, cancel := context.WithTimeout(ctx, lookupTime)
	defer cancel()
	if len(input.Versions) > flow.MaxValues {
		return analytics.Invalid("versions", "at most %d values", flow.MaxValues)
	}
	if len(input.Versions) > 0 {
		found, err := r.client.FlowVersion.Query().
			Where(flowversion.FlowID(input.FlowID), flowversion.IDIn(input.Versions...)).IDs(ctx)
		if err != nil {
			return fmt.Errorf("find the versions of a scope: %w", err)
		}
		for _, id := range input.Versions {
			if !slices.Contains(found, id) {
				return fault.New(fault.NotFound, "versions: the flow has no version %s", id)
			}
		}
	}
	if input.ExperimentID == nil {
		return nil
	}
	_, where := ofExperiment(*input.ExperimentID)
	found, err := r.client.App.Query().Where(entapp.ID(app), where).Count(ctx)
	if err != nil {
		return fmt.Errorf("find the experiment of a scope: %w", err)
	}
	if found == 0 {
		return fault.New(fault.NotFound, "experimentId: the app has no experiment %s", *input.ExperimentID)
	}
	return nil
}

// findChannelIDs returns the ids of an environment's channels by their public ids.
func (r *Resolver) findChannelIDs(ctx context.Context, environmentID int64, public []string) ([]int64, error) {
	if len(public) == 0 {
		return nil, nil
	}
	if len(public) > flow.MaxValues {
		return nil, analytics.Invalid("channels", "at most %d values", flow.MaxValues)
	}
	ctx, cancel := context.WithTimeout(ctx, lookupTime)
	defer cancel()
	found, err := r.client.Channel.Query().
		Where(channel.EnvironmentID(environmentID), channel.PublicIDIn(public...)).All(ctx)
	if err != nil {
		return nil, fmt.Errorf("find the channels of a scope: %w", err)
	}
	ids := make([]int64, len(found))
	for i, c := range found {
		ids[i] = c.ID
	}
	for _, id := range public {
		if !slices.ContainsFunc(found, func(c *ent.Channel) bool { return c.PublicID == id }) {
			return nil, analytics.Invalid("channels", "the environment has no channel %s", id)
		}
	}
	return ids, nil
}

// findVariantIDs returns the ids of an experiment's variants, which events carry, by their keys or ids. Those of an
// experiment that the environment does not have, whose history it was given, are left as they are.
func (r *Resolver) findVariantIDs(
	ctx context.Context, environmentID int64, experimentID uuid.UUID, named []string,
) ([]string, error) {
	if len(named) == 0 {
		return named, nil
	}
	ctx, cancel := context.WithTimeout(ctx, lookupTime)
	defer cancel()
	found, err := r.client.Variant.Query().Where(variant.HasExperimentWith(
		experiment.ID(experimentID), experiment.HasChannelWith(channel.EnvironmentID(environmentID)),
	)).Order(variant.ByPosition()).All(ctx)
	if err != nil {
		return nil, fmt.Errorf("find the variants of a scope: %w", err)
	}
	if len(found) == 0 {
		return named, nil
	}
	ids := make([]string, len(named))
	for i, name := range named {
		at := slices.IndexFunc(found, func(v *ent.Variant) bool { return v.Key == name || v.ID.String() == name })
		if at < 0 {
			keys := make([]string, len(found))
			for j, v := range found {
				keys[j] = v.Key
			}
			return nil, analytics.Invalid(
				"variants", "the experiment has no variant %q, but %s", name, strings.Join(keys, ", "),
			)
		}
		ids[i] = found[at].ID.String()
	}
	return ids, nil
}

func convertFlowFilters(input *graph.FlowFilters) []analytics.Filter {
	if input == nil {
		return nil
	}
	var filters []analytics.Filter
	for _, f := range []struct {
		dimension analytics.Dimension
		filter    *graph.ExactFilter
	}{
		{flow.Locale, input.Locale}, {flow.Language, input.Language}, {analytics.Country, input.Country},
		{analytics.Region, input.Region}, {flow.AppVersion, input.AppVersion}, {analytics.Device, input.Device},
		{analytics.Browser, input.Browser}, {analytics.OS, input.Os},
		{analytics.AcquisitionChannel, input.AcquisitionChannel}, {analytics.Source, input.Source},
		{analytics.Medium, input.Medium}, {analytics.Campaign, input.Campaign},
	} {
		if f.filter != nil {
			filters = append(filters, analytics.Filter{Dimension: f.dimension, Operator: f.filter.Op, Values: f.filter.Values})
		}
	}
	return filters
}

// selectPeople tells who passes what a scope says of people, its segment and its filters by first touch; nil is
// everybody.
func (r *Resolver) selectPeople(
	ctx context.Context, environmentID int64, scope *flow.Scope, now time.Time,
) (func(appUserID string) bool, error) {
	var touched []analytics.Filter
	for _, f := range scope.Filters {
		if slices.Contains(flow.OfFirstTouch, f.Dimension) {
			touched = append(touched, f)
		}
	}
	if scope.Segment == nil && len(touched) == 0 {
		return nil, nil
	}
	view, members, err := r.reports.SegmentView(ctx, environmentID, scope.Segment, now)
	if err != nil {
		return nil, err
	}
	return func(appUserID string) bool {
		ordinal, known := view.Ordinal(appUserID)
		if members != nil && (!known || !members.Has(ordinal)) {
			return false
		}
		for _, f := range touched {
			value := flow.FirstTouchValue(view, f.Dimension, appUserID)
			if slices.Contains(f.Values, value) == (f.Operator == analytics.IsNot) {
				return false
			}
		}
		return true
	}, nil
}

// readQuestions returns the fields of a scope's newest versions, the newest version first.
func (r *Resolver) readQuestions(ctx context.Context, scope *flow.Scope) ([]runlog.Question, error) {
	query := r.client.FlowVersion.Query().Where(flowversion.FlowID(uuid.UUID(scope.Flow)))
	if len(scope.Versions) > 0 {
		ids := make([]uuid.UUID, len(scope.Versions))
		for i, id := range scope.Versions {
			ids[i] = uuid.UUID(id)
		}
		query.Where(flowversion.IDIn(ids...))
	}
	ids, err := query.Order(flowversion.ByNumber(newestFirst)).Limit(questionVersions).IDs(ctx)
	if err != nil {
		return nil, fmt.Errorf("list the versions of a flow: %w", err)
	}
	var questions []runlog.Question
	for _, id := range ids {
		version, err := r.versions.Of(ctx, id)
		if err != nil {
			return nil, err
		}
		questions = append(questions, version.Questions...)
	}
	return questions, nil
}

// readResponses reads what people answered in the runs of a scope.
func (r *Resolver) readResponses(
	ctx context.Context, of *flowreport.Reports, asked report.Page,
) (*flowreport.ResponsePage, error) {
	ctx, cancel := context.WithTimeout(ctx, responsesTime)
	defer cancel()
	questions, err := r.readQuestions(ctx, &of.Scope)
	if err != nil {
		return nil, err
	}
	found, err := of.Reader.Responses(ctx, r.db.Pool, of.Filter, questions)
	if err != nil {
		return nil, err
	}
	return flowreport.NewResponsePage(found, asked)
}

// readRecentRuns returns a page of the newest runs of a scope.
func (r *Resolver) readRecentRuns(
	ctx context.Context, of *flowreport.Reports, first *int, after *string,
) (*graph.FlowRunConnection, error) {
	limit, err := page.Size(first)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, lookupTime)
	defer cancel()
	found, err := of.Reader.Newest(ctx, of.Filter, deref(after), limit)
	if err != nil {
		return nil, err
	}
	runs := make([]*runlog.Run, len(found.Runs))
	for i := range found.Runs {
		runs[i] = &found.Runs[i]
	}
	nodes, err := r.describeRuns(ctx, of, runs)
	if err != nil {
		return nil, err
	}
	list := &graph.FlowRunConnection{
		Nodes: nodes, Complete: found.Complete, PageInfo: &page.Info{HasNextPage: found.HasNext},
	}
	if found.EndCursor != "" {
		list.PageInfo.EndCursor = &found.EndCursor
	}
	return list, nil
}

// readRun returns a run with all its events; nil when the flow has none of the id.
func (r *Resolver) readRun(ctx context.Context, of *flowreport.Reports, id string) (*graph.FlowRunRecord, error) {
	parsed, ok := runlog.ParseID(id)
	if !ok {
		return nil, fault.Invalid("id", "is not the id of a run")
	}
	ctx, cancel := context.WithTimeout(ctx, lookupTime)
	defer cancel()
	found, err := of.Reader.Read(ctx, parsed)
	if err != nil || found == nil {
		return nil, err
	}
	nodes, err := r.describeRuns(ctx, of, []*runlog.Run{&found.Run})
	if err != nil {
		return nil, err
	}
	events := pointers(found.Hits)
	return &graph.FlowRunRecord{Run: nodes[0], Hits: events, Events: events}, nil
}

// describeRuns converts runs, whose channels, variants and people it looks up.
func (r *Resolver) describeRuns(
	ctx context.Context, of *flowreport.Reports, runs []*runlog.Run,
) ([]*graph.FlowRun, error) {
	var people []string
	var served []int64
	for _, found := range runs {
		people, served = append(people, found.Person), append(served, found.Release.Channel)
	}
	custom, err := of.Reader.CustomUserIDs(ctx, people)
	if err != nil {
		return nil, err
	}
	channels, err := r.client.Channel.Query().Where(channel.IDIn(served...)).All(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the channels of runs: %w", err)
	}
	variants, err := r.readVariants(ctx, of.EnvironmentID, of.Scope.Experiment)
	if err != nil {
		return nil, err
	}
	nodes := make([]*graph.FlowRun, len(runs))
	for i, found := range runs {
		node := &graph.FlowRun{
			ID: found.ID.String(), AppUserID: found.Person, CustomUserID: custom[found.Person],
			StartedAt: time.UnixMilli(found.StartedAt), LastAt: time.UnixMilli(found.LastAt), HasStart: found.HasStart,
			State:     convertRunState(found.State(of.Now, of.Scope.Windows.Lapse)),
			VersionID: uuid.UUID(found.Release.Version), Variant: variants.key(found.Release.Variant),
			Platform: found.Client.Platform, Locale: found.Client.Locale, AppVersion: found.Client.AppVersion,
			Country: found.Place.Country, Region: found.Place.Region, City: found.Place.City,
			Device: found.Device.Device, Browser: found.Device.Browser, Os: found.Device.OS,
			Path: pointers(found.Path),
		}
		if version := int(found.Release.AssignmentVersion); version >= 0 {
			node.AssignmentVersion = &version
		}
		if found.Release.Experiment != (session.Key{}) {
			id := uuid.UUID(found.Release.Experiment)
			node.ExperimentID = &id
		}
		if found.CustomProperties != "" {
			node.CustomProperties = []byte(found.CustomProperties)
		}
		for _, c := range channels {
			if c.ID == found.Release.Channel {
				node.ChannelID = &c.PublicID
			}
		}
		nodes[i] = node
	}
	return nodes, nil
}

func convertRunState(state run.State) graph.FlowRunState {
	switch state {
	case run.Completed:
		return graph.FlowRunStateCompleted
	case run.Abandoned:
		return graph.FlowRunStateAbandoned
	case run.Lapsed:
		return graph.FlowRunStateLapsed
	}
	return graph.FlowRunStateOpen
}
