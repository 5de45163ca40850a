package people_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/analytics/run"
	"github.com/svc-dev/svc/people"
	"github.com/svc-dev/svc/postgres/pgtest"
)

// hitsOf packs hits of a run, of which only the names matter here.
func hitsOf(names ...run.Name) []byte {
	packed := make([]byte, len(names)*run.HitSize)
	for i, name := range names {
		packed[i*run.HitSize+run.HitName] = byte(name)
	}
	return packed
}

func TestWhatAPersonDidOnAllTheirDevices(t *testing.T) {
	db := pgtest.New(t)
	p := people.New(db.Pool, people.Options{Now: clock()})
	at := time.Date(2026, 10, 20, 9, 0, 0, 0, time.UTC)
	exec := func(sql string, arguments ...any) {
		t.Helper()
		_, err := db.Pool.Exec(t.Context(), sql, arguments...)
		require.NoError(t, err)
	}
	for _, device := range []string{"phone", "web"} {
		_, err := p.Identify(t.Context(), people.Change{EnvironmentID: 1, AppUserID: device, CustomUserID: "ana"})
		require.NoError(t, err)
	}
	_, err := p.Identify(t.Context(), people.Change{
		EnvironmentID: 1, AppUserID: "quiet", CustomUserID: "bob", Attributes: map[string]json.RawMessage{"a": []byte(`1`)},
	})
	require.NoError(t, err)
	flow, completed, begun := uuid.New(), uuid.New(), uuid.New()
	for _, device := range []string{"phone", "web", "stranger"} {
		exec(`insert into product_session (environment_id, app_user_id, session_id, started_at, last_at, home_day,
				changed_xid, hits)
			values (1, $1, 's', $2::timestamptz, $3, $2::timestamptz::date, pg_current_xact_id(), '{1}')`,
			device, at, at.Add(time.Hour))
	}
	for key, hits := range map[uuid.UUID][]byte{
		completed: hitsOf(run.FlowStarted, run.FlowCompleted), begun: hitsOf(run.FlowStarted),
	} {
		exec(`insert into flow_run (environment_id, app_user_id, flow_id, run_key, derived, started, first_at, last_at,
				home_day, changed_xid, hits, contexts, hits_over_limit)
			values (1, 'phone', $1, $2, false, true, $3::timestamptz, $4, $3::timestamptz::date, pg_current_xact_id(), $5,
				'', 0)`,
			flow, key, at.Add(time.Minute), at.Add(2*time.Hour), hits)
	}
	exec(`insert into revenue_ledger (environment_id, provider, provider_event_id, kind, app_user_id, occurred_at,
			amount_micros, product_id)
		values (1, 'stripe', 'one', 'originating', 'phone', $1, 9990000, 'year'),
			(1, 'stripe', 'two', 'refund', 'web', $2, -990000, 'year'),
			(1, 'stripe', 'three', 'originating', 'stranger', $1, 5000000, 'year')`,
		at.Add(3*time.Hour), at.Add(4*time.Hour))

	listed, err := p.List(t.Context(), 1, "", nil, 10)
	require.NoError(t, err)
	require.Len(t, listed, 2)
	for _, person := range listed {
		did, err := p.Activity(t.Context(), person)
		require.NoError(t, err)
		if person.CustomUserID == "bob" {
			require.Nil(t, did.Status())
			require.Zero(t, did.RevenueMicros)
			require.Nil(t, did.LastSeenAt)
			continue
		}
		require.Equal(t, people.StatusCompleted, *did.Status())
		require.Equal(t, 2, did.Starts)
		require.Equal(t, 1, did.Completions)
		require.EqualValues(t, 9_000_000, did.RevenueMicros)
		require.Equal(t, at.Add(2*time.Hour), did.LastSeenAt.UTC())
	}

	ana, err := p.Find(t.Context(), 1, "", "ana")
	require.NoError(t, err)
	count, err := p.CountTimeline(t.Context(), ana)
	require.NoError(t, err)
	require.Equal(t, 6, count)
	var read []*people.Entry
	var after *people.EntryPlace
	for {
		page, err := p.Timeline(t.Context(), ana, after, 4)
		require.NoError(t, err)
		if len(page) == 0 {
			break
		}
		read = append(read, page...)
		after = &people.EntryPlace{At: page[len(page)-1].At, Order: page[len(page)-1].Order}
	}
	require.Len(t, read, count, "two pages have everything once")
	kinds := make([]people.EntryKind, len(read))
	ends := map[string]int{}
	for i, entry := range read {
		kinds[i] = entry.Kind
		require.NotEqual(t, "stranger", entry.AppUserID)
		if entry.Kind == people.RunEntry {
			require.Equal(t, flow, *entry.FlowID)
			ends[entry.Detail]++
		}
	}
	require.Equal(t, []people.EntryKind{
		people.PurchaseEntry, people.PurchaseEntry, people.RunEntry, people.RunEntry, people.SessionEntry,
		people.SessionEntry,
	}, kinds)
	require.Equal(t, map[string]int{"completed": 1, "open": 1}, ends)
	require.EqualValues(t, -990_000, *read[0].AmountMicros)
}

func TestSomebodyWhoBeganAFlowHasAStatus(t *testing.T) {
	require.Equal(t, people.StatusInProgress, *(&people.Activity{Starts: 1}).Status())
}
