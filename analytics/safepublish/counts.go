package safepublish

import "math"

// Tally counts something that runs did. Runs of one user are alike, so it keeps what the spread between users takes:
// the sums over users of their runs and of those that did it, squared and multiplied.
type Tally struct {
	Runs, Hits                         int64
	runsSquared, hitsSquared, together float64
}

// Add counts the runs of one more user, and how many of them did it.
func (t *Tally) Add(runs, hits int64) {
	t.Runs, t.Hits = t.Runs+runs, t.Hits+hits
	r, h := float64(runs), float64(hits)
	t.runsSquared, t.hitsSquared, t.together = t.runsSquared+r*r, t.hitsSquared+h*h, t.together+r*h
}

// Merge adds up tallies of different users.
func (t Tally) Merge(more Tally) Tally {
	t.Runs, t.Hits = t.Runs+more.Runs, t.Hits+more.Hits
	t.runsSquared, t.hitsSquared = t.runsSquared+more.runsSquared, t.hitsSquared+more.hitsSquared
	t.together += more.together
	return t
}

// Rate returns the share of runs that did it, 0 to 1; ok is false without runs.
func (t Tally) Rate() (rate float64, ok bool) {
	if t.Runs == 0 {
		return 0, false
	}
	return float64(t.Hits) / float64(t.Runs), true
}

// spread returns the variance of the rate, with runs of one user as one observation: Σ(h − rate·r)² ÷ (Σr)².
func (t Tally) spread(rate float64) float64 {
	n := float64(t.Runs)
	return max(0, t.hitsSquared-2*rate*t.together+rate*rate*t.runsSquared) / (n * n)
}

// Counts are the runs of one version.
type Counts struct{ Completed, Failed Tally }

// Add counts one more user: their runs, those that were completed, and those with an error.
func (c *Counts) Add(runs, completed, failed int64) {
	c.Completed.Add(runs, completed)
	c.Failed.Add(runs, failed)
}

// Merge adds up the counts of different users.
func (c Counts) Merge(more Counts) Counts {
	return Counts{c.Completed.Merge(more.Completed), c.Failed.Merge(more.Failed)}
}

// Runs returns how many runs were counted.
func (c Counts) Runs() int64 { return c.Completed.Runs }

// known returns how many runs of a balanced comparison know as much as these of both sides: all of them when both sides
// have as many, at most four times the smaller side. The information of a difference grows in proportion to it, which
// is the time that a sequence takes, whatever the sides.
func known(previous, current int64) int {
	if previous <= 0 || current <= 0 {
		return 0
	}
	p, c := float64(previous), float64(current)
	return int(math.Round(4 * p * c / (p + c)))
}
