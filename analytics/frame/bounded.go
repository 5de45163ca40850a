package frame

import "sync/atomic"

// allowance is how many bytes the values may take that clients make up: what happens in runs, what was served in
// them, and their custom properties. It is spent by all dictionaries of a dataset together, in the order in which
// values come.
type allowance struct {
	limit int64
	spent atomic.Int64
}

// A share of the allowance, one in so many, is kept for values with less detail, which stand for those that found
// no room.
const lessDetailShare = 8

// spend takes bytes when there is room for them.
func (a *allowance) spend(bytes int64, detail bool) bool {
	limit := a.limit
	if detail {
		limit -= limit / lessDetailShare
	}
	if a.spent.Add(bytes) <= limit {
		return true
	}
	a.spent.Add(-bytes)
	return false
}

// boundedTable gives distinct tuples codes within an allowance. Code 0 is the tuple for all that find no room.
type boundedTable[K comparable] struct {
	table[K, K]
	within *allowance
	most   int // tuples
}

func newBoundedTable[K comparable](within *allowance, most int) *boundedTable[K] {
	t := &boundedTable[K]{table: table[K, K]{codes: map[K]uint32{}}, within: within, most: most}
	var none K
	t.code(none, func() K { return none })
	return t
}

// codeWithin returns the code of a tuple; there is none for a new one that does not find room for its bytes.
// Detailed tuples leave room for others.
func (t *boundedTable[K]) codeWithin(tuple K, bytes int64, detail bool) (uint32, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if code, ok := t.codes[tuple]; ok {
		return code, true
	}
	most := t.most
	if detail {
		most -= most / lessDetailShare
	}
	if len(t.rows) >= most || !t.within.spend(bytes, detail) {
		return 0, false
	}
	code := uint32(len(t.rows))
	t.rows = append(t.rows, tuple)
	t.codes[tuple] = code
	return code, true
}

// newBoundedDict makes a dictionary whose new values have the code of "(other)" when there is no room for them.
func newBoundedDict(within *allowance) *Dict {
	d := newDict()
	d.Code(Other)
	d.within = within
	return d
}

// maxRemembered is how many codes a builder remembers of each kind, so that its memory is bounded.
const maxRemembered = 1 << 14

// remember keeps a value that was found, and forgets all when there are too many.
func remember[K comparable, V any](known map[K]V, key K, value V) {
	if len(known) >= maxRemembered {
		clear(known)
	}
	known[key] = value
}
