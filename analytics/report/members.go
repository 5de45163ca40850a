package report

import (
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/analytics/frame"
)

// Members is a set of visitors of one environment.
type Members struct {
	dataset *frame.Dataset
	bits    []uint64
	count   int // of a set that was made by adding
	// unseen are people whom the segment names and no product event has shown. Reports of flows count them.
	unseen map[uint32]bool
	// others are people whom conditions chose and the dataset does not number. No report knows them.
	others     map[string]struct{}
	otherBytes int64
}

// NoMembers returns an empty set of visitors of the view.
func NoMembers(view *frame.View) *Members {
	return &Members{dataset: view.Dataset(), bits: make([]uint64, (view.Visitors.Len()+63)/64)}
}

// AddMembers adds to m the members of a segment among the visitors of a portion, which numbers its
// visitors in its own way. The portion must hold the window of the segment's rules.
func (e *Engine) AddMembers(m *Members, portion *frame.View, segment *analytics.Segment, now time.Time) error {
	some, err := e.Members(portion, segment, now)
	if err != nil {
		return err
	}
	for ordinal, id := range portion.Visitors.All() {
		if !some.HasAnybody(ordinal) {
			continue
		}
		mine, ok := m.dataset.Ordinal(id)
		switch {
		case !ok:
		case !some.has(ordinal):
			m.addUnseen(mine)
		case int(mine>>6) < len(m.bits): // who came after the set was made has no place in it
			m.add(mine)
		}
	}
	return nil
}

// Members evaluates a segment. The view must hold the window of the segment's rules; for whom their condition holds is
// asked of Chosen.
func (e *Engine) Members(view *frame.View, segment *analytics.Segment, now time.Time) (*Members, error) {
	if segment.Rules == nil || segment.Rules.Where == nil {
		return e.MembersAmong(view, segment, nil, now)
	}
	if segment.Chosen == nil {
		return nil, analytics.Invalid("segment.where", "has not been evaluated")
	}
	chosen := NoPeople(view)
	for ordinal, id := range view.Visitors.All() {
		if segment.Chosen(id) {
			chosen.set(ordinal)
		}
	}
	return e.MembersAmong(view, segment, chosen, now)
}

// MembersAmong evaluates a segment, given for whom the condition of its rules holds; nil of one without.
func (e *Engine) MembersAmong(
	view *frame.View, segment *analytics.Segment, chosen *People, now time.Time,
) (*Members, error) {
	if err := segment.Validate(); err != nil {
		return nil, err
	}
	m := NoMembers(view)
	if rules := segment.Rules; rules.OfSessions() {
		start, end := rules.Window(now)
		// Devices may be a few minutes ahead of the server; their hits are of now.
		end = end.Add(ClockSkew)
		scope, err := analytics.Scope{
			Start: start, End: end, Platform: rules.Platform, Columns: rules.Columns, Cross: rules.Cross,
			Lapse: rules.Lapse,
		}.Resolve(now)
		if err != nil {
			return nil, err
		}
		s := e.selectSessions(view, scope, nil, now)
		for shard := range s.workers() {
			s.each(shard, s.window.readVisitors(), func(order []ref) {
				for _, r := range order {
					if visitor := s.visitor(r); chosen == nil || chosen.has(visitor) {
						m.add(visitor)
					}
				}
			})
		}
	} else if chosen != nil {
		m.addPeople(view, chosen)
	}
	m.addIDs(view, segment)
	return m, nil
}

// addPeople adds everybody of a set, seen or not.
func (m *Members) addPeople(view *frame.View, people *People) {
	for ordinal := range uint32(view.Visitors.Len()) {
		switch {
		case !people.has(ordinal):
		case view.FirstSeen(ordinal) == frame.NeverSeen:
			m.addUnseen(ordinal)
			m.count++
		default:
			m.add(ordinal)
		}
	}
	m.others, m.otherBytes = people.others, people.otherBytes
	m.count += len(m.others)
}

// Member is one of the members of a segment.
type Member struct{ AppUserID string }

