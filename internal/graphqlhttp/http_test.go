package graphqlhttp

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/stretchr/testify/require"
	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"

	"github.com/svc-dev/svc/internal/bodylimit"
	"github.com/svc-dev/svc/internal/fault"
)

func TestKeptDocumentsAreBoundedInBytes(t *testing.T) {
	t.Parallel()
	const each = 1_000
	d := newDocuments(10 * each * parsedFactor)
	text := func(i int) string { return fmt.Sprintf("%*d", each, i) }
	for i := range 100 {
		d.add(hash{byte(i)}, text(i), &ast.QueryDocument{})
		d.add(hash{byte(i)}, text(i), &ast.QueryDocument{})
		_, kept := d.get(hash{0}) // the one that is used stays
		require.True(t, kept)
		require.LessOrEqual(t, d.bytes, d.max)
		require.LessOrEqual(t, d.kept.Len(), 10)
	}
	kept, found := d.text(hash{99})
	require.True(t, found)
	require.Equal(t, text(99), kept)
	_, found = d.get(hash{50})
	require.False(t, found)
	d.add(hash{200}, strings.Repeat("x", 11*each), &ast.QueryDocument{})
	require.LessOrEqual(t, d.bytes, d.max)
}

func TestBrokenBodiesAreNamedAndNotRepeated(t *testing.T) {
	t.Parallel()
	for body, c := range map[string]struct {
		code  fault.Code
		field string
	}{
		``:        {fault.InvalidJSON, ""},
		`hunter2`: {fault.InvalidJSON, ""},
		`{"query":"{a}","variables":{"p":"hunter2"},}`: {fault.InvalidJSON, ""},
		`{"query":"{a}","variables":{"p":"hunter2"`:    {fault.InvalidJSON, ""},
		`{"query":"{a}"} {"query":"hunter2"}`:          {fault.InvalidJSON, ""},
		` [{"query":"{a}"}]`:                           {fault.InvalidRequest, ""},
		`"hunter2"`:                                    {fault.InvalidRequest, ""},
		`{"query":["hunter2"]}`:                        {fault.InvalidRequest, "query"},
		`{"variables":"hunter2"}`:                      {fault.InvalidRequest, "variables"},
		`{"query":"{a}","variables":{"l":[` + strings.Repeat("0,", maxBodyValues) + `0]}}`: {fault.PayloadTooLarge, ""},
	} {
		err := decodeParams(t.Context(), []byte(body), nil, &graphql.RawParams{})
		var refused *fault.Error
		require.ErrorAs(t, err, &refused, "%.80s", body)
		require.Equal(t, c.code, refused.Code, "%.80s", body)
		require.Equal(t, c.field, refused.Field, "%.80s", body)
		require.NotContains(t, err.Error(), "hunter2")
	}
	params := &graphql.RawParams{}
	require.NoError(
		t,
		decodeParams(
			t.Context(), []byte(` {"query":"{a}","variables":{"n":12345678901234567890,"t":"],[\"{,"},"other":1} `), nil, params,
		),
	)
	require.Equal(t, "{a}", params.Query)
	require.Equal(t, "12345678901234567890", fmt.Sprint(params.Variables["n"]))
}

// What a body decodes to is taken of the memory for bodies, not only its text.
func TestDecodedValuesTakeOfTheBudget(t *testing.T) {
	t.Parallel()
	budget := bodylimit.New(0)
	body := []byte(`{"variables":{"l":[` + strings.Repeat("{},", 100_000) + `{}]}}`)
	hold := budget.Hold("a")
	require.NoError(t, decodeParams(t.Context(), body, &hold, &graphql.RawParams{}))
	require.Greater(t, budget.Taken(), int64(10_000_000))
	other := budget.Hold("a")
	require.NoError(t, other.Resize(20<<20))
	third := budget.Hold("a")
	require.True(t, fault.Is(decodeParams(t.Context(), body, &third, &graphql.RawParams{}), fault.Unavailable))
	require.NoError(t, decodeParams(t.Context(), []byte(`{"query":"{a}"}`), &third, &graphql.RawParams{}))
}

