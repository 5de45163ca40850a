package figures

import (
	"cmp"
	"context"
	"math"
	"slices"
	"time"

	"github.com/svc-dev/svc/analytics"
)

// State is the subscriptions at a moment.
type State struct {
	Active      int64 // paid and not expired, also in a grace period
	Trials      int64 // not expired
	MRR         int64 // monthly recurring revenue in micro-dollars
	Unconverted int64 // paid subscriptions whose dollars are not known, which are not in MRR
}

// ARR is twelve months of MRR.
func (s *State) ARR() int64 { return share(s.MRR, 12, 1) }

// change is how a state changes in a bucket.
type change struct {
	active, trials, unconverted, churned int64
	mrr                                  sum
}

func (c *change) plus(more *change) {
	c.active, c.trials, c.unconverted = c.active+more.active, c.trials+more.trials, c.unconverted+more.unconverted
	c.churned += more.churned
	c.mrr.plus(more.mrr)
}

// state returns what changes up to a moment come to.
func (c *change) state() State {
	return State{Active: c.active, Trials: c.trials, MRR: c.mrr.int64(), Unconverted: c.unconverted}
}

// Movement is why MRR at the end of a bucket is not that at its start, in micro-dollars: it is larger by New,
// Reactivation and Expansion and smaller by Contraction and Churn.
type Movement struct{ New, Reactivation, Expansion, Contraction, Churn int64 }

// SubscriptionPoint is the subscriptions at the end of a bucket, and what became of them in it.
type SubscriptionPoint struct {
	Bucket        time.Time
	State         State
	Movement      Movement
	ActiveAtStart int64
	Churned       int64 // paid subscriptions that expired in the bucket and are not active at its end
}

// ChurnRate is Churned ÷ ActiveAtStart, nil when none was.
func (p *SubscriptionPoint) ChurnRate() *float64 { return ratio(p.Churned, p.ActiveAtStart) }

// Subscriptions is the subscriptions of a range: at its end, what became of them in it, and the trials that began in
// it.
type Subscriptions struct {
	SubscriptionPoint
	Trials Trials
}

// Subscriptions returns the subscriptions of the range.
func (r *Reader) Subscriptions(ctx context.Context) (*Subscriptions, error) {
	points, trials, err := r.points(ctx, []time.Time{r.scope.Start, r.scope.End})
	if err != nil {
		return nil, err
	}
	return &Subscriptions{points[0], trials}, nil
}

// SubscriptionSeries returns the subscriptions of every bucket of the range. Buckets that the range clips are clipped.
func (r *Reader) SubscriptionSeries(ctx context.Context, grain analytics.Grain) ([]SubscriptionPoint, error) {
	bounds, err := analytics.Buckets(grain, r.scope.Start, r.scope.End, r.scope.Location)
	if err != nil || len(bounds) == 1 {
		return []SubscriptionPoint{}, err
	}
	clipped := make([]time.Time, len(bounds))
	copy(clipped, bounds)
	clipped[0], clipped[len(bounds)-1] = r.scope.Start, r.scope.End
	points, _, err := r.points(ctx, clipped)
	for i := range points {
		points[i].Bucket = bounds[i]
	}
	return points, err
}

// until returns the bounds with now for those that are not reached.
func (r *Reader) until(bounds []time.Time) []time.Time {
	reached := make([]time.Time, len(bounds))
	for i, bound := range bounds {
		if reached[i] = bound; bound.After(r.now) {
			reached[i] = r.now
		}
	}
	return reached
}

