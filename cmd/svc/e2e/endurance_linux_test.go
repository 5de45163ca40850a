package e2e

import (
	"fmt"
	"math/rand/v2"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"
)

// TestEndurance lets everything run at once on two servers, one of which reaches the database over a line that is cut:
// events of all paths, deliveries of billing providers, an automation that sends webhooks, people who type into a
// draft, users of an experiment, erasures, reports, exports, imports of what is to leave soon. Meanwhile servers, the
// database and its connections are killed, the disk is full or lost, and clocks jump by hours, in an order that the
// seed says. After each round everything acknowledged is there once: events, sessions and runs as the naive
// implementations say, the books of money as of an app that nothing disturbed, each edit, each enrolment and its
// message, each user's variant; of who was erased, and of what is older than an app keeps, nothing is.
//
// SVC_TEST_ENDURANCE says for how long (a Go duration); without it there is one round, in which the servers' clocks,
// which have to be built, do not jump. SVC_TEST_SEED replays the order of a run, SVC_TEST_DISTURBANCES limits it to
// those that a regular expression matches.
func TestEndurance(t *testing.T) {
	t.Parallel()
	lasts, seed := endurance(t)
	random := rand.New(rand.NewPCG(seed, 0))

	program, clocks := "", clockDirectory(t)
	if lasts > 0 {
		program = buildWithClock(t, clocks)
	}
	began := time.Now()
	for installation := 1; installation == 1 || time.Since(began) < lasts; installation++ {
		if !t.Run(fmt.Sprint("installation ", installation), func(t *testing.T) {
			endure(t, random, program, clocks, lasts-time.Since(began))
		}) {
			t.Fatalf("SVC_TEST_SEED=%d failed", seed)
		}
	}
}

// mostRounds are those of an installation: all that it acknowledged is in the memory of the test.
const mostRounds = 10

// endure makes an installation and lets rounds go on in it for a time, one at least.
func endure(t *testing.T, random *rand.Rand, program, clocks string, lasts time.Duration) {
	databaseClock, clockSettings := databaseClockIn(t, clocks)
	var serverClocks [2]*clock
	for i := range serverClocks {
		serverClocks[i] = newClock(t, filepath.Join(clocks, fmt.Sprint("server-", i)))
	}
	follows := func(i int) string { return "SERVER_CLOCK=" + serverClocks[i].file.Name() }
	d := startDev(t, program, slices.Concat(enduranceSettings, clockSettings, []string{follows(0)}), "--demo=none")
	database, err := url.Parse(d.DatabaseURL)
	if err != nil {
		t.Fatal(err)
	}
	wire := newWire(t, "127.0.0.1:0", database.Host)
	database.Host = wire.Addr().String()
	load := newCrashLoad(
		t, d, slices.Concat(enduranceSettings, []string{follows(1), "SVC_DATABASE_URL=" + database.String()})...,
	)
	besides := newBesides(t, d, load)
	latest := time.Duration(0) // by which the clock of the database was ahead
	disturbances := []disturbance{
		{"a server is killed", func() { load.second.Kill() }},
		{"a server is asked to end", func() { load.second.Signal(syscall.SIGTERM); load.second.Wait() }},
		{"the database is killed", func() { killDatabase(t, d) }},
		{"its connections are killed", func() { killConnections(t, d) }},
		{"the server that runs the database is killed", func() { d.Kill() }},
		{"all are killed", func() { killDatabase(t, d); d.Kill(); load.second.Kill() }},
		{"the line to the database is cut", func() { wire.cut(time.Duration(random.IntN(2000)) * time.Millisecond) }},
		{"the database is frozen", func() {
			stopDatabase(t, d)
			time.Sleep(time.Duration(random.IntN(2000)) * time.Millisecond)
			resumeDatabase(t, d)
		}},
		{"the disk is full", func() { fillDisk(t, d, time.Duration(random.IntN(2000))*time.Millisecond) }},
		{"the clients' clocks jump", func() {
			load.serversOff = append(load.serversOff, 0)
			load.clientsOff.Store(int64(hours(random)))
		}},
	}
	if copies := baseBackup(t, d); copies != "" {
		disturbances = append(disturbances, disturbance{"the disk is lost", func() { loseDisk(t, d, load, copies) }})
	}
	if databaseClock != nil {
		disturbances = append(disturbances, disturbance{"the database's clock jumps", func() {
			off := hours(random)
			latest = max(latest, off)
			jumpDatabase(t, d, databaseClock, off)
		}})
	}
	if program != "" {
		// One at a time: what providers signed a server refuses whose clock is wrong.
		disturbances = append(disturbances, disturbance{"a server's clock jumps", func() {
			one, off := random.IntN(2), hours(random)
			load.serversOff = append(load.serversOff, 0, off)
			serverClocks[1-one].jump(0)
			serverClocks[one].jump(off)
			load.checkClock(one, off)
		}})
	}
	disturbances = only(t, disturbances)
	began, times := time.Now(), 0
	for round := 1; round == 1 || round <= mostRounds && time.Since(began) < lasts; round++ {
		load.start()
		besides.start()
		load.goesOn("load before")
		for range 3 {
			kind := disturbances[random.IntN(len(disturbances))]
			t.Logf("round %d: %s", round, kind.name)
			kind.disturb()
			load.revive()
			load.goesOn("load after " + kind.name)
			times++
		}
		besides.stop()
		acknowledged := load.stop()
		for _, c := range serverClocks {
			c.jump(0)
		}
		if databaseClock != nil { // what was put off until a time by a clock that was ahead is due
			jumpDatabase(t, d, databaseClock, latest)
		}
		besides.compareEnrolled()
		if databaseClock != nil {
			jumpDatabase(t, d, databaseClock, 0)
		}
		latest = 0
		besides.compareErased() // an erasure under way has removed events and not yet their sessions
		load.compare(fmt.Sprintf("round %d", round))
		besides.compare()
		if t.Failed() {
			t.Fatalf("failed in round %d", round)
		}
		t.Logf("round %d: after %d disturbances %d events and %s are as they should be", round, times, acknowledged, besides)
	}
}

