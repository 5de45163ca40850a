package simulate

import "slices"

// move is what a run did to leave a screen.
type move uint8

const (
	uncertain move = iota
	onward         // it answered, or pressed Continue
	skipping
	jumping // by a layer
)

// passScreen returns the way by which the run leaves a screen, -1 when it is not known, and notes what it answered.
func (r *replay) passScreen(s *screen, visit *packedVisit) int {
	r.show(s)
	if way := r.permitted(s, visit); way >= 0 {
		return way
	}
	did, layer := uncertain, None
	if visit != nil {
		did, layer = r.moveOf(visit)
	}
	switch did {
	case skipping:
		if p := r.find(s, func(p *part) bool { return p.kind == goesOn && p.skips }); p != nil {
			return r.bypass(s, s.next)
		}
	case jumping:
		if way, known := r.jump(s, visit, layer); known {
			return way
		}
	case onward:
		if r.goesOn(s) {
			return r.submit(s, visit)
		}
	case uncertain:
	}
	way := r.only(r.candidates(s))
	if way < 0 {
		return -1
	}
	if kind := r.ways[way].Kind; kind == Next || kind == Option {
		return r.submit(s, visit)
	}
	return r.bypass(s, way)
}

// jump returns the way of the layer that a run pressed, else that to the same node. Known is false without either.
func (r *replay) jump(s *screen, visit *packedVisit, layer Name) (way int, known bool) {
	p := r.find(s, func(p *part) bool { return p.layer == layer && (p.kind == jumps || p.kind == goesOn) })
	if p == nil {
		p = r.find(s, func(p *part) bool { return p.kind == jumps && r.ways[p.way].to == visit.toward })
	}
	switch {
	case p == nil:
		return -1, false
	case p.kind == jumps:
		return r.bypass(s, p.way), true
	case p.skips:
		return r.bypass(s, s.next), true
	}
	return r.submit(s, visit), true
}

// moveOf reads from the version that a run was made in, else from the flow itself, what it did at the end of a visit.
func (r *replay) moveOf(visit *packedVisit) (did move, layer Name) {
	if visit.exit == Skipped {
		return skipping, None
	}
	version := r.version()
	if version == nil {
		version = r.Flow
	}
	at, ok := version.nodeOf[visit.step]
	if !ok || version.nodes[at].screen == nil {
		if at, ok = r.nodeOf[visit.step]; !ok {
			return uncertain, None
		}
		version = r.Flow
	}
	s := version.nodes[at].screen
	if version.ways[version.submitted(s, visit, r.runs.answers)].to == visit.toward {
		return onward, None
	}
	for i := range s.parts {
		if p := &s.parts[i]; p.kind == jumps && version.ways[p.way].to == visit.toward {
			return jumping, p.layer
		}
	}
	if version.ways[s.next].to == visit.toward {
		return onward, None
	}
	return uncertain, None
}

// submitted returns the way that a screen goes when it is submitted with the answers of a visit.
func (f *Flow) submitted(s *screen, visit *packedVisit, answers []Answer) int {
	given := answers[visit.answers.from:visit.answers.to]
	for i := range s.parts {
		p := &s.parts[i]
		for _, one := range p.branches {
			if slices.Contains(given, Answer{f.fields[p.field].name, one.option}) {
				return one.way
			}
		}
	}
	return s.next
}

// permitted returns the way of a permission that the run was asked for during the visit, -1 without one.
func (r *replay) permitted(s *screen, visit *packedVisit) int {
	if visit == nil {
		return -1
	}
	for i := range s.parts {
		p := &s.parts[i]
		if p.kind != permits || !r.shows(p.within) {
			continue
		}
		for _, a := range r.runs.answers[visit.answers.from:visit.answers.to] {
			if way, ok := p.outcomes[a.Value]; ok && a.Field == r.fields[p.field].name {
				r.hold(p.field, answered, value{kind: text, text: r.runs.texts[a.Value]})
				return way
			}
		}
	}
	return -1
}

// candidates returns the ways that a run may take out of a screen.
func (r *replay) candidates(s *screen) (ways []int) {
	if r.goesOn(s) {
		ways = r.onwardWays(s, r.input(s), ways)
	}
	for i := range s.parts {
		p := &s.parts[i]
		switch {
		case !r.shows(p.within):
		case p.kind == jumps:
			ways = append(ways, p.way)
		case p.kind == permits:
			for _, outcome := range []string{"granted", "denied", "blocked"} {
				ways = append(ways, p.outcomes[r.runs.names[outcome]])
			}
		}
	}
	return ways
}

// onwardWays appends the ways of a screen that is submitted with an answer that is not known.
func (r *replay) onwardWays(s *screen, input *part, ways []int) []int {
	if input == nil || len(input.branches) == 0 {
		return append(ways, s.next)
	}
	branching := 0
	for option := range input.options {
		if slices.ContainsFunc(input.branches, func(o optionWay) bool { return o.option == option }) {
			branching++
		}
	}
	if branching < len(input.options) {
		ways = append(ways, s.next)
	}
	for _, one := range input.branches {
		ways = append(ways, one.way)
	}
	return ways
}

