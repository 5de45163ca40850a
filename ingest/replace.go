package ingest

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/svc-dev/svc/analytics/run"
	"github.com/svc-dev/svc/analytics/session"
	"github.com/svc-dev/svc/postgres"
)

// ReplaceSessions writes sessions of an environment as they should be, in the
// place of what is stored under their keys, and tells the readers of frames. The
// caller keeps writers away from product_session until tx ends. Of more hits than
// the limit the first of the list are kept.
func ReplaceSessions(ctx context.Context, tx pgx.Tx, environmentID int64, rows []session.Row, hitLimit int) error {
	users, sessions := make([]string, len(rows)), make([]string, len(rows))
	folded := make([]foldedSession, len(rows))
	for i, r := range rows {
		users[i], sessions[i] = r.Visitor, r.SessionID
		folded[i] = foldedSession{sessionKey{visitorKey{environmentID, r.Visitor}, r.SessionID}, r}
	}
	if err := RemoveSessions(ctx, tx, environmentID, users, sessions); err != nil {
		return err
	}
	slices.SortFunc(folded, func(a, b foldedSession) int { return a.compare(b.sessionKey) })
	var columns sessionColumns
	for i := range folded {
		columns.add(&folded[i], hitLimit)
	}
	if _, err := tx.Exec(ctx, mergeSessionsSQL(hitLimit), columns.args()...); err != nil {
		return fmt.Errorf("write sessions: %w", err)
	}
	return nil
}

// RemoveSessions removes sessions, named by two lists of one length, and tells
// the readers of frames.
func RemoveSessions(ctx context.Context, tx pgx.Tx, environmentID int64, appUserIDs, sessionIDs []string) error {
	xid, err := postgres.TransactionID(ctx, tx)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `
		with gone as (
			delete from product_session s using unnest($2::text[], $3::text[]) as k (app_user_id, session_id)
			where s.environment_id = $1 and s.app_user_id = k.app_user_id and s.session_id = k.session_id
			returning s.home_day
		)
		insert into frame_invalidated (environment_id, home_day, xid)
		select $1, home_day, $4::text::xid8 from gone group by home_day`, environmentID, appUserIDs, sessionIDs, xid)
	if err != nil {
		return fmt.Errorf("remove sessions: %w", err)
	}
	return nil
}

// ReplaceFirstTouches writes first touches of an environment in the place of what
// is stored of their visitors. The caller keeps writers away from
// product_analytics_first_touch until tx ends.
func ReplaceFirstTouches(ctx context.Context, tx pgx.Tx, environmentID int64, touches []session.FirstTouch) error {
	users := make([]string, len(touches))
	byVisitor := make(map[visitorKey]*session.FirstTouch, len(touches))
	for i := range touches {
		users[i] = touches[i].Visitor
		byVisitor[visitorKey{environmentID, users[i]}] = &touches[i]
	}
	if _, err := tx.Exec(
		ctx, `delete from product_analytics_first_touch where environment_id = $1 and app_user_id = any($2)`, environmentID,
		users,
	); err != nil {
		return fmt.Errorf("replace first touches: %w", err)
	}
	return writeTouches(ctx, tx, insertTouchesSQL, byVisitor)
}

// ReplaceRuns writes runs of an environment as they should be, in the place of what
// is stored under their keys, and tells the readers of frames. The caller keeps
// writers away from flow_run until tx ends. Of more hits than the limit the first of
// a row are kept.
func ReplaceRuns(ctx context.Context, tx pgx.Tx, environmentID int64, rows []run.Row, hitLimit int) error {
	if err := RemoveRuns(ctx, tx, environmentID, rows); err != nil {
		return err
	}
	runs := make([]foldedRun, len(rows))
	for i, r := range rows {
		runs[i] = foldedRun{environmentID, r}
	}
	slices.SortFunc(runs, func(a, b foldedRun) int { return a.compare(&b) })
	return mergeRuns(ctx, tx, runs, hitLimit)
}

// RemoveRuns removes the runs that have the keys of rows, and tells the readers of frames.
func RemoveRuns(ctx context.Context, tx pgx.Tx, environmentID int64, rows []run.Row) error {
	people, flows, keys := make([]string, len(rows)), make([]pgtype.UUID, len(rows)), make([]pgtype.UUID, len(rows))
	for i, r := range rows {
		people[i] = r.Person
		flows[i], keys[i] = pgtype.UUID{Bytes: r.Flow, Valid: true}, pgtype.UUID{Bytes: r.Key, Valid: true}
	}
	xid, err := postgres.TransactionID(ctx, tx)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `
		with removed as (
			delete from flow_run r using unnest($2::text[], $3::uuid[], $4::uuid[]) as k (app_user_id, flow_id, run_key)
			where r.environment_id = $1 and r.app_user_id = k.app_user_id and r.flow_id = k.flow_id and r.run_key = k.run_key
			returning r.home_day
		)
		insert into frame_invalidated (environment_id, home_day, xid)
		select $1, home_day, $5::text::xid8 from removed group by home_day`, environmentID, people, flows, keys, xid)
	if err != nil {
		return fmt.Errorf("remove runs: %w", err)
	}
	return nil
}
