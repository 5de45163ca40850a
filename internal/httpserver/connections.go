package httpserver

import (
	"net"
	"net/netip"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/svc-dev/svc/internal/clientaddr"
)

// ConnectionLimit bounds how many connections one address opens a second. Opening one costs the server as much as a
// request, and nothing that counts requests sees one that brings none.
type ConnectionLimit struct {
	// PerSecond is the bound; zero means that there is none.
	PerSecond int
	// Trusted proxies open connections for many clients and are not bounded.
	Trusted []netip.Prefix
	// Refused counts the connections that were closed at once; nil counts none.
	Refused prometheus.Counter
}

// Listen bounds the connections of a listener. Those beyond the bound are reset before anything is read of them.
func (l ConnectionLimit) Listen(listener net.Listener) net.Listener {
	if l.PerSecond <= 0 {
		return listener
	}
	return &boundedListener{Listener: listener, limit: l}
}

// boundedListener is accepted from by one goroutine, as http.Server does.
type boundedListener struct {
	net.Listener
	limit  ConnectionLimit
	second int64 // in Unix time
	opened map[string]int
}

func (b *boundedListener) Accept() (net.Conn, error) {
	for {
		conn, err := b.Listener.Accept()
		if err != nil || b.admits(conn, time.Now()) {
			return conn, err
		}
		if b.limit.Refused != nil {
			b.limit.Refused.Inc()
		}
		if tcp, ok := conn.(*net.TCPConn); ok {
			_ = tcp.SetLinger(0) // a reset leaves nothing behind that the system would have to remember
		}
		_ = conn.Close()
	}
}

func (b *boundedListener) admits(conn net.Conn, now time.Time) bool {
	peer, ok := conn.RemoteAddr().(*net.TCPAddr)
	if !ok {
		return true
	}
	address := peer.AddrPort().Addr().Unmap()
	if clientaddr.IsTrusted(address, b.limit.Trusted) {
		return true
	}
	if second := now.Unix(); second != b.second {
		b.second, b.opened = second, map[string]int{}
	}
	key := clientaddr.LimitKey(address)
	b.opened[key]++
	return b.opened[key] <= b.limit.PerSecond
}
