package runlog

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/svc-dev/svc/analytics/run"
	"github.com/svc-dev/svc/analytics/session"
	"github.com/svc-dev/svc/manifest/simulate"
)

const (
	// recordedTime is how long the newest runs are looked for; those that were found until then count.
	recordedTime = 10 * time.Second
	// maxVisits is how many visits of a run are taken, the last ones.
	maxVisits = 1_000
	// maxRecorded bounds the memory of what is read, in bytes: of more, the newest runs are kept.
	maxRecorded = 400 << 20
)

// Recorded are the newest runs of a flow, as a simulation takes them.
type Recorded struct {
	*simulate.Runs
	Versions    []session.Key // that the runs were made in; a run's Version is a place in it
	First, Last time.Time     // starts of the oldest and the newest run; zero without any
	Complete    bool          // false when reading reached its bound before it had as many runs as were asked for
}

// Recorded reads the newest runs that are over: completed, abandoned, or without an event for lapse. A run that came to
// no step is left out. Typed are the fields whose typed answers are read: those of others stay unread.
func (r *Reader) Recorded(
	ctx context.Context, db beginner, limit int, typed map[string]bool, now time.Time, lapse time.Duration,
) (recorded *Recorded, err error) {
	err = pgx.BeginTxFunc(ctx, db, pgx.TxOptions{AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
		reading := *r
		reading.DB = tx
		rec := &recorder{
			Reader: &reading, limit: limit, typed: typed, now: now, lapse: lapse,
			texts: names{}, named: map[int32]simulate.Name{},
			versions: map[session.Key]int{}, found: &Recorded{Runs: simulate.NewRuns(), Complete: true},
		}
		if err := rec.read(ctx, tx); err != nil {
			return err
		}
		if err := rec.readTyped(ctx); err != nil {
			return err
		}
		recorded = rec.found
		return nil
	})
	return recorded, err
}

// recorder packs runs for a simulation.
type recorder struct {
	*Reader
	limit int
	typed map[string]bool
	now   time.Time
	lapse time.Duration
	texts names
	named map[int32]simulate.Name
	// versions are places in those of found.
	versions map[session.Key]int
	found    *Recorded
}

// recordedAtOnce is how many rows are fetched at once. Rows of long runs have some kilobytes.
const recordedAtOnce = 2_000

// read reads runs by the day of their first event, newest day first. It ends with the day that has the last run.
func (r *recorder) read(ctx context.Context, tx pgx.Tx) error {
	if _, err := tx.Exec(ctx, `
		declare recorded no scroll cursor for select home_day, `+runColumns+` from flow_run
		where environment_id = $1 and flow_id = $2 order by home_day desc`,
		r.EnvironmentID, pgtype.UUID{Bytes: r.Flow, Valid: true},
	); err != nil {
		return fmt.Errorf("read runs: %w", err)
	}
	began, last := time.Now(), time.Time{}
	next := r.fetch(ctx, tx)
	defer func() { <-next }() // the transaction ends when nobody reads
	for {
		got := <-next
		portion, days, err := got.rows, got.days, got.err
		if err == nil {
			err = r.load(ctx, r.texts, portion)
		}
		if err != nil {
			close(next)
			return err
		}
		// The database reads on while these are unpacked.
		next = r.fetch(ctx, tx)
		for i := range portion {
			if r.found.Len() >= r.limit && !days[i].Equal(last) {
				return r.finish()
			}
			last = days[i]
			if err := r.add(&portion[i]); err != nil {
				return err
			}
		}
		if len(portion) < recordedAtOnce {
			return r.finish()
		}
		if r.found.Len() >= 2*r.limit || r.found.Bytes() > maxRecorded {
			r.found.Keep(r.limit)
			if r.found.Bytes() > maxRecorded {
				r.found.Complete = false
				return r.finish()
			}
		}
		if time.Since(began) > recordedTime {
			r.found.Complete = r.found.Len() >= r.limit
			return r.finish()
		}
	}
}

// fetched is a portion of rows with their days.
type fetched struct {
	rows []run.Row
	days []time.Time
	err  error
}

// fetch fetches the next portion. Until it has come nothing else may ask the connection.
func (r *recorder) fetch(ctx context.Context, tx pgx.Tx) chan fetched {
	next := make(chan fetched, 1)
	go func() {
		rows, err := tx.Query(ctx, fmt.Sprintf("fetch %d from recorded", recordedAtOnce))
		if err != nil {
			next <- fetched{err: fmt.Errorf("read runs: %w", err)}
			return
		}
		portion, days, err := r.collectDays(rows)
		next <- fetched{portion, days, err}
	}()
	return next
}

func (r *recorder) collectDays(rows pgx.Rows) (held []run.Row, days []time.Time, err error) {
	held, err = pgx.CollectRows(rows, func(pgx.CollectableRow) (row run.Row, err error) {
		var day, first, last time.Time
		var key pgtype.UUID
		err = rows.Scan(&day, &row.Person, &key, &row.Derived, &first, &last, &row.Hits, &row.Contexts)
		row.Flow, row.Key, row.FirstAt, row.LastAt = r.Flow, key.Bytes, first.UnixMilli(), last.UnixMilli()
		days = append(days, day)
		return row, err
	})
	if err != nil {
		return nil, nil, fmt.Errorf("read runs: %w", err)
	}
	return held, days, nil
}