// points returns the subscriptions of the buckets between bounds, and the trials of the range.
func (r *Reader) points(ctx context.Context, bounds []time.Time) ([]SubscriptionPoint, Trials, error) {
	type parts struct {
		changes   []change
		movements []flows
		trials    Trials
	}
	bounds = r.until(bounds)
	found, err := gather(ctx, r, "", func(of *replica) parts {
		all := of.group("")
		return parts{
			of.changes(&r.scope, all, bounds), of.movements(&r.scope, bounds), of.countTrials(&r.scope, all, r.now)[0],
		}
	}, func(sum, portion parts) parts {
		addEach(sum.changes, portion.changes, (*change).plus)
		addEach(sum.movements, portion.movements, (*flows).plus)
		sum.trials.plus(&portion.trials)
		return sum
	})
	if err != nil {
		return nil, Trials{}, err
	}
	changes, movements := found.changes, found.movements
	points := make([]SubscriptionPoint, len(bounds)-1)
	sofar := changes[0]
	for i := range points {
		points[i].Bucket, points[i].ActiveAtStart = bounds[i], sofar.active
		sofar.plus(&changes[i+1])
		points[i].State, points[i].Churned = sofar.state(), changes[i+1].churned
		points[i].Movement = movements[i+1].movement()
	}
	return points, found.trials, nil
}

// givesAccess tells whether a period counts among subscriptions and trials.
func (p *period) givesAccess(is *traits) bool {
	return p.starts < p.until && (is.kind == paidPeriod || is.kind == trialPeriod)
}

// monthlyParts are how often the periods of each length are in a month: RevenueCat's factors, as fractions.
var monthlyParts = [][2]int64{
	{0, 1}, {30, 1}, {10, 1}, {4, 1}, {2, 1}, {1, 1}, {1, 2}, {1, 3}, {1, 6}, {1, 12},
}

// monthly returns what a period comes to a month.
func (p *period) monthly(is *traits) int64 {
	part := monthlyParts[is.length]
	return share(p.amount, part[0], part[1])
}

// changes returns how the subscriptions of a scope change, by bucket, the number of bounds up to a time, and group.
// What changes from the last bound on is left out.
func (r *replica) changes(scope *Scope, by *grouping, bounds []time.Time) []change {
	line, n := newTimeline(bounds), len(by.names)
	changes := make([]change, len(bounds)*n)
	chosen := r.chosen(scope.Filters)
	for subject := range r.bySubject.len() {
		rows := r.bySubject.of(subject)
		for i, row := range rows {
			p := &r.periods[row]
			is := &r.traits.values[p.traits]
			if !chosen.keeps(p.traits, p.subject) || !p.givesAccess(is) {
				continue
			}
			first, last, group := line.bucket(p.starts), line.bucket(p.until), by.of(p.traits, p.subject, p.customer)
			if first == len(bounds) {
				break
			}
			var c change
			if is.kind == trialPeriod {
				c.trials = 1
			} else {
				c.active = 1
				c.mrr.add(p.monthly(is))
				if is.unconverted {
					c.unconverted = 1
				}
			}
			changes[first*n+group].plus(&c)
			if last == len(bounds) {
				continue
			}
			end := &changes[last*n+group]
			end.minus(&c)
			if c.active > 0 && !r.goesOn(rows[i+1:], &line, last, func(next *period) bool {
				return chosen.keeps(next.traits, next.subject) &&
					by.of(next.traits, next.subject, next.customer) == group
			}) {
				end.churned++
			}
		}
	}
	return changes
}

func (c *change) minus(less *change) {
	c.active, c.trials, c.unconverted = c.active-less.active, c.trials-less.trials, c.unconverted-less.unconverted
	c.mrr.subtract(less.mrr.int64())
}

// goesOn tells whether one of the later periods of a subscription is paid at the end of a bucket, or ends in it as well
// and says for this one what became of the subscription.
func (r *replica) goesOn(later []uint32, line *timeline, bucket int, same func(next *period) bool) bool {
	for _, row := range later {
		p := &r.periods[row]
		is := &r.traits.values[p.traits]
		if line.bucket(p.starts) > bucket {
			return false
		}
		if is.kind == paidPeriod && p.givesAccess(is) && same(p) {
			return true
		}
	}
	return false
}

// flows are the movements of many customers.
type flows struct{ new, reactivation, expansion, contraction, churn sum }

func (f *flows) movement() Movement {
	return Movement{
		New: f.new.int64(), Reactivation: f.reactivation.int64(), Expansion: f.expansion.int64(),
		Contraction: f.contraction.int64(), Churn: f.churn.int64(),
	}
}

