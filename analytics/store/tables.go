package store

import (
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/svc-dev/svc/analytics/frame"
)

// table is the table that rows of one type are read from. Sessions and runs differ in it and in nothing else.
type table struct {
	rows  frame.RowType
	name  string
	names string // the table of what the ids in hits stand for

	columns     string   // what a row is read from
	binary      []string // those that are no text
	heavy       []string // those that polls read of kept days only, hits among them
	first, last string   // the columns of the earliest and the latest moment
	hitCount    string   // SQL of the number of a row's hits
	piece       int      // changed rows that are read before their memory is looked at: 40 MB at worst

	setNames   func(*frame.Dataset, []name)
	newBuilder func(*frame.Dataset) builder
	upsert     func(*frame.Dataset, []row) error // all of whose names are known

	formats pgx.QueryResultFormats

	// countSQL counts the rows of a home day, boundsSQL finds the bounds of those that are not all in it. Each is answered
	// by an index.
	countSQL, boundsSQL string

	// changedSQL asks for rows that a snapshot does not see; the heavy columns are null unless the row's day is among
	// those of the fourth parameter.
	changedSQL     string
	changedFormats pgx.QueryResultFormats
	homeDay, hits  int // columns of changedSQL, as are those of the bounds
	start, end     int
}

// tables are those of all types of rows.
var tables = [frame.RowTypes]*table{frame.Sessions: sessionTable, frame.Runs: runTable}

// newTable completes the description of a table.
func newTable(t table) *table {
	var columns []string
	for column := range strings.SplitSeq(t.columns, ",") {
		columns = append(columns, strings.TrimSpace(column))
	}
	t.homeDay, t.hits = slices.Index(columns, "home_day"), slices.Index(columns, "hits")
	t.start, t.end = len(columns), len(columns)+1
	changed := append(slices.Clone(columns), t.first, t.last)
	t.formats = formats(columns, t.binary...)
	t.changedFormats = formats(changed, append([]string{t.first, t.last}, t.binary...)...)
	for i, column := range changed {
		if slices.Contains(t.heavy, column) {
			changed[i] = `case when home_day = any ($4::date[]) then ` + column + ` end`
		}
	}
	of := ` from ` + t.name + ` where environment_id = $1 and home_day = $2`
	t.countSQL = `select count(*)` + of
	t.boundsSQL = `select min(` + t.first + `), max(` + t.last + `)` + of + ` and ((` + t.first +
		` at time zone 'UTC')::date < home_day or (` + t.last + ` at time zone 'UTC')::date > home_day)`
	t.changedSQL = unseenSQL(strings.Join(changed, ", "), t.name, `changed_xid`)
	return &t
}

// row is a row of a table in memory of its own.
type row interface {
	homeDay() int32
	size() int64 // bytes
}

// builder makes frames of the rows of a table.
type builder interface {
	// decode reads a row of the table's columns; the other methods are about the one that was read last. It is valid
	// as long as the row.
	decode(raw [][]byte) error
	// missing returns ids of names that the row uses and the builder does not know, until the next call.
	missing() []int32
	add()
	copy() row

	// addRow adds a row all of whose names are known.
	addRow(row) error
	RefreshNames()
	Discard()
	Seal() *frame.Part
	Bytes() int64
	PartBytes() int64
}

// dayKey names the rows of one type and home day.
type dayKey struct {
	rows   frame.RowType
	number int32
}

// need is a range of rows that a request needs.
type need struct {
	rows frame.RowType
	span
}

// sessionsIn is the need for the sessions of a range.
func sessionsIn(from, to int64) need { return need{frame.Sessions, span{from, to}} }

// withRuns adds the need for the runs of the range, if reports or filters look at them.
func (n need) withRuns(wanted bool) []need {
	if wanted {
		return []need{n, {frame.Runs, n.span}}
	}
	return []need{n}
}
