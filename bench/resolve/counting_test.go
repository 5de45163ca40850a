package resolve

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/delivery"
	"github.com/svc-dev/svc/delivery/deliverytest"
	"github.com/svc-dev/svc/delivery/liveusers"
	"github.com/svc-dev/svc/delivery/served"
	"github.com/svc-dev/svc/ingest"
	"github.com/svc-dev/svc/internal/service"
	"github.com/svc-dev/svc/postgres"
	"github.com/svc-dev/svc/postgres/pgtest"
)

// Counting is measured in processor time, of this process and of all processes of its database, which is its own, at a
// steady pace and in turns that are long enough for eight writes of what was counted. On cores that others use the
// time of the same requests differs by a tenth from turn to turn, five times of what is looked for. So it is not
// compared with and without counting: the requests are measured without it, sent by another process, and counting by
// itself, of the same people at the same pace. Both are the same work when it is done together.
const (
	countingTurns  = 9
	countingLength = 2 * time.Second
	resolvePace    = 10_000 // requests a second, a fifth of what a server answers
	ingestPace     = 100    // requests a second, of ingestEvents each
	ingestEvents   = 20
	loadVariable   = "SVC_BENCH_LOAD"
)

// shares are how many of a hundred requests are of people who come for the first time: those have to be written.
// Somebody opens an app some ten to fifty times a month, so 2 and 10 are what there is; 0 shows what it costs to know
// somebody, and 100 what a stranger may do.
var shares = []int{0, 2, 10, 100}

// mark stands for the id of an event in a request, and is replaced by a new one.
const mark = "eeeeeeee-eeee-7eee-8eee-eeeeeeeeeeee"

// countingLoad is what a process that sends requests is asked.
type countingLoad struct {
	Address string
	Request []byte
	Pace    int // requests a second
	New     int // of a hundred people come for the first time
	Turn    int
}

func TestMain(m *testing.M) {
	asked := os.Getenv(loadVariable)
	if asked == "" {
		os.Exit(m.Run())
	}
	var load countingLoad
	err := json.Unmarshal([]byte(asked), &load)
	var answered int64
	if err == nil {
		answered, err = load.run()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(answered)
}

// who names the person of a request, in 36 bytes: one of fifty of the connection, or somebody new.
func (l *countingLoad) who(connection, n int) string {
	if n%100 < l.New {
		return fmt.Sprintf("%06d%06d%024d", l.Turn, connection, n)
	}
	return fmt.Sprintf("return%06d%024d", connection, n%50)
}

// run sends requests at the pace and returns how many were answered.
func (l *countingLoad) run() (int64, error) {
	var answered atomic.Int64
	var running sync.WaitGroup
	errs := make([]error, connections)
	began, each := time.Now(), time.Second*connections/time.Duration(l.Pace)
	for at := range connections {
		running.Go(func() { errs[at] = l.runOne(at, began.Add(each*time.Duration(at)/connections), each, &answered) })
	}
	running.Wait()
	return answered.Load(), errors.Join(errs...)
}

// runOne sends the requests of one connection.
func (l *countingLoad) runOne(connection int, begin time.Time, each time.Duration, answered *atomic.Int64) error {
	conn, err := net.Dial("tcp", l.Address)
	if err != nil {
		return err
	}
	defer conn.Close()
	request := slices.Clone(l.Request)
	var people, events [][]byte // where they stand in the request
	for at := range request {
		switch {
		case bytes.HasPrefix(request[at:], []byte(person)):
			people = append(people, request[at:at+len(person)])
		case bytes.HasPrefix(request[at:], []byte(mark)):
			events = append(events, request[at:at+len(mark)])
		}
	}
	reader := bufio.NewReaderSize(conn, 32<<10)
	for n := range int(countingLength / each) {
		time.Sleep(time.Until(begin.Add(each * time.Duration(n))))
		who := l.who(connection, n)
		for _, place := range people {
			copy(place, who)
		}
		for i, place := range events {
			copy(place, fmt.Sprintf("%08x-%04x-7%03x-8000-%012x", l.Turn, connection, i, n))
		}
		if _, err := conn.Write(request); err != nil {
			return err
		}
		if status, err := reader.Peek(len("HTTP/1.1 200")); err != nil || string(status[9:]) != "200" {
			return fmt.Errorf("answered %q: %w", status, err)
		}
		if err := skipResponse(reader); err != nil {
			return err
		}
		answered.Add(1)
	}
	return nil
}

// send lets another process send requests and returns how many were answered.
func (l *countingLoad) send(b *testing.B) (answered int64) {
	l.Turn++
	asked, err := json.Marshal(l)
	require.NoError(b, err)
	self, err := os.Executable()
	require.NoError(b, err)
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), loadVariable+"="+string(asked))
	var problem bytes.Buffer
	cmd.Stderr = &problem
	out, err := cmd.Output()
	require.NoError(b, err, problem.String())
	_, err = fmt.Sscan(string(out), &answered)
	require.NoError(b, err)
	return answered
}

