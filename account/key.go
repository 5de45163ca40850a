package account

import (
	"context"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"github.com/svc-dev/svc/ent"
	"github.com/svc-dev/svc/internal/fault"
	"github.com/svc-dev/svc/internal/validate"
)

// NewKey is a workspace API key with its secret, which is shown this once.
type NewKey struct {
	Key    *ent.APIKey
	Secret string
}

// CreateKey creates a workspace API key for the caller. Its scopes are capabilities
// that the caller has; should their role shrink later, so does the key. A key
// can't create keys: whoever found one could outlive its revocation.
func (a *Accounts) CreateKey(
	ctx context.Context, workspace uuid.UUID, name string, scopes []string, app *uuid.UUID,
) (*NewKey, error) {
	p, err := Enter(ctx, workspace)
	if err != nil {
		return nil, err
	}
	if err := p.refuseKey(); err != nil {
		return nil, err
	}
	if name, err = validate.Name("name", name); err != nil {
		return nil, err
	}
	if len(scopes) == 0 {
		return nil, fault.Invalid("scopes", "name at least one scope")
	}
	for i, scope := range scopes {
		field := fmt.Sprintf("scopes.%d", i)
		if !slices.Contains(AllCapabilities(), Capability(scope)) {
			return nil, fault.Invalid(field, "is not a capability")
		}
		if !p.Can(workspace, Capability(scope)) {
			return nil, fault.New(fault.Forbidden, "you cannot give the scope %s, which you lack", scope)
		}
	}
	if err := a.checkAppOf(ctx, workspace, app); err != nil {
		return nil, err
	}
	if err := a.countAttempt(ctx, keysCreated, p.UserID.String()); err != nil {
		return nil, err
	}
	slices.Sort(scopes)
	made := &NewKey{Secret: newSecret(KeyPrefix)}
	err = a.change(ctx, func(ctx context.Context, tx *ent.Tx) error {
		// A key that is stored after its maker left would wake up when they return.
		if _, err := lockMembers(ctx, tx, workspace, p.UserID); err != nil {
			return err
		}
		made.Key, err = tx.APIKey.Create().
			SetWorkspaceID(workspace).SetUserID(p.UserID).SetName(name).SetScopes(slices.Compact(scopes)).
			SetHash(hashSecret(made.Secret)).SetLastFour(made.Secret[len(made.Secret)-4:]).
			Save(ctx)
		if err != nil {
			return fmt.Errorf("store the API key: %w", err)
		}
		detail := map[string]any{"name": name, "scopes": made.Key.Scopes}
		if err := limitToApp(ctx, tx, made.Key.ID, app, detail); err != nil {
			return err
		}
		return Record(ctx, tx, workspace, "api_key.create", made.Key.ID.String(), detail)
	})
	if err != nil {
		return nil, err
	}
	return made, nil
}

// RevokeKey ends a key at once. People revoke their own; other people's need
// members:manage. A key may revoke itself, and others by that capability.
func (a *Accounts) RevokeKey(ctx context.Context, id uuid.UUID) (*ent.APIKey, error) {
	p, err := From(ctx)
	if err != nil {
		return nil, err
	}
	reading, cancel := context.WithTimeout(ctx, lookupTime)
	defer cancel()
	key, err := a.client.APIKey.Get(reading, id)
	if ent.IsNotFound(err) {
		return nil, fault.Missing("API key")
	}
	if err != nil {
		return nil, fmt.Errorf("read the API key: %w", err)
	}
	if _, member := p.Role(key.WorkspaceID); !member {
		return nil, fault.Missing("API key")
	}
	own := key.UserID == p.UserID && (p.KeyID == nil || *p.KeyID == id)
	if !own {
		if _, err := Authorize(ctx, key.WorkspaceID, MembersManage); err != nil {
			return nil, err
		}
	}
	if key.RevokedAt != nil {
		return key, nil
	}
	err = a.change(ctx, func(ctx context.Context, tx *ent.Tx) error {
		if key, err = tx.APIKey.UpdateOneID(id).SetRevokedAt(a.now()).Save(ctx); err != nil {
			return fmt.Errorf("revoke the API key: %w", err)
		}
		return Record(ctx, tx, key.WorkspaceID, "api_key.revoke", id.String(), nil)
	})
	return key, err
}
