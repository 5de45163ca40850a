package report

import "github.com/svc-dev/svc/analytics/frame"

// pathSlots is how many nodes a step may have: the last is for all that have none of their own.
const pathSlots = PathNodes + 1

// pathCell counts the ways from one node of a step.
type pathCell struct {
	to               []int64 // by slot of the next step
	ended, continued int64
}

// plus adds the sessions of another cell.
func (c *pathCell) plus(more *pathCell) {
	c.to = addCounts(c.to, more.to)
	c.ended += more.ended
	c.continued += more.continued
}

func addWays(total, more []pathCell) []pathCell {
	total = extend(total, more)
	for i := range more {
		total[i].plus(&more[i])
	}
	return total
}

// pathWays counts the ways between nodes of steps. The cells of a step are next to each other, one a slot.
type pathWays struct {
	*pathSteps
	cells []pathCell
}

// pathSteps says which slots the nodes of steps have: the last is for all that have none of their own.
type pathSteps struct {
	nodes  [][]uint32 // by step
	width  int        // slots of a step
	behind int        // steps behind the anchor
	slots  []uint8    // of each name at each of these, in the order of countNames
}

// steps gives nodes slots, of which each step has so many.
func (c *pathCounter) steps(nodes [][]uint32, width int) *pathSteps {
	s := &pathSteps{nodes: nodes, width: width, behind: c.stepsBehind()}
	known := map[uint32][]uint8{}
	for step, nodes := range nodes[1:] {
		for slot, node := range nodes {
			if known[node] == nil {
				known[node] = s.others()
			}
			known[node][step] = uint8(slot)
		}
	}
	rest := s.others()
	s.slots = make([]uint8, 0, len(c.node)*s.behind)
	for _, node := range c.node {
		if found, ok := known[node]; ok {
			s.slots = append(s.slots, found...)
		} else {
			s.slots = append(s.slots, rest...)
		}
	}
	return s
}

// others returns the slots of a node that has none of its own.
func (s *pathSteps) others() []uint8 {
	list := make([]uint8, s.behind)
	for i := range list {
		list[i] = uint8(s.width - 1)
	}
	return list
}

// ways begins to count.
func (s *pathSteps) ways() *pathWays {
	w := &pathWays{s, make([]pathCell, (s.behind+1)*s.width)}
	for i := range w.cells {
		w.cells[i].to = make([]int64, s.width)
	}
	return w
}

// add counts the way of a session.
func (w *pathWays) add(walk *pathWalk) {
	at := 0
	for step := 1; step < walk.steps; step++ {
		slot := w.slots[int(walk.names[step])*w.behind+step-1]
		w.cells[at].to[slot]++
		w.cells[at].continued++
		at = step*w.width + int(slot)
	}
	if walk.over {
		w.cells[at].ended++
	} else {
		w.cells[at].continued++
	}
}

// countWays counts the ways between the top nodes of steps.
func (c *pathCounter) countWays(top [][]uint32) []pathCell {
	steps, results := c.steps(top, pathSlots), make([][]pathCell, c.selection.workers())
	frame.Parallel(len(results), func(i int) {
		ways := steps.ways()
		results[i] = ways.cells
		c.walkAll(i, len(results), 1, func(w *pathWalk, _ uint32) { ways.add(w) })
	})
	return sumOfWays(results)
}

func sumOfWays(results [][]pathCell) []pathCell {
	total := results[0]
	for _, more := range results[1:] {
		total = addWays(total, more)
	}
	return total
}

// tell returns what the cells say. Figures of nodes are sums of the ways, so that they agree with them.
func (c *pathCounter) tell(top [][]uint32, cells []pathCell) *Paths {
	paths := &Paths{Nodes: []PathNode{}, Links: []PathLink{}}
	place := make([]int, len(cells)) // in the list of nodes
	for at := range cells {
		cell, step, slot := &cells[at], at/pathSlots, at%pathSlots
		node := PathNode{
			Node: len(paths.Nodes), Step: step + 1, Sessions: cell.ended + cell.continued, Ended: cell.ended,
			Continued: cell.continued,
		}
		if node.Sessions == 0 {
			continue
		}
		if slot < len(top[step]) {
			kind, name := c.label(top[step][slot])
			node.Kind, node.Name = &kind, &name
		}
		if step == 0 {
			paths.Sessions = node.Sessions
		}
		place[at] = node.Node
		paths.Nodes = append(paths.Nodes, node)
	}
	for at := range cells {
		for slot, sessions := range cells[at].to {
			if sessions > 0 {
				to := (at/pathSlots+1)*pathSlots + slot
				paths.Links = append(paths.Links, PathLink{From: place[at], To: place[to], Sessions: sessions})
			}
		}
	}
	return paths
}
