package main

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// measured is what this run has measured so far.
var measured document

// document is a run's measures by part, for docs/benchmarks.md.
type document []section

type section struct {
	part     string
	measures []measure
	reports  []report
}

type measure struct {
	name, unit      string
	ours, reference float64 // reference 0: none
	what            string  // the reference is
}

// sectionTitles say what is measured by the parts that are published.
var sectionTitles = map[string]string{
	"resolve": "A flow is resolved",
	"ingest":  "Events come in",
	"bytes":   "Disk",
	"engines": "Reports beside DuckDB and ClickHouse",
	"year":    "Reports over a year",
}

// sectionTexts say how.
var sectionTexts = map[string]string{
	"ingest": "The clients run on the same processors as the server and its database. An event is acknowledged when " +
		"it is committed to disk, once, whatever is sent again.",
	"engines": "All have the same events, and an answer that differs ends the run. Ours are asked by GraphQL over " +
		"HTTP; the others within their process, with two threads, from tables of their own. *First* is a question's first " +
		"run, *again* the median of the next ones. Reports are kept as counters and frames in the memory of the server, " +
		"which is why they are fast: a general engine reads columns, and answers questions that no report has.",
	"year": "The files of reports are made of a month of made-up events and eleven copies of it with other visitors, " +
		"at scale 1 a billion events. Server, database and page cache share the memory that stands below, and no file is " +
		"in memory at the begin. Reports have the names of their fields in GraphQL. They are asked for in the order of " +
		"the tables, over 30 days without and with filters by three dimensions, and then over the year: *first*, where " +
		"what those before it read may be in memory, and *again*, the slowest time of which is given. *Processor* is the " +
		"time of both processors for the first answer. They are held to half a second first over 30 days, two seconds " +
		"over the year, and a tenth of a second again.",
}

// commands are those that write a document which begins with a part.
var commands = map[string]string{"resolve": "make bench-report", "year": "make bench-year"}

// Prices of what a million events cost: those of a small virtual machine and its disk.
const (
	processorHour = 0.04 // US dollars
	gigabyteMonth = 0.10
)

func (d *document) begin(part string) { *d = append(*d, section{part: part}) }

func (d *document) add(name string, ours float64, unit string, reference float64, what string) {
	if last := len(*d) - 1; last >= 0 {
		(*d)[last].measures = append((*d)[last].measures, measure{name, unit, ours, reference, what})
	}
}

// of returns what a measure of a part said, 0 when it was not measured.
func (d *document) of(part, name string) float64 {
	for _, s := range *d {
		for _, m := range s.measures {
			if s.part == part && strings.TrimSpace(m.name) == name {
				return m.ours
			}
		}
	}
	return 0
}

func (d *document) write(ctx context.Context, path string) error {
	var text strings.Builder
	title, command := "Benchmarks", "make bench"
	if first := (*d)[0].part; commands[first] != "" {
		command = commands[first]
	}
	if len(*d) == 1 {
		title += ": " + strings.ToLower(sectionTitles[(*d)[0].part])
	}
	fmt.Fprintf(&text, `# %s

What this version does on one machine, written by `+"`%s`"+` on %s: %s.
Each line stands beside what it is held to or compared with in the same run; on another machine both change, and their
ratio less.
`, title, command, time.Now().UTC().Format("2 January 2006"), machine(ctx))
	for _, s := range *d {
		title := sectionTitles[s.part]
		if title == "" {
			title = s.part
		}
		only := ""
		if options.only != "" {
			only = fmt.Sprintf("-only '%s' ", options.only)
		}
		fmt.Fprintf(&text, "\n## %s\n\n`go run ./bench -scale %g %s%s`\n", title, options.scale, only, s.part)
		if how := sectionTexts[s.part]; how != "" {
			fmt.Fprintf(&text, "\n%s\n", how)
		}
		text.WriteString("\n| | Svc | reference | ratio | the reference is |\n|---|---|---|---|---|\n")
		for _, m := range s.measures {
			reference, ratio := "", ""
			if m.reference != 0 {
				reference, ratio = number(m.reference)+" "+m.unit, fmt.Sprintf("%.2g", m.ours/m.reference)
			}
			fmt.Fprintf(&text, "| %s | %s %s | %s | %s | %s |\n",
				strings.TrimSpace(m.name), number(m.ours), m.unit, reference, ratio, m.what)
		}
		writeReports(&text, s.reports)
	}
	d.writeCost(&text)
	return os.WriteFile(path, []byte(text.String()), 0o644)
}

// writeCost says what a million events cost, where ingest and disk were measured.
func (d *document) writeCost(text *strings.Builder) {
	seconds := d.of("ingest", "processor time of the server") + d.of("ingest", "processor time of the database")
	bytes := d.of("bytes", "disk of an event, PostgreSQL alone")
	if seconds == 0 || bytes == 0 {
		return
	}
	gigabytes := bytes * 1e6 / 1e9
	fmt.Fprintf(text, `
## What a million events cost

They take %.0f seconds of one processor and %.2f GB of disk: %.4f US dollars once and %.3f a month, at %.2f US dollars
for a processor's hour and %.2f for a gigabyte's month. Copies and backups take disk again.
`, seconds, gigabytes, seconds/3600*processorHour, gigabytes*gigabyteMonth, processorHour, gigabyteMonth)
}

// machine names what the figures were measured on.
func machine(ctx context.Context) string {
	model := runtime.GOARCH
	if content, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		if _, rest, ok := strings.Cut(string(content), "model name\t: "); ok {
			model, _, _ = strings.Cut(rest, "\n")
		}
	}
	memory := ""
	if content, err := os.ReadFile("/proc/meminfo"); err == nil {
		if fields := strings.Fields(string(content)); len(fields) > 1 {
			kilobytes, _ := strconv.ParseFloat(fields[1], 64)
			memory = fmt.Sprintf(", %.0f GiB of memory", kilobytes/(1<<20))
		}
	}
	database := ""
	if out, err := runCommand(ctx, nil, "pg_config", "--version"); err == nil {
		version, _, _ := strings.Cut(strings.TrimSpace(string(out)), " (") // who packed it
		database = ", " + version
	}
	return fmt.Sprintf("%d processors (%s)%s, %s%s, %s",
		runtime.NumCPU(), strings.TrimSpace(model), memory, runtime.GOOS, database, runtime.Version())
}
