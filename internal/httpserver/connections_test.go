package httpserver

import (
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"syscall"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// limited is a listener of this machine with bounds, and tells how many connections a reason has closed.
func limited(t *testing.T, limits ConnectionLimits) (net.Listener, func(reason string) int) {
	t.Helper()
	listener, err := Listen("127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	all := NewConnections(limits, prometheus.NewRegistry())
	return all.Listen(listener), func(reason string) int {
		return int(testutil.ToFloat64(all.refused.WithLabelValues(reason)))
	}
}

// open opens n connections and tells how many the listener accepted.
func open(t *testing.T, listener net.Listener, from net.IP, n int) (accepted int) {
	t.Helper()
	taken := make(chan net.Conn, n)
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			_, _ = io.WriteString(conn, "x")
			taken <- conn
		}
	}()
	dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: from}}
	for range n {
		conn, err := dialer.Dial("tcp", listener.Addr().String())
		if errors.Is(err, syscall.ECONNRESET) {
			continue
		}
		require.NoError(t, err)
		require.NoError(t, conn.SetDeadline(time.Now().Add(10*time.Second)))
		if _, err := conn.Read(make([]byte, 1)); err == nil {
			accepted++
		}
		require.NoError(t, conn.Close())
	}
	for range accepted {
		_ = (<-taken).Close()
	}
	return accepted
}

func TestAnAddressOpensSoManyConnectionsASecond(t *testing.T) {
	t.Parallel()
	listener, refused := limited(t, ConnectionLimits{PerSecond: 3})
	began := time.Now()
	first := open(t, listener, net.IPv4(127, 0, 0, 1), 20)
	seconds := int(time.Since(began)/time.Second) + 2 // those that the openings may touch
	require.GreaterOrEqual(t, first, 3)
	require.LessOrEqual(t, first, 3*seconds)
	require.Equal(t, 20-first, refused(refusedRate))
}

func TestConnectionsOfEachAddressAreCountedApart(t *testing.T) {
	t.Parallel()
	all := NewConnections(ConnectionLimits{PerSecond: 3}, prometheus.NewRegistry())
	now := time.Unix(1_700_000_000, 0)
	admitted := func(address string, at time.Time) (n int) {
		for range 10 {
			if _, ok := all.admit(peer(all, address), at); ok {
				n++
			}
		}
		return n
	}
	require.Equal(t, 3, admitted("192.0.2.1", now))
	require.Equal(t, 3, admitted("192.0.2.2", now))
	require.Equal(t, 3, admitted("2001:db8::1", now))
	require.Zero(t, admitted("2001:db8::2", now), "one client has the whole network")
	require.Zero(t, admitted("::ffff:192.0.2.1", now), "the same address in its other form")
	require.Equal(t, 3, admitted("192.0.2.1", now.Add(time.Second)))
	require.Len(t, all.opened, 1, "what a second knew is forgotten with it")
}

func TestTrustedProxiesOpenAsManyConnectionsAsTheyNeed(t *testing.T) {
	t.Parallel()
	listener, refused := limited(t, ConnectionLimits{
		PerSecond: 3, OfAddress: 3, Trusted: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")},
	})
	require.Equal(t, 20, open(t, listener, net.IPv4(127, 0, 0, 1), 20))
	require.Zero(t, refused(refusedRate)+refused(refusedAddress))
}

// A server that refuses connections goes on answering those that it accepted.
func TestConnectionsThatAreOpenGoOn(t *testing.T) {
	t.Parallel()
	listener, refused := limited(t, ConnectionLimits{PerSecond: 3})
	server := &http.Server{ReadHeaderTimeout: time.Minute, Handler: http.NotFoundHandler()}
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(func() { _ = server.Close() })
	client := &http.Client{Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	ask := func() {
		response, err := client.Get("http://" + listener.Addr().String())
		require.NoError(t, err)
		_, err = io.Copy(io.Discard, response.Body)
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
	}
	ask()
	for refused(refusedRate) == 0 {
		if conn, err := net.Dial("tcp", listener.Addr().String()); err == nil {
			require.NoError(t, conn.Close())
		}
	}
	ask()
}

// peer is a connection of which only its other end is known.
func peer(all *Connections, address string) *connection {
	return &connection{all: all, key: all.keyOf(netip.AddrPortFrom(netip.MustParseAddr(address), 1))}
}

func TestAFullServerMakesRoomForNewcomers(t *testing.T) {
	t.Parallel()
	all := NewConnections(ConnectionLimits{Open: 6, OfAddress: 4}, prometheus.NewRegistry())
	now := time.Unix(1_700_000_000, 0)
	add := func(address string) (conn, victim *connection, admitted bool) {
		now = now.Add(time.Second)
		conn = peer(all, address)
		victim, admitted = all.admit(conn, now)
		return conn, victim, admitted
	}
	var greedy []*connection
	for i := range 5 {
		conn, victim, admitted := add("192.0.2.1")
		require.Nil(t, victim)
		require.Equal(t, i < 4, admitted, "an address has 4")
		greedy = append(greedy, conn)
	}
	greedy[0].waits = false // it has a request in work
	second, _, _ := add("192.0.2.2")
	_, victim, admitted := add("192.0.2.2")
	require.True(t, admitted && victim == nil, "there are 6")

	_, victim, admitted = add("192.0.2.3")
	require.True(t, admitted)
	require.Same(t, greedy[1], victim, "of who has most, the one that waits the longest")
	all.forget(victim) // as it is closed
	_, victim, admitted = add("192.0.2.2")
	require.True(t, admitted)
	require.Same(t, greedy[2], victim, "nobody has two more than the newcomer: whoever waits the longest goes")
	require.Equal(t, 6, all.open)

	for _, connections := range all.addresses {
		for conn := range connections {
			conn.waits = false
		}
	}
	_, victim, admitted = add("192.0.2.2")
	require.True(t, !admitted && victim == nil, "who has as many as the others gets none of requests in work")
	_, victim, admitted = add("192.0.2.4")
	require.True(t, admitted)
	require.Same(t, second, victim, "the oldest of who has most, and a newcomer has none")
}

// Whatever is opened, used and closed, the count is that of what is open, and no bound is passed.
func TestConnectionsAreCountedUntilTheyAreClosed(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		limits := ConnectionLimits{
			Open: rapid.IntRange(1, 8).Draw(t, "open"), OfAddress: rapid.IntRange(1, 4).Draw(t, "address"),
		}
		all := NewConnections(limits, prometheus.NewRegistry())
		open := map[*connection]bool{}
		for second := range rapid.IntRange(1, 40).Draw(t, "steps") {
			now := time.Unix(int64(second), 0)
			address := rapid.SampledFrom([]string{"192.0.2.1", "192.0.2.2", "192.0.2.3"}).Draw(t, "address")
			conn := peer(all, address)
			victim, admitted := all.admit(conn, now)
			delete(open, victim)
			if admitted {
				open[conn] = true
			}
			for conn := range open {
				conn.waits = rapid.Bool().Draw(t, "waits")
				if rapid.IntRange(0, 9).Draw(t, "closes") == 0 {
					all.forget(conn)
					all.forget(conn)
					delete(open, conn)
				}
			}
			count := 0
			for key, connections := range all.addresses {
				count += len(connections)
				if len(connections) == 0 || len(connections) > limits.OfAddress {
					t.Fatalf("%d connections of %s", len(connections), key)
				}
			}
			if count != len(open) || all.open != count || count > limits.Open {
				t.Fatalf("%d counted, %d known, %d open, of %d", all.open, count, len(open), limits.Open)
			}
		}
	})
}