// database is a server of the benchmark's own.
type database struct {
	*postgres.DB
	postmaster int
}

func newDatabase(b *testing.B) *database {
	server := pgtest.Server(b)
	db, err := postgres.Open(context.Background(), server.DatabaseURL("postgres"), postgres.Options{MaxConns: 10, MinConns: 2})
	require.NoError(b, err)
	b.Cleanup(db.Close)
	require.NoError(b, postgres.Migrate(context.Background(), db, postgres.MigrateOptions{}))
	return &database{db, server.PID()}
}

// counter is one of those that are measured.
type counter interface {
	service.Service
	Write(ctx context.Context) error
}

// newLimitedApp makes an app of a workspace whose plan limits its live users, far away.
func newLimitedApp(b *testing.B, db *database) *deliverytest.App {
	app := deliverytest.NewApp(b, db.Pool)
	app.Exec(`insert into plans (key, name, features, limits)
		values ('limited', 'Limited', '["motion", "animations", "translations"]', '{"live_mau": 1000000000}')`)
	app.Exec(`insert into subscriptions (id, plan_id, workspace_id) values (gen_random_uuid(), 'limited', $1)`,
		app.WorkspaceID)
	return app
}

func newPlainWorld(b *testing.B, db *database, app *deliverytest.App, channel deliverytest.Channel) *world {
	catalogue := delivery.New(db.Pool, delivery.Options{})
	require.NoError(b, catalogue.RefreshAll(context.Background()))
	return &world{catalogue: catalogue, key: app.Live.Key, channel: channel.PublicID}
}

// BenchmarkServed measures counting whom resolve gives arms of an experiment.
func BenchmarkServed(b *testing.B) {
	db := newDatabase(b)
	app := deliverytest.NewApp(b, db.Pool)
	channel, version := app.Live.Channel(), app.PublishManifest("", manifestSize)
	channel.Experiment("running", deliverytest.Arm{Key: "a", Weight: 1, Version: version},
		deliverytest.Arm{Key: "b", Weight: 1, Version: version})
	w := newPlainWorld(b, db, app, channel)
	people := served.New(db.Pool, served.Options{PeoplePerDay: 1 << 40})
	snapshot := w.catalogue.Snapshot()
	resolving, condition := snapshot.Channel(snapshot.Tenant(w.key), w.channel)
	require.Empty(b, condition)
	arms := map[int]*delivery.Arm{}
	for n := 0; len(arms) < 2; n++ {
		answer, condition := resolving.Resolve(fmt.Sprint(n), "")
		require.Empty(b, condition)
		arms[answer.Arm.Position] = answer.Arm
	}
	compareCounting(b, db, w, people, countingLoad{Request: w.request(""), Pace: resolvePace}, func(who string, n int) {
		people.Note(arms[n%2], who)
	})
}

// BenchmarkLiveUsers measures counting the monthly active users of a plan with a limit, in resolve.
func BenchmarkLiveUsers(b *testing.B) {
	db := newDatabase(b)
	app := newLimitedApp(b, db)
	w := newPlainWorld(b, db, app, app.Live.Pinned(app.PublishManifest("", manifestSize)))
	compareLiveUsers(b, db, w, countingLoad{Request: w.request(""), Pace: resolvePace}, 1)
}

// BenchmarkIngestLiveUsers is BenchmarkLiveUsers for events: each request has those of one person.
func BenchmarkIngestLiveUsers(b *testing.B) {
	db := newDatabase(b)
	app := newLimitedApp(b, db)
	w := newPlainWorld(b, db, app, app.Live.Pinned(app.PublishManifest("", manifestSize)))
	writer, err := ingest.New(db.DB, ingest.Settings{}, ingest.Deps{Logger: slog.New(slog.DiscardHandler)})
	require.NoError(b, err)
	require.NoError(b, writer.Start(context.Background()))
	defer func() { require.NoError(b, writer.Stop(context.Background())) }()
	w.events = writer
	compareLiveUsers(b, db, w, countingLoad{Request: w.eventRequest(), Pace: ingestPace}, ingestEvents)
}

