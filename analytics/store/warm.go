package store

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
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
// found by leaps through the index and counted one by one: a distributed database asks one node for each.
func (s *Store) findBusiest(ctx context.Context, from time.Time) ([]int64, error) {
	var busy []int64
	sessions := map[int64]int64{}
	for id := int64(math.MinInt64); ; {
		err := s.pool.QueryRow(
			ctx, `select environment_id from product_session where environment_id > $1 order by 1 limit 1`, id,
		).Scan(&id)
		if errors.Is(err, pgx.ErrNoRows) {
			break
		}
		if err != nil {
			return nil, err
		}
		var count int64
		if err := s.pool.QueryRow(
			ctx, `select count(*) from product_session where environment_id = $1 and home_day >= $2`, id, from,
		).Scan(&count); err != nil {
			return nil, err
		}
		if count > 0 {
			busy, sessions[id] = append(busy, id), count
		}
	}
	slices.SortStableFunc(busy, func(a, b int64) int { return cmp.Compare(sessions[b], sessions[a]) })
	return busy, nil
}
