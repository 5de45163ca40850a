// Package resolve measures how many resolve requests a second the server
// answers, against a bare net/http handler that writes the same bytes, in the
// same process and on the same cores as the load.
package resolve

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/textproto"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/delivery"
	"github.com/svc-dev/svc/delivery/deliverytest"
	"github.com/svc-dev/svc/internal/httpserver"
	"github.com/svc-dev/svc/postgres/pgtest"
	"github.com/svc-dev/svc/sdkapi"
)

const (
	connections  = 32
	manifestSize = 20_000 // bytes
	// Both servers are measured in short turns, and the median turn counts, so
	// that a noisy neighbour hits both or neither.
	turns      = 20
	turnLength = 100 * time.Millisecond
)

// world is a catalogue with one channel that serves a 20 kB manifest.
type world struct {
	catalogue *delivery.Catalogue
	key       string
	channel   string
	events    sdkapi.Events
	served    sdkapi.Served
	users     sdkapi.LiveUsers
}

func newWorld(b *testing.B) *world {
	db := pgtest.New(b)
	app := deliverytest.NewApp(b, db.Pool)
	channel := app.Live.Pinned(app.PublishManifest("", manifestSize))
	catalogue := delivery.New(db.Pool, delivery.Options{})
	require.NoError(b, catalogue.RefreshAll(context.Background()))
	return &world{catalogue: catalogue, key: app.Live.Key, channel: channel.PublicID}
}

// handler returns the interface as the server mounts it: with limits, request ids,
// access log and metrics.
func (w *world) handler() http.Handler {
	api := sdkapi.New(w.catalogue, sdkapi.Stores{Events: w.events, Served: w.served, LiveUsers: w.users}, sdkapi.Config{
		Limits: sdkapi.Limits{PerKey: 1 << 30, PerAddress: 1 << 30}, Gate: sdkapi.PlanGate{LiveUsers: w.users},
	})
	mux := http.NewServeMux()
	api.Register(mux)
	logger := slog.New(slog.NewTextHandler(io.Discard, nil))
	return httpserver.Observe(mux, logger, httpserver.NewMetrics(prometheus.NewRegistry()))
}

// person is who asks.
const person = "0197aa00-0000-7000-8000-000000000001"

// request returns one resolve as it goes over the wire.
func (w *world) request(extra string) []byte {
	body := `{"identity":{"appUserId":"` + person + `"},"context":{"platform":"web","locale":"en-GB","appVersion":"1.4.0"}}`
	return fmt.Appendf(nil, "POST /v1/sdk/resolve HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer "+
		"%s\r\nX-Svc-Channel: %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n%s\r\n%s",
		w.key, w.channel, len(body), extra, body)
}

// bare answers with fixed status, headers and bytes.
func bare(status int, header http.Header, body []byte) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		for name, values := range header {
			w.Header()[name] = values
		}
		w.WriteHeader(status)
		if len(body) > 0 {
			_, _ = w.Write(body)
		}
	})
}

func BenchmarkUnmodified(b *testing.B) {
	w := newWorld(b)
	compare(b, w, "If-None-Match: "+w.tag(b)+"\r\n", http.StatusNotModified)
}

func BenchmarkDocument(b *testing.B) { compare(b, newWorld(b), "", http.StatusOK) }

func BenchmarkDocumentGzip(b *testing.B) {
	compare(b, newWorld(b), "Accept-Encoding: gzip\r\n", http.StatusOK)
}

func (w *world) tag(b *testing.B) string {
	snapshot := w.catalogue.Snapshot()
	channel, condition := snapshot.Channel(snapshot.Tenant(w.key), w.channel)
	require.Empty(b, condition)
	answer, condition := channel.Resolve("dev-1", "")
	require.Empty(b, condition)
	return answer.ETag
}

// compare prints ours, the reference and their ratio.
func compare(b *testing.B, w *world, extra string, status int) {
	ours := httptest.NewServer(w.handler())
	defer ours.Close()
	request := w.request(extra)
	sample := exchange(b, ours, request)
	require.Equal(b, status, sample.status)
	reference := httptest.NewServer(bare(status, sample.header, sample.body))
	defer reference.Close()
	require.Equal(b, sample.body, exchange(b, reference, request).body)

	w.alternate(b, ours, reference, request)
}

// alternate loads both servers in turns and prints the median rates and their ratio.
func (w *world) alternate(b *testing.B, ours, reference *httptest.Server, request []byte) {
	var rates, references, ratios []float64
	for b.Loop() {
		for range turns {
			rate, reference := w.load(b, ours, request), w.load(b, reference, request)
			rates, references, ratios = append(rates, rate), append(references, reference), append(ratios, rate/reference)
		}
	}
	b.ReportMetric(median(rates), "ours/s")
	b.ReportMetric(median(references), "reference/s")
	b.ReportMetric(median(ratios), "ratio")
	b.ReportMetric(0, "ns/op") // the time of a loop says nothing
}

