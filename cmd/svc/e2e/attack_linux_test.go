package e2e

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
)

// maxResident is what a server may take of memory whatever is sent to it.
const maxResident = 512 << 20

// largestBody is the limit of event bodies.
const largestBody = 20 << 20

// target is a server under attack and what strangers know of it.
type target struct {
	t                  *testing.T
	process            *Process
	host, key, channel string
}

// A server stays small under each attack on its memory, and goes on resolving
// for clients at another address.
func TestTheServerStaysSmallWhateverIsSent(t *testing.T) {
	d := StartDev(t, nil, "--demo=small")
	live := d.Apps[0].Environments["live"]
	channel := pinnedChannel(t, live)
	for _, attack := range []struct {
		name string
		run  func(target)
	}{
		{"bombs without a key", func(a target) { a.sendAtOnce(40, 2, a.post("", "gzip", gzipped(zeros(largestBody)))) }},
		{"chunks without a key", func(a target) { a.stall(40, a.chunkedHeader(""), 19<<20) }},
		{"chunks with a key", func(a target) { a.stall(40, a.chunkedHeader(a.key), 19<<20) }},
		{"announced and not sent, then bombs", func(a target) {
			a.stall(1500, a.announcedHeader(), 1)
			a.sendAtOnce(60, 2, a.post(a.key, "gzip", gzipped(zeros(largestBody))))
		}},
		{"waves of announcements", func(a target) {
			for range 20 {
				a.announceAndLeave(100)
			}
		}},
		{"bombs of zstd", func(a target) { a.sendAtOnce(60, 2, a.post(a.key, "zstd", zstded(zeros(largestBody)))) }},
		{"large batches", func(a target) { a.sendAtOnce(60, 2, a.post(a.key, "gzip", gzipped(largeBatch()))) }},
		{"large batches from many addresses", func(a target) {
			body := gzipped(largeBatch())
			var clients sync.WaitGroup
			for i := range 8 {
				clients.Go(func() { a.sendAtOnce(10, 2, a.postFrom(net.IPv4(127, 0, 1, byte(i+1)), a.key, "gzip", body)) })
			}
			clients.Wait()
		}},
		{"rows much larger than their batch", func(a target) { a.sendAtOnce(60, 4, a.post(a.key, "", wideBatch())) }},
	} {
		t.Run(attack.name, func(t *testing.T) {
			process, address := d.Serve(t, "SVC_WARM_DAYS=0")
			target{t, process, strings.TrimPrefix(address, "http://"), live.PublishableKey, channel}.withstands(attack.run)
		})
	}
}

// A server goes on resolving for clients at another address while strangers send it hostile documents and bodies of
// GraphQL, eight at a time.
func TestTheServerResolvesWhateverGraphQLIsSent(t *testing.T) {
	d := StartDev(t, nil, "--demo=small")
	live := d.Apps[0].Environments["live"]
	channel := pinnedChannel(t, live)
	bodies := hostileGraphQL(t)
	for _, caller := range []struct {
		name    string
		headers []string
	}{{"anonymous", nil}, {"with a key", []string{"Authorization", "Bearer " + d.APIKey}}} {
		process, address := d.Serve(t, "SVC_WARM_DAYS=0")
		for name, body := range bodies {
			t.Run(caller.name+"/"+name, func(t *testing.T) {
				a := target{t, process, strings.TrimPrefix(address, "http://"), live.PublishableKey, channel}
				client := clientAt(net.IPv4(127, 0, 0, 1))
				defer client.CloseIdleConnections()
				a.withstands(func(a target) {
					a.sendAtOnce(8, 5, func() (int, error) {
						answer, err := Do(client, http.MethodPost, address+"/graphql", body, caller.headers...)
						return answer.Status, err
					})
				})
			})
		}
	}
}

// What is promised under attack is the 99th percentile of at least so many resolves.
const (
	promisedLatency = 100 * time.Millisecond
	measuredAnswers = 500
)

// withstands attacks the server, which must stay small and go on resolving.
func (a target) withstands(attack func(target)) {
	a.t.Helper()
	before, busy := a.process.PeakMemory(), a.process.ProcessorTime()
	resolved, stop := bystander{a.host, a.key, a.channel}.start(a.t)
	attack(a)
	for measuresLatency && resolved() < measuredAnswers && !a.t.Failed() {
		attack(a)
	}
	latencies := stop()
	peak, p50, p99 := a.process.PeakMemory(), quantile(latencies, .5), quantile(latencies, .99)
	a.t.Logf("peak %d MiB, before %d MiB; %s of processors; %d resolves, p50 %s, p99 %s", peak>>20, before>>20,
		a.process.ProcessorTime()-busy, len(latencies), p50, p99)
	if peak >= maxResident {
		a.t.Errorf("the server took %d MiB", peak>>20)
	}
	if p50 > time.Second {
		a.t.Errorf("half of the resolves took longer than %s", p50)
	}
	if measuresLatency && p99 > promisedLatency {
		a.t.Errorf("one of a hundred resolves took longer than %s", p99)
	}
}

func quantile(sorted []time.Duration, q float64) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[min(len(sorted)-1, int(q*float64(len(sorted))))]
}

