// Command bench measures the service on this machine. Every line prints ours,
// the reference of the same run, and the ratio or the limit that it is held
// to; the machines are noisy, so nothing here is a timed test.
//
//	go run ./bench            everything
//	go run ./bench ingest     one part: resolve, ingest, start
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
)

type part struct {
	name string
	run  func(context.Context) error
}

var parts = []part{
	{"start", benchStart},
	{"resolve", benchResolve},
	{"ingest", benchIngest},
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, names []string) error {
	var known []string
	for _, p := range parts {
		known = append(known, p.name)
	}
	for _, name := range names {
		if !slices.Contains(known, name) {
			return fmt.Errorf("unknown part %q: use %s", name, strings.Join(known, ", "))
		}
	}
	fmt.Printf("%-44s %16s %16s %10s  %s\n", "measure", "ours", "reference", "ratio", "reference is")
	for _, p := range parts {
		if len(names) > 0 && !slices.Contains(names, p.name) {
			continue
		}
		if err := p.run(ctx); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
	}
	return nil
}

// row prints one measure; reference 0 means that there is none to compare with.
func row(measure string, ours float64, unit string, reference float64, what string) {
	ratio := ""
	other := ""
	if reference != 0 {
		ratio = fmt.Sprintf("%.2f", ours/reference)
		other = number(reference) + " " + unit
	}
	fmt.Printf("%-44s %16s %16s %10s  %s\n", measure, number(ours)+" "+unit, other, ratio, what)
}

// number writes large values whole and small ones with four digits.
func number(value float64) string {
	if value >= 1000 {
		return fmt.Sprintf("%.0f", value)
	}
	return fmt.Sprintf("%.4g", value)
}
