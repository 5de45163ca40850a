package account

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/internal/fault"
)

// ask runs a request with these headers and returns what the work returns.
func (s *server) ask(header http.Header, work func(ctx context.Context) error) (err error) {
	r := httptest.NewRequest(http.MethodPost, "/graphql", nil)
	r.Header = header
	run := func(ctx context.Context) { err = work(ctx) }
	s.handler.ServeHTTP(httptest.NewRecorder(), r.WithContext(context.WithValue(s.t.Context(), workKey{}, run)))
	return err
}

// with runs the work with a key.
func (s *server) with(secret string, work func(ctx context.Context) error) error {
	return s.ask(http.Header{"Authorization": {"Bearer " + secret}}, work)
}

// whoAmI fails when nobody makes the request.
func whoAmI(ctx context.Context) error {
	_, err := From(ctx)
	return err
}

func (s *server) key(maker string, scopes ...string) *NewKey {
	s.t.Helper()
	made, err := s.CreateKey(s.as(maker), s.workspace("Acme"), "test", scopes, nil)
	require.NoError(s.t, err)
	return made
}

// Whoever finds a key can do no more than its scopes, and nothing that outlives
// its revocation.
func TestALeakedKey(t *testing.T) {
	t.Parallel()
	s := newWorld(t)
	acme := s.workspace("Acme")
	leaked, other := s.key("owner@example.com", "analytics:read"), s.key("owner@example.com", "studio:read")
	for name, work := range map[string]func(ctx context.Context) error{
		"clone": func(ctx context.Context) error {
			_, err := s.CreateKey(ctx, acme, "clone", []string{"analytics:read"}, nil)
			return err
		},
		"revoke another":     func(ctx context.Context) error { _, err := s.RevokeKey(ctx, other.Key.ID); return err },
		"create a workspace": func(ctx context.Context) error { _, err := s.CreateWorkspace(ctx, "x"); return err },
		"rename a workspace": func(ctx context.Context) error { _, err := s.RenameWorkspace(ctx, acme, "x"); return err },
		"change a password":  func(ctx context.Context) error { return s.ChangePassword(ctx, password, "another horse") },
		"invite":             func(ctx context.Context) error { _, err := s.Invite(ctx, acme, "x@b.io", Viewer); return err },
		"accept":             func(ctx context.Context) error { _, _, err := s.AcceptInvitation(ctx, "x"); return err },
		"revoke an invitation": func(ctx context.Context) error {
			return s.RevokeInvitation(ctx, uuid.New())
		},
		"remove its maker": func(ctx context.Context) error {
			return s.RemoveMember(ctx, acme, s.userID("owner@example.com"))
		},
	} {
		requireCode(t, fault.Forbidden, s.with(leaked.Secret, work), name)
	}
	require.NoError(t, s.with(leaked.Secret, func(ctx context.Context) error {
		if _, err := Authorize(ctx, acme, AnalyticsRead); err != nil {
			return err
		}
		if err := s.SignOut(ctx); err != nil { // a key has no session to end
			return err
		}
		_, err := s.RevokeKey(ctx, leaked.Key.ID)
		return err
	}))
	requireCode(t, fault.Unauthenticated, s.with(leaked.Secret, whoAmI))
	require.Equal(t, 2, s.count(`select count(*) from api_keys`))
	require.Equal(t, 1, s.count(`select count(*) from api_keys where last_used_at is not null`))
}

// A key stops when its maker leaves, and does not wake up when they return.
func TestKeysStopWithTheirMaker(t *testing.T) {
	t.Parallel()
	s := newWorld(t)
	maker := s.join("Acme", "editor@example.com", Editor)
	key := s.key("editor@example.com", "flow:edit", "analytics:read")
	canEdit := func(ctx context.Context) error {
		_, err := Authorize(ctx, s.workspace("Acme"), FlowEdit)
		return err
	}
	require.NoError(t, s.with(key.Secret, canEdit))
	owner, acme, id := s.as("owner@example.com"), s.workspace("Acme"), s.userID("editor@example.com")
	_, err := s.ChangeRole(owner, acme, id, Viewer)
	require.NoError(t, err)
	requireCode(t, fault.Forbidden, s.with(key.Secret, canEdit))
	require.NoError(t, s.RemoveMember(owner, acme, id))
	requireCode(t, fault.Unauthenticated, s.with(key.Secret, canEdit))
	require.NoError(t, maker.accept(s.invite("owner@example.com", "Acme", "editor@example.com", Editor)))
	requireCode(t, fault.Unauthenticated, s.with(key.Secret, canEdit))
}

