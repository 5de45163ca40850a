package report

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/analytics/frame"
)

// Strangers make up names, and sessions as long as they may be: what an answer takes is bounded by the names, once for
// all workers, and what it says by the nodes of its steps.
func TestPathsOfMadeUpNamesAndLongSessions(t *testing.T) {
	const names, sessions, hits = 100_000, 200, 10_000
	env := frame.NewDataset()
	rows := []frame.NameRow{{ID: 1, Kind: frame.Custom, Text: "begin"}}
	for i := range names {
		rows = append(rows, frame.NameRow{ID: uint32(i + 2), Kind: frame.PageView, Text: fmt.Sprintf("/made-up/%d", i)})
	}
	env.SetNames(rows)
	builder := env.NewBuilder()
	for i := range sessions {
		at := benchEnd.AddDate(0, 0, -1).UnixMilli()
		s := frame.Session{Visitor: visitorID(i), ID: fmt.Sprint(i), HomeDay: frame.Day(benchEnd.AddDate(0, 0, -1))}
		s.Hits = append(s.Hits, frame.PackHit(at, 1))
		for k := range hits {
			s.Hits = append(s.Hits, frame.PackHit(at+int64(k)+1, uint32(2+(i*hits+k*7919)%names)))
		}
		builder.Add(&s)
	}
	env.Put(frame.Sessions, frame.Day(benchEnd.AddDate(0, 0, -1)), builder.Seal())
	scope := analytics.Scope{Start: benchEnd.AddDate(0, 0, -2), End: benchEnd}
	s, err := NewEngine(DefaultTuning()).Select(env.View(math.MinInt32, math.MaxInt32), scope, nil, benchEnd)
	require.NoError(t, err)
	query := analytics.PathQuery{
		Anchor: analytics.PathAnchor{Kind: analytics.PathEvent, Name: "begin"}, Steps: analytics.MaxPathSteps,
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	paths, err := s.Paths(context.Background(), query)
	runtime.ReadMemStats(&after)
	require.NoError(t, err)
	require.EqualValues(t, sessions, paths.Sessions)
	require.LessOrEqual(t, len(paths.Nodes), 1+(analytics.MaxPathSteps-1)*pathSlots)
	// A node, 8 steps of slots and counts by name, and the counts by node, of which there are three kinds.
	require.LessOrEqual(t, after.TotalAlloc-before.TotalAlloc, uint64(names*(4+8+3*4+s.workers()*7*4)+4<<20))
}
