package flow

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// Whatever is kept and whatever is counted, quantiles are those of the sorted list.
func TestQuantilesAreThoseOfTheNearestRank(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		most := rapid.SampledFrom([]int64{3, 5000, 1 << 21, 2 * pagedMillis, 1 << 33}).Draw(t, "most")
		limit := rapid.SampledFrom([]int{0, 1, 70, 500, 1 << 20}).Draw(t, "limit")
		var total *times
		var all []int64
		for range rapid.IntRange(1, 3).Draw(t, "portions") {
			portion := &times{}
			for _, ms := range rapid.SliceOfN(rapid.Int64Range(0, most), 0, 300).Draw(t, "durations") {
				portion.add(ms, limit)
				all = append(all, ms)
			}
			total = joinTimes(total, portion, limit)
		}
		slices.Sort(all)
		percents := []int64{1, 25, 50, 75, 90, 95, 100}
		got := total.seconds(percents...)
		require.Equal(t, int64(len(all)), total.len())
		for i, percent := range percents {
			if len(all) == 0 {
				require.Nil(t, got[i])
				continue
			}
			rank := int(math.Ceil(float64(percent) * float64(len(all)) / 100))
			require.InDelta(t, float64(all[rank-1])/1000, *got[i], 0, "%d %%", percent)
		}
		if len(all) > 0 {
			sum := int64(0)
			for _, ms := range all {
				sum += ms
			}
			require.InDelta(t, float64(sum)/float64(len(all))/1000, *total.mean(), 0)
		}
	})
}
