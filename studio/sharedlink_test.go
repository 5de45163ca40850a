package studio_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/internal/fault"
	"github.com/svc-dev/svc/studio"
)

func TestSharedLinksAreMadeAndRevoked(t *testing.T) {
	w := newWorld(t)
	draft := func(change func(d *studio.SharedLinkDraft)) studio.SharedLinkDraft {
		d := studio.SharedLinkDraft{
			App: w.app.ID, Environment: studio.Live, Name: "Board", Reports: []string{"HOME", "HOME", "GOALS"},
			Scope: studio.ViewScope{Comparison: "PREVIOUS"},
		}
		change(&d)
		return d
	}
	create := func(ctx context.Context, d studio.SharedLinkDraft) (*studio.NewSharedLink, error) {
		return w.CreateSharedLink(ctx, d, w.accounts.HashLinkPassword)
	}
	link := made(create(w.owner, draft(func(d *studio.SharedLinkDraft) { d.FrameOrigins = []string{"*"} })))(t)
	require.Equal(t, []string{"HOME", "GOALS"}, link.Link.Reports)
	require.NotContains(t, string(link.Link.Hash), link.Token)
	fixed := made(studio.ReadFixedScope(link.Link.Scope))(t)
	require.Equal(t, "PREVIOUS", fixed.Comparison)
	require.Empty(t, fixed.Filters)

	for field, change := range map[string]func(d *studio.SharedLinkDraft){
		"name":             func(d *studio.SharedLinkDraft) { d.Name = " " },
		"reports":          func(d *studio.SharedLinkDraft) { d.Reports = nil },
		"scope.comparison": func(d *studio.SharedLinkDraft) { d.Scope.Comparison = "SEGMENT" },
		"expiresAt":        func(d *studio.SharedLinkDraft) { d.ExpiresAt = ptr(w.now.Add(-time.Minute)) },
		"frameOrigins":     func(d *studio.SharedLinkDraft) { d.FrameOrigins = []string{"javascript:alert(1)"} },
		"password":         func(d *studio.SharedLinkDraft) { d.Password = ptr("short") },
	} {
		_, err := create(w.owner, draft(change))
		require.ErrorContains(t, err, field)
	}
	same := draft(func(*studio.SharedLinkDraft) {})
	_, err := create(w.viewer(), same)
	refused(t, err, fault.Forbidden, "")
	stranger := w.stranger()
	_, err = create(stranger, same)
	refused(t, err, fault.NotFound, "")
	_, err = w.RevokeSharedLink(stranger, link.Link.ID)
	refused(t, err, fault.NotFound, "")
	require.NotNil(t, made(w.RevokeSharedLink(w.owner, link.Link.ID))(t).RevokedAt)
	require.NotNil(t, made(w.RevokeSharedLink(w.owner, link.Link.ID))(t).RevokedAt, "twice is as once")
}
