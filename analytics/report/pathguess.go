package report

import (
	"slices"

	"github.com/svc-dev/svc/analytics/frame"
)

// countOnce counts paths in one pass over many parts, where two are needed to know the most frequent nodes first: those
// of some of the parts are taken, more of each step than are shown. The paths are known if the most frequent nodes are
// among these.
func (c *pathCounter) countOnce() (paths *Paths, known bool) {
	t := &c.selection.engine.tuning
	if len(c.selection.window.parts) <= t.PathParts || t.PathNodes < PathNodes {
		return nil, false
	}
	guess := c.steps(c.topOf(c.countNames(t.PathParts), t.PathNodes), t.PathNodes+1)
	names := make([][]uint32, c.nameCounters())
	ways := make([][]pathCell, len(names))
	frame.Parallel(len(names), func(i int) {
		counts, between := make([]uint32, len(guess.slots)), guess.ways()
		names[i], ways[i] = counts, between.cells
		c.walkAll(i, len(names), 1, func(w *pathWalk, _ uint32) {
			c.addNames(counts, w)
			between.add(w)
		})
	})
	top := c.topOf(sumOf(names), PathNodes)
	cells, known := guess.narrow(sumOfWays(ways), c.steps(top, pathSlots))
	if !known {
		return nil, false
	}
	return c.tell(top, cells), true
}

// narrow returns the cells of the ways between fewer nodes, of those that have their ways between more. They are not
// known when one is none of these.
func (s *pathSteps) narrow(cells []pathCell, fewer *pathSteps) (narrow []pathCell, known bool) {
	slot := make([]int, len(cells)) // of the fewer
	for step, nodes := range fewer.nodes {
		slots := slot[step*s.width:][:s.width]
		for i := range slots {
			slots[i] = fewer.width - 1
		}
		for i, node := range nodes {
			at := slices.Index(s.nodes[step], node)
			if at < 0 {
				return nil, false
			}
			slots[at] = i
		}
	}
	narrow = fewer.ways().cells
	for at := range cells {
		step, wide := at/s.width, &cells[at]
		cell := &narrow[step*fewer.width+slot[at]]
		cell.ended += wide.ended
		cell.continued += wide.continued
		for to, n := range wide.to {
			if n > 0 { // of the last step none is
				cell.to[slot[(step+1)*s.width+to]] += n
			}
		}
	}
	return narrow, true
}
