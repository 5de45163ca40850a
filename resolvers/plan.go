package resolvers

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/svc-dev/svc/account"
	results "github.com/svc-dev/svc/analytics/experiment"
	"github.com/svc-dev/svc/analytics/flow"
	"github.com/svc-dev/svc/analytics/session"
	"github.com/svc-dev/svc/ent"
	entapp "github.com/svc-dev/svc/ent/app"
	"github.com/svc-dev/svc/ent/channel"
	"github.com/svc-dev/svc/ent/environment"
	"github.com/svc-dev/svc/ent/experiment"
	"github.com/svc-dev/svc/ent/variant"
	"github.com/svc-dev/svc/graph"
	"github.com/svc-dev/svc/internal/fault"
)

// How far a plan looks back.
const (
	baselineDays  = 30
	fortnightDays = 14
)

// readPlan computes what an experiment takes for a caller who may read reports.
func (r *Resolver) readPlan(ctx context.Context, id uuid.UUID) (*graph.ExperimentPlan, error) {
	of := entapp.HasEnvironmentsWith(environment.HasChannelsWith(channel.HasExperimentsWith(experiment.ID(id))))
	app, err := r.finder.findOwnApp(ctx, "experiment", of)
	if err != nil {
		return nil, err
	}
	if _, err := account.Authorize(ctx, app.WorkspaceID, account.AnalyticsRead); err != nil {
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
	environmentID, err := r.authorizeReports(ctx, app, x.Edges.Channel.Edges.Environment.Kind)
	if err != nil {
		return nil, err
	}
	if len(x.Edges.Variants) < 2 {
		return nil, fault.New(fault.Conflict, "the experiment has no treatment to plan for")
	}
	now := r.now()
	out := &graph.ExperimentPlan{ExperimentID: x.ID}
	scope := flow.Scope{Start: now.AddDate(0, 0, -baselineDays), End: now, Channels: []int64{x.Edges.Channel.ID}}
	if control := x.Edges.Variants[0].FlowVersionID; control != nil {
		scope.Versions = []session.Key{session.Key(*control)}
		figures, err := r.readFigures(ctx, environmentID, scope, now)
		if err != nil {
			return nil, err
		}
		out.MeasuredBaseline, out.MeasuredPeople = figures.CompletionRate, figures.Starts
		if out.MeasuredBaseline, err = r.goalBaseline(looking, environmentID, x, app, out.MeasuredBaseline, now); err != nil {
			return nil, err
		}
	}
	scope.Start, scope.Versions = now.AddDate(0, 0, -fortnightDays), nil
	figures, err := r.readFigures(ctx, environmentID, scope, now)
	if err != nil {
		return nil, err
	}
	out.LastFortnight = figures.Starts
	return out, complete(out, x)
}

// goalBaseline returns, with a primary goal, the share of the users of the control's version who met it within the
// window of goals after their first run, of those whose window has passed; else what was measured of completion.
func (r *Resolver) goalBaseline(
	ctx context.Context, environmentID int64, x *ent.Experiment, app *ent.App, completion *float64, now time.Time,
) (*float64, error) {
	goals, err := r.loadExperimentGoals(ctx, x)
	if err != nil {
		return nil, err
	}
	goals = slices.DeleteFunc(goals, func(g *graph.ExperimentGoal) bool { return !g.Primary })
	if len(goals) == 0 {
		return completion, nil
	}
	version := session.Key(*x.Edges.Variants[0].FlowVersionID)
	trial := flow.NewBaseline(version, x.Edges.Channel.ID, now.AddDate(0, 0, -baselineDays), now)
	trial.Goal = plannerOf(x, app).GoalWindow()
	if trial.Goals, err = conditionsOf(goals); err != nil {
		return nil, err
	}
	runs, err := r.reports.SelectRuns(ctx, environmentID, trial.Scope(), false, namesHits(trial.Goals), now)
	if err != nil {
		return nil, err
	}
	users, err := runs.Exposures(ctx, trial)
	if err != nil {
		return nil, err
	}
	if err := runs.MeetGoals(ctx, trial, users, nil); err != nil {
		return nil, err
	}
	met, all := 0, 0
	for _, u := range users {
		if now.Before(u.At.Add(trial.Goal)) {
			continue
		}
		all++
		if first := u.Met[0]; !first.IsZero() && first.Before(u.At.Add(trial.Goal)) {
			met++
		}
	}
	if all == 0 {
		return nil, nil
	}
	share := float64(met) / float64(all)
	return &share, nil
}

// readFigures returns what the runs of a scope add up to.
func (r *Resolver) readFigures(
	ctx context.Context, environmentID int64, scope flow.Scope, now time.Time,
) (*flow.Overview, error) {
	runs, err := r.reports.SelectRuns(ctx, environmentID, scope, true, false, now)
	if err != nil {
		return nil, err
	}
	return runs.Overview(ctx)
}

// complete fills in what follows from the experiment and what was measured.
func complete(out *graph.ExperimentPlan, x *ent.Experiment) error {
	treatments := len(x.Edges.Variants) - 1
	planner, err := planned(x, out.MeasuredBaseline, treatments)
	if err != nil { // nobody was measured, or the effect can't be found beside what was
		planner, err = planned(x, nil, treatments)
	}
	if err != nil { // it was stored before planners were checked
		planner = results.DefaultPlanner()
	}
	out.Baseline, out.Effect = planner.Baseline, planner.Effect
	if out.PeoplePerArm, err = planner.PeoplePerArm(treatments); err != nil {
		return fmt.Errorf("plan an experiment: %w", err)
	}
	out.PeoplePerVariant = out.PeoplePerArm
	weights := 0
	for _, v := range x.Edges.Variants {
		weights += v.Weight
	}
	for _, v := range x.Edges.Variants {
		if v.Weight == 0 {
			continue
		}
		// Of so many people a fortnight has the arm enough when all arms together have this many.
		needed := math.Ceil(float64(out.PeoplePerArm) * float64(weights) / float64(v.Weight))
		days, ok := results.DaysLeft(int(needed), 0, int(out.LastFortnight))
		if !ok {
			out.Days = nil
			break
		}
		if out.Days == nil || days > *out.Days {
			out.Days = &days
		}
	}
	return nil
}

// planned returns the planner of an experiment, with a baseline for where it names none.
func planned(x *ent.Experiment, baseline *float64, treatments int) (results.Planner, error) {
	standard := results.DefaultPlanner()
	if baseline != nil {
		standard.Baseline = *baseline
	}
	planner, err := results.ParsePlanner(x.Planner, standard)
	if err == nil {
		_, err = planner.PeoplePerArm(treatments)
	}
	return planner, err
}
