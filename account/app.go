package account

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/svc-dev/svc/internal/fault"
)

// App is what decides who may do something with an app and with what it has.
type App struct {
	Workspace uuid.UUID
	// ArchivedAt is nil of an app that is in service.
	ArchivedAt *time.Time
}

// AuthorizeApp checks that the caller has the capability where an app is. What of a foreign workspace's is reported as
// not found by the name that the caller asked for.
func AuthorizeApp(ctx context.Context, app App, what string, capability Capability) error {
	p, err := From(ctx)
	if err != nil {
		return err
	}
	if _, member := p.Role(app.Workspace); !member {
		return fault.Missing(what)
	}
	_, err = Authorize(ctx, app.Workspace, capability)
	return err
}

// AuthorizeAppChange checks what [AuthorizeApp] does for a change of an app or of something that it has. It is the one
// place that refuses changes of archived apps: they rest, and change when they are back.
func AuthorizeAppChange(ctx context.Context, app App, what string, capability Capability) error {
	if err := AuthorizeApp(ctx, app, what, capability); err != nil {
		return err
	}
	return RefuseArchived(app)
}

// RefuseArchived returns the conflict that a change of an archived app is; nil for an app that is in service.
func RefuseArchived(app App) error {
	if app.ArchivedAt != nil {
		return fault.New(fault.Conflict, "the app is archived: unarchive it first")
	}
	return nil
}
