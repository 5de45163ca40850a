package e2e

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"
)

// crowd opens connections from one address of this machine.
type crowd struct {
	t    *testing.T
	host string
	from net.IP
}

func (c crowd) open() net.Conn {
	c.t.Helper()
	dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: c.from}, Timeout: 10 * time.Second}
	conn, err := dialer.Dial("tcp", c.host)
	if err != nil {
		return nil // reset before the dialer was told of it
	}
	c.t.Cleanup(func() { _ = conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(time.Minute)); err != nil {
		c.t.Fatal(err)
	}
	return conn
}

// ask asks for /healthz and leaves the connection open. It tells whether it was answered.
func ask(conn net.Conn) bool {
	if conn == nil {
		return false
	}
	if _, err := io.WriteString(conn, "GET /healthz HTTP/1.1\r\nHost: svc\r\n\r\n"); err != nil {
		return false
	}
	answer := make([]byte, 12)
	_, err := io.ReadFull(conn, answer)
	return err == nil && string(answer) == "HTTP/1.1 200"
}

// openConnections reads the metric of that name.
func openConnections(t *testing.T, metrics string) int {
	t.Helper()
	_, rest, _ := strings.Cut(metrics, "\nsvc_http_connections ")
	number, _, _ := strings.Cut(rest, "\n")
	open, err := strconv.Atoi(number)
	if err != nil {
		t.Fatalf("svc_http_connections: %v", err)
	}
	return open
}

func TestConnectionsAreBoundedAndNewcomersAreServed(t *testing.T) {
	d := StartDev(t, nil, "--demo=none")
	p, address := d.Serve(t, "SVC_RATE_LIMIT_ADDRESS=0", "SVC_CONNECTIONS=60", "SVC_CONNECTIONS_ADDRESS=40",
		"SVC_IDLE_TIMEOUT=10m", "SVC_ADMIN_ADDR=127.0.0.1:0")
	host := strings.TrimPrefix(address, "http://")
	flood := func(from net.IP, n int) (served int) {
		for range n {
			if ask(crowd{t, host, from}.open()) {
				served++
			}
		}
		return served
	}
	// The test's own client has a connection or two of this address.
	if served := flood(net.IPv4(127, 0, 0, 1), 200); served < 35 || served > 40 {
		t.Errorf("one address has %d connections, of 40", served)
	}
	// The second takes what is free, and then from the first until both have about as many.
	if served := flood(net.IPv4(127, 0, 0, 2), 200); served < 30 {
		t.Errorf("the second address got %d connections", served)
	}
	for i := range 20 {
		if !ask((crowd{t, host, net.IPv4(127, 0, 1, byte(i))}).open()) {
			t.Errorf("newcomer %d got no answer from a full server", i)
		}
	}
	// Whoever sends no request, and whoever never ends one, keeps newcomers out no more than others.
	for i := range 100 {
		conn := crowd{t, host, net.IPv4(127, 0, 2, byte(i%3+1))}.open()
		if conn != nil && i%2 == 0 {
			_, _ = io.WriteString(conn, "POST /graphql HTTP/1.1\r\nHost: svc\r\nContent-Length: 100\r\n\r\n")
		}
	}
	if !ask((crowd{t, host, net.IPv4(127, 0, 3, 1)}).open()) {
		t.Error("a newcomer got no answer among requests that don't end")
	}
	metrics := string(get(t, admin(t, p)+"/metrics").Body)
	if open := openConnections(t, metrics); open < 1 || open > 60 {
		t.Errorf("%d connections are open, of 60", open)
	}
	for _, name := range []string{
		`svc_http_connections_refused_total{reason="address"} `,
		`svc_http_connections_refused_total{reason="full"} `,
	} {
		if !strings.Contains(metrics, "\n"+name) {
			t.Errorf("the metrics lack %s", name)
		}
	}
}

// Whatever a connection does but to bring requests and take answers, it is cut.
func TestConnectionsThatBringOrTakeNothingAreCut(t *testing.T) {
	t.Parallel()
	d := StartDev(t, nil, "--demo=none")
	p, address := d.Serve(t, "SVC_RATE_LIMIT_ADDRESS=0", "SVC_IDLE_TIMEOUT=2s", "SVC_ADMIN_ADDR=127.0.0.1:0")
	one := crowd{t, strings.TrimPrefix(address, "http://"), net.IPv4(127, 0, 0, 9)}
	// drip sends the rest of a request byte by byte until it is cut.
	drip := func(conn net.Conn, first string) {
		_, err := io.WriteString(conn, first)
		for err == nil {
			time.Sleep(100 * time.Millisecond) // as slow senders do
			_, err = io.WriteString(conn, "x")
		}
		if errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("%.20q… and a byte now and then is read for a minute", first)
		}
	}
	for range 20 {
		if !ask(one.open()) { // and is idle then
			t.Error("no answer")
		}
		one.open() // and sends nothing
		go drip(one.open(), "GET /healthz HTTP/1.1\r\nHost: svc\r\nX-Slow: ")
		go drip(one.open(), "POST /graphql HTTP/1.1\r\nHost: svc\r\nContent-Length: 100000\r\n\r\n")
		// It asks more than the buffers of both sides hold, and reads nothing.
		go func(conn net.Conn) {
			_, _ = io.WriteString(conn, strings.Repeat("GET /nothing HTTP/1.1\r\nHost: svc\r\n\r\n", 100_000))
		}(one.open())
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	open := func() (int, error) {
		answer, err := Do(client, http.MethodGet, admin(t, p)+"/metrics", nil)
		if err != nil {
			return 0, err
		}
		return openConnections(t, string(answer.Body)), nil
	}
	if n, err := open(); err != nil || n < 50 {
		t.Errorf("%d connections are open: %v", n, err)
	}
	http.DefaultClient.CloseIdleConnections()
	Until(t, 2*time.Minute, "all are cut", func() error {
		n, err := open()
		if err == nil && n > 1 { // the one that asks
			err = fmt.Errorf("%d are open", n)
		}
		return err
	})
}
