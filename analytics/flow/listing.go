package flow

import (
	"cmp"
	"context"
	"slices"

	"github.com/svc-dev/svc/analytics/frame"
	"github.com/svc-dev/svc/analytics/session"
	"github.com/svc-dev/svc/manifest"
)

// Other is what lists of reports have for all names together that they don't show one by one. It stands last.
const Other = frame.Other

// MaxUnknown is how many steps that no version of a report has are listed by themselves, for clients may make any up:
// those that most runs reached, ties by id. All others are one step, Other. It holds for decisions with their cases,
// surfaces with their providers and outcomes, too.
const MaxUnknown = 50

// otherLast compares two names for an order in which Other is last.
func otherLast(a, b string) int {
	switch {
	case a == b:
		return 0
	case a == Other:
		return 1
	case b == Other:
		return -1
	}
	return 0
}

// otherOf is Other by topic.
var otherOf = [topics]name{
	ofSteps: {Other}, ofDecisions: {Other, Other}, ofSurfaces: {Other, Other}, ofOutcomes: {Other},
}

// knownNames are the names that versions have.
type knownNames [topics]map[name]bool

func namesOf(graphs []Graph) *knownNames {
	var known knownNames
	for t := range known {
		known[t] = map[name]bool{}
	}
	for _, outcome := range manifest.Outcomes {
		known[ofOutcomes][name{outcome}] = true
	}
	for _, g := range graphs {
		for _, step := range g.Steps {
			known[ofSteps][name{step.ID}] = true
			if step.Kind == manifest.StepSurface {
				for _, provider := range manifest.Providers {
					known[ofSurfaces][name{step.ID, string(provider)}] = true
				}
			}
		}
		for _, decision := range g.Decisions {
			known[ofDecisions][name{decision.ID}] = true // the else branch
			for _, one := range decision.Cases {
				known[ofDecisions][name{decision.ID, one}] = true
			}
		}
	}
	return &known
}

// mention is how many runs reached, took or had what a name stands for, and whether one names it at all: a step may be
// where somebody came from, or be completed, without a visit, and a surface may have an outcome without having been
// presented.
type mention struct {
	runs  int64
	named bool
}

// mentions are those of some runs, by number of the name.
type mentions [topics][]mention

func addMentions(total, more *mentions) *mentions {
	var out mentions
	for t := range out {
		out[t] = extend(total[t], more[t])
		for n, one := range more[t] {
			to := &out[t][n]
			to.runs, to.named = to.runs+one.runs, to.named || one.named
		}
	}
	return &out
}

// countMentions counts which names the runs have. It is what decides what reports list, so it takes little memory
// however many names there are.
func (s *Selection) countMentions() *mentions {
	return each(s, func(_ int, rs *runs) *mentions {
		f, c := s.newFollower(), &mentionCounter{letters: s.window.letters}
		for t := range topics {
			n := s.window.letters.size(t)
			c.found[t], c.last[t] = make([]mention, n), make([]uint32, n)
		}
		byPath := make([]int64, len(f.paths))
		for i, path := range rs.path {
			if byPath[path]++; path == 0 {
				c.follow(f.happenings(path, rs.refs[i]), 1)
			}
		}
		for path, n := range byPath {
			if path != 0 && n > 0 {
				c.follow(f.paths[path], n)
			}
		}
		return &c.found
	}, addMentions)
}

// mentionCounter follows paths through the names that they have.
type mentionCounter struct {
	letters *alphabet
	found   mentions
	path    uint32           // number of the present path, from 1
	last    [topics][]uint32 // path that was counted last, by number of the name
}

// follow counts n runs with the same happenings.
func (c *mentionCounter) follow(codes []uint32, n int64) {
	c.path++
	for _, code := range codes {
		switch l := &c.letters.letters[code]; l.kind {
		case surfaceVisit, screenVisit:
			if l.kind == surfaceVisit {
				c.count(ofSurfaces, l.of, n)
			}
			if c.count(ofSteps, l.step, n) && l.from < toOpen {
				c.found[ofSteps][l.from].named = true
			}
		case decisionTaken:
			c.count(ofDecisions, l.of, n)
		case stepCompletion, stepSkip, surfaceOutcome, purchaseClaim:
			if l.step != noNumber {
				c.found[ofSteps][l.step].named = true
			}
			if l.had != noNumber {
				c.found[ofSurfaces][l.of].named = true
				c.count(ofOutcomes, l.had, n)
			}
		}
	}
}

// count counts the runs of the path for a name, once, and tells whether it did.
func (c *mentionCounter) count(t topic, number uint32, n int64) bool {
	if c.last[t][number] == c.path {
		return false
	}
	c.last[t][number] = c.path
	to := &c.found[t][number]
	to.runs, to.named = to.runs+n, true
	return true
}

// listing is what a report lists: the names that versions have, of others those of most runs, and last Other. A letter
// of another name is one of Other.
type listing struct {
	names   [topics][]name
	numbers [topics]map[name]uint32
}

