package flow

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/analytics/frame"
	"github.com/svc-dev/svc/analytics/report"
	"github.com/svc-dev/svc/analytics/run"
)

// figures are the legal ones, besides the empty one.
var figures = []Figure{
	FigureCompleted, FigureAbandoned, FigureLapsed, FigureOpen, FigureDropped, FigureViewed, FigurePurchased,
	FigureClaimed,
}

func (b *Behind) validate() error {
	if b.Figure != "" && !slices.Contains(figures, b.Figure) {
		return analytics.Invalid("figure", "unknown figure %q", b.Figure)
	}
	for _, v := range b.Values {
		if err := checkDimension("values.dimension", v.Dimension, v.Key); err != nil && v.Dimension != flowDimension {
			return err
		}
	}
	if b.Step == "" && (b.LastStep || b.Completed || b.Skipped) {
		return analytics.Invalid("step", "name the step")
	}
	if b.From.IsZero() != b.To.IsZero() {
		return analytics.Invalid("from", "from and to go together")
	}
	return nil
}

// NamesOther tells whether the cell is one of Other, to which the graphs of the report belong.
func (b *Behind) NamesOther() bool {
	named := []string{b.Step, b.Outcome}
	for _, two := range []*[2]string{b.Arrival, b.Exit, b.Decision, b.Surface} {
		if two != nil {
			named = append(named, two[:]...)
		}
	}
	return slices.Contains(named, Other)
}

// matcher tells whether runs are in a cell.
type matcher struct {
	Behind
	s        *Selection
	rs       *runs
	from, to int64
	of       []grouping // of values
	has      [][]bool

	// Numbers of what the cell names; noNumber when no hit does.
	step, decision, surface, outcome uint32
	arrival, exit                    [2]uint32

	visits []uint32

	*follower
	known []verdict // by path and state
}

// verdict is whether the runs of a path and state are in a cell.
type verdict uint8

const (
	unknown verdict = iota
	isIn
	isOut
)

func (s *Selection) matcher(b Behind, rs *runs) *matcher {
	m := &matcher{Behind: b, s: s, rs: rs, follower: s.newFollower()}
	m.known = make([]verdict, states*len(m.paths))
	if !b.From.IsZero() {
		m.from, m.to = frame.Millis(b.From), frame.Millis(b.To)
	}
	for _, v := range b.Values {
		values := valuesOf(s.view, v.Dimension, v.Key)
		m.of = append(m.of, s.by(values))
		m.has = append(m.has, mask(values.texts, func(text string) bool { return text == v.Value }))
	}
	m.step = m.number(b.Step)
	if b.Arrival != nil {
		m.arrival = [2]uint32{m.end(b.Arrival[0], FromStart), m.number(b.Arrival[1])}
	}
	if b.Exit != nil {
		m.exit = [2]uint32{m.number(b.Exit[0]), m.end(b.Exit[1], ToCompleted, ToDropped, ToOpen)}
	}
	if b.Decision != nil {
		m.decision = m.letters.find(ofDecisions, *b.Decision)
	}
	if b.Surface != nil {
		m.surface = m.letters.find(ofSurfaces, *b.Surface)
	}
	if b.Outcome != "" {
		m.outcome = m.letters.find(ofOutcomes, name{b.Outcome})
	}
	return m
}

// number returns the number of a step.
func (m *matcher) number(id string) uint32 {
	if id == "" {
		return noNumber
	}
	return m.letters.find(ofSteps, name{id})
}

// figure tells whether the run is one that the figure counts.
func (m *matcher) figure(i int) bool {
	switch state := m.s.state(m.rs, i); m.Figure {
	case FigureCompleted:
		return state == run.Completed
	case FigureAbandoned:
		return state == run.Abandoned
	case FigureLapsed:
		return state == run.Lapsed
	case FigureOpen:
		return state == run.Open
	case FigureDropped:
		return dropped(state)
	case FigureViewed:
		return m.rs.marks[i]&presented != 0
	case FigurePurchased:
		return m.buys(i)
	case FigureClaimed:
		return m.rs.marks[i]&claims != 0
	}
	return true
}

// buys tells whether a first charge or trial start belongs to the run.
func (m *matcher) buys(i int) bool {
	return m.rs.marks[i]&paid != 0 && m.s.window.money[m.rs.refs[i]].firsts > 0
}

// matches tells whether a run is in the cell, whatever the figure.
func (m *matcher) matches(i int) bool {
	if start := m.rs.start[i]; m.to != 0 && (start < m.from || start >= m.to) {
		return false
	}
	var code [1]uint32
	for k, of := range m.of {
		if of(m.rs, i, code[:]); !m.has[k][code[0]] {
			return false
		}
	}
	return !m.readsHits() || m.passes(i)
}

