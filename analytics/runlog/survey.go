package runlog

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/svc-dev/svc/analytics/run"
	"github.com/svc-dev/svc/analytics/session"
)

const (
	// maxRuns and maxAnswers bound what a survey holds, some hundred megabytes: of more, the newest days count.
	maxRuns    = 300_000
	maxAnswers = 500_000
	// homeDays is how many days before and after a range its runs are looked for. The first hit that was stored is at
	// most seven days from the run's earliest; the rest is for runs of sessions that outlive a day.
	homeDays = 31
	// valuesAtOnce is how many stored values are looked for at a time.
	valuesAtOnce = 10_000
)

// Responses are what people answered in runs of a scope.
type Responses struct {
	Fields []Response // in no order
	Runs   int64      // that were read and belong to the scope
	// Complete is false when the scope has more runs or answers than are read: then those of its newest days count.
	Complete bool
}

// beginner starts transactions: a pool or a connection.
type beginner interface {
	BeginTx(ctx context.Context, options pgx.TxOptions) (pgx.Tx, error)
}

// Responses reads what people answered in the runs that the filter takes. Questions are the fields of the scope's
// versions, the newest version first.
func (r *Reader) Responses(
	ctx context.Context, db beginner, filter *Filter, questions []Question,
) (responses *Responses, err error) {
	err = pgx.BeginTxFunc(ctx, db, pgx.TxOptions{AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
		reading := *r
		reading.DB = tx
		s, texts := newSurvey(questions), names{}
		complete, err := reading.gather(ctx, tx, s, texts, filter)
		if err != nil {
			return err
		}
		typed, err := reading.typedValues(ctx, s)
		if err != nil {
			return err
		}
		responses = &Responses{Fields: s.report(questions, texts, typed), Runs: s.runs, Complete: complete}
		return nil
	})
	return responses, err
}

// errEnough ends the reading of runs.
var errEnough = errors.New("enough")

// gather reads the runs that a filter takes, the newest days first, and tells whether those were all.
func (r *Reader) gather(ctx context.Context, tx pgx.Tx, s *survey, texts names, filter *Filter) (bool, error) {
	from, to := filter.scope.Start, filter.scope.End
	if _, err := tx.Exec(ctx, `
		declare runs no scroll cursor for select `+runColumns+` from flow_run
		where environment_id = $1 and flow_id = $2 and home_day between $3::date and $4::date
			and first_at < $5 and last_at >= $6
		order by home_day desc`,
		r.EnvironmentID, pgtype.UUID{Bytes: r.Flow, Valid: true},
		from.AddDate(0, 0, -homeDays), to.AddDate(0, 0, homeDays), to, from,
	); err != nil {
		return false, fmt.Errorf("read runs: %w", err)
	}
	for {
		rows, err := tx.Query(ctx, fmt.Sprintf("fetch %d from runs", rowsAtOnce))
		if err != nil {
			return false, fmt.Errorf("read runs: %w", err)
		}
		portion, err := r.collect(rows)
		if err != nil || len(portion) == 0 {
			return true, err
		}
		err = r.addAll(ctx, s, texts, portion, filter)
		if errors.Is(err, errEnough) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
	}
}

func (r *Reader) addAll(ctx context.Context, s *survey, texts names, rows []run.Row, filter *Filter) error {
	if err := r.load(ctx, texts, rows); err != nil {
		return err
	}
	for i := range rows {
		runs, err := s.unpacker.Runs(&rows[i], texts.text)
		if err != nil {
			return err
		}
		for j := range runs {
			if !filter.Takes(&runs[j]) {
				continue
			}
			if s.runs == maxRuns || len(s.answers)+len(s.skipped) >= maxAnswers {
				return errEnough
			}
			s.add(&runs[j], texts)
		}
	}
	return nil
}

// typedValues reads the values that stand in stored events alone: what people typed.
func (r *Reader) typedValues(ctx context.Context, s *survey) (map[personField]typedValue, error) {
	type wanted struct {
		of  personField
		at  int64
		key session.Key
	}
	var list []wanted
	for of, a := range s.answers {
		if a.typed && len(a.values) == 0 {
			list = append(list, wanted{of, a.at, a.key})
		}
	}
	slices.SortFunc(list, func(a, b wanted) int { return cmp.Compare(a.at, b.at) })
	values := make(map[personField]typedValue, len(list))
	for part := range slices.Chunk(list, valuesAtOnce) {
		of := make(map[session.Key]personField, len(part))
		keys := make([]pgtype.UUID, len(part))
		for i, w := range part {
			of[w.key] = w.of
			keys[i] = pgtype.UUID{Bytes: w.key, Valid: true}
		}
		// Properties are read once and of wanted events only: a condition on them would be tried on every event of the time.
		rows, err := r.DB.Query(ctx, `
			select event_key, properties->>'value'
			from flow_events join unnest($5::uuid[]) as wanted (id) on event_key = wanted.id -- hashed, as any($5) is not
			where environment_id = $1 and flow_id = $2 and occurred_at between $3 and $4 and name = 'text_submitted'`,
			r.EnvironmentID, pgtype.UUID{Bytes: r.Flow, Valid: true},
			time.UnixMilli(part[0].at), time.UnixMilli(part[len(part)-1].at), keys)
		if err != nil {
			return nil, fmt.Errorf("read answers: %w", err)
		}
		var key pgtype.UUID
		var text *string
		if _, err := pgx.ForEachRow(rows, []any{&key, &text}, func() error {
			if text != nil {
				values[of[key.Bytes]] = typedValueOf(*text)
			}
			return nil
		}); err != nil {
			return nil, fmt.Errorf("read answers: %w", err)
		}
	}
	return values, nil
}
