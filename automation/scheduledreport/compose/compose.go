package compose

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
)

// Subject is what a report is about.
type Subject struct {
	AppID       uuid.UUID
	Environment string // test or live
	Frequency   Frequency
	Zone        *time.Location
}

// ErrNoReport says that there is nothing to report: the app is not there, or the member may not see its reports.
var ErrNoReport = errors.New("no report of the app can be made for the member")

const (
	maxGoals       = 5
	maxFlows       = 5
	maxExperiments = 5
)

// Make returns the report about a period.
func Make(ctx context.Context, ask Asker, s Subject, period Period) (*Report, error) {
	current, err := askPeriod(ctx, ask, s, period.Start, period.End)
	if err != nil {
		return nil, err
	}
	previous, err := askPeriod(ctx, ask, s, period.PreviousStart, period.Start)
	if err != nil {
		return nil, err
	}
	r := &Report{
		AppName: current.App.Name, Test: s.Environment != "live", Frequency: s.Frequency, Period: period,
		Headline: headline(current.App.Reports.Summary, previous.App.Reports.Summary),
		Goals:    goals(current, previous), Flows: flows(current, previous), Revenue: money(current, previous, s.Zone),
		Health: health(current),
	}
	now, before := current.App.Reports.Series, previous.App.Reports.Series
	for i, p := range now {
		point := Point{Day: p.Bucket.In(s.Zone), Current: p.Visitors}
		if i < len(before) {
			point.Previous = before[i].Visitors
		}
		r.Days = append(r.Days, point)
	}
	if r.Changes, err = changes(ctx, ask, s, period, current, previous); err != nil {
		return nil, err
	}
	r.Experiments, err = experiments(ctx, ask, s, period, current)
	return r, err
}

func (s Subject) scope(start, end time.Time) map[string]any {
	return map[string]any{
		"environment": strings.ToUpper(s.Environment), "timeZone": s.Zone.String(), "range": rangeOf(start, end),
	}
}

func rangeOf(start, end time.Time) map[string]any {
	return map[string]any{"start": start.UTC().Format(time.RFC3339), "end": end.UTC().Format(time.RFC3339)}
}

func askPeriod(ctx context.Context, ask Asker, s Subject, start, end time.Time) (*answer, error) {
	scope := s.scope(start, end)
	revenue := map[string]any{"appId": s.AppID}
	for name, value := range scope {
		revenue[name] = value
	}
	a := &answer{}
	err := ask(ctx, periodDocument, map[string]any{
		"app": s.AppID, "scope": scope, "flows": scope, "revenue": revenue, "environment": scope["environment"],
		"range": scope["range"], "search": nil,
	}, a)
	if err != nil {
		return nil, fmt.Errorf("ask for the reports of a period: %w", err)
	}
	if a.App == nil || a.App.Reports == nil || a.App.Reports.Summary == nil {
		return nil, ErrNoReport
	}
	return a, nil
}

func headline(now, before *figures) []Metric {
	return []Metric{
		{Name: "Visitors", Current: &now.Visitors, Previous: &before.Visitors},
		{Name: "Sessions", Current: &now.Sessions, Previous: &before.Sessions},
		{Name: "Views", Current: &now.Views, Previous: &before.Views},
		{Name: "New visitors", Current: &now.NewVisitors, Previous: &before.NewVisitors},
		{Name: "Bounce rate", Unit: Share, Current: now.BounceRate, Previous: before.BounceRate, LowerIsBetter: true},
		{Name: "Session length", Unit: Seconds, Current: now.AverageSessionSeconds, Previous: before.AverageSessionSeconds},
	}
}

// goals returns those that were met most.
func goals(current, previous *answer) (list []Goal) {
	if current.App.Reports.Goals == nil {
		return nil
	}
	rates := map[string]*float64{}
	if previous.App.Reports.Goals != nil {
		for _, g := range previous.App.Reports.Goals.Nodes {
			rates[g.GoalID] = g.Rate
		}
	}
	for _, g := range current.App.Reports.Goals.Nodes {
		if len(list) < maxGoals {
			list = append(list, Goal{g.Name, g.Conversions, g.Converters, g.Rate, rates[g.GoalID]})
		}
	}
	return list
}

// flows returns those that were started most.
func flows(current, previous *answer) (list []Flow) {
	if current.App.Flows == nil {
		return nil
	}
	rates := map[string]*float64{}
	if previous.App.Flows != nil {
		for _, f := range previous.App.Flows.Nodes {
			rates[f.FlowID] = f.CompletionRate
		}
	}
	for _, f := range current.App.Flows.Nodes {
		if f.Starts > 0 && f.Name != "" && len(list) < maxFlows {
			list = append(list, Flow{f.Name, f.Starts, f.Completions, f.CompletionRate, rates[f.FlowID]})
		}
	}
	return list
}

// money returns nil when there was none in either period.
func money(current, previous *answer, zone *time.Location) *Revenue {
	now, before := current.Money, previous.Money
	if now == nil || before == nil || now.Totals == nil || before.Totals == nil ||
		now.Totals.Transactions == 0 && before.Totals.Transactions == 0 && now.Totals.Refunds == 0 {
		return nil
	}
	r := &Revenue{Metrics: []Metric{
		{Name: "Net revenue", Unit: USD, Current: &now.Totals.Net, Previous: &before.Totals.Net},
		{Name: "Transactions", Current: &now.Totals.Transactions, Previous: &before.Totals.Transactions},
		{Name: "Refunds", Unit: USD, Current: &now.Totals.Refunds, Previous: &before.Totals.Refunds, LowerIsBetter: true},
	}}
	if now.Subscriptions != nil && before.Subscriptions != nil {
		at, was := &now.Subscriptions.State, &before.Subscriptions.State
		if at.Active > 0 || was.Active > 0 {
			r.Metrics = append(r.Metrics, Metric{Name: "MRR", Unit: USD, Current: &at.MRR, Previous: &was.MRR})
		}
	}
	for i, p := range now.Series {
		point := Point{Day: p.Bucket.In(zone), Current: p.Totals.Net}
		if i < len(before.Series) {
			point.Previous = before.Series[i].Totals.Net
		}
		r.Days = append(r.Days, point)
	}
	return r
}

func health(current *answer) *Health {
	h := current.App.IngestHealth
	if h == nil {
		return nil
	}
	out := &Health{Accepted: h.Accepted, Duplicates: h.Duplicates, Codes: h.Rejected}
	for _, code := range h.Rejected {
		out.Rejected += code.Count
	}
	if h.Delay != nil {
		out.DelayP90 = &h.Delay.P90
	}
	return out
}

// experiments returns those that ran in the period, newest first.
func experiments(
	ctx context.Context, ask Asker, s Subject, period Period, current *answer,
) (list []Experiment, err error) {
	if current.App.Experiments == nil {
		return nil, nil
	}
	for _, e := range current.App.Experiments.Nodes {
		if e.Status == "DRAFT" || len(list) == maxExperiments {
			continue
		}
		var a experimentAnswer
		err := ask(ctx, experimentDocument, map[string]any{"id": e.ID, "zone": s.Zone.String()}, &a)
		if err != nil {
			return nil, fmt.Errorf("ask for the results of an experiment: %w", err)
		}
		found := a.ExperimentResults
		if found == nil || found.StoppedAt != nil && found.StoppedAt.Before(period.Start) {
			continue
		}
		list = append(list, Experiment{e.ID, e.Name, found.Status, found.Verdict, found.Sentence})
	}
	return list, nil
}
