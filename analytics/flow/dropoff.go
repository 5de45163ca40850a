package flow

import (
	"context"
	"math"

	"github.com/svc-dev/svc/analytics/frame"
)

// A step loses more than its share when chance alone would say so once in two hundred times, and enough runs say so.
const (
	outOfProportionZ = 2.58
	outOfProportionN = 20
)

// Dropoff returns where runs ended without being completed.
func (s *Selection) Dropoff(ctx context.Context, graphs []Graph) (*Dropoff, error) {
	f, err := s.funnelOf(ctx, graphs)
	if err != nil {
		return nil, err
	}
	out := &Dropoff{
		Steps:      make([]DropoffStep, len(f.rows)),
		Incomplete: s.incomplete(s.scope.End, s.scope.Windows.Completion),
	}
	reaches, drops := int64(0), int64(0)
	for i := range f.steps {
		reaches, drops = reaches+f.steps[i].reach, drops+f.steps[i].drop
	}
	expected := ratio(drops, reaches)
	for i, row := range f.rows {
		t := f.of(row)
		d := DropoffStep{Step: row, Reach: t.reach, Drops: t.drop, DropRate: ratio(t.drop, t.reach), ExpectedRate: expected}
		if t.reach > 0 && drops > 0 && drops < reaches {
			n := float64(t.reach)
			z := (float64(t.drop) - n**expected) / math.Sqrt(n**expected*(1-*expected))
			d.Z = &z
			d.OutOfProportion = z >= outOfProportionZ && t.drop >= outOfProportionN
		}
		out.Steps[i] = d
	}
	return out, nil
}

// maxVisit is how long a visit is measured; whoever stays longer is idle.
const maxVisit = 30 * 60 * 1000

// visitTally is the visits of a step, measured when they had an end.
type visitTally struct {
	seen, surface bool

	took *times // milliseconds
	idle int64
}

// visitsTally is the visits of some runs.
type visitsTally struct {
	steps    []visitTally // by number
	releases []int64      // runs by code of the release
}

// countVisits counts the visits.
func (s *Selection) countVisits() *visitsTally {
	return each(s, func(_ int, rs *runs) *visitsTally {
		t := &visitsTally{make([]visitTally, s.window.letters.size(ofSteps)), rs.releases}
		f := s.newFollower()
		timers := newTimers(f.visitsOf(rs, len(t.steps)), s.engine.tuning.FewTimes)
		for i, rows := range rs.byPart(len(s.window.parts)) {
			p := &s.window.parts[i]
			path := p.Column(frame.RunPath)
			for _, row := range rows {
				stops, at := f.stopsOf(path[row], ref{uint32(i), row}), f.times(p.hitsOf(row))
				for k, stop := range stops {
					if stop.step == noNumber {
						continue
					}
					visits := &t.steps[stop.step]
					visits.seen, visits.surface = true, visits.surface || stop.surface
					switch {
					case k+1 == len(stops): // nothing ended it
					case at[k+1]-at[k] > maxVisit:
						visits.idle++
					default: // one that a clock that was set back ends before it began took no time
						timers.add(stop.step, max(0, at[k+1]-at[k]))
					}
				}
			}
		}
		for n := range t.steps {
			t.steps[n].took = timers.times(n)
		}
		return t
	}, s.addVisits)
}

func (s *Selection) addVisits(total, more *visitsTally) *visitsTally {
	steps := extend(total.steps, more.steps)
	for i := range more.steps {
		to, from := &steps[i], &more.steps[i]
		to.seen, to.surface, to.idle = to.seen || from.seen, to.surface || from.surface, to.idle+from.idle
		to.took = joinTimes(to.took, from.took, s.engine.tuning.FewTimes)
	}
	return &visitsTally{steps, addCounts(total.releases, more.releases)}
}

// see tells of each step whether somebody saw it, and as what.
func (t *visitsTally) see(n int) (seen, surface bool) {
	if n >= len(t.steps) {
		return false, false
	}
	return t.steps[n].seen, t.steps[n].surface
}

func (t *visitsTally) runsBy() []int64 { return t.releases }

// StepDuration returns how long visits of each step took.
func (s *Selection) StepDuration(ctx context.Context, graphs []Graph) (*StepDurations, error) {
	t, found, err := sumListed(ctx, s, graphs, (*Selection).countVisits, s.addVisits)
	if err != nil {
		return nil, err
	}
	f := nameSteps(t, found, graphs)
	out := &StepDurations{
		Steps:      make([]StepDuration, len(f.rows)),
		Incomplete: s.incomplete(s.scope.End, s.scope.Windows.Completion),
	}
	took := make([]*times, len(t.steps))
	for n := range t.steps {
		took[n] = t.steps[n].took
	}
	measured := quantiles(took, 25, 50, 75, 90, 95)
	for i, row := range f.rows {
		d := StepDuration{Step: row}
		if n, known := f.number[row.ID]; known && int(n) < len(t.steps) {
			visits, q := &t.steps[n], measured[n]
			d.P25, d.Median, d.P75, d.P90, d.P95, d.Mean = q[0], q[1], q[2], q[3], q[4], visits.took.mean()
			d.Visits, d.Idle = visits.took.len(), visits.idle
		}
		out.Steps[i] = d
	}
	return out, nil
}
