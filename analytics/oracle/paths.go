package oracle

import (
	"slices"
	"strings"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/analytics/report"
)

// stop is a node of a path, as its kind and name.
type stop struct {
	kind analytics.PathKind
	name string
}

// stopOf returns what a hit is on paths, if anything.
func stopOf(q analytics.PathQuery, h Hit) (stop, bool) {
	at := stop{analytics.PathEvent, h.Name}
	switch h.Name {
	case "page_view":
		at = stop{analytics.PathPage, h.Page}
	case "screen_view":
		at = stop{analytics.PathScreen, h.Page}
	}
	if at.kind == q.Anchor.Kind && like(q.Anchor.Name, at.name) {
		return stop{at.kind, q.Anchor.Name}, true
	}
	if !isView(h) && !isCustom(h) || len(q.Kinds) > 0 && !slices.Contains(q.Kinds, at.kind) {
		return stop{}, false
	}
	for _, pattern := range q.Groups {
		if like(pattern, at.name) {
			at.name = pattern
			break
		}
	}
	return at, true
}

// pathOf returns the path of a session without a limit of steps, the anchor first.
func pathOf(q analytics.PathQuery, hits []Hit) []stop {
	var all []stop
	for _, h := range hits {
		if at, ok := stopOf(q, h); ok {
			all = append(all, at)
		}
	}
	first := slices.Index(all, stop{q.Anchor.Kind, q.Anchor.Name})
	if first < 0 {
		return nil
	}
	all = slices.Compact(all)
	first = slices.Index(all, stop{q.Anchor.Kind, q.Anchor.Name})
	if q.Direction == analytics.PathBefore {
		all = all[:first+1]
		slices.Reverse(all)
		return all
	}
	return all[first:]
}

// Paths returns the paths of the sessions.
func (s *Selection) Paths(q analytics.PathQuery) *report.Paths {
	if q.Steps == 0 {
		q.Steps = 5
	}
	var paths [][]stop
	for _, x := range s.sessions {
		if path := pathOf(q, s.hits(x)); path != nil {
			paths = append(paths, path)
		}
	}
	out := &report.Paths{Sessions: int64(len(paths)), Nodes: []report.PathNode{}, Links: []report.PathLink{}}
	places := make([]map[stop]int, q.Steps)
	for step := range q.Steps {
		counts := map[stop]int64{}
		for _, path := range paths {
			if len(path) > step {
				counts[path[step]]++
			}
		}
		var order []stop
		for at := range counts {
			order = append(order, at)
		}
		slices.SortFunc(order, func(a, b stop) int {
			if counts[a] != counts[b] {
				return int(counts[b] - counts[a])
			}
			if a.name != b.name {
				return strings.Compare(a.name, b.name)
			}
			return slices.Index(analytics.PathKinds, a.kind) - slices.Index(analytics.PathKinds, b.kind)
		})
		places[step] = map[stop]int{}
		for rank, at := range order {
			if rank <= 12 { // what comes after twelve is one node
				node := report.PathNode{Node: len(out.Nodes), Step: step + 1}
				if rank < 12 {
					node.Kind, node.Name = &at.kind, &at.name
				}
				out.Nodes = append(out.Nodes, node)
			}
			places[step][at] = len(out.Nodes) - 1
		}
	}
	ways := map[[2]int]int64{}
	for _, path := range paths {
		for step := range min(len(path), q.Steps) {
			node := &out.Nodes[places[step][path[step]]]
			node.Sessions++
			if step+1 == len(path) {
				node.Ended++
				continue
			}
			node.Continued++
			if step+1 < q.Steps {
				ways[[2]int{node.Node, places[step+1][path[step+1]]}]++
			}
		}
	}
	for from := range out.Nodes {
		for to := range out.Nodes {
			if n := ways[[2]int{from, to}]; n > 0 {
				out.Links = append(out.Links, report.PathLink{From: from, To: to, Sessions: n})
			}
		}
	}
	return out
}

// PathVisitors returns whose sessions have all of the nodes.
func (s *Selection) PathVisitors(q analytics.PathQuery, nodes []analytics.PathPoint) []string {
	found := []string{}
	for _, x := range s.sessions {
		path := pathOf(q, s.hits(x))
		missing := slices.ContainsFunc(nodes, func(n analytics.PathPoint) bool {
			return len(path) < n.Step || path[n.Step-1] != stop{n.Kind, n.Name}
		})
		if !missing && !slices.Contains(found, x.visitor) {
			found = append(found, x.visitor)
		}
	}
	slices.Sort(found)
	return found
}
