package e2e

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
)

// besides is what goes on beside the load of events.
type besides struct {
	t       *testing.T
	dev     *Dev // what it says of itself is written anew when it is started again
	app     string
	load    *crashLoad
	first   *Studio
	client  *http.Client
	running sync.WaitGroup
	cancel  context.CancelFunc

	disturbed map[string]Provider
	calm      string
	calmly    map[string]Provider
	delivered []ProviderEvent // acknowledged

	flow    string
	typists []*typist

	hooks    *hooks
	enrolled int // that many people did what the automation waits for

	channel  string
	variants map[string]string // versions by user

	erasing atomic.Int64 // erasures that were asked for in this round
	erased  int

	counted map[string]int // events by address of the server, in this round
	reports int            // that were answered

	history historyLoad
}

func newBesides(t *testing.T, d *Dev, load *crashLoad) *besides {
	b := &besides{
		t: t, dev: d, app: d.Apps[0].ID, load: load, first: d.SignIn(t, d.BaseURL),
		client: &http.Client{Timeout: 20 * time.Second}, hooks: newHooks(t), variants: map[string]string{},
	}
	b.history = newHistoryLoad(b.first)
	b.calm = b.first.createApp("Calm")
	b.disturbed, b.calmly = b.first.ConnectAll(t, b.app), b.first.ConnectAll(t, b.calm)
	b.flow = newDraft(t, d, b.first)
	for range 2 {
		b.typists = append(b.typists, &typist{id: uuid.NewString(), base: 1})
	}
	newSender(d, b.first, b.hooks.URL, "{{person.appUserId}}")
	b.awaitSender()
	b.channel = b.first.CreateChannel(b.app, "Tested")
	flow, control := b.first.Publish(b.app, "Split", example(t, "branching-onboarding"))
	b.first.StartExperiment(b.channel, control, b.first.PublishAgain(flow))
	return b
}

func (b *besides) String() string {
	edits := 0
	for _, w := range b.typists {
		edits += w.sequence
	}
	return fmt.Sprintf("%d deliveries, %d edits, %d people of an automation, %d of an experiment and %d who were erased, "+
		"%d reports, %d exports and %d imported events", len(b.delivered), edits, b.enrolled, len(b.variants), b.erased,
		b.reports, b.history.exported, len(b.history.imported))
}

func (b *besides) start() {
	var ctx context.Context
	ctx, b.cancel = context.WithCancel(context.Background())
	b.erasing.Store(0)
	b.counted = map[string]int{}
	for _, what := range []func(context.Context){
		b.deliver, b.enrol, b.resolve, b.erase, b.report, b.export, b.bringIn,
	} {
		b.running.Go(func() {
			for ctx.Err() == nil {
				what(ctx)
			}
		})
	}
	for _, w := range b.typists {
		b.running.Go(func() { w.typeOn(b.t, b.flow, b.studio, func() bool { return ctx.Err() != nil }) })
	}
}

// stop lets what has begun come to its end.
func (b *besides) stop() {
	b.cancel()
	b.running.Wait()
}

func (b *besides) address() string {
	b.load.mu.Lock()
	defer b.load.mu.Unlock()
	return b.load.addresses[rand.IntN(2)]
}

// studio is somebody at one of the servers: a session is of both.
func (b *besides) studio() *Studio {
	return &Studio{t: b.t, client: b.first.client, url: b.address() + "/graphql"}
}

