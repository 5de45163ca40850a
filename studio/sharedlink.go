package studio

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/svc-dev/svc/account"
	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/ent"
	entapp "github.com/svc-dev/svc/ent/app"
	"github.com/svc-dev/svc/ent/environment"
	"github.com/svc-dev/svc/ent/sharedlink"
	"github.com/svc-dev/svc/internal/fault"
	"github.com/svc-dev/svc/internal/validate"
)

// maxSharedLinks bounds the shared links of one environment that are not revoked.
const maxSharedLinks = 200

// SharedLinkDraft is what a shared link is made of.
type SharedLinkDraft struct {
	App          uuid.UUID
	Environment  environment.Kind
	Name         string
	Reports      []string // as GraphQL writes them
	Scope        ViewScope
	Password     *string // nil: the link alone opens the reports
	ExpiresAt    *time.Time
	FrameOrigins []string
	PoweredBy    bool
}

// NewSharedLink is a shared link with its token, which is shown this once.
type NewSharedLink struct {
	Link  *ent.SharedLink
	Token string
}

// validate checks the draft's own parts and writes them as they are stored.
func (d *SharedLinkDraft) validate(now time.Time) (err error) {
	if d.Name, err = validate.Name("name", d.Name); err != nil {
		return err
	}
	if len(d.Reports) == 0 {
		return fault.Invalid("reports", "name at least one report")
	}
	var reports []string
	for _, report := range d.Reports {
		if !slices.Contains(reports, report) {
			reports = append(reports, report)
		}
	}
	d.Reports = reports
	switch d.Scope.Comparison {
	case "PREVIOUS", "YEAR", "NONE":
	default:
		return fault.Invalid("scope.comparison", "must be PREVIOUS, YEAR or NONE: readers see one scope only")
	}
	if d.ExpiresAt != nil && !d.ExpiresAt.After(now) {
		return fault.Invalid("expiresAt", "must be in the future")
	}
	if slices.Equal(d.FrameOrigins, []string{"*"}) {
		return nil
	}
	d.FrameOrigins, err = checkOrigins("frameOrigins", d.FrameOrigins)
	return err
}

// CreateSharedLink makes a link whose holders read reports without signing in. hash checks a password and returns what
// is stored of it.
func (s *Studio) CreateSharedLink(
	ctx context.Context, draft SharedLinkDraft, hash func(context.Context, string) (string, error),
) (*NewSharedLink, error) {
	app, err := s.findApp(ctx, draft.App, account.ViewManage)
	if err != nil {
		return nil, err
	}
	// Nobody gives out what they may not see.
	author, err := account.Authorize(ctx, app.WorkspaceID, account.AnalyticsRead)
	if err != nil {
		return nil, err
	}
	if err := draft.validate(s.now()); err != nil {
		return nil, err
	}
	_, scope, err := s.prepareView(ctx, app.ID, ViewChange{Scope: &draft.Scope})
	if err != nil {
		return nil, err
	}
	passwordHash := ""
	if draft.Password != nil {
		if passwordHash, err = hash(ctx, *draft.Password); err != nil {
			return nil, err
		}
	}
	id := uuid.Must(uuid.NewV7())
	token, tokenHash := account.NewLinkToken()
	made := &NewSharedLink{Token: token}
	entry := record{app.WorkspaceID, "shared_link.create", id.String(), map[string]any{
		"name": draft.Name, "app": app.ID, "environment": draft.Environment, "reports": draft.Reports,
		"password": draft.Password != nil,
	}}
	err = s.transact(ctx, entry, func(tx *ent.Tx) error {
		env, err := lockForLink(ctx, tx, draft)
		if err != nil {
			return err
		}
		made.Link, err = tx.SharedLink.Create().SetID(id).SetEnvironmentID(env).SetUserID(author.UserID).
			SetName(draft.Name).SetHash(tokenHash).SetPasswordHash(passwordHash).SetReports(draft.Reports).SetScope(scope).
			SetFrameOrigins(draft.FrameOrigins).SetPoweredBy(draft.PoweredBy).SetNillableExpiresAt(draft.ExpiresAt).
			Save(ctx)
		if err != nil {
			return fmt.Errorf("store the shared link: %w", err)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return made, nil
}

// lockForLink returns the draft's environment, locked, so that of two who make a link at once the second is counted
// after the first.
func lockForLink(ctx context.Context, tx *ent.Tx, draft SharedLinkDraft) (int64, error) {
	env, err := tx.Environment.Query().
		Where(environment.AppID(draft.App), environment.KindEQ(draft.Environment)).ForUpdate().Only(ctx)
	if err != nil {
		return 0, readError(err, "environment")
	}
	count, err := tx.SharedLink.Query().
		Where(sharedlink.EnvironmentID(env.ID), sharedlink.RevokedAtIsNil()).Count(ctx)
	if err != nil {
		return 0, fmt.Errorf("count the shared links: %w", err)
	}
	if count >= maxSharedLinks {
		return 0, fault.Invalid("environment", "has %d shared links already: revoke some first", maxSharedLinks)
	}
	return env.ID, nil
}

// RevokeSharedLink ends a link at once.
func (s *Studio) RevokeSharedLink(ctx context.Context, id uuid.UUID) (*ent.SharedLink, error) {
	if _, err := account.From(ctx); err != nil {
		return nil, err
	}
	app, err := s.client.App.Query().
		Where(entapp.HasEnvironmentsWith(environment.HasSharedLinksWith(sharedlink.ID(id)))).Only(ctx)
	if err != nil {
		return nil, readError(err, "shared link")
	}
	if err := account.AuthorizeAppChange(ctx, ownerOf(app), "shared link", account.ViewManage); err != nil {
		return nil, err
	}
	link, err := s.client.SharedLink.Get(ctx, id)
	if err != nil {
		return nil, readError(err, "shared link")
	}
	if link.RevokedAt != nil {
		return link, nil
	}
	entry := record{app.WorkspaceID, "shared_link.revoke", id.String(), map[string]any{"name": link.Name}}
	err = s.transact(ctx, entry, func(tx *ent.Tx) error {
		if link, err = tx.SharedLink.UpdateOneID(id).SetRevokedAt(s.now()).Save(ctx); err != nil {
			return fmt.Errorf("revoke the shared link: %w", err)
		}
		return nil
	})
	return link, err
}

// FixedScope is what limits the readers of a shared link.
type FixedScope struct {
	ViewScope
	Filters []analytics.Filter
}

// ReadFixedScope reads the scope of a shared link as it is stored.
func ReadFixedScope(stored json.RawMessage) (fixed FixedScope, err error) {
	if err := json.Unmarshal(stored, &fixed.ViewScope); err != nil {
		return FixedScope{}, fmt.Errorf("read the scope of a shared link: %w", err)
	}
	rules, err := fixed.rules()
	if err != nil {
		return FixedScope{}, err
	}
	fixed.Filters = rules.Cross
	return fixed, nil
}
