package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// tables returns what every table holds, as a hash by name, but for when a connection refused something last.
func tables(t *testing.T, d *Dev) map[string]string {
	t.Helper()
	ctx := t.Context()
	conn, err := pgx.Connect(ctx, d.DatabaseURL)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx)
	rows, err := conn.Query(ctx, `select tablename from pg_tables where schemaname = 'public' order by 1`)
	if err != nil {
		t.Fatal(err)
	}
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	held := map[string]string{}
	for _, name := range names {
		var hash string
		if err := conn.QueryRow(ctx, fmt.Sprintf(`
			select coalesce(md5(string_agg(text, e'\n' order by text)), '') from (
				select (to_jsonb(t) - '{last_error,last_error_at}'::text[])::text as text from %s t) rows`,
			pgx.Identifier{name}.Sanitize())).Scan(&hash); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		held[name] = hash
	}
	return held
}

// TestForgedDeliveriesChangeNothing sends forged deliveries of every kind, a thousand a second: all are refused, no
// table changes, memory stays, and one costs less than a tenth of what a batch of events does.
func TestForgedDeliveriesChangeNothing(t *testing.T) {
	free := []string{"SVC_RATE_LIMIT_KEY=0", "SVC_RATE_LIMIT_ADDRESS=0", "SVC_WARM_DAYS=0"}
	d := StartDev(t, free, "--demo=none")
	providers := d.SignIn(t, d.BaseURL).ConnectAll(t, d.Apps[0].ID)
	server, address := d.Serve(t, free...)
	client := &http.Client{Timeout: 20 * time.Second, Transport: &http.Transport{MaxIdleConnsPerHost: 64}}
	defer client.CloseIdleConnections()

	genuine, now := SubscriptionEvents("STRIPE", "forged")[1], time.Now()
	type forgery struct {
		path, body string
		headers    []string
	}
	var forgeries []forgery
	for name, p := range providers {
		e := SubscriptionEvents(name, "forged")[0]
		wrong, unknown := p, p
		wrong.Secret += "x"
		unknown.Path = strings.Replace(p.Path, p.Source, uuid.NewString(), 1)
		forgeries = append(forgeries, []forgery{
			{p.Path, e.Body, nil}, {p.Path, e.Body, wrong.headers(e, now)}, {unknown.Path, e.Body, p.headers(e, now)},
			{p.Path + "x", e.Body, p.headers(e, now)}, {p.Path, strings.Repeat("[", 20_000), wrong.headers(e, now)},
		}...)
		if name != "REVENUECAT" {
			forgeries = append(forgeries,
				forgery{p.Path, e.Body + " ", p.headers(e, now)}, forgery{p.Path, e.Body, p.headers(e, now.Add(-time.Hour))},
				forgery{p.Path, genuine.Body, p.headers(e, now)})
		}
	}
	forge := func(i int) int {
		f := forgeries[i%len(forgeries)]
		answer, err := Do(client, http.MethodPost, address+f.path, f.body, f.headers...)
		if err != nil {
			t.Error(err)
		}
		return answer.Status
	}
	for i := range forgeries { // connections are open, the server is warm
		if status := forge(i); status != http.StatusUnauthorized {
			t.Fatalf("%v was answered %d", forgeries[i], status)
		}
	}
	before, memory, busy, began := tables(t, d), server.PeakMemory(), server.ProcessorTime(), time.Now()
	const seconds, perSecond = 5, 1000
	var sent, refused atomic.Int64
	work := make(chan int)
	var senders sync.WaitGroup
	for range 32 {
		senders.Go(func() {
			for i := range work {
				if forge(i) == http.StatusUnauthorized {
					refused.Add(1)
				}
				sent.Add(1)
			}
		})
	}
	tick := time.NewTicker(10 * time.Millisecond)
	for n := 0; n < seconds*perSecond; n++ {
		if n%(perSecond/100) == 0 {
			<-tick.C
		}
		work <- n
	}
	close(work)
	senders.Wait()
	tick.Stop()
	took := time.Since(began)
	one := (server.ProcessorTime() - busy) / time.Duration(sent.Load())
	if refused.Load() != sent.Load() {
		t.Errorf("%d of %d were not refused", sent.Load()-refused.Load(), sent.Load())
	}
	for name, hash := range tables(t, d) {
		if hash != before[name] {
			t.Errorf("the table %s has changed", name)
		}
	}
	grown := server.PeakMemory() - memory

	// Batches come last: what they count is written some time after they were answered.
	key := d.Apps[0].Environments["live"].PublishableKey
	batches, beforeIngest := 300, server.ProcessorTime()
	for range batches {
		var list []event
		for n := range 20 {
			list = append(list, newEvent(fmt.Sprint("p", n), fmt.Sprint("s", n)))
		}
		if answer, _ := send(t, address, key, list); answer.Status != http.StatusOK {
			t.Fatalf("%d %s", answer.Status, answer.Body)
		}
	}
	batch := (server.ProcessorTime() - beforeIngest) / time.Duration(batches)
	t.Logf("%d forged deliveries in %s: %s of the processor each, a batch of 20 events takes %s; %d kB more memory",
		sent.Load(), took.Round(time.Millisecond), one, batch, grown>>10)
	if grown > 64<<20 {
		t.Errorf("memory grew by %d bytes", grown)
	}
	// Of what a thousand batches a second cost, a thousand forged deliveries cost a tenth at most.
	if one > batch/10 {
		t.Errorf("a forged delivery takes %s of the processor, a batch of 20 events %s", one, batch)
	}
	if log := server.Log(); strings.Count(log, "\n") > 200 {
		t.Errorf("forged deliveries fill the log:\n%s", log[:2000])
	}
	// Money still arrives.
	if answer, err := providers["STRIPE"].Deliver(client, address, genuine); err != nil || answer.Status != http.StatusOK {
		t.Errorf("%v %d %s", err, answer.Status, answer.Body)
	}
	var kept int
	query(t, d, `select count(*) from provider_event`, &kept)
	if kept != 1 {
		t.Errorf("%d deliveries are kept", kept)
	}
}
