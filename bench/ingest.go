package main

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

const (
	ingestConnections   = 64
	ingestBatch         = 20
	ingestTarget        = 20_000 // acknowledged events a second
	ingestWarmUp        = 3 * time.Second
	ingestDuration      = 12 * time.Second
	ingestCalmDuration  = 8 * time.Second
	ingestSliceDuration = 4 * time.Second // of product and flow events by turns
	ingestSlices        = 3
	requestsPerSession  = 2
	ingestCopyChunkRows = 2000
)

// benchIngest loads the event path with full rows from this process, on the
// same cores as the server and its database.
func benchIngest(ctx context.Context) error {
	// Requests are counted as ever, and never refused.
	return onServer(ctx, loadIngest, "SVC_RATE_LIMIT_KEY=1000000000", "SVC_RATE_LIMIT_ADDRESS=1000000000")
}

func loadIngest(ctx context.Context, s *server) error {
	load := newLoader(s)
	if _, _, err := load.run(ctx, ingestWarmUp, 0); err != nil {
		return err
	}
	ownBefore, databaseBefore, err := s.processorTime()
	if err != nil {
		return err
	}
	acknowledged, _, err := load.run(ctx, ingestDuration, 0)
	if err != nil {
		return err
	}
	own, database, err := s.processorTime()
	if err != nil {
		return err
	}
	rate := float64(acknowledged) / ingestDuration.Seconds()
	row("ingest over HTTP, acknowledged events/s", rate, "ev/s", ingestTarget, "target")
	perEvent := func(d time.Duration) float64 { return d.Seconds() * 1e6 / float64(acknowledged) }
	row("  processor time of the server", perEvent(own-ownBefore), "µs/ev", 0, "")
	row("  processor time of the database", perEvent(database-databaseBefore), "µs/ev", 0, "")
	copied, err := copyRate(ctx, s.file.DatabaseURL)
	if err != nil {
		return err
	}
	row("  the same rows", rate, "ev/s", copied, "COPY into a bare table, two connections")
	if err := loadCalmly(ctx, s, load, rate/2); err != nil {
		return err
	}
	return loadFlows(ctx, s, load)
}

// loadFlows loads the path of flow events and, by turns, that of product events.
func loadFlows(ctx context.Context, s *server, product *loader) error {
	if err := addChannels(ctx, s.file.DatabaseURL, 1); err != nil {
		return err
	}
	flow := newFlowLoader(s)
	if err := flow.waitForChannel(ctx); err != nil {
		return err
	}
	if _, _, err := flow.run(ctx, ingestWarmUp, 0); err != nil {
		return err
	}
	var flows, products pathCost
	for range ingestSlices {
		if err := products.add(ctx, s, product); err != nil {
			return err
		}
		if err := flows.add(ctx, s, flow); err != nil {
			return err
		}
	}
	const reference = "product events by turns"
	row("ingest of flow events", flows.rate(), "ev/s", products.rate(), reference)
	row("  processor time, server and database", flows.microseconds(), "µs/ev", products.microseconds(), reference)
	row("  write-ahead log", flows.logged(), "B/ev", products.logged(), reference)
	return nil
}

// pathCost is what storing the events of one path took.
type pathCost struct {
	events        int64
	took          time.Duration
	own, database time.Duration // processor time of the server and of its database
	wal           int64         // bytes of the write-ahead log
}

func (c *pathCost) rate() float64 { return float64(c.events) / c.took.Seconds() }

// microseconds returns the processor time for one event, ownMicroseconds what the server takes of it.
func (c *pathCost) microseconds() float64 {
	return (c.own + c.database).Seconds() * 1e6 / float64(c.events)
}

func (c *pathCost) ownMicroseconds() float64 { return c.own.Seconds() * 1e6 / float64(c.events) }

func (c *pathCost) logged() float64 { return float64(c.wal) / float64(c.events) }

