package account

import (
	"context"
	"fmt"

	"github.com/svc-dev/svc/ent"
	"github.com/svc-dev/svc/ent/setuptoken"
	"github.com/svc-dev/svc/internal/fault"
	"github.com/svc-dev/svc/postgres/transaction"
)

// errLink refuses a token that opens nothing.
var errLink = fault.Invalid("token", "this set-up link is unknown, used or expired")

// defaultPlan is the plan of a new workspace: the self-hosted one, which has
// every feature.
const defaultPlan = "self_hosted"

// defaultWorkspaceName is the first workspace's when nobody chose one.
const defaultWorkspaceName = "Workspace"

// Bootstrap makes the first administrator when the database has no user yet.
//
// With an e-mail and a password they exist afterwards, as owner of a workspace
// with the given name. Otherwise it returns a one-time token for a set-up link;
// earlier links stop working. When there are users it does nothing and returns
// no token.
func (a *Accounts) Bootstrap(
	ctx context.Context, email, password, workspaceName string,
) (setupToken string, err error) {
	err = transaction.Run(ctx, a.client, func(tx *ent.Tx) error {
		empty, err := lockEmpty(ctx, tx)
		if err != nil || !empty {
			return err
		}
		if email == "" || password == "" {
			setupToken, err = a.replaceSetupToken(ctx, tx)
			return err
		}
		owner, err := checkAdministrator(SetupInput{Email: email, Password: password, WorkspaceName: workspaceName})
		if err != nil {
			return err
		}
		hash, err := a.hashing.hash(ctx, "", password)
		if err != nil {
			return err
		}
		_, err = createAdministrator(ctx, tx, owner, hash)
		return err
	})
	if err != nil {
		return "", fmt.Errorf("make the first administrator: %w", err)
	}
	return setupToken, nil
}

// lockEmpty reports whether there is no user yet, and keeps it so until the end
// of the transaction: two servers that start at once must not both find none.
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

// replaceSetupToken stores a new token for the first administrator and ends
// earlier ones.
func (a *Accounts) replaceSetupToken(ctx context.Context, tx *ent.Tx) (string, error) {
	if _, err := tx.SetupToken.Delete().Exec(ctx); err != nil {
		return "", fmt.Errorf("end earlier set-up links: %w", err)
	}
	secret := newSecret(setupPrefix)
	err := tx.SetupToken.Create().SetHash(hashSecret(secret)).SetExpiresAt(a.now().Add(setupLifetime)).Exec(ctx)
	if err != nil {
		return "", fmt.Errorf("store the set-up token: %w", err)
	}
	return secret, nil
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

// CompleteSetup uses up a set-up link: it makes the account with its password,
// enters the workspace that the link invites to, and signs in. Somebody who has
// an account accepts the invitation instead; the link gives no power over it.
func (a *Accounts) CompleteSetup(ctx context.Context, in SetupInput) (*ent.User, error) {
	if err := lookupFailure(ctx); err != nil {
		return nil, err
	}
	link, err := a.SetupLink(ctx, in.Token)
	if fault.Is(err, fault.NotFound) {
		return nil, errLink
	}
	if err != nil {
		return nil, err
	}
	if link.HasAccount {
		return nil, accountExists(link.Email)
	}
	if in, err = checkSetup(in, link); err != nil {
		return nil, err
	}
	client := exchangeOf(ctx).client
	if err := a.countAttempt(ctx, setUpsFrom, client); err != nil {
		return nil, err
	}
	hash, err := a.hashing.hash(ctx, client, in.Password)
	if err != nil {
		return nil, err
	}
	var person *ent.User
	err = a.change(ctx, func(ctx context.Context, tx *ent.Tx) error {
		if link.FirstAdministrator {
			person, err = a.completeAdministrator(ctx, tx, in, hash)
		} else {
			person, err = a.completeInvitation(ctx, tx, in, hash)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return person, a.openSession(ctx, person, ByPassword)
}

func accountExists(email string) error {
	return fault.New(fault.Conflict, "%s has an account already: sign in and accept the invitation", email)
}

// checkSetup returns the input in the form in which it is stored.
func checkSetup(in SetupInput, link *SetupLink) (SetupInput, error) {
	if link.FirstAdministrator {
		return checkAdministrator(in)
	}
	return checkPerson(in)
}

func checkPerson(in SetupInput) (checked SetupInput, err error) {
	if err := checkPassword("password", in.Password); err != nil {
		return in, err
	}
	in.Name, err = checkOptionalName("name", in.Name)
	return in, err
}

func checkAdministrator(in SetupInput) (checked SetupInput, err error) {
	if in.Email, err = checkEmail("email", in.Email); err != nil {
		return in, err
	}
	if in.WorkspaceName, err = checkOptionalName("workspaceName", in.WorkspaceName); err != nil {
		return in, err
	}
	if in.WorkspaceName == "" {
		in.WorkspaceName = defaultWorkspaceName
	}
	return checkPerson(in)
}

// completeAdministrator makes the first administrator, unless they came another
// way since.
func (a *Accounts) completeAdministrator(
	ctx context.Context, tx *ent.Tx, in SetupInput, hash string,
) (*ent.User, error) {
	empty, err := lockEmpty(ctx, tx)
	if err != nil {
		return nil, err
	}
	used, err := tx.SetupToken.Delete().
		Where(setuptoken.Hash(hashSecret(in.Token)), setuptoken.ExpiresAtGT(a.now())).Exec(ctx)
	if err != nil {
		return nil, fmt.Errorf("use the set-up token: %w", err)
	}
	if !empty || used == 0 {
		return nil, errLink
	}
	return createAdministrator(ctx, tx, in, hash)
}

func createAdministrator(ctx context.Context, tx *ent.Tx, in SetupInput, hash string) (*ent.User, error) {
	person, err := createUser(ctx, tx, in.Email, in.Name, hash)
	if err != nil {
		return nil, err
	}
	_, err = createWorkspace(With(ctx, principalOf(person)), tx, person.ID, in.WorkspaceName)
	return person, err
}

func (a *Accounts) completeInvitation(
	ctx context.Context, tx *ent.Tx, in SetupInput, hash string,
) (*ent.User, error) {
	invited, err := a.useInvitation(ctx, tx, in.Token)
	if err != nil {
		return nil, err
	}
	person, err := createUser(ctx, tx, invited.Email, in.Name, hash)
	if err != nil {
		return nil, err
	}
	_, err = createMembership(With(ctx, principalOf(person)), tx, invited, person.ID)
	return person, err
}

func createUser(ctx context.Context, tx *ent.Tx, email, name, hash string) (*ent.User, error) {
	person, err := tx.User.Create().SetEmail(email).SetName(name).SetPasswordHash(hash).Save(ctx)
	if ent.IsConstraintError(err) {
		return nil, accountExists(email)
	}
	if err != nil {
		return nil, fmt.Errorf("store the user: %w", err)
	}
	return person, nil
}
