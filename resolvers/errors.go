package resolvers

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync/atomic"
	"syscall"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/internal/fault"
	"github.com/svc-dev/svc/internal/httpserver"
	"github.com/svc-dev/svc/internal/pgerr"
)

const (
	// maxLogged is how many errors of one operation are logged: the others say the
	// same of other fields.
	maxLogged = 3
	// maxLoggedBytes and maxShownBytes bound the text of an error, which may repeat
	// an input of any length.
	maxLoggedBytes = 2 << 10
	maxShownBytes  = 1 << 10
)

// presenter turns errors into what clients see: extensions.code is the contract.
// An error that is not meant for clients becomes internal with the request's id;
// its details are logged here, once.
type presenter struct{ logger *slog.Logger }

func (p presenter) present(ctx context.Context, err error) *gqlerror.Error {
	shown := graphql.DefaultErrorPresenter(ctx, err)
	switch _, coded := shown.Extensions["code"]; {
	case !coded:
		shown = &gqlerror.Error{Path: shown.Path, Locations: shown.Locations, Extensions: map[string]any{}}
		p.explain(ctx, shown, err)
	case len(shown.Path) > 1 && shown.Path[0] == ast.PathName("variable"): // the validator names none in its messages
		field := argumentPath(shown)
		shown.Message, shown.Extensions["field"] = field+": "+shown.Message, field
	}
	shown.Message = clip(shown.Message, maxShownBytes)
	return shown
}

// explain fills in the message and the code.
func (p presenter) explain(ctx context.Context, shown *gqlerror.Error, err error) {
	var known *fault.Error
	var fields []*analytics.FieldError
	switch {
	case errors.As(err, &known):
		p.fault(shown, known, err)
	case fieldErrors(err, &fields):
		p.fields(shown, fields)
	case ctx.Err() != nil && errors.Is(err, context.Canceled): // not logged: strangers may leave as often as they like
		shown.Message, shown.Extensions["code"] = "the client left before the answer to its request", fault.InvalidRequest
	case lacking(err) != "":
		p.log(ctx, slog.LevelError, "the server is short of something", shown, err)
		shown.Message, shown.Extensions["code"] = lacking(err)+"; try again later", fault.Unavailable
	case unavailable(err):
		p.unavailable(ctx, shown, err)
	case len(shown.Path) > len(graphql.GetPath(ctx)): // an argument that could not be read
		p.fault(shown, fault.Invalid("", "is not a value of this input's type"), err)
	default:
		p.log(ctx, slog.LevelError, "a GraphQL field failed", shown, err)
		shown.Message = "internal error"
		shown.Extensions["code"] = fault.Internal
		if id := httpserver.RequestID(ctx); id != "" {
			shown.Extensions["requestId"] = id
		}
	}
}

func (p presenter) log(ctx context.Context, level slog.Level, message string, shown *gqlerror.Error, err error) {
	if graphql.HasOperationContext(ctx) && noteFor(graphql.GetOperationContext(ctx)).logged.Add(1) > maxLogged {
		return
	}
	p.logger.Log(ctx, level, message, "request", httpserver.RequestID(ctx), "path", clip(
		shown.Path.String(), maxShownBytes,
	),
		"error", clip(err.Error(), maxLoggedBytes))
}

// clip shortens a text to at most so many bytes.
func clip(text string, bytes int) string {
	if len(text) <= bytes {
		return text
	}
	const cut = "…"
	return strings.ToValidUTF8(text[:bytes-len(cut)], "") + cut
}

// operationNote is what is remembered of an operation beside its answer.
type operationNote struct {
	asksForReports bool
	logged         atomic.Int32
}

const operationNoteKey = "svc.note"

// noteFor returns the note of an operation, and makes it when the operation has
// none: that is before its fields are resolved at the same time.
func noteFor(operation *graphql.OperationContext) *operationNote {
	if note, ok := operation.Stats.GetExtension(operationNoteKey).(*operationNote); ok {
		return note
	}
	note := &operationNote{}
	operation.Stats.SetExtension(operationNoteKey, note)
	return note
}

