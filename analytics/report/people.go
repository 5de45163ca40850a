package report

import (
	"slices"
	"strings"
	"time"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/analytics/frame"
	"github.com/svc-dev/svc/analytics/run"
	"github.com/svc-dev/svc/analytics/session"
)

// People is a set of people of an environment: by ordinal those whom its dataset numbers, by id all others.
type People struct {
	dataset *frame.Dataset
	known   int // ordinals below are of the view that the set was made for
	bits    []uint64
	others  map[string]struct{}

	otherBytes int64
}

// NoPeople returns an empty set for a view.
func NoPeople(view *frame.View) *People {
	return &People{
		dataset: view.Dataset(), known: view.Visitors.Len(), bits: make([]uint64, (view.Visitors.Len()+63)/64),
	}
}

// Add adds somebody by id, which may be in a buffer that is reused.
func (p *People) Add(appUserID string) {
	if ordinal, ok := p.dataset.Ordinal(appUserID); ok && int(ordinal) < p.known {
		p.set(ordinal)
		return
	}
	if _, there := p.others[appUserID]; !there {
		p.addOther(strings.Clone(appUserID)) // a buffer may be reused
	}
}

func (p *People) addOther(appUserID string) {
	if p.others == nil {
		p.others = map[string]struct{}{}
	}
	if _, there := p.others[appUserID]; !there {
		p.others[appUserID] = struct{}{}
		p.otherBytes += otherBytes + int64(len(appUserID))
	}
}

// AddOrdinal adds somebody whom the view numbers.
func (p *People) AddOrdinal(ordinal uint32) { p.set(ordinal) }

// Of tells whether the set numbers people as the view does; an empty answer, nil, fits all.
func (p *People) Of(view *frame.View) bool { return p == nil || p.dataset == view.Dataset() }

func (p *People) has(ordinal uint32) bool {
	return int(ordinal) < p.known && p.bits[ordinal>>6]&(1<<(ordinal&63)) != 0
}

func (p *People) set(ordinal uint32) { p.bits[ordinal>>6] |= 1 << (ordinal & 63) }

// Has tells whether somebody is one of them.
func (p *People) Has(appUserID string) bool {
	if ordinal, ok := p.dataset.Ordinal(appUserID); ok && int(ordinal) < p.known {
		return p.has(ordinal)
	}
	_, there := p.others[appUserID]
	return there
}

// Bytes returns the memory of the set.
func (p *People) Bytes() int64 { return int64(cap(p.bits))*8 + p.otherBytes }

// OtherBytes returns the memory of those whom the dataset does not number.
func (p *People) OtherBytes() int64 { return p.otherBytes }

// otherBytes is what one entry of a map of ids takes besides the id.
const otherBytes = 48

// Tally adds people to a set once they were counted often enough.
type Tally struct {
	people *People
	times  uint32
	counts []uint32 // by ordinal
	others map[string]uint32

	otherBytes int64
}

// NewTally returns a tally that adds to people whom it was given so many times.
func NewTally(people *People, times int) *Tally {
	t := &Tally{people: people, times: uint32(times)}
	if times > 1 {
		t.counts, t.others = make([]uint32, people.known), map[string]uint32{}
	}
	return t
}

// Add counts somebody by id, which may be in a buffer that is reused.
func (t *Tally) Add(appUserID string) {
	if t.times <= 1 {
		t.people.Add(appUserID)
		return
	}
	if ordinal, ok := t.people.dataset.Ordinal(appUserID); ok && int(ordinal) < t.people.known {
		if t.counts[ordinal]++; t.counts[ordinal] == t.times {
			t.people.set(ordinal)
		}
		return
	}
	if _, enough := t.people.others[appUserID]; enough {
		return
	}
	bytes := otherBytes + int64(len(appUserID))
	n, there := t.others[appUserID]
	switch {
	case !there:
		t.others[strings.Clone(appUserID)] = 1
		t.otherBytes += bytes
	case n+1 < t.times:
		t.others[appUserID] = n + 1
	default:
		delete(t.others, appUserID)
		t.otherBytes -= bytes
		t.people.Add(appUserID)
	}
}

