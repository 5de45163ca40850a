package studio

import (
	"context"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/svc-dev/svc/account"
	"github.com/svc-dev/svc/account/plan"
	"github.com/svc-dev/svc/analytics/run"
	"github.com/svc-dev/svc/automation"
	"github.com/svc-dev/svc/ent"
	entapp "github.com/svc-dev/svc/ent/app"
	"github.com/svc-dev/svc/ent/environment"
	"github.com/svc-dev/svc/internal/base62"
	"github.com/svc-dev/svc/internal/clientaddr"
	"github.com/svc-dev/svc/internal/fault"
	"github.com/svc-dev/svc/internal/validate"
)

// Kind is one of an app's two environments.
type Kind = environment.Kind

// The two environments.
const (
	Test = environment.KindTest
	Live = environment.KindLive
)

// maxOrigins is how many browser origins an app lists (wire.md §1.1), maxOriginBytes how long each may be: a scheme, a
// host of 253 bytes (RFC 1035 §2.3.4) and a port.
const (
	maxOrigins     = 20
	maxOriginBytes = len("https://") + 253 + len(":65535")
)

// findApp reads an app for a change of it, or of something that it has, and checks that the caller has the capability
// in its workspace. An app of a foreign workspace does not exist for the caller; an archived one changes nothing.
func (s *Studio) findApp(ctx context.Context, id uuid.UUID, capability account.Capability) (*ent.App, error) {
	app, err := s.readApp(ctx, id, capability)
	if err != nil {
		return nil, err
	}
	return app, account.RefuseArchived(ownerOf(app))
}

// readApp reads an app, also an archived one, and checks that the caller has the capability in its workspace.
func (s *Studio) readApp(ctx context.Context, id uuid.UUID, capability account.Capability) (*ent.App, error) {
	if _, err := account.From(ctx); err != nil {
		return nil, err
	}
	app, err := s.client.App.Get(ctx, id)
	if err != nil {
		return nil, readError(err, "app")
	}
	return app, account.AuthorizeApp(ctx, ownerOf(app), "app", capability)
}

// ownerOf returns what decides who may do something with an app.
func ownerOf(app *ent.App) account.App {
	return account.App{Workspace: app.WorkspaceID, ArchivedAt: app.ArchivedAt}
}

// CreateApp makes an app with its two environments and one publishable key in
// each.
func (s *Studio) CreateApp(ctx context.Context, workspace uuid.UUID, name string) (*ent.App, error) {
	if _, err := account.Authorize(ctx, workspace, account.AppManage); err != nil {
		return nil, err
	}
	name, err := validate.Name("name", name)
	if err != nil {
		return nil, err
	}
	id := uuid.Must(uuid.NewV7())
	var app *ent.App
	err = s.transactAndDeliver(ctx, id, record{
		workspace, "app.create", id.String(), map[string]any{"name": name},
	}, func(tx *ent.Tx) error {
		if err := checkAppLimit(ctx, tx, workspace, "workspaceId"); err != nil {
			return err
		}
		if app, err = tx.App.Create().SetID(id).SetWorkspaceID(workspace).SetName(name).Save(ctx); err != nil {
			return fmt.Errorf("store the app: %w", err)
		}
		for _, kind := range []Kind{Test, Live} {
			env, err := tx.Environment.Create().SetAppID(id).SetKind(kind).Save(ctx)
			if err != nil {
				return fmt.Errorf("store the %s environment: %w", kind, err)
			}
			if _, err := createKey(ctx, tx, env); err != nil {
				return err
			}
		}
		return nil
	})
	return app, err
}

// checkAppLimit holds the plan's limit on active apps, when there is one. The field is the input's that asks for one.
func checkAppLimit(ctx context.Context, tx *ent.Tx, workspace uuid.UUID, field string) error {
	bought, err := readPlan(ctx, tx.Subscription, workspace)
	if err != nil {
		return err
	}
	limit, limited := bought.Limit(plan.ActiveApps)
	if !limited {
		return nil
	}
	// Others who add an app wait until this one is committed.
	if _, err := tx.ExecContext(ctx, `select from workspaces where id = $1 for no key update`, workspace); err != nil {
		return fmt.Errorf("lock the workspace: %w", err)
	}
	count, err := tx.App.Query().Where(entapp.WorkspaceID(workspace), entapp.ArchivedAtIsNil()).Count(ctx)
	if err != nil {
		return fmt.Errorf("count the apps: %w", err)
	}
	if int64(count) >= limit {
		return &fault.Error{
			Code: fault.LimitReached, Field: field,
			Message: fmt.Sprintf("the plan %s includes %d active apps", bought.Key, limit),
			Details: map[string]any{"limit": limit, "plan": bought.Key},
		}
	}
	return nil
}

