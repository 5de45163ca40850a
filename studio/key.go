package studio

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"github.com/svc-dev/svc/account"
	"github.com/svc-dev/svc/ent"
	entapp "github.com/svc-dev/svc/ent/app"
	"github.com/svc-dev/svc/ent/environment"
	"github.com/svc-dev/svc/ent/publishablekey"
)

// findEnvironment reads one half of an app for a change by a caller with the capability.
func (s *Studio) findEnvironment(
	ctx context.Context, app uuid.UUID, kind Kind, capability account.Capability,
) (*ent.App, *ent.Environment, error) {
	a, env, err := s.readEnvironment(ctx, app, kind, capability)
	if err != nil {
		return nil, nil, err
	}
	return a, env, account.RefuseArchived(ownerOf(a))
}

// readEnvironment reads one half of an app, also of an archived one, for a caller with the capability.
func (s *Studio) readEnvironment(
	ctx context.Context, app uuid.UUID, kind Kind, capability account.Capability,
) (*ent.App, *ent.Environment, error) {
	a, err := s.readApp(ctx, app, capability)
	if err != nil {
		return nil, nil, err
	}
	env, err := s.client.Environment.Query().Where(environment.AppID(app), environment.KindEQ(kind)).Only(ctx)
	if err != nil {
		return nil, nil, readError(err, "environment")
	}
	return a, env, nil
}

// RotateKey makes a new publishable key for an environment. Earlier ones go on
// working until they are revoked, because released apps carry them.
func (s *Studio) RotateKey(ctx context.Context, app uuid.UUID, kind Kind) (*ent.PublishableKey, error) {
	a, env, err := s.findEnvironment(ctx, app, kind, account.AppSettings)
	if err != nil {
		return nil, err
	}
	var key *ent.PublishableKey
	err = s.transactAndDeliver(ctx, app, record{
		a.WorkspaceID, "publishable_key.create", app.String(), map[string]any{"environment": kind},
	}, func(tx *ent.Tx) error {
		key, err = createKey(ctx, tx, env)
		return err
	})
	return key, err
}

// RevokeKey ends a publishable key. SDKs that carry it are refused from then on.
func (s *Studio) RevokeKey(ctx context.Context, id uuid.UUID) (*ent.PublishableKey, error) {
	if _, err := account.From(ctx); err != nil {
		return nil, err
	}
	app, err := s.client.App.Query().
		Where(entapp.HasEnvironmentsWith(environment.HasPublishableKeysWith(publishablekey.ID(id)))).Only(ctx)
	if err != nil {
		return nil, readError(err, "publishable key")
	}
	if err := account.AuthorizeAppChange(ctx, ownerOf(app), "publishable key", account.AppSettings); err != nil {
		return nil, err
	}
	var key *ent.PublishableKey
	err = s.transactAndDeliver(ctx, app.ID, record{
		app.WorkspaceID, "publishable_key.revoke", id.String(), nil,
	}, func(tx *ent.Tx) error {
		if key, err = tx.PublishableKey.Get(ctx, id); err != nil {
			return fmt.Errorf("read the publishable key: %w", err)
		}
		if key.RevokedAt != nil {
			return nil
		}
		if key, err = tx.PublishableKey.UpdateOneID(id).SetRevokedAt(s.now()).Save(ctx); err != nil {
			return fmt.Errorf("revoke the publishable key: %w", err)
		}
		return nil
	})
	return key, err
}
