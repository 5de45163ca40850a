package report

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
	"unsafe"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/analytics/frame"
)

// FunnelRows bounds the values of a breakdown, FunnelNexts the views and events that came next.
const (
	FunnelRows  = 20
	FunnelNexts = 5
)

// Funnel is how far visitors, or sessions, came. One that Entered either Converted, or is in Dropped or Open of the
// step that it reached last.
type Funnel struct {
	Entered       int64        `json:"entered"`
	Converted     int64        `json:"converted"`
	Open          int64        `json:"open"` // not converted, and may yet be
	Rate          *float64     `json:"rate"` // converted ÷ entered; nil when none entered
	MedianSeconds *float64     `json:"medianSeconds"`
	P90Seconds    *float64     `json:"p90Seconds"` // both from the first step to the last, of those who converted
	Steps         []FunnelStep `json:"steps"`
}

// FunnelStep is a step of a funnel. Seconds are those from the step before.
type FunnelStep struct {
	Name          string       `json:"name"`
	Entered       int64        `json:"entered"`
	FromPrevious  *float64     `json:"fromPrevious"` // share of those who reached the step before
	FromFirst     *float64     `json:"fromFirst"`
	MedianSeconds *float64     `json:"medianSeconds"`
	P90Seconds    *float64     `json:"p90Seconds"`
	Dropped       int64        `json:"dropped"` // reached this step, and no other any more
	Open          int64        `json:"open"`    // reached this step, and may yet reach the next
	Next          []FunnelNext `json:"next"`    // of Dropped: most frequent first views or events after this step
	NothingNext   int64        `json:"nothingNext"`
}

// FunnelNextKind is the kind of a hit.
type FunnelNextKind string

// The kinds of views and events that came next.
const (
	FunnelNextPage   FunnelNextKind = "page_view"
	FunnelNextScreen FunnelNextKind = "screen_view"
	FunnelNextEvent  FunnelNextKind = "event"
)

// FunnelNext is a view or an event, and how many did it next.
type FunnelNext struct {
	Kind  FunnelNextKind `json:"kind"`
	Name  string         `json:"name"`
	Count int64          `json:"count"`
}

// FunnelFigures is the ends of a funnel.
type FunnelFigures struct {
	Entered   int64    `json:"entered"`
	Converted int64    `json:"converted"`
	Open      int64    `json:"open"`
	Rate      *float64 `json:"rate"`
}

// FunnelPoint is a funnel of those who began it in one bucket of the range.
type FunnelPoint struct {
	Bucket time.Time `json:"bucket"`
	FunnelFigures
}

// FunnelBreakdown is a funnel by a dimension of the sessions in which it began: the values with most who entered, and
// all others.
type FunnelBreakdown struct {
	Rows  []FunnelRow `json:"rows"`
	Other *FunnelRow  `json:"other"` // nil without others
}

// FunnelRow is a funnel among the sessions of one value. Country and Region are as in Row.
type FunnelRow struct {
	Value   string `json:"value"`
	Country string `json:"country,omitempty"`
	Region  string `json:"region,omitempty"`
	FunnelFigures
	Steps []int64 `json:"steps"` // who entered each
}

// funnelCell counts units by the step that they reached last.
type funnelCell struct {
	reached, open [analytics.MaxFunnelSteps + 1]int64
}

func (c *funnelCell) count(a *funnelAttempt) {
	c.reached[a.level]++
	if a.open {
		c.open[a.level]++
	}
}

func (c *funnelCell) add(more *funnelCell) {
	for level := range more.reached {
		c.reached[level] += more.reached[level]
		c.open[level] += more.open[level]
	}
}

// entered returns how many reached each of the steps.
func (c *funnelCell) entered(steps int) []int64 {
	entered, sum := make([]int64, steps), int64(0)
	for level := steps; level > 0; level-- {
		sum += c.reached[level]
		entered[level-1] = sum
	}
	return entered
}

func (c *funnelCell) figures(steps int) FunnelFigures {
	f := FunnelFigures{Entered: c.entered(steps)[0], Converted: c.reached[steps]}
	for _, open := range c.open {
		f.Open += open
	}
	f.Rate = ratio(f.Converted, f.Entered)
	return f
}

// funnelOf checks a funnel and fills in its goals.
func (s *Selection) funnelOf(f analytics.Funnel) (analytics.Funnel, error) {
	if err := f.Validate("input"); err != nil {
		return f, err
	}
	f, err := f.WithGoals("input", s.scope.Goals)
	if err == nil && s.scope.Follow < f.Window() {
		err = fmt.Errorf("the selection follows visitors for %s and not for %s", s.scope.Follow, f.Window())
	}
	return f, err
}

