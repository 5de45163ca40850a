package document

import (
	"regexp"
	"strings"
	"sync"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/lexer"

	"github.com/svc-dev/svc/internal/fault"
)

// surrogate is half a character beyond U+FFFF, as JSON escapes it.
var surrogate = regexp.MustCompile(`(?:^|[^\\])(?:\\\\)*\\u[dD][89a-fA-F]`)

// scan bounds what the parser will build, without building it, and refuses strings that the parser would read
// as others: it makes two replacement characters of a pair of surrogates as JSON escapes them. Text that is no
// GraphQL passes: the parser says better what is wrong with it, and gets no further than scan did.
func scan(text string) error {
	if len(text) > MaxBytes {
		return tooLarge("has %d bytes, more than %d; send data in variables", len(text), MaxBytes)
	}
	escapesHalves := sync.OnceValue(func() bool { return surrogate.MatchString(text) })
	tokens := lexer.New(&ast.Source{Input: text})
	nesting := 0
	for count := 0; ; count++ {
		token, err := tokens.ReadToken()
		if err != nil || token.Kind == lexer.EOF {
			return nil //nolint:nilerr // the parser says what is wrong with it, and where
		}
		switch token.Kind {
		case lexer.BraceL, lexer.BracketL, lexer.ParenL:
			nesting++
		case lexer.BraceR, lexer.BracketR, lexer.ParenR:
			nesting--
		}
		switch {
		case count == MaxTokens:
			return tooLarge("has more than %d tokens", MaxTokens)
		case nesting > MaxNesting:
			return tooLarge("is nested more than %d levels deep", MaxNesting)
		case token.Kind == lexer.Name && len(token.Value) > MaxName:
			return tooLarge("has a name of %d bytes, more than %d", len(token.Value), MaxName)
		case token.Kind == lexer.String && strings.ContainsRune(token.Value, '\uFFFD') && escapesHalves():
			return fault.New(fault.ParseFailed, "the string in line %d escapes a character that is none: "+
				"write characters beyond U+FFFF as they are, or send them in variables", token.Pos.Line)
		}
	}
}