func compareLiveUsers(b *testing.B, db *database, w *world, load countingLoad, notes int) {
	snapshot := w.catalogue.Snapshot()
	tenant := snapshot.Tenant(w.key)
	people := liveusers.New(db.Pool, liveusers.Options{})
	require.True(b, people.Counts(tenant))
	compareCounting(b, db, w, people, load, func(who string, _ int) {
		for range notes {
			require.False(b, people.Exceeded(tenant))
			people.Note(tenant, who, time.Now())
		}
	})
}

// eventRequest returns a request with product events as it goes over the wire.
func (w *world) eventRequest() []byte {
	events := make([]string, ingestEvents)
	for i := range events {
		events[i] = fmt.Sprintf(`{"eventId":"%s","name":"page_view","screenName":"/products/%d",`+
			`"identity":{"appUserId":"%s","sessionId":"%s"},`+
			`"context":{"platform":"web","appVersion":"1.4.0","locale":"en-GB","browser":"Safari","os":"macOS"},`+
			`"properties":{"plan":"pro","price":29.99,"position":%d}}`, mark, i%7, person, person, i)
	}
	body := `{"events":[` + strings.Join(events, ",") + `]}`
	return fmt.Appendf(nil, "POST /v1/sdk/analytics/events HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n"+
		"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", w.key, len(body), body)
}

// compareCounting compares requests to a server that counts nobody with counting alone, for each share of people who
// are new. Note counts one of them.
func compareCounting(
	b *testing.B, db *database, w *world, people counter, load countingLoad, note func(who string, n int),
) {
	server := httptest.NewServer(w.handler())
	defer server.Close()
	load.Address = server.Listener.Addr().String()
	require.NoError(b, people.Start(context.Background()))
	defer func() { require.NoError(b, people.Stop(context.Background())) }()
	var plain, idle []float64
	counted := make([][]float64, len(shares))
	for b.Loop() {
		for turn := range countingTurns + 1 {
			requests := db.turn(b, func() int64 { return load.send(b) })
			nobody := db.turn(b, func() int64 { return load.count(func(string, int) {}) })
			for i, share := range shares {
				load.New = share
				load.Turn++ // new people are new, whoever came before
				cost := db.turn(b, func() int64 {
					defer func() { require.NoError(b, people.Write(context.Background())) }()
					return load.count(note)
				})
				if turn > 0 { // the first one fills caches
					counted[i] = append(counted[i], cost)
				}
			}
			if turn > 0 {
				plain, idle = append(plain, requests), append(idle, nobody)
			}
		}
	}
	request := median(plain)
	for i, share := range shares {
		slices.Sort(counted[i])
		b.Run(fmt.Sprint(share), func(b *testing.B) {
			ratio := func(cost float64) float64 { return 1 + (cost-median(idle))/request }
			n := len(counted[i])
			b.ReportMetric(request+counted[i][n/2]-median(idle), "ours-us/request")
			b.ReportMetric(request, "reference-us/request")
			b.ReportMetric(ratio(counted[i][n/2]), "ratio")
			b.ReportMetric(ratio(counted[i][n/4]), "lower-ratio")
			b.ReportMetric(ratio(counted[i][n*3/4]), "upper-ratio")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// count calls note for the people of a turn at the pace and returns how many came.
func (l *countingLoad) count(note func(who string, n int)) (counted int64) {
	const tick = 5 * time.Millisecond
	began := time.Now()
	for due := tick; due <= countingLength; due += tick {
		time.Sleep(time.Until(began.Add(due)))
		for ; counted < int64(l.Pace)*int64(due)/int64(time.Second); counted++ {
			connection := int(counted % connections)
			note(l.who(connection, int(counted/connections)), int(counted/connections))
		}
	}
	return counted
}

// turn returns how many microseconds of processor time each of the requests took that do answers.
func (db *database) turn(b *testing.B, do func() int64) float64 {
	before := db.processorTime(b)
	answered := do()
	return float64((db.processorTime(b) - before).Nanoseconds()) / 1000 / float64(answered)
}

// processorTime returns the processor time so far of this process and of the processes of the database that run.
func (db *database) processorTime(b *testing.B) time.Duration {
	var usage syscall.Rusage
	require.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
	used := time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
	processes, err := filepath.Glob("/proc/[0-9]*")
	require.NoError(b, err)
	for _, dir := range processes {
		stat, err := os.ReadFile(dir + "/stat")
		if err != nil {
			continue // it has ended
		}
		fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:])) // its state, its parent
		if parent, _ := strconv.Atoi(fields[1]); parent != db.postmaster && dir != fmt.Sprint("/proc/", db.postmaster) {
			continue
		}
		content, err := os.ReadFile(dir + "/schedstat")
		if err != nil {
			continue
		}
		var ns int64
		_, err = fmt.Sscan(string(content), &ns)
		require.NoError(b, err)
		used += time.Duration(ns)
	}
	return used
}