func (f *flows) plus(more *flows) {
	f.new.plus(more.new)
	f.reactivation.plus(more.reactivation)
	f.expansion.plus(more.expansion)
	f.contraction.plus(more.contraction)
	f.churn.plus(more.churn)
}

// movements returns how what customers come to a month changes, by bucket.
func (r *replica) movements(scope *Scope, bounds []time.Time) []flows {
	type step struct {
		bucket int
		change int64
	}
	line, chosen := newTimeline(bounds), r.chosen(scope.Filters)
	moved := make([]flows, len(bounds)+1)
	var steps []step
	for c := range r.periodsByCustomer.len() {
		steps = steps[:0]
		first := math.MaxInt // bucket of the first that comes to something
		for _, row := range r.periodsByCustomer.of(c) {
			p := &r.periods[row]
			is := &r.traits.values[p.traits]
			if !chosen.keeps(p.traits, p.subject) || is.kind != paidPeriod || !p.givesAccess(is) {
				continue
			}
			monthly := p.monthly(is)
			from, to := line.bucket(p.starts), line.bucket(p.until)
			if monthly > 0 {
				first = min(first, from)
			}
			if from != to {
				steps = append(steps, step{from, monthly}, step{to, -monthly})
			}
		}
		slices.SortFunc(steps, func(a, b step) int { return cmp.Compare(a.bucket, b.bucket) })
		var after sum
		for i := 0; i < len(steps); {
			bucket, before := steps[i].bucket, after.int64()
			for ; i < len(steps) && steps[i].bucket == bucket; i++ {
				after.add(steps[i].change)
			}
			now, to := after.int64(), &moved[bucket]
			switch change := difference(now, before); {
			case before == 0 && now > 0 && bucket == first:
				to.new.add(change)
			case before == 0 && now > 0:
				to.reactivation.add(change)
			case change > 0:
				to.expansion.add(change)
			case change < 0 && now > 0:
				to.contraction.subtract(change)
			case change < 0:
				to.churn.subtract(change)
			}
		}
	}
	return moved
}

// Trials is what became of trials by now.
type Trials struct {
	Started   int64
	Converted int64 // a paid period of the subscription followed
	Pending   int64 // not converted, to be renewed and not expired
}

func (t *Trials) plus(more *Trials) {
	t.Started, t.Converted, t.Pending = t.Started+more.Started, t.Converted+more.Converted, t.Pending+more.Pending
}

// Abandoned is the other trials.
func (t *Trials) Abandoned() int64 { return t.Started - t.Converted - t.Pending }

// ConversionRate is Converted ÷ Started, nil without any.
func (t *Trials) ConversionRate() *float64 { return ratio(t.Converted, t.Started) }

// PendingRate is Pending ÷ Started, nil without any.
func (t *Trials) PendingRate() *float64 { return ratio(t.Pending, t.Started) }

// AbandonedRate is Abandoned ÷ Started, nil without any.
func (t *Trials) AbandonedRate() *float64 { return ratio(t.Abandoned(), t.Started) }

// countTrials returns what became of the trials of a scope, by group.
func (r *replica) countTrials(scope *Scope, by *grouping, at time.Time) []Trials {
	trials := make([]Trials, len(by.names))
	start, end, now, chosen := scope.Start.UnixMicro(), scope.End.UnixMicro(), at.UnixMicro(), r.chosen(scope.Filters)
	for row := range r.periods {
		p := &r.periods[row]
		is := &r.traits.values[p.traits]
		if is.kind != trialPeriod || p.starts < start || p.starts >= end || !chosen.keeps(p.traits, p.subject) {
			continue
		}
		t := &trials[by.of(p.traits, p.subject, p.customer)]
		t.Started++
		switch {
		case slices.ContainsFunc(r.bySubject.of(int(p.subject)), func(other uint32) bool {
			later := &r.periods[other]
			return r.traits.values[later.traits].kind == paidPeriod && later.starts >= p.starts && later.starts <= now
		}):
			t.Converted++
		case is.autoRenew && p.accessEnd > now:
			t.Pending++
		}
	}
	return trials
}