// Page returns the first members whose ids come after a text in the order of their bytes, at most limit.
func (m *Members) Page(view *frame.View, after string, limit int) []*Member {
	var first []string
	for id := range m.IDs(view) {
		if id <= after || len(first) == limit && id > first[limit-1] {
			continue
		}
		at, _ := slices.BinarySearch(first, id)
		first = slices.Insert(first, at, id)
		first = first[:min(len(first), limit)]
	}
	page := make([]*Member, len(first))
	for i, id := range first {
		page[i] = &Member{id}
	}
	return page
}

// IDs returns the app user ids of the members, in the order of view, which numbers visitors as the set does, and last
// those whom conditions chose and no report knows.
func (m *Members) IDs(view *frame.View) iter.Seq[string] {
	return func(yield func(string) bool) {
		for ordinal, id := range view.Visitors.All() {
			if m.HasAnybody(ordinal) && !yield(strings.Clone(id)) {
				return
			}
		}
		for id := range m.others {
			if !yield(id) {
				return
			}
		}
	}
}

// addIDs adds the visitors that the segment names.
func (m *Members) addIDs(view *frame.View, segment *analytics.Segment) {
	for _, id := range segment.AppUserIDs {
		ordinal, ok := view.Ordinal(id)
		switch {
		case !ok:
		case view.FirstSeen(ordinal) == frame.NeverSeen:
			// Someone known only by a purchase has not been here yet, but may have been in a flow.
			m.addUnseen(ordinal)
		default:
			m.add(ordinal)
		}
	}
	if len(segment.CustomUserIDs) == 0 {
		return
	}
	wanted := make([]bool, view.CustomIDs.Len())
	ids := map[string]bool{}
	for _, id := range segment.CustomUserIDs {
		ids[id] = id != ""
	}
	for code, id := range view.CustomIDs.All() {
		wanted[code] = ids[id]
	}
	for ordinal := range uint32(view.Visitors.Len()) {
		if wanted[view.Touch(ordinal).CustomID] {
			m.add(ordinal)
		}
	}
}

func (m *Members) add(ordinal uint32) {
	if m.bits[ordinal>>6]&(1<<(ordinal&63)) == 0 {
		m.bits[ordinal>>6] |= 1 << (ordinal & 63)
		m.count++
	}
}

// and returns the visitors of both sets; nil is everybody.
func (m *Members) and(other *Members) *Members {
	switch {
	case m == nil:
		return other
	case other == nil:
		return m
	}
	both := &Members{dataset: m.dataset, bits: make([]uint64, min(len(m.bits), len(other.bits)))}
	for i := range both.bits {
		both.bits[i] = m.bits[i] & other.bits[i]
	}
	return both
}

func (m *Members) has(ordinal uint32) bool {
	return int(ordinal>>6) < len(m.bits) && m.bits[ordinal>>6]&(1<<(ordinal&63)) != 0
}

func (m *Members) addUnseen(ordinal uint32) {
	if m.unseen == nil {
		m.unseen = map[uint32]bool{}
	}
	m.unseen[ordinal] = true
}

// HasAnybody tells whether the visitor with this ordinal is one of them, or named among them and never seen by a
// product event.
func (m *Members) HasAnybody(ordinal uint32) bool { return m.has(ordinal) || m.unseen[ordinal] }

// Has tells whether the visitor with this ordinal is one of them.
func (m *Members) Has(ordinal uint32) bool { return m.has(ordinal) }

// Count returns the number of members: visitors, and everybody whom conditions chose.
func (m *Members) Count() int { return m.count }

// Bytes returns the memory of the set.
func (m *Members) Bytes() int64 {
	return int64(cap(m.bits))*8 + int64(len(m.unseen))*16 + m.otherBytes
}

// Of tells whether the set numbers visitors as the view does; a set of an environment that has
// been loaded anew must be evaluated again.
func (m *Members) Of(view *frame.View) bool { return m.dataset == view.Dataset() }
