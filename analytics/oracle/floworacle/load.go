package floworacle

import (
	"maps"
	"math"
	"slices"
	"time"

	"github.com/svc-dev/svc/analytics/frame"
	"github.com/svc-dev/svc/analytics/run"
	"github.com/svc-dev/svc/analytics/session"
)

// Store stands for the database between ingest and the engine: it numbers names and folds batches into rows of runs
// with package run.
type Store struct {
	ids   map[nameKey]int32
	names []frame.FlowNameRow
	rows  map[rowKey]run.Row
	days  map[rowKey]int32
}

type nameKey struct {
	kind run.NameKind
	text string
}

type rowKey struct {
	person    string
	flow, key session.Key
}

// NewStore makes an empty store.
func NewStore() *Store {
	return &Store{ids: map[nameKey]int32{}, rows: map[rowKey]run.Row{}, days: map[rowKey]int32{}}
}

// id returns the id of a name, 0 of none.
func (s *Store) id(kind run.NameKind, text string) int32 {
	if text == "" {
		return 0
	}
	key := nameKey{kind, text}
	if s.ids[key] == 0 {
		s.ids[key] = int32(len(s.ids) + 1)
		s.names = append(s.names, frame.FlowNameRow{ID: s.ids[key], Kind: kind, Text: text})
	}
	return s.ids[key]
}

// kinds are those of subject and value, by name.
var kinds = map[string][2]run.NameKind{
	"choice_selected":    {run.KindField, run.KindOption},
	"step_completed":     {run.KindField, 0},
	"step_skipped":       {run.KindField, 0},
	"decision_evaluated": {run.KindDecision, run.KindCase},
	"surface_presented":  {run.KindProvider, 0},
	"surface_outcome":    {run.KindProvider, run.KindOutcome},
	"iap_purchase":       {run.KindProvider, run.KindProduct},
}

// Ingest takes a batch of events and returns the rows that it changed.
func (s *Store) Ingest(batch []Event) (changed []rowKey) {
	events := make([]run.Event, len(batch))
	for i, e := range batch {
		name, _ := run.ParseName(e.Name)
		of := kinds[e.Name]
		hit := run.Hit{
			Key: session.KeyOf(e.ID), At: e.At, Seq: e.Seq, Name: name, Step: s.id(run.KindStep, e.Step),
			Subject: s.id(of[0], e.Subject), Value: s.id(of[1], e.Value),
		}
		switch {
		case e.From != nil && *e.From == "":
			hit.From = run.FromStart
		case e.From != nil:
			hit.From = s.id(run.KindStep, *e.From)
		}
		events[i] = run.Event{
			Person: e.Person, SessionID: e.Session, Flow: e.Flow, RunID: e.RunID, Hit: hit,
			Context: run.Context{
				Release: e.Release, Client: e.Client, Place: e.Place, Device: e.Device, CustomProperties: e.CustomProperties,
			},
		}
	}
	for _, row := range run.Fold(events) {
		key := rowKey{row.Person, row.Flow, row.Key}
		if old, known := s.rows[key]; known {
			row = run.Merge(old, row)
		} else {
			s.days[key] = frame.Day(time.UnixMilli(row.FirstAt))
		}
		s.rows[key] = row
		changed = append(changed, key)
	}
	return changed
}

// text returns what an id stands for, the empty text for none.
func (s *Store) text(id int32) string {
	if id <= 0 {
		return ""
	}
	return s.names[id-1].Text
}

// Describe writes the runs of all rows, as [DescribeRows] does.
func (s *Store) Describe() ([]string, error) {
	return DescribeRows(slices.Collect(maps.Values(s.rows)), s.text)
}

// All returns the runs of all rows.
func (s *Store) All() (all []run.Run, err error) {
	for _, row := range s.rows {
		runs, err := row.Runs(s.text)
		if err != nil {
			return nil, err
		}
		all = append(all, runs...)
	}
	return all, nil
}

// Names returns what ids stand for.
func (s *Store) Names() []frame.FlowNameRow { return s.names }

// EachRow calls use with all rows and their home days.
func (s *Store) EachRow(use func(row run.Row, day time.Time)) {
	for key, row := range s.rows {
		use(row, time.Unix(int64(s.days[key])*24*3600, 0).UTC())
	}
}

// Runs returns the runs of a row.
func (s *Store) Runs(key rowKey) (out []frame.RunRow, err error) {
	row := s.rows[key]
	runs, err := row.Runs(s.text)
	for _, r := range runs {
		out = append(out, frame.RunRow{HomeDay: s.days[key], Run: r})
	}
	return out, err
}

// Fill brings an environment up to date with changed rows: days that it lacks are loaded whole, the rest is upserted.
func (s *Store) Fill(env *frame.Dataset, changed []rowKey) error {
	env.SetFlowNames(s.names)
	var upserted []frame.RunRow
	for _, key := range changed {
		runs, err := s.Runs(key)
		if err != nil {
			return err
		}
		if day := s.days[key]; !env.Has(frame.Runs, day) {
			if err := s.load(env, day); err != nil {
				return err
			}
		}
		upserted = append(upserted, runs...)
	}
	env.UpsertRuns(upserted)
	return nil
}

// FillOnly loads changed rows into a portion of root, and what they are called into root.
func (s *Store) FillOnly(root, portion *frame.Dataset, changed []rowKey) error {
	root.SetFlowNames(s.names)
	portion.SetFlowNames(s.names)
	b := portion.NewRunBuilder()
	for _, key := range changed {
		runs, err := s.Runs(key)
		if err != nil {
			return err
		}
		for i := range runs {
			b.Add(&runs[i])
		}
	}
	portion.Put(frame.Runs, 0, b.Seal())
	return nil
}

func (s *Store) load(env *frame.Dataset, day int32) error {
	b := env.NewRunBuilder()
	for key := range s.rows {
		if s.days[key] != day {
			continue
		}
		runs, err := s.Runs(key)
		if err != nil {
			return err
		}
		for i := range runs {
			b.Add(&runs[i])
		}
	}
	env.Put(frame.Runs, day, b.Seal())
	return nil
}

// FillRest loads what a world has besides flow events: first touches and product events.
func FillRest(env *frame.Dataset, w World) {
	for _, touch := range w.Touches {
		env.SetFirstTouch(&touch)
	}
	names := []frame.NameRow{{ID: 1, Kind: frame.Custom, Text: "hit"}}
	for i, page := range Pages {
		names = append(names, frame.NameRow{ID: uint32(i + 2), Kind: frame.PageView, Text: page})
	}
	env.SetNames(names)
	b := env.NewBuilder()
	for i, h := range w.Hits {
		b.Add(&frame.Session{
			Visitor: h.Person, ID: string(rune('a' + i)), Platform: h.Platform, Country: h.Country,
			Hits: []int64{frame.PackHit(h.At, uint32(slices.Index(Pages, h.Page)+2))},
		})
	}
	env.Put(frame.Sessions, 0, b.Seal())
}

// Everything returns the view of all days.
func Everything(env *frame.Dataset) *frame.View { return env.View(math.MinInt32, math.MaxInt32) }
