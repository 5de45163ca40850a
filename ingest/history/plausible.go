package history

import (
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/svc-dev/svc/ingest"
	"github.com/svc-dev/svc/internal/codeunit"
)

const (
	// valueUnits is how much of a page or a source is kept, in UTF-16 code units.
	valueUnits = 500
	// maxCount bounds a count of a row: all rows of a table together fit 64 bits.
	maxCount = 1_000_000_000_000
)

// totalsTable is a table of Plausible's export: of which columns the values and counts of dimensions are.
type totalsTable struct {
	name string
	// values lead from columns to the dimensions that they are of. A table without any has the totals of days.
	values map[string]string
	// marks are columns that no other table has all of, and keys those that tell the rows of a day apart.
	marks, keys []string
	// sessions and views are the columns of these counts, where they have other names.
	sessions, views string
}

// plausibleTables are in an order in which the first whose marks a header has is the one.
var plausibleTables = []totalsTable{
	{name: "imported_entry_pages", values: map[string]string{"entry_page": "entry"}, marks: []string{"entry_page"},
		sessions: "entrances"},
	{name: "imported_exit_pages", values: map[string]string{"exit_page": "exit"}, marks: []string{"exit_page"},
		sessions: "exits"},
	{name: "imported_pages", values: map[string]string{"page": "page"}, marks: []string{"page"},
		keys: []string{"hostname", "page"}},
	{name: "imported_sources", values: map[string]string{
		"source": "source", "referrer": "referrer", "utm_medium": "medium", "utm_campaign": "campaign",
		"utm_content": "content", "utm_term": "term",
	}, marks: []string{"source"}, keys: []string{
		"source", "referrer", "utm_source", "utm_medium", "utm_campaign", "utm_content", "utm_term",
	}},
	{name: "imported_locations", values: map[string]string{"country": "country"}, marks: []string{"country"},
		keys: []string{"country", "region", "city"}},
	{name: "imported_devices", values: map[string]string{"device": "device"}, marks: []string{"device"}},
	{name: "imported_browsers", values: map[string]string{"browser": "browser"}, marks: []string{"browser"},
		keys: []string{"browser", "browser_version"}},
	{name: "imported_operating_systems", values: map[string]string{"operating_system": "os"},
		marks: []string{"operating_system"}, keys: []string{"operating_system", "operating_system_version"}},
	{name: "imported_custom_events", values: map[string]string{"name": "event"}, marks: []string{"name", "events"},
		keys: []string{"name", "link_url", "path"}, views: "events"},
	{name: "imported_visitors", marks: []string{"visitors"}},
}

// Total is what a tool counted of a value on a day.
type Total struct {
	Day       time.Time // at 00:00 UTC
	Dimension string    // "" for the totals of the day
	Value     string
	Counted
}

// Counted are counts of a tool.
type Counted struct {
	Visitors, Sessions, Views, Bounces, Seconds int64
}

// PerSession returns how much of a count a session has; nil without sessions.
func (c *Counted) PerSession(count int64) *float64 {
	if c.Sessions == 0 {
		return nil
	}
	share := float64(count) / float64(c.Sessions)
	return &share
}

func (c *Counted) add(more Counted) {
	c.Visitors += more.Visitors
	c.Sessions += more.Sessions
	c.Views += more.Views
	c.Bounces += more.Bounces
	c.Seconds += more.Seconds
}

// clamp keeps sums of days to what countColumns keeps a day to.
func (c *Counted) clamp() {
	const most = 1<<53 - 1
	c.Visitors, c.Sessions, c.Views = min(c.Visitors, most), min(c.Sessions, most), min(c.Views, most)
	c.Bounces, c.Seconds = min(c.Bounces, most), min(c.Seconds, most)
}

// totalsFile reads a table of totals row by row.
type totalsFile struct {
	totalsTable
	name    string
	records *csv.Reader
	bounded *boundedReader
	columns map[string]int
}

