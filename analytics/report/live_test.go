package report

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPlacesBeyondTheLimitAreCountedAtTheUnknownPlace(t *testing.T) {
	t.Parallel()
	places := []LivePlace{
		{City: "a", Visitors: 5}, {Visitors: 2}, {City: "b", Visitors: 1}, {City: "c", Visitors: 1}, {City: "d", Visitors: 1},
	}
	require.Equal(t, places, boundPlaces(places, 5))
	require.Equal(t, []LivePlace{
		{City: "a", Visitors: 5}, {Visitors: 3}, {City: "b", Visitors: 1}, {City: "c", Visitors: 1},
	},
		boundPlaces(places, 4))
	require.Equal(t, []LivePlace{{Visitors: 5}, {City: "a", Visitors: 5}}, boundPlaces(places, 2))
}
