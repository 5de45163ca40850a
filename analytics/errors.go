package analytics

import (
	"errors"
	"fmt"
)

// ErrUnavailable reports that the analytics store could not answer: HTTP 503 with code
// product_analytics_unavailable. Errors of a Store wrap it.
var ErrUnavailable = errors.New("product_analytics_unavailable")

// FieldError reports an input that is not allowed. Its message is safe to show.
type FieldError struct {
	Field   string // path of the input, such as "cross.page.values"
	Message string
}

func (e *FieldError) Error() string { return e.Field + ": " + e.Message }

// Code returns the machine-readable code of the error.
func (e *FieldError) Code() string { return "invalid_input" }

// Invalid makes a FieldError.
func Invalid(field, format string, args ...any) error {
	return &FieldError{Field: field, Message: fmt.Sprintf(format, args...)}
}
