package privacy_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/ent"
	"github.com/svc-dev/svc/internal/fault"
	"github.com/svc-dev/svc/people/privacy"
	"github.com/svc-dev/svc/postgres/transaction"
)

func TestRetentionOfAnApp(t *testing.T) {
	w := newWorld(t)
	set := func(kind string, days *int) error {
		return transaction.Run(t.Context(), w.db.Ent(), func(tx *ent.Tx) error {
			return privacy.SetRetention(t.Context(), tx, w.app.ID, kind, days)
		})
	}
	one, most, beyond := 1, privacy.MaxRetentionDays, privacy.MaxRetentionDays+1
	require.NoError(t, set("track", &most))
	require.NoError(t, set("flow", &most))
	require.NoError(t, set("flow", &one))
	kept, err := w.privacy.Retention(t.Context(), w.app.ID)
	require.NoError(t, err)
	require.Equal(t, []privacy.Retention{{Kind: "flow", Days: 1}, {Kind: "track", Days: most}}, kept)
	require.NoError(t, set("flow", nil))
	require.True(t, fault.Is(set("flow", &beyond), fault.InvalidInput))
	require.True(t, fault.Is(set("mail", &one), fault.InvalidInput))
	kept, err = w.privacy.Retention(t.Context(), w.app.ID)
	require.NoError(t, err)
	require.Len(t, kept, 1)
}
