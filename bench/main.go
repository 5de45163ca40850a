// Command bench measures the service on this machine. Every line prints ours,
// the reference of the same run, and the ratio or the limit that it is held
// to; the machines are noisy, so nothing here is a timed test.
//
//	go run ./bench                      everything but reports
//	go run ./bench ingest               one part: start, resolve, counting, ingest, floor, ledger, cluster,
//	                                    sweep, bytes, reports, engines, share, frames, flow-frames, long, year, flows,
//	                                    segments, automations, edit, simulate, code, revenue, cold, warm, erase,
//	                                    archive, transfer or soak
//	go run ./bench counting             what counting people adds to the processor time of resolve and ingest, server
//	                                    and database together, when of a hundred requests 0, 2, 10 or all are of
//	                                    people who come for the first time; 6 minutes, while others may use the cores
//	go run ./bench -scale 0.1 reports   with a tenth of the data, which is built once
//	go run ./bench -no-sql -only 'goal|funnel|paths' warm   those reports once the data is in memory, without SQL beside
//	                                    them
//	go run ./bench frames               the first chart after a restart, from files, its heap and the disk an event
//	                                    takes; flow-frames measures runs of flows alone
//	go run ./bench -only events long    reports whose name matches over 30 and 120 days, of the data of four months,
//	                                    which is built once
//	go run ./bench year                 reports over a billion events in 4 GiB of memory, page cache included; the frames
//	                                    take 26 GB of disk and are made straight into files, once
//	go run ./bench engines              reports beside DuckDB and ClickHouse with the same events, which give the same
//	                                    answers; needs Python 3
//	go run ./bench share                a shared link that 50 readers open at once, beside 5,000 events a second
//	go run ./bench flows                the reports of a flow over a million runs, which are built once: in some
//	                                    minutes, below the user's cache directory, where the next measurement finds
//	                                    them; -no-sql leaves out the reference
//	go run ./bench segments             counts of people by conditions, among the data of flows
//	go run ./bench automations          events with 100 active automations against without, and 100,000 people waiting
//	go run ./bench revenue              figures of a million charges in memory and in portions, deliveries of billing
//	                                    providers, and events beside forged ones; 4 minutes
//	go run ./bench edit                 edits of a draft of 500 kB, of one editor and of 20 at once beside 5,000 events
//	                                    a second
//	go run ./bench simulate             100,000 recorded runs of thirty steps through a draft and its version, reading
//	                                    them included
//	go run ./bench code                 svc diff of 200 files
//	go run ./bench cluster              a Citus cluster of three servers on this machine beside one database
//	go run ./bench archive              the data of a person given out who has a million events
//	go run ./bench transfer             exports of other tools stored, and Parquet files of what they brought
//	go run ./bench erase                people erased in a copy of the data of flows
//	go run ./bench -for 1h soak         an hour of steady load
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"time"
)

type part struct {
	name  string
	run   func(context.Context) error
	apart bool // runs only when it is named: it builds much data first
}

// options are the flags.
var options struct {
	scale float64
	soak  time.Duration
	stock bool
	noSQL bool
	only  string
	out   string
}

var parts = []part{
	{name: "start", run: benchStart},
	{name: "resolve", run: benchResolve},
	{name: "counting", run: benchCounting, apart: true},
	{name: "ingest", run: benchIngest},
	{name: "floor", run: benchFloor},
	{name: "ledger", run: benchLedger, apart: true},
	{name: "cluster", run: benchCluster, apart: true},
	{name: "sweep", run: benchSweep, apart: true},
	{name: "bytes", run: benchBytes, apart: true},
	{name: "cold", run: benchCold, apart: true},
	{name: "warm", run: benchWarm, apart: true},
	{name: "reports", run: benchReports, apart: true},
	{name: "engines", run: benchEngines, apart: true},
	{name: "share", run: benchShare, apart: true},
	{name: "frames", run: benchFrames, apart: true},
	{name: "long", run: benchLong, apart: true},
	{name: "year", run: benchYear, apart: true},
	{name: "flow-frames", run: benchFlowFrames, apart: true},
	{name: "flows", run: benchFlows, apart: true},
	{name: "segments", run: benchSegments, apart: true},
	{name: "automations", run: benchAutomations, apart: true},
	{name: "revenue", run: benchRevenue, apart: true},
	{name: "edit", run: benchEdit, apart: true},
	{name: "simulate", run: benchSimulate, apart: true},
	{name: "code", run: benchCode, apart: true},
	{name: "erase", run: benchErase, apart: true},
	{name: "archive", run: benchArchive, apart: true},
	{name: "transfer", run: benchTransfer, apart: true},
	{name: "soak", run: benchSoak, apart: true},
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	flag.Float64Var(
		&options.scale, "scale", 1,
		"size of the data of reports, 1 is 1.7 million sessions, 1 million runs or 1 million charges, and of the ledger, "+
			"1 is 20 million keys",
	)
	flag.DurationVar(&options.soak, "for", time.Hour, "how long the soak lasts")
	flag.BoolVar(&options.stock, "stock", false, "use PostgreSQL alone although TimescaleDB is installed")
	flag.BoolVar(&options.noSQL, "no-sql", false, "leave out the same reports in SQL, which take minutes")
	flag.StringVar(
		&options.only, "only", "",
		"measure the reports alone whose name matches the pattern; of a year, or that with its range: ^series, 360 days$",
	)
	flag.StringVar(&options.out, "out", "", "write what was measured to this file too, as Markdown")
	flag.Parse()
	if err := run(ctx, flag.Args()); err != nil {
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
	printRow("measure", "ours", "reference", "ratio", "reference is")
	for _, p := range parts {
		if named := slices.Contains(names, p.name); !named && (len(names) > 0 || p.apart) {
			continue
		}
		measured.begin(p.name)
		if err := p.run(ctx); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
	}
	if options.out == "" {
		return nil
	}
	return measured.write(ctx, options.out)
}

// row prints one measure; reference 0 means that there is none to compare with.
func row(measure string, ours float64, unit string, reference float64, what string) {
	measured.add(measure, ours, unit, reference, what)
	printMeasure(measure, ours, unit, reference, what)
}

func printMeasure(measure string, ours float64, unit string, reference float64, what string) {
	ratio := ""
	other := ""
	if reference != 0 {
		ratio = fmt.Sprintf("%.2f", ours/reference)
		other = number(reference) + " " + unit
	}
	printRow(measure, number(ours)+" "+unit, other, ratio, what)
}

func printRow(measure, ours, reference, ratio, what string) {
	fmt.Printf("%-44s %16s %16s %10s  %s\n", measure, ours, reference, ratio, what)
}

// number writes large values whole and small ones with four digits.
func number(value float64) string {
	if value >= 1000 {
		return fmt.Sprintf("%.0f", value)
	}
	return fmt.Sprintf("%.4g", value)
}
