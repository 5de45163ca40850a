package account

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/svc-dev/svc/ent"
	"github.com/svc-dev/svc/ent/user"
	"github.com/svc-dev/svc/internal/fault"
	"github.com/svc-dev/svc/internal/validate"
)

// SignIn opens a dashboard session and sets its cookie on the answer. Who has a second factor gives a code as well; an
// empty one is refused with code second_factor_required when the password is right. After ten failures in 15 minutes an
// email is refused with code rate_limited, after a hundred an address. An attempt counts before its password is looked
// at, so that many at once are not looked at either.
func (a *Accounts) SignIn(ctx context.Context, email, password, code string) (*ent.User, error) {
	if err := lookupFailure(ctx); err != nil {
		return nil, err
	}
	email, client := normalEmail(email), exchangeOf(ctx).client
	person, err := a.userByEmail(ctx, email)
	if err != nil {
		return nil, err
	}
	if err := a.countAttempt(ctx, failedSignInsFrom, client); err != nil {
		return nil, err
	}
	if err := a.countAttempt(ctx, failedSignIns, email); err != nil {
		return nil, err
	}
	stored := ""
	if person != nil {
		stored = person.PasswordHash
	}
	matches, err := a.hashing.verify(ctx, client, password, stored)
	switch {
	case err != nil:
		a.uncountAttempt(ctx, failedSignIns, email)
		a.uncountAttempt(ctx, failedSignInsFrom, client)
		return nil, err
	case !matches:
		return nil, fault.New(fault.Unauthenticated, "wrong email or password")
	}
	a.resetAttempts(ctx, failedSignIns, email)
	a.uncountAttempt(ctx, failedSignInsFrom, client) // not forget: others sign in from there
	method, err := a.checkSecondFactor(ctx, person.ID, code)
	if err != nil {
		return nil, err
	}
	return person, a.openSession(ctx, person, method)
}

// userByEmail returns nil when nobody has the email.
func (a *Accounts) userByEmail(ctx context.Context, email string) (*ent.User, error) {
	if len(email) > validate.MaxEmail || strings.ContainsRune(email, 0) {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(ctx, lookupTime)
	defer cancel()
	person, err := a.client.User.Query().Where(user.Email(email)).Only(ctx)
	if ent.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the user: %w", err)
	}
	return person, nil
}

// SignOut ends the session of the request, if there is one, and removes its
// cookie.
func (a *Accounts) SignOut(ctx context.Context) error {
	if err := lookupFailure(ctx); err != nil {
		return err
	}
	if p, err := From(ctx); err != nil || p.KeyID != nil {
		return nil //nolint:nilerr // nobody is signed in: there is nothing to end
	}
	if err := a.sessions.Destroy(ctx); err != nil {
		return fmt.Errorf("end the session: %w", err)
	}
	if w := exchangeOf(ctx).writer; w != nil {
		http.SetCookie(w, &http.Cookie{
			Name: CookieName, Path: a.sessions.Cookie.Path, MaxAge: -1, HttpOnly: true,
			SameSite: a.sessions.Cookie.SameSite, Secure: a.sessions.Cookie.Secure,
		})
	}
	return nil
}

// ChangePassword replaces the caller's password and ends all their other
// sessions. After ten wrong current passwords in 15 minutes the person is refused
// with code rate_limited.
func (a *Accounts) ChangePassword(ctx context.Context, current, next string) error {
	p, err := requirePerson(ctx)
	if err != nil {
		return err
	}
	if err := checkPassword("newPassword", next); err != nil {
		return err
	}
	person, err := a.userByEmail(ctx, p.Email)
	if err != nil {
		return err
	}
	if person == nil {
		return fault.Missing("user")
	}
	client, id := exchangeOf(ctx).client, p.UserID.String()
	if err := a.countAttempt(ctx, failedChanges, id); err != nil {
		return err
	}
	matches, err := a.hashing.verify(ctx, client, current, person.PasswordHash)
	switch {
	case err != nil:
		a.uncountAttempt(ctx, failedChanges, id)
		return err
	case !matches:
		return fault.Invalid("currentPassword", "is wrong")
	}
	a.resetAttempts(ctx, failedChanges, id)
	hash, err := a.hashing.hash(ctx, client, next)
	if err != nil {
		return err
	}
	if person, err = a.storePassword(ctx, person, hash); err != nil {
		return err
	}
	return a.openSession(ctx, person, p.method)
}

func (a *Accounts) storePassword(ctx context.Context, person *ent.User, hash string) (*ent.User, error) {
	ctx, cancel := context.WithTimeout(ctx, lookupTime)
	defer cancel()
	person, err := a.client.User.UpdateOne(person).SetPasswordHash(hash).Save(ctx)
	if err != nil {
		return nil, fmt.Errorf("store the password: %w", err)
	}
	// The stamp of the password has ended them already; nobody is shown what has ended.
	if _, err := a.pool.Exec(ctx, `delete from web_session where user_id = $1`, person.ID); err != nil {
		return nil, fmt.Errorf("end the sessions of the old password: %w", err)
	}
	return person, nil
}