// add loads the path for one slice.
func (c *pathCost) add(ctx context.Context, s *server, load *loader) error {
	walBefore, err := s.walBytes(ctx)
	if err != nil {
		return err
	}
	ownBefore, databaseBefore, err := s.processorTime()
	if err != nil {
		return err
	}
	acknowledged, _, err := load.run(ctx, ingestSliceDuration, 0)
	if err != nil {
		return err
	}
	own, database, err := s.processorTime()
	if err != nil {
		return err
	}
	wal, err := s.walBytes(ctx)
	if err != nil {
		return err
	}
	c.wal += wal - walBefore
	c.events, c.took = c.events+acknowledged, c.took+ingestSliceDuration
	c.own, c.database = c.own+own-ownBefore, c.database+database-databaseBefore
	return nil
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

func quantile(sorted []time.Duration, q float64) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[min(len(sorted)-1, int(math.Ceil(q*float64(len(sorted))))-1)]
}

// loader sends batches over a fixed number of connections.
type loader struct {
	url, key string
	channel  string // of flow events
	batch    func() *batch
	client   *http.Client
	sessions atomic.Int64
	// told is told of each answer: when its request was to be sent, and how long after that it came. May be nil.
	told func(due time.Time, took time.Duration)
}

func newLoader(s *server) *loader {
	return &loader{
		url: s.file.BaseURL + "/v1/sdk/analytics/events", key: s.liveKey(), batch: newBatch, client: &http.Client{
			Timeout:   60 * time.Second,
			Transport: &http.Transport{MaxIdleConnsPerHost: ingestConnections, DisableCompression: true},
		},
	}
}

// newFlowLoader returns a loader of flow events, of the first channel of addChannels.
func newFlowLoader(s *server) *loader {
	l := newLoader(s)
	l.url, l.channel, l.batch = s.file.BaseURL+"/v1/sdk/events", "ch_live_bench1", newFlowBatch
	return l
}

