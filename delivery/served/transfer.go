package served

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/svc-dev/svc/internal/packed"
	"github.com/svc-dev/svc/people/privacy"
)

// line is one of a file: somebody whom an arm was given, or how many were left out on a day.
type line struct {
	ExperimentID *uuid.UUID `json:"experimentId,omitempty"`
	Arm          *int16     `json:"arm,omitempty"`    // place of the variant, from 0
	Person       *uuid.UUID `json:"person,omitempty"` // first 128 bits of the SHA-256 of the app user id
	Day          string     `json:"day"`              // UTC
	LeftOut      int64      `json:"leftOut,omitempty"`
}

// Export writes whom resolve gave the arms of an environment's experiments, one JSON object a line, and how many were
// left out on which day, as of one moment. It returns how many lines those are.
func Export(ctx context.Context, pool *pgxpool.Pool, environmentID int64, w io.Writer) (lines int64, err error) {
	out := bufio.NewWriterSize(w, 1<<18)
	encoder := json.NewEncoder(out)
	snapshot := pgx.TxOptions{AccessMode: pgx.ReadOnly, IsoLevel: pgx.RepeatableRead}
	err = pgx.BeginTxFunc(ctx, pool, snapshot, func(tx pgx.Tx) error {
		// The reader sets the pace: a slow pipe is no reason to give up.
		if _, err := tx.Exec(ctx, `set local statement_timeout = 0`); err != nil {
			return err
		}
		var l line
		rows, err := tx.Query(ctx, `select experiment_id, arm, person, day::text from experiment_served
			where environment_id = $1 order by experiment_id, person, arm`, environmentID)
		if err != nil {
			return err
		}
		write := func() error { lines++; return encoder.Encode(&l) }
		if _, err := pgx.ForEachRow(rows, []any{&l.ExperimentID, &l.Arm, &l.Person, &l.Day}, write); err != nil {
			return err
		}
		if rows, err = tx.Query(ctx, `select day::text, left_out from experiment_served_count
			where environment_id = $1 and left_out > 0 order by day`, environmentID); err != nil {
			return err
		}
		l = line{}
		_, err = pgx.ForEachRow(rows, []any{&l.Day, &l.LeftOut}, write)
		return err
	})
	if err = errors.Join(err, out.Flush()); err != nil {
		return lines, fmt.Errorf("export whom experiments were served to: %w", err)
	}
	return lines, nil
}

const (
	// maxLine is far above the longest line, in bytes.
	maxLine = 4 << 10
	// importLines is how many lines a transaction stores, some 12 MiB of them in memory. For each one the people of the
	// experiments that it names are read.
	importLines = 100_000
)

// Imported says what an import did.
type Imported struct {
	Lines  int64 `json:"lines"`
	Stored int64 `json:"stored"` // people who were not there and are not erased
}

// Import stores the lines that [Export] writes. What is there already stays, so a file may be imported again; of the
// people left out on a day the higher count stays. The error names the first line that is none; lines before it may be
// stored.
func Import(ctx context.Context, pool *pgxpool.Pool, environmentID int64, r io.Reader) (done Imported, err error) {
	scanner := bufio.NewScanner(r)
	scanner.Buffer(make([]byte, maxLine), maxLine)
	batch := newTransfer()
	store := func() error {
		stored, err := batch.store(ctx, pool, environmentID)
		done.Stored += stored
		batch = newTransfer()
		return err
	}
	for scanner.Scan() {
		done.Lines++
		if err := batch.add(scanner.Bytes()); err != nil {
			return done, fmt.Errorf("line %d: %w", done.Lines, err)
		}
		if batch.lines == importLines {
			if err := store(); err != nil {
				return done, err
			}
		}
	}
	if err := scanner.Err(); err != nil {
		return done, fmt.Errorf("line %d: %w", done.Lines+1, err)
	}
	return done, store()
}

// transfer is the lines of one transaction.
type transfer struct {
	lines   int
	people  map[arm]map[uuid.UUID]int32 // with the day
	leftOut map[int32]int64             // by day
}

func newTransfer() *transfer {
	return &transfer{people: map[arm]map[uuid.UUID]int32{}, leftOut: map[int32]int64{}}
}

func (t *transfer) add(text []byte) error {
	var l line
	if err := json.Unmarshal(text, &l); err != nil {
		return fmt.Errorf("not a line of an export: %w", err)
	}
	date, err := time.Parse(time.DateOnly, l.Day)
	if err != nil || date.Year() < 2000 || date.Year() > 9999 {
		return errors.New("day must be a date")
	}
	day := int32(date.Unix() / (24 * 60 * 60))
	t.lines++
	switch {
	case l.ExperimentID != nil && l.Arm != nil && *l.Arm >= 0 && l.Person != nil && l.LeftOut == 0:
		of := arm{*l.ExperimentID, *l.Arm}
		if t.people[of] == nil {
			t.people[of] = map[uuid.UUID]int32{}
		}
		if _, known := t.people[of][*l.Person]; !known {
			t.people[of][*l.Person] = day
		}
	case l.ExperimentID == nil && l.Arm == nil && l.Person == nil && l.LeftOut > 0:
		t.leftOut[day] = max(t.leftOut[day], l.LeftOut)
	default:
		return errors.New("must have experimentId, arm and person, or leftOut alone")
	}
	return nil
}

func (t *transfer) store(ctx context.Context, pool *pgxpool.Pool, environmentID int64) (stored int64, err error) {
	err = pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, privacy.JoinWriters); err != nil {
			return err
		}
		batch := &pgx.Batch{}
		people := map[int32]int64{} // new ones by day
		for day := range t.leftOut {
			people[day] = 0
		}
		for of, known := range t.people {
			if err := leaveNew(ctx, tx, environmentID, of, known); err != nil {
				return err
			}
			rows := map[int32][]byte{}
			for person, day := range known {
				rows[day] = packed.Append(rows[day], person)
				people[day]++
				stored++
			}
			for day, row := range rows {
				for chunk := range slices.Chunk(row, packed.MaxPeople*packed.Size) {
					queueRow(batch, page{environmentID, day}, of, chunk, false)
				}
			}
		}
		for _, day := range slices.Sorted(maps.Keys(people)) {
			batch.Queue(`
				insert into experiment_served_count as c (environment_id, day, people, left_out) values ($1, $2, $3, $4)
				on conflict (environment_id, day)
				do update set people = c.people + excluded.people, left_out = greatest(c.left_out, excluded.left_out)`,
				environmentID, dateOf(day), people[day], t.leftOut[day])
		}
		return tx.SendBatch(ctx, batch).Close()
	})
	if err != nil {
		return 0, fmt.Errorf("import whom experiments were served to: %w", err)
	}
	return stored, nil
}

// leaveNew removes from people of an arm who are stored, under whatever day, and who are erased.
func leaveNew(ctx context.Context, tx pgx.Tx, environmentID int64, of arm, people map[uuid.UUID]int32) error {
	erased, err := erasedOf(ctx, tx, environmentID, slices.Collect(maps.Keys(people)))
	if err != nil {
		return err
	}
	maps.DeleteFunc(people, func(person uuid.UUID, _ int32) bool { return erased[person] })
	rows, err := tx.Query(ctx, `select people from experiment_served_packed
		where environment_id = $1 and experiment_id = $2 and arm = $3`, environmentID, of.experiment, of.position)
	if err != nil {
		return err
	}
	var row []byte
	_, err = pgx.ForEachRow(rows, []any{(*pgtype.DriverBytes)(&row)}, func() error {
		for person := range packed.All(row) {
			delete(people, person)
		}
		return nil
	})
	return err
}
