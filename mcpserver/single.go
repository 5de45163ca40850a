package mcpserver

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// isBatch tells whether a request's body is a list of messages, which the protocol had in its version of 2025-03-26
// alone. One such body carries thousands of calls, and is decoded as a whole before the first is counted. The body can
// be read from its beginning afterwards, but for the blanks before its value. A body that can't be read is no batch:
// whoever reads it next says so.
func isBatch(r *http.Request) bool {
	body := bufio.NewReader(r.Body)
	r.Body = struct {
		io.Reader
		io.Closer
	}{body, r.Body}
	for range maxBody {
		first, err := body.ReadByte()
		if err != nil {
			return false
		}
		if !strings.ContainsRune(" \t\r\n", rune(first)) { // what JSON allows before a value
			_ = body.UnreadByte() // a byte was read just now
			return first == '['
		}
	}
	return false
}

// count refuses a call of a tool beyond the key's limit, before anything of its arguments is decoded: to find that
// they are wrong costs as much as to answer.
func count(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, request mcp.Request) (mcp.Result, error) {
		if method != "tools/call" {
			return next(ctx, method, request)
		}
		c, err := callOf(ctx)
		if err != nil || c.calls.Allow(c.caller.KeyID.String()) {
			return next(ctx, method, request)
		}
		refused := &mcp.CallToolResult{}
		refused.SetError(errors.New("rate_limited: at most 120 calls per minute and key; try again in a minute"))
		return refused, nil
	}
}
