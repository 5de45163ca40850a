package bucketing

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/twmb/murmur3"
	"pgregory.net/rapid"
)

// vectors are shared with the TypeScript implementation. They were computed by
// a third one, written from the definition of murmur3.
type vectors struct {
	Murmur3 []struct {
		Input string
		Hash  uint32
	}
	Bucketing []struct {
		ExperimentID, Salt, AppUserID string
		Arms                          []struct {
			ID     string
			Weight int
		}
		Arm *string
	}
}

func TestGoldenVectors(t *testing.T) {
	data, err := os.ReadFile("../../sdk/vectors/bucketing.json")
	require.NoError(t, err)
	var golden vectors
	require.NoError(t, json.Unmarshal(data, &golden))
	require.NotEmpty(t, golden.Murmur3)
	require.NotEmpty(t, golden.Bucketing)

	for _, v := range golden.Murmur3 {
		require.Equal(t, v.Hash, murmur3.StringSum32(v.Input), "input %q", v.Input)
	}
	for _, v := range golden.Bucketing {
		var weights []int
		for _, arm := range v.Arms {
			weights = append(weights, arm.Weight)
		}
		chosen := ChooseArm(v.ExperimentID, v.Salt, v.AppUserID, weights)
		if v.Arm == nil {
			require.Equal(t, -1, chosen)
			continue
		}
		require.Equal(t, *v.Arm, v.Arms[chosen].ID, "%s:%s:%s %v", v.ExperimentID, v.Salt, v.AppUserID, weights)
	}
}

func TestHashJoinsWithColons(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		experiment, salt, user := rapid.String().Draw(t, "experiment"), rapid.String().Draw(t, "salt"), rapid.String().Draw(t, "user")
		require.Equal(t, murmur3.StringSum32(experiment+":"+salt+":"+user), Hash(experiment, salt, user))
	})
}

// The bucket must stay below 2^53 on its way, and inside the total.
func TestBucketMatchesFloatArithmetic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		hash := rapid.Uint32().Draw(t, "hash")
		total := rapid.IntRange(1, MaxTotalWeight).Draw(t, "total")
		bucket := Bucket(hash, total)
		require.Less(t, bucket, total)
		require.Equal(t, int(math.Floor(float64(hash)*float64(total)/(1<<32))), bucket)
	})
	require.Zero(t, Bucket(math.MaxUint32, 0))
	require.Zero(t, Bucket(math.MaxUint32, -3))
}

const people = 1_000_000

// chiSquare999 is the 99.9 % quantile of chi-square by degrees of freedom. The
// input is fixed, so a test that passes once passes always.
var chiSquare999 = map[int]float64{1: 10.83, 3: 16.27, 9: 27.88}

func TestDistribution(t *testing.T) {
	for _, weights := range [][]int{{1, 1}, {10, 90}, {25, 25, 25, 25}, {1, 2, 3, 4}} {
		t.Run(fmt.Sprint(weights), func(t *testing.T) {
			total := 0
			for _, weight := range weights {
				total += weight
			}
			counts := make([]int, len(weights))
			for i := range people {
				counts[ChooseArm("0197aa00-0000-7000-8000-000000000001", "s1", fmt.Sprintf("user-%d", i), weights)]++
			}
			square := 0.0
			for i, count := range counts {
				want := float64(weights[i]) / float64(total)
				require.InDelta(t, want, float64(count)/people, 0.005, "arm %d", i)
				expected := want * people
				square += (float64(count) - expected) * (float64(count) - expected) / expected
			}
			require.Less(t, square, chiSquare999[len(weights)-1])
		})
	}
}

// Two experiments must split the same people independently of each other, and
// so must two salts of one experiment.
func TestIndependence(t *testing.T) {
	type split struct{ experiment, salt string }
	pairs := [][2]split{
		{{"0197aa00-0000-7000-8000-000000000001", "s1"}, {"0197aa00-0000-7000-8000-000000000002", "s1"}},
		{{"0197aa00-0000-7000-8000-000000000001", "s1"}, {"0197aa00-0000-7000-8000-000000000001", "s2"}},
	}
	weights := []int{25, 25, 25, 25}
	for _, pair := range pairs {
		var table [4][4]int
		var rows, columns [4]int
		for i := range people {
			user := fmt.Sprintf("user-%d", i)
			a := ChooseArm(pair[0].experiment, pair[0].salt, user, weights)
			b := ChooseArm(pair[1].experiment, pair[1].salt, user, weights)
			table[a][b]++
			rows[a]++
			columns[b]++
		}
		square := 0.0
		for a := range 4 {
			for b := range 4 {
				expected := float64(rows[a]) * float64(columns[b]) / people
				square += (float64(table[a][b]) - expected) * (float64(table[a][b]) - expected) / expected
			}
		}
		require.Less(t, square, chiSquare999[9], "%v", pair)
	}
}

func TestChooseArmDoesNotAllocate(t *testing.T) {
	weights := []int{1, 1}
	require.Zero(t, testing.AllocsPerRun(100, func() {
		ChooseArm("0197aa00-0000-7000-8000-000000000001", "s1", "dev-1", weights)
	}))
}