// openTotals reads the header of a table, by which it is known.
func openTotals(name string, in io.Reader) (*totalsFile, error) {
	bounded := &boundedReader{in: in, left: maxRecord}
	f := &totalsFile{name: name, records: csv.NewReader(bounded), bounded: bounded, columns: map[string]int{}}
	f.records.ReuseRecord = true
	header, err := f.records.Read()
	if errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s is empty", name)
	}
	if err != nil {
		return nil, fmt.Errorf("read the header of %s: %w", name, err)
	}
	for i, column := range header {
		f.columns[strings.TrimSpace(strings.TrimPrefix(column, "\uFEFF"))] = i
	}
	has := func(column string) bool { _, has := f.columns[column]; return has }
	for _, table := range plausibleTables {
		if has("date") && has("visitors") && !slices.ContainsFunc(table.marks, func(c string) bool { return !has(c) }) {
			f.totalsTable = table
			return f, nil
		}
	}
	return nil, fmt.Errorf("%s has the header of no table of Plausible's export: it needs date and visitors", name)
}

// row is what a row of a table says.
type row struct {
	line   int
	key    string // tells it from the others of the table
	totals []Total
	reject *ingest.Reject
}

// next returns the next row, and io.EOF behind the last.
func (f *totalsFile) next(started time.Time) (row, error) {
	f.bounded.left = maxRecord
	record, err := f.records.Read()
	if broken := (*csv.ParseError)(nil); errors.As(err, &broken) {
		return row{line: broken.StartLine, reject: f.refuse(broken.StartLine, ingest.CodeEventInvalid,
			"the row is not CSV as the header says: "+broken.Err.Error())}, nil
	}
	if err != nil {
		return row{}, err
	}
	line, _ := f.records.FieldPos(0)
	read := row{line: line}
	text := func(column string) string {
		if i, has := f.columns[column]; has {
			return record[i]
		}
		return ""
	}
	day, err := time.Parse(time.DateOnly, text("date"))
	switch {
	case err != nil || day.Year() < 2000:
		read.reject = f.refuse(line, ingest.CodeTimestampInvalid, "date is not a day such as 2026-03-01")
	case day.After(started.AddDate(0, 0, 1)): // it is tomorrow already somewhere
		read.reject = f.refuse(line, ingest.CodeTimestampInvalid, "date is in the future")
	}
	var counted Counted
	for _, count := range []struct {
		column string
		into   *int64
	}{
		{"visitors", &counted.Visitors}, {cmp.Or(f.sessions, "visits"), &counted.Sessions},
		{cmp.Or(f.views, "pageviews"), &counted.Views}, {"bounces", &counted.Bounces}, {"visit_duration", &counted.Seconds},
	} {
		said := text(count.column)
		if said == "" && count.column != "visitors" {
			continue
		}
		n, err := strconv.ParseUint(said, 10, 64)
		if (err != nil || n > maxCount) && read.reject == nil {
			why := fmt.Sprintf("%s is not a whole number up to %d: %s", count.column, int64(maxCount), codeunit.Clip(said, 40))
			read.reject = f.refuse(line, ingest.CodeEventInvalid, why)
		}
		*count.into = int64(n)
	}
	if read.reject != nil {
		return read, nil
	}
	keys := f.keys
	if keys == nil {
		keys = slices.Sorted(maps.Keys(f.values))
	}
	read.key = day.Format(time.DateOnly)
	for _, column := range keys {
		read.key += "\x00" + text(column)
	}
	if f.values == nil {
		read.totals = []Total{{Day: day, Counted: counted}}
	}
	for column, dimension := range f.values {
		// Visits without a source came directly; without a campaign they are of none.
		if value := text(column); value != "" || column == f.marks[0] {
			value = codeunit.Clip(strings.ReplaceAll(strings.ToValidUTF8(value, "\uFFFD"), "\x00", ""), valueUnits)
			read.totals = append(read.totals, Total{day, dimension, value, counted})
		}
	}
	return read, nil
}

func (f *totalsFile) refuse(line int, code, message string) *ingest.Reject {
	return &ingest.Reject{Code: code, Message: fmt.Sprintf("%s:%d: %s", f.name, line, message)}
}
