package ingest

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/svc-dev/svc/internal/codeunit"
)

// What is stored of an event's context besides its columns, as JSON
// (analytics.md §1): custom properties, and attribution keys that no report
// column holds.
const (
	maxKeptKeys  = 64
	maxKeptUnits = 8192 // UTF-16 code units of the compact object
)

// customProperties compacts context.customProperties. They are the app's own
// data, so an event whose properties are over the limits is rejected whole.
func customProperties(raw json.RawMessage) ([]byte, *Reject) {
	const field = "context.customProperties"
	if len(raw) == 0 || raw[0] == 'n' {
		return nil, nil
	}
	compact, reject := CompactObject(field, raw, ObjectLimits{Units: maxKeptUnits, Depth: maxPropertiesDepth})
	if reject != nil {
		reject.Code = CodeContextInvalid
		return nil, reject
	}
	if !flat(compact) {
		return nil, &Reject{
			Code:    CodeContextInvalid,
			Message: field + " holds a nested value: use strings, numbers, booleans, null or lists of strings",
		}
	}
	keys := 0
	eachMember(compact, func(_, _ []byte) bool { keys++; return true })
	if keys > maxKeptKeys {
		return nil, &Reject{
			Code: CodeContextInvalid, Message: fmt.Sprintf("%s has %d keys: send at most %d", field, keys, maxKeptKeys),
		}
	}
	return compact, nil
}

// boundedObject collects scalar members within the limits. They are what a link or
// an attribution provider handed over, for which the app can't be blamed: what is
// over the limits or can't be stored is left out and the event is kept.
type boundedObject struct {
	members []byte // compact, each after a comma
	keys    int
	units   int
}

// add takes a member of a valid JSON object, unless its value is nested, null or
// the empty string, which says nothing.
func (k *boundedObject) add(key, value []byte) {
	if value[0] == '{' || value[0] == '[' || value[0] == 'n' || k.keys == maxKeptKeys {
		return
	}
	if value[0] == '"' && (len(value) > clipAttributionUnits || bytes.Contains(value, []byte(`\u0000`))) {
		value = appendJSONText(nil, codeunit.Clip(dropNUL(jsonText(value)), clipAttributionUnits))
	}
	if string(value) == `""` {
		return
	}
	before := len(k.members)
	c := &compactor{
		out: append(k.members, ','), units: k.units + 1, limit: ObjectLimits{Units: maxKeptUnits - 1, Depth: 1},
	}
	if !c.rewrite(key) || !c.emit(':') || !c.rewrite(value) {
		k.members = c.out[:before]
		return
	}
	k.members, k.units = c.out, c.units
	k.keys++
}

// object returns what was added as a JSON object, nil when nothing was.
func (k *boundedObject) object() []byte {
	if k.keys == 0 {
		return nil
	}
	object := make([]byte, 0, len(k.members)+1)
	return append(append(append(object, '{'), k.members[1:]...), '}')
}