// clientAt sends from an address of this machine.
func clientAt(address net.IP) *http.Client {
	dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: address}}
	return &http.Client{
		Timeout: 60 * time.Second, Transport: &http.Transport{DialContext: dialer.DialContext, MaxIdleConnsPerHost: 100},
	}
}

func (a target) post(key, coding string, body []byte) func() (status int, err error) {
	return a.postFrom(net.IPv4(127, 0, 0, 1), key, coding, body)
}

// postFrom returns a function that posts the same events again and again.
func (a target) postFrom(address net.IP, key, coding string, body []byte) func() (status int, err error) {
	client := clientAt(address)
	a.t.Cleanup(client.CloseIdleConnections)
	return func() (int, error) {
		headers := []string{"Authorization", "Bearer " + key}
		if coding != "" {
			headers = append(headers, "Content-Encoding", coding)
		}
		answer, err := Do(client, http.MethodPost, "http://"+a.host+"/v1/sdk/analytics/events", body, headers...)
		return answer.Status, err
	}
}

// sendAtOnce sends from so many connections, so many times each. Whatever is
// sent, the server never fails.
func (a target) sendAtOnce(connections, times int, post func() (int, error)) {
	a.t.Helper()
	var mu sync.Mutex
	statuses := map[int]int{}
	var senders sync.WaitGroup
	for range connections {
		senders.Go(func() {
			for range times {
				status, err := post()
				mu.Lock()
				if err != nil {
					status = 0 // a refused body was still being sent
				}
				statuses[status]++
				mu.Unlock()
			}
		})
	}
	senders.Wait()
	a.t.Logf("answers: %v", statuses)
	for status := range statuses {
		if status >= 500 && status != http.StatusServiceUnavailable {
			a.t.Errorf("answered %d", status)
		}
	}
}

func (a target) chunkedHeader(key string) string {
	return fmt.Sprintf("POST /v1/sdk/analytics/events HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer "+
		"%s\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n",
		a.host, key, largestBody)
}

func (a target) announcedHeader() string {
	return fmt.Sprintf("POST /v1/sdk/analytics/events HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer "+
		"%s\r\nContent-Length: %d\r\n\r\n",
		a.host, a.key, largestBody)
}

// stall opens connections that send a header and some bytes of a body, and then
// nothing, until the server has answered or cut each.
func (a target) stall(connections int, header string, bytes int) {
	a.t.Helper()
	body := append([]byte(header), zeros(bytes)...)
	var senders sync.WaitGroup
	for range connections {
		conn, refused := a.dial()
		if refused {
			continue
		}
		senders.Go(func() {
			defer conn.Close()
			if err := conn.SetDeadline(time.Now().Add(60 * time.Second)); err != nil {
				a.t.Error(err)
			}
			_, _ = conn.Write(body) // the server may refuse it half-way
			if _, err := io.Copy(io.Discard, conn); errors.Is(err, os.ErrDeadlineExceeded) {
				a.t.Error("a connection that sends nothing is open after a minute")
			}
		})
	}
	senders.Wait()
}

// dial opens a connection, which the server may refuse to an address that opens so many.
func (a target) dial() (conn net.Conn, refused bool) {
	a.t.Helper()
	conn, err := net.Dial("tcp", a.host)
	if err != nil && !errors.Is(err, syscall.ECONNRESET) {
		a.t.Fatal(err)
	}
	return conn, err != nil
}

// announceAndLeave opens connections that announce a large body, send one byte
// of it and leave.
func (a target) announceAndLeave(connections int) {
	a.t.Helper()
	var open []net.Conn
	for range connections {
		conn, refused := a.dial()
		if refused {
			continue
		}
		open = append(open, conn)
		_, _ = io.WriteString(conn, a.announcedHeader()+"{")
	}
	for _, conn := range open {
		_ = conn.Close()
	}
}

func zeros(n int) []byte { return make([]byte, n) }

func gzipped(body []byte) []byte {
	var packed bytes.Buffer
	writer := gzip.NewWriter(&packed)
	_, _ = writer.Write(body) // a buffer takes everything
	_ = writer.Close()
	return packed.Bytes()
}

func zstded(body []byte) []byte {
	encoder, err := zstd.NewWriter(nil, zstd.WithWindowSize(8<<20))
	if err != nil {
		panic(err) // only for options that do not exist
	}
	return encoder.EncodeAll(body, nil)
}

// largeBatch returns a valid body of nearly the largest size: 500 events whose
// properties are as large as they may be.
func largeBatch() []byte {
	var events []event
	for i := range 500 {
		e := newEvent(fmt.Sprintf("p%d", i), "s")
		e["properties"] = map[string]any{"text": strings.Repeat("x", 32_000)}
		events = append(events, e)
	}
	return encode(map[string]any{"events": events})
}

// wideBatch returns a small body of large rows: what it says once of attribution is
// in the row of each of its 500 events.
func wideBatch() []byte {
	attribution := map[string]any{}
	for _, key := range []string{
		"source", "medium", "campaign", "content", "term", "adset", "creative", "referrer", "landingUrl",
	} {
		attribution[key] = strings.Repeat("é", 2048)
	}
	var events []event
	for i := range 500 {
		events = append(events, newEvent(fmt.Sprintf("p%d", i), "s"))
	}
	return encode(map[string]any{"context": map[string]any{"attribution": attribution}, "events": events})
}

func encode(value any) []byte {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err) // the values above can be encoded
	}
	return text
}
