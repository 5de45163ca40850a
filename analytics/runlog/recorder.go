package runlog

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/svc-dev/svc/analytics/run"
	"github.com/svc-dev/svc/manifest/simulate"
)

// recorder reads a share of the runs of a flow for a simulation.
type recorder struct {
	*Reader
	*gathering
	share int
	typed map[string]bool
	now   time.Time
	lapse time.Duration

	texts    names
	named    []simulate.Name          // by id of texts; None of those that are not known yet
	clients  map[string]simulate.Name // platforms and locales
	unpacker run.Unpacker
	course   course
	run      simulate.Run      // the latest
	answers  []simulate.Answer // of the latest
	runs     *simulate.Runs    // of a day, that are not gathered yet
}

func newRecorder(
	r *Reader, g *gathering, share int, typed map[string]bool, now time.Time, lapse time.Duration,
) *recorder {
	return &recorder{
		Reader: r, gathering: g, share: share, typed: typed, now: now, lapse: lapse,
		texts: names{}, clients: map[string]simulate.Name{}, runs: simulate.NewRuns(),
	}
}

// recordedAtOnce is how many rows are fetched at once. Rows of long runs have some kilobytes.
const recordedAtOnce = 2_000

// read reads runs by the day of their first event, newest day first. It ends with the day that has the last run.
func (r *recorder) read(ctx context.Context, tx pgx.Tx) error {
	if _, err := tx.Exec(ctx, `
		declare recorded no scroll cursor for
		select home_day, app_user_id, run_key, derived, hits, contexts from flow_run
		where environment_id = $1 and flow_id = $2 and (uuid_hash(run_key) & 2147483647) % $3 = $4
		order by home_day desc`,
		r.EnvironmentID, pgtype.UUID{Bytes: r.Flow, Valid: true}, shares, r.share,
	); err != nil {
		return fmt.Errorf("read runs: %w", err)
	}
	var day time.Time
	spare := &portion{}
	next := r.fetch(ctx, tx, &portion{})
	defer func() { <-next }() // the transaction ends when nobody reads
	for {
		got := <-next
		err := got.err
		if err == nil {
			err = r.learn(ctx, got.rows)
		}
		if err != nil {
			close(next)
			return err
		}
		// The database reads on while these are unpacked.
		next = r.fetch(ctx, tx, spare)
		spare = got
		for i := range got.rows {
			if !got.days[i].Equal(day) {
				if !r.gather(day) {
					return nil
				}
				if day = got.days[i]; !r.enter(r.share, day) {
					return nil
				}
			}
			if err := r.add(&got.rows[i]); err != nil {
				return err
			}
		}
		if !r.gather(day) || len(got.rows) < recordedAtOnce {
			return nil
		}
	}
}

// gather gives away the runs of a day, and tells whether more are wanted.
func (r *recorder) gather(day time.Time) bool {
	defer r.runs.Clear()
	return r.gathering.add(day, r.runs)
}

// portion is some rows with their days. Its memory is used again.
type portion struct {
	rows  []run.Row
	days  []time.Time
	bytes []byte
	err   error
}

// fetch fetches the next portion. Until it has come nothing else may ask the connection.
func (r *recorder) fetch(ctx context.Context, tx pgx.Tx, into *portion) chan *portion {
	next := make(chan *portion, 1)
	go func() {
		into.rows, into.days, into.bytes = into.rows[:0], into.days[:0], into.bytes[:0]
		into.err = r.collect(ctx, tx, into)
		next <- into
	}()
	return next
}

func (r *recorder) collect(ctx context.Context, tx pgx.Tx, into *portion) error {
	rows, err := tx.Query(ctx, fmt.Sprintf("fetch %d from recorded", recordedAtOnce))
	if err != nil {
		return fmt.Errorf("read runs: %w", err)
	}
	var day time.Time
	var person string
	var key pgtype.UUID
	var derived bool
	var hits, contexts pgtype.DriverBytes
	if _, err := pgx.ForEachRow(rows, []any{&day, &person, &key, &derived, &hits, &contexts}, func() error {
		into.days = append(into.days, day)
		into.rows = append(into.rows, run.Row{
			Person: person, Flow: r.Flow, Key: key.Bytes, Derived: derived, Hits: into.hold(hits), Contexts: into.hold(contexts),
		})
		return nil
	}); err != nil {
		return fmt.Errorf("read runs: %w", err)
	}
	return nil
}

