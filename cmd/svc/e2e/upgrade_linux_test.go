package e2e

import (
	"fmt"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// previousRelease is what servers are upgraded from. No version is tagged yet: until one is, it is the last commit
// before ids of events were packed, where two versions have to find each other's. Its migrations end with 0076.
const previousRelease = "b7b97f4e66a03f2724f4328f8e828c8a5ec5a115"

// buildPrevious builds svc of the previous release. A clone without its history skips the test.
func buildPrevious(t *testing.T) string {
	t.Helper()
	source, err := sourceDirectory()
	if err != nil {
		t.Fatal(err)
	}
	git := func(args ...string) *exec.Cmd { return exec.Command("git", append([]string{"-C", source}, args...)...) }
	if err := git("cat-file", "-e", previousRelease+"^{commit}").Run(); err != nil {
		t.Skipf("this clone lacks the commit %s, from which servers are upgraded: git fetch --unshallow", previousRelease)
	}
	dir := t.TempDir()
	archive := filepath.Join(dir, "source.tar")
	if said, err := git("archive", "--output="+archive, previousRelease).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	if said, err := exec.Command("tar", "-x", "-C", dir, "-f", archive).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	program := filepath.Join(dir, "bin", "svc")
	if err := compile(dir, program); err != nil {
		t.Fatal(err)
	}
	return program
}

// TestEnduranceOfUpgrades replaces two servers of the release before by those under test, one after the other, while
// events of all paths and everything of [TestEndurance] go on. New servers and the database are killed while they
// migrate, and a server of the release before goes on beside a new one. Every request is taken or refused with 503, and
// what was acknowledged is there once. It goes on a quarter as long as [TestEndurance].
func TestEnduranceOfUpgrades(t *testing.T) {
	lasts, seed := endurance(t)
	if lasts == 0 {
		t.Skip("make test-endurance: it builds the release before")
	}
	random := rand.New(rand.NewPCG(seed, 1))
	previous := buildPrevious(t)
	began := time.Now()
	for round := 1; round == 1 || time.Since(began) < lasts/4; round++ {
		if !t.Run(fmt.Sprint("round ", round), func(t *testing.T) { upgrade(t, previous, random) }) {
			t.Fatalf("SVC_TEST_SEED=%d failed in round %d", seed, round)
		}
	}
}

func upgrade(t *testing.T, previous string, random *rand.Rand) {
	d := startDev(t, previous, enduranceSettings, "--demo=none")
	load := newCrashLoad(t, d, enduranceSettings...)
	besides := newBesides(t, d, load)
	load.start()
	besides.start()
	load.goesOn("load on two servers of the release before")

	load.second.Signal(syscall.SIGTERM)
	load.second.Wait()
	d.program = "" // what starts from now on
	for kills := random.IntN(3); kills > 0; kills-- {
		killed := spawn(t, d.binary(t), d.serving(enduranceSettings...), "serve")
		time.Sleep(time.Duration(random.IntN(1500)) * time.Millisecond)
		if kills == 1 && random.IntN(2) == 0 {
			killDatabase(t, d)
		}
		killed.Kill()
	}
	load.revive()
	load.goesOn("load on a server of each release")
	upheaval := []disturbance{
		{"nothing", func() {}},
		{"the new server is killed", func() { load.second.Kill() }},
		{"the database is killed", func() { killDatabase(t, d) }},
		{"its connections are killed", func() { killConnections(t, d) }},
	}[random.IntN(4)]
	t.Log(upheaval.name)
	upheaval.disturb()
	load.revive()
	load.goesOn("load on a server of each release after " + upheaval.name)

	if random.IntN(2) == 0 {
		d.Kill()
	} else {
		d.Stop()
	}
	load.revive()
	load.goesOn("load on two new servers")
	besides.stop()
	acknowledged := load.stop()
	besides.compareEnrolled()
	besides.compareErased()
	load.compare("upgraded")
	besides.compare()
	t.Logf("%d events and %s are as they should be", acknowledged, besides)
}
