package report

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"strings"
	"unsafe"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/analytics/frame"
	"github.com/svc-dev/svc/analytics/pagename"
)

// PathNodes is how many nodes a step of paths has beside the one for all others.
const PathNodes = 12

// Paths is where sessions went from an anchor, step by step.
type Paths struct {
	Sessions int64      `json:"sessions"` // that show the anchor
	Nodes    []PathNode `json:"nodes"`    // by step, in it the most sessions first and all others last
	Links    []PathLink `json:"links"`    // by the nodes they are from and to
}

// PathNode is what sessions showed at a step: Sessions = Ended + Continued. Those that came by links are all of its
// sessions, except at the anchor, and those that continued left by links, except at the last step.
type PathNode struct {
	Node      int                 `json:"node"` // place in the list
	Step      int                 `json:"step"` // from 1, the anchor's
	Kind      *analytics.PathKind `json:"kind"` // nil of all others together, as is their name
	Name      *string             `json:"name"`
	Sessions  int64               `json:"sessions"`
	Ended     int64               `json:"ended"` // whose path has no further node
	Continued int64               `json:"continued"`
}

// PathLink is how many sessions went from a node to one of the next step.
type PathLink struct {
	From     int   `json:"from"`
	To       int   `json:"to"`
	Sessions int64 `json:"sessions"`
}

// Paths returns the paths of the qualifying sessions, over their hits in range. Errors name parts of input.
func (s *Selection) Paths(ctx context.Context, query analytics.PathQuery) (*Paths, error) {
	query, err := query.Resolve("input")
	if err != nil {
		return nil, err
	}
	if s.stream != nil {
		return s.countPaths(ctx, query)
	}
	text, err := json.Marshal(query)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(text) // groups may be long
	key := countKey{what: "paths", by: string(sum[:])}
	size := query.Steps * pathSlots * int(unsafe.Sizeof(PathNode{})+pathSlots*unsafe.Sizeof(PathLink{}))
	paths := remembered(s, key, 1, size, func() *Paths {
		paths, _ := s.countPaths(ctx, query) // errors are those of reading portions
		return paths
	})
	return paths, nil
}

// countPaths finds the most frequent nodes of each step, and then counts the ways between them. Neither takes memory
// for a session or a path: strangers make up both.
func (s *Selection) countPaths(ctx context.Context, query analytics.PathQuery) (*Paths, error) {
	var latest *pathCounter
	counter := func(p *Selection) *pathCounter {
		if latest == nil || latest.selection != p {
			latest = newPathCounter(p, query)
		}
		return latest
	}
	if s.stream == nil {
		if paths, known := counter(s).countOnce(); known {
			return paths, nil
		}
	}
	counts, known, err := sumPortions(ctx, s, func(p *Selection) []uint32 { return counter(p).countNames(1) }, addCounts)
	if err != nil {
		return nil, err
	}
	top := counter(known).topOf(counts, PathNodes)
	cells, known, err := sumPortions(ctx, s, func(p *Selection) []pathCell { return counter(p).countWays(top) }, addWays)
	if err != nil {
		return nil, err
	}
	return counter(known).tell(top, cells), nil
}

// noNode is what names are that paths leave out.
const noNode = 1<<32 - 1

// pathCounter counts paths over a selection in memory. A node is its kind plus the number of kinds times its place
// among the patterns or, after those, the code of its name: the same in all portions.
type pathCounter struct {
	selection *Selection
	query     analytics.PathQuery
	patterns  []string // the anchor's is the first
	node      []uint32 // by name id, of which 0 stands for those that the view does not know
	size      int      // of all nodes
}

func newPathCounter(s *Selection, query analytics.PathQuery) *pathCounter {
	c := &pathCounter{
		selection: s, query: query,
		patterns: append([]string{query.Anchor.Name}, query.Groups...),
		node:     make([]uint32, max(1, len(s.view.Names))),
	}
	c.size = len(analytics.PathKinds) * (len(c.patterns) + max(len(s.view.Pages), len(s.view.Events)))
	matches := make([][]func(string) bool, len(c.patterns))
	for i, pattern := range c.patterns {
		for _, spelling := range pagename.Spellings([]string{pattern}) {
			view := analytics.GoalView{Op: analytics.GoalIs, Name: spelling}
			matches[i] = append(matches[i], view.Matcher())
		}
	}
	counted := [3]bool{}
	for _, kind := range query.Kinds {
		counted[kindIndex(kind)] = true
	}
	anchor := kindIndex(query.Anchor.Kind)
	for id := range c.node {
		c.node[id] = c.nodeOf(s.view.Name(uint32(id)), anchor, counted, matches)
	}
	return c
}

