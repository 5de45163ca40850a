package resolvers

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/svc-dev/svc/account"
	"github.com/svc-dev/svc/analytics"
	results "github.com/svc-dev/svc/analytics/experiment"
	"github.com/svc-dev/svc/analytics/flow"
	"github.com/svc-dev/svc/analytics/session"
	"github.com/svc-dev/svc/delivery/served"
	"github.com/svc-dev/svc/delivery/sticky"
	"github.com/svc-dev/svc/ent"
	entapp "github.com/svc-dev/svc/ent/app"
	"github.com/svc-dev/svc/ent/channel"
	"github.com/svc-dev/svc/ent/environment"
	"github.com/svc-dev/svc/ent/experiment"
	"github.com/svc-dev/svc/ent/variant"
	"github.com/svc-dev/svc/graph"
	"github.com/svc-dev/svc/internal/fault"
	"github.com/svc-dev/svc/resolvers/page"
	"github.com/svc-dev/svc/studio"
)

// listExperiments returns the experiments of an app's environment.
func (r *Resolver) listExperiments(
	ctx context.Context, app *ent.App, kind environment.Kind, first *int, after *string,
) (*page.Of[ent.Experiment], error) {
	of := environment.And(environment.AppID(app.ID), environment.KindEQ(kind))
	query := r.client.Experiment.Query().Where(experiment.HasChannelWith(channel.HasEnvironmentWith(of)))
	return page.Read(ctx, query, newestExperiments, first, after)
}

// readResults computes the results of an experiment for a caller who may read reports.
func (r *Resolver) readResults(ctx context.Context, id uuid.UUID, timeZone string) (*graph.ExperimentResults, error) {
	of := entapp.HasEnvironmentsWith(environment.HasChannelsWith(channel.HasExperimentsWith(experiment.ID(id))))
	app, err := r.finder.findOwnApp(ctx, "experiment", of)
	if err != nil {
		return nil, err
	}
	if _, err := account.Authorize(ctx, app.WorkspaceID, account.AnalyticsRead); err != nil {
		return nil, err
	}
	base, err := convertScope(graph.ScopeInput{TimeZone: timeZone})
	if err != nil {
		return nil, err
	}
	looking, cancel := context.WithTimeout(ctx, lookupTime)
	defer cancel()
	x, err := r.client.Experiment.Query().Where(experiment.ID(id)).
		WithVariants(func(q *ent.VariantQuery) { q.Order(variant.ByPosition()) }).
		WithChannel(func(q *ent.ChannelQuery) { q.WithEnvironment() }).Only(looking)
	if err != nil {
		return nil, readError(err, "experiment")
	}
	if x.StartedAt == nil {
		return nil, fault.New(fault.Conflict, "the experiment was not started: a draft has no results")
	}
	environmentID, err := r.authorizeReports(ctx, app, x.Edges.Channel.Edges.Environment.Kind)
	if err != nil {
		return nil, err
	}
	now := r.now()
	in := inputOf(x, app, base.Location, now)
	var leftOut int64
	if in.Served, leftOut, err = r.readServed(looking, environmentID, x, now); err != nil {
		return nil, err
	}
	var unrecorded int
	goals, err := r.loadExperimentGoals(looking, x)
	if err != nil {
		return nil, err
	}
	for _, g := range goals {
		in.Goals = append(in.Goals, results.Goal{ID: g.Goal.ID, Name: g.Goal.Name, Primary: g.Primary})
	}
	if in.Exposures, unrecorded, err = r.readExposures(ctx, environmentID, x, in, goals); err != nil {
		return nil, err
	}
	found, err := results.Assemble(in)
	if err != nil {
		return nil, fmt.Errorf("compute the results: %w", err)
	}
	converted := convertResults(x, found, goals)
	converted.ServedLeftOut, converted.AssignmentsLeftOut, converted.Unrecorded = leftOut, leftOut, unrecorded
	return converted, nil
}