// hold returns a copy of bytes that belong to the connection.
func (p *portion) hold(b []byte) []byte {
	from := len(p.bytes)
	p.bytes = append(p.bytes, b...)
	return p.bytes[from:len(p.bytes):len(p.bytes)]
}

// learn reads the names that rows use and that are not known yet.
func (r *recorder) learn(ctx context.Context, rows []run.Row) error {
	missing := map[int32]bool{}
	for i := range rows {
		if err := rows[i].EachName(func(id int32) {
			if int(id) >= len(r.named) {
				r.named = append(r.named, make([]simulate.Name, int(id)+1-len(r.named))...)
			}
			if r.named[id] == simulate.None {
				missing[id] = true
			}
		}); err != nil {
			return err
		}
	}
	if err := r.loadNames(ctx, r.texts, slices.Collect(maps.Keys(missing))); err != nil {
		return err
	}
	for id := range missing {
		r.named[id] = r.gathering.name(r.texts.text(id))
	}
	return nil
}

func (r *recorder) add(row *run.Row) error {
	runs, err := r.unpacker.Runs(row, r.texts.text)
	if err != nil {
		return err
	}
	for i := range runs {
		if of := &runs[i]; of.State(r.now, r.lapse) != run.Open {
			r.record(of)
		}
	}
	return nil
}

// record notes what a run did, without the visits that it took back.
func (r *recorder) record(of *run.Run) {
	r.course.read(of.Hits)
	stays := r.course.stays[max(0, len(r.course.stays)-maxVisits):]
	if len(stays) == 0 {
		return
	}
	recorded := &r.run
	*recorded = simulate.Run{
		Person: r.gathering.name(of.Person), Version: r.gathering.version(of.Release.Version), Completed: of.Completed,
		Platform: r.client(of.Client.Platform), Locale: r.client(of.Client.Locale), StartedAt: of.StartedAt,
		Visits: recorded.Visits[:0], Decided: recorded.Decided[:0], Typed: recorded.Typed[:0],
	}
	r.answers = r.answers[:0]
	for _, h := range r.course.decided {
		recorded.Decided = append(recorded.Decided, simulate.Decided{Decision: r.name(h.Subject), Case: r.name(h.Value)})
	}
	for i := range stays {
		s := &stays[i]
		recorded.Visits = append(recorded.Visits, simulate.Visit{
			Step: r.name(s.step), Exit: s.exit, Toward: r.name(s.toward), Outcome: r.name(s.outcome),
			Answers: r.answersOf(i, s),
		})
	}
	r.runs.Add(recorded)
}

// answersOf notes the answers of a stay.
func (r *recorder) answersOf(visit int, s *stay) []simulate.Answer {
	if len(s.answers) > 1 { // answers to one field follow each other
		slices.SortStableFunc(s.answers, func(a, b *run.Hit) int { return int(a.Subject) - int(b.Subject) })
	}
	from := len(r.answers)
	for _, h := range s.answers {
		value := r.name(h.Value)
		if h.Value == 0 {
			value = simulate.Unread
			if r.typed[r.texts.text(h.Subject)] {
				r.run.Typed = append(r.run.Typed, simulate.Typed{
					Visit: visit, Answer: len(r.answers) - from, At: h.At, Key: h.Key,
				})
			}
		}
		r.answers = append(r.answers, simulate.Answer{Field: r.name(h.Subject), Value: value})
	}
	return r.answers[from:len(r.answers):len(r.answers)]
}

// name returns what a simulation calls an id in hits.
func (r *recorder) name(id int32) simulate.Name {
	if id <= 0 {
		return simulate.None
	}
	return r.named[id]
}

func (r *recorder) client(text string) simulate.Name {
	name, known := r.clients[text]
	if !known {
		name = r.gathering.name(text)
		r.clients[text] = name
	}
	return name
}
