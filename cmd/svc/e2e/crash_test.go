package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/svc-dev/svc/analytics/oracle/floworacle"
	"github.com/svc-dev/svc/analytics/run"
	"github.com/svc-dev/svc/analytics/session"
)

// crashWorkers send at once, each to one of the two servers until that fails.
const crashWorkers = 16

// TestAcknowledgedEventsSurviveCrashes ends servers, the database and its connections in every way, under load on all
// three event paths, a tenth of the batches sent twice at once. What was acknowledged must be there, nothing twice,
// sessions as a rebuild would make them, and runs as the naive implementation does of the events that are there.
// SVC_TEST_CRASH_ROUNDS repeats it.
func TestAcknowledgedEventsSurviveCrashes(t *testing.T) {
	t.Parallel()
	rounds := 1
	if text := os.Getenv("SVC_TEST_CRASH_ROUNDS"); text != "" {
		var err error
		if rounds, err = strconv.Atoi(text); err != nil {
			t.Fatalf("SVC_TEST_CRASH_ROUNDS: %v", err)
		}
	}
	d := StartDev(t, []string{"SVC_RATE_LIMIT_KEY=0", "SVC_RATE_LIMIT_ADDRESS=0"}, "--demo=none")
	load := newCrashLoad(t, d, "SVC_RATE_LIMIT_KEY=0", "SVC_RATE_LIMIT_ADDRESS=0")
	for _, kind := range []struct {
		name  string
		crash func()
	}{
		{"the second server is killed", func() { load.second.Kill() }},
		{"the second server is asked to end", func() {
			load.second.Signal(syscall.SIGTERM)
			if code := load.second.Wait(); code != 0 {
				t.Errorf("the server ended with %d on SIGTERM:\n%s", code, load.second.Log())
			}
		}},
		{"the database is killed", func() { killDatabase(t, d) }},
		{"its connections are killed", func() { killConnections(t, d) }},
		{"the server that runs the database is killed", func() { d.Kill() }},
		{"both are killed", func() { killDatabase(t, d); d.Kill() }},
	} {
		for round := range rounds {
			load.start()
			load.goesOn(kind.name + ": load before")
			kind.crash()
			load.revive()
			load.goesOn(kind.name + ": load after")
			acknowledged := load.stop()
			load.compare(fmt.Sprintf("%s, round %d", kind.name, round+1))
			t.Logf("%s, round %d: %d events acknowledged, all stored once", kind.name, round+1, acknowledged)
		}
	}
}

// crashLoad sends batches until it is stopped, with the same ids until they are acknowledged, as SDKs do.
type crashLoad struct {
	t       *testing.T
	dev     *Dev
	second  *Process
	key     string
	channel string
	// release is what all runs are of, but for experiment and variant.
	release run.Release
	// settings are those of the second server.
	settings []string
	// clientsOff is how far the clients' clocks are off.
	clientsOff atomic.Int64
	// serversOff are the times that servers' clocks were off by, once any clock is wrong: they store events by theirs.
	serversOff []time.Duration

	mu           sync.Mutex
	addresses    [2]string
	database     string // where it is
	acknowledged map[string]bool
	flows        []floworacle.Event // that were sent, acknowledged or not
	torn         map[string]bool    // whose client's clock jumped before they were sent
	cancel       context.CancelFunc
	workers      sync.WaitGroup
}

func newCrashLoad(t *testing.T, d *Dev, settings ...string) *crashLoad {
	l := &crashLoad{
		t: t, dev: d, key: d.Apps[0].Environments["live"].PublishableKey, acknowledged: map[string]bool{}, settings: settings,
		torn: map[string]bool{},
	}
	l.channel = d.SignIn(t, d.BaseURL).CreateChannel(d.Apps[0].ID, "Onboarding")
	l.release = run.Release{Version: session.Key(uuid.New()), AssignmentVersion: -1}
	query(t, d, fmt.Sprintf(`select id from channels where public_id = '%s'`, l.channel), &l.release.Channel)
	l.revive()
	return l
}

