package experiment

import (
	"slices"
	"time"

	"github.com/google/uuid"
)

// Exposure is a person who had a run of the experiment between its start and its stop.
type Exposure struct {
	// Device is the hash of their app user id, of the first run; zero unless the trial names devices.
	Device    uuid.UUID
	Arm       int  // place of the variant of their first run; −1 for none of the experiment's
	Crossed   bool // had runs of several arms
	At        time.Time
	Completed time.Time // of the first completed run; zero for none
	Charges   []Charge  // that belong to runs of the experiment (flow-analytics.md §5)
	// Met is when they first met each goal of the experiment, at At or after it; zero for never.
	Met []time.Time
	// Of the first run.
	Platform, AppVersion, Country, Browser string
}

// Charge is a verified charge or the start of a trial. Money is in micro-USD.
type Charge struct {
	At       time.Time
	First    bool  // first charge or trial start, not a renewal
	Amount   int64 // 0 of a trial start
	Refunded int64 // what of it was paid back, whenever; not positive
	Paid     bool  // of a trial: it was paid for afterwards, whenever
}

func (c *Charge) trial() bool { return c.First && c.Amount == 0 }

// outcome is what a person did within the windows after their first exposure.
type outcome struct {
	arm               int
	at                time.Time
	completed         bool
	took              float64 // seconds to complete
	converted         bool
	net               float64 // dollars
	trial, trialPaid  bool
	charged, refunded bool
	met               []bool // by goal
}

func (e *Exposure) outcome(p Planner) outcome {
	completion, purchase := p.CompletionWindow(), p.PurchaseWindow()
	o := outcome{arm: e.Arm, at: e.At, met: make([]bool, len(e.Met))}
	for i, met := range e.Met {
		o.met[i] = !met.IsZero() && met.Sub(e.At) < p.GoalWindow()
	}
	if took := e.Completed.Sub(e.At); !e.Completed.IsZero() && took < completion {
		o.completed, o.took = true, max(0, took.Seconds())
	}
	for i := range e.Charges {
		c := &e.Charges[i]
		if after := c.At.Sub(e.At); after < 0 || after >= purchase {
			continue
		}
		o.net += float64(c.Amount+c.Refunded) / 1e6
		o.converted = o.converted || c.First
		o.trial = o.trial || c.trial()
		o.trialPaid = o.trialPaid || c.trial() && c.Paid
		o.charged = o.charged || c.Amount > 0
		o.refunded = o.refunded || c.Amount > 0 && c.Refunded < 0
	}
	return o
}

// The names of the metrics.
const (
	Completion        = "completion"
	Conversion        = "conversion"
	Revenue           = "revenue"
	RevenueWinsorized = "revenueWinsorized"
	TrialConversion   = "trialConversion"
	RefundRate        = "refundRate"
	TimeToComplete    = "timeToComplete"
)

// measure is a metric and how a person counts in it.
type measure struct {
	Metric
	name     string
	goal     *Goal // that it counts; nil of others
	window   func(Planner) time.Duration
	counts   func(*outcome) bool // nil: everybody does
	success  func(*outcome) bool // of a proportion
	value    func(*outcome) float64
	winsor   bool
	median   bool // of the values, which are not compared
	noSeries bool
}

// Goal is a goal that an experiment measures: the share of people who meet it within the window of goals.
type Goal struct {
	ID      uuid.UUID
	Name    string
	Primary bool // decides, in place of completion: one at most
}

// measures returns the metrics in the order in which they are shown; the first decides, and goals come right behind it.
func (in *Input) measures() []measure {
	var first, rest []measure
	for i := range in.Goals {
		goal := &in.Goals[i]
		m := measure{
			name: "goal " + goal.ID.String(), goal: goal, window: Planner.GoalWindow,
			Metric:  Metric{Name: "conversion to “" + goal.Name + "”", Unit: Points},
			success: func(o *outcome) bool { return i < len(o.met) && o.met[i] },
		}
		if goal.Primary {
			first = append(first, m)
		} else {
			rest = append(rest, m)
		}
	}
	if first == nil {
		return slices.Concat(usualMeasures[:1], rest, usualMeasures[1:])
	}
	return slices.Concat(first, rest, usualMeasures)
}

// usualMeasures are the metrics of every experiment.
var usualMeasures = []measure{
	{
		name: Completion, Metric: Metric{Name: "completion", Unit: Points}, window: Planner.CompletionWindow,
		success: func(o *outcome) bool { return o.completed },
	},
	{
		name: Conversion, Metric: Metric{Name: "conversion", Unit: Points}, window: Planner.PurchaseWindow,
		success: func(o *outcome) bool { return o.converted },
	},
	{
		name: Revenue, Metric: Metric{Name: "net revenue per user", Unit: Dollars}, window: Planner.PurchaseWindow,
		value: func(o *outcome) float64 { return o.net },
	},
	{
		name: RevenueWinsorized, Metric: Metric{Name: "net revenue per user, without its largest values", Unit: Dollars},
		window: Planner.PurchaseWindow, value: func(o *outcome) float64 { return o.net }, winsor: true, noSeries: true,
	},
	{
		name: TrialConversion, Metric: Metric{Name: "trial conversion", Unit: Points}, window: Planner.PurchaseWindow,
		counts:  func(o *outcome) bool { return o.trial },
		success: func(o *outcome) bool { return o.trialPaid },
	},
	{
		name: RefundRate, Metric: Metric{Name: "the refund rate", Unit: Points, LowerIsBetter: true},
		window: Planner.PurchaseWindow, counts: func(o *outcome) bool { return o.charged },
		success: func(o *outcome) bool { return o.refunded },
	},
	{
		name: TimeToComplete, Metric: Metric{Name: "the time to complete", Unit: Seconds, LowerIsBetter: true},
		window: Planner.CompletionWindow, counts: func(o *outcome) bool { return o.completed },
		value: func(o *outcome) float64 { return o.took }, median: true, noSeries: true,
	},
}
