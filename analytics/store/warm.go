package store

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
)

// Warm reads the last days of the environments with the most sessions in them, in the background, until
// frames take half of their budget: the first dashboards after a start find them. It changes nothing but
// the time of their first answer, so it gives up where the database does not answer.
func (s *Store) Warm(days int) {
	s.loops.Go(func(ctx context.Context) {
		if err := s.warm(ctx, days); err != nil && ctx.Err() == nil {
			s.settings.Logger.Info("not all reports are warm", "error", err)
		}
	})
}

func (s *Store) warm(ctx context.Context, days int) error {
	end := time.Now()
	from := end.AddDate(0, 0, -days)
	busiest, err := s.findBusiest(ctx, from.UTC())
	for _, id := range busiest {
		if err != nil || s.Bytes() > s.frameBudget()/2 {
			break
		}
		_, err = s.View(ctx, id, from, end)
	}
	return err
}

// findBusiest returns the environments with sessions of home days since from, those with the most first. They are
// found by leaps through the index.
func (s *Store) findBusiest(ctx context.Context, from time.Time) ([]int64, error) {
	rows, err := s.pool.Query(ctx, `
		with recursive environments (id) as (
			select min(environment_id) from product_session
			union all
			select (select min(environment_id) from product_session where environment_id > environments.id) from environments
			where id is not null
		) select id from environments cross join lateral (
			select count(*) sessions from product_session where environment_id = environments.id and home_day >= $1) latest
		where sessions > 0 order by sessions desc, id`, from)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[int64])
}
