package webhook

import (
	"net"
	"net/http"
	"net/netip"
	"time"
)

// Bounds of a connection that somebody named.
const (
	dialTimeout      = 10 * time.Second
	handshakeTimeout = 10 * time.Second
)

// Transport reaches servers that members name, under the rules of a Sender: nothing inside of private networks unless
// the operator allows it, http:// to what is allowed alone, and no proxy. It is safe for concurrent use.
type Transport struct{ secure, plain *http.Transport }

// NewTransport returns a transport; allowed are networks that may be reached although they are not public.
func NewTransport(allowed []netip.Prefix) *Transport {
	return &Transport{
		secure: newTransport(guard{allowed: allowed}),
		plain:  newTransport(guard{allowed: allowed, onlyAllowed: true}),
	}
}

// RoundTrip implements http.RoundTripper.
func (t *Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Scheme == "http" {
		return t.plain.RoundTrip(r)
	}
	return t.secure.RoundTrip(r)
}

// CloseIdleConnections closes the connections that wait for another request.
func (t *Transport) CloseIdleConnections() {
	t.secure.CloseIdleConnections()
	t.plain.CloseIdleConnections()
}

func newTransport(g guard) *http.Transport {
	dialer := &net.Dialer{Control: g.control, Timeout: dialTimeout}
	return &http.Transport{
		// No proxy of the environment: it would dial in the sender's place, unguarded.
		Proxy:                  nil,
		DialContext:            dialer.DialContext,
		TLSHandshakeTimeout:    handshakeTimeout,
		ForceAttemptHTTP2:      true,
		DisableCompression:     true,
		MaxResponseHeaderBytes: maxHeader,
		MaxIdleConns:           100,
		MaxIdleConnsPerHost:    2,
		IdleConnTimeout:        30 * time.Second,
	}
}