// chooseListing returns what a report of runs with these mentions lists, nil when that is all that they mention.
func (e *Engine) chooseListing(letters *alphabet, found *mentions, known *knownNames) *listing {
	type candidate struct {
		name
		runs int64
	}
	var others [topics][]candidate
	needed := false
	for t := range topics {
		for n, one := range found[t] {
			if !one.named {
				continue
			}
			if name := letters.name(t, uint32(n)); !known[t][name] && name != otherOf[t] {
				others[t] = append(others[t], candidate{name, one.runs})
			}
		}
		needed = needed || len(others[t]) > e.most || letters.size(t) > e.tuning.ManyNames
	}
	if !needed {
		return nil
	}
	l := &listing{}
	for t := range topics {
		for name := range known[t] {
			l.names[t] = append(l.names[t], name)
		}
		slices.SortFunc(others[t], func(a, b candidate) int {
			return cmp.Or(cmp.Compare(b.runs, a.runs), cmp.Compare(a.name[0], b.name[0]), cmp.Compare(a.name[1], b.name[1]))
		})
		for _, one := range others[t][:min(len(others[t]), e.most)] {
			l.names[t] = append(l.names[t], one.name)
		}
		l.names[t] = append(l.names[t], otherOf[t])
		l.numbers[t] = make(map[name]uint32, len(l.names[t]))
		for n, name := range l.names[t] {
			l.numbers[t][name] = uint32(n)
		}
	}
	return l
}

// number returns the number of a name.
func (l *listing) number(t topic, of name) uint32 {
	if n, listed := l.numbers[t][of]; listed {
		return n
	}
	return uint32(len(l.names[t])) - 1
}

// letters returns the alphabet of a view with the numbers of the listing.
func (l *listing) letters(view *frame.View) *alphabet {
	plain := lettersOf(view)
	var numbers [topics][]uint32
	for t := range topics {
		numbers[t] = make([]uint32, plain.size(t))
		for n := range numbers[t] {
			numbers[t][n] = l.number(t, plain.name(t, uint32(n)))
		}
	}
	a := &alphabet{letters: slices.Clone(plain.letters), view: view, listing: l}
	for i := range a.letters {
		one := &a.letters[i]
		if one.step != noNumber {
			one.step = numbers[ofSteps][one.step]
		}
		if one.from < toOpen {
			one.from = numbers[ofSteps][one.from]
		}
		if one.had != noNumber {
			one.had = numbers[ofOutcomes][one.had]
		}
		switch {
		case one.of == noNumber:
		case one.kind == decisionTaken:
			one.of = numbers[ofDecisions][one.of]
		default:
			one.of = numbers[ofSurfaces][one.of]
		}
	}
	return a
}

// in returns the selection in memory with the numbers of the listing.
func (l *listing) in(s *Selection) *Selection {
	s.runs()
	w := *s.window
	w.letters = l.letters(s.view)
	listed := &Selection{
		engine: s.engine, scope: s.scope, now: s.now, view: s.view, members: s.members, window: &w,
		courses: newCourses(s.view, w.letters), lapsed: s.lapsed, selected: s.selected,
	}
	listed.once.Do(func() {})
	return listed
}

// listed returns a selection in memory with the numbers of what its reports list, itself when that is everything.
func (s *Selection) listed(graphs []Graph) *Selection {
	letters := s.window.letters
	fits := true
	for t := range topics {
		fits = fits && letters.size(t) <= s.engine.most
	}
	if fits {
		return s
	}
	s.runs()
	chosen := s.selected.listingBy(graphs, func() *listing {
		return s.engine.chooseListing(letters, s.countMentions(), namesOf(graphs))
	})
	if chosen == nil {
		return s
	}
	return chosen.in(s)
}

// listingBy returns the listing of the runs in reports of the graphs, chosen once while all ask for the same graphs.
func (r *remembered) listingBy(graphs []Graph, choose func() *listing) *listing {
	versions := make([]session.Key, len(graphs), len(graphs)+1)
	for i := range graphs {
		versions[i] = graphs[i].Version
	}
	r.listings.Lock()
	defer r.listings.Unlock()
	if r.listedBy == nil || !slices.Equal(r.listedBy, versions) {
		r.listing, r.listedBy = choose(), versions
	}
	return r.listing
}

// found is what the codes and numbers of a tally mean.
type found struct {
	view    *frame.View
	letters *alphabet
}

func (s *Selection) found() *found { return &found{s.view, s.window.letters} }

// sumListed does what sum does for a report that lists names: those that no version of the graphs has are counted as
// Other together beyond as many as are listed.
func sumListed[T any](
	ctx context.Context, s *Selection, graphs []Graph, count func(portion *Selection) T, add func(total, more T) T,
) (T, *found, error) {
	if s.stream == nil {
		s = s.listed(graphs)
		return count(s), s.found(), nil
	}
	// Portions are counted as they come, until they mention too many names: then what to list is known only after the
	// last one, and they are read again.
	var chosen *listing
	all, known := &mentions{}, namesOf(graphs)
	total, view, err := sum(ctx, s, func(p *Selection) (tally T) {
		all = addMentions(all, p.countMentions())
		if chosen = s.engine.chooseListing(p.window.letters, all, known); chosen == nil {
			tally = count(p)
		}
		return tally
	}, func(total, more T) (tally T) {
		if chosen == nil {
			tally = add(total, more)
		}
		return tally
	})
	if err == nil && chosen != nil {
		total, view, err = sum(ctx, s, func(p *Selection) T { return count(chosen.in(p)) }, add)
	}
	if err != nil {
		var nothing T
		return nothing, nil, err
	}
	letters := lettersOf(view)
	if chosen != nil {
		letters = &alphabet{view: view, listing: chosen}
	}
	return total, &found{view, letters}, nil
}
