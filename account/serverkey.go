package account

import (
	"context"

	"github.com/google/uuid"

	"github.com/svc-dev/svc/internal/fault"
)

// ServerWorkspace returns the workspace of a workspace API key with the scope sdk:server, which its maker must still
// be able to give. The error is unauthenticated or forbidden when the key is none of these; any other error says that
// the key could not be looked up.
func (a *Accounts) ServerWorkspace(ctx context.Context, secret string) (uuid.UUID, error) {
	p, err := a.byKey(ctx, secret)
	if err != nil {
		return uuid.Nil, err
	}
	for workspace := range p.roles { // a key has one
		if p.Can(workspace, SDKServer) {
			return workspace, nil
		}
	}
	return uuid.Nil, fault.New(fault.Forbidden, "this API key lacks the scope %s", SDKServer)
}
