package sdkapi_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/delivery"
	"github.com/svc-dev/svc/delivery/deliverytest"
	"github.com/svc-dev/svc/ingest"
	"github.com/svc-dev/svc/internal/fault"
	"github.com/svc-dev/svc/manifest"
	"github.com/svc-dev/svc/people"
	"github.com/svc-dev/svc/postgres/pgtest"
	"github.com/svc-dev/svc/revenue"
	"github.com/svc-dev/svc/sdkapi"
)

// world is one app with a channel in every state, and the server in front of it.
type world struct {
	t         *testing.T
	app       *deliverytest.App
	pool      *pgxpool.Pool
	catalogue *delivery.Catalogue
	events    *memoryEvents
	people    *failingPeople
	payments  *failingPayments
	previews  *memoryPreviews
	server    *httptest.Server
	versions  []*deliverytest.Version

	pinned, second, archived, unassigned, gone, draft, running, twins, versionless deliverytest.Channel
	experiment                                                                     *deliverytest.Experiment
}

func newWorld(t *testing.T) *world {
	t.Helper()
	db := pgtest.New(t)
	app := deliverytest.NewApp(t, db.Pool)
	w := &world{
		t: t, app: app, pool: db.Pool, events: &memoryEvents{seen: map[ingest.Key]bool{}},
		people:   &failingPeople{Store: people.New(db.Pool, people.Options{})},
		payments: &failingPayments{Ledger: revenue.New(db.Pool, revenue.Options{})},
		previews: &memoryPreviews{},
	}
	for range 2 {
		w.versions = append(w.versions, app.PublishManifest("", 2000))
	}
	arms := func(a, b *deliverytest.Version) []deliverytest.Arm {
		return []deliverytest.Arm{{Key: "a", Weight: 1, Version: a}, {Key: "b", Weight: 1, Version: b}}
	}
	w.pinned, w.second = app.Live.Pinned(w.versions[0]), app.Live.Pinned(w.versions[1])
	w.archived, w.unassigned, w.gone = app.Live.Pinned(w.versions[0]), app.Live.Channel(), app.Live.Channel()
	w.draft, w.running = app.Live.Channel(), app.Live.Channel()
	w.twins, w.versionless = app.Live.Channel(), app.Live.Channel()
	w.archived.Archive()
	app.Exec("update channels set assignment = 'direct' where id = $1", w.gone.ID)
	w.draft.Experiment("draft", arms(w.versions[0], w.versions[1])...)
	w.experiment = w.running.Experiment("running", arms(w.versions[0], w.versions[1])...)
	w.twins.Experiment("running", arms(w.versions[0], w.versions[0])...)
	w.versionless.Experiment("running", arms(nil, nil)...)
	w.catalogue = delivery.New(db.Pool, delivery.Options{MediaBase: "https://svc.example.com"})
	require.NoError(t, w.catalogue.RefreshAll(context.Background()))
	w.server = w.serve(sdkapi.Config{})
	return w
}

// refresh makes a change of the control plane known.
func (w *world) refresh() {
	w.t.Helper()
	require.NoError(w.t, w.catalogue.RefreshAll(context.Background()))
}

func (w *world) stores() sdkapi.Stores {
	return sdkapi.Stores{Events: w.events, People: w.people, Payments: w.payments, Previews: w.previews}
}

// serve starts another server with other settings over the same world.
func (w *world) serve(config sdkapi.Config) *httptest.Server {
	w.t.Helper()
	if config.Logger == nil {
		config.Logger = slog.New(slog.DiscardHandler)
	}
	server := httptest.NewServer(sdkapi.New(w.catalogue, w.stores(), config).Handler())
	w.keep(server)
	return server
}

// keep closes a server at the end of the test. Its client shows answers as they were sent, compressed or not.
func (w *world) keep(server *httptest.Server) {
	server.Client().Transport.(*http.Transport).DisableCompression = true
	w.t.Cleanup(server.Close)
}

