package ingest

import (
	"context"
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/analytics/session"
	"github.com/svc-dev/svc/postgres"
	"github.com/svc-dev/svc/postgres/pgtest"
)

// benchClient makes the traffic of visitors whose sessions last some views.
type benchClient struct {
	rng      *rand.Rand
	sessions []ProductEvent
}

func newBenchClient(seed int64) *benchClient {
	return &benchClient{rng: rand.New(rand.NewSource(seed))}
}

func (c *benchClient) request(n int) ProductBatch {
	const open = 40
	for len(c.sessions) < open {
		c.sessions = append(c.sessions, c.session())
	}
	at := c.rng.Intn(open)
	if c.rng.Intn(3) == 0 {
		c.sessions[at] = c.session()
	}
	events := make([]ProductEvent, n)
	for i := range events {
		e := c.sessions[at]
		if i%5 == 4 { // several people share a request only where a server sends for them
			at = c.rng.Intn(open)
		}
		e.Index, e.Key, e.OccurredAt = i, uuid.Must(uuid.NewV7()), time.Now().UTC().Truncate(time.Millisecond)
		e.EventID = e.Key.String()
		e.Page = fmt.Sprintf("/products/%d", c.rng.Intn(2000))
		events[i] = e
	}
	return ProductBatch{Events: events}
}

func (c *benchClient) session() ProductEvent {
	return ProductEvent{
		Name: NamePageView, AppUserID: uuid.NewString(), SessionID: uuid.Must(uuid.NewV7()).String(),
		Platform: "web", Browser: "Safari", OS: "macOS", Device: "desktop", AppVersion: "1.4.0", Locale: "en-GB",
		Attribution: Attribution{
			Source: "google", Medium: "cpc", Campaign: fmt.Sprintf("spring-%d", c.rng.Intn(50)), Referrer: "www.google.com",
			Landing: "https://example.com/?utm_source=google", Organic: session.OrganicFalse,
		},
		Place:      londonPlace,
		Properties: []byte(`{"plan":"pro","price":12.5,"trial":true}`),
	}
}

// BenchmarkWriter measures the writer alone, without HTTP and decoding, on a
// server with production settings: 64 clients, 20 events a request.
func BenchmarkWriter(b *testing.B) {
	server := pgtest.Server(b)
	ctx := context.Background()
	db, err := postgres.Open(ctx, server.DatabaseURL("postgres"), postgres.Options{})
	require.NoError(b, err)
	defer db.Close()
	require.NoError(b, postgres.Migrate(ctx, db, postgres.MigrateOptions{}))
	if os.Getenv("INGEST_BENCH_SQL") != "" {
		_, err = db.Pool.Exec(ctx, os.Getenv("INGEST_BENCH_SQL"))
		require.NoError(b, err)
	}
	w := startWriter(b, db, Settings{}, Deps{})
	const clients, size = 64, 20
	var wg sync.WaitGroup
	requests := make(chan struct{}, clients)
	for c := range clients {
		wg.Go(func() {
			client := newBenchClient(int64(c))
			for range requests {
				answer, err := w.storeProduct(ctx, PathProduct, client.request(size), nil, testOrigin())
				if err != nil || answer.Stored != size {
					b.Error(err, answer)
				}
			}
		})
	}
	b.ResetTimer()
	for range b.N {
		requests <- struct{}{}
	}
	close(requests)
	wg.Wait()
	b.ReportMetric(float64(b.N*size)/b.Elapsed().Seconds(), "events/s")
	b.ReportMetric(childSeconds(b, server.PID())*1e6/float64(b.N*size), "database-µs/event")
}

// childSeconds returns the processor time of a process's children. On a machine
// that is busy with other things it says more than the clock does.
func childSeconds(b *testing.B, parent int) float64 {
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	require.NoError(b, err)
	ticks := 0
	for _, path := range stats {
		raw, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended
		}
		_, rest, _ := strings.Cut(string(raw), ") ")
		fields := strings.Fields(rest)
		if len(fields) < 13 || fields[1] != strconv.Itoa(parent) {
			continue
		}
		for _, field := range fields[11:13] { // user and system time
			n, err := strconv.Atoi(field)
			require.NoError(b, err)
			ticks += n
		}
	}
	return float64(ticks) / 100 // USER_HZ
}
