package mcpserver

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/svc-dev/svc/internal/fault"
)

// asker sends operations to the GraphQL handler as the caller of a request.
type asker struct {
	handler http.Handler
	from    *http.Request
}

// ask runs an operation and decodes its data into data; numbers of untyped values keep their digits. The first error of
// an answer is returned as a *fault.Error, also when there is data beside it.
func (a asker) ask(document string, variables map[string]any, data any) error {
	refusals, err := a.askPartly(document, variables, data)
	if err == nil && len(refusals) > 0 {
		return refusals[0]
	}
	return err
}

// askPartly is ask for who goes on with the fields that could be answered; it returns why others could not.
func (a asker) askPartly(document string, variables map[string]any, data any) ([]*fault.Error, error) {
	answer, err := a.send(document, variables)
	if err != nil {
		return nil, err
	}
	refusals := make([]*fault.Error, len(answer.Errors))
	for i, refused := range answer.Errors {
		refusals[i] = refused.fault()
	}
	if len(answer.Data) == 0 {
		return refusals, nil
	}
	decoder := json.NewDecoder(bytes.NewReader(answer.Data))
	decoder.UseNumber()
	if err := decoder.Decode(data); err != nil {
		return nil, fmt.Errorf("read the data of GraphQL: %w", err)
	}
	return refusals, nil
}

type graphQLAnswer struct {
	Data   json.RawMessage `json:"data"`
	Errors []graphQLError  `json:"errors"`
}

func (a asker) send(document string, variables map[string]any) (answer graphQLAnswer, err error) {
	body, err := json.Marshal(map[string]any{"query": document, "variables": variables})
	if err != nil {
		return answer, fmt.Errorf("encode the operation: %w", err)
	}
	request, err := http.NewRequestWithContext(a.from.Context(), http.MethodPost, "/graphql", bytes.NewReader(body))
	if err != nil {
		return answer, fmt.Errorf("make the request: %w", err)
	}
	request.RemoteAddr, request.Host = a.from.RemoteAddr, a.from.Host
	for _, name := range []string{"Authorization", "X-Forwarded-For", "User-Agent"} {
		request.Header[name] = a.from.Header[name]
	}
	request.Header.Set("Content-Type", "application/json")
	response := &response{header: http.Header{}}
	a.handler.ServeHTTP(response, request)
	if err := json.Unmarshal(response.body.Bytes(), &answer); err != nil {
		return answer, fmt.Errorf("read the answer of GraphQL with status %d: %w", response.status, err)
	}
	return answer, nil
}

// graphQLError is one entry of an answer's errors.
type graphQLError struct {
	Message    string `json:"message"`
	Path       []any  `json:"path"`
	Extensions struct {
		Code  fault.Code `json:"code"`
		Field string     `json:"field"`
	} `json:"extensions"`
}

// fault names the field as the caller of a tool knows it: what the variables of operations hold is called as the
// arguments of tools are.
func (e graphQLError) fault() *fault.Error {
	field := strings.TrimPrefix(e.Extensions.Field, "input.")
	if field == "" && len(e.Path) > 1 && e.Path[0] == "variable" {
		names := make([]string, len(e.Path)-1)
		for i, name := range e.Path[1:] {
			names[i] = fmt.Sprint(name)
		}
		field = strings.Join(names, ".")
	}
	return &fault.Error{Code: e.Extensions.Code, Field: field, Message: strings.TrimPrefix(e.Message, field+": ")}
}

// response keeps an answer in memory.
type response struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (r *response) Header() http.Header               { return r.header }
func (r *response) WriteHeader(status int)            { r.status = status }
func (r *response) Write(content []byte) (int, error) { return r.body.Write(content) }
