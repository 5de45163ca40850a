package e2e

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// books are what is kept of the deliveries of an app's live environment, as text without what differs between
// environments and times.
type books struct{ Inbox, Ledger, Periods string }

func readBooks(t *testing.T, d *Dev, app string) (b books) {
	t.Helper()
	query(t, d, fmt.Sprintf(`
		with e as (select id from environments where app_id = '%s' and kind = 'live')
		select
			coalesce((select string_agg((to_jsonb(p) - '{environment_id,connection_id,received_at,occurred_at}'::text[])::text,
				e'\n' order by provider, event_id) from provider_event p where environment_id in (select id from e)), ''),
			coalesce((select string_agg((to_jsonb(l) - '{id,environment_id,created_at,changed_xid}'::text[])::text, e'\n'
				order by provider, transaction_key, kind) from revenue_ledger l where environment_id in (select id from e)), ''),
			coalesce((select string_agg((to_jsonb(p) - '{id,environment_id,changed_xid}'::text[])::text, e'\n'
				order by provider, transaction_key) from subscription_period p where environment_id in (select id from e)), '')`,
		app), &b.Inbox, &b.Ledger, &b.Periods)
	return b
}

// createApp makes an app in the workspace of the demo.
func (s *Studio) createApp(name string) string {
	s.t.Helper()
	var who struct {
		Viewer struct {
			Workspaces struct {
				Nodes []struct{ Workspace struct{ ID string } }
			}
		}
	}
	s.Query(`{ viewer { workspaces { nodes { workspace { id } } } } }`, nil, &who)
	var made struct{ CreateApp struct{ ID string } }
	s.Query(`mutation($i: CreateAppInput!) { createApp(input: $i) { id } }`,
		map[string]any{"i": map[string]any{"workspaceId": who.Viewer.Workspaces.Nodes[0].Workspace.ID, "name": name}}, &made)
	return made.CreateApp.ID
}

// TestAcknowledgedDeliveriesSurviveCrashes kills servers and the database while providers deliver, as often as they
// must until they have their 200 and some of it again. What was acknowledged is in the inbox once, and the ledger is
// the one of an app whose deliveries nothing disturbed, byte for byte.
func TestAcknowledgedDeliveriesSurviveCrashes(t *testing.T) {
	t.Parallel()
	free := []string{"SVC_RATE_LIMIT_KEY=0", "SVC_RATE_LIMIT_ADDRESS=0"}
	d := StartDev(t, free, "--demo=none")
	studio := d.SignIn(t, d.BaseURL)
	disturbed, calm := d.Apps[0].ID, studio.createApp("Calm")
	providers, calmly := studio.ConnectAll(t, disturbed), studio.ConnectAll(t, calm)
	const customers = 40
	var events []ProviderEvent
	for n := range customers {
		for _, name := range Providers {
			events = append(events, SubscriptionEvents(name, fmt.Sprintf("c%d", n))...)
		}
	}
	client := &http.Client{Timeout: 20 * time.Second}
	for _, e := range events {
		answer, err := calmly[e.Provider].Deliver(client, d.BaseURL, e)
		if err != nil || answer.Status != http.StatusOK {
			t.Fatalf("%s: %v %d %s", e.ID, err, answer.Status, answer.Body)
		}
	}
	want := readBooks(t, d, calm)
	if rows := strings.Count(want.Ledger, "\n"); rows < customers*8 || strings.Contains(want.Inbox, `"state": "failed"`) {
		t.Fatalf("%d rows of the ledger:\n%s", rows, want.Inbox)
	}

	second, address := d.Serve(t, free...)
	var mu sync.Mutex
	current := func() string {
		mu.Lock()
		defer mu.Unlock()
		return address
	}
	rand.Shuffle(len(events), func(i, j int) { events[i], events[j] = events[j], events[i] })
	queue := make(chan ProviderEvent)
	var acknowledged sync.Map
	var senders sync.WaitGroup
	for range 8 {
		senders.Go(func() {
			for e := range queue {
				times := 1 + rand.IntN(5)/4 // a fifth is sent again
				for times > 0 {
					answer, err := providers[e.Provider].Deliver(client, current(), e)
					switch {
					case err == nil && answer.Status == http.StatusOK:
						acknowledged.Store(e.ID, true)
						times--
					case err == nil && answer.Status != http.StatusServiceUnavailable:
						t.Errorf("%s: %d %s", e.ID, answer.Status, answer.Body)
						return
					default:
						time.Sleep(20 * time.Millisecond)
					}
				}
			}
		})
	}
	for i, e := range events {
		queue <- e
		switch {
		case i == len(events)/2:
			killDatabase(t, d)
		case i%80 == 40:
			second.Kill()
			replaced, at := d.Serve(t, free...)
			mu.Lock()
			second, address = replaced, at
			mu.Unlock()
		}
	}
	close(queue)
	senders.Wait()
	Until(t, time.Minute, "the database answers", func() error {
		conn, err := pgx.Connect(context.Background(), d.DatabaseURL)
		if err == nil {
			err = conn.Close(context.Background())
		}
		return err
	})
	for _, e := range events {
		if _, is := acknowledged.Load(e.ID); !is {
			t.Errorf("%s was never acknowledged", e.ID)
		}
	}
	if got := readBooks(t, d, disturbed); got != want {
		t.Errorf("the books of disturbed deliveries differ:\n%s\n\n%s\n\n%s", got.Inbox, got.Ledger, got.Periods)
	}
	t.Run("a replay that is killed changes nothing", func(t *testing.T) {
		replayKilled(t, d, calm, want)
	})
}

