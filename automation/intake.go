package automation

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
)

// DefaultEntriesPerDay bounds what enters the automations of an environment on a UTC day by itself: who has the public
// key of an app can make people up. Somebody who enters with more than a kB of properties counts once more for each.
const DefaultEntriesPerDay = 1_000_000

// intake counts what entered today, by environment. What all servers counted is known a second later.
type intake struct {
	most int64
	mu   sync.Mutex
	day  string
	of   map[int64]*intakeCount
}

type intakeCount struct {
	total  int64 // of all servers, when it was written last
	fresh  int64 // not written yet
	warned bool
}

func newIntake(most int) *intake {
	if most == 0 {
		most = DefaultEntriesPerDay
	}
	return &intake{most: int64(most), of: map[int64]*intakeCount{}}
}

// count returns the count of an environment today. The caller has the lock.
func (i *intake) count(environment int64, now time.Time) *intakeCount {
	if day := now.UTC().Format(time.DateOnly); day != i.day {
		i.day, i.of = day, map[int64]*intakeCount{} // what is not written of the day before is forgotten
	}
	if i.of[environment] == nil {
		i.of[environment] = &intakeCount{}
	}
	return i.of[environment]
}

// admit leaves out the entries of environments whose day is full.
func (i *intake) admit(entries []entry, now time.Time) []entry {
	i.mu.Lock()
	defer i.mu.Unlock()
	admitted := entries[:0]
	for _, e := range entries {
		c := i.count(e.EnvironmentID, now)
		if c.total+c.fresh < i.most {
			admitted = append(admitted, e)
		}
	}
	return admitted
}

// add counts what entered, by environment.
func (i *intake) add(entered map[int64]int64, now time.Time) {
	i.mu.Lock()
	defer i.mu.Unlock()
	for environment, n := range entered {
		i.count(environment, now).fresh += n
	}
}

// take returns what is to be written of environments, and forgets it.
func (i *intake) take(now time.Time) (day string, counts map[int64]int64) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.count(0, now) // begins another day
	counts = map[int64]int64{}
	for environment, c := range i.of {
		if c.fresh > 0 {
			counts[environment] = c.fresh
			c.total, c.fresh = c.total+c.fresh, 0
		}
	}
	return i.day, counts
}

// set notes what all servers counted, and tells whether the day is full and nobody said so yet.
func (i *intake) set(environment, total int64, now time.Time) (full bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	c := i.count(environment, now)
	c.total = total
	full = total >= i.most && !c.warned
	c.warned = c.warned || full
	return full
}

// writeIntake adds what this server counted to what all did.
func (a *Automations) writeIntake(ctx context.Context) error {
	day, counts := a.intake.take(a.now())
	for environment, fresh := range counts {
		var total int64
		if err := a.db.Pool.QueryRow(ctx, `
			insert into automation_intake as i (environment_id, day, entered) values ($1, $2::text::date, $3)
			on conflict (environment_id, day) do update set entered = i.entered + excluded.entered returning entered`,
			environment, day, fresh).Scan(&total); err != nil {
			return fmt.Errorf("count who entered automations: %w", err)
		}
		if a.intake.set(environment, total, a.now()) {
			a.log.Warn("events start no automation until tomorrow", "environment", environment, "entries", total)
		}
	}
	return nil
}

// statements run those of enrolling in a transaction.
type statements interface {
	// enter returns by environment what counts of those who entered.
	enter(ctx context.Context, argument []byte) (map[int64]int64, error)
	exec(ctx context.Context, sql string, argument []byte) (int64, error)
}

type pgxStatements struct{ pgx.Tx }

func (s pgxStatements) enter(ctx context.Context, argument []byte) (map[int64]int64, error) {
	rows, err := s.Query(ctx, enterSQL, argument)
	if err != nil {
		return nil, err
	}
	entered := map[int64]int64{}
	var environment, n int64
	_, err = pgx.ForEachRow(rows, []any{&environment, &n}, func() error {
		entered[environment] = n
		return nil
	})
	return entered, err
}

func (s pgxStatements) exec(ctx context.Context, sql string, argument []byte) (int64, error) {
	tag, err := s.Exec(ctx, sql, argument)
	return tag.RowsAffected(), err
}

type sqlStatements struct{ Execer }

func (s sqlStatements) enter(ctx context.Context, argument []byte) (entered map[int64]int64, err error) {
	rows, err := s.QueryContext(ctx, enterSQL, string(argument))
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	entered = map[int64]int64{}
	for rows.Next() {
		var environment, n int64
		if err := rows.Scan(&environment, &n); err != nil {
			return nil, err
		}
		entered[environment] = n
	}
	return entered, rows.Err()
}

func (s sqlStatements) exec(ctx context.Context, sql string, argument []byte) (int64, error) {
	result, err := s.ExecContext(ctx, sql, string(argument))
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}
