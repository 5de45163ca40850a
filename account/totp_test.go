package account

import (
	"bytes"
	"context"
	"encoding/base64"
	"image/png"
	"strings"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/internal/fault"
	"github.com/svc-dev/svc/internal/seal"
	"github.com/svc-dev/svc/postgres/pgtest"
)

// clock is a time that a test moves.
type clock struct{ at time.Time }

func (c *clock) now() time.Time { return c.at }

// newSignInWorld is newWorld with secrets and a clock.
func newSignInWorld(t *testing.T) (*server, *clock) {
	t.Helper()
	ring, err := seal.NewRing(seal.Key{ID: "a", Secret: bytes.Repeat([]byte{1}, seal.KeySize)})
	require.NoError(t, err)
	c := &clock{time.Now()}
	s := newServer(t, pgtest.New(t), Options{Ring: ring, Now: c.now})
	_, err = s.Bootstrap(t.Context(), "owner@example.com", password, "Acme")
	require.NoError(t, err)
	return s, c
}

func (v *visitor) signInWith(email, password, code string) error {
	return v.do(func(ctx context.Context) error {
		_, err := v.SignIn(ctx, email, password, code)
		return err
	})
}

// enrol adds an authenticator app to a visitor who is signed in.
func (v *visitor) enrol(c *clock) (secret string, codes []string) {
	v.t.Helper()
	require.NoError(v.t, v.do(func(ctx context.Context) error {
		begun, err := v.BeginTOTP(ctx)
		if err == nil {
			secret = begun.Secret
		}
		return err
	}))
	require.NoError(v.t, v.do(func(ctx context.Context) (err error) {
		codes, err = v.ConfirmTOTP(ctx, codeAt(v.t, secret, c.at))
		return err
	}))
	return secret, codes
}

func codeAt(t *testing.T, secret string, at time.Time) string {
	t.Helper()
	code, err := totp.GenerateCode(secret, at)
	require.NoError(t, err)
	return code
}

func (v *visitor) method() (m Method) {
	v.t.Helper()
	require.NoError(v.t, v.do(func(ctx context.Context) error {
		p, err := From(ctx)
		if err == nil {
			m = p.method
		}
		return err
	}))
	return m
}

func TestAPasswordAloneSignsNobodyInWhoHasAnAuthenticatorApp(t *testing.T) {
	t.Parallel()
	s, c := newSignInWorld(t)
	v := s.visitor()
	require.NoError(t, v.signIn("owner@example.com", password))
	require.Equal(t, ByPassword, v.method())
	before := v.cookie.Value
	secret, codes := v.enrol(c)
	require.Len(t, codes, recoveryCodes)
	require.Equal(t, ByCode, v.method(), "the session goes on, as one of two factors")
	require.NotEqual(t, before, v.cookie.Value, "under another token")

	other := s.visitor()
	requireCode(t, fault.SecondFactor, other.signIn("owner@example.com", password))
	require.Nil(t, other.cookie)
	requireCode(t, fault.Unauthenticated, other.signInWith("owner@example.com", "wrong horse", codes[0]))
	requireCode(t, fault.Unauthenticated, other.signInWith("owner@example.com", password, codeAt(t, secret, c.at)),
		"the code of the enrolment is used up")
	c.at = c.at.Add(2 * time.Minute)
	requireCode(t, fault.Unauthenticated,
		other.signInWith("owner@example.com", password, codeAt(t, secret, c.at.Add(-time.Minute))), "too old")
	code := codeAt(t, secret, c.at)
	require.NoError(t, other.signInWith("owner@example.com", password, code[:3]+" "+code[3:]))
	require.Equal(t, ByCode, other.method())
	third := s.visitor()
	requireCode(t, fault.Unauthenticated, third.signInWith("owner@example.com", password, code), "replayed")
	requireCode(t, fault.Unauthenticated,
		third.signInWith("owner@example.com", password, codeAt(t, secret, c.at.Add(-30*time.Second))),
		"a code of before one that was used")
}

func TestOfManyAtOnceOneUsesACode(t *testing.T) {
	t.Parallel()
	s, c := newSignInWorld(t)
	v := s.visitor()
	require.NoError(t, v.signIn("owner@example.com", password))
	secret, codes := v.enrol(c)
	c.at = c.at.Add(time.Minute)
	for _, code := range []string{codeAt(t, secret, c.at), codes[3]} {
		entered := 0
		for _, err := range atOnce(5, func(int) error {
			return s.visitor().signInWith("owner@example.com", password, code)
		}) {
			if err == nil {
				entered++
			}
		}
		require.Equal(t, 1, entered)
	}
}

