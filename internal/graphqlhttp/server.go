// Package graphqlhttp serves GraphQL over HTTP to callers who may be anybody:
// POST and GET, server-sent events for subscriptions, multipart uploads, and
// automatic persisted queries. It bounds what a request may take before the work
// begins, and answers every request that it refuses with a code of
// internal/fault. Nothing of a body reaches a log.
//
// It takes the place of gqlgen's handler and transports, which read bodies of any
// size and repeat broken ones in errors and in the log, and of its caches, which
// count documents instead of bytes. It knows no field of the schema.
package graphqlhttp

import (
	"context"
	"mime"
	"net/http"
	"runtime"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/executor"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"github.com/svc-dev/svc/internal/bodylimit"
	"github.com/svc-dev/svc/internal/fault"
	"github.com/svc-dev/svc/internal/turns"
)

// Config says what a server serves.
type Config struct {
	Schema graphql.ExecutableSchema
	// Caller names who makes the request, such as by an id; it fails for those who
	// did not sign in. Only callers with a name send large bodies, files and
	// subscriptions, and only their documents are kept.
	Caller func(context.Context) (string, error)
	// Maker names who made the caller, such as the person of a key.
	Maker func(context.Context) string
	// Bodies is the memory for request bodies; nil has no bounds. Client names whose
	// share of it a request takes.
	Bodies *bodylimit.Budget
	Client func(*http.Request) string
	// MaxUpload bounds a file of a multipart request, in bytes.
	MaxUpload int64
}

// Server is an http.Handler. The executor's extensions, interceptors and error
// presenter are set on it before it serves.
type Server struct {
	*executor.Executor
	schema    *ast.Schema
	caller    func(context.Context) (string, error)
	maker     func(context.Context) string
	bodies    *bodylimit.Budget
	client    func(*http.Request) string
	maxUpload int64
	documents *documents
	// reading bounds how many documents are parsed and validated at once, turn by turn
	// of clients: more than there are processors would only make all of them wait.
	reading *turns.Turns[string]
	// working bounds how many queries and mutations are executed at once.
	working *turns.Turns[string]
	streams *streams
}

// maxOperations bounds the queries and mutations that the server works on at once, and
// maxOperationsEach those of one client; the others wait in line, turn by turn. More than a
// page of a dashboard asks at once would only take connections of the database from others.
const (
	maxOperations     = 512
	maxOperationsEach = 8
)

// New makes a server.
func New(config Config) *Server {
	s := &Server{
		Executor:  executor.New(config.Schema),
		schema:    config.Schema.Schema(),
		caller:    config.Caller,
		maker:     config.Maker,
		bodies:    config.Bodies,
		client:    config.Client,
		maxUpload: config.MaxUpload,
		documents: newDocuments(maxDocumentBytes),
		reading:   turns.New[string](runtime.GOMAXPROCS(0), runtime.GOMAXPROCS(0)),
		working:   turns.New[string](maxOperations, maxOperationsEach),
		streams:   &streams{of: map[string]int{}, by: map[string]int{}},
	}
	s.SetQueryCache(preparedDocument{})
	return s
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	defer func() {
		if reason := recover(); reason != nil {
			s.fail(w, r, http.StatusInternalServerError, s.PresentRecoveredError(r.Context(), reason))
		}
	}()
	r = r.WithContext(graphql.StartOperationTrace(r.Context())) // gqlgen wants the time
	switch r.Method {
	case http.MethodGet:
		s.get(w, r)
	case http.MethodPost:
		s.post(w, r)
	case http.MethodOptions:
		w.Header().Set("Allow", allowedMethods)
	default:
		w.Header().Set("Allow", allowedMethods)
		s.refuse(w, r, fault.New(fault.MethodNotAllowed, "use POST, or GET for queries"))
	}
}

const allowedMethods = "OPTIONS, GET, POST"

func (s *Server) get(w http.ResponseWriter, r *http.Request) {
	params, err := paramsOfURL(r)
	if err != nil {
		s.refuse(w, r, err)
		return
	}
	s.execute(w, r, params)
}

func (s *Server) post(w http.ResponseWriter, r *http.Request) {
	hold := s.bodies.Hold(s.client(r))
	defer hold.Release()
	var params *graphql.RawParams
	var err error
	switch kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); kind {
	case "application/json":
		params, err = s.readJSON(r, &hold)
	case "multipart/form-data":
		s.upload(w, r, &hold)
		return
	default:
		err = fault.New(fault.UnsupportedMedia, "send application/json, or multipart/form-data with a file")
	}
	switch {
	case err != nil:
		s.refuse(w, r, err)
	case accepts(r, eventStream):
		s.stream(w, r, params)
	default:
		s.execute(w, r, params)
	}
}

// execute answers a query or a mutation.
func (s *Server) execute(w http.ResponseWriter, r *http.Request, params *graphql.RawParams) {
	response, err := s.operateInTurn(r, params)
	if err != nil {
		s.refuse(w, r, err)
		return
	}
	s.write(w, r, statusOfAnswer(response), response)
}

// operateInTurn executes a query or a mutation when the turn of its client comes.
func (s *Server) operateInTurn(r *http.Request, params *graphql.RawParams) (*graphql.Response, error) {
	leave, err := takeTurn(r.Context(), s.working, s.client(r))
	if err != nil {
		return nil, err
	}
	defer leave()
	return s.operate(r, params)
}

// operate executes a query or a mutation. The error is why it is not executed.
func (s *Server) operate(r *http.Request, params *graphql.RawParams) (*graphql.Response, error) {
	ctx := r.Context()
	operation, errs := s.prepare(ctx, s.client(r), params)
	if errs == nil {
		errs = allowed(r.Method, operation.Operation.Operation)
	}
	if errs != nil {
		return nil, errs
	}
	return s.dispatch(ctx, operation)
}

// dispatch executes a prepared operation. The executor has no response for who left meanwhile.
func (s *Server) dispatch(ctx context.Context, operation *graphql.OperationContext) (*graphql.Response, error) {
	responses, ctx := s.DispatchOperation(ctx, operation)
	if response := responses(ctx); response != nil {
		return response, nil
	}
	return nil, fault.New(fault.InvalidRequest, "the client left before the answer to its request")
}

// takeTurn waits for a place for a client and returns what gives it back.
func takeTurn(ctx context.Context, places *turns.Turns[string], client string) (leave func(), err error) {
	leave, err = places.Take(ctx, client)
	if err != nil {
		return nil, fault.Wrap(err, fault.InvalidRequest, "the client left before the turn of its request")
	}
	return leave, nil
}

// allowed refuses what can't be answered by one response to the method.
func allowed(method string, operation ast.Operation) gqlerror.List {
	switch {
	case operation == ast.Subscription:
		return asList(fault.New(fault.InvalidRequest, "a subscription is answered by POST with Accept: text/event-stream"))
	case operation == ast.Mutation && method == http.MethodGet:
		return asList(fault.New(fault.MethodNotAllowed, "GET answers queries only; use POST"))
	}
	return nil
}

func asList(err error) gqlerror.List {
	return gqlerror.List{{Err: err, Message: err.Error()}}
}
