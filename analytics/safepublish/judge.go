package safepublish

import (
	"math"
	"sync"

	"github.com/svc-dev/svc/analytics/experiment"
)

const (
	// Alpha is how often a version that is no worse is called worse: over both metrics and all looks together.
	Alpha = 0.01
	// Harm is the relative harm that the planned runs find: completion falls by a fifth, errors rise by a fifth.
	Harm = 0.2
	// Power is how often they find it.
	Power = 0.9
	// LeastRuns is how many runs each side has before anything is said.
	LeastRuns = 100

	metrics = 2
)

// Metric is what versions are compared by.
type Metric string

// The metrics.
const (
	Completion Metric = "completion" // share of runs that were completed: lower is harm
	Errors     Metric = "errors"     // share of runs with an error: higher is harm
)

// State is what can be said of a version.
type State string

// The states.
const (
	Watching State = "watching" // no harm was found in the runs so far
	Fine     State = "fine"     // the planned runs came, and no harm was found
	Harmful  State = "harm"     // a metric is worse
	Ended    State = "ended"    // the time is over before the planned runs came; no harm was found
)

// Figure is a metric of both versions.
type Figure struct {
	Metric Metric `json:"metric"`
	// Previous and Current are shares of runs, 0 to 1; nil without runs.
	Previous *float64 `json:"previous"`
	Current  *float64 `json:"current"`
	// P is the always-valid p-value of "no worse", corrected for there being two metrics: harm is P < Alpha.
	P float64 `json:"p"`
	// PlannedRuns is how many runs of the version find a relative harm of Harm; nil when no number does, because the
	// version before had too few runs or the metric is too rare.
	PlannedRuns *int `json:"plannedRuns"`
	Harm        bool `json:"harm"`
}

// Judgement is what the runs of two versions say.
type Judgement struct {
	State        State `json:"state"` // Watching, Fine or Harmful
	PreviousRuns int   `json:"previousRuns"`
	Runs         int   `json:"runs"`
	// PlannedRuns are those of completion.
	PlannedRuns *int     `json:"plannedRuns"`
	Figures     []Figure `json:"figures"` // of completion, then of errors
}

// Judge compares the runs of a version with those of the one before it.
func Judge(previous, current Counts) Judgement {
	j := Judgement{State: Watching, PreviousRuns: int(previous.Runs()), Runs: int(current.Runs()), Figures: []Figure{
		compare(Completion, -1, previous.Completed, current.Completed),
		compare(Errors, 1, previous.Failed, current.Failed),
	}}
	j.PlannedRuns = j.Figures[0].PlannedRuns
	if j.PlannedRuns != nil && j.Runs >= *j.PlannedRuns {
		j.State = Fine
	}
	for _, f := range j.Figures {
		if f.Harm {
			j.State = Harmful
		}
	}
	return j
}

// compare holds a metric of both versions against each other; harm is in the direction of worse, 1 or -1.
func compare(m Metric, worse float64, previous, current Tally) Figure {
	f := Figure{Metric: m, P: 1}
	before, hasBefore := previous.Rate()
	now, hasNow := current.Rate()
	if hasBefore {
		f.Previous = &before
		f.PlannedRuns = plannedRuns(before, worse, previous.Runs)
	}
	if hasNow {
		f.Current = &now
	}
	if previous.Runs < LeastRuns || current.Runs < LeastRuns {
		return f
	}
	effect := experiment.Effect{Estimate: worse * (now - before), SE: math.Sqrt(variance(previous, current))}
	n := known(previous.Runs, current.Runs)
	f.P = min(1, metrics*tuned(before, worse, previous.Runs).PAbove(effect, n))
	f.Harm = f.P < Alpha
	return f
}

// variance returns that of the difference of two rates: the larger one of what each side says of its own and of what
// both say together. The first is too small where a rare thing has not happened yet on one side, the second where it
// happens on the small side alone.
func variance(previous, current Tally) float64 {
	before, _ := previous.Rate()
	now, _ := current.Rate()
	both, _ := previous.Merge(current).Rate()
	p, c := float64(previous.Runs), float64(current.Runs)
	return max(previous.spread(before)+current.spread(now), previous.spread(both)+current.spread(both),
		both*(1-both)*(1/p+1/c))
}

// maxPlanned is the most runs of a balanced comparison that are planned with.
const maxPlanned = 1_000_000

// balanced returns how many runs of a balanced comparison, both sides together, find the harm with the power: those of
// the planner of experiments, whose critical value is that of the sequence at its end. The sides are seldom as large,
// so both are taken to vary as the one does that varies more.
func balanced(rate, worse float64) (runs int, ok bool) {
	harmed := rate + worse*Harm*rate
	perSide, err := experiment.Plan{
		Baseline: rate, Effect: harmed - rate, Treatments: 1, Alpha: math.Erfc(critical() / math.Sqrt2), Power: Power,
	}.PeoplePerArm()
	if err != nil {
		return 0, false
	}
	v, h := rate*(1-rate), harmed*(1-harmed)
	n := math.Ceil(4 * float64(perSide) * max(v, h) / (v + h))
	return int(min(n, maxPlanned)), n <= maxPlanned
}

// tuned returns the sequence that is tightest when the planned runs have come. The runs of the version before are all
// there when the first look is made, so that nothing it is tuned to depends on the version's own.
func tuned(rate, worse float64, previous int64) experiment.Sequence {
	runs, ok := balanced(rate, worse)
	if !ok {
		runs = maxPlanned
	}
	return experiment.NewSequence(2*Alpha/metrics, min(runs, known(previous, previous)))
}

// critical returns how many standard errors a difference must have at the end of what a sequence is tuned to, whatever
// that is.
var critical = sync.OnceValue(func() float64 {
	return experiment.NewSequence(2*Alpha/metrics, maxPlanned).ZAbove(Alpha/metrics, maxPlanned)
})

// plannedRuns returns how many runs of the version find the harm beside so many of the version before; nil when no
// number does.
func plannedRuns(rate, worse float64, previous int64) *int {
	need, ok := balanced(rate, worse)
	if !ok || previous < LeastRuns {
		return nil
	}
	// 4pc/(p+c) = need, solved for c.
	p, n := float64(previous), float64(need)
	if 4*p <= n {
		return nil
	}
	runs := int(math.Ceil(n * p / (4*p - n)))
	if runs > maxPlanned {
		return nil
	}
	runs = max(runs, LeastRuns)
	return &runs
}
