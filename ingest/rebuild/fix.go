package rebuild

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/svc-dev/svc/ingest"
)

// repair counts differences and puts the people who have one right, some at a time.
func (r *rebuild) repair(
	ctx context.Context, differences []Difference, some func(context.Context, pgx.Tx, []string) error,
) error {
	wrong := map[string]bool{}
	for _, d := range differences {
		wrong[d.AppUserID] = true
		r.summary.tally(d.Table).add(d.Kind)
		if r.Difference != nil {
			r.Difference(d)
		}
	}
	if r.DryRun {
		return nil
	}
	for people := range slices.Chunk(slices.Sorted(maps.Keys(wrong)), fixVisitors) {
		if err := pgx.BeginFunc(ctx, r.pool, func(tx pgx.Tx) error { return some(ctx, tx, people) }); err != nil {
			return fmt.Errorf("put right: %w", err)
		}
	}
	return nil
}

// repairSome looks at the visitors again while writers wait: what they have stored
// is seen, and what they are about to store is merged into the result.
func (r *rebuild) repairSome(ctx context.Context, tx pgx.Tx, visitors []string) error {
	// Writers merge sessions before first touches, so this one lock keeps them
	// from both. Taking the second as well would be a deadlock with a writer
	// between the two.
	if _, err := tx.Exec(ctx, `lock table product_session in share row exclusive mode`); err != nil {
		return err
	}
	// In the order of arrival, because a session beyond its limit keeps the hits that came first.
	events, err := readEvents(ctx, tx, `select `+eventColumns+` from product_events
		where environment_id = $1 and app_user_id = any($2) and name_id is not null
		order by received_at, event_key`, r.EnvironmentID, visitors)
	if err != nil {
		return err
	}
	held := visitorSessions{}
	for _, v := range visitors {
		held[v] = nil
	}
	now := *r
	for _, e := range events {
		held.add(e)
		now.lookBackTo(e.At)
	}
	found, err := now.compare(ctx, tx, held)
	if err != nil {
		return err
	}
	var users, sessions []string
	for _, d := range found.differences {
		if d.Table == sessionTable && d.Kind == Unexpected {
			users, sessions = append(users, d.AppUserID), append(sessions, d.SessionID)
		}
	}
	if err := ingest.RemoveSessions(ctx, tx, r.EnvironmentID, users, sessions); err != nil {
		return err
	}
	if err := ingest.ReplaceSessions(ctx, tx, r.EnvironmentID, found.rightSessions, r.HitLimit); err != nil {
		return err
	}
	if err := ingest.ReplaceFirstTouches(ctx, tx, r.EnvironmentID, found.rightTouches); err != nil {
		return err
	}
	r.summary.Sessions.Fixed += int64(len(users) + len(found.rightSessions))
	r.summary.FirstTouches.Fixed += int64(len(found.rightTouches))
	return nil
}
