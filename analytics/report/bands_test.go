package report

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/svc-dev/svc/analytics/frame"
)

// However small the bands are, all sessions of the visitors that are visited are in memory then, their columns were
// taken, and no band that is still needed was left.
func TestBands(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tuning := DefaultTuning()
		tuning.BandRows = rapid.IntRange(1, 4).Draw(t, "rows")
		tuning.SpansAhead = rapid.IntRange(0, 3).Draw(t, "ahead")
		tuning.SweptVisitors = rapid.IntRange(1, 5).Draw(t, "swept")
		tuning.SessionsPerWorker, tuning.KeptSessions = rapid.IntRange(1, 20).Draw(t, "a worker"), 0
		env := frame.NewDataset()
		for day := range int32(rapid.IntRange(1, 4).Draw(t, "days")) {
			b := env.NewBuilder()
			for _, visitor := range rapid.SliceOf(rapid.StringMatching(`[a-z]`)).Draw(t, "visitors") {
				b.Add(&frame.Session{
					Visitor: visitor, ID: rapid.StringMatching(`[a-z]{8}`).Draw(t, "id"), HomeDay: day,
					Hits: []int64{frame.PackHit(frame.EpochMillis+int64(day)*24*60*minuteMillis, 0)},
				})
			}
			env.Put(frame.Sessions, day, b.Seal())
		}
		w := NewEngine(tuning).newRows(env.View(0, 4), 0, 5*24*60*minuteMillis)
		opened := make([]bool, len(w.parts))
		columns := []frame.Column{frame.Length}
		r := w.read(columns, columns, func(i int, _ *windowPart) { opened[i] = true })
		for shard := range w.shards {
			s := &w.shards[shard]
			bands := r.bands(s.from)
			begun := slices.Clone(bands.at)
			for i, p := range w.parts {
				if lo, hi := p.Bounds(s.from, math.MaxUint32); lo == hi {
					require.Len(t, p.bands, begun[i].used, "nothing of a part that ends before is brought")
				}
			}
			for from := s.from; from < s.to; {
				to := min(from+uint32(rapid.IntRange(1, 5).Draw(t, "visitors")), s.to)
				bands.bring(to, min(to+3, s.to))
				for i := range w.parts {
					at := bands.at[i]
					require.LessOrEqual(t, at.left, at.used)
					require.LessOrEqual(t, at.used, at.asked)
					lo, hi := w.parts[i].Bounds(from, to)
					if lo == hi {
						continue
					}
					require.True(t, opened[i])
					require.GreaterOrEqual(t, lo, begun[i].used*tuning.BandRows)
					require.LessOrEqual(t, hi, at.used*tuning.BandRows)
				}
				from = to
			}
			bands.end()
		}
	})
}
