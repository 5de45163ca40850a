package graphqlhttp

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"github.com/svc-dev/svc/internal/fault"
)

// writeTime is how long a client may take to receive an answer.
const writeTime = time.Minute

// statuses of requests that are refused, by the code of the first error. Others
// are 200, as GraphQL clients expect of application/json.
var statuses = map[fault.Code]int{
	fault.InvalidJSON:           http.StatusBadRequest,
	fault.InvalidRequest:        http.StatusBadRequest,
	fault.PersistedHashMismatch: http.StatusBadRequest,
	fault.PayloadTooLarge:       http.StatusRequestEntityTooLarge,
	fault.DocumentTooLarge:      http.StatusRequestEntityTooLarge,
	fault.UnsupportedMedia:      http.StatusUnsupportedMediaType,
	fault.MethodNotAllowed:      http.StatusMethodNotAllowed,
	fault.ParseFailed:           http.StatusUnprocessableEntity,
	fault.ValidationFailed:      http.StatusUnprocessableEntity,
	fault.Unauthenticated:       http.StatusUnauthorized,
	fault.RateLimited:           http.StatusTooManyRequests,
	fault.Unavailable:           http.StatusServiceUnavailable,
	fault.ReportsDown:           http.StatusServiceUnavailable,
	fault.Internal:              http.StatusInternalServerError,
}

// statusOfAnswer returns 503 when the store could not answer one of the fields, so
// that balancers and clients know without reading the errors.
func statusOfAnswer(response *graphql.Response) int {
	for _, err := range response.Errors {
		switch codeOf(err) {
		case fault.Unavailable, fault.ReportsDown:
			return http.StatusServiceUnavailable
		}
	}
	return http.StatusOK
}

func codeOf(err *gqlerror.Error) fault.Code {
	return fault.Code(fmt.Sprint(err.Extensions["code"]))
}

// refuse answers a request whose operation is not executed.
func (s *Server) refuse(w http.ResponseWriter, r *http.Request, err error) {
	var errs gqlerror.List
	if !errors.As(err, &errs) {
		errs = asList(err)
	}
	response := s.DispatchError(r.Context(), errs)
	status, known := statuses[codeOf(response.Errors[0])]
	switch {
	case !known:
		status = http.StatusOK
	case status == http.StatusUnprocessableEntity && accepts(r, responseJSON):
		status = http.StatusBadRequest // https://graphql.github.io/graphql-over-http/draft
	}
	s.write(w, r, status, response)
}

// fail answers with one error that has been presented.
func (s *Server) fail(w http.ResponseWriter, r *http.Request, status int, err error) {
	var shown *gqlerror.Error
	if !errors.As(err, &shown) {
		shown = gqlerror.Errorf("internal error")
	}
	s.write(w, r, status, &graphql.Response{Errors: gqlerror.List{shown}})
}

const responseJSON = "application/graphql-response+json"

// accepts tells whether the client names the media type.
func accepts(r *http.Request, mediaType string) bool {
	return strings.Contains(r.Header.Get("Accept"), mediaType)
}

func (s *Server) write(w http.ResponseWriter, r *http.Request, status int, response *graphql.Response) {
	body, err := json.Marshal(response)
	if err != nil {
		panic(fmt.Errorf("encode the answer: %w", err))
	}
	header := w.Header()
	header.Set("Content-Type", "application/json")
	if accepts(r, responseJSON) {
		header.Set("Content-Type", responseJSON)
	}
	header.Set("Content-Length", strconv.Itoa(len(body)))
	if status == http.StatusServiceUnavailable {
		header.Set("Retry-After", "2")
	}
	// Recorders of tests have no deadline; net/http takes it back with the request.
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(writeTime))
	w.WriteHeader(status)
	_, _ = w.Write(body) // the client may have left
}
