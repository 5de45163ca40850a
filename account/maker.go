package account

import (
	"context"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"github.com/svc-dev/svc/ent"
	"github.com/svc-dev/svc/ent/apikey"
	"github.com/svc-dev/svc/ent/membership"
)

// MakerCan tells whether whoever made something that outlives its request, such as a link, still has the capability
// in the workspace. The key is the one that they made it with, which must work still, or nil.
func MakerCan(
	ctx context.Context, client *ent.Client, workspace, maker uuid.UUID, key *uuid.UUID, capability Capability,
) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, lookupTime)
	defer cancel()
	member, err := client.Membership.Query().
		Where(membership.WorkspaceID(workspace), membership.UserID(maker)).Only(ctx)
	if ent.IsNotFound(err) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("read the maker's membership: %w", err)
	}
	if !Allows(member.Role, capability) || key == nil {
		return Allows(member.Role, capability), nil
	}
	made, err := client.APIKey.Query().
		Where(apikey.ID(*key), apikey.WorkspaceID(workspace), apikey.RevokedAtIsNil()).Only(ctx)
	if ent.IsNotFound(err) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("read the maker's key: %w", err)
	}
	return slices.Contains(made.Scopes, string(capability)), nil
}
