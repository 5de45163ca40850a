package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
)

// resolveMeasures names the benchmarks of bench/resolve as people read them.
var resolveMeasures = map[string]string{
	"Unmodified":   "resolve, 304, 32 connections",
	"Document":     "resolve, 200, 20 kB manifest",
	"DocumentGzip": "resolve, 200, 20 kB manifest, gzip",
}

// countingMeasures names those of processor time, against the same server without counting. What follows a slash is how
// many of a hundred requests are of people who come for the first time.
var countingMeasures = map[string]string{
	"Served":          "resolve, counts whom it serves, %s%% new",
	"LiveUsers":       "resolve, counts active users, %s%% new",
	"IngestLiveUsers": "ingest, counts active users, %s%% new",
}

// benchResolve runs the benchmarks of bench/resolve that need both servers in one process, and prints what they
// measured.
func benchResolve(ctx context.Context) error {
	return runResolve(ctx, "Unmodified|Document|Allocations", func(name string, metrics map[string]float64) bool {
		measure, known := resolveMeasures[name]
		switch {
		case known:
			row(measure, metrics["ours/s"], "/s", metrics["reference/s"], "bare net/http, same bytes")
		case strings.HasPrefix(name, "Allocations/"):
			row("resolve, allocated, "+strings.TrimPrefix(name, "Allocations/"), metrics["B/op"], "B", 0, "")
		default:
			return false
		}
		return true
	})
}

// benchCounting prints what it costs to count people, in processor time of server and database. The ratio is of the
// median turn, with the quartiles.
func benchCounting(ctx context.Context) error {
	return runResolve(ctx, "Served|LiveUsers", func(name string, metrics map[string]float64) bool {
		name, share, _ := strings.Cut(name, "/")
		measure := countingMeasures[name]
		if measure == "" {
			return false
		}
		printRow(
			fmt.Sprintf(measure, share), number(metrics["ours-us/request"])+" µs",
			number(metrics["reference-us/request"])+" µs", fmt.Sprintf("%.3f", metrics["ratio"]),
			fmt.Sprintf("the same without counting; quartiles %.3f %.3f", metrics["lower-ratio"], metrics["upper-ratio"]),
		)
		return true
	})
}

// runResolve runs benchmarks of bench/resolve and lets print see each line until it knows none.
func runResolve(ctx context.Context, pattern string, print func(name string, metrics map[string]float64) bool) error {
	command := exec.CommandContext(
		ctx, "go", "test", "./bench/resolve", "-run", "^$", "-benchtime", "1x", "-timeout", "60m", "-bench", pattern,
	)
	command.Stderr = os.Stderr
	output, err := command.StdoutPipe()
	if err != nil {
		return err
	}
	if err := command.Start(); err != nil {
		return err
	}
	found := 0
	var all bytes.Buffer
	for scanner := bufio.NewScanner(io.TeeReader(output, &all)); scanner.Scan(); {
		if name, metrics := benchmarkLine(scanner.Text()); name != "" && print(name, metrics) {
			found++
		}
	}
	if err := command.Wait(); err != nil || found == 0 {
		return fmt.Errorf("the benchmarks printed: %w\n%s", err, all.String())
	}
	return nil
}

// benchmarkLine reads "BenchmarkName-2  1  12 unit  34 unit".
func benchmarkLine(line string) (name string, metrics map[string]float64) {
	fields := strings.Fields(line)
	if len(fields) < 4 || !strings.HasPrefix(fields[0], "Benchmark") {
		return "", nil
	}
	name = strings.TrimPrefix(fields[0], "Benchmark")
	if end := strings.LastIndexByte(name, '-'); end > 0 {
		name = name[:end]
	}
	metrics = map[string]float64{}
	for i := 2; i+1 < len(fields); i += 2 {
		if value, err := strconv.ParseFloat(fields[i], 64); err == nil {
			metrics[fields[i+1]] = value
		}
	}
	return name, metrics
}
