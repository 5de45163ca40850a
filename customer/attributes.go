package customer

import (
	"encoding/json"
	"maps"
	"slices"
	"unicode/utf8"
)

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// attributeUnits is the length of attributes as compact JSON in UTF-16 code
// units (wire.md §1). Values are in compact form already.
func attributeUnits(attributes map[string]json.RawMessage) int {
	units := 2 + max(0, len(attributes)-1) // braces and commas
	for name, value := range attributes {
		key, _ := json.Marshal(name)
		units += utf16Units(string(key)) + 1 + utf16Units(string(value))
	}
	return units
}

func utf16Units(s string) int {
	units := utf8.RuneCountInString(s)
	for _, r := range s {
		if r > 0xFFFF {
			units++
		}
	}
	return units
}