// revive starts what has ended.
func (l *crashLoad) revive() {
	l.t.Helper()
	if l.dev.Ended() {
		l.dev.Start(l.t)
	}
	if l.second == nil || l.second.Ended() {
		var address string
		l.second, address = l.dev.Serve(l.t, l.settings...)
		l.mu.Lock()
		l.addresses[1] = address
		l.mu.Unlock()
	}
	l.mu.Lock()
	l.addresses[0], l.database = l.dev.BaseURL, l.dev.DatabaseURL
	l.mu.Unlock()
}

func (l *crashLoad) start() {
	var ctx context.Context
	ctx, l.cancel = context.WithCancel(context.Background())
	client := &http.Client{Timeout: 20 * time.Second}
	for worker := range crashWorkers {
		l.workers.Go(func() {
			for n := 0; ctx.Err() == nil; n++ {
				l.deliver(ctx, client, l.batch(worker, n))
			}
		})
	}
}

// stop ends the load and returns how many events have been acknowledged since the beginning.
func (l *crashLoad) stop() int {
	l.cancel()
	l.workers.Wait()
	return l.count()
}

func (l *crashLoad) count() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.acknowledged)
}

func (l *crashLoad) goesOn(what string) {
	l.t.Helper()
	before := l.count()
	Until(l.t, 90*time.Second, what, func() error {
		if now := l.count(); now < before+1_000 {
			return fmt.Errorf("%d events acknowledged since", now-before)
		}
		return nil
	})
}

// crashBatch is a request of one of the event paths.
type crashBatch struct {
	path   string
	server int
	ids    []string
	events []event
	off    time.Duration // of the clock by which they happened
}

func (l *crashLoad) batch(worker, n int) crashBatch {
	b := crashBatch{path: []string{"analytics/events", "analytics/events", "events", "track"}[n%4], server: worker % 2}
	b.off = time.Duration(l.clientsOff.Load())
	if b.path == "events" {
		// Both servers merge the runs of the same people at once.
		for _, e := range l.flowEvents(fmt.Sprintf("f%d-%d", worker/2, n/16)) {
			b.ids = append(b.ids, e.ID)
			e.At += b.off.Milliseconds()
			b.events = append(b.events, e.Wire())
		}
	} else {
		person := fmt.Sprintf("w%d-%d", worker, n/5)
		for range 20 {
			e := newEvent(person, "s-"+person)
			b.ids = append(b.ids, e["eventId"].(string))
			e["timestamp"] = stamp(b.off)
			b.events = append(b.events, e)
		}
	}
	return b
}

// stamp is the time by a clock that is off.
func stamp(off time.Duration) string { return time.Now().Add(off).UTC().Format(time.RFC3339Nano) }

