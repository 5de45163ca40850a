package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Exit codes of every command.
const (
	exitOK        = 0
	exitError     = 1
	exitUsage     = 2
	exitConflict  = 3
	exitAuth      = 4
	exitRetryable = 5
)

// failure is an error that knows its exit code and the machine code that is
// printed with it.
type failure struct {
	exit    int
	code    string
	message string
	details any
	cause   error
}

func (f *failure) Error() string { return f.message }
func (f *failure) Unwrap() error { return f.cause }

// usageError says that the command line itself is wrong.
func usageError(format string, args ...any) error {
	return &failure{exit: exitUsage, code: "usage", message: fmt.Sprintf(format, args...)}
}

// fail prints err as one JSON object on w and returns the exit code.
func fail(w io.Writer, err error) int {
	if err == nil {
		return exitOK
	}
	var f *failure
	if !errors.As(err, &f) {
		f = &failure{exit: exitError, code: "error", message: err.Error()}
		if errors.Is(err, context.Canceled) {
			f.code = "interrupted"
		}
	}
	body := struct {
		Code    string `json:"code"`
		Message string `json:"message"`
		Details any    `json:"details,omitempty"`
	}{f.code, f.message, f.details}
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(body) // nothing is left to tell when stderr is gone
	return f.exit
}