func (p presenter) fault(shown *gqlerror.Error, known *fault.Error, err error) {
	shown.Message = known.Error()
	for name, detail := range known.Details {
		shown.Extensions[name] = detail
	}
	shown.Extensions["code"] = known.Code
	field := known.Field
	if field == "" && known.Code == fault.InvalidInput {
		if field = argumentPath(err); field != "" {
			shown.Message = field + ": " + shown.Message
		}
	}
	if field != "" {
		shown.Extensions["field"] = field
	}
	// Several things may be wrong at once; each names its field.
	if all := faults(err); len(all) > 1 {
		list, messages := []map[string]any{}, []string{}
		for _, f := range all {
			list = append(list, map[string]any{"field": f.Field, "message": f.Message})
			messages = append(messages, f.Error())
		}
		shown.Message, shown.Extensions["errors"] = strings.Join(messages, "; "), list
	}
}

// faults returns the faults of a joined error.
func faults(err error) []*fault.Error {
	switch e := err.(type) {
	case *fault.Error:
		return []*fault.Error{e}
	case interface{ Unwrap() []error }:
		var all []*fault.Error
		for _, inner := range e.Unwrap() {
			all = append(all, faults(inner)...)
		}
		return all
	case interface{ Unwrap() error }:
		return faults(e.Unwrap())
	}
	return nil
}

// inputArguments are the arguments whose members errors name without them.
var inputArguments = map[string]bool{"scope": true, "input": true}

// argumentPath returns where in the arguments a value could not be read, as other
// errors name it: segmentId, range.start. The path begins with the field's own.
func argumentPath(err error) string {
	var located *gqlerror.Error
	if !errors.As(err, &located) || len(located.Path) == 0 {
		return ""
	}
	path := located.Path
	for i, element := range path[:len(path)-1] {
		if name, ok := element.(ast.PathName); ok && inputArguments[string(name)] {
			return path[i+1:].String()
		}
	}
	return path[len(path)-1:].String()
}

func (p presenter) fields(shown *gqlerror.Error, fields []*analytics.FieldError) {
	messages, list := []string{}, []map[string]any{}
	for _, f := range fields {
		messages = append(messages, f.Error())
		list = append(list, map[string]any{"field": f.Field, "message": f.Message})
	}
	shown.Message = strings.Join(messages, "; ")
	shown.Extensions["code"], shown.Extensions["field"] = fault.InvalidInput, fields[0].Field
	if len(fields) > 1 {
		shown.Extensions["errors"] = list
	}
}

// fieldErrors collects the input errors of a report, which may be joined.
func fieldErrors(err error, into *[]*analytics.FieldError) bool {
	switch e := err.(type) {
	case *analytics.FieldError:
		*into = append(*into, e)
	case interface{ Unwrap() []error }:
		for _, inner := range e.Unwrap() {
			fieldErrors(inner, into)
		}
	case interface{ Unwrap() error }:
		fieldErrors(e.Unwrap(), into)
	}
	return len(*into) > 0
}

// unavailable answers for a store that can't: an operation that asks for reports
// gets the code that report clients know (interface.md §7), whichever of its
// fields failed first.
func (p presenter) unavailable(ctx context.Context, shown *gqlerror.Error, err error) {
	p.log(ctx, slog.LevelWarn, "the store cannot answer", shown, err)
	shown.Message, shown.Extensions["code"] = "the server cannot reach its database now; try again", fault.Unavailable
	if graphql.HasOperationContext(ctx) && noteFor(graphql.GetOperationContext(ctx)).asksForReports {
		shown.Message, shown.Extensions["code"] = "product analytics cannot answer now; try again", fault.ReportsDown
	}
}

// unavailable tells whether an error means "try again", not "this is wrong".
func unavailable(err error) bool {
	return errors.Is(err, analytics.ErrUnavailable) || pgerr.IsTransient(err)
}

// lacking says what the server's system has no more of, or nothing.
func lacking(err error) string {
	switch {
	case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE):
		return "the server has as many files and connections open as it may"
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return "the server has no room left on its disk"
	}
	return ""
}
