package frame

import (
	"slices"
	"strings"
	"sync"
)

// Dict gives the distinct values of a column dense codes. The empty value is code 0. Codes are
// never reused, so a slice of values taken earlier stays valid while the dictionary grows.
type Dict struct {
	mu     sync.RWMutex
	codes  map[string]uint32 // nil until it is needed of values that came from a file
	values []string
	bytes  int64
	within *allowance // of the values' bytes; nil when they are not bounded
}

func newDict() *Dict {
	return &Dict{codes: map[string]uint32{"": 0}, values: []string{""}}
}

// valueBytes is the memory of a value without its text: two string headers and a map slot.
const valueBytes = 64

// Code returns the code of value, assigned when it is new. The value is copied. In a bounded dictionary a new value
// that finds no room has the code of "(other)".
func (d *Dict) Code(value string) uint32 {
	if code, ok := d.Lookup(value); ok {
		return code
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if code, ok := d.codes[value]; ok {
		return code
	}
	if d.within != nil && !d.within.spend(int64(len(value))+valueBytes, true) {
		return d.codes[Other]
	}
	value = strings.Clone(value)
	code := uint32(len(d.values))
	d.values = append(d.values, value)
	d.codes[value] = code
	d.bytes += int64(len(value)) + valueBytes
	return code
}

// Lookup returns the code of value when it has one.
func (d *Dict) Lookup(value string) (uint32, bool) {
	d.mu.RLock()
	if d.codes == nil {
		d.mu.RUnlock()
		d.index()
		d.mu.RLock()
	}
	defer d.mu.RUnlock()
	code, ok := d.codes[value]
	return code, ok
}

// restore makes values those of the dictionary, which has none but those of every dictionary of its kind. It tells
// whether they begin with these.
func (d *Dict) restore(values []string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(values) < len(d.values) || !slices.Equal(values[:len(d.values)], d.values) {
		return false
	}
	for _, value := range values[len(d.values):] {
		d.bytes += int64(len(value)) + valueBytes
	}
	d.values, d.codes = values, nil
	return true
}

// index makes the codes of values that came from a file findable.
func (d *Dict) index() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.codes != nil {
		return
	}
	d.codes = make(map[string]uint32, len(d.values))
	for code, value := range d.values {
		d.codes[value] = uint32(code)
	}
}

// Values returns the values by code, as of now.
func (d *Dict) Values() []string {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return d.values[:len(d.values):len(d.values)]
}

// Bytes returns the approximate memory of the dictionary.
func (d *Dict) Bytes() int64 {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return d.bytes
}

// table gives distinct tuples dense codes, as Dict does for strings.
type table[K comparable, V any] struct {
	mu    sync.RWMutex
	codes map[K]uint32
	rows  []V
}

func newTable[K comparable, V any]() *table[K, V] {
	return &table[K, V]{codes: map[K]uint32{}}
}

func (t *table[K, V]) code(key K, row func() V) uint32 {
	t.mu.RLock()
	code, ok := t.codes[key]
	t.mu.RUnlock()
	if ok {
		return code
	}
	value := row()
	t.mu.Lock()
	defer t.mu.Unlock()
	if code, ok := t.codes[key]; ok {
		return code
	}
	code = uint32(len(t.rows))
	t.rows = append(t.rows, value)
	t.codes[key] = code
	return code
}

func (t *table[K, V]) all() []V {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.rows[:len(t.rows):len(t.rows)]
}

// cached remembers codes for one goroutine so that a bulk load takes no locks for known values.
type cached struct {
	dict  *Dict
	known map[string]coded
	last  coded
}

// coded is a value of the dictionary and its code.
type coded struct {
	value string
	code  uint32
}

func newCached(d *Dict) cached { return cached{dict: d, known: map[string]coded{}} }

// of returns the code of value, which may alias a buffer.
func (c *cached) of(value string) uint32 {
	if value == "" {
		return 0
	}
	if value == c.last.value {
		return c.last.code
	}
	known, ok := c.known[value]
	if !ok {
		code := c.dict.Code(value)
		known = coded{c.dict.Values()[code], code}
		if known.value != value {
			return code // it found no room
		}
		remember(c.known, known.value, known)
	}
	c.last = known
	return known.code
}