func (r *recorder) finish() error {
	r.found.Keep(r.limit)
	first, last := r.found.Span()
	if r.found.Len() > 0 {
		r.found.First, r.found.Last = time.UnixMilli(first).UTC(), time.UnixMilli(last).UTC()
	}
	return nil
}

func (r *recorder) add(row *run.Row) error {
	runs, err := row.Runs(r.texts.text)
	if err != nil {
		return err
	}
	for i := range runs {
		of := &runs[i]
		if of.State(r.now, r.lapse) == run.Open {
			continue
		}
		recorded := r.record(of)
		if len(recorded.Visits) > 0 {
			r.found.Add(recorded)
		}
	}
	return nil
}

// name returns what a simulation calls an id in hits.
func (r *recorder) name(id int32) simulate.Name {
	if id <= 0 {
		return simulate.None
	}
	name, known := r.named[id]
	if !known {
		name = r.found.Name(r.texts.text(id))
		r.named[id] = name
	}
	return name
}

// version returns the place of a version among those of the runs.
func (r *recorder) version(key session.Key) int {
	at, known := r.versions[key]
	if !known {
		at = len(r.found.Versions)
		r.versions[key] = at
		r.found.Versions = append(r.found.Versions, key)
	}
	return at
}

// record returns what a run did, without the visits that it took back.
func (r *recorder) record(of *run.Run) *simulate.Run {
	recorded := &simulate.Run{
		Person: r.found.Name(of.Person), Version: r.version(of.Release.Version), Completed: of.Completed,
		Platform: r.found.Name(of.Client.Platform), Locale: r.found.Name(of.Client.Locale), StartedAt: of.StartedAt,
	}
	c := courseOf(of.Hits)
	for _, h := range c.decided {
		recorded.Decided = append(recorded.Decided, simulate.Decided{Decision: r.name(h.Subject), Case: r.name(h.Value)})
	}
	for i, s := range c.stays[max(0, len(c.stays)-maxVisits):] {
		visit := simulate.Visit{Step: r.name(s.step), Exit: s.exit, Toward: r.name(s.toward), Outcome: r.name(s.outcome)}
		// Answers to one field follow each other.
		slices.SortStableFunc(s.answers, func(a, b *run.Hit) int { return int(a.Subject) - int(b.Subject) })
		for _, h := range s.answers {
			value := r.name(h.Value)
			if h.Value == 0 {
				value = simulate.Unread
				if r.typed[r.texts.text(h.Subject)] {
					recorded.Typed = append(recorded.Typed, simulate.Typed{
						Visit: i, Answer: len(visit.Answers), At: h.At, Key: h.Key,
					})
				}
			}
			visit.Answers = append(visit.Answers, simulate.Answer{Field: r.name(h.Subject), Value: value})
		}
		recorded.Visits = append(recorded.Visits, visit)
	}
	return recorded
}

// readTyped reads the typed answers that are wanted.
func (r *recorder) readTyped(ctx context.Context) error {
	list := r.found.TypedAnswers()
	slices.SortFunc(list, func(a, b simulate.TypedAnswer) int { return int(a.At/1000) - int(b.At/1000) })
	for part := range slices.Chunk(list, valuesAtOnce) {
		of, keys := make(map[session.Key][]int, len(part)), make([]pgtype.UUID, len(part))
		for i, t := range part {
			of[t.Key] = append(of[t.Key], t.Answer)
			keys[i] = pgtype.UUID{Bytes: t.Key, Valid: true}
		}
		rows, err := r.DB.Query(ctx, `
			select event_key, properties->>'value'
			from flow_events join unnest($5::uuid[]) as wanted (id) on event_key = wanted.id
			where environment_id = $1 and flow_id = $2 and occurred_at between $3 and $4 and name = 'text_submitted'`,
			r.EnvironmentID, pgtype.UUID{Bytes: r.Flow, Valid: true},
			time.UnixMilli(part[0].At-1000), time.UnixMilli(part[len(part)-1].At+1000), keys)
		if err != nil {
			return fmt.Errorf("read answers: %w", err)
		}
		var key pgtype.UUID
		var text *string
		if _, err := pgx.ForEachRow(rows, []any{&key, &text}, func() error {
			if text == nil || *text == redactedValue || len(*text) > maxTyped {
				return nil
			}
			for _, answer := range of[key.Bytes] {
				r.found.SetAnswer(answer, r.found.Name(*text))
			}
			return nil
		}); err != nil {
			return fmt.Errorf("read answers: %w", err)
		}
	}
	return nil
}

// maxTyped is how long a typed answer may be that conditions are evaluated on, in bytes; that of a longer one is not
// known.
const maxTyped = 4 << 10
