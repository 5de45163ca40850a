package account

import (
	"context"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/ent"
	"github.com/svc-dev/svc/internal/fault"
)

// sharedLink stores a link of a new app and returns its token and its app.
func (s *server) sharedLink(passwordHash string) (token string, app uuid.UUID) {
	s.t.Helper()
	app = uuid.New()
	_, err := s.pool.Exec(s.t.Context(), `
		insert into apps (id, name, allowed_origins, integrations, canvas_gates, workspace_id)
		select $1, 'Shop', '[]', '{}', '{}', id from workspaces where name = 'Acme'`, app)
	require.NoError(s.t, err)
	token, hash := NewLinkToken()
	_, err = s.pool.Exec(s.t.Context(), `
		with env as (insert into environments (kind, app_id) values ('live', $1) returning id)
		insert into shared_links (id, name, hash, password_hash, reports, scope, frame_origins, environment_id, user_id)
		select gen_random_uuid(), 'Board', $2, $3, '["HOME"]', '{}', '["https://example.com"]', env.id, users.id
		from env, users limit 1`, app, hash, passwordHash)
	require.NoError(s.t, err)
	return token, app
}

func TestSharedLinksLetReadersIn(t *testing.T) {
	t.Parallel()
	s, _ := newSignInWorld(t)
	token, app := s.sharedLink("")
	reader, err := s.byKey(t.Context(), token)
	require.NoError(t, err)
	require.Equal(t, app, reader.Link().App)
	require.Equal(t, []string{"HOME"}, reader.Link().Reports)
	require.Equal(t, app, LinkOf(With(t.Context(), reader)).App)
	require.Nil(t, LinkOf(t.Context()))
	require.False(t, reader.Can(uuid.New(), AnalyticsRead))
	require.Equal(t, 1, s.count(`select count(*) from shared_links where last_opened_at is not null`))
	_, err = s.byKey(t.Context(), token)
	require.NoError(t, err)
	origins, err := s.FrameOrigins(t.Context(), token)
	require.NoError(t, err)
	require.Equal(t, []string{"https://example.com"}, origins)
	_, err = s.OpenLink(t.Context(), token, "guess")
	requireCode(t, fault.InvalidInput, err)

	other, _ := NewLinkToken()
	for _, wrong := range []string{other, LinkPrefix, token + "x"} {
		_, err := s.byKey(t.Context(), wrong)
		requireCode(t, fault.Unauthenticated, err, wrong)
		origins, err := s.FrameOrigins(t.Context(), wrong)
		require.NoError(t, err)
		require.Empty(t, origins)
		_, err = s.OpenLink(t.Context(), wrong, "x")
		requireCode(t, fault.NotFound, err)
	}
	for _, end := range []string{"revoked_at = now()", "revoked_at = null, expires_at = now() - interval '1 hour'"} {
		_, err := s.pool.Exec(t.Context(), `update shared_links set `+end)
		require.NoError(t, err)
		_, err = s.byKey(t.Context(), token)
		requireCode(t, fault.Unauthenticated, err, end)
	}
}

func TestSharedLinksWithAPassword(t *testing.T) {
	t.Parallel()
	s, c := newSignInWorld(t)
	_, err := s.HashLinkPassword(t.Context(), "short")
	requireCode(t, fault.InvalidInput, err)
	hash, err := s.HashLinkPassword(t.Context(), "correct horse")
	require.NoError(t, err)
	token, _ := s.sharedLink(hash)
	_, err = s.byKey(t.Context(), token)
	requireCode(t, fault.Forbidden, err)
	_, err = s.OpenLink(t.Context(), token, "wrong horse")
	requireCode(t, fault.InvalidInput, err)
	key, err := s.OpenLink(t.Context(), token, "correct horse")
	require.NoError(t, err)
	require.WithinDuration(t, c.at.Add(linkKeyTime), key.ExpiresAt, time.Second)
	_, err = s.byKey(t.Context(), key.Key)
	require.NoError(t, err)
	for _, forged := range []string{token + ".9999999999." + key.Key[len(key.Key)-64:], key.Key + "0", token + "..."} {
		_, err = s.byKey(t.Context(), forged)
		requireCode(t, fault.Forbidden, err, forged)
	}
	c.at = key.ExpiresAt.Add(time.Second)
	_, err = s.byKey(t.Context(), key.Key)
	requireCode(t, fault.Forbidden, err, "its time is over")
	limited := false
	for range 12 {
		_, err := s.OpenLink(t.Context(), token, "wrong horse")
		limited = limited || fault.Is(err, fault.RateLimited)
	}
	require.True(t, limited)
	_, err = s.pool.Exec(t.Context(), `update shared_links set expires_at = $1`, c.at.Add(time.Hour))
	require.NoError(t, err)
}

func TestRulesMakersAndMailsOfAccounts(t *testing.T) {
	t.Parallel()
	s, _ := newSignInWorld(t)
	owner := s.userID("owner@example.com")
	workspace := uuid.UUID{}
	require.NoError(t, s.pool.QueryRow(t.Context(), `select id from workspaces`).Scan(&workspace))
	v := s.visitor()
	require.NoError(t, v.signIn("owner@example.com", password))
	require.NoError(t, v.do(func(ctx context.Context) error {
		rule, err := s.SignInRuleOf(ctx, workspace)
		require.Equal(t, AnySignIn, rule)
		return err
	}))
	require.NoError(t, v.do(func(ctx context.Context) error {
		p, err := s.Reidentify(ctx)
		require.Equal(t, owner, p.UserID)
		return err
	}))
	_, err := s.SignInRuleOf(t.Context(), workspace)
	requireCode(t, fault.Unauthenticated, err)
	can := func(client *ent.Client, maker uuid.UUID) bool {
		can, err := MakerCan(t.Context(), client, workspace, maker, nil, StudioRead)
		require.NoError(t, err)
		return can
	}
	require.True(t, can(s.client, owner))
	require.False(t, can(s.client, uuid.New()))
	var limited error
	for range 200 {
		if limited = s.CountMail(t.Context(), owner); limited != nil {
			break
		}
	}
	requireCode(t, fault.RateLimited, limited)
}
