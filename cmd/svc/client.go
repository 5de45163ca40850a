package main

import (
	"bytes"
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/formatter"
	"github.com/vektah/gqlparser/v2/parser"
)

// The client prints the data of a GraphQL field as it is, so it keeps answers as
// JSON: decoding them into generated types and encoding them again could only
// lose order and precision. A test checks every document against the schema.
//
//go:embed documents/*.graphql
var documentFiles embed.FS

// documents are all operations of the client, with their fragments.
var documents = joinDocuments()

func joinDocuments() string {
	files, err := documentFiles.ReadDir("documents")
	if err != nil {
		panic(err) // the directory is in the binary
	}
	var all strings.Builder
	for _, file := range files {
		text, err := documentFiles.ReadFile("documents/" + file.Name())
		if err != nil {
			panic(err)
		}
		all.Write(text)
		all.WriteByte('\n')
	}
	return all.String()
}

// document returns one operation with the fragments that it needs.
func document(name string) (string, error) {
	all, err := parser.ParseQuery(&ast.Source{Name: "documents", Input: documents})
	if err != nil {
		return "", err
	}
	operation := all.Operations.ForName(name)
	if operation == nil {
		return "", fmt.Errorf("there is no document %s", name)
	}
	selected := &ast.QueryDocument{Operations: ast.OperationList{operation}}
	addFragments(selected, all.Fragments, operation.SelectionSet)
	var text strings.Builder
	formatter.NewFormatter(&text, formatter.WithIndent("")).FormatQueryDocument(selected)
	return text.String(), nil
}

func addFragments(to *ast.QueryDocument, from ast.FragmentDefinitionList, set ast.SelectionSet) {
	for _, selection := range set {
		switch s := selection.(type) {
		case *ast.Field:
			addFragments(to, from, s.SelectionSet)
		case *ast.FragmentSpread:
			fragment := from.ForName(s.Name)
			if !slices.Contains(to.Fragments, fragment) {
				to.Fragments = append(to.Fragments, fragment)
				addFragments(to, from, fragment.SelectionSet)
			}
		}
	}
}

// api is the GraphQL endpoint of a server.
type api struct {
	connection
	http      *http.Client
	maxAnswer int64 // bytes
}

// maxAnswer is more than the server answers to any request: 15 drafts of 4 MiB are the most. Who answers more is none.
const maxAnswer = 256 << 20

func newAPI(c connection) api {
	stay := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return api{c, &http.Client{Timeout: 60 * time.Second, CheckRedirect: stay}, maxAnswer}
}

// graphQLError is one entry of an answer's errors.
type graphQLError struct {
	Message    string         `json:"message"`
	Path       []any          `json:"path,omitempty"`
	Extensions map[string]any `json:"extensions,omitempty"`
}

// query runs a named document and returns the data of the field at path.
func (a api) query(
	ctx context.Context, name string, variables map[string]any, path ...string,
) (json.RawMessage, error) {
	text, err := document(name)
	if err != nil {
		return nil, err
	}
	body, err := json.Marshal(map[string]any{"query": text, "operationName": name, "variables": variables})
	if err != nil {
		return nil, err
	}
	return a.ask(ctx, bytes.NewReader(body), "application/json", path...)
}

// ask sends an operation and returns the data of the field at path.
func (a api) ask(ctx context.Context, body io.Reader, contentType string, path ...string) (json.RawMessage, error) {
	if a.key == "" {
		return nil, noKey()
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, a.url+"/graphql", body)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", contentType)
	status, content, err := a.send(request)
	if err != nil {
		return nil, err
	}
	var answer struct {
		Data   json.RawMessage `json:"data"`
		Errors []graphQLError  `json:"errors"`
		// What refuses before there is GraphQL says why like this.
		Code    string `json:"code"`
		Message string `json:"message"`
	}
	if err := json.Unmarshal(content, &answer); err != nil || answer.Data == nil && len(answer.Errors) == 0 {
		message := fmt.Sprintf("%s/graphql answered %d %s", a.url, status, http.StatusText(status))
		if answer.Message != "" {
			message += ": " + answer.Message
		}
		return nil, statusFailure(status, firstOf(answer.Code, "error"), message)
	}
	if len(answer.Errors) > 0 {
		return nil, answerFailure(status, answer.Errors)
	}
	return descend(answer.Data, path)
}

// send sends a request with the key, and returns the status and the body of the answer. It follows no redirect: the key
// would go along to any port of the same name, also without TLS.
func (a api) send(request *http.Request) (int, []byte, error) {
	request.Header.Set("Authorization", "Bearer "+a.key)
	request.Header.Set("User-Agent", "svc/"+buildVersion())
	response, err := a.http.Do(request)
	if err != nil {
		return 0, nil, &failure{
			exit: exitRetryable, code: "unreachable", message: fmt.Sprintf("%s does not answer: %s", a.url, err), cause: err,
		}
	}
	defer response.Body.Close()
	if to, err := response.Location(); err == nil && response.StatusCode/100 == 3 {
		return 0, nil, &failure{
			exit: exitUsage, code: "redirected", message: fmt.Sprintf("%s redirects to %s: give the address that it has now",
				a.url, to.Redacted()),
		}
	}
	content, err := io.ReadAll(io.LimitReader(response.Body, a.maxAnswer+1))
	if int64(len(content)) > a.maxAnswer {
		return 0, nil, a.tooLong()
	}
	if err != nil {
		return 0, nil, &failure{
			exit: exitRetryable, code: "unreachable", message: fmt.Sprintf("the answer of %s broke off: %s", a.url, err),
			cause: err,
		}
	}
	return response.StatusCode, content, nil
}

// tooLong refuses what would fill the memory.
func (a api) tooLong() error {
	return &failure{
		exit: exitError, code: "answer_too_long", message: a.url + " answers more than a Svc server does: check the address",
	}
}

func noKey() error {
	return &failure{
		exit: exitAuth, code: "no_api_key",
		message: "no API key: give --api-key, SVC_API_KEY, or store one with svc auth login",
	}
}

// descend walks into nested objects.
func descend(data json.RawMessage, path []string) (json.RawMessage, error) {
	for _, name := range path {
		var object map[string]json.RawMessage
		if err := json.Unmarshal(data, &object); err != nil {
			return nil, fmt.Errorf("read answer at %s: %w", name, err)
		}
		data = object[name]
	}
	return data, nil
}

func statusFailure(status int, code, message string) error {
	f := &failure{exit: exitError, code: code, message: message}
	switch {
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		f.exit, f.code = exitAuth, "unauthenticated"
	case status == http.StatusRequestTimeout || status == http.StatusTooManyRequests || status >= 500:
		f.exit, f.code = exitRetryable, "unavailable"
	}
	return f
}

// answerFailure chooses the exit code by the first error's code, which is the
// contract; all errors are printed.
func answerFailure(status int, errs []graphQLError) error {
	code, _ := errs[0].Extensions["code"].(string)
	f := &failure{exit: exitError, code: firstOf(code, "error"), message: errs[0].Message, details: errs}
	switch {
	case code == "unauthenticated" || code == "forbidden":
		f.exit = exitAuth
	case code == "conflict":
		f.exit = exitConflict
	case code == "product_analytics_unavailable" || code == "rate_limited" || status >= 500:
		f.exit = exitRetryable
	case code == "invalid_input" || code == "GRAPHQL_VALIDATION_FAILED":
		f.exit = exitUsage
	}
	return f
}
