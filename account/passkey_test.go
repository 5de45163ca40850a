package account

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/descope/virtualwebauthn"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/internal/fault"
)

var here = virtualwebauthn.RelyingParty{ID: "svc.test", Name: "Svc", Origin: "https://svc.test"}

// key is a passkey in an authenticator of software.
type key struct {
	of   virtualwebauthn.Authenticator
	cred virtualwebauthn.Credential
}

func newPasskeyWorld(t *testing.T) (*server, *clock) {
	t.Helper()
	s, c := newSignInWorld(t)
	s.party = newRelyingParty(here.Origin)
	require.True(t, s.HasPasskeys())
	return s, c
}

func newKey(owner uuid.UUID) *key {
	return &key{
		virtualwebauthn.NewAuthenticatorWithOptions(virtualwebauthn.AuthenticatorOptions{UserHandle: owner[:]}),
		newCredential(),
	}
}

// newCredential makes a credential whose key is written in full: of a key with a coordinate that begins with a zero
// byte the package leaves that byte out, which RFC 9053 forbids and servers refuse; one of 107 is such a key.
func newCredential() virtualwebauthn.Credential {
	for {
		if c := virtualwebauthn.NewCredential(virtualwebauthn.KeyTypeEC2); len(c.Key.AttestationData()) == coseKeyBytes {
			return c
		}
	}
}

// coseKeyBytes is the length of a P-256 key in COSE with both coordinates in full.
const coseKeyBytes = 77

// begin returns what the visitor's browser is asked to make a passkey of.
func (v *visitor) beginPasskey() (*Ceremony, error) {
	var begun *Ceremony
	return begun, v.do(func(ctx context.Context) (err error) {
		begun, err = v.BeginPasskey(ctx)
		return err
	})
}

func (v *visitor) addKey(k *key, begun *Ceremony, at virtualwebauthn.RelyingParty) error {
	v.t.Helper()
	options, err := virtualwebauthn.ParseAttestationOptions(string(begun.Options))
	require.NoError(v.t, err)
	answer := virtualwebauthn.CreateAttestationResponse(at, k.of, k.cred, *options)
	return v.do(func(ctx context.Context) error {
		_, err := v.AddPasskey(ctx, begun.Token, "Laptop", []byte(answer))
		return err
	})
}

// sign answers the question of a sign-in.
func (v *visitor) sign(k *key, at virtualwebauthn.RelyingParty) (token, answer string) {
	v.t.Helper()
	begun, err := v.BeginPasskeySignIn(v.t.Context())
	require.NoError(v.t, err)
	options, err := virtualwebauthn.ParseAssertionOptions(string(begun.Options))
	require.NoError(v.t, err)
	require.Empty(v.t, options.AllowCredentials, "it says nothing of anybody")
	return begun.Token, virtualwebauthn.CreateAssertionResponse(at, k.of, k.cred, *options)
}

func (v *visitor) enterBy(token, answer string) error {
	return v.do(func(ctx context.Context) error {
		_, err := v.SignInWithPasskey(ctx, token, []byte(answer))
		return err
	})
}

// withKey is a visitor with a passkey who signed in by password.
func (s *server) withKey(email string) (*visitor, *key) {
	s.t.Helper()
	v, k := s.visitor(), newKey(s.userID(email))
	require.NoError(s.t, v.signIn(email, password))
	begun, err := v.beginPasskey()
	require.NoError(s.t, err)
	require.NoError(s.t, v.addKey(k, begun, here))
	return v, k
}