// AppChange names what to change of an app; nil leaves a setting as it is.
type AppChange struct {
	ID             uuid.UUID
	Name           *string
	AllowedOrigins []string // an empty list that is not nil allows any origin
	IgnoreBots     *bool
	// How long runs of flows are waited for (flow-analytics.md §1).
	CompletionWindowDays *int
	PurchaseWindowDays   *int
	LapseMinutes         *int
}

// capabilities returns what the change needs (docs/roles.md): app:manage for the
// name, app:settings for the rest. A change of nothing needs app:settings.
func (c AppChange) capabilities() []account.Capability {
	var needed []account.Capability
	if c.Name != nil {
		needed = append(needed, account.AppManage)
	}
	if c.Name == nil || c.AllowedOrigins != nil || c.IgnoreBots != nil || c.CompletionWindowDays != nil ||
		c.PurchaseWindowDays != nil || c.LapseMinutes != nil {
		needed = append(needed, account.AppSettings)
	}
	return needed
}

// UpdateApp changes an app's name or settings.
func (s *Studio) UpdateApp(ctx context.Context, change AppChange) (*ent.App, error) {
	id, needed := change.ID, change.capabilities()
	app, err := s.findApp(ctx, id, needed[0])
	if err != nil {
		return nil, err
	}
	for _, capability := range needed[1:] {
		if _, err := account.Authorize(ctx, app.WorkspaceID, capability); err != nil {
			return nil, err
		}
	}
	detail := map[string]any{}
	if change.Name != nil {
		name, err := validate.Name("name", *change.Name)
		if err != nil {
			return nil, err
		}
		change.Name, detail["name"] = &name, name
	}
	if change.AllowedOrigins != nil {
		if change.AllowedOrigins, err = checkOrigins("allowedOrigins", change.AllowedOrigins); err != nil {
			return nil, err
		}
		detail["allowedOrigins"] = change.AllowedOrigins
	}
	if change.IgnoreBots != nil {
		detail["ignoreBots"] = *change.IgnoreBots
	}
	if err := change.noteWindows(detail); err != nil {
		return nil, err
	}
	err = s.transactAndDeliver(ctx, id, record{
		app.WorkspaceID, "app.update", id.String(), detail,
	}, func(tx *ent.Tx) error {
		update := tx.App.UpdateOneID(id).SetNillableName(change.Name).SetNillableIgnoreBots(change.IgnoreBots).
			SetNillableCompletionWindowDays(change.CompletionWindowDays).
			SetNillablePurchaseWindowDays(change.PurchaseWindowDays).SetNillableLapseMinutes(change.LapseMinutes)
		if change.AllowedOrigins != nil {
			update.SetAllowedOrigins(change.AllowedOrigins)
		}
		if app, err = update.Save(ctx); err != nil {
			return fmt.Errorf("store the app: %w", err)
		}
		return nil
	})
	return app, err
}

// noteWindows checks the windows of runs and adds those that change to the detail of the audit log.
func (c AppChange) noteWindows(detail map[string]any) error {
	for _, window := range []struct {
		field string
		days  *int
	}{{"completionWindowDays", c.CompletionWindowDays}, {"purchaseWindowDays", c.PurchaseWindowDays}} {
		if window.days == nil {
			continue
		}
		if !slices.Contains(run.WindowDays, *window.days) {
			return fault.Invalid(window.field, "must be 1, 3, 7 or 14")
		}
		detail[window.field] = *window.days
	}
	if c.LapseMinutes != nil {
		lapse := time.Duration(*c.LapseMinutes) * time.Minute
		if *c.LapseMinutes > int(run.MaxLapse/time.Minute) || lapse < run.MinLapse {
			return fault.Invalid("lapseMinutes", "must be between 5 and 1440")
		}
		detail["lapseMinutes"] = *c.LapseMinutes
	}
	return nil
}

