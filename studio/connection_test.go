package studio_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/internal/fault"
	"github.com/svc-dev/svc/revenue"
	"github.com/svc-dev/svc/revenue/fold"
	"github.com/svc-dev/svc/studio"
)

// connect makes a connection; the secret is what is shown once.
func (w *world) connect(provider fold.Provider, stores ...string) (made revenue.Connection, secret string) {
	w.t.Helper()
	made, secret, err := w.CreateConnection(w.owner, studio.ConnectionDraft{
		AppID: w.app.ID, Provider: provider, Name: " " + string(provider) + " ", Stores: stores,
	})
	require.NoError(w.t, err)
	return made, secret
}

// A store of an app has one source, whichever provider reports it.
func TestAStoreHasOneSource(t *testing.T) {
	w := newWorld(t)
	first, secret := w.connect(fold.RevenueCat, "APP_STORE", "play_store")
	require.Equal(t, []string{"app_store", "play_store"}, first.Stores)
	require.Contains(t, secret, "Bearer svc_rc_")
	require.Equal(t, secret[len(secret)-4:], first.Secrets[0].LastFour)
	draft := studio.ConnectionDraft{AppID: w.app.ID, Provider: fold.Superwall, Name: "Other", Stores: []string{"stripe", "app_store"}}
	_, _, err := w.CreateConnection(w.owner, draft)
	refused(t, err, fault.InvalidInput, "stores.1")
	rest, none := w.connect(fold.Superwall)
	require.Equal(t, []string{"stripe", "paddle"}, rest.Stores, "what nobody reports yet")
	require.Empty(t, none, "Superwall gives its own secret")
	draft.Provider, draft.Stores = fold.Stripe, nil
	_, _, err = w.CreateConnection(w.owner, draft)
	refused(t, err, fault.InvalidInput, "stores")
	draft.Stores = []string{"roku"}
	_, _, err = w.CreateConnection(w.owner, draft)
	refused(t, err, fault.InvalidInput, "stores.0")
	draft.Name = ""
	_, _, err = w.CreateConnection(w.owner, draft)
	refused(t, err, fault.InvalidInput, "name")

	archived := made(w.ArchiveConnection(w.owner, rest.ID))(t)
	require.NotNil(t, archived.ArchivedAt)
	require.Equal(t, archived.ArchivedAt.UTC(), made(w.ArchiveConnection(w.owner, rest.ID))(t).ArchivedAt.UTC(), "once is enough")
	stripe, _ := w.connect(fold.Stripe)
	require.Equal(t, []string{"stripe"}, stripe.Stores, "its store is free again")
	require.Len(t, made(w.Connections(w.owner, w.app.ID))(t), 3)

	for _, ctx := range []context.Context{w.viewer(), w.stranger()} {
		_, err = w.Connections(ctx, w.app.ID)
		require.Error(t, err)
		_, _, err = w.CreateConnection(ctx, draft)
		require.Error(t, err)
		_, err = w.ArchiveConnection(ctx, first.ID)
		require.Error(t, err)
		_, _, err = w.AddConnectionSecret(ctx, first.ID, "")
		require.Error(t, err)
		_, err = w.RemoveConnectionSecret(ctx, first.ID, first.Secrets[0].ID)
		require.Error(t, err)
	}
	for i := range 18 {
		_, err = w.db.Pool.Exec(t.Context(), `insert into revenue_connection (id, app_id, provider, name, stores)
			values ($1, $2, 'stripe', $3, '{}')`, uuid.New(), w.app.ID, fmt.Sprint(i))
		require.NoError(t, err)
	}
	_, _, err = w.CreateConnection(w.owner, studio.ConnectionDraft{
		AppID: w.app.ID, Provider: fold.RevenueCat, Name: "More", Stores: []string{"roku"},
	})
	refused(t, err, fault.InvalidInput, "appId")
}

