package sdkapi

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/google/uuid"

	"github.com/svc-dev/svc/ingest"
	"github.com/svc-dev/svc/internal/codeunit"
	"github.com/svc-dev/svc/internal/validate"
	"github.com/svc-dev/svc/people"
)

// maxFieldErrors is how many fields a refusal names: one who corrects a body reads
// no more, and a body can have a wrong field every few bytes.
const maxFieldErrors = 50

// fieldCheck collects what is wrong in a body. Its methods name a value by its
// RFC 6901 pointer.
type fieldCheck struct{ fields []FieldError }

func (c *fieldCheck) fail(pointer, code, message string) {
	if len(c.fields) < maxFieldErrors {
		c.fields = append(c.fields, FieldError{Pointer: pointer, Code: code, Message: message})
	}
}

// result returns the refusal of a body that has something wrong.
func (c *fieldCheck) result() *Error {
	if len(c.fields) == 0 {
		return nil
	}
	return &Error{Status: http.StatusBadRequest, Code: codeInvalidRequest, Message: c.fields[0].Message, Fields: c.fields}
}

// tags refuses the members that break the tags of the body's struct.
func (c *fieldCheck) tags(body any) {
	for _, problem := range validate.Problems(body) {
		c.fail("/"+strings.ReplaceAll(problem.Path, ".", "/"), problem.Code, problem.Path+" "+problem.Rule)
	}
}

// checkTags refuses a body of which the tags say all.
func checkTags(body any) *Error {
	var check fieldCheck
	check.tags(body)
	return check.result()
}

// optionalID refuses an optional id that is there but empty (wire.md §2.1).
func (c *fieldCheck) optionalID(pointer string, value *string) {
	if value == nil {
		return
	}
	if *value == "" {
		c.fail(pointer, "empty", fieldName(pointer)+" is empty: leave it out or fill it")
	}
	c.text(pointer, *value, maxUserID)
}

// memberName checks the name of a member that the app chose.
func (c *fieldCheck) memberName(pointer, name string, limit int) {
	if name == "" {
		c.fail(pointer, "empty", fieldName(pointer)+" has an empty name")
	}
	c.text(pointer, name, limit)
}

// text refuses a text that is longer than limit UTF-16 code units or not
// storable.
func (c *fieldCheck) text(pointer, value string, limit int) {
	if len(value) > limit && codeunit.Count(value) > limit {
		c.fail(pointer, "too_long", fmt.Sprintf("%s is longer than %d characters", fieldName(pointer), limit))
	}
	c.storable(pointer, value)
}

// storable refuses a text that the database can't keep.
func (c *fieldCheck) storable(pointer, value string) {
	if strings.IndexByte(value, 0) >= 0 {
		c.fail(pointer, "invalid", fieldName(pointer)+" holds a NUL character")
	}
}

func (c *fieldCheck) platform(pointer, value string) {
	switch value {
	case "", "ios", "android", "web":
	default:
		c.fail(pointer, "enum", fieldName(pointer)+" must be ios, android or web")
	}
}

func (c *fieldCheck) consent(pointer, value string) people.Consent {
	consent := people.Consent(value)
	if consent != people.Granted && consent != people.Denied && consent != people.Unknown {
		c.fail(pointer, "enum", fieldName(pointer)+" must be granted, denied or unknown")
	}
	return consent
}

func (c *fieldCheck) uuid(pointer, value string) uuid.UUID {
	id, ok := parseUUID(value)
	switch {
	case value == "":
		c.fail(pointer, "required", fieldName(pointer)+" is required")
	case !ok:
		c.fail(pointer, "invalid", fieldName(pointer)+" must be a UUID")
	}
	return id
}

// scalars refuses values other than string, number and boolean (wire.md §2.2).
func (c *fieldCheck) scalars(pointer string, values map[string]json.RawMessage) {
	for _, key := range sorted(values) {
		if first := values[key][0]; first == '{' || first == '[' || first == 'n' {
			c.fail(pointer+"/"+escapePointer(key), "type", fieldName(pointer)+" may hold strings, numbers and booleans only")
		}
	}
}

// flatObject reads an optional object of strings, numbers and booleans into
// compact form of at most limit UTF-16 code units.
func (c *fieldCheck) flatObject(pointer string, raw json.RawMessage, limit int) json.RawMessage {
	if len(raw) == 0 || string(raw) == "null" {
		return nil
	}
	var values map[string]json.RawMessage
	if err := json.Unmarshal(raw, &values); err != nil {
		c.fail(pointer, "type", fieldName(pointer)+" must be an object")
		return nil
	}
	before := len(c.fields)
	c.scalars(pointer, values)
	if len(c.fields) > before {
		return nil
	}
	compact, reject := ingest.CompactObject(fieldName(pointer), raw, ingest.ObjectLimits{Units: limit, Depth: 1})
	if reject != nil {
		c.fail(pointer, "invalid", reject.Message)
		return nil
	}
	return compact
}

// parseUUID reads a UUID in its 36-character form, any version, either case
// (wire.md §1).
func parseUUID(text string) (uuid.UUID, bool) {
	if len(text) != 36 {
		return uuid.Nil, false
	}
	id, err := uuid.Parse(text)
	return id, err == nil
}

// escapePointer writes a member's name as a step of a pointer (RFC 6901 §3).
func escapePointer(name string) string {
	return strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
}

// fieldName writes a pointer as people write it: /context/os is context.os.
func fieldName(pointer string) string {
	return strings.ReplaceAll(strings.TrimPrefix(pointer, "/"), "/", ".")
}
