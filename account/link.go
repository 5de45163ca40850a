package account

import (
	"context"
	"fmt"

	"github.com/svc-dev/svc/ent"
	"github.com/svc-dev/svc/ent/setuptoken"
	"github.com/svc-dev/svc/internal/fault"
)

// SetupLink is what a set-up link is for.
type SetupLink struct {
	// FirstAdministrator tells that its holder chooses an e-mail and makes the
	// first workspace.
	FirstAdministrator bool
	// Email and Name are those of the person who was invited or whose password
	// was reset.
	Email, Name string
}

// SetupLink looks a set-up token up without using it. A token that is unknown,
// used or expired is not_found.
func (a *Accounts) SetupLink(ctx context.Context, token string) (*SetupLink, error) {
	if !wellFormed(setupPrefix, token) {
		return nil, fault.Missing("set-up link")
	}
	ctx, cancel := context.WithTimeout(ctx, lookupTime)
	defer cancel()
	stored, err := a.client.SetupToken.Query().
		Where(setuptoken.Hash(secretHash(token)), setuptoken.UsedAtIsNil(), setuptoken.ExpiresAtGT(a.now())).
		WithUser().Only(ctx)
	if ent.IsNotFound(err) {
		return nil, fault.Missing("set-up link")
	}
	if err != nil {
		return nil, fmt.Errorf("read the set-up token: %w", err)
	}
	if stored.UserID == nil {
		return &SetupLink{FirstAdministrator: true}, nil
	}
	return &SetupLink{Email: stored.Edges.User.Email, Name: stored.Edges.User.Name}, nil
}