// funnelTally is what a funnel's answer is made of.
type funnelTally struct {
	funnelCell
	took [analytics.MaxFunnelSteps][]int64 // milliseconds from the step before; of step 1, from it to the last
	next [analytics.MaxFunnelSteps][]uint32
	ends funnelEnds // of what is next the names
}

func (t *funnelTally) plus(more *funnelTally) *funnelTally {
	out := &funnelTally{funnelCell: t.funnelCell}
	out.add(&more.funnelCell)
	for i := range t.took {
		out.took[i] = slices.Concat(t.took[i], more.took[i])
		out.next[i] = slices.Concat(t.next[i], more.next[i])
	}
	out.ends = slices.Concat(t.ends, more.ends)
	return out
}

// count counts an attempt, but for the times of its steps.
func (t *funnelTally) count(c *funnelCount, a *funnelAttempt) (enough bool) {
	if a.level < c.steps && (!a.open || a.ending) {
		name, found, known := c.after(a)
		if !known {
			return false
		}
		if !found {
			name = nothing
		}
		switch {
		case a.ending:
			t.ends = append(t.ends, a.endOf(name))
		case found:
			t.next[a.level-1] = append(t.next[a.level-1], name)
		}
	}
	t.funnelCell.count(a)
	return true
}

// addTimes adds how long the steps of an attempt took.
func (t *funnelTally) addTimes(times []int64, steps int) {
	for i := 1; i < len(times); i++ {
		t.took[i] = append(t.took[i], times[i]-times[i-1])
	}
	if len(times) == steps {
		t.took[0] = append(t.took[0], times[len(times)-1]-times[0])
	}
}

// Funnel returns how far visitors came through a funnel. Its goals are those of the scope, which must follow visitors
// for the funnel's window. Errors are analytics.FieldErrors.
func (s *Selection) Funnel(ctx context.Context, f analytics.Funnel) (*Funnel, error) {
	f, err := s.funnelOf(f)
	if err != nil {
		return nil, err
	}
	return rememberedFunnel(s, &f, countKey{what: "funnel"}, funnelBytes, func() (keptFunnel[*Funnel], error) {
		holds := always
		t, known, err := sumPortions(ctx, s, func(p *Selection) *funnelTally {
			t, valid := p.tallyFunnel(&f)
			holds = holds.and(valid)
			return t
		}, (*funnelTally).plus)
		if err != nil {
			return keptFunnel[*Funnel]{}, err
		}
		return keptFunnelOf(t.answer(&f, known), t, known.view, holds), nil
	})
}

// funnelBytes is about what a funnel of all steps takes, with its names.
const funnelBytes = analytics.MaxFunnelSteps * int(unsafe.Sizeof(FunnelStep{})+5*8+
	FunnelNexts*unsafe.Sizeof(FunnelNext{})+analytics.MaxGoalName*utf8.UTFMax)

func (s *Selection) tallyFunnel(f *analytics.Funnel) (*funnelTally, validity) {
	c := s.newFunnelCount(f)
	tallies := make([]funnelTally, len(c.wide.window.shards))
	holds := c.each(
		func(shard int, a *funnelAttempt) (enough bool) { return tallies[shard].count(c, a) },
		func(shard int, times []int64) { tallies[shard].addTimes(times, c.steps) },
	)
	total := &funnelTally{}
	for i := range tallies {
		total = total.plus(&tallies[i])
	}
	return total, holds
}

func (t *funnelTally) answer(f *analytics.Funnel, known *Selection) *Funnel {
	n := len(f.Steps)
	figures, entered := t.figures(n), t.entered(n)
	out := &Funnel{
		Entered: figures.Entered, Converted: figures.Converted, Open: figures.Open, Rate: figures.Rate,
		Steps: make([]FunnelStep, n),
	}
	out.MedianSeconds, out.P90Seconds = quantilesOf(t.took[0])
	frame.Parallel(n, func(i int) { out.Steps[i] = t.step(f, known, entered, i) })
	return out
}