// replayKilled kills a replay after it has folded two of three providers: nothing of it stays, and the next one
// completes.
func replayKilled(t *testing.T, d *Dev, app string, want books) {
	t.Helper()
	ctx := t.Context()
	conn, err := pgx.Connect(ctx, d.DatabaseURL)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx)
	const environment = `(select id from environments where app_id = $1 and kind = 'live')`
	if _, err := conn.Exec(ctx, `
		delete from revenue_ledger where provider = 'revenuecat' and environment_id = `+environment, app); err != nil {
		t.Fatal(err)
	}
	broken := readBooks(t, d, app)
	if broken.Ledger == want.Ledger {
		t.Fatal("nothing was deleted")
	}
	tx, err := conn.Begin(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec(ctx, `
		select from provider_event_key where provider = 'stripe' and environment_id = `+environment+` for update`, app,
	); err != nil {
		t.Fatal(err)
	}
	env := []string{"SVC_DATABASE_URL=" + d.DatabaseURL}
	args := []string{"revenue", "replay", "--app", app, "--env", "live"}
	replay := Spawn(t, env, args...)
	Until(t, time.Minute, "the replay comes to the third provider", func() error {
		if replay.Ended() {
			t.Fatalf("it ended with %d:\n%s", replay.Wait(), replay.Log())
		}
		var waiting int
		query(t, d, `select count(*) from pg_stat_activity
			where wait_event_type = 'Lock' and query like '%provider_event_key%' and pid <> pg_backend_pid()`, &waiting)
		if waiting == 0 {
			return errors.New("it does not wait yet")
		}
		return nil
	})
	replay.Kill()
	if err := tx.Rollback(ctx); err != nil {
		t.Fatal(err)
	}
	if got := readBooks(t, d, app); got != broken {
		t.Error("a replay that was killed changed the books")
	}
	if exit, stdout, stderr := Run(t, env, args...); exit != 0 {
		t.Fatalf("%d %s %s", exit, stdout, stderr)
	}
	if got := readBooks(t, d, app); got != want {
		t.Errorf("after a replay the books differ:\n%s", got.Ledger)
	}
}

// TestMappingsMoveMoneyInEveryReportWithinASecond says by hand whose money something is, to one person and to another,
// and asks every report that knows people until it shows it. That all do is what every machine checks; that they do
// within the second that is promised is for machines that do nothing else.
func TestMappingsMoveMoneyInEveryReportWithinASecond(t *testing.T) {
	t.Parallel()
	d := StartDev(t, nil, "--demo=none")
	studio, app := d.SignIn(t, d.BaseURL), d.Apps[0].ID
	key := d.Apps[0].Environments["live"].PublishableKey
	people := []string{"ana", "ben"}
	for _, person := range people {
		if answer, _ := send(t, d.BaseURL, key, []event{newEvent(person, "s-"+person)}); answer.Status != http.StatusOK {
			t.Fatalf("%d %s", answer.Status, answer.Body)
		}
	}
	stripe := studio.Connect(app, "STRIPE")
	now := time.Now().Add(-time.Second)
	charge := ProviderEvent{"STRIPE", "evt_1", fmt.Sprintf(`{"id":"evt_1","object":"event","livemode":true,"created":%d,
		"type":"checkout.session.completed","data":{"object":{"id":"cs_1","object":"checkout.session","mode":"payment",
		"payment_status":"paid","amount_total":1000,"currency":"usd","payment_intent":"pi_1"}}}`, now.Unix())}
	if answer, err := stripe.Deliver(http.DefaultClient, d.BaseURL, charge); err != nil || answer.Status != http.StatusOK {
		t.Fatalf("%v %d %s", err, answer.Status, answer.Body)
	}
	type shown struct {
		App struct {
			ProductAnalytics struct {
				Visitors struct {
					Nodes []struct {
						AppUserID  string
						RevenueUsd float64
					}
				}
			}
			Person struct{ Activity struct{ RevenueUsd float64 } }
		}
		Revenue struct {
			Totals struct{ WithoutPerson float64 }
		}
	}
	const document = `query($a: ID!, $u: String!) {
		app(id: $a) {
			productAnalytics { visitors { nodes { appUserId revenueUsd } } }
			person(environment: LIVE, appUserId: $u) { activity { revenueUsd } }
		}
		revenue(scope: {appId: $a}) { totals { withoutPerson } }
	}`
	slowest := map[string]time.Duration{}
	for round := range 6 {
		person := people[round%2]
		studio.Query(`mutation($i: MapRevenueInput!) { mapRevenue(input: $i) }`, map[string]any{"i": map[string]any{
			"appId": app, "environment": "LIVE", "provider": "STRIPE", "subject": "pi_1", "appUserId": person,
		}}, nil)
		said, seen := time.Now(), map[string]bool{}
		Until(t, 30*time.Second, "every report shows whose money it is", func() error {
			var is shown
			studio.Query(document, map[string]any{"a": app, "u": person}, &is)
			visitors := map[string]float64{}
			for _, v := range is.App.ProductAnalytics.Visitors.Nodes {
				visitors[v.AppUserID] = v.RevenueUsd
			}
			for report, right := range map[string]bool{
				"visitors": visitors[person] == 10 && visitors[people[1-round%2]] == 0,
				"people":   is.App.Person.Activity.RevenueUsd == 10,
				"money":    is.Revenue.Totals.WithoutPerson == 0,
			} {
				if right && !seen[report] {
					seen[report] = true
					slowest[report] = max(slowest[report], time.Since(said))
				}
			}
			if len(seen) < 3 {
				return fmt.Errorf("only %v of %+v", seen, is)
			}
			return nil
		})
	}
	for report, took := range slowest {
		t.Logf("%s: %s at most after the mapping was said", report, took.Round(time.Millisecond))
		if measuresLatency && took > time.Second {
			t.Errorf("%s: %s", report, took)
		}
	}
}