// plannerOf returns the planner of an experiment. One that was stored before planners were checked counts as none; one
// that names no windows has those of the app.
func plannerOf(x *ent.Experiment, app *ent.App) results.Planner {
	standard := results.DefaultPlanner()
	standard.CompletionDays, standard.PurchaseDays = app.CompletionWindowDays, app.PurchaseWindowDays
	planner, err := results.ParsePlanner(x.Planner, standard)
	if err != nil {
		return standard
	}
	return planner
}

// inputOf returns what the entities say of an experiment.
func inputOf(x *ent.Experiment, app *ent.App, location *time.Location, now time.Time) results.Input {
	in := results.Input{Start: *x.StartedAt, Extended: x.ExtendedAt != nil, Now: now, Location: location}
	for _, v := range x.Edges.Variants {
		in.Variants = append(in.Variants, results.Variant{ID: v.ID.String(), Key: v.Key, Weight: v.Weight})
	}
	in.Planner = plannerOf(x, app)
	if x.EndsAt != nil {
		in.PlannedEnd = *x.EndsAt
	}
	if x.StoppedAt != nil {
		in.Stop = *x.StoppedAt
	}
	return in
}

// loadExperimentGoals reads the goals that an experiment measures.
func (r *Resolver) loadExperimentGoals(ctx context.Context, x *ent.Experiment) ([]*graph.ExperimentGoal, error) {
	list, err := studio.ExperimentGoals(x)
	if err != nil {
		return nil, err
	}
	ids := make([]uuid.UUID, len(list))
	for i, g := range list {
		ids[i] = g.GoalID
	}
	found, err := r.finder.batch(ctx).goals.LoadAll(ctx, ids)
	if err != nil {
		return nil, readError(err, "goal")
	}
	goals := make([]*graph.ExperimentGoal, len(list))
	for i, g := range list {
		goals[i] = &graph.ExperimentGoal{Goal: found[i], Primary: g.Primary}
	}
	return goals, nil
}

// conditionsOf returns the conditions of goals.
func conditionsOf(goals []*graph.ExperimentGoal) ([]analytics.GoalCondition, error) {
	conditions := make([]analytics.GoalCondition, len(goals))
	for i, g := range goals {
		if err := json.Unmarshal(g.Goal.Condition, &conditions[i]); err != nil {
			return nil, fmt.Errorf("read the condition of goal %s: %w", g.Goal.ID, err)
		}
	}
	return conditions, nil
}

// namesHits tells whether one of the conditions is about product events, which sessions hold.
func namesHits(conditions []analytics.GoalCondition) bool {
	return slices.ContainsFunc(conditions, func(c analytics.GoalCondition) bool {
		return c.Event != nil || c.Page != nil || c.Screen != nil
	})
}

// readServed counts whom resolve gave each arm, and how often somebody of the environment was left out meanwhile.
func (r *Resolver) readServed(
	ctx context.Context, environmentID int64, x *ent.Experiment, now time.Time,
) (people []int, leftOut int64, err error) {
	count := served.Count
	if x.SplitBy == experiment.SplitByCustomUserID {
		count = sticky.Count
	}
	people, err = count(ctx, r.db.Pool, environmentID, x.ID, len(x.Edges.Variants))
	if err != nil {
		return nil, 0, fmt.Errorf("count who was served: %w", err)
	}
	end := now
	if x.StoppedAt != nil {
		end = *x.StoppedAt
	}
	err = r.db.Pool.QueryRow(ctx, `select coalesce(sum(left_out), 0)::bigint from experiment_served_count
		where environment_id = $1 and day between ($2::timestamptz at time zone 'UTC')::date
			and ($3::timestamptz at time zone 'UTC')::date`, environmentID, *x.StartedAt, end).Scan(&leftOut)
	if err != nil {
		return nil, 0, fmt.Errorf("count who was served and not noted: %w", err)
	}
	return people, leftOut, nil
}

