package bymail_test

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/automation/notification/bymail"
)

func TestLinksForANewPasswordComeByEmail(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	require.True(t, w.Sends())
	w.SendPasswordReset(t.Context(), w.user)
	require.Eventually(t, func() bool { return len(w.letters(bymail.Reset)) == 1 }, 10*time.Second, 10*time.Millisecond)
	m := w.last(bymail.Reset)
	require.Equal(t, "owner@example.com", m.To)
	require.Contains(t, m.Text, baseURL+"/reset-password?token=")
	require.NoError(t, w.Accounts.ResetPassword(t.Context(), token.FindStringSubmatch(m.Text)[1], "another horse"))

	w.exec(`update mail_outbox set created_at = now() - interval '2 hours'`)
	require.Nil(t, w.last(bymail.Reset), "nobody waits for it any more")
	letter := w.letters(bymail.Reset)[0]
	letter.UserID, letter.CreatedAt = uuid.New(), time.Now()
	m, err := w.Writers()[bymail.Reset](t.Context(), letter)
	require.NoError(t, err)
	require.Nil(t, m, "the account is gone")

	w.Sender = nil
	require.False(t, w.Sends())
	w.SendPasswordReset(t.Context(), w.user)
	require.Len(t, w.letters(bymail.Reset), 1, "a server that sends no email")
}