// flowEvents makes events of a few runs of somebody, in no order: half of them with run ids, with starts that are sent
// in another batch or never, and at equal times.
func (l *crashLoad) flowEvents(person string) []floworacle.Event {
	pick := func(list ...string) string { return list[rand.IntN(len(list))] }
	begin := time.Now().Add(-time.Hour).Truncate(time.Hour)
	var events []floworacle.Event
	for range 20 {
		e := floworacle.Event{
			ID: uuid.NewString(), Person: person, Session: pick("", "s1", "s2"),
			Flow: session.Key{0: 0xf1, 15: byte(rand.IntN(2))},
			At:   begin.Add(time.Duration(rand.IntN(40)) * time.Second).UnixMilli(), Seq: -1, Release: l.release,
			Name: pick("flow_started", "step_viewed", "step_viewed", "choice_selected", "surface_presented", "surface_outcome",
				"step_completed", "flow_completed", "flow_abandoned"),
			Client: run.Client{Platform: pick("", "web", "ios"), Locale: pick("", "de")},
		}
		if e.Name != "flow_started" {
			e.Step = pick("welcome", "goal", "pay")
		}
		switch e.Name {
		case "step_viewed":
			if from := pick("", "welcome", "unsaid"); from != "unsaid" {
				e.From = &from
			}
		case "choice_selected":
			e.Subject, e.Value = pick("why", "how"), pick("a", "b")
		case "surface_presented":
			e.Subject = "stripe"
		case "surface_outcome":
			e.Subject, e.Value = "stripe", pick("dismissed", "purchase_completed")
		}
		if rand.IntN(2) == 0 {
			e.Release.Experiment, e.Release.Variant = session.Key{0: 0xd1}, pick("a", "b")
		}
		if rand.IntN(2) == 0 { // ids are people's own
			e.RunID = session.Key(uuid.NewSHA1(uuid.NameSpaceURL, []byte(person+pick("1", "2"))))
			e.Seq = int64(rand.IntN(30))
		}
		if rand.IntN(4) == 0 {
			e.CustomProperties = `{"tier":"gold"}`
		}
		events = append(events, e)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.flows = append(l.flows, events...)
	return events
}

// deliver sends a batch until it is acknowledged. Where ctx ends before, nothing was promised.
func (l *crashLoad) deliver(ctx context.Context, client *http.Client, b crashBatch) {
	send := func(server int) bool {
		off := time.Duration(l.clientsOff.Load())
		l.mu.Lock()
		address := l.addresses[server]
		for _, id := range b.ids {
			if off != b.off {
				l.torn[id] = true
			}
		}
		l.mu.Unlock()
		answer, err := Do(client, http.MethodPost, address+"/v1/sdk/"+b.path,
			map[string]any{"events": b.events, "sentAt": stamp(off)},
			"Authorization", "Bearer "+l.key, "X-Svc-Channel", l.channel)
		if err == nil && answer.Status != http.StatusOK && answer.Status != http.StatusServiceUnavailable {
			l.t.Errorf("%s answered %d %s", b.path, answer.Status, answer.Body)
		}
		return err == nil && answer.Status == http.StatusOK
	}
	if rand.IntN(10) == 0 { // a proxy that sends again what it waits for
		var twin sync.WaitGroup
		twin.Go(func() { send(1 - b.server) })
		defer twin.Wait()
	}
	for server := b.server; !send(server); server = 1 - server {
		if ctx.Err() != nil {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, id := range b.ids {
		l.acknowledged[id] = true
	}
}

// compare reads everything back by an export, and asks what a rebuild of sessions would change.
func (l *crashLoad) compare(when string) {
	l.t.Helper()
	env := []string{"SVC_DATABASE_URL=" + l.dev.DatabaseURL}
	exit, lines, problem := Run(l.t, env, "export", "events", "--app", l.dev.Apps[0].ID, "--kind", "all")
	if exit != 0 {
		l.t.Fatalf("%s: export ended with %d: %s", when, exit, problem)
	}
	stored, at := map[string]int{}, map[string]time.Time{}
	for line := range strings.Lines(lines) {
		var e struct {
			EventID   string
			Timestamp time.Time
		}
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			l.t.Fatalf("%s: line %q: %v", when, line, err)
		}
		stored[e.EventID]++
		at[e.EventID] = e.Timestamp
	}
	var lost, twice []string
	for id, n := range stored {
		if n > 1 {
			twice = append(twice, id)
		}
	}
	for id := range l.acknowledged {
		if stored[id] == 0 {
			lost = append(lost, id)
		}
	}
	if len(lost)+len(twice) > 0 {
		slices.Sort(lost)
		l.t.Fatalf("%s: of %d acknowledged events %d are lost %.5q, %d stored twice %.5q", when, len(l.acknowledged),
			len(lost), lost[:min(5, len(lost))], len(twice), twice[:min(5, len(twice))])
	}
	if exit, report, problem := Run(l.t, env, "analytics", "rebuild", "--app", l.dev.Apps[0].ID, "--dry-run"); exit != 0 {
		l.t.Fatalf("%s: sessions are not what their events say: %s%s", when, report, problem)
	}
	l.compareRuns(when, at)
}

// compareRuns compares the stored runs with those that the naive implementation makes of the stored events: all that
// were acknowledged, and of those whose answer was lost the ones that the database has. Where clocks were off, the
// events are stored at times that are right by the clock of the server that took them.
func (l *crashLoad) compareRuns(when string, stored map[string]time.Time) {
	l.t.Helper()
	var world floworacle.World
	for _, e := range l.flows {
		at, is := stored[e.ID]
		if !is {
			continue
		}
		if off := at.Sub(time.UnixMilli(e.At)); off != 0 && !l.mayBeOff(e.ID, off) {
			l.t.Fatalf("%s: %s is stored %s off its time, and servers' clocks were off by %v", when, e.ID, off, l.serversOff)
		}
		e.At = at.UnixMilli()
		world.Events = append(world.Events, e)
	}
	rows, text := storedRuns(l.t, l.dev)
	got, err := floworacle.DescribeRows(rows, text)
	if err != nil {
		l.t.Fatal(err)
	}
	want := floworacle.Describe(world)
	for i := range max(len(got), len(want)) {
		if i >= len(got) || i >= len(want) || got[i] != want[i] {
			l.t.Fatalf("%s: of %d events %d runs are stored, not %d; the first difference:\n%s\nwant\n%s", when,
				len(world.Events), len(got), len(want), at(got, i), at(want, i))
		}
	}
	l.t.Logf("%s: the %d runs of %d events are as they should be", when, len(got), len(world.Events))
}

// mayBeOff tells whether an event may be stored off its time.
func (l *crashLoad) mayBeOff(id string, off time.Duration) bool {
	const request = 90 * time.Second // a minute, which counts as none, and what the request took
	return l.torn[id] || slices.ContainsFunc(l.serversOff, func(server time.Duration) bool {
		return (off - server).Abs() < request
	})
}

// at returns a text of a list, or that there is none.
func at(list []string, i int) string {
	if i < len(list) {
		return list[i]
	}
	return "none"
}

// storedRuns reads the rows of all runs, and what their names stand for.
func storedRuns(t *testing.T, d *Dev) ([]run.Row, func(id int32) string) {
	t.Helper()
	ctx := t.Context()
	conn, err := pgx.Connect(ctx, d.DatabaseURL)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx)
	found, err := conn.Query(ctx, `select id, text from flow_name`)
	if err != nil {
		t.Fatal(err)
	}
	texts, id, text := map[int32]string{}, int32(0), ""
	if _, err := pgx.ForEachRow(found, []any{&id, &text}, func() error { texts[id] = text; return nil }); err != nil {
		t.Fatal(err)
	}
	if found, err = conn.Query(ctx, `
		select app_user_id, flow_id, run_key, derived, started, first_at, last_at, hits, contexts from flow_run`,
	); err != nil {
		t.Fatal(err)
	}
	rows, err := pgx.CollectRows(found, func(row pgx.CollectableRow) (r run.Row, err error) {
		var flow, key uuid.UUID
		var first, last time.Time
		err = row.Scan(&r.Person, &flow, &key, &r.Derived, &r.Started, &first, &last, &r.Hits, &r.Contexts)
		r.Flow, r.Key, r.FirstAt, r.LastAt = session.Key(flow), session.Key(key), first.UnixMilli(), last.UnixMilli()
		return r, err
	})
	if err != nil {
		t.Fatal(err)
	}
	return rows, func(id int32) string { return texts[id] }
}

// killConnections ends every connection of the servers as the system does when memory is short: the database restarts.
func killConnections(t *testing.T, d *Dev) {
	t.Helper()
	var pids []int
	query(t, d, `select array_agg(pid) from pg_stat_activity
		where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'`, &pids)
	for _, pid := range pids {
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil && err != syscall.ESRCH {
			t.Fatal(err)
		}
	}
}
