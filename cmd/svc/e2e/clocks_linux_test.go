package e2e

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// clock is off by as many seconds as its file says. Programs that follow it have the file in their memory.
type clock struct {
	t    *testing.T
	file *os.File
}

func newClock(t *testing.T, path string) *clock {
	t.Helper()
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = file.Close() })
	c := &clock{t, file}
	c.jump(0)
	return c
}

// jump lets the clock be off by so much from now on.
func (c *clock) jump(off time.Duration) {
	c.t.Helper()
	if _, err := c.file.WriteAt(binary.NativeEndian.AppendUint64(nil, uint64(off/time.Second)), 0); err != nil {
		c.t.Fatal(err)
	}
}

// hours is how far a clock jumps, ahead or back.
func hours(random *rand.Rand) time.Duration {
	off := time.Hour + time.Duration(random.Int64N(int64(11*time.Hour)))
	if random.IntN(2) == 0 {
		off = -off
	}
	return off.Truncate(time.Second)
}

// databaseClock is a library that PostgreSQL asks for the time instead of the C library.
const databaseClock = `
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static volatile long long *off;

__attribute__((constructor)) static void follow(void) {
	const char *path = getenv("DATABASE_CLOCK");
	int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	if (file < 0) return;
	void *mapped = mmap(NULL, 8, PROT_READ, MAP_SHARED, file, 0);
	if (mapped != MAP_FAILED) off = mapped;
	close(file);
}

int clock_gettime(clockid_t which, struct timespec *at) {
	int result = syscall(SYS_clock_gettime, which, at);
	if (result == 0 && which == CLOCK_REALTIME && off) at->tv_sec += *off;
	return result;
}

int gettimeofday(struct timeval *at, void *zone) {
	struct timespec now;
	if (clock_gettime(CLOCK_REALTIME, &now)) return -1;
	at->tv_sec = now.tv_sec;
	at->tv_usec = now.tv_nsec / 1000;
	return 0;
}

time_t time(time_t *into) {
	struct timespec now;
	clock_gettime(CLOCK_REALTIME, &now);
	if (into) *into = now.tv_sec;
	return now.tv_sec;
}
`

// clockDirectory is one that the database's user reaches, unlike t.TempDir.
func clockDirectory(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "svc-clocks-")
	if err == nil {
		t.Cleanup(func() { _ = os.RemoveAll(dir) })
		err = os.Chmod(dir, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// databaseClockIn makes a clock that the database of a `svc dev` follows which has these settings; of a machine without
// a C compiler it returns nil.
func databaseClockIn(t *testing.T, dir string) (c *clock, settings []string) {
	t.Helper()
	compiler, err := exec.LookPath("cc")
	if err != nil {
		t.Log("the database's clock does not jump: ", err)
		return nil, nil
	}
	library, source := filepath.Join(dir, "clock.so"), filepath.Join(dir, "clock.c")
	if err := os.WriteFile(source, []byte(databaseClock), 0o644); err != nil {
		t.Fatal(err)
	}
	if said, err := exec.Command(compiler, "-O1", "-shared", "-fPIC", "-o", library, source).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	path := filepath.Join(dir, "database")
	return newClock(t, path), []string{"LD_PRELOAD=" + library, "DATABASE_CLOCK=" + path}
}

// jumpDatabase lets the clock of the database jump, and looks whether it did.
func jumpDatabase(t *testing.T, d *Dev, c *clock, off time.Duration) {
	t.Helper()
	c.jump(off)
	var at time.Time
	query(t, d, `select clock_timestamp()`, &at)
	if wrong := time.Until(at) - off; wrong.Abs() > time.Minute {
		t.Fatalf("the database's clock is %s off what was set", wrong)
	}
}

// serverClock is what is added to svc so that its clock follows a file.
const serverClock = `package main

import (
	"os"
	"syscall"
	"time"
	"unsafe"
)

func init() {
	file, err := os.Open(os.Getenv("SERVER_CLOCK"))
	if err != nil {
		return
	}
	mapped, err := syscall.Mmap(int(file.Fd()), 0, 8, syscall.PROT_READ, syscall.MAP_SHARED)
	if err != nil {
		panic(err)
	}
	time.OffBy = (*int64)(unsafe.Pointer(&mapped[0]))
}
`

// buildWithClock builds svc on a package time whose Now is off by what a file says, which SERVER_CLOCK names: Go asks
// no library for the time that another could stand in front of.
func buildWithClock(t *testing.T, dir string) string {
	t.Helper()
	source, err := sourceDirectory()
	if err != nil {
		t.Fatal(err)
	}
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(strings.TrimSpace(string(root)), "src", "time", "time.go")
	code, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const before, imports = "\tsec, nsec, mono := runtimeNow()\n", "import (\n"
	if strings.Count(string(code), before) != 1 {
		t.Fatalf("%s is not written as it was: look for how Now asks the runtime", path)
	}
	now := strings.Replace(string(code), before, before+
		"\tif OffBy != nil {\n\t\tsec += atomic.LoadInt64(OffBy)\n\t}\n", 1)
	now = strings.Replace(now, imports, imports+"\t\"sync/atomic\"\n", 1) + "\nvar OffBy *int64\n"
	replaced := map[string]string{}
	for original, text := range map[string]string{
		path: now, filepath.Join(source, "cmd", "svc", "clock_linux.go"): serverClock,
	} {
		replaced[original] = filepath.Join(dir, filepath.Base(original))
		if err := os.WriteFile(replaced[original], []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replaced})
	if err != nil {
		t.Fatal(err)
	}
	listed, program := filepath.Join(dir, "overlay.json"), filepath.Join(dir, "svc")
	if err := os.WriteFile(listed, overlay, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := compile(source, program, "-overlay", listed); err != nil {
		t.Fatal(err)
	}
	return program
}

// clockOf reads the clock of a server in its answers' Date.
func clockOf(address string) (time.Duration, error) {
	answer, err := Do(Browser(), "GET", address+"/healthz", nil)
	if err != nil {
		return 0, err
	}
	at, err := time.Parse(time.RFC1123, answer.Header.Get("Date"))
	if err != nil {
		return 0, fmt.Errorf("a header Date: %w", err)
	}
	return time.Until(at), nil
}

// checkClock looks whether a server's clock is off by so much, where it answers.
func (l *crashLoad) checkClock(server int, off time.Duration) {
	l.t.Helper()
	l.mu.Lock()
	address := l.addresses[server]
	l.mu.Unlock()
	Until(l.t, time.Minute, "the server's clock jumps", func() error {
		is, err := clockOf(address)
		if err == nil && (is-off).Abs() > time.Minute {
			err = fmt.Errorf("it is off by %s, not %s", is, off)
		}
		return err
	})
}
