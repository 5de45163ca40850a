package ingest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Codes are part of the interface: each is explained where client authors look.
func TestEveryCodeIsDocumented(t *testing.T) {
	page, err := os.ReadFile("../docs/rest.md")
	require.NoError(t, err)
	file, err := parser.ParseFile(token.NewFileSet(), "answer.go", nil, 0)
	require.NoError(t, err)
	codes := 0
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || !strings.HasPrefix(spec.Names[0].Name, "Code") {
			return true
		}
		code, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
		require.NoError(t, err)
		require.Contains(t, string(page), "`"+code+"`")
		codes++
		return true
	})
	require.Greater(t, codes, 30)
}

func TestErrorsNameTheirCode(t *testing.T) {
	require.EqualError(t, &EnvelopeError{Code: CodeInvalidBatch, Message: "no events"}, "invalid_batch: no events")
	require.Equal(
		t, []string{"product", "flow", "track", "unknown"},
		[]string{PathProduct.String(), PathFlow.String(), PathTrack.String(), Path(9).String()},
	)
}