// End forgets who was not counted often enough.
func (t *Tally) End() { t.counts, t.others, t.otherBytes = nil, nil, 0 }

// OtherBytes returns the memory of those whom the dataset does not number, in the set and on the way to it.
func (t *Tally) OtherBytes() int64 { return t.otherBytes + t.people.OtherBytes() }

// Unite adds the people of another set of the same view.
func (p *People) Unite(q *People) {
	for i, bits := range q.bits {
		p.bits[i] |= bits
	}
	for id := range q.others {
		p.addOther(id)
	}
}

// intersect keeps those who are in another set of the same view, too.
func (p *People) intersect(q *People) {
	for i, bits := range q.bits {
		p.bits[i] &= bits
	}
	for id := range p.others {
		if _, there := q.others[id]; !there {
			delete(p.others, id)
		}
	}
}

// without returns the people of p who are not in q.
func (p *People) without(q *People) *People {
	rest := p.empty()
	copy(rest.bits, p.bits)
	for i, bits := range q.bits {
		rest.bits[i] &^= bits
	}
	for id := range p.others {
		if _, there := q.others[id]; !there {
			rest.addOther(id)
		}
	}
	return rest
}

func (p *People) clone() *People {
	copied := p.empty()
	copied.Unite(p)
	return copied
}

// Seen returns everybody whom a product event has shown.
func Seen(view *frame.View) *People {
	seen := NoPeople(view)
	for ordinal := range uint32(view.Visitors.Len()) {
		if view.FirstSeen(ordinal) != frame.NeverSeen {
			seen.set(ordinal)
		}
	}
	return seen
}

// Combine returns those of everybody for whom a condition holds, given for whom each condition without parts does, its
// operator taken as positive. All sets are of one view.
func Combine(c *analytics.Condition, everybody *People, leaves map[*analytics.Condition]*People) *People {
	switch {
	case c.All != nil:
		all := Combine(c.All[0], everybody, leaves)
		for _, part := range c.All[1:] {
			all.intersect(Combine(part, everybody, leaves))
		}
		return all
	case c.Any != nil:
		some := everybody.empty()
		for _, part := range c.Any {
			some.Unite(Combine(part, everybody, leaves))
		}
		return some
	case c.Not != nil:
		return everybody.without(Combine(c.Not, everybody, leaves))
	}
	if negated(c) {
		return everybody.without(leaves[c])
	}
	return leaves[c].clone()
}

// empty returns an empty set for the same view.
func (p *People) empty() *People {
	return &People{dataset: p.dataset, known: p.known, bits: make([]uint64, len(p.bits))}
}

// HasNegation tells whether a condition holds for some because nothing is known of them.
func HasNegation(c *analytics.Condition) bool {
	switch {
	case c.All != nil || c.Any != nil:
		return slices.ContainsFunc(slices.Concat(c.All, c.Any), HasNegation)
	case c.Not != nil:
		return true
	}
	return negated(c)
}

func negated(c *analytics.Condition) (negated bool) {
	switch {
	case c.Person != nil:
		_, negated = c.Person.Op.Opposite()
	case c.Attribute != nil:
		_, negated = c.Attribute.Op.Opposite()
	}
	return negated
}

// AnsweredByFrames tells whether Match answers a condition without parts: what frames do not hold are attributes,
// properties of events, tracked events and money.
func AnsweredByFrames(c *analytics.Condition) bool {
	switch {
	case c.Person != nil:
		return c.Person.Field.OfFirstTouch()
	case c.Event != nil:
		return len(c.Event.Properties) == 0 && c.Event.Source != analytics.TrackEvents
	}
	return c.Seen != nil || c.Flow != nil || c.Funnel != nil || c.Path != nil || c.Goal != nil
}

