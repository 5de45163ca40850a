package store

import (
	"context"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/postgres/pgtest"
)

// ownEnvironment makes an environment in a workspace of its own, which it returns.
func ownEnvironment(t *testing.T, pool *pgxpool.Pool, id int64) (workspace uuid.UUID) {
	t.Helper()
	require.NoError(t, pool.QueryRow(t.Context(), `
		with w as (insert into workspaces (id, name) values (gen_random_uuid(), 'w') returning id),
			a as (insert into apps (id, name, allowed_origins, integrations, canvas_gates, workspace_id)
				select gen_random_uuid(), 'a', '[]', '{}', '{}', id from w returning id),
			e as (insert into environments (id, app_id, kind) overriding system value select $1, a.id, 'live' from a)
		select id from w`, id).Scan(&workspace))
	return workspace
}

// A workspace that has asked for more than there are workers keeps nobody else waiting: the next place that is free is
// another's.
func TestAWorkspaceHoldsNoReportsOfAnother(t *testing.T) {
	t.Parallel()
	const greedy = environmentID + 1
	db := pgtest.New(t)
	mine := ownEnvironment(t, db.Pool, environmentID)
	ownEnvironment(t, db.Pool, greedy)
	write(t, db.Pool, "visitor", "session", today)
	for name, poolOf := range map[string]func(*Store) places{
		"loaders":  func(s *Store) places { return s.loaders },
		"portions": func(s *Store) places { return s.portions },
		"pollers":  func(s *Store) places { return s.pollers },
	} {
		s := newStore(t, db.Pool, Settings{Patience: time.Minute, FollowEach: time.Hour})
		pool := poolOf(s)
		ctx, cancel := context.WithCancel(t.Context())
		held, first := make(chan func(), 100), pool.turns.Free()
		for range cap(held) {
			go func() {
				if leave, err := pool.take(ctx, greedy); err == nil {
					held <- leave // and keeps it
				}
			}()
		}
		theirs, err := s.workspaceOf(ctx, greedy)
		require.NoError(t, err)
		require.Eventually(t, func() bool {
			return len(held)+pool.turns.Waiting(theirs) == cap(held)
		}, time.Minute, time.Millisecond)
		require.Less(t, len(held), first+1, name)

		answered := make(chan error, 1)
		go func() {
			if name == "portions" {
				leave, err := pool.take(ctx, environmentID)
				if err == nil {
					leave()
				}
				answered <- err
				return
			}
			_, err := s.View(ctx, environmentID, today.AddDate(0, 0, -1), today.AddDate(0, 0, 1))
			answered <- err
		}()
		if pool.turns.Free() == 0 { // else a part is left for the others
			require.Eventually(t, func() bool { return pool.turns.Waiting(mine) == 1 }, time.Minute, time.Millisecond, name)
			for range 2 { // the greedy one's turn, which began to wait first, and then the other's
				(<-held)()
			}
		}
		require.NoError(t, <-answered, name)
		cancel()
	}
}

// Segments of one workspace are evaluated one at a time, and those of another beside them.
func TestAWorkspaceEvaluatesOneSegmentAtATime(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	mine := ownEnvironment(t, db.Pool, environmentID)
	ownEnvironment(t, db.Pool, environmentID+1)
	s := newStore(t, db.Pool, Settings{})
	leave, err := s.evaluating.take(t.Context(), environmentID)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	refused := make(chan error, 1)
	go func() {
		_, err := s.evaluating.take(ctx, environmentID)
		refused <- err
	}()
	require.Eventually(t, func() bool { return s.evaluating.turns.Waiting(mine) == 1 }, time.Minute, time.Millisecond)
	other, err := s.evaluating.take(t.Context(), environmentID+1)
	require.NoError(t, err)
	other()
	cancel()
	require.ErrorIs(t, <-refused, context.Canceled)
	leave()
	require.Equal(t, evaluators, s.evaluating.turns.Free())
}
