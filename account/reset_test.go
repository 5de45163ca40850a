package account

import (
	"context"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/internal/fault"
)

// ask asks for a link as the visitor does.
func (v *visitor) ask(email string) (person *uuid.UUID, err error) {
	err = v.do(func(ctx context.Context) (err error) {
		person, err = v.CountPasswordReset(ctx, email)
		return err
	})
	return person, err
}

func (v *visitor) reset(token, password string) error {
	return v.do(func(ctx context.Context) error { return v.ResetPassword(ctx, token, password) })
}

func TestALinkSetsANewPasswordOnce(t *testing.T) {
	t.Parallel()
	s := newWorld(t)
	signedIn, v := s.visitor(), s.visitor()
	require.NoError(t, signedIn.signIn("owner@example.com", password))
	person, err := v.ask("Owner@example.com ")
	require.NoError(t, err)
	earlier, err := s.MailPasswordReset(t.Context(), *person)
	require.NoError(t, err)
	made, err := s.MailPasswordReset(t.Context(), *person)
	require.NoError(t, err)
	require.Equal(t, "owner@example.com", made.Email)
	require.Equal(t, 1, s.count(`select count(*) from password_reset where hash = $1`, hashSecret(made.Token)))
	requireCode(t, fault.InvalidInput, v.reset(earlier.Token, "another horse"), "a newer link ends it")
	requireCode(t, fault.InvalidInput, v.reset(made.Token, "short"))
	requireCode(t, fault.InvalidInput, v.reset(newSecret(resetPrefix), "another horse"))
	requireCode(t, fault.InvalidInput, v.reset(newSecret(setupPrefix), "another horse"))

	errs := atOnce(5, func(int) error { return s.visitor().reset(made.Token, "another horse") })
	require.Equal(t, map[fault.Code]int{"": 1, fault.InvalidInput: 4}, tally(errs), "of several at once one uses it")
	requireCode(t, fault.Unauthenticated, s.visitor().signIn("owner@example.com", password))
	require.NoError(t, s.visitor().signIn("owner@example.com", "another horse"))
	for _, who := range []*visitor{v, signedIn} { // it signs nobody in, and ends the sessions of the account
		requireCode(t, fault.Unauthenticated, who.do(func(ctx context.Context) error {
			_, err := From(ctx)
			return err
		}))
	}
	require.Contains(t, s.actions("Acme"), "password.reset")
}

func TestAResetEndsAfterAnHour(t *testing.T) {
	t.Parallel()
	s := newWorld(t)
	made, err := s.MailPasswordReset(t.Context(), s.userID("owner@example.com"))
	require.NoError(t, err)
	s.now = func() time.Time { return time.Now().Add(ResetLifetime + time.Second) }
	requireCode(t, fault.InvalidInput, s.visitor().reset(made.Token, "another horse"))
	require.NoError(t, s.visitor().signIn("owner@example.com", password))
	gone, err := s.MailPasswordReset(t.Context(), uuid.New())
	require.NoError(t, err)
	require.Nil(t, gone)
}

func TestAskingForAResetTellsNobodyWhoHasAnAccount(t *testing.T) {
	t.Parallel()
	s := newWorld(t)
	for _, email := range []string{"owner@example.com", "nobody@example.com"} {
		v := s.visitor()
		for range resetsAsked.most {
			_, err := v.ask(email)
			require.NoError(t, err)
		}
		_, err := v.ask(email)
		requireCode(t, fault.RateLimited, err, email)
	}
	_, err := s.pool.Exec(t.Context(), `update users set password_hash = $1 where email = 'owner@example.com'`, noPassword)
	require.NoError(t, err)
	s.endWindows()
	none, err := s.visitor().ask("owner@example.com")
	require.NoError(t, err)
	require.Nil(t, none, "who enters by the provider has no password to forget")
	_, err = s.visitor().ask("no email")
	requireCode(t, fault.InvalidInput, err)
	v := s.visitor()
	v.address = "198.51.100.7:1"
	s.takeAlmostAll(resetsAskedFrom, "198.51.100.7")
	_, err = v.ask("a@example.com")
	require.NoError(t, err)
	_, err = v.ask("b@example.com")
	requireCode(t, fault.RateLimited, err)
	s.takeAlmostAll(resetsFrom, "198.51.100.7")
	requireCode(t, fault.InvalidInput, v.reset(newSecret(resetPrefix), "another horse"))
	requireCode(t, fault.RateLimited, v.reset(newSecret(resetPrefix), "another horse"))
}

func TestTheOperatorMakesALink(t *testing.T) {
	t.Parallel()
	s := newWorld(t)
	made, err := IssuePasswordReset(t.Context(), s.pool, " OWNER@example.com")
	require.NoError(t, err)
	require.NoError(t, s.visitor().reset(made.Token, "another horse"))
	made, err = IssuePasswordReset(t.Context(), s.pool, "nobody@example.com")
	require.NoError(t, err)
	require.Nil(t, made)
}

func TestPasskeysAreRenamed(t *testing.T) {
	t.Parallel()
	s := newWorld(t)
	owner := s.as("owner@example.com")
	var id uuid.UUID
	require.NoError(t, s.pool.QueryRow(t.Context(), `
		insert into passkey (id, user_id, name, credential_id, data, sign_count, created_at)
		values (gen_random_uuid(), $1, 'Laptop', '\x01', '{}', 0, now())
		returning id`, s.userID("owner@example.com")).Scan(&id))
	renamed, err := s.RenamePasskey(owner, id, " Work laptop ")
	require.NoError(t, err)
	require.Equal(t, "Work laptop", renamed.Name)
	require.False(t, renamed.CreatedAt.IsZero())
	_, err = s.RenamePasskey(owner, id, " ")
	requireCode(t, fault.InvalidInput, err)
	_, err = s.RenamePasskey(owner, uuid.New(), "Other")
	requireCode(t, fault.NotFound, err)
	s.join("Acme", "other@example.com", Editor)
	_, err = s.RenamePasskey(s.as("other@example.com"), id, "Mine")
	requireCode(t, fault.NotFound, err, "of somebody else")
	require.Contains(t, s.actions("Acme"), "passkey.rename")
}
