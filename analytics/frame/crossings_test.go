package frame

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// savedPart returns the part that a file of a part has.
func savedPart(t require.TestingT, folder string, data *Dataset, p *Part) *Part {
	saved, err := OpenPart(fileOf(t, folder, PartFile, func(e *Encoder) { data.SavePart(p, e) }))
	require.NoError(t, err)
	return saved
}

// countedBefore counts what a session has before a border.
func countedBefore(data *Dataset, p *Part, row uint32, border int64) Crossing {
	c := Crossing{Row: row}
	for _, hit := range p.HitsOf(row) {
		if HitTime(hit) >= border {
			break
		}
		c.Hits++
		switch kind := data.nameTable()[HitName(hit)].Kind; {
		case kind.IsView():
			c.Views++
		case kind == Custom:
			c.Events++
		}
	}
	return c
}

// A file tells what a session has before a border, of all sessions that have hits on both sides and last for no more
// than a day, and of no others.
func TestAFileTellsWhatSessionsHaveBeforeABorder(t *testing.T) {
	folder := t.TempDir()
	const quarter = 15 * minuteMillis
	rapid.Check(t, func(t *rapid.T) {
		data := named()
		b := data.NewBuilder()
		first := noon
		if rapid.Bool().Draw(t, "early") {
			first = time.Date(2019, 12, 31, 22, 0, 0, 0, time.UTC) // times below zero
		}
		for i := range rapid.IntRange(0, 6).Draw(t, "sessions") {
			s := Session{Visitor: fmt.Sprint("v", i%4), ID: fmt.Sprint("s", i), HomeDay: Day(first)}
			longest := rapid.SampledFrom([]int{1, 60, 24 * 60, 48 * 60}).Draw(t, "minutes")
			for range rapid.IntRange(1, 6).Draw(t, "hits") {
				at := first.Add(time.Duration(rapid.IntRange(0, longest).Draw(t, "minute")) * time.Minute)
				at = at.Add(time.Duration(rapid.IntRange(-1, 1).Draw(t, "ms")) * time.Millisecond)
				s.Hits = append(s.Hits, PackHit(at.UnixMilli(), rapid.Uint32Range(1, 7).Draw(t, "name")))
			}
			b.Add(&s)
		}
		p := b.Seal()
		saved := savedPart(t, folder, data, p)
		for row := range uint32(p.Len()) {
			from := p.Start(row)/quarter*quarter + quarter
			for border := from - 2*quarter; border <= p.End(row)+2*quarter; border += quarter {
				c, known := saved.CrossingAt(row, border)
				crosses := border > p.Start(row) && border <= p.End(row) && p.Duration(row) <= longestCrossing
				require.Equal(t, crosses, known, "row %d at %d", row, border)
				if known {
					require.Equal(t, countedBefore(data, p, row, border), c)
				}
			}
			_, known := saved.CrossingAt(row, from+1)
			require.False(t, known, "no border")
			_, known = p.CrossingAt(row, from)
			require.False(t, known, "in memory hits are read")
		}
	})
}

// crowd returns a part of sessions that have two hits each, some time apart.
func crowd(data *Dataset, sessions int, apart time.Duration) *Part {
	b := data.NewBuilder()
	for i := range sessions {
		at := noon.Add(time.Duration(i) * time.Second)
		b.Add(&Session{Visitor: fmt.Sprint(i), ID: "s", HomeDay: Day(noon), Hits: []int64{
			PackHit(at.UnixMilli(), 2), PackHit(at.Add(apart).UnixMilli(), 4),
		}})
	}
	return b.Seal()
}

// Where sessions last long a file tells of fewer borders, or of none, so that it does not become much larger.
func TestCrossingsTakeASmallPartOfAFile(t *testing.T) {
	data, folder := named(), t.TempDir()
	for _, test := range []struct {
		apart time.Duration
		step  int64
	}{
		{time.Minute, crossingSteps[0]},
		{5 * time.Minute, crossingSteps[0]},
		{8 * time.Minute, crossingSteps[1]},
		{20 * time.Minute, crossingSteps[2]},
		{3 * time.Hour, 0},
		{30 * time.Hour, crossingSteps[0]}, // none is told of
	} {
		p := crowd(data, 4_000, test.apart)
		require.Equal(t, test.step, p.crossingStep(), test.apart)
		saved := savedPart(t, folder, data, p)
		bytes := 0
		for i := range saved.crossings.borders {
			bytes += len(saved.crossings.at(i)) * int(crossingBytes)
		}
		columns := int(p.Bytes())
		require.LessOrEqual(t, bytes, columns/mostCrossingShare)
		require.Less(t, float64(len(saved.file.Bytes())), 1.05*float64(columns), test.apart)
	}
}

// A session is read whose hits had names that nobody knew when its totals were counted, because they say another thing
// now.
func TestCrossingsAgreeWithTheTotals(t *testing.T) {
	data := named()
	late := visit("v", "s", 99, 2)
	late.Hits[1] = PackHit(noon.Add(time.Hour).UnixMilli(), 2)
	p := build(data, late)
	data.SetNames([]NameRow{{99, PageView, "/late"}})
	_, known := savedPart(t, t.TempDir(), data, p).CrossingAt(0, p.End(0))
	require.False(t, known)
}
