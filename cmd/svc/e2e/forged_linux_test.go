package e2e

import (
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
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
	// Servers write their rows anew twice a second.
	rows, err := conn.Query(ctx, `
		select tablename from pg_tables where schemaname = 'public' and tablename <> 'servers' order by 1`)
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

// flood calls send a thousand times a second, 32 times at once at most, and counts the statuses that it returns.
func flood(d time.Duration, send func(n int) (status int)) (answers map[int]int) {
	const perSecond, atOnce = 1000, 32
	answers = map[int]int{}
	var mu sync.Mutex
	work := make(chan int)
	var senders sync.WaitGroup
	for range atOnce {
		senders.Go(func() {
			for n := range work {
				status := send(n)
				mu.Lock()
				answers[status]++
				mu.Unlock()
			}
		})
	}
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for n := range int(d.Seconds() * perSecond) {
		if n%(perSecond/100) == 0 {
			<-tick.C
		}
		work <- n
	}
	close(work)
	senders.Wait()
	return answers
}

// noteRefusals has the database write down when a connection's last error changes, in a schema of its own.
func noteRefusals(t *testing.T, d *Dev) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), d.DatabaseURL)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	if _, err := conn.Exec(t.Context(), `
		create schema spy;
		create table spy.refusal (connection uuid, at timestamptz default clock_timestamp());
		create function spy.note() returns trigger language plpgsql as
			'begin insert into spy.refusal (connection) values (new.id); return null; end';
		create trigger spy after update of last_error on revenue_connection for each row execute function spy.note()`,
	); err != nil {
		t.Fatal(err)
	}
}

// TestForgedDeliveriesChangeNothing sends forged deliveries of every kind, a thousand a second: all are refused, no
// table changes, memory stays, and one costs less than a tenth of what a batch of events does.
func TestForgedDeliveriesChangeNothing(t *testing.T) {
	t.Parallel()
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
	noteRefusals(t, d)
	for i := range forgeries { // connections are open, the server is warm
		if status := forge(i); status != http.StatusUnauthorized {
			t.Fatalf("%v was answered %d", forgeries[i], status)
		}
	}
	before, memory, busy, began := tables(t, d), server.PeakMemory(), server.ProcessorTime(), time.Now()
	answers := flood(5*time.Second, forge)
	took := time.Since(began)
	sent := 0
	for _, n := range answers {
		sent += n
	}
	one := (server.ProcessorTime() - busy) / time.Duration(sent)
	if answers[http.StatusUnauthorized] != sent {
		t.Errorf("not all were refused: %v", answers)
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
		sent, took.Round(time.Millisecond), one, batch, grown>>10)
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
	t.Run("money arrives meanwhile", func(t *testing.T) { deliverBesideForgeries(t, d, address, providers) })
	var quickest *float64 // seconds between two notes of one connection
	var connections int
	query(t, d, `
		select extract(epoch from min(at - before)), count(distinct connection) from (
			select connection, at, lag(at) over (partition by connection order by at) before from spy.refusal) r`,
		&quickest, &connections)
	if connections != len(providers) || quickest != nil && *quickest < 9 {
		t.Errorf("refusals of %d connections were written down; %v s after the one before", connections, quickest)
	}
}

// deliverBesideForgeries forges a thousand deliveries a second, long ones among them, while every provider delivers
// from the address of the forgeries and from another one. From the other each delivery is taken at once, from the same
// one at the latest when it is sent again.
func deliverBesideForgeries(t *testing.T, d *Dev, address string, providers map[string]Provider) {
	const perCustomer = 100 * time.Millisecond
	lasts := 4 * time.Second
	stripe := providers["STRIPE"]
	wrong := stripe
	wrong.Secret += "x"
	strangers, elsewhere := clientAt(net.IPv4(127, 0, 0, 3)), clientAt(net.IPv4(127, 0, 0, 4))
	defer strangers.CloseIdleConnections()
	defer elsewhere.CloseIdleConnections()
	short := ProviderEvent{"STRIPE", "forged", SubscriptionEvents("STRIPE", "forged")[1].Body}
	long := ProviderEvent{"STRIPE", "forged", strings.Repeat("[", 100_000)}
	shortly, longly := wrong.headers(short, time.Now()), wrong.headers(long, time.Now())
	var answers map[int]int
	var senders sync.WaitGroup
	senders.Go(func() {
		answers = flood(lasts, func(n int) int {
			e, headers := short, shortly
			if n%8 == 0 {
				e, headers = long, longly
			}
			// A connection may be closed while a long one is on its way.
			answer, _ := Do(strangers, http.MethodPost, address+stripe.Path, e.Body, headers...)
			return answer.Status
		})
	})
	for _, from := range []struct {
		name   string
		client *http.Client
		tries  int
	}{{"elsewhere", elsewhere, 1}, {"beside", strangers, 10}} {
		for _, name := range Providers {
			senders.Go(func() {
				began := time.Now()
				for n := 0; time.Since(began) < lasts; n++ {
					for _, e := range SubscriptionEvents(name, fmt.Sprint(from.name, n)) {
						if n%4 == 0 {
							e.Body += strings.Repeat(" ", 50_000)
						}
						if err := deliverUntilTaken(providers[name], from.client, address, e, from.tries); err != nil {
							t.Errorf("from %s: %v", from.name, err)
							return
						}
					}
					time.Sleep(perCustomer)
				}
			})
		}
	}
	senders.Wait()
	if answers[http.StatusTooManyRequests] == 0 || answers[http.StatusUnauthorized] == 0 || answers[http.StatusOK] > 0 {
		t.Errorf("forgeries were answered %v", answers)
	}
	var kept, booked, wrongly int
	query(t, d, `
		select count(*), count(*) filter (where state = 'handled'), count(*) filter (where event_id like '%forged%')
		from provider_event`, &kept, &booked, &wrongly)
	t.Logf("%d genuine deliveries were taken beside forgeries answered %v", kept, answers)
	if kept == 0 || wrongly > 0 || kept != booked {
		t.Errorf("%d deliveries are kept, %d booked, %d forged", kept, booked, wrongly)
	}
}

// deliverUntilTaken delivers an event, and again where the server asks for that, so often at most.
func deliverUntilTaken(p Provider, client *http.Client, address string, e ProviderEvent, tries int) error {
	for try := 1; ; try++ {
		answer, err := p.Deliver(client, address, e)
		switch {
		case err == nil && answer.Status == http.StatusOK:
			return nil
		case err != nil || answer.Status != http.StatusTooManyRequests || try == tries:
			return fmt.Errorf("%s: try %d: %w %d %s", e.ID, try, err, answer.Status, answer.Body)
		}
		time.Sleep(370 * time.Millisecond) // another part of a second each time, as providers who come minutes later
	}
}
