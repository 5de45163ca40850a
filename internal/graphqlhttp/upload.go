package graphqlhttp

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/99designs/gqlgen/graphql"

	"github.com/svc-dev/svc/internal/bodylimit"
	"github.com/svc-dev/svc/internal/fault"
)

// upload answers a request with a file (GraphQL multipart request specification): the
// form fields "operations", as the body of a POST, then "map", which says where in the
// variables the file belongs, then the file.
//
// The field that takes the file reads it from the connection, so that nothing of it is
// kept, and no descriptor opened, before that field has asked who may send it.
func (s *Server) upload(w http.ResponseWriter, r *http.Request, hold *bodylimit.Hold) {
	if _, err := s.caller(r.Context()); err != nil {
		s.refuse(w, r, err)
		return
	}
	limit := s.maxUpload + formBytes
	if r.ContentLength > limit {
		s.refuse(w, r, fault.New(fault.PayloadTooLarge, "the body has more than %d bytes", limit))
		return
	}
	response, err := s.executeForm(w, r, hold, limit)
	// A client that is still sending would not see an answer that comes before the end.
	_, _ = io.Copy(io.Discard, r.Body)
	if err != nil {
		s.refuse(w, r, err)
		return
	}
	s.write(w, r, statusOfAnswer(response), response)
}

// executeForm executes the operation of a form. The error is why it is not executed, or
// what is wrong with the file that it read.
func (s *Server) executeForm(
	w http.ResponseWriter, r *http.Request, hold *bodylimit.Hold, limit int64,
) (*graphql.Response, error) {
	// The texts, what they are decoded to, and the headers of the parts.
	if err := hold.Resize(4 * formBytes); err != nil {
		return nil, bodyFault(err)
	}
	form, err := openForm(w, r, limit)
	if err != nil {
		return nil, err
	}
	operations, err := form.text("operations", formBytes)
	if err != nil {
		return nil, err
	}
	params := &graphql.RawParams{Headers: r.Header}
	if err := decodeParams(r.Context(), operations, hold, params); err != nil {
		return nil, err
	}
	name, path, err := form.place()
	if err != nil {
		return nil, err
	}
	file, err := form.next()
	if err != nil {
		return nil, err
	}
	if file.FormName() != name {
		return nil, wrongMap("names a file that the form does not have")
	}
	placed := place(map[string]any{"variables": params.Variables}, path, graphql.Upload{
		File: &formFile{form, file}, Filename: file.FileName(), ContentType: file.Header.Get("Content-Type"),
	})
	if !placed {
		return nil, wrongMap("names a place that the variables do not have")
	}
	ctx := bodylimit.WithHold(context.WithValue(r.Context(), uploadKey{}, true), hold)
	response, err := s.operate(r.WithContext(ctx), params)
	if err == nil && form.fault != nil {
		return nil, form.fault
	}
	return response, err
}

// place reads the form's map: the name of its file and the path where that belongs, such
// as variables.file or variables.files.0.
func (f *form) place() (name string, path []string, err error) {
	text, err := f.text("map", maxMapBytes)
	if err != nil {
		return "", nil, err
	}
	var places map[string][]string
	if json.Unmarshal(text, &places) != nil {
		return "", nil, wrongMap("must be a JSON object of lists of paths")
	}
	for name, paths := range places {
		if len(places) == 1 && len(paths) == 1 {
			return name, strings.Split(paths[0], "."), nil
		}
	}
	return "", nil, wrongMap("must have one file with one path; send each file in a request of its own")
}

func wrongMap(message string) error {
	return &fault.Error{Code: fault.InvalidRequest, Field: "map", Message: message}
}

// place sets what is at the path, which must exist, and tells whether it does.
func place(within any, path []string, upload graphql.Upload) bool {
	switch within := within.(type) {
	case map[string]any:
		inner, exists := within[path[0]]
		if !exists {
			return false
		}
		if len(path) > 1 {
			return place(inner, path[1:], upload)
		}
		within[path[0]] = upload
		return true
	case []any:
		i, err := strconv.Atoi(path[0])
		if err != nil || i < 0 || i >= len(within) {
			return false
		}
		if len(path) > 1 {
			return place(within[i], path[1:], upload)
		}
		within[i] = upload
		return true
	}
	return false
}

type uploadKey struct{}

// IsUpload tells whether ctx is that of an operation which reads a file from the
// connection, and so waits for its client.
func IsUpload(ctx context.Context) bool { return ctx.Value(uploadKey{}) != nil }
