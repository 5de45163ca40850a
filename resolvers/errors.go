package resolvers

import (
	"context"
	"errors"
	"log/slog"
	"strings"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/internal/fault"
	"github.com/svc-dev/svc/internal/httpserver"
	"github.com/svc-dev/svc/internal/pgerr"
)

// presenter turns errors into what clients see: extensions.code is the contract.
// An error that is not meant for clients becomes internal with the request's id;
// its details are logged here, once.
type presenter struct{ logger *slog.Logger }

func (p presenter) present(ctx context.Context, err error) *gqlerror.Error {
	shown := graphql.DefaultErrorPresenter(ctx, err)
	if _, coded := shown.Extensions["code"]; coded { // of the parser, the validator, the cost limit
		return shown
	}
	shown = &gqlerror.Error{Path: shown.Path, Locations: shown.Locations, Extensions: map[string]any{}}
	var known *fault.Error
	var fields []*analytics.FieldError
	switch {
	case errors.As(err, &known):
		p.fault(shown, known, err)
	case fieldErrors(err, &fields):
		p.fields(shown, fields)
	case unavailable(err):
		p.unavailable(ctx, shown, err)
	default:
		id := httpserver.RequestID(ctx)
		p.logger.ErrorContext(ctx, "a GraphQL field failed", "request", id, "path", shown.Path.String(), "error", err)
		shown.Message = "internal error"
		shown.Extensions["code"] = fault.Internal
		if id != "" {
			shown.Extensions["requestId"] = id
		}
	}
	return shown
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

// faults are the faults of a joined error.
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

// argumentPath is where in the arguments a value could not be read, as other
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
	p.logger.WarnContext(ctx, "the store cannot answer", "request", httpserver.RequestID(ctx), "path", shown.Path.String(), "error", err)
	shown.Message, shown.Extensions["code"] = "the server cannot reach its database now; try again", fault.Unavailable
	if graphql.HasOperationContext(ctx) && asksForReports(graphql.GetOperationContext(ctx).Operation) {
		shown.Message, shown.Extensions["code"] = "product analytics cannot answer now; try again", fault.ReportsDown
	}
	if o := outcomeOf(ctx); o != nil {
		o.unavailable.Store(true)
	}
}

// reportRoots are the fields under which reports stand.
var reportRoots = map[string]bool{"productAnalytics": true, "live": true, "ingestHealth": true, "recentEvents": true}

func asksForReports(operation *ast.OperationDefinition) bool {
	return operation != nil && selects(operation.SelectionSet, reportRoots)
}

func selects(set ast.SelectionSet, names map[string]bool) bool {
	for _, selection := range set {
		switch s := selection.(type) {
		case *ast.Field:
			if names[s.Name] || selects(s.SelectionSet, names) {
				return true
			}
		case *ast.InlineFragment:
			if selects(s.SelectionSet, names) {
				return true
			}
		case *ast.FragmentSpread:
			if s.Definition != nil && selects(s.Definition.SelectionSet, names) {
				return true
			}
		}
	}
	return false
}

// unavailable tells whether an error means "try again", not "this is wrong".
func unavailable(err error) bool {
	return errors.Is(err, analytics.ErrUnavailable) || pgerr.IsTransient(err)
}
