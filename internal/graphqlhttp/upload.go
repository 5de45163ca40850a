package graphqlhttp

import (
	"encoding/json"
	"errors"
	"fmt"
	"mime/multipart"
	"net/http"
	"strconv"
	"strings"

	"github.com/99designs/gqlgen/graphql"

	"github.com/svc-dev/svc/internal/bodylimit"
	"github.com/svc-dev/svc/internal/fault"
)

const (
	// formBytes is room beside the file: the operation, and the form itself.
	formBytes = 1 << 20
	// formMemory is how much of a form is in memory; the rest is in files until the
	// request ends.
	formMemory = 8 << 20
)

// readUpload reads a request with a file (GraphQL multipart request
// specification): the form fields "operations", as the body of a POST, "map",
// which says where in the variables each file belongs, and the files.
func (s *Server) readUpload(w http.ResponseWriter, r *http.Request, hold *bodylimit.Hold) (*graphql.RawParams, error) {
	if _, err := s.caller(r.Context()); err != nil {
		return nil, err
	}
	limit := s.maxUpload + formBytes
	tooLarge := fault.New(fault.PayloadTooLarge, "the body has more than %d bytes", limit)
	if r.ContentLength > limit {
		return nil, tooLarge
	}
	r.Body = http.MaxBytesReader(w, r.Body, limit)
	if err := hold.Resize(formMemory); err != nil {
		return nil, bodyFault(err)
	}
	err := r.ParseMultipartForm(formMemory)
	var exceeded *http.MaxBytesError
	switch {
	case errors.As(err, &exceeded) || errors.Is(err, multipart.ErrMessageTooLarge):
		return nil, tooLarge
	case err != nil:
		return nil, fault.New(fault.InvalidRequest, "the body is not a complete multipart form")
	}
	params := &graphql.RawParams{Headers: r.Header}
	if err := decodeParams(r.Context(), []byte(r.PostForm.Get("operations")), hold, params); err != nil {
		return nil, err
	}
	var places map[string][]string
	if json.Unmarshal([]byte(r.PostForm.Get("map")), &places) != nil {
		return nil, &fault.Error{Code: fault.InvalidRequest, Field: "map", Message: "must be a JSON object of lists of paths"}
	}
	return params, placeFiles(r.MultipartForm, places, params.Variables)
}

// placeFiles puts the files of a form where its map wants them: at paths such as
// variables.file or variables.files.0.
func placeFiles(form *multipart.Form, places map[string][]string, variables map[string]any) error {
	for name, paths := range places {
		if len(form.File[name]) != 1 {
			return &fault.Error{Code: fault.InvalidRequest, Field: "map", Message: "names a file that the form does not have"}
		}
		header := form.File[name][0]
		for _, path := range paths {
			file, err := header.Open()
			if err != nil {
				return fmt.Errorf("open a file of the form: %w", err)
			}
			upload := graphql.Upload{
				File: file, Filename: header.Filename, Size: header.Size, ContentType: header.Header.Get("Content-Type"),
			}
			if !place(map[string]any{"variables": variables}, strings.Split(path, "."), upload) {
				return &fault.Error{
					Code: fault.InvalidRequest, Field: "map", Message: "names a place that the variables do not have",
				}
			}
		}
	}
	return nil
}

// place sets what is at the path, which must exist, and tells whether it does.
func place(within any, path []string, upload graphql.Upload) bool {
	switch within := within.(type) {
	case map[string]any:
		inner, exists := within[path[0]]
		if len(path) > 1 {
			return place(inner, path[1:], upload)
		}
		within[path[0]] = upload
		return exists
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

// removeFiles removes the temporary files of a form.
func removeFiles(r *http.Request) {
	if r.MultipartForm != nil {
		_ = r.MultipartForm.RemoveAll() // what is left is in the system's temporary directory
	}
}
