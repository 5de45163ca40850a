package account

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/internal/fault"
	"github.com/svc-dev/svc/postgres/pgtest"
)

func TestSetupLinksAreLookedUpWithoutUsingThem(t *testing.T) {
	ctx, now, db := context.Background(), time.Now(), pgtest.New(t)
	a := New(db.Ent(), db.Pool, Options{Now: func() time.Time { return now }})
	token, err := a.Bootstrap(ctx, "", "", "")
	require.NoError(t, err)
	for range 2 {
		link, err := a.SetupLink(ctx, token)
		require.NoError(t, err)
		require.Equal(t, &SetupLink{FirstAdministrator: true}, link)
	}
	newer, err := a.Bootstrap(ctx, "", "", "")
	require.NoError(t, err)
	_, err = a.SetupLink(ctx, token)
	require.True(t, fault.Is(err, fault.NotFound), "only the newest link works")
	_, err = a.SetupLink(ctx, "svc_setup_x")
	require.True(t, fault.Is(err, fault.NotFound))
	now = now.Add(setupLifetime + time.Second)
	_, err = a.SetupLink(ctx, newer)
	require.True(t, fault.Is(err, fault.NotFound), "expired")

	_, err = a.Bootstrap(ctx, "owner@example.com", "correct horse", "Acme")
	require.NoError(t, err)
	owner, err := a.PrincipalOf(ctx, "owner@example.com")
	require.NoError(t, err)
	invitation, err := a.Invite(With(ctx, owner), owner.Workspaces()[0], "new@example.com", Editor)
	require.NoError(t, err)
	link, err := a.SetupLink(ctx, invitation.SetupToken)
	require.NoError(t, err)
	require.Equal(t, &SetupLink{
		Email: "new@example.com", WorkspaceName: "Acme", Role: Editor, InvitedBy: "owner@example.com",
	}, link)
}
