package clientaddr_test

import (
	"net/http/httptest"
	"net/netip"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/internal/clientaddr"
)

func TestOnlyTrustedProxiesNameTheClient(t *testing.T) {
	t.Parallel()
	trusted := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}
	for name, c := range map[string]struct {
		peer, forwarded, client string
		proxied                 bool
	}{
		"anybody may send the header":     {"198.51.100.7:443", "203.0.113.9", "198.51.100.7", false},
		"behind a proxy":                  {"10.0.0.1:443", "203.0.113.9", "203.0.113.9", true},
		"what the client itself claimed":  {"10.0.0.1:443", "192.0.2.1, 203.0.113.9, 10.0.0.2", "203.0.113.9", true},
		"what is no address ends the way": {"10.0.0.1:443", "203.0.113.9, unknown, 10.0.0.2", "10.0.0.2", true},
		"no header":                       {"10.0.0.1:443", "", "10.0.0.1", true},
		"IPv4 within IPv6":                {"[::ffff:10.0.0.1]:443", "[2001:db8::1]:99", "2001:db8::1", true},
	} {
		request := httptest.NewRequest("GET", "/", nil)
		request.RemoteAddr = c.peer
		if c.forwarded != "" {
			request.Header.Set("X-Forwarded-For", c.forwarded)
		}
		client, proxied := clientaddr.Of(request, trusted)
		require.Equal(t, c.client, client.String(), name)
		require.Equal(t, c.proxied, proxied, name)
	}
}

func TestOneClientHasAWholeIPv6Network(t *testing.T) {
	t.Parallel()
	key := func(address string) string { return clientaddr.LimitKey(netip.MustParseAddr(address)) }
	require.Equal(t, key("2001:db8::1"), key("2001:db8::ffff:1"))
	require.NotEqual(t, key("2001:db8::1"), key("2001:db8:0:1::1"))
	require.NotEqual(t, key("192.0.2.1"), key("192.0.2.2"))
	require.Equal(t, "invalid IP", clientaddr.LimitKey(netip.Addr{}), "unknown addresses share one limit")
}

func TestWhichHostsAreThisMachine(t *testing.T) {
	for host, want := range map[string]bool{
		"localhost": true, "127.0.0.1": true, "127.8.8.8": true, "::1": true,
		"": false, "localhost.example": false, "127.0.0.1.example": false, "0.0.0.0": false, "10.0.0.1": false,
	} {
		if got := clientaddr.IsLoopback(host); got != want {
			t.Errorf("%q: %v", host, got)
		}
	}
}
