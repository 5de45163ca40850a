// Package fault is the error that is safe to show: a machine-readable code, a
// sentence, and where it applies. Everything else that goes wrong is internal
// and is logged at the edge, not shown.
package fault

import (
	"errors"
	"fmt"
	"math"
	"time"
)

// Code is the contract of an error; messages may change.
type Code string

// The codes that GraphQL answers carry in extensions.code.
const (
	Unauthenticated  Code = "unauthenticated"
	Forbidden        Code = "forbidden"
	NotFound         Code = "not_found"
	InvalidInput     Code = "invalid_input"
	Conflict         Code = "conflict"
	PublishBlocked   Code = "publish_blocked"
	RateLimited      Code = "rate_limited"
	Unavailable      Code = "unavailable"
	ReportsDown      Code = "product_analytics_unavailable"
	Internal         Code = "internal"
	LimitReached     Code = "plan_limit_reached"
	PersonErased     Code = "person_erased"
	FeatureNotInPlan Code = "plan_feature_missing"
	// SecondFactor asks who gave the right password for a code, SignInAgain who signed in long ago to do so anew.
	SecondFactor Code = "second_factor_required"
	SignInAgain  Code = "sign_in_again"
)

// The codes of requests that are refused before an operation is executed. Those
// in capitals are the ones that clients of GraphQL servers know.
const (
	InvalidJSON           Code = "invalid_json"
	InvalidRequest        Code = "invalid_request"
	PayloadTooLarge       Code = "payload_too_large"
	UnsupportedMedia      Code = "unsupported_media_type"
	MethodNotAllowed      Code = "method_not_allowed"
	DocumentTooLarge      Code = "document_too_large"
	ParseFailed           Code = "GRAPHQL_PARSE_FAILED"
	ValidationFailed      Code = "GRAPHQL_VALIDATION_FAILED"
	TooCostly             Code = "COMPLEXITY_LIMIT_EXCEEDED"
	PersistedNotFound     Code = "PERSISTED_QUERY_NOT_FOUND"
	PersistedHashMismatch Code = "PERSISTED_QUERY_HASH_MISMATCH"
)

// Error is an error with a code. Its message is safe to show.
type Error struct {
	Code    Code
	Message string
	// Field is the path of the offending input, such as "input.name".
	Field string
	// Details are further members of the error's extensions.
	Details map[string]any
	cause   error
}

func (e *Error) Error() string {
	if e.Field != "" {
		return e.Field + ": " + e.Message
	}
	return e.Message
}

// Unwrap returns what caused the error; it is logged, never shown.
func (e *Error) Unwrap() error { return e.cause }

// New makes an error with a code.
func New(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// Invalid reports an input that is not allowed, naming its field.
func Invalid(field, format string, args ...any) *Error {
	return &Error{Code: InvalidInput, Field: field, Message: fmt.Sprintf(format, args...)}
}

// Missing reports that something does not exist, or that the caller may not
// know that it does.
func Missing(what string) *Error {
	return &Error{Code: NotFound, Message: what + " not found"}
}

// Limited reports that something was done too often. The details say in how many
// seconds the caller may try again.
func Limited(wait time.Duration, format string, args ...any) *Error {
	seconds := int(math.Ceil(wait.Seconds()))
	return &Error{
		Code: RateLimited, Message: fmt.Sprintf(format, args...), Details: map[string]any{"retryAfter": max(seconds, 1)},
	}
}

// Wrap gives a cause a code and a message that is safe to show.
func Wrap(cause error, code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...), cause: cause}
}

// Is tells whether err carries the code.
func Is(err error, code Code) bool {
	var fault *Error
	return errors.As(err, &fault) && fault.Code == code
}
