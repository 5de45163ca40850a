package bymail_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/account"
	"github.com/svc-dev/svc/automation/notification/bymail"
)

func TestInvitationsComeByEmail(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	made, err := w.Accounts.Invite(w.owner, w.workspace, "new@example.com", account.Editor)
	require.NoError(t, err)
	require.NoError(t, w.SendInvitation(t.Context(), made.Invitation))
	require.NoError(t, w.SendInvitation(t.Context(), made.Invitation), "once")
	require.Len(t, w.letters(bymail.Invitation), 1)
	m := w.last(bymail.Invitation)
	require.Equal(t, "new@example.com", m.To)
	require.NotContains(t, m.HTML, "<b>Acme")
	require.NotContains(t, m.Subject, "<")
	require.Contains(t, m.Text, "owner@example.com invites you")
	mailed := token.FindStringSubmatch(m.Text)[1]
	require.NotEqual(t, made.SetupToken, mailed, "the token of the inviter is kept as a hash only")
	for _, link := range []string{made.SetupToken, mailed} {
		found, err := w.Accounts.SetupLink(t.Context(), link)
		require.NoError(t, err)
		require.Equal(t, "new@example.com", found.Email)
	}

	// An attempt that is made again has a token of its own, and ends that of the attempt before.
	again := token.FindStringSubmatch(w.last(bymail.Invitation).Text)[1]
	_, err = w.Accounts.SetupLink(t.Context(), mailed)
	missing(t, err)
	_, err = w.Accounts.DeclineInvitation(t.Context(), again)
	require.NoError(t, err)
	for _, link := range []string{made.SetupToken, again} {
		_, err = w.Accounts.SetupLink(t.Context(), link)
		missing(t, err)
	}
	require.Nil(t, w.last(bymail.Invitation), "it has ended")

	w.Sender = nil
	made, err = w.Accounts.Invite(w.owner, w.workspace, "other@example.com", account.Editor)
	require.NoError(t, err)
	require.NoError(t, w.SendInvitation(t.Context(), made.Invitation))
	require.Len(t, w.letters(bymail.Invitation), 1, "a server that sends no email")
}