// readExposures reads who had a run of the experiment, and how many devices are left out since it is not known whose
// they are.
func (r *Resolver) readExposures(
	ctx context.Context, environmentID int64, x *ent.Experiment, in results.Input, goals []*graph.ExperimentGoal,
) (exposures []results.Exposure, unrecorded int, err error) {
	end := in.Now
	if !in.Stop.IsZero() {
		end = in.Stop
	}
	trial := flow.NewTrial(session.Key(x.ID), in.Variants, in.Start, end, in.Planner.PurchaseWindow())
	trial.NamesDevices = x.SplitBy == experiment.SplitByCustomUserID
	trial.Goal = in.Planner.GoalWindow()
	if trial.Goals, err = conditionsOf(goals); err != nil {
		return nil, 0, err
	}
	runs, err := r.reports.SelectRuns(ctx, environmentID, trial.Scope(), false, namesHits(trial.Goals), in.Now)
	if err != nil {
		return nil, 0, err
	}
	if exposures, err = runs.Exposures(ctx, trial); err != nil {
		return nil, 0, err
	}
	var units map[uuid.UUID]uuid.UUID
	if trial.NamesDevices {
		units = results.Devices(exposures)
		if err := sticky.Units(ctx, r.db.Pool, environmentID, x.ID, units); err != nil {
			return nil, 0, err
		}
		exposures, unrecorded = results.Join(exposures, units)
	}
	return exposures, unrecorded, runs.MeetGoals(ctx, trial, exposures, units)
}

func convertResults(
	x *ent.Experiment, found *results.Results, goals []*graph.ExperimentGoal,
) *graph.ExperimentResults {
	keys := make([]string, len(x.Edges.Variants))
	for i, v := range x.Edges.Variants {
		keys[i] = v.Key
	}
	out := &graph.ExperimentResults{
		ExperimentID: x.ID, Name: x.Name, Status: x.Status, StartedAt: *x.StartedAt, EndsAt: x.EndsAt,
		StoppedAt: x.StoppedAt, ExtendedAt: x.ExtendedAt,
		Verdict: convertVerdict(found.Verdict), Sentence: found.Sentence,
		Served: convertSplit(keys, &found.Served), Exposed: convertSplit(keys, &found.Exposed),
		Assigned:    convertSplit(keys, &found.Served),
		NotRendered: found.NotRendered, Culprits: []*graph.ExperimentCulprit{},
		Crossed: found.Crossed, TooManyCrossed: found.TooManyCrossed, Unknown: found.Unknown,
		PeoplePerArm: found.PeoplePerArm, PeoplePerVariant: found.PeoplePerArm, DaysLeft: found.DaysLeft,
	}
	if found.Arm >= 0 {
		out.Variant = &keys[found.Arm]
		out.Arm = out.Variant
	}
	for _, c := range found.Culprits {
		culprit := &graph.ExperimentCulprit{Dimension: c.Dimension, Value: c.Value, P: c.P}
		for _, arm := range c.Arms {
			culprit.People = append(culprit.People, &graph.ExperimentPeople{Arm: arm.Key, Variant: arm.Key, People: arm.People})
		}
		out.Culprits = append(out.Culprits, culprit)
	}
	for i := range found.Metrics {
		metric := convertMetric(keys, &found.Metrics[i])
		metric.Primary = i == 0
		for _, g := range goals {
			if of := found.Metrics[i].Goal; of != nil && of.ID == g.Goal.ID {
				metric.Metric, metric.Goal = graph.ExperimentMetricKindGoal, g.Goal
			}
		}
		out.Metrics = append(out.Metrics, metric)
	}
	return out
}

func convertSplit(keys []string, s *results.Split) *graph.ExperimentSplit {
	out := &graph.ExperimentSplit{
		ChiSquared: s.Ratio.ChiSquared, DegreesOfFreedom: s.Ratio.DF, P: s.Ratio.P, Enough: s.Ratio.Enough,
		Warning: s.Ratio.Warning, Unexpected: append([]string{}, s.Ratio.Unexpected...),
	}
	for i, n := range s.People {
		out.People = append(out.People, &graph.ExperimentPeople{Arm: keys[i], Variant: keys[i], People: n})
	}
	return out
}

