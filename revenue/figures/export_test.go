package figures

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
)

// ReadInPortions lets an environment be read in the smallest portions, and returns how many there are.
func (l *Ledgers) ReadInPortions(t *testing.T, environment int64) (n int) {
	t.Helper()
	l.large[environment] = time.Now()
	l.portion = 1
	require.NoError(t, l.eachPortion(t.Context(), environment, needs{}, func(*replica) { n++ }))
	return n
}

// Waiting returns how many questions of a workspace wait for their turn to be read.
func (l *Ledgers) Waiting(workspace uuid.UUID) int { return l.loading.Waiting(workspace) }