func kindIndex(kind analytics.PathKind) int {
	for i, k := range analytics.PathKinds {
		if k == kind {
			return i
		}
	}
	panic("report: no kind of nodes") // Resolve has checked
}

// nodeOf returns the node of a name: the anchor whatever it is, else one of a kind that is counted. What SDKs send
// by themselves when a session begins is no node unless it is the anchor.
func (c *pathCounter) nodeOf(n frame.Name, anchor int, counted [3]bool, matches [][]func(string) bool) uint32 {
	kind, code, text := 2, n.Event, c.selection.view.Events[n.Event]
	if n.Kind.IsView() {
		kind, code, text = int(n.Kind-frame.PageView), n.Page, c.selection.view.Pages[n.Page]
	}
	for i, spellings := range matches {
		ofKind := kind == anchor
		if i > 0 {
			ofKind = counted[kind] && n.Kind >= frame.PageView
		}
		if !n.Kind.IsView() {
			spellings = spellings[:1]
		}
		for _, match := range spellings {
			if ofKind && match(text) {
				return uint32(len(analytics.PathKinds)*i + kind)
			}
		}
	}
	if !counted[kind] || n.Kind < frame.PageView {
		return noNode
	}
	return uint32(len(analytics.PathKinds)*(len(c.patterns)+int(code)) + kind)
}

// label returns the kind and the name of a node.
func (c *pathCounter) label(node uint32) (analytics.PathKind, string) {
	kind, place := int(node)%len(analytics.PathKinds), int(node)/len(analytics.PathKinds)
	switch view := c.selection.view; {
	case place < len(c.patterns):
		return analytics.PathKinds[kind], c.patterns[place]
	case analytics.PathKinds[kind] == analytics.PathEvent:
		return analytics.PathEvent, view.Events[place-len(c.patterns)]
	default:
		return analytics.PathKinds[kind], view.Pages[place-len(c.patterns)]
	}
}

// pathWalk is the path of one session: a name of the node at each step.
type pathWalk struct {
	names [analytics.MaxPathSteps]uint32
	steps int  // 0 of sessions that do not show the anchor
	over  bool // no node follows the last step
}

// knownName returns the name id of a hit, or the name id, 0 of one that the view does not know.
func knownName[H int64 | uint32](c *pathCounter, hit H) uint32 {
	if id := frame.HitName(int64(hit)); int(id) < len(c.node) { // ids are less than what a hit has of its name
		return id
	}
	return 0
}

// walkAlong goes along a session's hits, or their names.
func walkAlong[H int64 | uint32](c *pathCounter, hits []H, w *pathWalk) {
	w.steps = 0
	anchor, at := uint32(kindIndex(c.query.Anchor.Kind)), 0
	for at < len(hits) && c.node[knownName(c, hits[at])] != anchor {
		at++
	}
	if at == len(hits) {
		return
	}
	w.names[0], w.steps, w.over = knownName(c, hits[at]), 1, true
	toward := 1
	if c.query.Direction == analytics.PathBefore {
		toward = -1
	}
	latest := anchor
	for at += toward; at >= 0 && at < len(hits); at += toward {
		name := knownName(c, hits[at])
		node := c.node[name]
		if node == latest || node == noNode {
			continue
		}
		if w.steps == c.query.Steps {
			w.over = false
			return
		}
		w.names[w.steps], latest = name, node
		w.steps++
	}
}

// toldAlong returns the names of the sessions of a part, if it tells them, and has the system read those of another.
func (c *pathCounter) toldAlong(part, next int) (told frame.Trails) {
	parts := c.selection.window.parts
	tells := func(p *windowPart) bool { return p.whole() && p.HasTrails() }
	if next < len(parts) && tells(&parts[next]) {
		parts[next].TrailsAhead()
	}
	if p := &parts[part]; tells(p) {
		told = p.Trails()
	}
	return told
}

