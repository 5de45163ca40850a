package resolve

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/delivery"
	"github.com/svc-dev/svc/delivery/liveusers"
	"github.com/svc-dev/svc/delivery/served"
	"github.com/svc-dev/svc/internal/deliverytest"
	"github.com/svc-dev/svc/internal/pgtest"
	"github.com/svc-dev/svc/postgres"
)

// Counting is measured in processor time, of the server and of its connections to the database. Whoever sends the
// requests is a process of their own, so that their time is not in it.
const (
	countingTurns  = 100
	countingLength = 100 * time.Millisecond
	loadVariable   = "SVC_BENCH_LOAD"
)

// countingLoad is what a process that sends requests is asked.
type countingLoad struct {
	Address string
	Request []byte
	New     int // of ten people come for the first time
	Turn    int
}

// who names the person of a request: one of fifty of the connection, or somebody new.
func (l *countingLoad) who(connection, n int) string {
	if n%10 < l.New {
		return fmt.Sprintf("%06d%06d%024d", l.Turn, connection, n)
	}
	return fmt.Sprintf("return%06d%024d", connection, n%50)
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
		answered, err = sendLoad(load.Address, load.Request, countingLength, load.who)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(answered)
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

// newPeople are how many of ten people come for the first time, by the name of a benchmark: those have to be written.
var newPeople = []struct {
	name string
	new  int
}{{"Returning", 0}, {"TenthNew", 1}, {"New", 10}}

// BenchmarkCounting compares a server that counts whom it gives arms of an experiment with the same one without.
func BenchmarkCounting(b *testing.B) {
	for _, c := range newPeople {
		b.Run(c.name, func(b *testing.B) {
			db := pgtest.New(b)
			app := deliverytest.NewApp(b, db.Pool)
			channel, version := app.Live.Channel(), app.PublishManifest("", manifestSize)
			channel.Experiment("running", deliverytest.Arm{Key: "a", Weight: 1, Version: version},
				deliverytest.Arm{Key: "b", Weight: 1, Version: version})
			catalogue := delivery.New(db.Pool, delivery.Options{})
			require.NoError(b, catalogue.RefreshAll(context.Background()))
			counter := served.New(db.Pool, served.Options{PeoplePerDay: 1 << 40})
			plain := &world{catalogue: catalogue, key: app.Live.Key, channel: channel.PublicID}
			counting := *plain
			counting.served = counter
			compareCounting(b, db, &counting, plain, c.new, counter.Write)
		})
	}
}

// BenchmarkLiveUsers compares a server that counts the monthly active users of a plan with a limit with the same one
// without.
func BenchmarkLiveUsers(b *testing.B) {
	for _, c := range newPeople {
		b.Run(c.name, func(b *testing.B) {
			db := pgtest.New(b)
			app := deliverytest.NewApp(b, db.Pool)
			channel := app.Live.Pinned(app.PublishManifest("", manifestSize))
			app.Exec(`insert into plans (key, name, features, limits)
				values ('limited', 'Limited', '["motion", "animations", "translations"]', '{"live_mau": 1000000000}')`)
			app.Exec(`insert into subscriptions (id, plan_id, workspace_id) values (gen_random_uuid(), 'limited', $1)`,
				app.WorkspaceID)
			catalogue := delivery.New(db.Pool, delivery.Options{})
			require.NoError(b, catalogue.RefreshAll(context.Background()))
			counter := liveusers.New(db.Pool, liveusers.Options{})
			plain := &world{catalogue: catalogue, key: app.Live.Key, channel: channel.PublicID}
			counting := *plain
			counting.users = counter
			compareCounting(b, db, &counting, plain, c.new, func(ctx context.Context) error {
				return errors.Join(counter.Write(ctx), counter.Read(ctx))
			})
		})
	}
}

// compareCounting loads a server that counts and one that doesn't in turns; write writes what was counted in one.
func compareCounting(
	b *testing.B, db *postgres.DB, counting, plain *world, newOfTen int, write func(context.Context) error,
) {
	ours, reference := httptest.NewServer(counting.handler()), httptest.NewServer(plain.handler())
	defer ours.Close()
	defer reference.Close()
	load := countingLoad{Request: plain.request(""), New: newOfTen}
	turn := func(server *httptest.Server, write func(context.Context) error) float64 {
		load.Address = server.Listener.Addr().String()
		before := processorTime(b, db)
		answered := load.send(b)
		require.NoError(b, write(context.Background()))
		return float64((processorTime(b, db) - before).Microseconds()) / float64(answered)
	}
	var with, without, more []float64
	for b.Loop() {
		for n := range countingTurns {
			var one, other float64
			for _, counts := range []bool{n%2 == 0, n%2 != 0} { // each goes first as often as the other
				if counts {
					one = turn(ours, write)
				} else {
					other = turn(reference, func(context.Context) error { return nil })
				}
			}
			with, without, more = append(with, one), append(without, other), append(more, one-other)
		}
	}
	b.ReportMetric(median(with), "ours-us/request")
	b.ReportMetric(median(without), "reference-us/request")
	b.ReportMetric(median(more), "more-us/request")
	b.ReportMetric(0, "ns/op")
}

// processorTime returns the processor time so far of this process and of the connections to the database.
func processorTime(b *testing.B, db *postgres.DB) time.Duration {
	var usage syscall.Rusage
	require.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
	used := time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
	rows, err := db.Pool.Query(context.Background(), `select pid from pg_stat_activity where datname = current_database()`)
	require.NoError(b, err)
	pids, err := pgx.CollectRows(rows, pgx.RowTo[int])
	require.NoError(b, err)
	for _, pid := range pids {
		content, err := os.ReadFile(fmt.Sprintf("/proc/%d/schedstat", pid))
		require.NoError(b, err)
		var ns int64
		_, err = fmt.Sscan(string(content), &ns)
		require.NoError(b, err)
		used += time.Duration(ns)
	}
	return used
}
