package runlog_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/analytics/runlog"
)

func TestTypedAnswersAreCutToCharactersAndToldApart(t *testing.T) {
	whole := strings.Repeat("é", runlog.TextUnits)
	hashes := map[[16]byte]bool{}
	for text, want := range map[string]string{"": "", "é": "é", whole: whole, whole + "a": whole, whole + "b": whole} {
		got, hash := runlog.CutText(text)
		require.Equal(t, want, got)
		hashes[hash] = true
	}
	require.Len(t, hashes, 5)
}
