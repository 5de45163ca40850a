package ingest

import (
	"fmt"
	"reflect"
	"strings"
	"unicode"

	"github.com/go-playground/validator/v10"

	"github.com/svc-dev/svc/internal/codeunit"
)

// trimSpace trims as String.prototype.trim does: white space and the byte
// order mark.
func trimSpace(s string) string {
	return strings.TrimFunc(s, func(r rune) bool { return unicode.IsSpace(r) || r == '\uFEFF' })
}

// RegisterValidations adds this package's tags to v: utf16max=N (at most N
// UTF-16 code units; the validator's own max counts runes), nonul (no NUL
// character, which PostgreSQL can't store) and nocontrol (no control
// characters).
func RegisterValidations(v *validator.Validate) error {
	for tag, check := range map[string]validator.Func{
		"utf16max": func(f validator.FieldLevel) bool {
			limit := 0
			for _, c := range f.Param() {
				limit = limit*10 + int(c-'0')
			}
			s := f.Field().String()
			return len(s) <= limit || codeunit.Count(s) <= limit
		},
		"nonul":     func(f validator.FieldLevel) bool { return strings.IndexByte(f.Field().String(), 0) < 0 },
		"nocontrol": func(f validator.FieldLevel) bool { return strings.IndexFunc(f.Field().String(), unicode.IsControl) < 0 },
	} {
		if err := v.RegisterValidation(tag, check); err != nil {
			return fmt.Errorf("register validation %s: %w", tag, err)
		}
	}
	return nil
}

// shapes checks the tags of event structs. The name of a field in its errors
// is its path on the wire.
var shapes = func() *validator.Validate {
	v := validator.New(validator.WithRequiredStructEnabled())
	v.RegisterTagNameFunc(func(f reflect.StructField) string { return f.Tag.Get("wire") })
	if err := RegisterValidations(v); err != nil {
		panic(err) // a tag name is wrong in this file
	}
	return v
}()

// codeBase leads from a field's wire name to the beginning of its codes.
var codeBase = map[string]string{
	"eventId": "event_id", "name": "name", "timestamp": "timestamp", "occurredAt": "timestamp",
	"appUserId": "app_user_id", "customUserId": "custom_user_id", "sessionId": "session_id",
	"screenName": "screen_name", "page": "screen_name", "properties": "properties", "context": "context",
	"flowId": "flow_id", "versionId": "version_id", "experimentId": "experiment_id", "variantId": "variant_id",
	"stepId": "step_id", "assignmentVersion": "assignment_version", "fieldClassification": "field_classification",
	"runId": "run_id", "seq": "seq", "fromStepId": "from_step_id",
}

// checkShape runs the tags of an event struct and turns the first failure into
// a reject.
func checkShape(event any) *Reject {
	err := shapes.Struct(event)
	if err == nil {
		return nil
	}
	failures, ok := err.(validator.ValidationErrors)
	if !ok || len(failures) == 0 {
		return &Reject{Code: CodeEventInvalid, Message: "the event can't be checked"}
	}
	f := failures[0]
	path := f.Field()
	base := codeBase[path[strings.LastIndexByte(path, '.')+1:]]
	if strings.HasPrefix(path, "context.") {
		base = "context"
	}
	if strings.HasPrefix(path, "place.") {
		return &Reject{Code: CodePlaceInvalid, Message: path + " is not valid"}
	}
	switch f.Tag() {
	case "required":
		return &Reject{Code: base + "_required", Message: path + " is required"}
	case "utf16max":
		r := &Reject{Code: base + "_too_long", Message: fmt.Sprintf("%s is longer than %s UTF-16 code units", path, f.Param())}
		if base == "context" || base == "variant_id" || base == "step_id" || base == "from_step_id" {
			r.Code = base + "_invalid"
		}
		return r
	case "nonul":
		return &Reject{Code: base + "_invalid", Message: path + " holds a NUL character"}
	case "nocontrol":
		return &Reject{Code: base + "_invalid", Message: path + " holds a control character"}
	case "oneof":
		return &Reject{Code: base + "_invalid", Message: fmt.Sprintf("%s must be one of %s", path, strings.ReplaceAll(f.Param(), " ", ", "))}
	default:
		return &Reject{Code: base + "_invalid", Message: path + " is not valid"}
	}
}
