package store

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/analytics/frame"
	"github.com/svc-dev/svc/postgres/pgtest"
)

// A worker that was killed before it finished a transaction has rows that nobody can read although the coordinator has
// committed it. Polls must find them afterwards, however many came between.
func TestRowsOfATransactionThatIsCommittedInHalfAreFound(t *testing.T) {
	db := pgtest.New(t)
	if pgtest.Capabilities(t).Citus == "" {
		t.Skip("needs Citus: SVC_TEST_VARIANT=citus")
	}
	write(t, db.Pool, "v1", "a", today)
	s := newStore(t, db.Pool, Settings{})
	sessions := func() int64 { return totals(t, s, today.Add(-time.Hour), today.Add(time.Hour)).Sessions }
	require.EqualValues(t, 1, sessions())
	late := pgtest.HalfCommit(t, db, environmentID, "product_session", func(shard, xid string) string {
		return fmt.Sprintf(`insert into %s (environment_id, app_user_id, session_id, started_at, last_at, home_day,
			changed_xid, platform, hits) values (%d, 'v2', 'late', '%s', '%[3]s', '%[3]s', '%[4]s', 'web', '{%[5]d}')`,
			shard, environmentID, today.Format(time.RFC3339), xid, frame.PackHit(today.UnixMilli(), 2))
	})
	for range 3 { // each goes on from the snapshot of the one before
		write(t, db.Pool, "v1", "a", today)
		require.EqualValues(t, 1, sessions())
	}
	late.Finish(t)
	require.EqualValues(t, 2, sessions())
}
