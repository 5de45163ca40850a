package graphqlhttp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"

	"github.com/99designs/gqlgen/graphql"

	"github.com/svc-dev/svc/internal/bodylimit"
	"github.com/svc-dev/svc/internal/fault"
	"github.com/svc-dev/svc/internal/graphqlhttp/document"
)

// Bounds on JSON bodies.
const (
	// maxAnonymousBody is enough for everything that those who did not sign in may
	// do, and for the largest document.
	maxAnonymousBody = 256 << 10
	// maxBody is the largest body: a manifest of 4 MiB with escapes, and room.
	maxBody = 16 << 20
	// maxStreamBody is the largest body of a stream, whose variables last as long.
	maxStreamBody = 64 << 10
	// maxBodyValues bounds the values in a body, which take memory however few
	// characters they are written with.
	maxBodyValues = 500_000
	// freeBytes is what a request takes beside the memory for bodies: the many small
	// ones never wait for the large ones.
	freeBytes = 16 << 10
)

// readJSON reads the body of a POST. What the caller may send is decided before
// a byte of it is read.
func (s *Server) readJSON(r *http.Request, hold *bodylimit.Hold) (*graphql.RawParams, error) {
	limit, hint := int64(maxBody), ""
	if _, err := s.caller(r.Context()); err != nil {
		limit, hint = maxAnonymousBody, "; sign in to send more"
	} else if accepts(r, eventStream) {
		limit = maxStreamBody
	}
	body, err := hold.ReadBody(r, limit, bodylimit.Plain)
	switch {
	case errors.Is(err, bodylimit.ErrTooLarge):
		return nil, fault.New(fault.PayloadTooLarge, "the body has more than %d bytes%s", limit, hint)
	case err != nil:
		return nil, bodyFault(err)
	}
	params := &graphql.RawParams{Headers: r.Header}
	return params, decodeParams(r.Context(), body, hold, params)
}

// bodyFault says what went wrong with a body, and nothing of the body.
func bodyFault(err error) error {
	switch {
	case errors.Is(err, bodylimit.ErrTooSlow):
		return fault.New(fault.InvalidRequest, "the body did not arrive in time")
	case errors.Is(err, bodylimit.ErrFull):
		return fault.Wrap(err, fault.Unavailable, "the server is reading as much as it can; try again")
	}
	return fault.New(fault.InvalidRequest, "the body is not complete")
}

// decodeParams reads the parameters of one operation.
func decodeParams(ctx context.Context, body []byte, hold *bodylimit.Hold, params *graphql.RawParams) error {
	body = bytes.TrimSpace(body)
	if len(body) > 0 && body[0] == '[' {
		return fault.New(fault.InvalidRequest, "the body is a list: send one operation a request")
	}
	values := bodylimit.CountValues(body)
	if values > maxBodyValues {
		return fault.New(fault.PayloadTooLarge, "the body has more than %d values", maxBodyValues)
	}
	if size := 2*len(body) + bodylimit.ValueBytes*values; size > freeBytes {
		if err := hold.Resize(int64(size)); err != nil {
			return bodyFault(err)
		}
	}
	if len(body) > bodylimit.Large {
		end, err := hold.Turn(ctx)
		if err != nil {
			return bodyFault(err)
		}
		defer end()
	}
	read := struct {
		Query         *documentText  `json:"query"`
		OperationName *string        `json:"operationName"`
		Variables     map[string]any `json:"variables"`
		Extensions    map[string]any `json:"extensions"`
	}{Query: (*documentText)(&params.Query), OperationName: &params.OperationName}
	err := decode("", body, &read)
	params.Variables, params.Extensions = read.Variables, read.Extensions
	return err
}

// documentText is a text that is not decoded when it is too long to be read.
type documentText string

// UnmarshalJSON implements json.Unmarshaler.
func (d *documentText) UnmarshalJSON(text []byte) error {
	const escaped = 6 // bytes of one, such as \u007b
	if len(text) > escaped*document.MaxBytes {
		return fault.New(
			fault.DocumentTooLarge, "the document has more than %d bytes; send data in variables", document.MaxBytes,
		)
	}
	return json.Unmarshal(text, (*string)(d))
}

// paramsOfURL reads the parameters of a GET.
func paramsOfURL(r *http.Request) (*graphql.RawParams, error) {
	values, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, fault.New(fault.InvalidRequest, "the query of the URL is not well-formed")
	}
	params := &graphql.RawParams{Query: values.Get("query"), OperationName: values.Get("operationName"), Headers: r.Header}
	for name, into := range map[string]*map[string]any{"variables": &params.Variables, "extensions": &params.Extensions} {
		if text := values.Get(name); text != "" {
			if err := decode(name, []byte(text), into); err != nil {
				return nil, err
			}
		}
	}
	return params, nil
}

// decode reads one JSON value and nothing after it. Its errors name the place,
// and never repeat what stands there: it may be a password.
func decode(field string, text []byte, into any) error {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber() // figures and ids keep their digits
	err := decoder.Decode(into)
	if err == nil {
		if _, err = decoder.Token(); errors.Is(err, io.EOF) {
			return nil
		}
	}
	var refused *fault.Error
	if errors.As(err, &refused) {
		return refused
	}
	var mistyped *json.UnmarshalTypeError
	if errors.As(err, &mistyped) {
		if mistyped.Field != "" {
			field = mistyped.Field
		}
		return &fault.Error{Code: fault.InvalidRequest, Field: field, Message: "must not be a JSON " + mistyped.Value}
	}
	return &fault.Error{Code: fault.InvalidJSON, Field: field, Message: "not valid JSON"}
}
