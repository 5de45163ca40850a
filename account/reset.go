package account

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/svc-dev/svc/internal/fault"
)

// resetPrefix starts every token of a link that sets a new password.
const resetPrefix = "svc_reset_"

// ResetLifetime is how long a link works that sets a new password.
const ResetLifetime = time.Hour

// errReset refuses a token that opens nothing.
var errReset = fault.Invalid("token", "this link is unknown, used or expired")

// PasswordReset is a link that sets a new password of an account, once.
type PasswordReset struct {
	Email string
	// Token is stored as a hash only.
	Token     string
	ExpiresAt time.Time
}

// CountPasswordReset counts a request for a link by mail, and returns whose account it is about; nil when nobody has
// the email. Both are counted alike, by the email and by the address that asks, so that the answer tells nobody who has
// an account.
func (a *Accounts) CountPasswordReset(ctx context.Context, email string) (person *uuid.UUID, err error) {
	if email, err = checkEmail("email", email); err != nil {
		return nil, err
	}
	if err := a.countAttempt(ctx, resetsAskedFrom, exchangeOf(ctx).client); err != nil {
		return nil, err
	}
	if err := a.countAttempt(ctx, resetsAsked, email); err != nil {
		return nil, err
	}
	found, err := a.userByEmail(ctx, email)
	if err != nil || found == nil || found.PasswordHash == noPassword { // who enters by the provider has none to forget
		return nil, err
	}
	return &found.ID, nil
}

// MailPasswordReset makes the link of an email; an earlier one ends. It is made when the email is sent, so that no
// token waits in the database. Nil means that the account is gone.
func (a *Accounts) MailPasswordReset(ctx context.Context, person uuid.UUID) (*PasswordReset, error) {
	return issueReset(ctx, a.pool, "id = $1", person, a.now())
}

// IssuePasswordReset makes a link for who runs the server and hands it over; nil when nobody has the email.
func IssuePasswordReset(ctx context.Context, pool *pgxpool.Pool, email string) (*PasswordReset, error) {
	return issueReset(ctx, pool, "email = $1", normalEmail(email), time.Now())
}

func issueReset(ctx context.Context, pool *pgxpool.Pool, of string, who any, now time.Time) (*PasswordReset, error) {
	ctx, cancel := context.WithTimeout(ctx, lookupTime)
	defer cancel()
	made := &PasswordReset{Token: newSecret(resetPrefix), ExpiresAt: now.Add(ResetLifetime)}
	err := pool.QueryRow(ctx, `
		with person as (select id, email from users where `+of+`),
		made as (
			insert into password_reset (user_id, hash, expires_at) select id, $2, $3 from person
			on conflict (user_id) do update set hash = excluded.hash, expires_at = excluded.expires_at)
		select email from person`, who, hashSecret(made.Token), made.ExpiresAt).Scan(&made.Email)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("make a link that sets a new password: %w", err)
	}
	return made, nil
}

// ResetPassword uses a link up: the account has the new password, and all its sessions end. It opens none: who has a
// second factor gives it when they sign in.
func (a *Accounts) ResetPassword(ctx context.Context, token, password string) error {
	if !isSecretOf(resetPrefix, token) {
		return errReset
	}
	if err := checkPassword("newPassword", password); err != nil {
		return err
	}
	client := exchangeOf(ctx).client
	if err := a.countAttempt(ctx, resetsFrom, client); err != nil {
		return err
	}
	email, err := a.emailOfReset(ctx, token)
	if err != nil {
		return err
	}
	hash, err := a.hashing.hash(ctx, client, password)
	if err != nil {
		return err
	}
	person, err := a.PrincipalOf(ctx, email)
	if err != nil {
		return err
	}
	return a.storeReset(With(ctx, person), person, token, hash)
}

// emailOfReset looks a link up before a password is hashed for it.
func (a *Accounts) emailOfReset(ctx context.Context, token string) (email string, err error) {
	ctx, cancel := context.WithTimeout(ctx, lookupTime)
	defer cancel()
	err = a.pool.QueryRow(ctx, `
		select u.email from password_reset r join users u on u.id = r.user_id where r.hash = $1 and r.expires_at > $2`,
		hashSecret(token), a.now()).Scan(&email)
	if errors.Is(err, pgx.ErrNoRows) {
		return "", errReset
	}
	if err != nil {
		return "", fmt.Errorf("look up a link that sets a new password: %w", err)
	}
	return email, nil
}

// storeReset takes the link away: of several callers at once one gets it.
func (a *Accounts) storeReset(ctx context.Context, person *Principal, token, hash string) error {
	ctx, cancel := context.WithTimeout(ctx, lookupTime)
	defer cancel()
	return pgx.BeginFunc(ctx, a.pool, func(tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, `
			delete from password_reset where user_id = $1 and hash = $2 and expires_at > $3`,
			person.UserID, hashSecret(token), a.now())
		if err != nil {
			return fmt.Errorf("use a link that sets a new password: %w", err)
		}
		if tag.RowsAffected() == 0 {
			return errReset
		}
		if _, err := tx.Exec(ctx, `update users set password_hash = $2 where id = $1`, person.UserID, hash); err != nil {
			return fmt.Errorf("store the password: %w", err)
		}
		if _, err := tx.Exec(ctx, `delete from web_session where user_id = $1`, person.UserID); err != nil {
			return fmt.Errorf("end the sessions of the old password: %w", err)
		}
		for _, workspace := range person.memberOf() {
			if err := RecordIn(ctx, tx, workspace, "password.reset", person.UserID.String(), nil); err != nil {
				return err
			}
		}
		return nil
	})
}
