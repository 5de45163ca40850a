package experiment

import (
	"errors"
	"fmt"
	"math"
)

// Phase is where an experiment stands.
type Phase string

// The phases.
const (
	Running  Phase = "running"  // looked at daily: the sequence
	Ended    Phase = "ended"    // at the planned end: the fixed interval, once
	Extended Phase = "extended" // beyond the planned end, whose look is spent: the sequence
)

// Verdict is what can be said of a treatment.
type Verdict string

// The verdicts.
const (
	Winning   Verdict = "winning"
	Losing    Verdict = "losing"
	Undecided Verdict = "undecided"
	TooEarly  Verdict = "too early"
	NoVerdict Verdict = "none" // the sample ratio is off, so that no figure can be trusted
)

// leastPeople is how many people an arm has at least before anything is said of it.
const leastPeople = 100

// Unit is what a metric is counted in.
type Unit string

// The units. Proportions are shown as percentage points.
const (
	Points  Unit = "points"
	Dollars Unit = "dollars"
	Seconds Unit = "seconds"
)

// Metric is what arms are compared by.
type Metric struct {
	Name          string // in a sentence: "completion"
	Unit          Unit
	LowerIsBetter bool // such as the refund rate
}

// Design is what was planned.
type Design struct {
	// Alpha is the error rate of all treatments together, over all looks and the planned end: usually 0.05.
	Alpha float64
	// PlannedPeople is how many people each arm should have at the end.
	PlannedPeople int
	Phase         Phase
	// RatioWarning says that people were not split as planned: then there is no verdict.
	RatioWarning bool
}

// Comparison is a treatment beside the control.
type Comparison struct {
	Difference Effect
	Interval   Interval // of the difference, at the error rate Alpha
	Alpha      float64  // Holm's for this treatment, of the half that the phase has
	P          float64
	// Lift is the relative difference and LiftInterval its interval, in the phase's own way; nil when the control has 0.
	Lift         *Effect
	LiftInterval *Interval
	Verdict      Verdict
	Sentence     string
}

// Compare holds each treatment against the control. It fails when the design is none.
func Compare(d Design, m Metric, control Sample, treatments ...Sample) ([]Comparison, error) {
	if !(d.Alpha > 0 && d.Alpha < 1) || d.PlannedPeople < 1 {
		return nil, errors.New("an experiment has an alpha between 0 and 1 and users for each variant")
	}
	half := d.Alpha / 2 // the looks and the planned end have one half each
	sequence := NewSequence(half, 2*d.PlannedPeople)
	compared := make([]Comparison, len(treatments))
	ps := make([]float64, len(treatments))
	for i, t := range treatments {
		c := &compared[i]
		c.Difference = Difference(control, t)
		if d.Phase == Ended {
			c.P = FixedP(control, t)
		} else {
			c.P = sequence.P(c.Difference, control.N+t.N)
		}
		ps[i] = c.P
	}
	for i, rate := range Holm(ps, half) {
		c, t := &compared[i], treatments[i]
		c.Alpha = rate
		if d.Phase == Ended {
			c.Interval = Fixed(control, t, rate)
		} else {
			c.Interval = sequence.Interval(c.Difference, control.N+t.N, rate)
		}
		if lift, ok := Lift(control, t); ok {
			interval := liftInterval(d, sequence, lift, control, t, rate)
			c.Lift, c.LiftInterval = &lift, &interval
		}
		c.judge(d, m, control, t)
	}
	return compared, nil
}

// liftInterval returns the interval of a relative difference: that of the sequence, or Welch's at the planned end.
func liftInterval(d Design, s Sequence, lift Effect, control, treatment Sample, alpha float64) Interval {
	switch {
	case d.Phase != Ended:
		return s.Interval(lift, control.N+treatment.N, alpha)
	case !informs(lift):
		return everything
	}
	half := studentsT(control, treatment).Quantile(1-alpha/2) * lift.SE
	return Interval{lift.Estimate - half, lift.Estimate + half}
}

// judge chooses the verdict and says it.
func (c *Comparison) judge(d Design, m Metric, control, treatment Sample) {
	fewest := min(control.N, treatment.N)
	switch {
	case d.RatioWarning:
		c.Verdict = NoVerdict
		c.Sentence = "No verdict: users were not split as planned, so that no value can be trusted."
		return
	case fewest < max(d.PlannedPeople, leastPeople):
		c.Verdict = TooEarly
		c.Sentence = fmt.Sprintf(
			"Too early: the smaller variant has %d of the %d users that it needs.", fewest, max(d.PlannedPeople, leastPeople),
		)
		return
	case c.Interval.Contains(0):
		c.Verdict = Undecided
		c.Sentence = "Undecided: " + m.Name + " does not vary between users yet."
		if !math.IsInf(c.Interval.High, 0) {
			c.Sentence = fmt.Sprintf(
				"Undecided: %s may be up to %s lower or up to %s higher than with the control.", m.Name,
				m.Unit.between(-c.Interval.Low, -c.Interval.Low), m.Unit.between(c.Interval.High, c.Interval.High),
			)
		}
		return
	}
	c.Verdict = Winning
	if (c.Difference.Estimate < 0) != m.LowerIsBetter {
		c.Verdict = Losing
	}
	more, least, most := "higher", c.Interval.Low, c.Interval.High
	if c.Difference.Estimate < 0 {
		more, least, most = "lower", -c.Interval.High, -c.Interval.Low
	}
	c.Sentence = fmt.Sprintf("%s: %s is %s %s than with the control.", map[Verdict]string{
		Winning: "Winning", Losing: "Losing",
	}[c.Verdict], m.Name, m.Unit.between(least, most), more)
}

// between writes a range of amounts for a sentence, one that is a single amount as such. Points have one decimal, as
// wherever the dashboard shows them: the same bound must not read 36.95 here and 36.9 there.
func (u Unit) between(least, most float64) string {
	format, behind := "%.1f", " points"
	switch u {
	case Points:
		least, most = 100*least, 100*most
	case Dollars:
		format, behind = "$%.2f", ""
	case Seconds:
		format, behind = "%.1f", " seconds"
	}
	if least == most {
		return fmt.Sprintf(format, least) + behind
	}
	return fmt.Sprintf(format+" to "+format, least, most) + behind
}