// Match calls add with the ordinal of everybody in a view for whom a condition holds that AnsweredByFrames, its
// operator taken as positive. Some come several times. From and to are the condition's window, all of which the view
// must hold; of a funnel, also the funnel's window after it.
func (e *Engine) Match(
	view *frame.View, c *analytics.Condition, from, to, now time.Time, add func(ordinal uint32),
) {
	start, end := frame.Millis(from), frame.Millis(to)
	switch {
	case c.Funnel != nil:
		e.everything(view, from, to, now).matchFunnel(c.Funnel, add)
	case c.Path != nil:
		e.everything(view, from, to, now).matchPath(c.Path, add)
	case c.Goal != nil:
		e.everything(view, from, to, now).matchGoal(&c.Goal.Condition, add)
	case c.Person != nil:
		matchTouches(view, c.Person, add)
	case c.Seen != nil:
		matchSeen(view, c.Seen, start, end, add)
	case c.Event != nil:
		matchEvents(view, c.Event, start, end, add)
	case c.Flow != nil:
		matchRuns(view, c.Flow, start, end, add)
	}
}

func matchTouches(view *frame.View, c *analytics.PersonCondition, add func(uint32)) {
	var values []string
	var code func(*frame.CodedTouch) uint32
	switch c.Field {
	case analytics.PersonFirstSource:
		values, code = view.Sources, func(t *frame.CodedTouch) uint32 { return t.Source }
	case analytics.PersonFirstMedium:
		values, code = view.Mediums, func(t *frame.CodedTouch) uint32 { return t.Medium }
	case analytics.PersonFirstCampaign:
		values, code = view.Campaigns, func(t *frame.CodedTouch) uint32 { return t.Campaign }
	case analytics.PersonFirstCountry:
		values, code = view.Countries, func(t *frame.CodedTouch) uint32 { return t.Country }
	case analytics.PersonFirstPlatform:
		values, code = view.Platforms, func(t *frame.CodedTouch) uint32 { return t.Platform }
	default:
		values, code = view.Devices, func(t *frame.CodedTouch) uint32 { return t.Device }
	}
	op := map[analytics.ValueOperator]analytics.Operator{
		analytics.ValueIs: analytics.Is, analytics.ValueContains: analytics.Contains,
	}
	positive, _ := c.Op.Opposite()
	pass := make([]bool, len(values))
	for i, value := range values {
		if positive == analytics.ValueExists {
			pass[i] = value != ""
		} else {
			pass[i] = op[positive].Match(value, c.Texts)
		}
	}
	for ordinal := range uint32(view.Visitors.Len()) {
		if view.FirstSeen(ordinal) != frame.NeverSeen && pass[code(view.Touch(ordinal))] {
			add(ordinal)
		}
	}
}

func matchSeen(view *frame.View, c *analytics.SeenCondition, start, end int64, add func(uint32)) {
	within := c.WithinDays > 0
	if c.Which == analytics.SeenFirst {
		for ordinal := range uint32(view.Visitors.Len()) {
			if at := view.FirstSeen(ordinal); at != frame.NeverSeen && (at >= start) == within {
				add(ordinal)
			}
		}
		return
	}
	here := NoMembers(view)
	eachHit(view, start, end, func(visitor uint32, hits []int64) { here.add(visitor) })
	for ordinal := range uint32(view.Visitors.Len()) {
		if view.FirstSeen(ordinal) != frame.NeverSeen && here.has(ordinal) == within {
			add(ordinal)
		}
	}
}

// eachHit calls visit with the hits of every session in [start, end), of those that have any.
func eachHit(view *frame.View, start, end int64, visit func(visitor uint32, hits []int64)) {
	for _, f := range view.Frames {
		if f.MaxHit < start || f.MinHit >= end {
			continue
		}
		for _, p := range []windowPart{{Part: f.Sealed, masked: f.Masked}, {Part: f.Open}} {
			if p.Part == nil {
				continue
			}
			for row := range uint32(p.Len()) {
				if p.masked.Has(row) {
					continue
				}
				hits := p.HitsOf(row) // in the order of time
				for len(hits) > 0 && frame.HitTime(hits[0]) < start {
					hits = hits[1:]
				}
				for len(hits) > 0 && frame.HitTime(hits[len(hits)-1]) >= end {
					hits = hits[:len(hits)-1]
				}
				if len(hits) > 0 {
					visit(p.Visitors()[row], hits)
				}
			}
		}
	}
}

