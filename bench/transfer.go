package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

const (
	transferRows     = 300_000
	transferUsers    = transferRows / transferSession
	transferSession  = 5   // events
	transferTogether = 300 // sessions under way at the same time, whose events are four minutes apart
	transferTime     = 72 * time.Hour
	importTarget     = 30_000 // events a second
	exportTarget     = 500_000
	transferMemory   = 256 // MiB at most
	transferKilobyte = 1 << 10
)

// inOrder returns the user of a row of a file in the order of time, where the rows of a session are near each other.
func inOrder(row int) int {
	const block = transferTogether * transferSession
	return row/block*transferTogether + row%transferTogether
}

// scattered returns the user of a row of a file in no order, as BigQuery exports a day: hours of events are between the
// rows of a session.
func scattered(row int) int { return row % transferUsers }

// transferFiles are exports of other tools, whose lines a row is written as.
var transferFiles = []struct {
	tool   string
	header string
	user   func(row int) int
	line   func(w io.Writer, row, user int, at time.Time)
}{
	{"posthog", "", inOrder, func(w io.Writer, row, user int, at time.Time) {
		fmt.Fprintf(w, `{"uuid":"01900000-0000-7000-8000-%012d","event":"$pageview","distinct_id":"p%d","timestamp":%q,`+
			`"properties":{"$session_id":"s%d","$device_id":"p%[2]d","$pathname":"/page-%[5]d","$lib":"web",`+
			`"$browser":"Chrome","$os":"Mac OS X","$device_type":"Desktop","$geoip_country_code":"DE","$geoip_city_name":"Ulm",`+
			`"plan":"pro","$current_url":"https://shop.example/page-%[5]d","$referrer":"https://news.example/"}}`+"\n",
			row, user, at.Format(time.RFC3339Nano), user, row%100)
	}},
	{
		"umami", "event_id,session_id,visit_id,created_at,event_type,url_path,browser,os,device,country,city," +
			"referrer_domain\n",
		inOrder, func(w io.Writer, row, user int, at time.Time) {
			fmt.Fprintf(w, "e%d,u%d,v%[2]d,%s,1,/page-%d,chrome,Mac OS,desktop,DE,Ulm,news.example\n",
				row, user, at.Format("2006-01-02 15:04:05"), row%100)
		},
	},
	{"matomo", "", inOrder, func(w io.Writer, row, user int, at time.Time) {
		fmt.Fprintf(w, `{"idSite":"1","idVisit":"%d","visitorId":"m%d","languageCode":"de","deviceType":"Desktop",`+
			`"operatingSystemName":"Mac","browserName":"Chrome","countryCode":"de","city":"Ulm","referrerType":"website",`+
			`"referrerUrl":"https://news.example/","actionDetails":[{"type":"action","url":"https://shop.example/page-%d",`+
			`"pageTitle":"Page","pageId":"%d","timestamp":%d}]}`+"\n",
			user, user, row%100, row, at.Unix())
	}},
	{"ga4", "", scattered, func(w io.Writer, row, user int, at time.Time) {
		fmt.Fprintf(w, `{"event_timestamp":"%d","event_name":"page_view","event_params":[{"key":"page_location","value":`+
			`{"string_value":"https://shop.example/page-%d"}},{"key":"page_title","value":{"string_value":"Page"}},`+
			`{"key":"ga_session_id","value":{"int_value":"%d"}}],"event_bundle_sequence_id":"%d","user_pseudo_id":"g%d",`+
			`"device":{"category":"desktop","operating_system":"Macintosh","language":"de","web_info":{"browser":"Chrome"}},`+
			`"geo":{"country":"Germany","city":"Ulm"},"platform":"WEB","stream_id":"1"}`+"\n",
			at.UnixMicro(), row%100, user, row, user)
	}},
}

// benchTransfer imports exports of other tools and exports what they brought as Parquet files, both by the command on
// the cores of the database.
func benchTransfer(ctx context.Context) error { return onServer(ctx, measureTransfer) }

func measureTransfer(ctx context.Context, s *server) error {
	dir, err := os.MkdirTemp("", "svc-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	rows := int(transferRows * options.scale)
	for i, file := range transferFiles {
		path := filepath.Join(dir, file.tool)
		if err := writeExport(path, rows, i); err != nil {
			return err
		}
		moved, err := s.transfer(ctx, "import", file.tool, path)
		if err != nil {
			return err
		}
		var done struct{ Stored int }
		if err := json.Unmarshal(moved.out, &done); err != nil || done.Stored != rows {
			return fmt.Errorf("import of %s: %d of %d events are stored: %w: %s", file.tool, done.Stored, rows, err, moved.out)
		}
		moved.print("svc import "+file.tool, rows, importTarget)
	}
	moved, err := s.transfer(
		ctx, "export", "--format", "parquet", "--table", "events", "--out", filepath.Join(dir, "parquet"),
	)
	if err != nil {
		return err
	}
	moved.print("svc export --format parquet", rows*len(transferFiles), exportTarget)
	return nil
}

// writeExport writes a file of a tool, by its place in transferFiles, whose rows are of the last days: four of UTC,
// whenever it is run, so that an export has files to write at the same time.
func writeExport(path string, rows, tool int) error {
	of := transferFiles[tool]
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer file.Close()
	w := bufio.NewWriterSize(file, 1<<20)
	fmt.Fprint(w, of.header)
	from, step := time.Now().Add(-transferTime).UTC(), transferTime/time.Duration(rows)
	for row := range rows {
		of.line(w, row, of.user(row), from.Add(time.Duration(row)*step))
	}
	return w.Flush()
}

// transferred is a command that ran.
type transferred struct {
	took                  time.Duration
	own, server, database time.Duration // processor time of the command, of the server beside it and of the database
	memory                float64       // the most that the command held, in MiB
	out                   []byte
}

func (t *transferred) print(measure string, events int, target float64) {
	perEvent := func(d time.Duration) float64 { return d.Seconds() * 1e6 / float64(events) }
	row(measure, float64(events)/t.took.Seconds(), "ev/s", target, "target")
	row("  processor time of the command", perEvent(t.own), "µs/ev", 0, "")
	row("  processor time of the database", perEvent(t.database), "µs/ev", 0, "")
	row("  processor time of the server beside it", perEvent(t.server), "µs/ev", 0, "")
	row("  memory of the command", t.memory, "MiB", transferMemory, "limit")
}

// transfer runs a command on the database.
func (s *server) transfer(ctx context.Context, args ...string) (done transferred, err error) {
	command := exec.CommandContext(ctx, binary, append(args, "--app", s.file.Apps[0].ID)...)
	command.Env = append(os.Environ(), "SVC_DATABASE_URL="+s.file.DatabaseURL)
	var printed, told bytes.Buffer
	command.Stdout, command.Stderr = &printed, &told
	serverBefore, databaseBefore, err := s.processorTime()
	if err != nil {
		return done, err
	}
	began := time.Now()
	if err := command.Run(); err != nil {
		return done, fmt.Errorf("svc %v: %w\n%s", args, err, told.String())
	}
	done.took, done.out = time.Since(began), printed.Bytes()
	server, database, err := s.processorTime()
	if err != nil {
		return done, err
	}
	state := command.ProcessState
	done.own = state.UserTime() + state.SystemTime()
	done.server, done.database = server-serverBefore, database-databaseBefore
	if used, ok := state.SysUsage().(*syscall.Rusage); ok {
		done.memory = float64(used.Maxrss) / transferKilobyte // Linux counts kilobytes
	}
	return done, nil
}
