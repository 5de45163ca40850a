package account

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/svc-dev/svc/ent"
	"github.com/svc-dev/svc/ent/setuptoken"
	"github.com/svc-dev/svc/internal/fault"
	"github.com/svc-dev/svc/internal/transaction"
)

// setupLifetime is how long a set-up link works.
const setupLifetime = 7 * 24 * time.Hour

// defaultPlan is the plan of a new workspace: the self-hosted one, which has
// every feature.
const defaultPlan = "self_hosted"

// Bootstrap makes the first administrator when the database has no user yet.
//
// With an e-mail and a password they exist afterwards, as owner of a workspace
// with the given name. Otherwise it returns a one-time token for a set-up link;
// earlier links stop working. When there are users it does nothing and returns
// no token.
func (a *Accounts) Bootstrap(ctx context.Context, email, password, workspaceName string) (setupToken string, err error) {
	err = transaction.Run(ctx, a.client, func(tx *ent.Tx) error {
		empty, err := lockEmpty(ctx, tx)
		if err != nil || !empty {
			return err
		}
		if email == "" || password == "" {
			if err := tx.SetupToken.Update().Where(setuptoken.UserIDIsNil(), setuptoken.UsedAtIsNil()).SetUsedAt(a.now()).Exec(ctx); err != nil {
				return fmt.Errorf("end earlier set-up links: %w", err)
			}
			setupToken, err = a.issue(ctx, tx, nil)
			return err
		}
		_, err = a.firstAdministrator(ctx, tx, email, "", password, workspaceName)
		return err
	})
	if err != nil {
		return "", fmt.Errorf("make the first administrator: %w", err)
	}
	return setupToken, nil
}

// lockEmpty tells whether there is no user yet, and keeps it so until the end of
// the transaction: two servers that start at once must not both find none.
func lockEmpty(ctx context.Context, tx *ent.Tx) (bool, error) {
	if _, err := tx.ExecContext(ctx, `lock table users in share row exclusive mode`); err != nil {
		return false, fmt.Errorf("lock the users: %w", err)
	}
	exists, err := tx.User.Query().Exist(ctx)
	if err != nil {
		return false, fmt.Errorf("look for users: %w", err)
	}
	return !exists, nil
}

// issue stores a new set-up token; no user stands for the first administrator.
func (a *Accounts) issue(ctx context.Context, tx *ent.Tx, person *uuid.UUID) (string, error) {
	secret := newSecret(setupPrefix)
	err := tx.SetupToken.Create().SetNillableUserID(person).SetHash(secretHash(secret)).SetExpiresAt(a.now().Add(setupLifetime)).Exec(ctx)
	if err != nil {
		return "", fmt.Errorf("store the set-up token: %w", err)
	}
	return secret, nil
}

func (a *Accounts) firstAdministrator(ctx context.Context, tx *ent.Tx, email, name, password, workspaceName string) (*ent.User, error) {
	email, err := checkEmail("email", email)
	if err != nil {
		return nil, err
	}
	if err := checkPassword("password", password); err != nil {
		return nil, err
	}
	hash, err := a.hashing.hash(ctx, password)
	if err != nil {
		return nil, fmt.Errorf("hash the password: %w", err)
	}
	person, err := tx.User.Create().SetEmail(email).SetName(name).SetPasswordHash(hash).Save(ctx)
	if err != nil {
		return nil, fmt.Errorf("store the user: %w", err)
	}
	if workspaceName == "" {
		workspaceName = "Workspace"
	}
	_, err = newWorkspace(ctx, tx, person.ID, workspaceName)
	return person, err
}

// SetupInput is what the holder of a set-up link gives.
type SetupInput struct {
	Token    string
	Password string
	Name     string
	// Email is needed by the first administrator only; others have theirs from
	// the invitation.
	Email string
	// WorkspaceName is the first administrator's; empty means "Workspace".
	WorkspaceName string
}

// CompleteSetup uses up a set-up link: it sets the password and signs in.
func (a *Accounts) CompleteSetup(ctx context.Context, in SetupInput) (*ent.User, error) {
	refused := fault.Invalid("token", "this set-up link is unknown, used or expired")
	if !wellFormed(setupPrefix, in.Token) {
		return nil, refused
	}
	if err := checkPassword("password", in.Password); err != nil {
		return nil, err
	}
	var person *ent.User
	err := transaction.Run(ctx, a.client, func(tx *ent.Tx) error {
		token, err := tx.SetupToken.Query().
			Where(setuptoken.Hash(secretHash(in.Token)), setuptoken.UsedAtIsNil(), setuptoken.ExpiresAtGT(a.now())).
			ForUpdate().Only(ctx)
		if ent.IsNotFound(err) {
			return refused
		}
		if err != nil {
			return fmt.Errorf("read the set-up token: %w", err)
		}
		if err := tx.SetupToken.UpdateOne(token).SetUsedAt(a.now()).Exec(ctx); err != nil {
			return fmt.Errorf("use the set-up token: %w", err)
		}
		if token.UserID == nil {
			// The first administrator may have come another way since.
			empty, err := lockEmpty(ctx, tx)
			if err != nil {
				return err
			}
			if !empty {
				return refused
			}
			person, err = a.firstAdministrator(ctx, tx, in.Email, in.Name, in.Password, in.WorkspaceName)
			return err
		}
		person, err = tx.User.Get(ctx, *token.UserID)
		if err != nil {
			return fmt.Errorf("read the user: %w", err)
		}
		if in.Name != "" {
			person.Name = in.Name
			if err := tx.User.UpdateOne(person).SetName(in.Name).Exec(ctx); err != nil {
				return fmt.Errorf("store the name: %w", err)
			}
		}
		person, err = a.setPassword(ctx, tx.User, person, in.Password)
		return err
	})
	if err != nil {
		return nil, err
	}
	return person, a.open(ctx, person)
}