func median(values []float64) float64 {
	slices.Sort(values)
	return values[len(values)/2]
}

type answer struct {
	status int
	header http.Header
	body   []byte
}

func exchange(b *testing.B, server *httptest.Server, request []byte) answer {
	conn := dial(b, server)
	defer conn.Close()
	_, err := conn.Write(request)
	require.NoError(b, err)
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	require.NoError(b, err)
	body, err := io.ReadAll(response.Body)
	require.NoError(b, err)
	response.Header.Del("Date")
	return answer{status: response.StatusCode, header: response.Header, body: body}
}

func dial(b *testing.B, server *httptest.Server) net.Conn {
	conn, err := net.Dial("tcp", server.Listener.Addr().String())
	require.NoError(b, err)
	return conn
}

// load sends requests on all connections for one turn; it returns the answers a
// second.
func (w *world) load(b *testing.B, server *httptest.Server, request []byte) float64 {
	begin := time.Now()
	answered, err := sendLoad(server.Listener.Addr().String(), request, turnLength)
	require.NoError(b, err)
	return float64(answered) / time.Since(begin).Seconds()
}

// sendLoad sends a request on all connections for a while and returns how many were answered.
func sendLoad(address string, request []byte, length time.Duration) (int64, error) {
	var answered atomic.Int64
	var running sync.WaitGroup
	errs := make([]error, connections)
	end := time.Now().Add(length)
	for at := range connections {
		running.Go(func() {
			conn, err := net.Dial("tcp", address)
			if err != nil {
				errs[at] = err
				return
			}
			defer conn.Close()
			reader := bufio.NewReaderSize(conn, 32<<10)
			n := 0
			for time.Now().Before(end) {
				if _, errs[at] = conn.Write(request); errs[at] != nil {
					return
				}
				if errs[at] = skipResponse(reader); errs[at] != nil {
					return
				}
				n++
			}
			answered.Add(int64(n))
		})
	}
	running.Wait()
	return answered.Load(), errors.Join(errs...)
}

var contentLength = []byte("Content-Length: ")

// skipResponse reads past one response with as little work as can be, because
// the client shares its cores with the server.
func skipResponse(reader *bufio.Reader) error {
	length := 0
	for {
		line, err := reader.ReadSlice('\n')
		if err != nil {
			return err
		}
		if len(line) <= 2 {
			_, err = reader.Discard(length)
			return err
		}
		if value, found := bytes.CutPrefix(line, contentLength); found {
			if length, err = strconv.Atoi(textproto.TrimString(string(value))); err != nil {
				return err
			}
		}
	}
}

// BenchmarkAllocations shows that a request allocates the same for a small and
// for a large manifest.
func BenchmarkAllocations(b *testing.B) {
	for _, size := range []int{20_000, 1_000_000} {
		db := pgtest.New(b)
		app := deliverytest.NewApp(b, db.Pool)
		channel := app.Live.Pinned(app.PublishManifest("", size))
		catalogue := delivery.New(db.Pool, delivery.Options{})
		require.NoError(b, catalogue.RefreshAll(context.Background()))
		handler := sdkapi.New(catalogue, sdkapi.Stores{}, sdkapi.Config{}).Handler()
		for _, accept := range []string{"", " gzip"} {
			b.Run(fmt.Sprintf("%d kB%s", size/1000, accept), func(b *testing.B) {
				b.ReportAllocs()
				ask := func() {
					request := httptest.NewRequest(http.MethodPost, "/v1/sdk/resolve", bytes.NewReader([]byte(`{"userId":"dev-1"}`)))
					request.Header.Set("Authorization", "Bearer "+app.Live.Key)
					request.Header.Set("X-Svc-Channel", channel.PublicID)
					request.Header.Set("Accept-Encoding", accept)
					writer := discard{header: http.Header{}}
					handler.ServeHTTP(&writer, request)
					if writer.status != http.StatusOK && writer.status != 0 {
						b.Fatal(writer.status)
					}
				}
				ask() // the first one fills caches
				for b.Loop() {
					ask()
				}
			})
		}
	}
}

type discard struct {
	header http.Header
	status int
}

func (d *discard) Header() http.Header         { return d.header }
func (d *discard) WriteHeader(status int)      { d.status = status }
func (d *discard) Write(p []byte) (int, error) { return len(p), nil }
