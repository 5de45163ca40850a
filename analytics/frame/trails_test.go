package frame

import (
	"cmp"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// totalsOf counts the hits of each name of a part one session after the other.
func totalsOf(data *Dataset, p *Part) (totals []NameTotal) {
	by := map[uint32]*NameTotal{}
	for row := range uint32(p.Len()) {
		hits := p.HitsOf(row)
		for i, hit := range hits {
			total := by[HitName(hit)]
			if total == nil {
				total = &NameTotal{Name: HitName(hit), Latest: HitTime(hit)}
				by[total.Name] = total
			}
			total.Hits++
			total.Latest = max(total.Latest, HitTime(hit))
			if !data.nameTable()[total.Name].Kind.IsView() {
				continue
			}
			until, isFollowed := p.End(row), false
			for _, later := range hits[i+1:] {
				if data.nameTable()[HitName(later)].Kind.IsView() {
					until, isFollowed = HitTime(later), true
					break
				}
			}
			if millis := until - HitTime(hit); isFollowed || millis > 0 {
				total.Timed++
				total.Millis += millis
			}
		}
	}
	for _, total := range by {
		totals = append(totals, *total)
	}
	return totals
}

func byName(a, b NameTotal) int { return cmp.Compare(a.Name, b.Name) }

// A file tells the names of the hits of every session, in whatever order sessions are asked for, and what the hits of
// each name come to.
func TestAFileTellsTheNamesOfHits(t *testing.T) {
	folder := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		data, names := named(), rapid.SampledFrom([]uint32{1, 7, 300}).Draw(t, "names")
		for id := uint32(8); id <= names; id++ {
			data.SetNames([]NameRow{{id, []Kind{PageView, ScreenView, Custom}[id%3], fmt.Sprint("/", id)}})
		}
		builder := data.NewBuilder()
		spread := rapid.Uint32Range(1, names).Draw(t, "spread")
		for i := range rapid.IntRange(1, 200).Draw(t, "sessions") {
			s := Session{Visitor: fmt.Sprint("v", i%50), ID: fmt.Sprint("s", i), HomeDay: Day(noon)}
			for h := range 1 + i*i%5 {
				name := 1 + uint32(i*31+h*h*7+h)%spread
				at := noon.Add(time.Duration(i*h) * time.Second / 3)
				s.Hits = append(s.Hits, PackHit(at.UnixMilli(), name))
			}
			builder.Add(&s)
		}
		p := builder.Seal()
		saved := savedPart(t, folder, data, p)
		require.True(t, saved.HasTrails())
		totals := slices.SortedFunc(saved.NameTotals(), byName)
		require.Equal(t, slices.SortedFunc(slices.Values(totalsOf(data, p)), byName), totals)
		trails := saved.Trails()
		var inOrder, anyOrder TrailCursor
		check := func(c *TrailCursor, row uint32) {
			var want []uint32
			for _, hit := range p.HitsOf(row) {
				want = append(want, HitName(hit))
			}
			require.Equal(t, append([]uint32{9}, want...), trails.Append([]uint32{9}, c, row), "row %d", row)
		}
		ends := []uint32{0} // of the codes of rows
		for row := range uint32(p.Len()) {
			check(&inOrder, row)
			check(&anyOrder, uint32(rapid.IntRange(0, p.Len()-1).Draw(t, "row")))
			ends = append(ends, inOrder.at)
		}
		from := rapid.IntRange(0, p.Len()-1).Draw(t, "from")
		to := rapid.IntRange(from+1, p.Len()).Draw(t, "to")
		require.Equal(t, append([]MetAt{{}}, meetings(p, from, to)...), trails.AppendAllMet(
			[]MetAt{{}}, &anyOrder, uint32(from), uint32(to), trails.Meanings([]uint16{0, 1, 0, 7, 0, 2, 0}),
		))
		saved.TrailsUseOf(from, to)
		all, band := saved.trails.piece(2), saved.trails.bytesOf(from, to)
		begin := cap(all) - cap(band)
		require.LessOrEqual(t, begin, int(ends[from]), "where codes of rows %d to %d begin", from, to)
		require.GreaterOrEqual(t, begin+len(band), int(ends[to]), "where they end")
	})
}

// meetings returns the hits of rows [from, to) whose names are 1, 3 or 5.
func meetings(p *Part, from, to int) (met []MetAt) {
	meanings := map[uint32]uint16{1: 1, 3: 7, 5: 2}
	for row := uint32(from); row < uint32(to); row++ {
		for place, hit := range p.HitsOf(row) {
			if meaning := meanings[HitName(hit)]; meaning != 0 {
				met = append(met, MetAt{row, Met{uint32(place), meaning}})
			}
		}
	}
	return met
}

// Codes of one, two and five bytes are read as they were written.
func TestCodesOfNames(t *testing.T) {
	for _, names := range []int{1, 254, 255, 600, 32_894, 40_000} {
		c := codesOf(names)
		trails := Trails{names: make([]uint32, names), single: c.single, off: make([]uint32, names+1)}
		for code := range uint32(names) {
			trails.names[code] = code
			if code%trailStep == 0 {
				trails.starts = append(trails.starts, uint32(len(trails.codes)))
			}
			trails.codes = c.append(trails.codes, code)
			trails.off[code+1] = code + 1 // one hit each
		}
		var cursor TrailCursor
		for code := range uint32(names) {
			require.Equal(t, []uint32{code}, trails.Append(nil, &cursor, code), names)
		}
		require.Equal(t, uint32(otherFirst), max(c.single, codesOf(254).single))
	}
}

// Nothing is told of hits whose names are unknown when a file is written, because they may say another thing later, nor
// where it would take more than a tenth of the file.
func TestWhereAFileTellsNoNames(t *testing.T) {
	data, folder := named(), t.TempDir()
	require.False(t, savedPart(t, folder, data, build(data, visit("v", "s", 99, 2))).HasTrails())
	require.False(t, savedPart(t, folder, data, newPart(Sessions)).HasTrails())
	require.False(t, savedPart(t, folder, data, newPart(Runs)).HasTrails())

	rows := make([]NameRow, 50_000)
	for i := range rows {
		rows[i] = NameRow{uint32(i + 1), PageView, fmt.Sprint("/", i)}
	}
	data = NewDataset()
	data.SetNames(rows)
	b := data.NewBuilder()
	for i := range 1_000 {
		s := Session{Visitor: fmt.Sprint(i), ID: "s", HomeDay: Day(noon)}
		for h := range 50 {
			s.Hits = append(s.Hits, PackHit(noon.Add(time.Duration(h)*time.Second).UnixMilli(), rows[i*50+h].ID))
		}
		b.Add(&s)
	}
	p := b.Seal()
	saved := savedPart(t, folder, data, p)
	require.False(t, saved.HasTrails())
	require.Less(t, float64(len(saved.file.Bytes())), 1.05*float64(p.Bytes()))
}
