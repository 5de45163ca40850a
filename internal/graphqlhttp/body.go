package graphqlhttp

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"

	"github.com/99designs/gqlgen/graphql"

	"github.com/svc-dev/svc/internal/fault"
)

// Bounds on JSON bodies.
const (
	// maxAnonymousBody is enough for everything that those who did not sign in may
	// do, and for the largest document.
	maxAnonymousBody = 256 << 10
	// maxBody is the largest body: a manifest of 4 MiB with escapes, and room.
	maxBody = 16 << 20
	// maxBodyValues bounds the values in a body: each takes about 100 bytes decoded,
	// even one that is written with two characters.
	maxBodyValues = 500_000
)

// readJSON reads the body of a POST. Its length is checked before it is read.
func (s *Server) readJSON(w http.ResponseWriter, r *http.Request) (*graphql.RawParams, error) {
	limit, hint := int64(maxBody), ""
	if _, err := s.caller(r.Context()); err != nil {
		limit, hint = maxAnonymousBody, "; sign in to send more"
	}
	tooLarge := fault.New(fault.PayloadTooLarge, "the body has more than %d bytes%s", limit, hint)
	if r.ContentLength > limit {
		return nil, tooLarge
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, limit))
	var exceeded *http.MaxBytesError
	switch {
	case errors.As(err, &exceeded):
		return nil, tooLarge
	case err != nil:
		return nil, fault.New(fault.InvalidRequest, "the body ended early or came too slowly")
	}
	params := &graphql.RawParams{Headers: r.Header}
	return params, decodeParams(body, params)
}

// decodeParams reads the parameters of one operation.
func decodeParams(body []byte, params *graphql.RawParams) error {
	body = bytes.TrimSpace(body)
	if len(body) > 0 && body[0] == '[' {
		return fault.New(fault.InvalidRequest, "the body is a list: send one operation a request")
	}
	if countValues(body) > maxBodyValues {
		return fault.New(fault.PayloadTooLarge, "the body has more than %d values", maxBodyValues)
	}
	return decode("", body, params)
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
	var mistyped *json.UnmarshalTypeError
	if errors.As(err, &mistyped) {
		if mistyped.Field != "" {
			field = mistyped.Field
		}
		return &fault.Error{Code: fault.InvalidRequest, Field: field, Message: "must not be a JSON " + mistyped.Value}
	}
	return &fault.Error{Code: fault.InvalidJSON, Field: field, Message: "not valid JSON"}
}

// countValues is how many values JSON text has, at least: one for every comma and
// every opening bracket outside of strings.
func countValues(text []byte) int {
	count, quoted := 1, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case !quoted && (c == ',' || c == '[' || c == '{'):
			count++
		}
	}
	return count
}
