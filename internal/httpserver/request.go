// Package httpserver is what every HTTP answer of the server has in common:
// request ids, the access log, metrics, security headers, health checks, and a
// listener that drains. It knows no path of the product.
package httpserver

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"net/http"
)

// RequestIDHeader carries the id of a request in its answer, and into the
// server when a trusted hop has already chosen one.
const RequestIDHeader = "X-Request-Id"

type contextKey struct{}

// RequestID returns the id of the request that ctx belongs to, or "".
func RequestID(ctx context.Context) string {
	id, _ := ctx.Value(contextKey{}).(string)
	return id
}

// withRequestID gives the request an id: the caller's when it looks like one,
// else a new one of 96 random bits.
func withRequestID(r *http.Request) (*http.Request, string) {
	id := r.Header.Get(RequestIDHeader)
	if !plausibleID(id) {
		var random [12]byte
		_, _ = rand.Read(random[:]) // never fails
		id = hex.EncodeToString(random[:])
	}
	return r.WithContext(context.WithValue(r.Context(), contextKey{}, id)), id
}

func plausibleID(id string) bool {
	if len(id) < 8 || len(id) > 64 {
		return false
	}
	for _, c := range []byte(id) {
		if (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && c != '-' && c != '_' {
			return false
		}
	}
	return true
}
