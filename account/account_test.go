package account

import (
	"context"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/ent/user"
	"github.com/svc-dev/svc/internal/fault"
	"github.com/svc-dev/svc/postgres/pgtest"
)

func TestSecretsCarryAChecksum(t *testing.T) {
	secret := newSecret(KeyPrefix)
	require.True(t, isSecretOf(KeyPrefix, secret))
	require.False(t, isSecretOf(setupPrefix, secret))
	for i := range secret {
		replaced := "x"
		if secret[i] == 'x' {
			replaced = "y"
		}
		require.False(t, isSecretOf(KeyPrefix, secret[:i]+replaced+secret[i+1:]), "one wrong character at %d", i)
	}
	require.False(t, isSecretOf(KeyPrefix, secret[:len(secret)-1]))
	require.NotEqual(t, secret, newSecret(KeyPrefix))
}

// The matrix, as docs/roles.md tells it.
func TestRolesGrow(t *testing.T) {
	counts := map[Role]int{}
	for _, role := range []Role{Viewer, Editor, Admin, Owner} {
		counts[role] = len(Capabilities(role))
	}
	require.Equal(t, map[Role]int{Viewer: 4, Editor: 12, Admin: 22, Owner: 22}, counts)
	for _, capability := range Capabilities(Viewer) {
		require.True(t, Allows(Editor, capability))
		require.True(t, Allows(Admin, capability))
	}
	require.False(t, Allows(Viewer, FlowEdit))
	require.False(t, Allows(Editor, AppManage))
	require.False(t, Allows("nobody", AnalyticsRead))
}

func TestAuthorize(t *testing.T) {
	home, away := uuid.New(), uuid.New()
	key := uuid.New()
	person := &Principal{roles: map[uuid.UUID]Role{home: Editor}}
	program := &Principal{
		KeyID: &key, roles: map[uuid.UUID]Role{home: Admin}, scopes: []Capability{AnalyticsRead, AppManage},
	}
	refused := withFailure(context.Background(), fault.New(fault.Unauthenticated, "x"))
	for name, step := range map[string]struct {
		ctx        context.Context
		workspace  uuid.UUID
		capability Capability
		code       fault.Code
	}{
		"nobody":                {context.Background(), home, AnalyticsRead, fault.Unauthenticated},
		"another workspace":     {With(context.Background(), person), away, AnalyticsRead, fault.NotFound},
		"role allows":           {With(context.Background(), person), home, FlowEdit, ""},
		"role lacks":            {With(context.Background(), person), home, AppManage, fault.Forbidden},
		"scope allows":          {With(context.Background(), program), home, AppManage, ""},
		"scope lacks":           {With(context.Background(), program), home, FlowEdit, fault.Forbidden},
		"authentication failed": {refused, home, FlowEdit, fault.Unauthenticated},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Authorize(step.ctx, step.workspace, step.capability)
			if step.code == "" {
				require.NoError(t, err)
				return
			}
			require.True(t, fault.Is(err, step.code), "%v", err)
		})
	}
	for want, who := range map[fault.Code][]*Principal{
		"": {person}, fault.Forbidden: {program, Operator()}, fault.Unauthenticated: {nil},
	} {
		for _, p := range who {
			err := RequirePerson(With(context.Background(), p))
			require.Equal(t, want == "", err == nil)
			require.True(t, err == nil || fault.Is(err, want), "%v", err)
		}
	}
	require.ElementsMatch(t, []Capability{AnalyticsRead, AppManage}, program.Capabilities(home))
}

// The first administrator exists once, however many servers start at once; a
// set-up link stands in for a missing password.
func TestBootstrap(t *testing.T) {
	db := pgtest.New(t)
	ctx := context.Background()
	accounts := New(db.Ent(), db.Pool, Options{})
	first, err := accounts.Bootstrap(ctx, "", "", "")
	require.NoError(t, err)
	require.True(t, isSecretOf(setupPrefix, first))
	second, err := accounts.Bootstrap(ctx, "", "", "")
	require.NoError(t, err)
	require.NotEqual(t, first, second)
	_, err = accounts.CompleteSetup(ctx, SetupInput{Token: first, Email: "a@example.com", Password: "correct horse"})
	require.True(t, fault.Is(err, fault.InvalidInput), "an earlier link stopped working: %v", err)

	errs := make(chan error, 4)
	for range 4 {
		go func() {
			_, err := accounts.Bootstrap(ctx, "Boss@Example.com", "correct horse", "Acme")
			errs <- err
		}()
	}
	for range 4 {
		require.NoError(t, <-errs)
	}
	people, err := db.Ent().User.Query().Where(user.Email("boss@example.com")).WithMemberships().All(ctx)
	require.NoError(t, err)
	require.Len(t, people, 1)
	require.Equal(t, Owner, people[0].Edges.Memberships[0].Role)
	_, err = accounts.CompleteSetup(ctx, SetupInput{Token: second, Email: "late@example.com", Password: "correct horse"})
	require.True(t, fault.Is(err, fault.InvalidInput), "the first administrator came another way: %v", err)
	none, err := accounts.Bootstrap(ctx, "", "", "")
	require.NoError(t, err)
	require.Empty(t, none)

	_, err = New(pgtest.New(t).Ent(), db.Pool, Options{}).Bootstrap(ctx, "not an address", "correct horse", "")
	require.ErrorContains(t, err, "email")
}

// An expired session is none, whether it is still in the table or not.
func TestSessionsEnd(t *testing.T) {
	s := newWorld(t)
	store := sessionStore{s.pool}
	user := s.userID("owner@example.com")
	ctx := context.WithValue(t.Context(), sessionRowKey{}, sessionRow{id: uuid.New(), user: user})
	require.Error(t, store.CommitCtx(t.Context(), "new", []byte("x"), time.Now()), "nobody's")
	require.NoError(t, store.CommitCtx(ctx, "old", []byte("x"), time.Now().Add(-time.Minute)))
	ctx = context.WithValue(t.Context(), sessionRowKey{}, sessionRow{id: uuid.New(), user: user})
	require.NoError(t, store.CommitCtx(ctx, "new", []byte("x"), time.Now().Add(time.Minute)))
	_, found, err := store.FindCtx(ctx, "old")
	require.NoError(t, err)
	require.False(t, found)
	data, found, err := store.FindCtx(ctx, "new")
	require.NoError(t, err)
	require.True(t, found)
	require.Equal(t, []byte("x"), data)
	require.NoError(t, store.DeleteCtx(ctx, "new"))
	_, found, err = store.FindCtx(ctx, "new")
	require.NoError(t, err)
	require.False(t, found)
}
