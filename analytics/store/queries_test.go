package store

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/analytics/frame"
	"github.com/svc-dev/svc/postgres/pgtest"
)

// The bounds of a home day are those of the day, and of each row that is not all in it.
func TestBoundsOfHomeDays(t *testing.T) {
	db := pgtest.New(t)
	ctx, noon := t.Context(), time.Date(2025, 3, 10, 12, 0, 0, 0, time.UTC)
	const day, millisecond = 24 * time.Hour, time.Millisecond
	begin := noon.Truncate(day)
	for days, in := range []struct{ before, after time.Duration }{
		{}, {before: 12 * time.Hour}, {after: 12*time.Hour - millisecond}, {before: 12*time.Hour + millisecond},
		{after: 12 * time.Hour}, {before: 40 * time.Hour, after: 900 * time.Hour},
	} {
		at := noon.AddDate(0, 0, days)
		write(t, db.Pool, "v", at.Format(time.DateOnly), at)
		write(t, db.Pool, "v", at.Format(time.DateOnly), at.Add(-in.before), at.Add(in.after))
	}
	dates, err := sessionTable.homeDays(ctx, db.Pool, environmentID)
	require.NoError(t, err)
	require.Len(t, dates, 6)
	asked, all := 0, append(dates, noon.AddDate(1, 0, 0))
	found, err := sessionTable.catalogue(ctx, db.Pool, environmentID, all, func() { asked++ })
	require.NoError(t, err)
	require.Equal(t, 7, asked)
	want := map[dayKey]catalogued{}
	for days, in := range [][2]time.Time{
		{begin, begin.Add(day)}, {begin, begin.Add(day)}, {begin, begin.Add(day)},
		{begin.Add(-millisecond), begin.Add(day)}, {begin, begin.Add(day + millisecond)},
		{noon.Add(-40 * time.Hour), noon.Add(900*time.Hour + millisecond)},
	} {
		first, end := in[0].AddDate(0, 0, days), in[1].AddDate(0, 0, days)
		want[dayKey{frame.Sessions, frame.Day(begin.AddDate(0, 0, days))}] = catalogued{
			bounds{first.UnixMilli(), end.UnixMilli() - 1}, 1,
		}
	}
	require.Equal(t, want, found)
}
