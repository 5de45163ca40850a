package graphqlhttp

import (
	"context"
	"crypto/sha256"
	"encoding/hex"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"github.com/svc-dev/svc/internal/fault"
	"github.com/svc-dev/svc/internal/graphqlhttp/document"
)

// hash names a document: the SHA-256 of its text.
type hash [sha256.Size]byte

// prepare turns the parameters of a request into an operation that may be
// executed. A document is kept once everything that can be wrong with it,
// its cost included, has turned out right, and a caller is known.
func (s *Server) prepare(
	ctx context.Context, client string, params *graphql.RawParams,
) (*graphql.OperationContext, gqlerror.List) {
	id, err := s.persisted(params)
	if err != nil {
		return nil, asList(err)
	}
	doc, kept := s.documents.get(id)
	if !kept {
		var errs gqlerror.List
		if doc, errs = s.read(ctx, client, params.Query); errs != nil {
			return nil, errs
		}
	}
	operation, errs := s.CreateOperationContext(context.WithValue(ctx, documentKey{}, doc), params)
	if errs != nil {
		return nil, errs
	}
	if _, err := s.caller(ctx); err == nil && !kept {
		s.documents.add(id, params.Query, doc)
	}
	return operation, nil
}

// persisted returns the hash of the request's document. A request may carry the
// hash only, of a document that is kept (automatic persisted queries, as Apollo's
// clients do); its text is filled in.
func (s *Server) persisted(params *graphql.RawParams) (hash, error) {
	id := hash(sha256.Sum256([]byte(params.Query)))
	extension, given := params.Extensions["persistedQuery"].(map[string]any)
	if !given {
		return id, nil
	}
	text, _ := extension["sha256Hash"].(string)
	var want hash
	if n, err := hex.Decode(want[:], []byte(text)); err != nil || n != len(want) {
		return hash{}, &fault.Error{
			Code: fault.InvalidRequest, Field: "extensions.persistedQuery.sha256Hash", Message: "must be 64 hexadecimal digits",
		}
	}
	if params.Query != "" {
		if id != want {
			return hash{}, fault.New(fault.PersistedHashMismatch, "the hash of the persisted query is not that of the query")
		}
		return id, nil
	}
	query, kept := s.documents.text(want)
	if !kept {
		return hash{}, fault.New(fault.PersistedNotFound, "PersistedQueryNotFound")
	}
	params.Query = query
	return want, nil
}

// read parses and validates a document that is not kept, when the turn of its client comes.
func (s *Server) read(ctx context.Context, client, text string) (*ast.QueryDocument, gqlerror.List) {
	leave, err := takeTurn(ctx, s.reading, client)
	if err != nil {
		return nil, asList(err)
	}
	defer leave()
	return document.Read(s.schema, text)
}

type documentKey struct{}

// preparedDocument is the executor's query cache: it finds the document that
// prepare has put into the context, so that the executor neither parses nor
// keeps any.
type preparedDocument struct{}

func (preparedDocument) Get(ctx context.Context, _ string) (*ast.QueryDocument, bool) {
	doc, found := ctx.Value(documentKey{}).(*ast.QueryDocument)
	return doc, found
}

func (preparedDocument) Add(context.Context, string, *ast.QueryDocument) {}
