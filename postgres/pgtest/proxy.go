package pgtest

import (
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// Proxy passes connections on to the test server, and does to them what networks and poolers do.
type Proxy struct {
	url     string
	server  string
	rate    atomic.Int64 // bytes a second from the server, 0 without a limit
	swallow atomic.Pointer[string]
	missing atomic.Int64

	running sync.WaitGroup
	mu      sync.Mutex
	conns   []net.Conn
}

// NewProxy starts a proxy to the database of a URL. It ends with the test.
func NewProxy(t testing.TB, databaseURL string) *Proxy {
	t.Helper()
	address, err := url.Parse(databaseURL)
	if err != nil || address.Host == "" {
		t.Fatalf("pgtest: %q has no host", databaseURL)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatalf("pgtest: %v", err)
	}
	p := &Proxy{server: address.Host}
	address.Host = listener.Addr().String()
	p.url = address.String()
	p.running.Go(func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			p.running.Go(func() { p.serve(client) })
		}
	})
	t.Cleanup(func() {
		_ = listener.Close()
		p.Limit(0)
		p.Cut()
		p.running.Wait()
	})
	return p
}

// URL returns the address of the database through the proxy.
func (p *Proxy) URL() string { return p.url }

// Limit slows what the server sends to so many bytes a second and connection. Zero ends the limit.
func (p *Proxy) Limit(bytesASecond int64) { p.rate.Store(bytesASecond) }

// Swallow keeps simple queries that begin with these words from the server, without telling anybody, as a
// connection does whose other end is gone. No words end it.
func (p *Proxy) Swallow(words string) { p.swallow.Store(&words) }

// Swallowed returns how many queries never reached the server.
func (p *Proxy) Swallowed() int64 { return p.missing.Load() }

// Cut closes all connections.
func (p *Proxy) Cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, conn := range p.conns {
		_ = conn.Close()
	}
	p.conns = nil
}

func (p *Proxy) serve(client net.Conn) {
	defer client.Close()
	server, err := net.DialTimeout("tcp", p.server, 5*time.Second)
	if err != nil {
		return
	}
	defer server.Close()
	p.mu.Lock()
	p.conns = append(p.conns, client, server)
	p.mu.Unlock()
	p.running.Go(func() {
		defer client.Close()
		defer server.Close()
		_ = p.toClient(client, server)
	})
	_ = p.toServer(server, client) // the end of a connection is no failure of a proxy
}

func (p *Proxy) toClient(client io.Writer, server io.Reader) error {
	buffer := make([]byte, 16<<10)
	for {
		n, err := server.Read(buffer)
		if err != nil {
			return err
		}
		if _, err := client.Write(buffer[:n]); err != nil {
			return err
		}
		p.delay(n)
	}
}

// delay takes as long as so many bytes do, at most until the limit changes.
func (p *Proxy) delay(n int) {
	rate := p.rate.Load()
	if rate == 0 {
		return
	}
	end := time.Now().Add(time.Duration(n) * time.Second / time.Duration(rate))
	for p.rate.Load() == rate && time.Now().Before(end) {
		time.Sleep(min(time.Until(end), 10*time.Millisecond)) // this is what being slow means
	}
}

// toServer passes messages on: first those of the start, which have no type, then typed ones.
func (p *Proxy) toServer(server io.Writer, client io.Reader) error {
	const startup = 196608 // protocol 3.0; everything else before it is a question, such as for TLS
	for code := uint32(0); code != startup; {
		message, err := readMessage(client, nil)
		if err != nil {
			return err
		}
		code = binary.BigEndian.Uint32(message[4:])
		if _, err := server.Write(message); err != nil {
			return err
		}
	}
	kind := make([]byte, 1)
	for {
		if _, err := io.ReadFull(client, kind); err != nil {
			return err
		}
		message, err := readMessage(client, kind)
		if err != nil {
			return err
		}
		if p.isSwallowed(message) {
			p.missing.Add(1)
			continue
		}
		if _, err := server.Write(message); err != nil {
			return err
		}
	}
}

// readMessage reads a length and what it counts, and puts them behind the prefix.
func readMessage(from io.Reader, prefix []byte) ([]byte, error) {
	length := make([]byte, 4)
	if _, err := io.ReadFull(from, length); err != nil {
		return nil, err
	}
	size := binary.BigEndian.Uint32(length)
	if size < 4 || size > 64<<20 {
		return nil, fmt.Errorf("a message of %d bytes", size)
	}
	message := append(append([]byte(nil), prefix...), length...)
	body := make([]byte, size-4)
	_, err := io.ReadFull(from, body)
	return append(message, body...), err
}

func (p *Proxy) isSwallowed(message []byte) bool {
	words := p.swallow.Load()
	return words != nil && *words != "" && message[0] == 'Q' && strings.HasPrefix(string(message[5:]), *words)
}