// serveSlow starts a server that waits for a request for a moment only.
func (w *world) serveSlow() *httptest.Server {
	w.t.Helper()
	config := sdkapi.Config{Logger: slog.New(slog.DiscardHandler)}
	server := httptest.NewUnstartedServer(sdkapi.New(w.catalogue, w.stores(), config).Handler())
	server.Config.ReadTimeout = 500 * time.Millisecond
	server.Start()
	w.keep(server)
	return server
}

// memoryPreviews shows what the pinned channel serves to the token "good", refuses all others by their name, and fails.
type memoryPreviews struct {
	fail atomic.Pointer[error]
	slow atomic.Int64 // how long an opening takes
	now  atomic.Int64 // openings in work
	most atomic.Int64 // at once so far

	mu     sync.Mutex
	opened []uuid.UUID // the workspaces, in their order
}

func (m *memoryPreviews) OpenPreview(
	_ context.Context, tenant *delivery.Tenant, token string,
) (*delivery.Body, error) {
	if err := m.fail.Load(); err != nil {
		return nil, *err
	}
	m.most.Store(max(m.most.Load(), m.now.Add(1))) // one at a time, or the test fails
	defer m.now.Add(-1)
	m.mu.Lock()
	m.opened = append(m.opened, tenant.WorkspaceID)
	m.mu.Unlock()
	time.Sleep(time.Duration(m.slow.Load())) // drawing a large one
	if token == "good" {
		answer, _ := tenant.Channels[0].Resolve("u", "")
		return answer.Body, nil
	}
	refusal := fault.New(fault.Code(token), "no")
	refusal.Details = map[string]any{"problems": []manifest.Problem{
		{Severity: manifest.Warning, Code: "a.warning", Message: "It could be better."},
		{Severity: manifest.Error, Code: "an.error", Pointer: "/screens/0", Message: "It can't be."},
	}}
	return nil, refusal
}

// refusedNames are names of events that memoryEvents refuses as only a database can, with a code each.
var refusedNames = map[string]string{
	"refused by the store": ingest.CodeEventRefused, "of an erased person": ingest.CodePersonErased,
}

// memoryEvents stores events as ingest decodes them, in memory, or fails.
type memoryEvents struct {
	fail atomic.Pointer[error]
	last atomic.Pointer[ingest.Request]
	body atomic.Pointer[[]byte]

	mu    sync.Mutex
	seen  map[ingest.Key]bool
	names [][]string // the custom user ids of each batch
}

// named returns the custom user ids of the last batch.
func (m *memoryEvents) named() []string { return m.names[len(m.names)-1] }

func (m *memoryEvents) note(names []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.names = append(m.names, names)
}

func (m *memoryEvents) Product(_ context.Context, body []byte, origin ingest.Request) (ingest.Answer, error) {
	decoded, err := ingest.DecodeProduct(body, rules(origin))
	return m.store(body, origin, m.productKeys(decoded), decoded.Rejected, err)
}

func (m *memoryEvents) Track(_ context.Context, body []byte, origin ingest.Request) (ingest.Answer, error) {
	decoded, err := ingest.DecodeTrack(body, rules(origin))
	if err == nil && len(decoded.Events) > 0 {
		if code := refusedNames[decoded.Events[0].Name]; code != "" {
			decoded.Events, decoded.Rejected = nil, []ingest.Reject{{Code: code, Message: "refused"}}
		}
	}
	answer, err := m.store(body, origin, m.productKeys(decoded), decoded.Rejected, err)
	if err == nil && decoded.Bare && len(decoded.Rejected) > 0 {
		return ingest.Answer{}, &ingest.EnvelopeError{Code: decoded.Rejected[0].Code, Message: decoded.Rejected[0].Message}
	}
	return answer, err
}

func (m *memoryEvents) Flow(_ context.Context, body []byte, origin ingest.Request) (ingest.Answer, error) {
	decoded, err := ingest.DecodeFlow(body, rules(origin))
	var keys []ingest.Key
	var names []string
	for _, event := range decoded.Events {
		keys, names = append(keys, event.Key), append(names, event.CustomUserID)
	}
	m.note(names)
	return m.store(body, origin, keys, decoded.Rejected, err)
}

func rules(origin ingest.Request) ingest.Rules {
	return ingest.Rules{ReceivedAt: origin.ReceivedAt, Window: 7 * 24 * time.Hour, Prove: origin.Prove}
}

