package role_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/internal/role"
)

func TestParse(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		names []string
		want  role.Set
		fails string
	}{
		{names: []string{"reports", " ingest ", "reports"}, want: role.Set{role.Ingest, role.Reports}},
		{names: []string{"resolve", "reports", "ingest"}, want: role.All()},
		{names: []string{"ingest", "report"}, fails: `"report" is no role: name one or more of ingest, resolve, reports`},
		{names: []string{"ingest", ""}, fails: `"" is no role`},
		{fails: "must name one or more of ingest, resolve, reports"},
	} {
		set, err := role.Parse(c.names)
		if c.fails != "" {
			require.ErrorContains(t, err, c.fails)
			continue
		}
		require.NoError(t, err)
		require.Equal(t, c.want, set)
	}
	require.Equal(t, role.Set{role.Resolve}, role.Set{role.Ingest, role.Reports}.Lacks())
	require.Empty(t, role.All().Lacks())
	require.False(t, role.Set{role.Ingest}.Has(role.Resolve))
}
