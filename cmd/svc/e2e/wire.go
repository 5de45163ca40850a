package e2e

import (
	"io"
	"net"
	"sync"
	"testing"
	"time"
)

// wire lets connections at an address go on to another one, until it is cut.
type wire struct {
	net.Listener
	mu    sync.Mutex
	conns map[net.Conn]bool
	cuts  bool
}

func newWire(t testing.TB, at, to string) *wire {
	t.Helper()
	listener, err := net.Listen("tcp", at)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	w := &wire{Listener: listener, conns: map[net.Conn]bool{}}
	go func() {
		for {
			inner, err := listener.Accept()
			if err != nil {
				return
			}
			outer, err := net.Dial("tcp", to)
			if err != nil || !w.hold(inner, outer) {
				_ = inner.Close()
				continue
			}
			go w.carry(inner, outer)
			go w.carry(outer, inner)
		}
	}()
	return w
}

// hold keeps the two ends of a connection, so that they can be cut.
func (w *wire) hold(ends ...net.Conn) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, end := range ends {
		if w.cuts {
			_ = end.Close()
			continue
		}
		w.conns[end] = true
	}
	return !w.cuts
}

func (w *wire) carry(to, from net.Conn) {
	_, _ = io.Copy(to, from)
	_, _ = to.Close(), from.Close()
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.conns, from)
}

// cut ends all connections, and those that come while it lasts.
func (w *wire) cut(lasts time.Duration) {
	w.mu.Lock()
	w.cuts = true
	for end := range w.conns {
		_ = end.Close()
	}
	w.mu.Unlock()
	time.Sleep(lasts)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.cuts = false
}
