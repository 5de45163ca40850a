package flow

import (
	"github.com/svc-dev/svc/analytics/run"
)

// cell is the figures of a set of runs.
type cell struct {
	runs                                               int64
	states                                             [4]int64 // runs by run.State
	starts, completions, viewers, purchasers, claimers int64    // people
	trials, gross, net                                 int64
	took                                               *times // of completed runs; nil where nobody asks
}

// cells counts the figures of runs by cell, each person once in each cell.
type cells struct {
	s      *Selection
	cells  []cell
	timed  bool
	last   []uint32 // person who was last in each cell, and one
	said   []marks  // what that person's runs in it say
	mine   []uint32 // cells of the person
	person uint32
}

// newCells makes a counter; timed ones keep the times to complete.
func (s *Selection) newCells(n int, timed bool) *cells {
	c := &cells{s: s, timed: timed}
	c.grow(n)
	return c
}

func (c *cells) grow(n int) {
	for len(c.cells) < n {
		c.cells, c.last, c.said = append(c.cells, cell{}), append(c.last, 0), append(c.said, 0)
	}
}

// noCell is the cell of runs that are in none.
const noCell = ^uint32(0)

// add counts the runs from a place on in cells. Runs come person by person.
func (c *cells) add(rs *runs, from int, ids []uint32) {
	for k, id := range ids {
		if id == noCell {
			continue
		}
		i := from + k
		if person := rs.visitor[i] + 1; person != c.person {
			c.leave()
			c.person = person
		}
		to, m := &c.cells[id], rs.marks[i]
		if c.last[id] != c.person {
			c.last[id], c.said[id] = c.person, 0
			c.mine = append(c.mine, id)
		}
		to.runs++
		to.states[c.s.state(rs, i)]++
		if m&paid != 0 {
			money := c.s.window.money[rs.refs[i]]
			to.trials += money.trials
			to.gross += money.gross
			to.net += money.net
			if money.firsts > 0 {
				m |= bought
			}
		}
		if c.timed && m&completed != 0 {
			if to.took == nil {
				to.took = &times{}
			}
			to.took.add(rs.completedAfter(i, c.s.window), c.s.engine.tuning.FewTimes)
		}
		c.said[id] |= m
	}
}

// leave counts the person in their cells.
func (c *cells) leave() {
	for _, id := range c.mine {
		to, said := &c.cells[id], c.said[id]
		to.starts++
		if said&completed != 0 {
			to.completions++
		}
		if said&presented != 0 {
			to.viewers++
		}
		switch {
		case said&bought != 0:
			to.purchasers++
		case said&claims != 0:
			to.claimers++
		}
	}
	c.mine = c.mine[:0]
}

// done returns the cells.
func (c *cells) done() []cell {
	c.leave()
	return c.cells
}

func (c *cell) plus(more *cell, limit int) {
	c.runs += more.runs
	for i, n := range more.states {
		c.states[i] += n
	}
	c.starts, c.completions, c.viewers = c.starts+more.starts, c.completions+more.completions, c.viewers+more.viewers
	c.purchasers, c.claimers = c.purchasers+more.purchasers, c.claimers+more.claimers
	c.trials, c.gross, c.net = c.trials+more.trials, c.gross+more.gross, c.net+more.net
	c.took = joinTimes(c.took, more.took, limit)
}

// addCells returns the sum of cells of disjoint people.
func (s *Selection) addCells(total, more []cell) []cell {
	total = extend(total, more)
	for i := range more {
		total[i].plus(&more[i], s.engine.tuning.FewTimes)
	}
	return total
}

func (c *cell) money() Money {
	return Money{Purchases: c.purchasers, Trials: c.trials, Gross: c.gross, Revenue: c.net}
}

func (c *cell) figures() Figures {
	seconds := c.took.seconds(25, 50, 75)
	return Figures{
		Starts: c.starts, Runs: c.runs, Completions: c.completions, CompletionRate: ratio(c.completions, c.starts),
		Completed: c.states[run.Completed], Abandoned: c.states[run.Abandoned], Lapsed: c.states[run.Lapsed],
		Open:           c.states[run.Open],
		TimeToComplete: Times{N: c.took.len(), P25: seconds[0], Median: seconds[1], P75: seconds[2]},
		PaywallViewers: c.viewers, ConversionRate: ratio(c.purchasers, c.viewers), Claimed: c.claimers,
		Money: c.money(), RevenuePerStart: ratio(c.net, c.starts),
	}
}
