package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
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

// countingMeasures are those of processor time, against the same server without counting.
var countingMeasures = map[string]string{
	"Counting/Returning": "resolve, counts people who come back",
	"Counting/TenthNew":  "resolve, counts people, a tenth of them new",
	"Counting/New":       "resolve, counts people who are new",

	"LiveUsers/Returning": "resolve, counts active users who come back",
	"LiveUsers/TenthNew":  "resolve, counts active users, a tenth of them new",
	"LiveUsers/New":       "resolve, counts active users who are new",
}

// benchResolve runs the benchmarks of bench/resolve, which need both servers in
// one process, and prints what they measured.
func benchResolve(ctx context.Context) error {
	command := exec.CommandContext(
		ctx, "go", "test", "./bench/resolve", "-run", "^$", "-benchtime", "1x",
		"-bench", "Unmodified|Document|Counting|LiveUsers|Allocations",
	)
	command.Stderr = os.Stderr
	output, err := command.Output()
	if err != nil {
		return fmt.Errorf("%w\n%s", err, output)
	}
	found := 0
	for scanner := bufio.NewScanner(bytes.NewReader(output)); scanner.Scan(); {
		name, metrics := benchmarkLine(scanner.Text())
		measure, known := resolveMeasures[name]
		switch {
		case known:
			row(measure, metrics["ours/s"], "/s", metrics["reference/s"], "bare net/http, same bytes")
		case countingMeasures[name] != "":
			row(countingMeasures[name], metrics["ours-us/request"], "µs of server and database",
				metrics["reference-us/request"], "the same without counting")
		case strings.HasPrefix(name, "Allocations/"):
			row("resolve, allocated, "+strings.TrimPrefix(name, "Allocations/"), metrics["B/op"], "B", 0, "")
		default:
			continue
		}
		found++
	}
	if found == 0 {
		return fmt.Errorf("the benchmarks printed nothing:\n%s", output)
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
