package people

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/svc-dev/svc/internal/codeunit"
)

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// attributeUnits returns the length of attributes as compact JSON in UTF-16 code
// units (wire.md §1). Values are in compact form already.
func attributeUnits(attributes map[string]json.RawMessage) int {
	units := 2 + max(0, len(attributes)-1) // braces and commas
	for name, value := range attributes {
		key, _ := json.Marshal(name)
		units += codeunit.Count(string(key)) + 1 + codeunit.Count(string(value))
	}
	return units
}