// originHost is a host, and maybe its port, as browsers write them: in headers other characters have a meaning.
var originHost = regexp.MustCompile(`^[a-z0-9.:\[\]_-]+$`)

// checkOrigins holds browser origins against wire.md §1.1: exact, https or a
// loopback http one, without path or wildcard.
func checkOrigins(member string, origins []string) ([]string, error) {
	if len(origins) > maxOrigins {
		return nil, fault.Invalid(member, "at most %d origins", maxOrigins)
	}
	checked, seen := []string{}, map[string]bool{}
	for i, text := range origins {
		field := fmt.Sprintf("%s.%d", member, i)
		text = strings.ToLower(strings.TrimSuffix(strings.TrimSpace(text), "/"))
		if len(text) > maxOriginBytes {
			return nil, fault.Invalid(field, "must have at most %d bytes", maxOriginBytes)
		}
		u, err := url.Parse(text)
		if err != nil || u.Hostname() == "" || u.Scheme+"://"+u.Host != text || !originHost.MatchString(u.Host) {
			return nil, fault.Invalid(field, "must be an exact origin such as https://www.example.com")
		}
		if u.Scheme != "https" && (u.Scheme != "http" || !clientaddr.IsLoopback(u.Hostname())) {
			return nil, fault.Invalid(field, "must be https, or http on the local machine")
		}
		if !seen[text] {
			seen[text] = true
			checked = append(checked, text)
		}
	}
	return checked, nil
}

// ArchiveApp takes an app out of service: its keys and channels stop answering, and its automations and webhooks rest.
// Nothing of it changes until it is back, except that people are erased. The app's name is repeated to confirm it.
func (s *Studio) ArchiveApp(ctx context.Context, id uuid.UUID, confirmName string) (*ent.App, error) {
	app, err := s.readApp(ctx, id, account.AppManage)
	if err != nil {
		return nil, err
	}
	if confirmName != app.Name {
		return nil, fault.Invalid("confirmName", "must repeat the app's name")
	}
	if app.ArchivedAt != nil {
		return app, nil
	}
	err = s.transactAndDeliver(ctx, id, record{app.WorkspaceID, "app.archive", id.String(), nil}, func(tx *ent.Tx) error {
		if app, err = tx.App.UpdateOneID(id).SetArchivedAt(s.now()).Save(ctx); err != nil {
			return fmt.Errorf("archive the app: %w", err)
		}
		return automation.Rest(ctx, tx)
	})
	return app, err
}

// UnarchiveApp puts an app back into service: automations go on, and what was to be sent meanwhile is sent.
func (s *Studio) UnarchiveApp(ctx context.Context, id uuid.UUID) (*ent.App, error) {
	app, err := s.readApp(ctx, id, account.AppManage)
	if err != nil || app.ArchivedAt == nil {
		return app, err
	}
	err = s.transactAndDeliver(ctx, id, record{
		app.WorkspaceID, "app.unarchive", id.String(), nil,
	}, func(tx *ent.Tx) error {
		if err := checkAppLimit(ctx, tx, app.WorkspaceID, "id"); err != nil {
			return err
		}
		if app, err = tx.App.UpdateOneID(id).ClearArchivedAt().Save(ctx); err != nil {
			return fmt.Errorf("unarchive the app: %w", err)
		}
		return automation.Resume(ctx, tx, id)
	})
	return app, err
}

// createKey makes a publishable key (wire.md §1): an identifier, not a secret.
func createKey(ctx context.Context, tx *ent.Tx, env *ent.Environment) (*ent.PublishableKey, error) {
	key, err := tx.PublishableKey.Create().SetEnvironmentID(env.ID).
		SetKey(fmt.Sprintf("ob_pk_%s_%s", env.Kind, base62.Random(16))).Save(ctx)
	if err != nil {
		return nil, fmt.Errorf("store the publishable key: %w", err)
	}
	return key, nil
}

// lockApp reads an app again under a lock, for changes that merge.
func lockApp(ctx context.Context, tx *ent.Tx, id uuid.UUID, app **ent.App) error {
	locked, err := tx.App.Query().Where(entapp.ID(id)).ForUpdate().Only(ctx)
	if err != nil {
		return readError(err, "app")
	}
	*app = locked
	return nil
}