func TestFilesArePlacedOnlyWhereThereIsAPlace(t *testing.T) {
	t.Parallel()
	for path, exists := range map[string]bool{
		"variables.file": true, "variables.input.file": true, "variables.list.1": true, "variables.list.0.file": true,
		"variables": true, "variables.other": false, "variables.list.2": false, "variables.list.-1": false,
		"variables.list.x":      false,
		"variables.file.deeper": false, "variables.text.0": false, "query": false, "": false,
	} {
		within := map[string]any{"variables": map[string]any{
			"file": nil, "input": map[string]any{"file": nil}, "list": []any{map[string]any{"file": nil}, nil}, "text": "abc",
		}}
		require.Equal(t, exists, place(within, strings.Split(path, "."), graphql.Upload{Filename: "a.png"}), path)
	}
}

func TestStreamsAreBounded(t *testing.T) {
	t.Parallel()
	s := &streams{of: map[string]int{}, by: map[string]int{}}
	for range maxStreamsEach {
		require.NoError(t, s.open("a", "maker of a"))
	}
	require.True(t, fault.Is(s.open("a", "maker of a"), fault.RateLimited))
	require.NoError(t, s.open("b", "maker of b"))
	for i := range maxStreams - maxStreamsEach - 1 {
		require.NoError(t, s.open(fmt.Sprint(i), fmt.Sprint(i)))
	}
	require.True(t, fault.Is(s.open("z", "z"), fault.Unavailable))
	s.close("a", "maker of a")
	require.NoError(t, s.open("a", "maker of a"))
	for range maxStreamsEach {
		s.close("a", "maker of a")
	}
	s.close("b", "maker of b")
	require.NotContains(t, s.of, "a")
	require.NotContains(t, s.by, "maker of a")
	require.Equal(t, maxStreams-maxStreamsEach-1, s.total)
}

// Who makes a key for each fifty streams takes none from others.
func TestStreamsOfManyKeysAreBounded(t *testing.T) {
	t.Parallel()
	s := &streams{of: map[string]int{}, by: map[string]int{}}
	for i := range maxStreamsMaker {
		require.NoError(t, s.open(fmt.Sprint(i), "person"))
	}
	require.True(t, fault.Is(s.open("another key", "person"), fault.RateLimited))
	require.NoError(t, s.open("their key", "somebody else"))
}

// A client that stopped reading is left.
func TestAStreamEndsThatNobodyReads(t *testing.T) {
	t.Parallel()
	ended := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer close(ended)
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		e := openEvents(w, cancel)
		e.within = 100 * time.Millisecond
		for ctx.Err() == nil {
			e.write("data: " + strings.Repeat("x", 1<<20) + "\n\n")
		}
	}))
	defer server.Close()
	connection, err := net.Dial("tcp", server.Listener.Addr().String())
	require.NoError(t, err)
	defer connection.Close()
	_, err = connection.Write([]byte("GET / HTTP/1.1\r\nHost: x\r\n\r\n"))
	require.NoError(t, err)
	select {
	case <-ended:
	case <-time.After(time.Minute):
		t.Fatal("the stream goes on")
	}
}

// The executor answers nobody who has left: that is no failure of the server, and nothing to log.
func TestWhoLeavesIsNotAFailureOfTheServer(t *testing.T) {
	t.Parallel()
	ctx, leave := context.WithCancel(t.Context())
	s := New(Config{
		Schema: &graphql.ExecutableSchemaMock{
			SchemaFunc: func() *ast.Schema {
				return gqlparser.MustLoadSchema(&ast.Source{Input: `type Query { a: String }`})
			},
			ExecFunc: func(context.Context) graphql.ResponseHandler {
				leave()
				return graphql.OneShot(&graphql.Response{})
			},
		},
		Caller: func(context.Context) (string, error) { return "", fault.New(fault.Unauthenticated, "nobody") },
		Maker:  func(context.Context) string { return "" },
		Client: func(*http.Request) string { return "a" },
		Bodies: bodylimit.New(0),
	})
	s.SetRecoverFunc(func(_ context.Context, reason any) error {
		t.Errorf("panic: %v", reason)
		return fault.New(fault.Internal, "panic")
	})
	w := httptest.NewRecorder()
	r := httptest.NewRequestWithContext(ctx, http.MethodPost, "/graphql", strings.NewReader(`{"query":"{a}"}`))
	r.Header.Set("Content-Type", "application/json")
	s.ServeHTTP(w, r)
	require.Less(t, w.Code, http.StatusInternalServerError)
	_, err := s.Answer(ctx, "{a}", nil)
	require.Error(t, err)
}