// waitForChannel sends a batch until the server knows the channel.
func (l *loader) waitForChannel(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	for {
		body := l.batch()
		body.newSession(l.sessions.Add(1))
		body.renew()
		_, err := l.send(ctx, body.bytes, ingestBatch)
		if err == nil || ctx.Err() != nil {
			return err
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// run sends for the duration: as fast as answers come when rate is 0, else that
// many events a second, each request on time whatever the answers do. It
// returns the acknowledged events and the time of each request.
func (l *loader) run(ctx context.Context, duration time.Duration, rate float64) (int64, []time.Duration, error) {
	ctx, cancel := context.WithTimeout(ctx, duration+60*time.Second)
	defer cancel()
	began := time.Now()
	var acknowledged atomic.Int64
	times := make([][]time.Duration, ingestConnections)
	errs := make([]error, ingestConnections)
	var wait sync.WaitGroup
	for c := range ingestConnections {
		wait.Go(func() {
			body := l.batch()
			every := time.Duration(0)
			if rate > 0 {
				every = time.Duration(float64(ingestConnections*ingestBatch) / rate * float64(time.Second))
			}
			due := began.Add(every * time.Duration(c) / ingestConnections)
			for n := int64(0); time.Since(began) < duration; n++ {
				if every > 0 {
					time.Sleep(time.Until(due))
				} else {
					due = time.Now()
				}
				if n%requestsPerSession == 0 {
					body.newSession(l.sessions.Add(1))
				}
				body.renew()
				stored, err := l.send(ctx, body.bytes, ingestBatch)
				if err != nil {
					errs[c] = err
					return
				}
				acknowledged.Add(stored)
				took := time.Since(due)
				times[c] = append(times[c], took)
				if l.told != nil {
					l.told(due, took)
				}
				due = due.Add(every)
			}
		})
	}
	wait.Wait()
	for _, err := range errs {
		if err != nil {
			return 0, nil, err
		}
	}
	return acknowledged.Load(), slices.Concat(times...), nil
}

func (l *loader) send(ctx context.Context, body []byte, want int64) (int64, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, l.url, bytes.NewReader(body))
	if err != nil {
		return 0, err
	}
	request.Header.Set("Authorization", "Bearer "+l.key)
	request.Header.Set("Content-Type", "application/json")
	if l.channel != "" {
		request.Header.Set("X-Svc-Channel", l.channel)
	}
	response, err := l.client.Do(request)
	if err != nil {
		return 0, err
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		return 0, err
	}
	var answer struct{ Stored int64 }
	if response.StatusCode != http.StatusOK || json.Unmarshal(content, &answer) != nil || answer.Stored != want {
		return 0, fmt.Errorf("answer %s: %s", response.Status, content)
	}
	return answer.Stored, nil
}

// batch is a request body whose ids and times are overwritten in place, so that
// the load generator takes little of the cores that it shares.
type batch struct {
	bytes                  []byte
	events                 []int // offsets of event ids
	sessions, people, runs []int
	times                  []int
	person                 int64 // by whose client the events are
	// renamed gives events other names; nil when they keep them.
	renamed func()
}

const (
	idMark      = "eeeeeeee-eeee-7eee-8eee-eeeeeeeeeeee"
	sessionMark = "55555555-5555-7555-8555-555555555555"
	personMark  = "99999999-9999-7999-8999-999999999999"
	runMark     = "77777777-7777-7777-8777-777777777777"
	timeMark    = "2000-01-01T00:00:00.000Z"
)

func newBatch() *batch {
	var events []any
	for i := range ingestBatch {
		name, screen := "page_view", any(fmt.Sprintf("/products/%d", i%7))
		switch {
		case i == 0:
			name, screen = "session_start", nil
		case i%5 == 4:
			name, screen = "add_to_cart", nil
		}
		events = append(events, map[string]any{
			"eventId": idMark, "name": name, "timestamp": timeMark, "screenName": screen,
			"identity": map[string]any{"appUserId": personMark, "customUserId": "customer-12345", "sessionId": sessionMark},
			"context": map[string]any{
				"platform": "web", "appVersion": "1.4.0", "locale": "en-GB", "browser": "Safari", "os": "macOS",
				"device": "desktop",
				"attribution": map[string]any{
					"acquisition.source": "google", "acquisition.channel": "cpc", "acquisition.campaign": "spring-sale",
					"link.ext.utm_content": "hero", "link.ext.utm_term": "plants", "acquisition.adset": "lookalike",
					"acquisition.creative": "video-3",
					"link.ext.referrer":    "https://www.google.com/",
					"link.ext.landing_url": "https://tendril.example/?utm_source=google", "attribution.isOrganic": false,
				},
			},
			"properties": map[string]any{"plan": "pro", "price": 29.99, "position": i, "tags": []string{"a", "b"}},
		})
	}
	return batchOf(events)
}

// newFlowBatch makes the events of a run that an SDK sends.
func newFlowBatch() *batch {
	var events []any
	for i := range ingestBatch {
		step, before := fmt.Sprintf("screen-%d", i/3), any(nil)
		if i >= 3 {
			before = fmt.Sprintf("screen-%d", i/3-1)
		}
		e := map[string]any{
			"eventId": idMark, "timestamp": timeMark, "flowId": "11111111-1111-4111-8111-111111111111",
			"versionId": "22222222-2222-4222-8222-222222222222", "experimentId": "33333333-3333-4333-8333-333333333333",
			"variantId": "control", "stepId": step, "runId": runMark, "seq": i, "assignmentVersion": 3,
			"identity": map[string]any{"appUserId": personMark, "customUserId": "customer-12345", "sessionId": sessionMark},
			"context": map[string]any{
				"platform": "web", "appVersion": "1.4.0", "locale": "en-GB", "browser": "Safari", "os": "macOS",
				"device": "desktop", "customProperties": map[string]any{"plan": "free", "visits": 3},
			},
		}
		switch i % 3 {
		case 0:
			e["name"], e["fromStepId"] = "step_viewed", before
		case 1:
			e["name"] = "choice_selected"
			e["properties"] = map[string]any{"field_key": "field-" + step, "value": fmt.Sprintf("option-%d", i%4)}
		case 2:
			e["name"] = "step_completed"
		}
		if i == 0 {
			e["name"], e["stepId"] = "flow_started", nil
		}
		events = append(events, e)
	}
	return batchOf(events)
}

func batchOf(events []any) *batch {
	encoded, err := json.Marshal(map[string]any{"events": events})
	if err != nil {
		panic(err) // the values are maps of texts and numbers
	}
	b := &batch{bytes: encoded}
	b.events, b.sessions, b.people, b.times = b.find(idMark), b.find(sessionMark), b.find(personMark), b.find(timeMark)
	b.runs = b.find(runMark)
	return b
}

func (b *batch) find(mark string) []int {
	var offsets []int
	for at := 0; ; {
		i := bytes.Index(b.bytes[at:], []byte(mark))
		if i < 0 {
			return offsets
		}
		offsets = append(offsets, at+i)
		at += i + len(mark)
	}
}

func (b *batch) fill(offsets []int, text []byte) {
	for _, at := range offsets {
		copy(b.bytes[at:], text)
	}
}

// newSession gives the batch a session and a run; one visitor has three.
func (b *batch) newSession(n int64) {
	b.fill(b.sessions, uuidText(uuid.Must(uuid.NewV7())))
	b.fill(b.runs, uuidText(uuid.Must(uuid.NewV7())))
	b.person = n / 3
	var person uuid.UUID
	copy(person[:], fmt.Sprintf("%016x", b.person))
	b.fill(b.people, uuidText(person))
}

// renew gives every event a new id and the present time. Ids of flow events are random, as SDKs make them.
func (b *batch) renew() {
	for _, at := range b.events {
		id := uuid.New()
		if b.runs == nil {
			id = uuid.Must(uuid.NewV7())
			makeBy(&id, uint64(b.person))
		}
		copy(b.bytes[at:], uuidText(id))
	}
	if b.renamed != nil {
		b.renamed()
	}
	now := time.Now().UTC()
	for i, at := range b.times {
		copy(b.bytes[at:], now.Add(time.Duration(i-len(b.times))*time.Millisecond).Format("2006-01-02T15:04:05.000Z"))
	}
}

func uuidText(id uuid.UUID) []byte {
	var text [36]byte
	hex.Encode(text[:], id[:4])
	text[8] = '-'
	hex.Encode(text[9:], id[4:6])
	text[13] = '-'
	hex.Encode(text[14:], id[6:8])
	text[18] = '-'
	hex.Encode(text[19:], id[8:10])
	text[23] = '-'
	hex.Encode(text[24:], id[10:])
	return text[:]
}

// copyRate reads the stored rows back and copies them into a table of the same
// columns without index, over two connections, in transactions of the writer's
// size.
func copyRate(ctx context.Context, databaseURL string) (float64, error) {
	const rows = 200_000
	var connections [2]*pgx.Conn
	for i := range connections {
		conn, err := pgx.Connect(ctx, databaseURL)
		if err != nil {
			return 0, err
		}
		defer conn.Close(ctx)
		connections[i] = conn
	}
	if _, err := connections[0].Exec(ctx, `create table bench_copy (like product_event)`); err != nil {
		return 0, err
	}
	defer func() { _, _ = connections[0].Exec(ctx, `drop table bench_copy`) }() // the directory goes anyway
	result, err := connections[0].Query(ctx, `select * from product_event limit $1`, rows)
	if err != nil {
		return 0, err
	}
	var columns []string
	for _, field := range result.FieldDescriptions() {
		columns = append(columns, field.Name)
	}
	stored, err := pgx.CollectRows(result, func(r pgx.CollectableRow) ([]any, error) { return r.Values() })
	if err != nil {
		return 0, err
	}
	began := time.Now()
	errs := make(chan error, len(connections))
	for i, conn := range connections {
		part := stored[i*len(stored)/len(connections) : (i+1)*len(stored)/len(connections)]
		go func() {
			for chunk := range slices.Chunk(part, ingestCopyChunkRows) {
				if _, err := conn.CopyFrom(ctx, pgx.Identifier{"bench_copy"}, columns, pgx.CopyFromRows(chunk)); err != nil {
					errs <- err
					return
				}
			}
			errs <- nil
		}()
	}
	for range connections {
		if err := <-errs; err != nil {
			return 0, err
		}
	}
	return float64(len(stored)) / time.Since(began).Seconds(), nil
}
