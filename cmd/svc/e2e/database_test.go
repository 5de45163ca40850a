package e2e

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

func postmaster(t testing.TB, d *Dev) int {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(d.Dir, "postgres", "data", "postmaster.pid"))
	if err != nil {
		t.Fatal(err)
	}
	first, _, _ := strings.Cut(string(content), "\n")
	pid, err := strconv.Atoi(strings.TrimSpace(first))
	if err != nil {
		t.Fatal(err)
	}
	return pid
}

// children returns the processes of a postmaster.
func children(t testing.TB, parent int) []int {
	t.Helper()
	var pids []int
	entries, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range entries {
		content, err := os.ReadFile(path)
		if err != nil {
			continue // ended meanwhile
		}
		// pid (name) state ppid …; the name may hold spaces.
		fields := strings.Fields(string(content[strings.LastIndexByte(string(content), ')')+1:]))
		if len(fields) > 1 && fields[1] == strconv.Itoa(parent) {
			pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
			pids = append(pids, pid)
		}
	}
	return pids
}

// stopDatabase takes the database away without letting its supervisor restart
// it: all its processes are frozen, so that nothing answers.
func stopDatabase(t testing.TB, d *Dev) { signalDatabase(t, d, syscall.SIGSTOP) }

func resumeDatabase(t testing.TB, d *Dev) { signalDatabase(t, d, syscall.SIGCONT) }

func signalDatabase(t testing.TB, d *Dev, signal syscall.Signal) {
	t.Helper()
	parent := postmaster(t, d)
	for _, pid := range append([]int{parent}, children(t, parent)...) {
		if err := syscall.Kill(pid, signal); err != nil && err != syscall.ESRCH {
			t.Fatal(err)
		}
	}
}

// killDatabase ends the database as a crash would.
func killDatabase(t testing.TB, d *Dev) {
	t.Helper()
	if err := syscall.Kill(postmaster(t, d), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
}
