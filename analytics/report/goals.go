package report

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/svc-dev/svc/analytics"
)

// Metrics of goals, besides Revenue.
const (
	Conversions Metric = "conversions"
	Converters  Metric = "converters"
	Rate        Metric = "rate"
)

// GoalMetrics are the columns of the table of goals, GoalBreakdownMetrics those of a breakdown of one goal; the first
// is the default order.
var (
	GoalMetrics          = []Metric{Converters, Conversions, Rate, Revenue}
	GoalBreakdownMetrics = []Metric{Converters, Conversions, Rate, Revenue, Visitors}
)

// GoalFigures is how often a goal was met.
type GoalFigures struct {
	Conversions int64    `json:"conversions"`
	Converters  int64    `json:"converters"` // visitors with a conversion
	Rate        *float64 `json:"rate"`       // converters ÷ visitors; nil without visitors
	Revenue     *int64   `json:"revenue"`    // micro-USD, net of refunds; nil of a goal that is no purchase
}

// GoalRow is a goal over the range.
type GoalRow struct {
	GoalID uuid.UUID `json:"goalId"`
	Name   string    `json:"name"`
	GoalFigures
}

// GoalPoint is a goal in one bucket of the range, whose visitors are those with a hit in it.
type GoalPoint struct {
	Bucket   time.Time `json:"bucket"`
	Visitors int64     `json:"visitors"`
	GoalFigures
}

// GoalBreakdownRow is a goal among the sessions of one value of a dimension. Country and Region are as in Row.
type GoalBreakdownRow struct {
	Value    string `json:"value"`
	Country  string `json:"country,omitempty"`
	Region   string `json:"region,omitempty"`
	Visitors int64  `json:"visitors"`
	GoalFigures
}

func (f *GoalFigures) number(metric Metric) number {
	switch metric {
	case Conversions:
		return integer(f.Conversions)
	case Rate:
		return fraction(f.Rate)
	case Revenue:
		if f.Revenue == nil {
			return number{null: true}
		}
		return integer(*f.Revenue)
	}
	return integer(f.Converters)
}

// goalTally is the cells of goals and the visitors that their rates are shares of.
type goalTally struct {
	cells    []goalCell
	visitors *tally
}

func (t goalTally) plus(more goalTally) goalTally {
	return goalTally{addGoalCells(t.cells, more.cells), t.visitors.plus(more.visitors)}
}

// figures returns what a cell says of a goal, among visitors.
func (t goalTally) figures(goal *analytics.Goal, cell, group int) GoalFigures {
	var c goalCell
	if cell < len(t.cells) {
		c = t.cells[cell]
	}
	f := GoalFigures{
		Conversions: c.conversions, Converters: int64(c.converters), Rate: ratio(int64(c.converters), t.visitorsOf(group)),
	}
	if goal.Condition.Purchase != nil {
		f.Revenue = &c.revenue
	}
	return f
}

func (t goalTally) visitorsOf(group int) int64 { return int64(t.visitors.cells[group].visitors) }

// goal returns one of the scope's goals.
func (s *Selection) goal(id uuid.UUID) (*analytics.Goal, error) {
	at := slices.IndexFunc(s.scope.Goals, func(g analytics.Goal) bool { return g.ID == id })
	if at < 0 {
		return nil, analytics.Invalid("goalId", "is not a goal of this app")
	}
	return &s.scope.Goals[at], nil
}

// sumGoals counts goals over all portions, by a grouping that is made for each of them.
func (s *Selection) sumGoals(
	ctx context.Context, goals []analytics.Goal, by func(*Selection) grouping, cal *calendar,
) (goalTally, *Selection, error) {
	return sumPortions(ctx, s, func(p *Selection) goalTally {
		g := by(p)
		return goalTally{p.countGoals(goals, g, cal), p.tally(g, cal)}
	}, goalTally.plus)
}

func whole(*Selection) grouping { return ungrouped() }