// The words of package experiment in the schema.
var (
	verdicts = map[results.Verdict]graph.ExperimentVerdict{
		results.Winning: graph.ExperimentVerdictWinning, results.Losing: graph.ExperimentVerdictLosing,
		results.Undecided: graph.ExperimentVerdictUndecided, results.TooEarly: graph.ExperimentVerdictTooEarly,
		results.NoVerdict: graph.ExperimentVerdictNone,
	}
	experimentMetrics = map[string]graph.ExperimentMetricKind{
		results.Completion: graph.ExperimentMetricKindCompletion, results.Conversion: graph.ExperimentMetricKindConversion,
		results.Revenue:           graph.ExperimentMetricKindRevenue,
		results.RevenueWinsorized: graph.ExperimentMetricKindRevenueWinsorized,
		results.TrialConversion:   graph.ExperimentMetricKindTrialConversion,
		results.RefundRate:        graph.ExperimentMetricKindRefundRate,
		results.TimeToComplete:    graph.ExperimentMetricKindTimeToComplete,
	}
	experimentUnits = map[results.Unit]graph.ExperimentUnit{
		results.Points: graph.ExperimentUnitShare, results.Dollars: graph.ExperimentUnitUsd,
		results.Seconds: graph.ExperimentUnitSeconds,
	}
	experimentPhases = map[results.Phase]graph.ExperimentPhase{
		results.Running: graph.ExperimentPhaseRunning, results.Ended: graph.ExperimentPhaseEnded,
		results.Extended: graph.ExperimentPhaseExtended,
	}
)

func convertVerdict(v results.Verdict) graph.ExperimentVerdict { return verdicts[v] }

func convertMetric(keys []string, m *results.MetricResults) *graph.ExperimentMetric {
	out := &graph.ExperimentMetric{
		Metric: experimentMetrics[m.Name], Unit: experimentUnits[m.Unit], Phase: experimentPhases[m.Phase],
		Comparisons: []*graph.ExperimentComparison{}, Series: []*graph.ExperimentPoint{},
	}
	if !m.Until.IsZero() {
		out.FixedAt = &m.Until
	}
	for i := range m.Arms {
		a := &m.Arms[i]
		out.Variants = append(out.Variants, &graph.ExperimentArm{
			Arm: keys[i], Variant: keys[i], People: a.People, Maturing: a.Maturing, Later: a.Later,
			Successes: a.Successes, Value: a.Value,
			Interval: convertInterval(a.Interval),
		})
	}
	out.Arms = out.Variants
	for i := range m.Comparisons {
		c := &m.Comparisons[i]
		comparison := &graph.ExperimentComparison{
			Arm: keys[c.Arm], Variant: keys[c.Arm], Difference: c.Difference.Estimate, Interval: convertInterval(&c.Interval),
			LiftInterval: convertInterval(c.LiftInterval), P: c.P, Alpha: c.Alpha, Verdict: convertVerdict(c.Verdict),
			Sentence: c.Sentence,
		}
		if c.Lift != nil {
			comparison.Lift = &c.Lift.Estimate
		}
		if c.Belief != nil {
			comparison.ChanceToWin, comparison.ExpectedLoss = &c.Belief.Chance, &c.Belief.Loss
		}
		out.Comparisons = append(out.Comparisons, comparison)
	}
	for i := range m.Series {
		point := &graph.ExperimentPoint{Day: m.Series[i].Day}
		for arm := range m.Series[i].Arms {
			a := &m.Series[i].Arms[arm]
			point.Variants = append(point.Variants, &graph.ExperimentPointArm{
				Arm: keys[arm], Variant: keys[arm], People: a.People, Value: a.Value, Interval: convertInterval(a.Interval),
			})
		}
		point.Arms = point.Variants
		out.Series = append(out.Series, point)
	}
	return out
}

// convertInterval leaves an interval out that says nothing.
func convertInterval(i *results.Interval) *graph.ExperimentInterval {
	if i == nil || math.IsInf(i.Low, 0) || math.IsInf(i.High, 0) || math.IsNaN(i.Low) || math.IsNaN(i.High) {
		return nil
	}
	return &graph.ExperimentInterval{Low: i.Low, High: i.High}
}