func TestRecoveryCodesWorkOnceAndAreReplaced(t *testing.T) {
	t.Parallel()
	s, c := newSignInWorld(t)
	v := s.visitor()
	require.NoError(t, v.signIn("owner@example.com", password))
	_, codes := v.enrol(c)
	other := s.visitor()
	require.NoError(t, other.signInWith("owner@example.com", password, strings.ToUpper(codes[0])))
	requireCode(t, fault.Unauthenticated, other.signInWith("owner@example.com", password, codes[0]))
	require.NoError(t, other.do(func(ctx context.Context) error {
		has, err := s.SecondFactor(ctx)
		require.NoError(t, err)
		require.Equal(t, recoveryCodes-1, has.RecoveryCodesLeft)
		require.NotNil(t, has.TOTPSince)
		fresh, err := s.ReplaceRecoveryCodes(ctx)
		require.Len(t, fresh, recoveryCodes)
		require.NotContains(t, fresh, codes[1])
		return err
	}))
	requireCode(t, fault.Unauthenticated, s.visitor().signInWith("owner@example.com", password, codes[1]))
	require.NoError(t, v.do(s.RemoveTOTP))
	require.NoError(t, s.visitor().signIn("owner@example.com", password))
	requireCode(t, fault.NotFound, v.do(s.RemoveTOTP))
	requireCode(t, fault.NotFound, v.do(func(ctx context.Context) error {
		_, err := s.ReplaceRecoveryCodes(ctx)
		return err
	}))
	require.Equal(t, 0, s.count(`select count(*) from recovery_code`))
	require.Equal(t, []string{"workspace.create", "totp.add", "recovery_codes.replace", "totp.remove"}, s.actions("Acme"))
}

// Who has the password guesses codes at the pace of the limit, whoever else signs in rightly meanwhile.
func TestCodesAreGuessedSlowly(t *testing.T) {
	t.Parallel()
	s, c := newSignInWorld(t)
	v := s.visitor()
	require.NoError(t, v.signIn("owner@example.com", password))
	secret, _ := v.enrol(c)
	c.at = c.at.Add(time.Minute)
	wrong := "000000"
	if _, ok := stepOf(secret, wrong, c.at); ok {
		wrong = "000001"
	}
	for range wrongCodes.most {
		requireCode(t, fault.Unauthenticated, s.visitor().signInWith("owner@example.com", password, wrong))
	}
	requireCode(t, fault.RateLimited,
		s.visitor().signInWith("owner@example.com", password, codeAt(t, secret, c.at)), "a right one too")
	s.endWindows()
	require.NoError(t, s.visitor().signInWith("owner@example.com", password, codeAt(t, secret, c.at)))
	for _, odd := range []string{strings.Repeat("9", 1<<16), "\x00", "12345６"} {
		requireCode(t, fault.Unauthenticated, s.visitor().signInWith("owner@example.com", password, odd))
	}
}

func TestHowOneSignsInChangesInFreshSessionsOnly(t *testing.T) {
	t.Parallel()
	s, c := newSignInWorld(t)
	v := s.visitor()
	require.NoError(t, v.signIn("owner@example.com", password))
	secret, _ := v.enrol(c)
	c.at = c.at.Add(freshness + time.Second)
	begin := func(ctx context.Context) error {
		_, err := s.BeginTOTP(ctx)
		return err
	}
	replace := func(ctx context.Context) error {
		_, err := s.ReplaceRecoveryCodes(ctx)
		return err
	}
	for _, change := range []func(context.Context) error{begin, replace, s.RemoveTOTP} {
		requireCode(t, fault.SignInAgain, v.do(change))
		requireCode(t, fault.Unauthenticated, s.visitor().do(change))
	}
	key, err := s.CreateKey(s.as("owner@example.com"), s.workspace("Acme"), "k", []string{"studio:read"}, nil)
	require.NoError(t, err)
	p, err := s.byKey(t.Context(), key.Secret)
	require.NoError(t, err)
	requireCode(t, fault.Forbidden, begin(With(t.Context(), p)))
	require.NoError(t, v.signInWith("owner@example.com", password, codeAt(t, secret, c.at)))
	requireCode(t, fault.Conflict, v.do(begin), "there is one")
}

func TestAnEnrolmentHasAPictureAndASealedSecret(t *testing.T) {
	t.Parallel()
	s, _ := newSignInWorld(t)
	v := s.visitor()
	require.NoError(t, v.signIn("owner@example.com", password))
	require.NoError(t, v.do(func(ctx context.Context) error {
		begun, err := s.BeginTOTP(ctx)
		require.NoError(t, err)
		require.Contains(t, begun.URI, "otpauth://totp/Svc:owner@example.com?")
		file, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(begun.Image, "data:image/png;base64,"))
		require.NoError(t, err)
		picture, err := png.Decode(bytes.NewReader(file))
		require.NoError(t, err)
		require.Equal(t, 240, picture.Bounds().Dx())
		require.Equal(t, 0, s.count(`select count(*) from totp where position($1::bytea in sealed) > 0`, []byte(begun.Secret)))
		_, err = s.ConfirmTOTP(ctx, "000000")
		requireCode(t, fault.InvalidInput, err)
		return nil
	}))
	require.NoError(t, s.visitor().signIn("owner@example.com", password), "what was begun only asks nobody for a code")
	bare := newServer(t, s.db, Options{}).visitor()
	require.NoError(t, bare.signIn("owner@example.com", password))
	requireCode(t, fault.Unavailable, bare.do(func(ctx context.Context) error {
		_, err := bare.BeginTOTP(ctx)
		return err
	}))
}
