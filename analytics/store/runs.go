package store

import (
	"fmt"
	"slices"
	"strings"
	"unsafe"

	"github.com/svc-dev/svc/analytics/frame"
	"github.com/svc-dev/svc/analytics/run"
	"github.com/svc-dev/svc/analytics/session"
)

var runTable = newTable(table{
	rows: frame.Runs, name: "flow_run", names: "flow_name",
	// In the order of runBuilder.decode.
	columns: `app_user_id, flow_id, run_key, derived, contexts, home_day, hits`,
	binary:  []string{"flow_id", "run_key", "derived", "contexts", "home_day", "hits"},
	heavy:   []string{"contexts", "hits"},
	first:   "first_at", last: "last_at", hitCount: fmt.Sprintf("octet_length(hits) / %d", run.HitSize), piece: 256,
	setNames: func(data *frame.Dataset, names []name) {
		rows := make([]frame.FlowNameRow, len(names))
		for i, n := range names {
			rows[i] = frame.FlowNameRow{ID: n.id, Kind: run.NameKind(n.kind), Text: n.text}
		}
		data.SetFlowNames(rows)
	},
	newBuilder: func(data *frame.Dataset) builder { return &runBuilder{RunBuilder: data.NewRunBuilder()} },
	upsert: func(data *frame.Dataset, rows []row) error {
		text := data.NewRunBuilder().Text
		var all []frame.RunRow
		for i := range rows {
			r := rows[i].(*runRow)
			runs, err := r.Runs(text)
			if err != nil {
				return fmt.Errorf("reading a run of flow %x: %w", r.Flow, err)
			}
			for _, found := range runs {
				all = append(all, frame.RunRow{HomeDay: r.day, Run: found})
			}
		}
		data.UpsertRuns(all)
		return nil
	},
})

// runBuilder makes frames of rows of flow_run, each of which may hold several runs.
type runBuilder struct {
	*frame.RunBuilder
	row  runRow // the latest
	runs []run.Run
	ids  []int32 // names that they lack
}

func (b *runBuilder) decode(raw [][]byte) error {
	b.row = runRow{
		day: decodeDay(raw[5]),
		Row: run.Row{
			Person: text(raw[0]), Flow: session.Key(raw[1]), Key: session.Key(raw[2]), Derived: raw[3][0] != 0,
			Contexts: raw[4], Hits: raw[6],
		},
	}
	return b.read()
}

func (b *runBuilder) read() (err error) {
	if b.runs, err = b.row.Runs(b.Text); err != nil {
		return fmt.Errorf("reading a run of flow %x: %w", b.row.Flow, err)
	}
	return nil
}

func (b *runBuilder) missing() []int32 {
	b.ids = b.ids[:0]
	for i := range b.runs {
		b.ids = b.Missing(&b.runs[i], b.ids)
	}
	return b.ids
}

func (b *runBuilder) add() {
	for i := range b.runs {
		b.Add(&frame.RunRow{HomeDay: b.row.day, Run: b.runs[i]})
	}
}

func (b *runBuilder) copy() row {
	c := b.row
	c.Person, c.Hits, c.Contexts = strings.Clone(c.Person), slices.Clone(c.Hits), slices.Clone(c.Contexts)
	return &c
}

func (b *runBuilder) addRow(r row) error {
	b.row = *r.(*runRow)
	if err := b.read(); err != nil {
		return err
	}
	b.add()
	return nil
}

// runRow is a row of flow_run, which is decoded when it is moved into a frame: its hits may be of names that are not
// known before.
type runRow struct {
	day int32
	run.Row
}

func (r *runRow) homeDay() int32 { return r.day }

func (r *runRow) size() int64 {
	return int64(unsafe.Sizeof(*r)) + int64(len(r.Person)+cap(r.Hits)+cap(r.Contexts))
}
