package frame

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"sync"
	"unsafe"
)

// CustomValue is one custom property of a run, as codes of CustomKeys and CustomValues.
type CustomValue struct{ Key, Value uint32 }

// maxCustomProperties is how many custom properties of a run are kept, those with the first keys in the order of
// bytes; all others are one property "(other)".
const maxCustomProperties = 64

// maxCustomBytes bounds a key or value of a custom property; a longer one is "(other)".
const maxCustomBytes = 256

// otherCustomSet is the code of the set of runs whose own found no room.
const otherCustomSet = 1

// customSets gives distinct sets of custom properties codes within an allowance.
type customSets struct {
	mu     sync.RWMutex
	codes  map[string]uint32 // by the memory of the set
	sets   [][]CustomValue
	within *allowance
}

// customSetBytes is the memory of a distinct set without its properties: a slice and a slot of the map.
const customSetBytes = 80

func newCustomSets(within *allowance, other CustomValue) *customSets {
	s := &customSets{codes: map[string]uint32{}, sets: [][]CustomValue{nil}, within: within}
	s.add([]CustomValue{other})
	return s
}

// bytesOf returns the memory of a set, valid while that is.
func bytesOf(set []CustomValue) string {
	return unsafe.String((*byte)(unsafe.Pointer(unsafe.SliceData(set))), len(set)*int(unsafe.Sizeof(CustomValue{})))
}

func (s *customSets) add(set []CustomValue) uint32 {
	code := uint32(len(s.sets))
	s.sets = append(s.sets, set)
	s.codes[bytesOf(set)] = code // a set in the table never changes
	return code
}

// code returns the code of a set, which is copied when it is new.
func (s *customSets) code(set []CustomValue) uint32 {
	if len(set) == 0 {
		return 0
	}
	s.mu.RLock()
	code, ok := s.codes[bytesOf(set)]
	s.mu.RUnlock()
	if ok {
		return code
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if code, ok := s.codes[bytesOf(set)]; ok {
		return code
	}
	if !s.within.spend(customSetBytes+int64(len(set))*int64(unsafe.Sizeof(set[0])), true) {
		return otherCustomSet
	}
	return s.add(slices.Clone(set))
}

func (s *customSets) all() [][]CustomValue {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.sets[:len(s.sets):len(s.sets)]
}

// customReader finds the codes of custom properties for one goroutine.
type customReader struct {
	keys, values cached
	sets         *customSets
	known        map[string]uint32 // codes of texts
	knownBytes   int
	set          []CustomValue // of the latest text
}

func newCustomReader(d *Dataset) customReader {
	return customReader{
		keys: newCached(d.CustomKeys), values: newCached(d.CustomValues), sets: d.customSets, known: map[string]uint32{},
	}
}

// maxKnownBytes bounds the texts that a customReader remembers.
const maxKnownBytes = 1 << 20

// code returns the code of the set that a JSON object says; 0 when it says none.
func (c *customReader) code(text string) uint32 {
	if text == "" {
		return 0
	}
	if code, ok := c.known[text]; ok {
		return code
	}
	code := c.read(text)
	if c.knownBytes += len(text); c.knownBytes > maxKnownBytes {
		clear(c.known)
		c.knownBytes = len(text)
	}
	c.known[strings.Clone(text)] = code
	return code
}

func (c *customReader) read(text string) uint32 {
	var properties map[string]json.RawMessage
	if err := json.Unmarshal([]byte(text), &properties); err != nil {
		return 0 // ingest stores objects only
	}
	keys := slices.Sorted(maps.Keys(properties))
	c.set = c.set[:0]
	for i, key := range keys {
		value := Other
		switch {
		case i >= maxCustomProperties || len(key) > maxCustomBytes:
			key = Other
		case len(properties[key]) <= 6*maxCustomBytes: // as much as JSON may write for it
			if said := CustomText(properties[key]); len(said) <= maxCustomBytes {
				value = said
			}
		}
		c.set = append(c.set, CustomValue{c.keys.of(key), c.values.of(value)})
	}
	// Keys that find no room share the code of "(other)".
	slices.SortFunc(c.set, func(a, b CustomValue) int {
		return cmp.Or(cmp.Compare(a.Key, b.Key), cmp.Compare(a.Value, b.Value))
	})
	return c.sets.code(slices.Compact(c.set))
}

// CustomText returns the text of a custom property's value: of a string what it says, of any other its JSON.
func CustomText(raw json.RawMessage) string {
	if raw[0] == '"' {
		var said string
		if json.Unmarshal(raw, &said) == nil {
			return said
		}
	}
	var short bytes.Buffer
	if json.Compact(&short, raw) != nil {
		return Other
	}
	return short.String()
}