// Secrets are added and removed one by one, are in no audit entry, and are stored encrypted.
func TestSecretsOfAConnectionRotate(t *testing.T) {
	w := newWorld(t)
	c, _ := w.connect(fold.Superwall)
	for _, wrong := range []string{"", "whsec_short", "whsec_not base64 at all!!!!"} {
		_, _, err := w.AddConnectionSecret(w.owner, c.ID, wrong)
		refused(t, err, fault.InvalidInput, "secret")
	}
	const secret = "whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIz"
	added, shown, err := w.AddConnectionSecret(w.owner, c.ID, secret)
	require.NoError(t, err)
	require.Empty(t, shown, "whoever gave it knows it")
	require.Len(t, added.Secrets, 1)
	var leaks int
	require.NoError(t, w.db.Pool.QueryRow(t.Context(), `
		select (select count(*) from revenue_connection_secret s where position('MDEyMzQ1'::bytea in sealed) > 0)
			+ (select count(*) from audit_entries a where a::text like '%MDEyMzQ1%')`).Scan(&leaks))
	require.Zero(t, leaks)

	rc, first := w.connect(fold.RevenueCat, "roku")
	_, second, err := w.AddConnectionSecret(w.owner, rc.ID, "")
	require.NoError(t, err)
	require.NotEqual(t, first, second)
	for range 2 {
		_, _, err = w.AddConnectionSecret(w.owner, rc.ID, "")
		require.NoError(t, err)
	}
	_, _, err = w.AddConnectionSecret(w.owner, rc.ID, "")
	refused(t, err, fault.InvalidInput, "id")
	left := made(w.RemoveConnectionSecret(w.owner, rc.ID, rc.Secrets[0].ID))(t)
	require.Len(t, left.Secrets, 3)
	_, err = w.RemoveConnectionSecret(w.owner, rc.ID, rc.Secrets[0].ID)
	refused(t, err, fault.NotFound, "")
	_, err = w.ArchiveConnection(w.owner, uuid.New())
	refused(t, err, fault.NotFound, "")
}

func TestMapRevenue(t *testing.T) {
	w := newWorld(t)
	page := made(w.UnmappedRevenue(w.owner, w.app.ID, studio.Live, "", 10))(t)
	require.Empty(t, page.List)
	require.NoError(t, w.MapRevenue(w.owner, w.app.ID, studio.Live, fold.Stripe, "sub_1", "phone"))
	refused(t, w.MapRevenue(w.owner, w.app.ID, studio.Live, fold.Stripe, "", "phone"), fault.InvalidInput, "subject")
	entries := w.db.Ent().AuditEntry.Query().AllX(w.owner)
	last := entries[len(entries)-1]
	require.Equal(t, "revenue.map", last.Action)
	require.Equal(t, "sub_1", last.Subject)
	require.NotContains(t, fmt.Sprint(last.Detail), "phone")
	viewer := w.viewer()
	refused(t, w.MapRevenue(viewer, w.app.ID, studio.Live, fold.Stripe, "sub_1", "phone"), fault.Forbidden, "")
	_, err := w.UnmappedRevenue(viewer, w.app.ID, studio.Live, "", 10)
	refused(t, err, fault.Forbidden, "")

	none := studio.New(w.db.Ent(), studio.Options{})
	_, err = none.Connections(w.owner, w.app.ID)
	refused(t, err, fault.Unavailable, "")
	_, err = none.UnmappedRevenue(w.owner, w.app.ID, studio.Live, "", 10)
	refused(t, err, fault.Unavailable, "")
	refused(t, none.MapRevenue(w.owner, w.app.ID, studio.Live, fold.Stripe, "sub_1", ""), fault.Unavailable, "")
	_, _, err = none.AddConnectionSecret(w.owner, uuid.New(), "")
	refused(t, err, fault.Unavailable, "")
	_, _, err = none.CreateConnection(w.owner, studio.ConnectionDraft{AppID: w.app.ID, Provider: fold.Stripe, Name: "S"})
	refused(t, err, fault.Unavailable, "")
}

// What is mapped by hand and the entry that says so are committed together.
func TestAMappingIsCommittedWithItsAuditEntry(t *testing.T) {
	w := newWorld(t)
	mapped := func() (mappings, entries int) {
		require.NoError(t, w.db.Pool.QueryRow(t.Context(), `select (select count(*) from revenue_mapping),
			(select count(*) from audit_entries where action = 'revenue.map' and user_id is not null)`,
		).Scan(&mappings, &entries))
		return mappings, entries
	}
	_, err := w.db.Pool.Exec(t.Context(), `alter table audit_entries add constraint none check (action <> 'revenue.map')`)
	require.NoError(t, err)
	say := func() error { return w.MapRevenue(w.owner, w.app.ID, "live", fold.Stripe, "sub_1", "dev-1") }
	require.Error(t, say())
	mappings, entries := mapped()
	require.Zero(t, mappings+entries)
	_, err = w.db.Pool.Exec(t.Context(), `alter table audit_entries drop constraint none`)
	require.NoError(t, err)
	require.NoError(t, say())
	mappings, entries = mapped()
	require.Equal(t, [2]int{1, 1}, [2]int{mappings, entries})
}