func TestKeysAreMadeWithinTheirMakersRights(t *testing.T) {
	t.Parallel()
	s := newWorld(t)
	s.join("Acme", "viewer@example.com", Viewer)
	acme := s.workspace("Acme")
	for name, c := range map[string]struct {
		name   string
		scopes []string
		code   fault.Code
	}{
		"no name":        {" ", []string{"analytics:read"}, fault.InvalidInput},
		"no scope":       {"k", nil, fault.InvalidInput},
		"unknown scope":  {"k", []string{"analytics:read", "world:rule"}, fault.InvalidInput},
		"a wider scope":  {"k", []string{"flow:edit"}, fault.Forbidden},
		"a scope, twice": {"k", []string{"analytics:read", "analytics:read"}, ""},
	} {
		made, err := s.CreateKey(s.as("viewer@example.com"), acme, c.name, c.scopes, nil)
		if c.code != "" {
			requireCode(t, c.code, err, name)
			continue
		}
		require.NoError(t, err)
		require.Equal(t, []string{"analytics:read"}, made.Key.Scopes)
	}
	_, err := s.CreateKey(s.as("viewer@example.com"), uuid.New(), "k", []string{"analytics:read"}, nil)
	requireCode(t, fault.NotFound, err)
	s.takeAlmostAll(keysCreated, s.userID("owner@example.com").String())
	s.key("owner@example.com", "analytics:read")
	_, err = s.CreateKey(s.as("owner@example.com"), acme, "k", []string{"analytics:read"}, nil)
	requireCode(t, fault.RateLimited, err)
}

func TestWhoRevokesAKey(t *testing.T) {
	t.Parallel()
	s := newWorld(t)
	s.join("Acme", "viewer@example.com", Viewer)
	s.create("owner@example.com", "Beta")
	s.join("Beta", "stranger@example.com", Admin)
	key, own := s.key("owner@example.com", "analytics:read"), s.key("viewer@example.com", "analytics:read")
	revoke := func(email string, key *NewKey) error {
		_, err := s.RevokeKey(s.as(email), key.Key.ID)
		return err
	}
	requireCode(t, fault.Forbidden, revoke("viewer@example.com", key))
	requireCode(t, fault.NotFound, revoke("stranger@example.com", key))
	_, err := s.RevokeKey(s.as("owner@example.com"), uuid.New())
	requireCode(t, fault.NotFound, err)
	_, err = s.RevokeKey(t.Context(), key.Key.ID)
	requireCode(t, fault.Unauthenticated, err)
	require.NoError(t, revoke("viewer@example.com", own))
	require.NoError(t, revoke("owner@example.com", own), "it is revoked already")
	require.NoError(t, revoke("owner@example.com", key))
	require.Equal(t, 2, s.count(`select count(*) from audit_entries where action = 'api_key.revoke'`))
}

// What a request carries is looked at, not guessed.
func TestIdentifyingRequests(t *testing.T) {
	t.Parallel()
	s := newWorld(t)
	key := s.key("owner@example.com", "analytics:read").Secret
	for name, c := range map[string]struct {
		header http.Header
		code   fault.Code
	}{
		"nothing":              {http.Header{}, fault.Unauthenticated},
		"a key":                {http.Header{"Authorization": {"bearer " + key}}, ""},
		"another scheme":       {http.Header{"Authorization": {"Basic " + key}}, fault.Unauthenticated},
		"a typing error":       {http.Header{"Authorization": {"Bearer " + key + "x"}}, fault.Unauthenticated},
		"an unknown key":       {http.Header{"Authorization": {"Bearer " + newSecret(KeyPrefix)}}, fault.Unauthenticated},
		"an unknown session":   {http.Header{"Cookie": {CookieName + "=x"}}, fault.Unauthenticated},
		"the site's own write": {http.Header{"Sec-Fetch-Site": {"same-origin"}}, fault.Unauthenticated},
	} {
		err := s.ask(c.header, whoAmI)
		if c.code == "" {
			require.NoError(t, err, name)
			continue
		}
		requireCode(t, c.code, err, name)
	}
	ran := false
	_ = s.ask(http.Header{"Sec-Fetch-Site": {"cross-site"}}, func(context.Context) error { ran = true; return nil })
	require.False(t, ran, "another site's write with the cookie")
	require.NoError(t, s.ask(http.Header{}, func(ctx context.Context) error {
		require.True(t, Anonymous(ctx))
		return s.SignOut(ctx)
	}))
}