func (m *memoryEvents) productKeys(batch ingest.ProductBatch) (keys []ingest.Key) {
	var names []string
	for _, event := range batch.Events {
		keys, names = append(keys, event.Key), append(names, event.CustomUserID)
	}
	m.note(names)
	return keys
}

func (m *memoryEvents) store(
	body []byte, origin ingest.Request, keys []ingest.Key, rejected []ingest.Reject, err error,
) (ingest.Answer, error) {
	m.last.Store(&origin)
	m.body.Store(&body)
	if fail := m.fail.Load(); fail != nil {
		return ingest.Answer{}, *fail
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	answer := ingest.Answer{Accepted: true, Rejected: append([]ingest.Reject{}, rejected...)}
	for _, key := range keys {
		if m.seen[key] {
			answer.Duplicates++
			continue
		}
		m.seen[key] = true
		answer.Stored++
	}
	return answer, err
}

// exchange is one request and its answer.
type exchange struct {
	method, path, sent string
	status             int
	header             http.Header
	body               []byte
}

// code returns the error code of the answer, "" without one.
func (x *exchange) code() string {
	var body struct{ Code string }
	_ = json.Unmarshal(x.body, &body)
	return body.Code
}

// change edits a request before it is sent.
type change func(*http.Request)

func header(name, value string) change {
	return func(r *http.Request) { r.Header.Set(name, value) }
}

func without(name string) change { return func(r *http.Request) { r.Header.Del(name) } }

func method(name string) change { return func(r *http.Request) { r.Method = name } }

func query(text string) change { return func(r *http.Request) { r.URL.RawQuery = text } }

// body replaces what is sent; the length is announced.
func body(text string) change {
	return func(r *http.Request) {
		r.Body, r.ContentLength = io.NopCloser(strings.NewReader(text)), int64(len(text))
	}
}

// chunked sends a body without announcing its length.
func chunked(text string) change {
	return func(r *http.Request) { r.Body, r.ContentLength = io.NopCloser(strings.NewReader(text)), -1 }
}

// announced announces a body of so many bytes and sends none of it.
func announced(length int64) change {
	return func(r *http.Request) {
		silence, _ := io.Pipe()
		r.Body, r.ContentLength = silence, length
	}
}

func encoded(coding, text string) change {
	var out bytes.Buffer
	var writer io.WriteCloser = gzip.NewWriter(&out)
	if coding == "zstd" {
		writer, _ = zstd.NewWriter(&out)
	}
	_, _ = io.WriteString(writer, text)
	_ = writer.Close()
	return func(r *http.Request) {
		body(out.String())(r)
		r.Header.Set("Content-Encoding", coding)
	}
}

const resolveBody = `{"identity":{"appUserId":"dev-1"}}`

// send posts to a path of the world's server with its live key and pinned
// channel; sent is the body.
func (w *world) send(path, sent string, changes ...change) *exchange {
	w.t.Helper()
	return w.sendTo(w.server, path, sent, changes...)
}

func (w *world) sendTo(server *httptest.Server, path, sent string, changes ...change) *exchange {
	w.t.Helper()
	request, err := http.NewRequest(http.MethodPost, server.URL+path, nil)
	require.NoError(w.t, err)
	body(sent)(request)
	request.Header.Set("Authorization", "Bearer "+w.app.Live.Key)
	request.Header.Set("Content-Type", "application/json")
	if path == "/v1/sdk/resolve" || path == "/v1/sdk/events" || strings.HasPrefix(path, attempts) {
		request.Header.Set("X-Svc-Channel", w.pinned.PublicID)
	}
	for _, change := range changes {
		change(request)
	}
	response, err := server.Client().Do(request)
	require.NoError(w.t, err)
	defer response.Body.Close()
	defer request.Body.Close() // the transport waits for one that does not come, answer or not
	text, err := io.ReadAll(response.Body)
	require.NoError(w.t, err)
	return &exchange{
		method: request.Method, path: path, sent: sent, status: response.StatusCode, header: response.Header, body: text,
	}
}

func channel(c deliverytest.Channel) change { return header("X-Svc-Channel", c.PublicID) }