// Goals returns the table of the scope's goals.
func (s *Selection) Goals(ctx context.Context, page Page) (*Table[GoalRow], error) {
	goals := s.scope.Goals
	t, _, err := s.sumGoals(ctx, goals, whole, nil)
	if err != nil {
		return nil, err
	}
	ids := make([]uint32, len(goals))
	for i := range ids {
		ids[i] = uint32(i)
	}
	return tableOf[GoalRow]{
		ids: ids, order: Converters, metrics: GoalMetrics,
		number: func(id uint32, metric Metric) number {
			f := t.figures(&goals[id], int(id), 0)
			return f.number(metric)
		},
		key:    func(id uint32) string { return goals[id].Name + "\x00" + goals[id].ID.String() },
		search: func(id uint32) []string { return []string{goals[id].Name} },
		row: func(id uint32) GoalRow {
			return GoalRow{GoalID: goals[id].ID, Name: goals[id].Name, GoalFigures: t.figures(&goals[id], int(id), 0)}
		},
	}.page(page)
}

// GoalSeries returns a goal over time: a point for every bucket of the range.
func (s *Selection) GoalSeries(ctx context.Context, id uuid.UUID, grain analytics.Grain) ([]GoalPoint, error) {
	goal, err := s.goal(id)
	if err != nil {
		return nil, err
	}
	cal, err := s.calendar(grain)
	if err != nil || cal.len() == 0 {
		return []GoalPoint{}, err
	}
	t, _, err := s.sumGoals(ctx, []analytics.Goal{*goal}, whole, cal)
	if err != nil {
		return nil, err
	}
	points := make([]GoalPoint, cal.len())
	for b, label := range cal.labels {
		points[b] = GoalPoint{Bucket: label, Visitors: t.visitorsOf(b), GoalFigures: t.figures(goal, b, b)}
	}
	return points, nil
}

// GoalDimensions are the dimensions that a goal can be broken down by: those of sessions.
var GoalDimensions = slices.Concat(
	analytics.AttributionDimensions, analytics.LocationDimensions, analytics.TechnologyDimensions,
	[]analytics.Dimension{analytics.Entry, analytics.Exit},
)

// GoalBreakdown returns a goal by a dimension of sessions.
func (s *Selection) GoalBreakdown(
	ctx context.Context, id uuid.UUID, d analytics.Dimension, page Page,
) (*Table[GoalBreakdownRow], error) {
	goal, err := s.goal(id)
	if err != nil {
		return nil, err
	}
	if !slices.Contains(GoalDimensions, d) {
		return nil, analytics.Invalid("dimension", "unknown dimension %q for this report", d)
	}
	by := func(p *Selection) grouping { return p.groupingOf(d) }
	t, known, err := s.sumGoals(ctx, []analytics.Goal{*goal}, by, nil)
	if err != nil {
		return nil, err
	}
	label := known.labels(d)
	var ids []uint32
	for id := range uint32(len(t.visitors.cells)) {
		if t.visitors.cells[id].sessions > 0 || int(id) < len(t.cells) && t.cells[id] != (goalCell{}) {
			ids = append(ids, id)
		}
	}
	return tableOf[GoalBreakdownRow]{
		ids: ids, order: Converters, metrics: GoalBreakdownMetrics,
		number: func(id uint32, metric Metric) number {
			if metric == Visitors {
				return integer(t.visitorsOf(int(id)))
			}
			f := t.figures(goal, int(id), int(id))
			return f.number(metric)
		},
		key:    func(id uint32) string { return label(id).key() },
		search: func(id uint32) []string { return []string{label(id).value} },
		row: func(id uint32) GoalBreakdownRow {
			l := label(id)
			return GoalBreakdownRow{
				Value: l.value, Country: l.country, Region: l.region, Visitors: t.visitorsOf(int(id)),
				GoalFigures: t.figures(goal, int(id), int(id)),
			}
		},
	}.page(page)
}