// goesOn tells whether a screen can be submitted.
func (r *replay) goesOn(s *screen) bool {
	return r.find(s, func(p *part) bool { return p.kind == goesOn || p.kind == asks }) != nil
}

// find returns the first part that shows and that ok accepts.
func (r *replay) find(s *screen, ok func(*part) bool) *part {
	for i := range s.parts {
		if p := &s.parts[i]; ok(p) && r.shows(p.within) {
			return p
		}
	}
	return nil
}

func (r *replay) input(s *screen) *part {
	return r.find(s, func(p *part) bool { return p.kind == asks })
}

// bypass leaves a screen without its answer.
func (r *replay) bypass(s *screen, way int) int {
	if input := r.input(s); input != nil {
		r.tally.ask(input.question)
		if input.input.IsManualSubmit() {
			r.hold(input.field, notAsked, value{})
		}
	}
	return way
}

// submit leaves a screen with its answers and returns the way, -1 when it is not known.
func (r *replay) submit(s *screen, visit *packedVisit) int {
	if s.boxes {
		for i := range s.parts {
			if p := &s.parts[i]; p.kind == ticks && r.shows(p.within) {
				r.answer(p, visit)
			}
		}
		r.show(s) // boxes switch branches
		r.prune(s)
	}
	input := r.input(s)
	if input == nil {
		return s.next
	}
	r.tally.ask(input.question)
	given, known := r.answer(input, visit)
	if len(input.branches) == 0 {
		return s.next
	}
	if !known {
		return r.only(r.onwardWays(s, input, nil))
	}
	for _, one := range input.branches {
		for _, a := range r.runs.answers[given.from:given.to] {
			if a.Value == one.option {
				return one.way
			}
		}
	}
	return s.next
}

// prune forgets the answers to fields that stand in branches only which do not show.
func (r *replay) prune(s *screen) {
	for i := range s.parts {
		p := &s.parts[i]
		if p.kind != asks && p.kind != ticks || r.shows(p.within) {
			continue
		}
		if r.find(s, func(o *part) bool { return (o.kind == asks || o.kind == ticks) && o.field == p.field }) == nil {
			r.hold(p.field, notAsked, value{})
		}
	}
}

// answer gives what the run answered at the visit, else last, and tells whether that is known.
func (r *replay) answer(p *part, visit *packedVisit) (given span, known bool) {
	if visit != nil {
		r.eachAnswered(visit.answers, func(field Name, at span) {
			if field == r.fields[p.field].name {
				given = at
			}
		})
	}
	if given.from == given.to {
		last := r.latest[p.field]
		if last.mark != r.mark {
			r.hold(p.field, notKnown, value{})
			return span{}, false
		}
		given = last.span
	}
	v, known := valueOf(p.input, r.runs.answers[given.from:given.to], p.options, r.runs.texts)
	state := notKnown
	if known {
		state = answered
	}
	r.hold(p.field, state, v)
	return given, known
}

func (r *replay) hold(field int, state answerState, v value) { r.held[field] = held{r.mark, state, v} }

// show chooses the branches of a screen's conditional layers. Of one that is not known all show.
func (r *replay) show(s *screen) {
	r.shown = slices.Grow(r.shown[:0], len(s.branches))[:len(s.branches)]
	clear(r.shown)
	for i := range s.conditionals {
		c := &s.conditionals[i]
		if !r.shows(c.within) {
			continue
		}
		chosen := c.chosen[len(c.cases)]
		for j := range c.cases {
			holds := r.evaluate(&c.cases[j])
			if holds == no {
				continue
			}
			if chosen = c.chosen[j]; holds == unknown {
				chosen = -1
			}
			break
		}
		for _, branch := range c.all {
			if chosen < 0 || branch == chosen {
				r.shown[branch] = yes
			}
		}
	}
}

func (r *replay) shows(branch int) bool { return branch < 0 || r.shown[branch] == yes }

// evaluate evaluates a condition on the run.
func (r *replay) evaluate(c *condition) truth {
	switch {
	case c.never:
		return no
	case c.group:
		result, settled := yes, no
		if c.or {
			result, settled = no, yes
		}
		for i := range c.children {
			switch r.evaluate(&c.children[i]) {
			case settled:
				return settled
			case unknown:
				result = unknown
			}
		}
		return result
	}
	switch c.subject {
	case ofPlatform:
		return truthOf(c.test(value{kind: text, text: r.runs.Text(r.run.platform)}))
	case ofLocale:
		return truthOf(c.test(value{kind: text, text: r.runs.Text(r.run.locale)}))
	case ofAttribute:
		return unknown
	}
	if c.field < 0 || r.held[c.field].mark != r.mark || r.held[c.field].state == notAsked {
		return no
	}
	if r.held[c.field].state == notKnown {
		return unknown
	}
	return truthOf(c.test(r.held[c.field].value))
}
