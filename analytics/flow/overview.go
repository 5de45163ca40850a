package flow

import (
	"context"
	"sort"
	"time"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/analytics/frame"
)

// figures returns the figures of all runs of the selection.
func (s *Selection) figures(ctx context.Context) (Figures, error) {
	total, _, err := sum(ctx, s, func(p *Selection) []cell {
		return p.count(1, true, inOneCell)
	}, s.addCells)
	if err != nil {
		return Figures{}, err
	}
	return total[0].figures(), nil
}

// grouping writes the cells of the runs from a place on to ids, one for each.
type grouping func(rs *runs, from int, ids []uint32)

// inOneCell puts all runs in cell 0.
func inOneCell(_ *runs, _ int, ids []uint32) { clear(ids) }

// blockSize is how many runs a grouping is asked for at a time.
const blockSize = 64

// count counts the selection's runs in n cells.
func (s *Selection) count(n int, timed bool, of grouping) []cell {
	return each(s, func(_ int, rs *runs) []cell {
		c := s.newCells(n, timed)
		var block [blockSize]uint32
		for from := 0; from < rs.len(); from += blockSize {
			ids := block[:min(blockSize, rs.len()-from)]
			of(rs, from, ids)
			c.add(rs, from, ids)
		}
		return c.done()
	}, s.addCells)
}

// Overview returns the figures of the range and of the period before it, which the view must hold, too.
func (s *Selection) Overview(ctx context.Context) (*Overview, error) {
	out := &Overview{Incomplete: s.incomplete(s.scope.End, s.moneyWindow())}
	// Together, so that both share the reading of portions.
	if err := frame.Together(func() (err error) {
		out.Figures, err = s.figures(ctx)
		return err
	}, func() (err error) {
		out.Previous, err = s.within(s.previous()).figures(ctx)
		return err
	}); err != nil {
		return nil, err
	}
	return out, nil
}

// calendar finds the bucket of a start of the range.
type calendar struct {
	labels []time.Time
	bounds []int64 // starts, and the end of the last bucket
}

// calendar returns the buckets of the range.
func (s *Selection) calendar(grain analytics.Grain) (*calendar, error) {
	bounds, err := analytics.Buckets(grain, s.scope.Start, s.scope.End, s.scope.Location)
	if err != nil {
		return nil, err
	}
	c := &calendar{labels: bounds[:len(bounds)-1]}
	for _, bound := range bounds {
		c.bounds = append(c.bounds, frame.Millis(bound))
	}
	return c, nil
}

// of returns the bucket of t, which is in the range.
func (c *calendar) of(t int64) int {
	return sort.Search(len(c.bounds), func(i int) bool { return c.bounds[i] > t }) - 1
}

// group groups runs by the bucket of their start.
func (c *calendar) group(rs *runs, from int, ids []uint32) {
	bucket := 0
	for k := range ids {
		at := rs.start[from+k]
		if at < c.bounds[bucket] || at >= c.bounds[bucket+1] {
			bucket = c.of(at)
		}
		ids[k] = uint32(bucket)
	}
}

// end returns when the last run of a bucket may start.
func (s *Selection) end(c *calendar, bucket int) time.Time {
	if end := frame.Time(c.bounds[bucket+1]); end.Before(s.scope.End) {
		return end
	}
	return s.scope.End
}

// Timeseries returns a point for each bucket of the range.
func (s *Selection) Timeseries(ctx context.Context, grain analytics.Grain) ([]Point, error) {
	cal, err := s.calendar(grain)
	if err != nil {
		return nil, err
	}
	total, _, err := sum(ctx, s, func(p *Selection) []cell {
		return p.count(len(cal.labels), true, cal.group)
	}, s.addCells)
	if err != nil {
		return nil, err
	}
	points := make([]Point, len(cal.labels))
	for i, label := range cal.labels {
		c := &total[i]
		points[i] = Point{
			Bucket: label, Starts: c.starts, Runs: c.runs, Completions: c.completions,
			CompletionRate: ratio(c.completions, c.starts), MedianSecondsToComplete: c.took.seconds(50)[0],
			Money: c.money(), Incomplete: s.incomplete(s.end(cal, i), s.moneyWindow()),
		}
	}
	return points, nil
}

// Versions returns the versions that runs of the selection are of, those with most runs first, ties by id: reports of
// steps want their graphs.
func (s *Selection) Versions(ctx context.Context) ([]VersionRuns, error) {
	total, view, err := sum(ctx, s, func(p *Selection) []int64 {
		return each(p, func(_ int, rs *runs) []int64 { return rs.releases }, addCounts)
	}, addCounts)
	if err != nil {
		return nil, err
	}
	versions, values := []VersionRuns{}, valuesOf(view, Version, "")
	byVersion := make([]int64, len(values.texts))
	for release, n := range total {
		byVersion[values.code[release]] += n
	}
	for code, n := range byVersion {
		if n > 0 {
			versions = append(versions, VersionRuns{values.texts[code], n})
		}
	}
	sort.Slice(versions, func(i, j int) bool {
		if a, b := versions[i], versions[j]; a.Runs != b.Runs {
			return a.Runs > b.Runs
		}
		return versions[i].Version < versions[j].Version
	})
	return versions, nil
}

// countBy counts the runs by the values of a dimension, cells by code of the value.
func (s *Selection) countBy(ctx context.Context, d analytics.Dimension, key string) ([]cell, *frame.View, error) {
	return sum(ctx, s, func(p *Selection) []cell {
		values := valuesOf(p.view, d, key)
		return p.count(len(values.texts), false, p.by(values))
	}, s.addCells)
}

// by groups runs by the codes of values.
func (s *Selection) by(v *values) grouping {
	if v.touch != nil {
		return func(rs *runs, from int, ids []uint32) {
			for k := range ids {
				ids[k] = v.touch(s.view.Touch(rs.visitor[from+k]))
			}
		}
	}
	columns := s.window.column(v.column)
	return func(rs *runs, from int, ids []uint32) {
		for k := range ids {
			r := rs.refs[from+k]
			ids[k] = v.code[columns[r.part][r.row]]
		}
	}
}

// column returns a column of all parts.
func (w *window) column(column frame.Column) [][]uint32 {
	columns := make([][]uint32, len(w.parts))
	for i := range w.parts {
		columns[i] = w.parts[i].Column(column)
	}
	return columns
}
