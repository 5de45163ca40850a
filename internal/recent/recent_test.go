package recent

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMemoryHasWhatWasAdded(t *testing.T) {
	m := New()
	require.Nil(t, m.places.Load(), "an empty memory takes no room")
	require.False(t, m.Has(m.Mark("ada", 1)))
	m.Add(m.Mark("ada", 1, 2))
	require.True(t, m.Has(m.Mark("ada", 1, 2)))
	m.Remove(m.Mark("ada", 1)) // of another's place, or none
	require.True(t, m.Has(m.Mark("ada", 1, 2)))
	m.Add(m.Mark("eve", 3))
	m.Remove(m.Mark("eve", 3))
	require.False(t, m.Has(m.Mark("eve", 3)))
	for _, other := range []Mark{m.Mark("ada", 1), m.Mark("ada", 2, 1), m.Mark("ben", 1, 2), New().Mark("ada", 1, 2)} {
		require.False(t, m.Has(other))
	}
}

// A memory that is full forgets, and never has what was not added.
func TestMemoryOnlyForgets(t *testing.T) {
	m := New()
	const added = 3 << bits
	for i := range uint64(added) {
		m.Add(m.Mark("ada", i))
	}
	kept := 0
	for i := range uint64(added) {
		if m.Has(m.Mark("ada", i)) {
			kept++
		}
		if m.Has(m.Mark("ben", i)) {
			t.Fatal("it has what was not added")
		}
	}
	require.Greater(t, kept, (1<<bits)/2)
	require.LessOrEqual(t, kept, 1<<bits)
}

func TestMarksAllocateNothing(t *testing.T) {
	m, text := New(), "0197aa00-0000-7000-8000-000000000001"
	m.Add(m.Mark(text, 7, 9))
	require.Zero(t, testing.AllocsPerRun(100, func() { m.Has(m.Mark(text, 7, 9)) }))
}
