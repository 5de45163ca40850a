package compose

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
)

const (
	// minVisitors is the least difference that is told, and minShare its least share of all visitors of the larger period.
	minVisitors = 10
	minShare    = 0.02
	// minDeviations is how many standard deviations a difference of two counts has at least, so that ordinary chance is
	// not told: with hundreds of values in a report, two would make news of chance every week.
	minDeviations = 3
	// maxChanges are told, of each dimension maxOfDimension.
	maxChanges     = 6
	maxOfDimension = 2
)

// isWorthSaying tells whether the visitors of a value differ by more than chance would have it, and by enough to matter
// among total visitors.
func isWorthSaying(current, previous int64, total float64) bool {
	difference := math.Abs(float64(current - previous))
	return difference >= minVisitors && difference >= minShare*total &&
		difference >= minDeviations*math.Sqrt(float64(current+previous))
}

// changes returns what changed most: the largest differences that are worth saying.
func changes(
	ctx context.Context, ask Asker, s Subject, period Period, current, previous *answer,
) ([]Change, error) {
	total := max(current.App.Reports.Summary.Visitors, previous.App.Reports.Summary.Visitors)
	var found []Change
	for _, d := range dimensions {
		now, before := current.table(d), previous.table(d)
		if now == nil || before == nil {
			continue
		}
		list, err := compare(ctx, ask, s, period, d, now, before, total)
		if err != nil {
			return nil, err
		}
		// The same visitors under another name, such as those of a campaign that is all of its source, are told once.
		told := found
		list = slices.DeleteFunc(list, func(c Change) bool {
			return slices.ContainsFunc(told, func(t Change) bool { return t.Current == c.Current && t.Previous == c.Previous })
		})
		found = append(found, list[:min(len(list), maxOfDimension)]...)
	}
	slices.SortStableFunc(found, byDifference)
	return found[:min(len(found), maxChanges)], nil
}

// byDifference puts the largest first, and of equals the one whose name comes first.
func byDifference(a, b Change) int {
	return cmp.Or(cmp.Compare(b.difference(), a.difference()), cmp.Compare(a.Value, b.Value))
}

func (c Change) difference() int64 { return max(c.Current-c.Previous, c.Previous-c.Current) }

// compare returns the values of a dimension that differ by what is worth saying, the largest difference first.
func compare(
	ctx context.Context, ask Asker, s Subject, period Period, d dimension, now, before *table, total float64,
) (list []Change, err error) {
	values := map[string]*Change{}
	of := func(value string) *Change {
		if values[value] == nil {
			values[value] = &Change{Dimension: d.name, Value: value, Current: -1, Previous: -1}
		}
		return values[value]
	}
	for _, row := range now.Nodes {
		of(row.Value).Current = row.Visitors
	}
	for _, row := range before.Nodes {
		of(row.Value).Previous = row.Visitors
	}
	for _, c := range values {
		known := Change{d.name, c.Value, max(c.Current, 0), max(c.Previous, 0)}
		if c.Current < 0 && !now.isWhole() || c.Previous < 0 && !before.isWhole() {
			if !mayBeWorthSaying(*c, now, before, total) {
				continue
			}
			if err := complete(ctx, ask, s, period, d, c, &known); err != nil {
				return nil, err
			}
		}
		if isWorthSaying(known.Current, known.Previous, total) {
			list = append(list, known)
		}
	}
	slices.SortFunc(list, byDifference)
	return list, nil
}

// mayBeWorthSaying tells whether a value can differ by enough that one of the tables ended before: there it has as many
// visitors as the last row at most.
func mayBeWorthSaying(c Change, now, before *table, total float64) bool {
	if c.Current < 0 {
		return isWorthSaying(0, c.Previous, total) || isWorthSaying(now.last(), c.Previous, total)
	}
	return isWorthSaying(c.Current, 0, total) || isWorthSaying(c.Current, before.last(), total)
}

// last returns the visitors of the last row.
func (t *table) last() int64 {
	if len(t.Nodes) == 0 {
		return 0
	}
	return t.Nodes[len(t.Nodes)-1].Visitors
}

// isWhole tells whether a table has all values: those that it lacks have no visitors.
func (t *table) isWhole() bool { return len(t.Nodes) >= t.TotalCount }

// complete asks for the visitors of a value in the period whose table ended before it.
func complete(
	ctx context.Context, ask Asker, s Subject, period Period, d dimension, c, known *Change,
) error {
	start, end, missing := period.Start, period.End, &known.Current
	if c.Previous < 0 {
		start, end, missing = period.PreviousStart, period.Start, &known.Previous
	}
	a := &answer{}
	err := ask(ctx, d.searchDocument(), map[string]any{
		"app": s.AppID, "scope": s.scope(start, end), "search": c.Value,
	}, a)
	if err != nil {
		return fmt.Errorf("ask for the visitors of a value: %w", err)
	}
	if a.App == nil || a.App.Reports == nil || a.table(d) == nil {
		return ErrNoReport
	}
	for _, row := range a.table(d).Nodes {
		if row.Value == c.Value {
			*missing = row.Visitors
		}
	}
	return nil
}
