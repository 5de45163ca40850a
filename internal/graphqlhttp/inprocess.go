package graphqlhttp

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/99designs/gqlgen/graphql"
)

// Answer executes a query of the program's own as the caller of ctx, with the bounds that queries over HTTP have but
// for the turn of its client: who asks inside of an operation has one, and would wait for itself. The error says why
// the query was not executed.
func (s *Server) Answer(ctx context.Context, query string, variables map[string]any) (*graphql.Response, error) {
	// Variables have the types that a request's body gives them.
	encoded, err := json.Marshal(variables)
	if err != nil {
		return nil, fmt.Errorf("encode the variables of a query: %w", err)
	}
	params := &graphql.RawParams{Query: query, Headers: http.Header{}}
	decoder := json.NewDecoder(bytes.NewReader(encoded))
	decoder.UseNumber()
	if err := decoder.Decode(&params.Variables); err != nil {
		return nil, fmt.Errorf("encode the variables of a query: %w", err)
	}
	ctx = graphql.StartOperationTrace(ctx)
	operation, errs := s.prepare(ctx, "this program", params)
	if errs == nil {
		errs = allowed(http.MethodGet, operation.Operation.Operation)
	}
	if errs != nil {
		return nil, errs
	}
	return s.dispatch(ctx, operation)
}