func (t *funnelTally) step(f *analytics.Funnel, known *Selection, entered []int64, i int) FunnelStep {
	step := FunnelStep{Name: f.Steps[i].Name, Entered: entered[i], FromFirst: ratio(entered[i], entered[0])}
	if i > 0 {
		step.FromPrevious = ratio(entered[i], entered[i-1])
		step.MedianSeconds, step.P90Seconds = quantilesOf(t.took[i])
	}
	step.Next = mostOften(known.view, countNexts(known.view, t.next[i]))
	if i+1 < len(entered) {
		step.Open = t.open[i+1]
		step.Dropped = t.reached[i+1] - step.Open
		step.NothingNext = step.Dropped - int64(len(t.next[i]))
	}
	return step
}

// quantilesOf returns the median and the 90th percentile of milliseconds, by the nearest rank, in seconds.
func quantilesOf(millis []int64) (median, p90 *float64) {
	if len(millis) == 0 {
		return nil, nil
	}
	slices.Sort(millis)
	at := func(percent int) *float64 {
		seconds := float64(millis[(percent*len(millis)+99)/100-1]) / 1000
		return &seconds
	}
	return at(50), at(90)
}

// countNexts counts names. There are many, and few different ones: they are counted by id.
func countNexts(view *frame.View, names []uint32) map[frame.Name]int64 {
	unknown := uint32(len(view.Names))
	byID := make([]int64, unknown+1)
	for _, id := range names {
		byID[min(id, unknown)]++
	}
	counts := map[frame.Name]int64{}
	for id, count := range byID {
		if count > 0 {
			counts[nameOf(view, uint32(id))] += count
		}
	}
	return counts
}

// nameOf returns what a name says: two ids may be one name.
func nameOf(view *frame.View, id uint32) frame.Name {
	name := view.Name(id)
	name.Known = true
	return name
}

// mostOften returns the names that come most often, ties by kind and name. Most are far from it: the best alone are put
// in order.
func mostOften(view *frame.View, counts map[frame.Name]int64) []FunnelNext {
	nexts := make([]FunnelNext, 0, FunnelNexts+1)
	for name, count := range counts {
		if len(nexts) == FunnelNexts && count < nexts[FunnelNexts-1].Count {
			continue
		}
		next := FunnelNext{Kind: FunnelNextEvent, Name: view.Events[name.Event], Count: count}
		switch name.Kind {
		case frame.PageView:
			next.Kind, next.Name = FunnelNextPage, view.Pages[name.Page]
		case frame.ScreenView:
			next.Kind, next.Name = FunnelNextScreen, view.Pages[name.Page]
		}
		at, _ := slices.BinarySearchFunc(nexts, next, func(a, b FunnelNext) int {
			return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Kind, b.Kind), strings.Compare(a.Name, b.Name))
		})
		nexts = slices.Insert(nexts, at, next)
		nexts = nexts[:min(len(nexts), FunnelNexts)]
	}
	return nexts
}

// funnelGroup returns what an attempt is counted by, where that is known without times that its unit lacks.
type funnelGroup func(*funnelAttempt) (group uint32, known bool)

// funnelCells counts a funnel by what of returns of an attempt, less than size, or skip of one that is left out. The
// key says what that is. Cells must not be changed.
func (s *Selection) funnelCells(
	ctx context.Context, f *analytics.Funnel, key countKey, size int, by func(*Selection) funnelGroup,
) (map[uint32]*funnelCell, *Selection, error) {
	known := s
	cells, err := rememberedFunnel(s, f, key, size*funnelCellBytes, func() (keptFunnel[map[uint32]*funnelCell], error) {
		holds := always
		t, all, err := sumPortions(ctx, s, func(p *Selection) funnelGroups {
			t, valid := p.tallyFunnelBy(f, by(p))
			holds = holds.and(valid)
			return t
		}, funnelGroups.plus)
		known = all
		return keptFunnel[map[uint32]*funnelCell]{holds, func(moment int64) map[uint32]*funnelCell {
			return t.ends.endGroups(moment, t.cells)
		}}, err
	})
	return cells, known, err
}

// funnelCellBytes is what a cell takes with its place in a map.
const funnelCellBytes = int(unsafe.Sizeof(funnelCell{})) + 32

// funnelGroups is the cells of a funnel by group.
type funnelGroups struct {
	cells map[uint32]*funnelCell
	ends  funnelEnds // of the groups
}

