package experiment

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/integrate/quad"
	"gonum.org/v1/gonum/stat/distuv"
)

// Belief is what somebody who knew nothing before, Beta(1,1), thinks of two proportions.
type Belief struct {
	// Chance is the probability that the treatment's proportion is above the control's.
	Chance float64
	// Loss is how much is lost on average by taking the treatment: E[max(control − treatment, 0)].
	Loss float64
}

// quadraturePoints is how many points a panel has; with it the integrals are exact to 1e-6, which the tests hold
// against another implementation.
const quadraturePoints = 48

// Beliefs returns the belief about two proportions: P(T > C) = ∫ f_T F_C and E[max(C−T, 0)] = ∫ F_T (1 − F_C), by
// Gauss-Legendre quadrature.
func Beliefs(control, treatment Sample) Belief {
	c, t := posterior(control), posterior(treatment)
	edges := []float64{0, 1}
	for _, b := range []distuv.Beta{c, t} {
		mean, sd := b.Mean(), b.StdDev()
		// A posterior at 0 or 1 is exponential: e⁻³² of it lies beyond 32 deviations.
		for _, k := range []float64{-32, -16, -8, -4, -2, -1, 0, 1, 2, 4, 8, 16, 32} {
			if edge := mean + k*sd; edge > 0 && edge < 1 {
				edges = append(edges, edge)
			}
		}
	}
	slices.Sort(edges)
	var belief Belief
	for i := range edges[1:] {
		from, to := edges[i], edges[i+1]
		if to <= from {
			continue
		}
		belief.Chance += quad.Fixed(
			func(x float64) float64 { return t.Prob(x) * c.CDF(x) }, from, to, quadraturePoints, quad.Legendre{}, 0,
		)
		belief.Loss += quad.Fixed(
			func(x float64) float64 { return t.CDF(x) * (1 - c.CDF(x)) }, from, to, quadraturePoints, quad.Legendre{}, 0,
		)
	}
	belief.Chance = math.Min(math.Max(belief.Chance, 0), 1)
	return belief
}

func posterior(s Sample) distuv.Beta {
	successes := max(s.Successes, 0)
	return distuv.Beta{Alpha: 1 + float64(successes), Beta: 1 + float64(s.N-successes)}
}