func matchEvents(view *frame.View, c *analytics.EventCondition, start, end int64, add func(uint32)) {
	event := slices.Index(view.Events, c.Name)
	if event < 0 {
		return
	}
	named := make([]uint8, len(view.Names)+1) // the last stands for every id that the view does not know
	for id := range named {
		if view.Name(uint32(id)).Event == uint32(event) {
			named[id] = 1
		}
	}
	last := uint32(len(view.Names))
	counts := make([]uint32, view.Visitors.Len())
	wanted := uint32(max(c.AtLeast, 1))
	eachHit(view, start, end, func(visitor uint32, hits []int64) {
		n := counts[visitor]
		for _, hit := range hits {
			n += uint32(named[min(frame.HitName(hit), last)])
		}
		counts[visitor] = min(n, wanted)
	})
	for ordinal, n := range counts {
		if n >= wanted {
			add(uint32(ordinal))
		}
	}
}

func matchRuns(view *frame.View, c *analytics.FlowCondition, start, end int64, add func(uint32)) {
	m := newRunMatch(view, c)
	for _, p := range runParts(view, start, end) {
		for row := range uint32(p.Len()) {
			if at := p.RunStart(row); at >= start && at < end && !p.masked.Has(row) && m.matches(p.Part, row) {
				add(p.Visitors()[row])
			}
		}
	}
}

// runMatch is a condition in the codes of a view.
type runMatch struct {
	view     *frame.View
	c        *analytics.FlowCondition
	releases []bool
	// answers tells by happening which answers of the condition it gives, as bits.
	answers []uint16
}

func newRunMatch(view *frame.View, c *analytics.FlowCondition) *runMatch {
	m := &runMatch{view: view, c: c, releases: make([]bool, len(view.Releases))}
	for code := range m.releases {
		r := &view.Releases[code]
		m.releases[code] = (c.FlowID == nil || r.Flow == session.Key(*c.FlowID)) &&
			(c.VersionID == nil || r.Version == session.Key(*c.VersionID)) &&
			(c.VariantID == nil || strings.EqualFold(r.Variant, c.VariantID.String()))
	}
	if len(c.Answers) == 0 {
		return m
	}
	m.answers = make([]uint16, len(view.Happenings))
	for code := range m.answers {
		h := &view.Happenings[code]
		if h.Name != run.ChoiceSelected {
			continue
		}
		_, field := view.FlowName(h.Subject)
		_, option := view.FlowName(h.Value)
		for i, answer := range c.Answers {
			if h.Subject > 0 && h.Value > 0 && field == answer.Field && slices.Contains(answer.Options, option) {
				m.answers[code] |= 1 << i
			}
		}
	}
	return m
}

func (m *runMatch) matches(p *frame.Part, row uint32) bool {
	if !m.releases[p.Column(frame.RunRelease)[row]] {
		return false
	}
	flags := p.Column(frame.RunFlags)[row]
	switch m.c.Outcome {
	case analytics.FlowCompleted:
		if flags&frame.Completed == 0 {
			return false
		}
	case analytics.FlowAbandoned:
		if flags&frame.Completed != 0 || flags&frame.Abandoned == 0 {
			return false
		}
	}
	hits := p.HitsOf(row)
	return m.hasLastStep(hits) && m.hasAnswers(hits)
}

func (m *runMatch) hasLastStep(hits []int64) bool {
	if m.c.LastStep == "" {
		return true
	}
	for _, hit := range slices.Backward(hits) {
		if h, known := m.happening(hit); known && h.Name == run.StepViewed {
			_, step := m.view.FlowName(h.Step)
			return h.Step > 0 && step == m.c.LastStep
		}
	}
	return false
}

func (m *runMatch) hasAnswers(hits []int64) bool {
	if m.answers == nil {
		return true
	}
	given := uint16(0)
	for _, hit := range hits {
		if code := frame.HitName(hit); int(code) < len(m.answers) {
			given |= m.answers[code]
		}
	}
	return given == 1<<len(m.c.Answers)-1
}

// happening returns what a hit of a run says; false when the view does not know.
func (m *runMatch) happening(hit int64) (frame.Happening, bool) {
	code := frame.HitName(hit)
	if int(code) >= len(m.view.Happenings) {
		return frame.Happening{}, false
	}
	return m.view.Happenings[code], true
}