// until tries again and again what must come to be acknowledged.
func (b *besides) until(what string, try func() error) {
	end := time.Now().Add(2 * time.Minute)
	for {
		err := try()
		if err == nil {
			return
		}
		if time.Now().After(end) {
			b.t.Errorf("%s: %v", what, err)
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// post sends to an SDK path of one of the servers.
func (b *besides) post(path string, body any, headers ...string) (Answer, error) {
	answer, err := Do(b.client, http.MethodPost, b.address()+"/v1/sdk/"+path, body,
		append(headers, "Authorization", "Bearer "+b.load.key)...)
	if err == nil && answer.Status != http.StatusOK {
		err = fmt.Errorf("%s answered %d %s", path, answer.Status, answer.Body)
	}
	return answer, err
}

// deliver brings what providers have to say of one more customer.
func (b *besides) deliver(context.Context) {
	name := Providers[len(b.delivered)%len(Providers)]
	for _, e := range SubscriptionEvents(name, fmt.Sprintf("c%d", len(b.delivered))) {
		b.until(e.ID, func() error {
			answer, err := b.disturbed[name].Deliver(b.client, b.address(), e)
			if err == nil && answer.Status != http.StatusOK {
				err = fmt.Errorf("answered %d %s", answer.Status, answer.Body)
			}
			return err
		})
		b.delivered = append(b.delivered, e)
	}
}

// enrol lets one more person do what the automation waits for.
func (b *besides) enrol(context.Context) {
	person := fmt.Sprint("enrolled-", b.enrolled)
	body := goEvent(person)
	b.until(person, func() error { _, err := b.post("track", body); return err })
	b.enrolled++
}

func goEvent(person string) map[string]any {
	return map[string]any{
		"eventId": uuid.NewString(), "name": "go", "timestamp": time.Now().UTC().Format(time.RFC3339Nano),
		"identity": map[string]any{"appUserId": person},
	}
}

// awaitSender waits until both servers know that the automation is active, which the one that was not told learns when
// it looks.
func (b *besides) awaitSender() {
	b.t.Helper()
	for i, address := range b.load.addresses {
		Until(b.t, time.Minute, "the automation is at work on "+address, func() error {
			person := fmt.Sprint("early-", i)
			answer, err := Do(b.client, http.MethodPost, address+"/v1/sdk/track", goEvent(person),
				"Authorization", "Bearer "+b.load.key)
			if err == nil && (answer.Status != http.StatusOK || len(b.hooks.of(person)) == 0) {
				err = fmt.Errorf("answered %d, nothing is sent", answer.Status)
			}
			return err
		})
	}
}

// resolve asks for the flow of one of the users of the experiment, whose version never changes.
func (b *besides) resolve(context.Context) {
	user := fmt.Sprint("tested-", rand.IntN(200))
	b.until(user, func() error {
		answer, err := b.post("resolve", map[string]any{"identity": map[string]any{"appUserId": user}},
			"X-Svc-Channel", b.channel)
		if err != nil {
			return err
		}
		got := version(b.t, answer)
		if had := b.variants[user]; had != "" && had != got {
			b.t.Errorf("%s had version %s and gets %s", user, had, got)
		}
		b.variants[user] = got
		return nil
	})
}

// erase erases somebody who has just been there.
func (b *besides) erase(context.Context) {
	person := fmt.Sprint("erased-", b.erased)
	seen := map[string]any{"events": []event{newEvent(person, "s-"+person)}}
	b.until(person, func() error { _, err := b.post("analytics/events", seen); return err })
	b.erasing.Add(1)
	b.until("erase "+person, func() error {
		studio := b.studio()
		return Ask(studio.client, studio.url, `mutation($app: ID!, $id: String!) {
			erasePerson(input: {appId: $app, environment: LIVE, appUserId: $id}) { finishedAt } }`,
			map[string]any{"app": b.app, "id": person}, nil)
	})
	b.erased++
}

// compare holds what is stored against what was acknowledged.
func (b *besides) compare() {
	b.t.Helper()
	studio := b.dev.SignIn(b.t, b.dev.BaseURL)
	for _, e := range b.delivered {
		answer, err := b.calmly[e.Provider].Deliver(b.client, b.dev.BaseURL, e)
		if err != nil || answer.Status != http.StatusOK {
			b.t.Errorf("%s: %v %d %s", e.ID, err, answer.Status, answer.Body)
		}
	}
	if got, want := readBooks(b.t, b.dev, b.app), readBooks(b.t, b.dev, b.calm); got != want {
		b.t.Errorf("the books of disturbed deliveries differ:\n%v\nwant\n%v", got, want)
	}
	checkTyped(b.t, b.dev, b.flow, "typed", b.typists)
	b.compareReports(studio)
	b.compareHistory()
}

// compareEnrolled waits until every message is sent: those whose server was killed wait for the end of its lease.
func (b *besides) compareEnrolled() {
	b.t.Helper()
	Until(b.t, 3*time.Minute, "every message is delivered", func() error {
		if n := countRows(b.t, b.dev, `select count(*) from webhook_delivery where state = 'delivered'
			and app_user_id like 'enrolled-%'`); n != b.enrolled {
			var states string
			query(b.t, b.dev, `select concat(
				(select json_agg(e) from (select state, due_at from automation_enrolment where due_at is not null) e),
				(select json_agg(d) from (select state, attempts, failures, next_attempt_at from webhook_delivery
					where state <> 'delivered') d))`, &states)
			return fmt.Errorf("%d of %d are delivered: %s", n, b.enrolled, states)
		}
		return nil
	})
	if n := countRows(b.t, b.dev, `select count(*) from automation_enrolment where app_user_id like 'enrolled-%'`); n != b.enrolled {
		b.t.Errorf("%d people are enrolled, want %d", n, b.enrolled)
	}
	for n := range b.enrolled {
		person := fmt.Sprint("enrolled-", n)
		if ids := slices.Compact(b.hooks.of(person)); len(ids) != 1 || ids[0] == "" {
			b.t.Errorf("%s was sent the messages %q", person, ids)
		}
	}
}

// compareErased waits until nothing is left of who was erased: what was cut off goes on a minute later, whatever the
// clock of the database was meanwhile.
func (b *besides) compareErased() {
	b.t.Helper()
	if b.erased == 0 {
		b.t.Error("nobody was erased")
	}
	for _, table := range []string{
		"product_event", "flow_event", "track_event", "product_session", "product_analytics_first_touch",
	} {
		Until(b.t, 3*time.Minute, "nobody is left who was erased", func() error {
			if n := countRows(b.t, b.dev, `select count(*) from `+table+` where app_user_id like 'erased-%'`); n > 0 {
				return fmt.Errorf("%s has %d rows of them", table, n)
			}
			return nil
		})
	}
}

// eventsOfErased is how many events somebody has at most who is erased: the one that was sent, and what comes of it.
const eventsOfErased = 4

// report asks a server for the events of these days, which only ever become more, but for those of erased users.
func (b *besides) report(ctx context.Context) {
	address := b.address()
	if _, counted, err := b.summary(b.first, address); err == nil { // a server that is disturbed need not answer
		b.reports++
		if least := b.counted[address] - eventsOfErased*int(b.erasing.Load()); counted < least {
			b.t.Errorf("%s reports %d events, after %d", address, counted, b.counted[address])
		}
		b.counted[address] = max(b.counted[address], counted)
	}
	select {
	case <-ctx.Done():
	case <-time.After(100 * time.Millisecond):
	}
}

// summary asks a server who was there and how much they did.
func (b *besides) summary(as *Studio, address string) (visitors, events int, err error) {
	var is struct {
		App struct {
			ProductAnalytics struct {
				Summary struct{ Visitors, Events int }
			}
		}
	}
	// What a server stored whose clock was ahead is later than now.
	err = Ask(as.client, address+"/graphql", `query($a: ID!, $s: Time!, $e: Time!) { app(id: $a) {
		productAnalytics(scope: {range: {start: $s, end: $e}}) { summary { visitors events } } } }`, map[string]any{
		"a": b.app, "s": time.Now().AddDate(0, 0, -3), "e": time.Now().AddDate(0, 0, 2),
	}, &is)
	summary := is.App.ProductAnalytics.Summary
	return summary.Visitors, summary.Events, err
}

// compareReports counts visitors in the tables and asks both servers.
func (b *besides) compareReports(studio *Studio) {
	b.t.Helper()
	if b.reports == 0 {
		b.t.Error("no report was answered")
	}
	want := countRows(b.t, b.dev, `select count(distinct app_user_id) from product_session s
		join environments e on e.id = s.environment_id where e.app_id = $1 and e.kind = 'live'`, b.app)
	for _, address := range b.load.addresses {
		Until(b.t, time.Minute, "the report of "+address, func() error {
			got, _, err := b.summary(studio, address)
			if err == nil && got != want {
				err = fmt.Errorf("%d visitors, and the tables have %d", got, want)
			}
			return err
		})
	}
}