func TestAPasskeySignsIn(t *testing.T) {
	t.Parallel()
	s, c := newPasskeyWorld(t)
	v, k := s.withKey("owner@example.com")
	require.Equal(t, ByPasskey, v.method())
	other := s.visitor()
	token, answer := other.sign(k, here)
	require.NoError(t, other.enterBy(token, answer))
	require.Equal(t, ByPasskey, other.method())
	require.Equal(t, map[string]Role{"Acme": Owner}, other.roles())
	requireCode(t, fault.InvalidInput, s.visitor().enterBy(token, answer), "replayed")

	var list []*Passkey
	require.NoError(t, v.do(func(ctx context.Context) error {
		has, err := s.SecondFactor(ctx)
		list = has.Passkeys
		return err
	}))
	require.Len(t, list, 1)
	require.Equal(t, "Laptop", list[0].Name)
	require.NotNil(t, list[0].LastUsedAt)
	remove := func(ctx context.Context) error { return s.RemovePasskey(ctx, list[0].ID) }
	member := s.join("Acme", "editor@example.com", Editor)
	requireCode(t, fault.NotFound, member.do(remove), "somebody else's")
	c.at = c.at.Add(freshness + time.Second)
	requireCode(t, fault.SignInAgain, v.do(remove))
	token, answer = v.sign(k, here)
	require.NoError(t, v.enterBy(token, answer))
	require.NoError(t, v.do(remove))
	token, answer = other.sign(k, here)
	requireCode(t, fault.Unauthenticated, s.visitor().enterBy(token, answer), "removed")
	require.Equal(t, []string{
		"workspace.create", "passkey.add", "invitation.create", "invitation.accept", "passkey.remove",
	}, s.actions("Acme"))
}

// Whoever knows the password alone of somebody with another factor makes themselves none.
func TestAPasswordAloneAddsNoSecondFactor(t *testing.T) {
	t.Parallel()
	s, c := newPasskeyWorld(t)
	owner, k := s.withKey("owner@example.com")
	thief := s.visitor()
	require.NoError(t, thief.signIn("owner@example.com", password))
	_, err := thief.beginPasskey()
	require.NoError(t, err, "the password suffices everywhere")
	rule := func(rule SignInRule) {
		require.NoError(t, owner.do(func(ctx context.Context) error {
			return s.SetSignInRule(ctx, s.workspace("Acme"), rule)
		}))
	}
	rule(NeedsSecondFactor)
	require.Empty(t, thief.roles())
	changes := []func(ctx context.Context) error{
		func(ctx context.Context) error { _, err := s.BeginTOTP(ctx); return err },
		func(ctx context.Context) error { _, err := s.ConfirmTOTP(ctx, "123456"); return err },
		func(ctx context.Context) error { _, err := s.BeginPasskey(ctx); return err },
		func(ctx context.Context) error { _, err := s.AddPasskey(ctx, "", "Mine", nil); return err },
		func(ctx context.Context) error { return s.RemovePasskey(ctx, uuid.New()) },
		func(ctx context.Context) error { _, err := s.ReplaceRecoveryCodes(ctx); return err },
		func(ctx context.Context) error { return s.RemoveTOTP(ctx) },
	}
	for i, change := range changes {
		requireCode(t, fault.Forbidden, thief.do(change), i)
	}
	require.Empty(t, thief.roles())
	token, answer := thief.sign(k, here)
	require.NoError(t, thief.enterBy(token, answer), "the owner's own")
	_, err = thief.beginPasskey()
	require.NoError(t, err)

	rule(AnySignIn)
	thief = s.visitor()
	require.NoError(t, thief.signIn("owner@example.com", password))
	owner.enrol(c)
	for i, change := range changes {
		requireCode(t, fault.Forbidden, thief.do(change), i)
	}
}

func TestForgedPasskeysAreRefused(t *testing.T) {
	t.Parallel()
	s, c := newPasskeyWorld(t)
	_, k := s.withKey("owner@example.com")
	s.join("Acme", "editor@example.com", Editor)
	elsewhere := virtualwebauthn.RelyingParty{ID: "evil.test", Name: "Svc", Origin: "https://evil.test"}
	below := virtualwebauthn.RelyingParty{ID: here.ID, Name: "Svc", Origin: "https://svc.test.evil.test"}
	unseen := *k
	unseen.of.Options.UserNotVerified = true
	stranger := newKey(s.userID("owner@example.com")) // a key of its own, in somebody's name
	handed := *k
	owner := s.userID("editor@example.com")
	handed.of.Options.UserHandle = owner[:] // a good key, in somebody else's name
	nobody := *k
	nobody.of.Options.UserHandle = []byte("x")
	for name, try := range map[string]struct {
		key *key
		at  virtualwebauthn.RelyingParty
	}{
		"another site": {k, elsewhere}, "another origin": {k, below}, "not verified": {&unseen, here},
		"unknown": {stranger, here}, "another's": {&handed, here}, "nobody's": {&nobody, here},
	} {
		v := s.visitor()
		token, answer := v.sign(try.key, try.at)
		requireCode(t, fault.Unauthenticated, v.enterBy(token, answer), name)
		require.Nil(t, v.cookie, name)
	}
	v := s.visitor()
	token, answer := v.sign(k, here)
	other, _ := v.sign(k, here)
	requireCode(t, fault.Unauthenticated, v.enterBy(other, answer), "the answer to another question")
	for _, odd := range []string{"", "{}", "null", "[]", strings.Repeat("a", maxCredential+1), strings.Repeat("[", 9000)} {
		requireCode(t, fault.Unauthenticated, v.enterBy(token, odd))
	}
	for _, odd := range []string{"", ".", "a.b", token + "x", token[:len(token)-2], strings.Repeat("a", 1<<16)} {
		requireCode(t, fault.InvalidInput, v.enterBy(odd, answer))
	}
	c.at = c.at.Add(ceremonyTime + time.Second)
	requireCode(t, fault.InvalidInput, v.enterBy(token, answer), "too late")
}

