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
	transferUsers    = 60_000 // whose sessions hold five events
	importTarget     = 30_000 // events a second
	exportTarget     = 500_000
	transferMemory   = 256 // MiB at most
	transferKilobyte = 1 << 10
)

// transferFiles are exports of other tools, whose lines a row is written as.
var transferFiles = []struct {
	tool   string
	header string
	line   func(w io.Writer, row int, at time.Time)
}{
	{"posthog", "", func(w io.Writer, row int, at time.Time) {
		fmt.Fprintf(w, `{"uuid":"01900000-0000-7000-8000-%012d","event":"$pageview","distinct_id":"p%d","timestamp":%q,`+
			`"properties":{"$session_id":"s%d","$device_id":"p%[2]d","$pathname":"/page-%[5]d","$lib":"web",`+
			`"$browser":"Chrome","$os":"Mac OS X","$device_type":"Desktop","$geoip_country_code":"DE","$geoip_city_name":"Ulm",`+
			`"plan":"pro","$current_url":"https://shop.example/page-%[5]d","$referrer":"https://news.example/"}}`+"\n",
			row, row%transferUsers, at.Format(time.RFC3339Nano), row%transferUsers, row%100)
	}},
	{
		"umami", "event_id,session_id,visit_id,created_at,event_type,url_path,browser,os,device,country,city," +
			"referrer_domain\n",
		func(w io.Writer, row int, at time.Time) {
			fmt.Fprintf(w, "e%d,u%d,v%[2]d,%s,1,/page-%d,chrome,Mac OS,desktop,DE,Ulm,news.example\n",
				row, row%transferUsers, at.Format("2006-01-02 15:04:05"), row%100)
		},
	},
	{"matomo", "", func(w io.Writer, row int, at time.Time) {
		fmt.Fprintf(w, `{"idSite":"1","idVisit":"%d","visitorId":"m%d","languageCode":"de","deviceType":"Desktop",`+
			`"operatingSystemName":"Mac","browserName":"Chrome","countryCode":"de","city":"Ulm","referrerType":"website",`+
			`"referrerUrl":"https://news.example/","actionDetails":[{"type":"action","url":"https://shop.example/page-%d",`+
			`"pageTitle":"Page","pageId":"%d","timestamp":%d}]}`+"\n",
			row%transferUsers, row%transferUsers, row%100, row, at.Unix())
	}},
	{"ga4", "", func(w io.Writer, row int, at time.Time) {
		fmt.Fprintf(w, `{"event_timestamp":"%d","event_name":"page_view","event_params":[{"key":"page_location","value":`+
			`{"string_value":"https://shop.example/page-%d"}},{"key":"page_title","value":{"string_value":"Page"}},`+
			`{"key":"ga_session_id","value":{"int_value":"%d"}}],"event_bundle_sequence_id":"%d","user_pseudo_id":"g%d",`+
			`"device":{"category":"desktop","operating_system":"Macintosh","language":"de","web_info":{"browser":"Chrome"}},`+
			`"geo":{"country":"Germany","city":"Ulm"},"platform":"WEB","stream_id":"1"}`+"\n",
			at.UnixMicro(), row%100, row%transferUsers, row, row%transferUsers)
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
	for _, file := range transferFiles {
		path := filepath.Join(dir, file.tool)
		if err := writeExport(path, file.header, rows, file.line); err != nil {
			return err
		}
		took, memory, out, err := s.transfer(ctx, "import", file.tool, path)
		if err != nil {
			return err
		}
		var done struct{ Stored int }
		if err := json.Unmarshal(out, &done); err != nil || done.Stored != rows {
			return fmt.Errorf("import of %s: %d of %d events are stored: %w: %s", file.tool, done.Stored, rows, err, out)
		}
		row("svc import "+file.tool, float64(rows)/took.Seconds(), "ev/s", importTarget, "target")
		row("  memory", memory, "MiB", transferMemory, "limit")
	}
	took, memory, _, err := s.transfer(
		ctx, "export", "--format", "parquet", "--table", "events", "--out", filepath.Join(dir, "parquet"),
	)
	if err != nil {
		return err
	}
	row("svc export --format parquet", float64(rows*len(transferFiles))/took.Seconds(), "ev/s", exportTarget, "target")
	row("  memory", memory, "MiB", transferMemory, "limit")
	return nil
}

// writeExport writes a file of a tool whose rows are of the last days.
func writeExport(path, header string, rows int, line func(io.Writer, int, time.Time)) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer file.Close()
	w := bufio.NewWriterSize(file, 1<<20)
	fmt.Fprint(w, header)
	from := time.Now().Add(-72 * time.Hour).UTC()
	for i := range rows {
		line(w, i, from.Add(time.Duration(i)*200*time.Millisecond))
	}
	return w.Flush()
}

// transfer runs a command on the database; memory is the most that it held, in MiB.
func (s *server) transfer(
	ctx context.Context, args ...string,
) (took time.Duration, memory float64, out []byte, err error) {
	command := exec.CommandContext(ctx, binary, append(args, "--app", s.file.Apps[0].ID)...)
	command.Env = append(os.Environ(), "SVC_DATABASE_URL="+s.file.DatabaseURL)
	var printed, told bytes.Buffer
	command.Stdout, command.Stderr = &printed, &told
	began := time.Now()
	if err := command.Run(); err != nil {
		return 0, 0, nil, fmt.Errorf("svc %v: %w\n%s", args, err, told.String())
	}
	took = time.Since(began)
	if used, ok := command.ProcessState.SysUsage().(*syscall.Rusage); ok {
		memory = float64(used.Maxrss) / transferKilobyte // Linux counts kilobytes
	}
	return took, memory, printed.Bytes(), nil
}