// enduranceSettings are those of all servers.
var enduranceSettings = []string{
	"SVC_RATE_LIMIT_KEY=0", "SVC_RATE_LIMIT_ADDRESS=0", "SVC_WEBHOOK_NETWORKS=127.0.0.0/8",
}

// endurance returns for how long a test goes on, nothing for one round, and the seed of its order.
func endurance(t *testing.T) (lasts time.Duration, seed uint64) {
	t.Helper()
	seed = rand.Uint64()
	var err error
	if text := os.Getenv("SVC_TEST_ENDURANCE"); text != "" {
		if lasts, err = time.ParseDuration(text); err != nil {
			t.Fatalf("SVC_TEST_ENDURANCE: %v", err)
		}
	}
	if text := os.Getenv("SVC_TEST_SEED"); text != "" {
		if seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			t.Fatalf("SVC_TEST_SEED: %v", err)
		}
	}
	t.Logf("SVC_TEST_SEED=%d", seed)
	return lasts, seed
}

// disturbance is something that goes wrong.
type disturbance struct {
	name    string
	disturb func()
}

// only returns those that SVC_TEST_DISTURBANCES matches.
func only(t *testing.T, all []disturbance) []disturbance {
	t.Helper()
	chosen, err := regexp.Compile(os.Getenv("SVC_TEST_DISTURBANCES"))
	if err != nil {
		t.Fatalf("SVC_TEST_DISTURBANCES: %v", err)
	}
	all = slices.DeleteFunc(all, func(one disturbance) bool { return !chosen.MatchString(one.name) })
	if len(all) == 0 {
		t.Fatal("SVC_TEST_DISTURBANCES matches nothing")
	}
	return all
}

// fillDisk lets no file of the database grow for a while. Its processes are told what a full disk tells: a write comes
// to nothing.
func fillDisk(t *testing.T, d *Dev, lasts time.Duration) {
	t.Helper()
	parent := postmaster(t, d)
	var owner syscall.Stat_t
	if err := syscall.Stat(fmt.Sprintf("/proc/%d", parent), &owner); err != nil {
		t.Fatal(err)
	}
	limit := func(bytes string) {
		for _, pid := range append([]int{parent}, children(t, parent)...) {
			command := exec.Command("prlimit", "--pid", strconv.Itoa(pid), "--fsize="+bytes+":")
			command.SysProcAttr = &syscall.SysProcAttr{} // only who runs a process may limit it
			if os.Getuid() == 0 {
				command.SysProcAttr.Credential = &syscall.Credential{Uid: owner.Uid, Gid: owner.Gid}
			}
			said, err := command.CombinedOutput()
			if err != nil && syscall.Kill(pid, 0) == nil {
				t.Fatalf("prlimit of %d: %v %s", pid, err, said)
			}
		}
	}
	limit("65536")
	time.Sleep(lasts)
	limit("unlimited")
}
