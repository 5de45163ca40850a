package httpserver

import (
	"net"
	"net/http"
	"net/netip"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/svc-dev/svc/internal/clientaddr"
)

// ConnectionLimits bound the connections of a server: opening one costs as much as a request, keeping one takes memory
// and a descriptor, and nothing that counts requests sees one that brings none. Zero is no bound.
type ConnectionLimits struct {
	// Open is how many are open at a time. At the bound, a newcomer takes the place of another, see [Connections].
	Open int
	// OfAddress is how many of one address are open at a time, PerSecond how many it opens a second.
	OfAddress, PerSecond int
	// Trusted proxies connect for many clients: each of their connections counts as an address of its own.
	Trusted []netip.Prefix
}

// Connections are those of all listeners of a server. Where all places are taken, one is made for an address that has
// fewer than others: a connection of the address with most is closed, or one that waits for a request, so that nobody
// keeps a newcomer out. It is safe for concurrent use.
type Connections struct {
	limits  ConnectionLimits
	refused *prometheus.CounterVec

	mu        sync.Mutex
	open      int
	addresses map[string]map[*connection]struct{} // the open ones; those without one are absent
	second    int64                               // in Unix time
	opened    map[string]int                      // in that second
}

// NewConnections registers the metrics svc_http_connections and svc_http_connections_refused_total.
func NewConnections(limits ConnectionLimits, registry prometheus.Registerer) *Connections {
	c := &Connections{
		limits: limits, addresses: map[string]map[*connection]struct{}{}, opened: map[string]int{},
		refused: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "svc_http_connections_refused_total",
			Help: "Connections that were closed at once (rate, address), or for want of places (full), by reason.",
		}, []string{"reason"}),
	}
	for _, reason := range []string{refusedRate, refusedAddress, refusedFull} {
		c.refused.WithLabelValues(reason)
	}
	registry.MustRegister(c.refused, prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "svc_http_connections", Help: "Open connections of clients, on all addresses of the server.",
	}, func() float64 {
		c.mu.Lock()
		defer c.mu.Unlock()
		return float64(c.open)
	}))
	return c
}

// Reasons why a connection is refused or closed.
const (
	refusedRate    = "rate"    // its address opens too many a second
	refusedAddress = "address" // its address has too many
	refusedFull    = "full"    // the server has too many
)

// Listen bounds the connections of a listener. Those beyond a bound are reset before anything is read of them.
func (c *Connections) Listen(listener net.Listener) net.Listener {
	return &boundedListener{Listener: listener, all: c}
}

type boundedListener struct {
	net.Listener
	all *Connections
}

func (b *boundedListener) Accept() (net.Conn, error) {
	for {
		accepted, err := b.Listener.Accept()
		if err != nil {
			return nil, err
		}
		tcp, ok := accepted.(*net.TCPConn)
		if !ok {
			return accepted, nil
		}
		peer := tcp.RemoteAddr().(*net.TCPAddr).AddrPort() // as that of every TCP connection is
		conn := &connection{TCPConn: tcp, all: b.all, key: b.all.keyOf(peer)}
		victim, admitted := b.all.admit(conn, time.Now())
		if victim != nil {
			_ = victim.TCPConn.Close()
		}
		if admitted {
			return conn, nil
		}
		_ = tcp.SetLinger(0) // a reset leaves nothing behind that the system would have to remember
		_ = tcp.Close()
	}
}

// keyOf returns what a connection is counted by.
func (c *Connections) keyOf(peer netip.AddrPort) string {
	address := peer.Addr().Unmap()
	if clientaddr.IsTrusted(address, c.limits.Trusted) {
		return peer.String()
	}
	return clientaddr.LimitKey(address)
}

// admit counts a connection unless it is beyond a bound. The victim, if there is one, is counted no more, for the
// caller to close.
func (c *Connections) admit(conn *connection, now time.Time) (victim *connection, admitted bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if second := now.Unix(); second != c.second {
		c.second, c.opened = second, map[string]int{}
	}
	c.opened[conn.key]++
	if reached(c.opened[conn.key]-1, c.limits.PerSecond) {
		c.refused.WithLabelValues(refusedRate).Inc()
		return nil, false
	}
	if reached(len(c.addresses[conn.key]), c.limits.OfAddress) {
		c.refused.WithLabelValues(refusedAddress).Inc()
		return nil, false
	}
	if reached(c.open, c.limits.Open) {
		c.refused.WithLabelValues(refusedFull).Inc()
		if victim = c.victim(len(c.addresses[conn.key])); victim == nil {
			return nil, false
		}
		c.forget(victim)
	}
	conn.waits, conn.since = true, now
	if c.addresses[conn.key] == nil {
		c.addresses[conn.key] = map[*connection]struct{}{}
	}
	c.addresses[conn.key][conn] = struct{}{}
	c.open++
	return victim, true
}

func reached(n, limit int) bool { return limit > 0 && n >= limit }

// victim returns the connection that makes room for one of an address that has so many: one of the address with most,
// when that has more even without it, else one that waits for a request; nil when there is neither.
func (c *Connections) victim(newcomer int) *connection {
	most := newcomer + 1
	var greedy string
	for address, connections := range c.addresses {
		if len(connections) > most {
			greedy, most = address, len(connections)
		}
	}
	if greedy != "" {
		return leastOf(nil, c.addresses[greedy])
	}
	var victim *connection
	for _, connections := range c.addresses {
		victim = leastOf(victim, connections)
	}
	if victim != nil && !victim.waits {
		return nil
	}
	return victim
}

func leastOf(least *connection, connections map[*connection]struct{}) *connection {
	for conn := range connections {
		if least == nil || conn.lessThan(least) {
			least = conn
		}
	}
	return least
}

// forget stops counting a connection. It may be called again.
func (c *Connections) forget(conn *connection) {
	connections := c.addresses[conn.key]
	if _, there := connections[conn]; !there {
		return
	}
	if delete(connections, conn); len(connections) == 0 {
		delete(c.addresses, conn.key)
	}
	c.open--
}

// connection is one that is counted until it is closed.
type connection struct {
	*net.TCPConn
	all *Connections
	key string

	// Under the lock of all: whether no request is in work, and since when that is so.
	waits bool
	since time.Time
}

// lessThan tells whether closing the connection harms less: one that waits, the longest, before one at work.
func (c *connection) lessThan(other *connection) bool {
	if c.waits != other.waits {
		return c.waits
	}
	return c.since.Before(other.since)
}

func (c *connection) Close() error {
	c.all.mu.Lock()
	c.all.forget(c)
	c.all.mu.Unlock()
	return c.TCPConn.Close()
}

// follow is told by a server of what its connections do.
func follow(conn net.Conn, state http.ConnState) {
	c, ok := conn.(*connection)
	if !ok || state != http.StateActive && state != http.StateIdle {
		return
	}
	c.all.mu.Lock()
	defer c.all.mu.Unlock()
	c.waits, c.since = state == http.StateIdle, time.Now()
}