// passes tells whether what happened in a run is what the cell asks for, found out once for each path and state.
func (m *matcher) passes(i int) bool {
	path, state := m.rs.path[i], m.s.state(m.rs, i)
	if path == 0 {
		return m.follows(m.happenings(path, m.rs.refs[i]), state)
	}
	known := &m.known[states*path+uint32(state)]
	if *known == unknown {
		*known = isOut
		if m.follows(m.paths[path], state) {
			*known = isIn
		}
	}
	return *known == isIn
}

// readsHits tells whether the cell is made of more than what is known of every run.
func (m *matcher) readsHits() bool {
	return m.Step != "" || m.Arrival != nil || m.Exit != nil || m.Decision != nil || m.Surface != nil || m.Outcome != ""
}

// follows tells whether the happenings of a run are those of the cell.
func (m *matcher) follows(codes []uint32, state run.State) bool {
	m.visits = m.visits[:0]
	cameFrom := noNumber - 1 - localEnds // nowhere
	did, decided, shown, had := uint8(0), false, false, false
	for _, code := range codes {
		l := &m.letters.letters[code]
		switch step := l.step; l.kind {
		case screenVisit, surfaceVisit:
			if m.Arrival != nil && step == m.arrival[1] && !slices.Contains(m.visits, step) {
				if cameFrom = l.from; cameFrom == noNumber {
					cameFrom = fromStart
					if len(m.visits) > 0 {
						cameFrom = m.visits[len(m.visits)-1]
					}
				}
			}
			m.visits = append(m.visits, step)
		case stepCompletion:
			if step == m.step {
				did |= didComplete
			}
		case stepSkip:
			if step == m.step {
				did |= didSkip
			}
		case surfaceOutcome, purchaseClaim:
			if step == m.step {
				did |= didComplete
			}
		case decisionTaken:
			decided = decided || m.Decision != nil && l.of == m.decision
		}
		ofSurface := m.Surface == nil || l.of == m.surface
		shown = shown || l.kind == surfaceVisit && ofSurface
		had = had || l.had != noNumber && ofSurface && l.had == m.outcome
	}
	switch {
	case m.Step != "" && !slices.Contains(m.visits, m.step),
		m.LastStep && m.visits[len(m.visits)-1] != m.step,
		m.Completed && did&didComplete == 0, m.Skipped && did&didSkip == 0,
		m.Arrival != nil && cameFrom != m.arrival[0],
		m.Exit != nil && !m.exits(state),
		m.Decision != nil && !decided, m.Surface != nil && m.Outcome == "" && !shown, m.Outcome != "" && !had:
		return false
	}
	return true
}

// end returns the number of the end of an edge. The names of ends that are no steps win over steps of that name.
func (m *matcher) end(id string, ends ...string) uint32 {
	if slices.Contains(ends, id) {
		return map[string]uint32{
			FromStart: fromStart, ToCompleted: toCompleted, ToDropped: toDropped, ToOpen: toOpen,
		}[id]
	}
	return m.number(id)
}

// exits tells whether the run went from one end of the cell's exit to the other after its last visit of the first.
func (m *matcher) exits(state run.State) bool {
	at := -1
	for i, step := range m.visits {
		if step == m.exit[0] {
			at = i
		}
	}
	switch {
	case at < 0:
		return false
	case at+1 < len(m.visits):
		return m.visits[at+1] == m.exit[1]
	}
	return endOf(state) == m.exit[1]
}

// behind is a person of a cell.
type behind struct {
	id, customID string
	runs, latest int64
	state        run.State
}

// before orders people: the latest run first, ties by id.
func (b *behind) before(o *behind) int {
	return cmp.Or(cmp.Compare(o.latest, b.latest), strings.Compare(b.id, o.id))
}

// crowd is the people of a cell: how many, and the first of them after a cursor.
type crowd struct {
	total  int
	list   []behind
	limit  int
	after  *behind
	oldest int64 // no run before it is among the first: there are as many people with a later one
}

func newCrowd(limit int, after *behind) *crowd {
	return &crowd{limit: limit, after: after, oldest: math.MinInt64}
}

// add counts a person; id tells who it is, which most people are not asked for.
func (c *crowd) add(b behind, id func() (appUserID, customUserID string)) {
	if c.total++; b.latest < c.oldest || c.after != nil && b.latest > c.after.latest {
		return
	}
	b.id, b.customID = id()
	if c.after != nil && b.before(c.after) <= 0 {
		return
	}
	c.list = append(c.list, b)
	if len(c.list) > 4*c.limit+1024 {
		c.cut()
	}
}