func TestSessionsAndWorkspaces(t *testing.T) {
	t.Parallel()
	s := newWorld(t)
	v, elsewhere := s.visitor(), s.visitor()
	require.NoError(t, v.signIn("owner@example.com", password))
	require.NoError(t, elsewhere.signIn("owner@example.com", password))
	stolen := *v.cookie
	require.NoError(t, v.do(s.SignOut))
	v.cookie = &stolen
	requireCode(t, fault.Unauthenticated, v.do(whoAmI), "a session that ended")
	require.NoError(t, elsewhere.do(whoAmI))

	require.NoError(t, v.signIn("owner@example.com", password))
	change := func(next string) error {
		return v.do(func(ctx context.Context) error { return s.ChangePassword(ctx, password, next) })
	}
	requireCode(t, fault.InvalidInput, change("short"))
	require.NoError(t, change("another horse"))
	require.NoError(t, v.do(whoAmI))
	requireCode(t, fault.Unauthenticated, elsewhere.do(whoAmI), "other sessions end")
	requireCode(t, fault.Unauthenticated, s.visitor().signIn("a\x00@example.com", password))

	acme := s.workspace("Acme")
	renamed, err := s.RenameWorkspace(s.as("owner@example.com"), acme, " Acme Ltd ")
	require.NoError(t, err)
	require.Equal(t, "Acme Ltd", renamed.Name)
	_, err = s.RenameWorkspace(s.as("owner@example.com"), acme, "\x00")
	requireCode(t, fault.InvalidInput, err)
	_, err = s.CreateWorkspace(s.as("owner@example.com"), "")
	requireCode(t, fault.InvalidInput, err)
	_, err = s.PrincipalOf(t.Context(), "nobody@example.com")
	requireCode(t, fault.NotFound, err)
	_, err = s.SignIn(t.Context(), "owner@example.com", "another horse", "")
	require.ErrorContains(t, err, "no response", "there is nowhere to set a cookie")
}

// A database that cannot be asked is no wrong password and no missing key.
func TestADatabaseThatCannotBeAsked(t *testing.T) {
	t.Parallel()
	s := newWorld(t)
	v := s.visitor()
	require.NoError(t, v.signIn("owner@example.com", password))
	key := s.key("owner@example.com", "analytics:read").Secret
	token := s.invite("owner@example.com", "Acme", "new@example.com", Viewer)
	p := s.as("owner@example.com")
	s.db.Pool.Close()
	var known *fault.Error
	for name, err := range map[string]error{
		"session":  v.do(whoAmI),
		"key":      s.with(key, whoAmI),
		"sign in":  v.signIn("owner@example.com", password),
		"sign out": v.do(s.SignOut),
		"complete": v.complete(token),
		"anew":     s.visitor().signIn("owner@example.com", password),
		"set up":   s.visitor().complete(token),
		"decline":  func() error { _, err := s.DeclineInvitation(t.Context(), token); return err }(),
		"take":     s.countAttempt(t.Context(), failedSignIns, "x"),
		"invite":   func() error { _, err := s.Invite(p, uuid.New(), "x@b.io", Viewer); return err }(),
	} {
		require.Error(t, err, name)
		if name != "invite" { // its workspace is not the caller's: nothing is asked
			require.NotErrorAs(t, err, &known, name)
		}
	}
	s.resetAttempts(t.Context(), failedSignIns, "x") // only logged
}

func TestServersAreKnownByTheirScope(t *testing.T) {
	t.Parallel()
	s := newWorld(t)
	key := s.key("owner@example.com", "sdk:server")
	workspace, err := s.ServerWorkspace(t.Context(), key.Secret)
	require.NoError(t, err)
	require.Equal(t, s.workspace("Acme"), workspace)

	_, err = s.ServerWorkspace(t.Context(), s.key("owner@example.com", "analytics:read").Secret)
	require.True(t, fault.Is(err, fault.Forbidden), "%v", err)
	_, err = s.ServerWorkspace(t.Context(), "svc_wk_nothing")
	require.True(t, fault.Is(err, fault.Unauthenticated), "%v", err)
	_, err = s.RevokeKey(s.as("owner@example.com"), key.Key.ID)
	require.NoError(t, err)
	_, err = s.ServerWorkspace(t.Context(), key.Secret)
	require.True(t, fault.Is(err, fault.Unauthenticated), "%v", err)
}
