package report

import "github.com/svc-dev/svc/analytics/frame"

// pathSlots is how many nodes a step may have: the last is for all that have none of their own.
const pathSlots = PathNodes + 1

// pathCell counts the ways from one node of a step.
type pathCell struct {
	to               [pathSlots]int64 // of the next step
	ended, continued int64
}

// plus adds the sessions of another cell.
func (c *pathCell) plus(more *pathCell) {
	for i, n := range more.to {
		c.to[i] += n
	}
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

// slots returns the slot of each name at each step behind the anchor, in the order of countNames.
func (c *pathCounter) slots(top [][]uint32) []uint8 {
	behind := c.stepsBehind()
	known := map[uint32][]uint8{}
	for step, nodes := range top[1:] {
		for slot, node := range nodes {
			if known[node] == nil {
				known[node] = others(behind)
			}
			known[node][step] = uint8(slot)
		}
	}
	slots, rest := make([]uint8, 0, len(c.node)*behind), others(behind)
	for _, node := range c.node {
		if found, ok := known[node]; ok {
			slots = append(slots, found...)
		} else {
			slots = append(slots, rest...)
		}
	}
	return slots
}

func others(steps int) []uint8 {
	list := make([]uint8, steps)
	for i := range list {
		list[i] = PathNodes
	}
	return list
}

// countWays counts the ways between the top nodes of steps: the cells of a step are next to each other.
func (c *pathCounter) countWays(top [][]uint32) []pathCell {
	slots, behind := c.slots(top), c.stepsBehind()
	results := make([][]pathCell, c.selection.workers())
	frame.Parallel(len(results), func(i int) {
		cells := make([]pathCell, c.query.Steps*pathSlots)
		results[i] = cells
		c.walkAll(i, len(results), func(w *pathWalk, _ uint32) {
			at := 0
			for step := 1; step < w.steps; step++ {
				slot := slots[int(w.names[step])*behind+step-1]
				cells[at].to[slot]++
				cells[at].continued++
				at = step*pathSlots + int(slot)
			}
			if w.over {
				cells[at].ended++
			} else {
				cells[at].continued++
			}
		})
	})
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
