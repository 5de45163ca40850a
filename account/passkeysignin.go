package account

import (
	"context"
	"fmt"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/svc-dev/svc/ent"
	"github.com/svc-dev/svc/internal/fault"
)

// BeginPasskeySignIn asks a browser for whatever passkey of this server it has. It says nothing of anybody.
func (a *Accounts) BeginPasskeySignIn(context.Context) (*Ceremony, error) {
	if err := a.requirePasskeys(); err != nil {
		return nil, err
	}
	assertion, session, err := a.party.BeginDiscoverableLogin(
		webauthn.WithUserVerification(protocol.VerificationRequired))
	if err != nil {
		return nil, fmt.Errorf("begin a sign-in by passkey: %w", err)
	}
	return a.askBrowser(signsIn, session, uuid.Nil, assertion.Response)
}

// SignInWithPasskey opens a session for whom the passkey belongs to. The authenticator has asked its owner for a PIN or
// a finger: the passkey alone is two factors. A passkey whose counter went back may have been copied: it signs nobody
// in any more, and its owner sees it in the list.
func (a *Accounts) SignInWithPasskey(ctx context.Context, token string, credential []byte) (*ent.User, error) {
	if err := lookupFailure(ctx); err != nil {
		return nil, err
	}
	if err := a.requirePasskeys(); err != nil {
		return nil, err
	}
	client := exchangeOf(ctx).client
	if err := a.countAttempt(ctx, failedSignInsFrom, client); err != nil {
		return nil, err
	}
	known, err := a.checkPasskey(ctx, token, credential)
	if err != nil {
		return nil, err
	}
	a.uncountAttempt(ctx, failedSignInsFrom, client)
	person, err := a.userByEmail(ctx, known.email)
	if err != nil {
		return nil, err
	}
	if person == nil {
		return nil, fault.Missing("user")
	}
	return person, a.openSession(ctx, person, ByPasskey)
}

// checkPasskey returns whose passkey signed the question.
func (a *Accounts) checkPasskey(ctx context.Context, token string, credential []byte) (*passkeyUser, error) {
	refused := fault.New(fault.Unauthenticated, "this passkey does not sign in here")
	if len(credential) > maxCredential {
		return nil, refused
	}
	parsed, err := protocol.ParseCredentialRequestResponseBytes(credential)
	if err != nil {
		return nil, refused
	}
	q, err := a.takeQuestion(ctx, signsIn, token)
	if err != nil {
		return nil, err
	}
	var asking error
	owner, made, err := a.party.ValidatePasskeyLogin(func(_, handle []byte) (webauthn.User, error) {
		person, err := uuid.FromBytes(handle)
		if err != nil {
			return nil, refused
		}
		found, err := a.passkeysOf(ctx, person)
		if err != nil && !fault.Is(err, fault.NotFound) {
			asking = err
		}
		return found, err
	}, q.Session, parsed)
	if asking != nil {
		return nil, asking
	}
	if err != nil {
		return nil, refused
	}
	person := owner.(*passkeyUser)
	used, err := a.usePasskey(ctx, person.id, made.ID, parsed.Response.AuthenticatorData.Counter)
	if err == nil && !used {
		err = refused
	}
	return person, err
}

// usePasskey stores the counter of a passkey, unless it went back. Authenticators that do not count say 0.
func (a *Accounts) usePasskey(
	ctx context.Context, person uuid.UUID, credential []byte, count uint32,
) (used bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, lookupTime)
	defer cancel()
	err = pgx.BeginFunc(ctx, a.pool, func(tx pgx.Tx) error {
		if err := tx.QueryRow(ctx, `
			update passkey set last_used_at = $4, sign_count = greatest(sign_count, $3),
				cloned = cloned or sign_count > 0 and $3 <= sign_count
			where user_id = $1 and credential_id = $2 returning not cloned`,
			person, credential, int64(count), a.now()).Scan(&used); err != nil {
			return fmt.Errorf("use a passkey: %w", err)
		}
		if used {
			return nil
		}
		rows, err := tx.Query(ctx, `select workspace_id from memberships where user_id = $1`, person)
		if err != nil {
			return fmt.Errorf("read the memberships: %w", err)
		}
		workspaces, err := pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
		if err != nil {
			return fmt.Errorf("read the memberships: %w", err)
		}
		for _, workspace := range workspaces {
			if err := RecordIn(ctx, tx, workspace, "passkey.copied", person.String(), nil); err != nil {
				return err
			}
		}
		return nil
	})
	return used, err
}
