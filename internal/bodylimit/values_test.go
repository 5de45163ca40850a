package bodylimit_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/internal/bodylimit"
)

func TestCountValues(t *testing.T) {
	t.Parallel()
	for text, count := range map[string]int{`[1,2,3]`: 4, `"a,b\"c,[d\\"`: 1, `{"a\\\"":{},"b":[]},"c`: 6, `"\\",1`: 2} {
		require.Equal(t, count, bodylimit.CountValues([]byte(text)), text)
	}
	require.Equal(t, 5, bodylimit.CountValues([]byte(`{"query":"{a}","variables":{"t":"],[\"{,"},"other":1}`)))
}