func TestACopiedPasskeySignsNobodyIn(t *testing.T) {
	t.Parallel()
	s, _ := newPasskeyWorld(t)
	v, k := s.withKey("owner@example.com")
	use := func(count uint32) error {
		k.cred.Counter = count
		token, answer := v.sign(k, here)
		return s.visitor().enterBy(token, answer)
	}
	require.NoError(t, use(0), "one that does not count")
	require.NoError(t, use(0))
	require.NoError(t, use(5))
	requireCode(t, fault.Unauthenticated, use(5), "a copy")
	requireCode(t, fault.Unauthenticated, use(9), "both of them")
	require.NoError(t, v.do(func(ctx context.Context) error {
		has, err := s.SecondFactor(ctx)
		require.True(t, has.Passkeys[0].Cloned)
		return err
	}))
	require.Contains(t, s.actions("Acme"), "passkey.copied")
}

func TestPasskeysAreAddedByWhoWasAsked(t *testing.T) {
	t.Parallel()
	s, _ := newPasskeyWorld(t)
	v, k := s.withKey("owner@example.com")
	member := s.join("Acme", "editor@example.com", Editor)
	begun, err := v.beginPasskey()
	require.NoError(t, err)
	requireCode(t, fault.InvalidInput, member.addKey(newKey(s.userID("editor@example.com")), begun, here), "of another")
	begun, err = v.beginPasskey()
	require.NoError(t, err)
	elsewhere := virtualwebauthn.RelyingParty{ID: "evil.test", Name: "Svc", Origin: "https://evil.test"}
	requireCode(t, fault.InvalidInput, v.addKey(newKey(uuid.New()), begun, elsewhere))
	begun, err = v.beginPasskey()
	require.NoError(t, err)
	requireCode(t, fault.Conflict, v.addKey(k, begun, here), "it is there already")
	requireCode(t, fault.InvalidInput, v.addKey(newKey(uuid.New()), begun, here), "the question was answered")
	asked, err := v.BeginPasskeySignIn(t.Context())
	require.NoError(t, err)
	begun, err = v.beginPasskey()
	require.NoError(t, err)
	begun.Token = asked.Token
	requireCode(t, fault.InvalidInput, v.addKey(newKey(uuid.New()), begun, here), "the question of a sign-in")
	for range maxPasskeys - 1 {
		begun, err := v.beginPasskey()
		require.NoError(t, err)
		require.NoError(t, v.addKey(newKey(s.userID("owner@example.com")), begun, here))
	}
	_, err = v.beginPasskey()
	requireCode(t, fault.Conflict, err, "too many")
}

func TestPasskeysNeedAHost(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]bool{
		"https://svc.test": true, "https://svc.test:8443": true, "http://localhost:4000": true, "http://svc.test": false,
		"https://192.0.2.1": false, "http://127.0.0.1:4000": false, "https://[::1]": false, "": false, "::": false,
	} {
		require.Equal(t, want, newRelyingParty(address) != nil, address)
	}
	s, _ := newSignInWorld(t)
	v := s.visitor()
	require.NoError(t, v.signIn("owner@example.com", password))
	_, err := v.beginPasskey()
	requireCode(t, fault.Unavailable, err)
	requireCode(t, fault.Unavailable, v.enterBy("", ""))
}
