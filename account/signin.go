package account

import (
	"context"
	"fmt"
	"net/http"
	"net/mail"
	"strings"

	"github.com/svc-dev/svc/ent"
	"github.com/svc-dev/svc/ent/user"
	"github.com/svc-dev/svc/internal/fault"
)

// SignIn opens a dashboard session and sets its cookie on the answer. After ten
// failures in 15 minutes an e-mail is refused with code rate_limited.
func (a *Accounts) SignIn(ctx context.Context, email, password string) (*ent.User, error) {
	email = normalEmail(email)
	if wait := a.attempts.wait(email); wait > 0 {
		return nil, fault.New(fault.RateLimited, "too many failed attempts; try again in %d minutes", int(wait.Minutes())+1)
	}
	person, err := a.client.User.Query().Where(user.Email(email)).Only(ctx)
	if err != nil && !ent.IsNotFound(err) {
		return nil, fmt.Errorf("read the user: %w", err)
	}
	stored := ""
	if person != nil {
		stored = person.PasswordHash
	}
	matches, err := a.hashing.verify(ctx, password, stored)
	if err != nil {
		return nil, fmt.Errorf("verify the password: %w", err)
	}
	if !matches {
		a.attempts.fail(email)
		return nil, fault.New(fault.Unauthenticated, "wrong e-mail or password")
	}
	a.attempts.succeed(email)
	return person, a.open(ctx, person)
}

// open starts a session for the person and sets its cookie.
func (a *Accounts) open(ctx context.Context, person *ent.User) error {
	w, ok := ctx.Value(writerKey{}).(http.ResponseWriter)
	if !ok {
		return fmt.Errorf("open a session: no response to set the cookie on")
	}
	ctx, err := a.withSession(ctx)
	if err != nil {
		return err
	}
	if err := a.sessions.RenewToken(ctx); err != nil {
		return fmt.Errorf("open a session: %w", err)
	}
	a.sessions.Put(ctx, sessionUser, person.ID.String())
	a.sessions.Put(ctx, sessionStamp, passwordStamp(person.PasswordHash))
	token, expiry, err := a.sessions.Commit(ctx)
	if err != nil {
		return fmt.Errorf("open a session: %w", err)
	}
	a.sessions.WriteSessionCookie(ctx, w, token, expiry)
	return nil
}

// withSession makes sure that the context holds session data: a request that
// signs in with an Authorization header has none yet.
func (a *Accounts) withSession(ctx context.Context) (context.Context, error) {
	ctx, err := a.sessions.Load(ctx, "")
	if err != nil {
		return nil, fmt.Errorf("prepare a session: %w", err)
	}
	return ctx, nil
}

// SignOut ends the session of the request, if there is one, and removes its
// cookie.
func (a *Accounts) SignOut(ctx context.Context) error {
	if p, err := From(ctx); err != nil || p.KeyID != nil {
		return nil
	}
	if err := a.sessions.Destroy(ctx); err != nil {
		return fmt.Errorf("end the session: %w", err)
	}
	if w, ok := ctx.Value(writerKey{}).(http.ResponseWriter); ok {
		http.SetCookie(w, &http.Cookie{
			Name: CookieName, Path: a.sessions.Cookie.Path, MaxAge: -1, HttpOnly: true,
			SameSite: a.sessions.Cookie.SameSite, Secure: a.sessions.Cookie.Secure,
		})
	}
	return nil
}

// ChangePassword replaces the caller's password and ends all their other
// sessions.
func (a *Accounts) ChangePassword(ctx context.Context, current, next string) error {
	p, err := From(ctx)
	if err != nil {
		return err
	}
	if p.KeyID != nil {
		return fault.New(fault.Forbidden, "an API key cannot change a password; sign in")
	}
	if err := checkPassword("newPassword", next); err != nil {
		return err
	}
	person, err := a.client.User.Get(ctx, p.UserID)
	if err != nil {
		return fmt.Errorf("read the user: %w", err)
	}
	matches, err := a.hashing.verify(ctx, current, person.PasswordHash)
	if err != nil {
		return fmt.Errorf("verify the password: %w", err)
	}
	if !matches {
		return fault.Invalid("currentPassword", "is wrong")
	}
	person, err = a.setPassword(ctx, a.client.User, person, next)
	if err != nil {
		return err
	}
	return a.open(ctx, person)
}

func (a *Accounts) setPassword(ctx context.Context, users *ent.UserClient, person *ent.User, password string) (*ent.User, error) {
	hash, err := a.hashing.hash(ctx, password)
	if err != nil {
		return nil, fmt.Errorf("hash the password: %w", err)
	}
	person, err = users.UpdateOne(person).SetPasswordHash(hash).Save(ctx)
	if err != nil {
		return nil, fmt.Errorf("store the password: %w", err)
	}
	return person, nil
}

func normalEmail(email string) string { return strings.ToLower(strings.TrimSpace(email)) }

func checkEmail(field, email string) (string, error) {
	email = normalEmail(email)
	address, err := mail.ParseAddress(email)
	if err != nil || address.Address != email || len(email) > 254 {
		return "", fault.Invalid(field, "must be an e-mail address")
	}
	return email, nil
}