// walkAll walks the sessions of one of several workers, as they lie in memory: of all parts, or of one in several.
func (c *pathCounter) walkAll(worker, workers, every int, count func(w *pathWalk, visitor uint32)) {
	s, w := c.selection, new(pathWalk)
	var names []uint32
	step := workers * every
	for k := worker * every; k < len(s.window.parts); k += step {
		p, told, cursor, passes := &s.window.parts[k], c.toldAlong(k, k+step), frame.TrailCursor{}, s.passing(k)
		visitors := p.Visitors()
		for row := range uint32(p.Len()) {
			if passes != nil && !passes(row) {
				continue
			}
			if told.Known() {
				names = told.Append(names[:0], &cursor, row)
				walkAlong(c, names, w)
			} else {
				walkAlong(c, p.hitsIn(row), w)
			}
			if w.steps > 0 {
				count(w, visitors[row])
			}
		}
	}
}

// stepsBehind is how many steps follow the anchor.
func (c *pathCounter) stepsBehind() int { return c.query.Steps - 1 }

// nameCounts is how many counts of names workers may have together: each has its own where there are few names, and
// where strangers made up millions there is one.
const nameCounts = 1 << 24

// nameCounters is how many workers count names.
func (c *pathCounter) nameCounters() int {
	return max(1, min(c.selection.workers(), nameCounts/(len(c.node)*c.stepsBehind())))
}

// countNames returns how many sessions have each name at each step behind the anchor: those of a name are next to each
// other. It counts those of all parts, or of one in several.
func (c *pathCounter) countNames(every int) []uint32 {
	size, results := len(c.node)*c.stepsBehind(), make([][]uint32, c.nameCounters())
	frame.Parallel(len(results), func(i int) {
		counts := make([]uint32, size)
		results[i] = counts
		c.walkAll(i, len(results), every, func(w *pathWalk, _ uint32) { c.addNames(counts, w) })
	})
	return sumOf(results)
}

// addNames counts the names of a walk.
func (c *pathCounter) addNames(counts []uint32, w *pathWalk) {
	behind := c.stepsBehind()
	for step := 1; step < w.steps; step++ {
		counts[int(w.names[step])*behind+step-1]++
	}
}

func sumOf(results [][]uint32) []uint32 {
	total := results[0]
	for _, more := range results[1:] {
		for i, n := range more {
			total[i] += n
		}
	}
	return total
}

// topOf returns the most frequent nodes of every step, so many at most; the first is the anchor's.
func (c *pathCounter) topOf(counts []uint32, most int) [][]uint32 {
	top, behind := [][]uint32{{uint32(kindIndex(c.query.Anchor.Kind))}}, c.stepsBehind()
	sessions := make([]uint32, c.size)
	for step := range behind {
		clear(sessions)
		for name := range len(counts) / behind {
			// A name that an earlier portion did not know may be none that counts.
			if n := counts[name*behind+step]; n > 0 && c.node[name] != noNode {
				sessions[c.node[name]] += n
			}
		}
		top = append(top, c.mostOf(sessions, most))
	}
	return top
}

// mostOf returns the nodes with the most sessions, so many at most, in their order.
func (c *pathCounter) mostOf(sessions []uint32, most int) []uint32 {
	list := make([]uint32, 0, most+1)
	for node, n := range sessions {
		if n == 0 || len(list) == most && n < sessions[list[most-1]] {
			continue
		}
		at := len(list)
		for at > 0 && c.isBefore(uint32(node), list[at-1], sessions) {
			at--
		}
		list = append(list[:at], append([]uint32{uint32(node)}, list[at:]...)...)
		list = list[:min(len(list), most)]
	}
	return list
}

func (c *pathCounter) isBefore(a, b uint32, sessions []uint32) bool {
	if sessions[a] != sessions[b] {
		return sessions[a] > sessions[b]
	}
	kindOfA, nameOfA := c.label(a)
	kindOfB, nameOfB := c.label(b)
	return cmp.Or(strings.Compare(nameOfA, nameOfB), kindIndex(kindOfA)-kindIndex(kindOfB)) < 0
}
