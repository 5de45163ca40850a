package proof_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/delivery/deliverytest"
	"github.com/svc-dev/svc/people/proof"
	"github.com/svc-dev/svc/postgres/pgtest"
)

func TestOutcomesAreCountedByDay(t *testing.T) {
	ctx, db := context.Background(), pgtest.New(t)
	app := deliverytest.NewApp(t, db.Pool)
	now := time.Date(2026, 11, 21, 23, 59, 59, 0, time.FixedZone("", 3600))
	counter := proof.NewCounter(db.Pool, proof.Options{Now: func() time.Time { return now }})
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 100 {
				counter.Note(app.Live.ID, proof.Proved)
				counter.Note(app.Live.ID, proof.Missing)
				counter.Note(app.Live.ID, proof.Missing)
				counter.Note(app.Test.ID, proof.Wrong)
			}
		})
	}
	all.Wait()
	counter.Note(1<<40, proof.Wrong) // an environment that is no more
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	require.ErrorContains(t, counter.Write(cancelled), "write counts of proofs")
	require.NoError(t, counter.Write(ctx))
	now = now.Add(2 * time.Hour)
	counter.Note(app.Live.ID, proof.Proved)
	require.NoError(t, counter.Start(ctx))
	require.NoError(t, counter.Stop(ctx), "what was counted is written at the end")
	counter.Note(app.Live.ID, proof.Proved)
	require.NoError(t, counter.Write(ctx))

	var rows string
	require.NoError(t, db.Pool.QueryRow(ctx, `
		select string_agg(concat_ws(' ', environment_id = $1, day, proved, missing, wrong), '; ' order by day, environment_id)
		from identity_proof_count`, app.Live.ID).Scan(&rows))
	require.Equal(t, "f 2026-11-21 0 0 800; t 2026-11-21 800 1600 0; t 2026-11-22 2 0 0", rows)
}
