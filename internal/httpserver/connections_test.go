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
)

// limited is a listener of this machine with a bound of 3 connections a second.
func limited(t *testing.T, trusted ...netip.Prefix) (net.Listener, prometheus.Counter) {
	t.Helper()
	listener, err := Listen("127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	refused := prometheus.NewCounter(prometheus.CounterOpts{Name: "refused"})
	return ConnectionLimit{PerSecond: 3, Trusted: trusted, Refused: refused}.Listen(listener), refused
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
	listener, refused := limited(t)
	began := time.Now()
	first := open(t, listener, net.IPv4(127, 0, 0, 1), 20)
	seconds := int(time.Since(began)/time.Second) + 2 // those that the openings may touch
	require.GreaterOrEqual(t, first, 3)
	require.LessOrEqual(t, first, 3*seconds)
	require.EqualValues(t, 20-first, testutil.ToFloat64(refused))
}

func TestConnectionsOfEachAddressAreCountedApart(t *testing.T) {
	t.Parallel()
	b := &boundedListener{limit: ConnectionLimit{PerSecond: 3}}
	now := time.Unix(1_700_000_000, 0)
	admitted := func(address string, at time.Time) (n int) {
		for range 10 {
			if b.admits(peer(address), at) {
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
	require.Len(t, b.opened, 1, "what a second knew is forgotten with it")
}

func TestTrustedProxiesOpenAsManyConnectionsAsTheyNeed(t *testing.T) {
	t.Parallel()
	listener, refused := limited(t, netip.MustParsePrefix("127.0.0.0/8"))
	require.Equal(t, 20, open(t, listener, net.IPv4(127, 0, 0, 1), 20))
	require.Zero(t, testutil.ToFloat64(refused))
	unbounded, err := Listen("127.0.0.1:0")
	require.NoError(t, err)
	defer unbounded.Close()
	require.Equal(t, unbounded, ConnectionLimit{}.Listen(unbounded), "0 is no bound")
}

// A server that refuses connections goes on answering those that it accepted.
func TestConnectionsThatAreOpenGoOn(t *testing.T) {
	t.Parallel()
	listener, refused := limited(t)
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
	for testutil.ToFloat64(refused) == 0 {
		if conn, err := net.Dial("tcp", listener.Addr().String()); err == nil {
			require.NoError(t, conn.Close())
		}
	}
	ask()
}

// peer is a connection of which only its other end is known.
func peer(address string) net.Conn { return otherEnd{address: netip.MustParseAddr(address)} }

type otherEnd struct {
	net.Conn
	address netip.Addr
}

func (o otherEnd) RemoteAddr() net.Addr {
	return net.TCPAddrFromAddrPort(netip.AddrPortFrom(o.address, 1))
}
