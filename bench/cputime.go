package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
)

// readDatabase reads the processor time that a local database has used and the
// end of its write-ahead log in bytes.
func readDatabase(ctx context.Context, pool *pgxpool.Pool, dataDir string) (cpu time.Duration, wal int64, err error) {
	if cpu, err = databaseTime(dataDir); err != nil {
		return 0, 0, err
	}
	return cpu, wal, pool.QueryRow(ctx, `select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::bigint`).Scan(&wal)
}

// databaseTime returns the processor time of all processes of the database in the
// directory, those that have ended included.
func databaseTime(dataDir string) (time.Duration, error) {
	text, err := os.ReadFile(filepath.Join(dataDir, "postmaster.pid"))
	if err != nil {
		return 0, err
	}
	first, _, _ := strings.Cut(string(text), "\n")
	postmaster, err := strconv.Atoi(first)
	if err != nil {
		return 0, fmt.Errorf("postmaster.pid: %w", err)
	}
	own, err := readStat(postmaster)
	if err != nil {
		return 0, err
	}
	total := own.used + own.usedByEnded
	entries, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		return 0, err
	}
	for _, entry := range entries {
		pid, _ := strconv.Atoi(filepath.Base(entry)) // the pattern allows digits only
		if child, err := readStat(pid); err == nil && child.parent == postmaster {
			total += child.used
		}
	}
	return total, nil
}

// processorTime returns the processor time of the server and of its database so far.
func (s *server) processorTime() (own, database time.Duration, err error) {
	for _, dir := range s.databases {
		of, err := databaseTime(dir)
		if err != nil {
			return 0, 0, err
		}
		database += of
	}
	own, err = processTime(s.command.Process.Pid)
	return own, database, err
}

// processTime returns the processor time of a process.
func processTime(pid int) (time.Duration, error) {
	s, err := readStat(pid)
	return s.used, err
}

// stat is a part of /proc/<pid>/stat.
type stat struct {
	parent            int
	used, usedByEnded time.Duration // by itself, and by its children that have ended
}

func readStat(pid int) (stat, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return stat{}, err
	}
	// The name, in parentheses, may hold anything; the rest begins with field 3.
	at := strings.LastIndex(string(text), ")")
	fields := strings.Fields(string(text)[at+1:])
	const first, last = 3, 17
	if at < 0 || len(fields) <= last-first {
		return stat{}, fmt.Errorf("/proc/%d/stat can't be read", pid)
	}
	ticks := func(field int) time.Duration { // of a hundredth of a second
		n, _ := strconv.ParseInt(fields[field-first], 10, 64) // the kernel writes numbers
		return time.Duration(n) * 10 * time.Millisecond
	}
	parent, err := strconv.Atoi(fields[4-first])
	return stat{parent: parent, used: ticks(14) + ticks(15), usedByEnded: ticks(16) + ticks(17)}, err
}
