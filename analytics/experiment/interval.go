package experiment

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// Interval is a confidence interval; without information it is infinite.
type Interval struct{ Low, High float64 }

// Contains tells whether the interval has the value.
func (i Interval) Contains(v float64) bool { return i.Low <= v && v <= i.High }

// everything is the interval of somebody who knows nothing.
var everything = Interval{math.Inf(-1), math.Inf(1)}

// Sequence is an always-valid confidence sequence for differences of means: its intervals hold together at every look
// (Waudby-Smith et al., Time-uniform central limit theory, arXiv 2103.06476, eq. 9, 155 and 161).
type Sequence struct{ rho float64 }

// NewSequence returns the sequence at error rate alpha, 0 to 1, that is tightest when n people, of the control and the
// treatment together, have come: ρ = sqrt((−2 ln α + ln(−2 ln α + 1)) / n).
func NewSequence(alpha float64, n int) Sequence {
	a := -2 * math.Log(alpha)
	return Sequence{math.Sqrt((a + math.Log(a+1)) / float64(max(n, 1)))}
}

// Interval returns the interval at error rate alpha after n people: estimate ± sqrt(s²) ·
// sqrt(2(nρ²+1)·ln(sqrt(nρ²+1)/α) / (nρ)²) with s² = se²·n. alpha may be another than the sequence was tuned to.
func (s Sequence) Interval(e Effect, n int, alpha float64) Interval {
	if !informs(e) || n == 0 {
		return everything
	}
	m := float64(n)
	grown := m*s.rho*s.rho + 1
	half := e.SE * math.Sqrt(m) * math.Sqrt(2*grown*math.Log(math.Sqrt(grown)/alpha)/(m*s.rho*m*s.rho))
	return Interval{e.Estimate - half, e.Estimate + half}
}

// P returns the always-valid p-value of no difference: the smallest alpha whose Interval does not contain 0.
func (s Sequence) P(e Effect, n int) float64 {
	if !informs(e) || n == 0 {
		return 1
	}
	m, z := float64(n), e.Estimate/e.SE
	grown := m*s.rho*s.rho + 1
	return min(1, math.Sqrt(grown)*math.Exp(-s.rho*s.rho*m*z*z/(2*grown)))
}

// PAbove returns the always-valid p-value of no difference or one below 0, after n people: small when the difference
// is above 0. It is 1 ÷ the mixture of the sequence over differences above 0 alone, 2 · exp(x²/2) · Φ(x) / sqrt(nρ²+1)
// with x = z · sqrt(nρ² / (nρ²+1)) (Robbins, Annals of Mathematical Statistics 41, 1970, on one-sided mixtures).
func (s Sequence) PAbove(e Effect, n int) float64 {
	if !informs(e) || n == 0 {
		return 1
	}
	m, z := float64(n)*s.rho*s.rho, e.Estimate/e.SE
	x := z * math.Sqrt(m/(m+1))
	return min(1, math.Sqrt(m+1)*math.Exp(-x*x/2)/(2*distuv.UnitNormal.CDF(x)))
}

// ZAbove returns how many standard errors above 0 a difference is whose PAbove is alpha after n people.
func (s Sequence) ZAbove(alpha float64, n int) float64 {
	low, high := 0.0, 100.0
	for high-low > 1e-9 {
		if middle := (low + high) / 2; s.PAbove(Effect{middle, 1}, n) > alpha {
			low = middle
		} else {
			high = middle
		}
	}
	return high
}

// informs tells whether an effect has a standard error: where nobody differs from anybody, nothing can be said yet.
func informs(e Effect) bool { return e.SE > 0 && !math.IsNaN(e.Estimate) && !math.IsInf(e.SE, 0) }

// Fixed returns the interval for treatment − control at error rate alpha that may be looked at once: Newcombe's hybrid
// score interval of two proportions (Statistics in Medicine 17, 1998, method 10), Welch's of two means.
func Fixed(control, treatment Sample, alpha float64) Interval {
	if control.N == 0 || treatment.N == 0 {
		return everything
	}
	if control.Successes >= 0 && treatment.Successes >= 0 {
		return newcombe(control, treatment, alpha)
	}
	return welch(control, treatment, alpha)
}

// FixedP returns the p-value of no difference that belongs to Fixed: the smallest alpha whose interval does not contain
// 0, to 1e-12.
func FixedP(control, treatment Sample) float64 {
	if control.N == 0 || treatment.N == 0 || control.Mean == treatment.Mean {
		return 1
	}
	if control.Successes < 0 || treatment.Successes < 0 {
		e := Difference(control, treatment)
		if !informs(e) {
			return 1
		}
		return 2 * studentsT(control, treatment).Survival(math.Abs(e.Estimate/e.SE))
	}
	// The interval narrows as alpha rises.
	low, high := 0.0, 1.0
	for high-low > 1e-12 && high-low > 1e-6*high {
		middle := (low + high) / 2
		if newcombe(control, treatment, middle).Contains(0) {
			low = middle
		} else {
			high = middle
		}
	}
	return high
}

// Wilson returns the score interval of a proportion at error rate alpha (Wilson, JASA 22, 1927).
func Wilson(s Sample, alpha float64) Interval {
	if s.N == 0 {
		return Interval{0, 1}
	}
	z := normalUpper(alpha / 2)
	n, p := float64(s.N), s.Mean
	middle := (p + z*z/(2*n)) / (1 + z*z/n)
	half := z / (1 + z*z/n) * math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	return Interval{max(0, middle-half), min(1, middle+half)}
}

func newcombe(control, treatment Sample, alpha float64) Interval {
	c, t := Wilson(control, alpha), Wilson(treatment, alpha)
	d := treatment.Mean - control.Mean
	return Interval{
		Low:  d - math.Hypot(treatment.Mean-t.Low, c.High-control.Mean),
		High: d + math.Hypot(t.High-treatment.Mean, control.Mean-c.Low),
	}
}

func welch(control, treatment Sample, alpha float64) Interval {
	e := Difference(control, treatment)
	if !informs(e) || control.N < 2 || treatment.N < 2 {
		return everything
	}
	half := studentsT(control, treatment).Quantile(1-alpha/2) * e.SE
	return Interval{e.Estimate - half, e.Estimate + half}
}

// studentsT has the degrees of freedom of Welch and Satterthwaite.
func studentsT(control, treatment Sample) distuv.StudentsT {
	c, t := perPerson(control), perPerson(treatment)
	nu := (c + t) * (c + t) / (c*c/float64(max(control.N-1, 1)) + t*t/float64(max(treatment.N-1, 1)))
	return distuv.StudentsT{Mu: 0, Sigma: 1, Nu: nu}
}

// normalUpper returns what a standard normal variable is above with probability p. It keeps its digits for the smallest
// p, where a quantile at 1−p would lose them.
func normalUpper(p float64) float64 { return -distuv.UnitNormal.Quantile(p) }

// Holm returns, for the p-values of several treatments, the error rate that each is held against so that all together
// err with probability alpha at most (Holm, Scandinavian Journal of Statistics 6, 1979): alpha/m for the smallest p,
// alpha/(m−1) for the next, and once one is not below its own, that one's for all that follow. A treatment differs when
// its p is at most its rate, and then its interval at that rate leaves out 0.
func Holm(ps []float64, alpha float64) []float64 {
	order := make([]int, len(ps))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(ps[a], ps[b]) })
	rates := make([]float64, len(ps))
	stopped := false
	rate := 0.0
	for rank, i := range order {
		if !stopped {
			rate = alpha / float64(len(ps)-rank)
			stopped = ps[i] > rate
		}
		rates[i] = rate
	}
	return rates
}