func (s *Selection) tallyFunnelBy(f *analytics.Funnel, of funnelGroup) (funnelGroups, validity) {
	c := s.newFunnelCount(f)
	shards := make([]funnelGroups, len(c.wide.window.shards))
	for i := range shards {
		shards[i].cells = map[uint32]*funnelCell{}
	}
	holds := c.each(func(shard int, a *funnelAttempt) (enough bool) {
		group, known := of(a)
		if !known || group == skip {
			return known
		}
		t := &shards[shard]
		cell := t.cells[group]
		if cell == nil {
			cell = &funnelCell{}
			t.cells[group] = cell
		}
		cell.count(a)
		if a.ending {
			t.ends = append(t.ends, a.endOf(group))
		}
		return true
	}, nil)
	total := funnelGroups{cells: map[uint32]*funnelCell{}}
	for _, t := range shards {
		total = total.plus(t)
	}
	return total, holds
}

func (t funnelGroups) plus(more funnelGroups) funnelGroups {
	return funnelGroups{addFunnelCells(t.cells, more.cells), slices.Concat(t.ends, more.ends)}
}

func addFunnelCells(total, more map[uint32]*funnelCell) map[uint32]*funnelCell {
	for group, cell := range more {
		if sum := total[group]; sum != nil {
			sum.add(cell)
		} else {
			total[group] = cell
		}
	}
	return total
}

// FunnelSeries returns a funnel by when it began.
func (s *Selection) FunnelSeries(
	ctx context.Context, f analytics.Funnel, grain analytics.Grain,
) ([]FunnelPoint, error) {
	f, err := s.funnelOf(f)
	if err != nil {
		return nil, err
	}
	cal, err := s.calendar(grain)
	if err != nil || cal.len() == 0 {
		return []FunnelPoint{}, err
	}
	key := countKey{what: "funnel series", buckets: cal.key()}
	cells, _, err := s.funnelCells(ctx, &f, key, cal.len(), func(p *Selection) funnelGroup {
		return func(a *funnelAttempt) (uint32, bool) {
			bucket := cal.of(a.times[0])
			end := p.window.parts[a.session.part].End(a.session.row)
			return bucket, !a.unit.along || end < cal.bounds[bucket+1]
		}
	})
	if err != nil {
		return nil, err
	}
	points := make([]FunnelPoint, cal.len())
	for b, label := range cal.labels {
		cell := cells[uint32(b)]
		if cell == nil {
			cell = &funnelCell{}
		}
		points[b] = FunnelPoint{Bucket: label, FunnelFigures: cell.figures(len(f.Steps))}
	}
	return points, nil
}

// FunnelBreakdown returns a funnel by a dimension of the sessions in which it began, one of GoalDimensions.
func (s *Selection) FunnelBreakdown(
	ctx context.Context, f analytics.Funnel, d analytics.Dimension,
) (*FunnelBreakdown, error) {
	f, err := s.funnelOf(f)
	if err != nil {
		return nil, err
	}
	if !slices.Contains(GoalDimensions, d) {
		return nil, analytics.Invalid("dimension", "unknown dimension %q for this report", d)
	}
	key, size := countKey{what: "funnel by", by: string(d)}, s.groupingOf(d).size
	cells, known, err := s.funnelCells(ctx, &f, key, size, func(p *Selection) funnelGroup {
		g := p.groupingOf(d)
		return func(a *funnelAttempt) (uint32, bool) {
			return g.of(&p.window.parts[a.session.part], a.session.row), true
		}
	})
	if err != nil {
		return nil, err
	}
	return known.funnelBreakdown(&f, d, cells), nil
}

func (s *Selection) funnelBreakdown(
	f *analytics.Funnel, d analytics.Dimension, cells map[uint32]*funnelCell,
) *FunnelBreakdown {
	labels := s.labels(d)
	type ranked struct {
		label
		cell *funnelCell
		size int64
	}
	all, n := make([]ranked, 0, len(cells)), len(f.Steps)
	for group, cell := range cells {
		all = append(all, ranked{labels(group), cell, cell.entered(n)[0]})
	}
	slices.SortFunc(all, func(a, b ranked) int {
		return cmp.Or(cmp.Compare(b.size, a.size), strings.Compare(a.key(), b.key()))
	})
	row := func(l label, cell *funnelCell) FunnelRow {
		return FunnelRow{
			Value: l.value, Country: l.country, Region: l.region, FunnelFigures: cell.figures(n), Steps: cell.entered(n),
		}
	}
	out := &FunnelBreakdown{Rows: []FunnelRow{}}
	rest := &funnelCell{}
	for i, r := range all {
		if i < FunnelRows {
			out.Rows = append(out.Rows, row(r.label, r.cell))
		} else {
			rest.add(r.cell)
		}
	}
	if len(all) > FunnelRows {
		other := row(label{}, rest)
		out.Other = &other
	}
	return out
}