func (c *crowd) cut() {
	slices.SortFunc(c.list, func(a, b behind) int { return a.before(&b) })
	if len(c.list) >= c.limit {
		c.list = c.list[:c.limit]
		c.oldest = c.list[c.limit-1].latest
	}
}

func (c *crowd) plus(more *crowd) *crowd {
	list := slices.Concat(c.list, more.list)
	out := newCrowd(c.limit, c.after)
	out.total, out.list = c.total+more.total, list
	out.cut()
	return out
}

// personCursor is where a page ends.
type personCursor struct {
	Latest int64  `json:"t"`
	ID     []byte `json:"i"`
}

// PeopleBehind returns a page of the people of a cell. First is at most report.MaxFirst, 0 means report.DefaultFirst;
// after is a cursor of an earlier page. The graphs tell what a cell of Other has, as in the report that it is of; other
// cells need none. Errors are analytics.FieldErrors.
func (s *Selection) PeopleBehind(
	ctx context.Context, b Behind, graphs []Graph, first int, after string,
) (*PeoplePage, error) {
	if err := b.validate(); err != nil {
		return nil, err
	}
	if first < 0 || first > report.MaxFirst {
		return nil, analytics.Invalid("first", "must be between 1 and %d", report.MaxFirst)
	}
	if first == 0 {
		first = report.DefaultFirst
	}
	var from *behind
	if after != "" {
		var at personCursor
		raw, err := base64.RawURLEncoding.DecodeString(after)
		if err != nil || json.Unmarshal(raw, &at) != nil {
			return nil, analytics.Invalid("after", "not a cursor of this list")
		}
		from = &behind{latest: at.Latest, id: string(at.ID)}
	}
	find := func(p *Selection) *crowd { return p.findPeople(b, first+1, from) }
	var total *crowd
	var err error
	if b.NamesOther() {
		total, _, err = sumListed(ctx, s, graphs, find, (*crowd).plus)
	} else {
		total, _, err = sum(ctx, s, find, (*crowd).plus)
	}
	if err != nil {
		return nil, err
	}
	total.cut()
	page := &PeoplePage{People: []Person{}, TotalCount: total.total, HasNextPage: len(total.list) > first}
	for _, person := range total.list[:min(first, len(total.list))] {
		page.People = append(page.People, Person{
			AppUserID: person.id, CustomUserID: person.customID, Runs: person.runs, LatestRunAt: frame.Time(person.latest),
			LatestState: stateNames[person.state],
		})
		raw, err := json.Marshal(personCursor{person.latest, []byte(person.id)})
		if err != nil {
			return nil, fmt.Errorf("write a cursor: %w", err)
		}
		page.EndCursor = base64.RawURLEncoding.EncodeToString(raw)
	}
	return page, nil
}

var stateNames = map[run.State]string{
	run.Open: StateOpen, run.Completed: StateCompleted, run.Abandoned: StateAbandoned, run.Lapsed: StateLapsed,
}

// findPeople finds the people of a cell.
func (s *Selection) findPeople(b Behind, limit int, after *behind) *crowd {
	return each(s, func(_ int, rs *runs) *crowd {
		c, m := newCrowd(limit, after), s.matcher(b, rs)
		var mine personRuns
		visitor := noNumber
		leave := func() {
			if !mine.found || mine.excluded {
				return
			}
			c.add(mine.behind, func() (string, string) { // copies, because a portion's memory goes
				return strings.Clone(s.view.Visitors.ID(visitor)),
					strings.Clone(s.view.CustomIDs.ID(s.view.Touch(visitor).CustomID))
			})
		}
		for i := range rs.len() {
			if rs.visitor[i] != visitor {
				leave()
				visitor, mine = rs.visitor[i], personRuns{}
			}
			mine.add(m, i)
		}
		leave()
		return c
	}, (*crowd).plus)
}

// personRuns is somebody's runs of a cell.
type personRuns struct {
	behind
	found, excluded bool
}

// add counts a run; runs come by their start.
func (p *personRuns) add(m *matcher, i int) {
	if !m.matches(i) {
		return
	}
	p.excluded = p.excluded || m.Figure == FigureClaimed && m.buys(i)
	if m.figure(i) {
		p.runs, p.latest, p.state, p.found = p.runs+1, m.rs.start[i], m.s.state(m.rs, i), true
	}
}
