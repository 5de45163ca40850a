package studio

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/svc-dev/svc/account"
	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/ent"
	entapp "github.com/svc-dev/svc/ent/app"
	"github.com/svc-dev/svc/ent/savedview"
	"github.com/svc-dev/svc/ent/segment"
	"github.com/svc-dev/svc/internal/fault"
	"github.com/svc-dev/svc/internal/validate"
)

// Bounds on the saved views of one app.
const (
	maxSavedViews     = 200
	maxViewScopeBytes = 16 << 10
)

// ViewScope is what a saved view asks reports for, in the shape that GraphQL takes and gives: enums in upper case,
// empty where nothing is said.
type ViewScope struct {
	Period        string                `json:"period"`
	From          string                `json:"from,omitempty"` // YYYY-MM-DD, as is To
	To            string                `json:"to,omitempty"`
	TimeZone      string                `json:"timeZone,omitempty" validate:"zone"`
	Grain         string                `json:"grain,omitempty"`
	Platform      string                `json:"platform,omitempty"`
	SegmentID     *uuid.UUID            `json:"segmentId,omitempty"`
	Cross         map[string]RuleFilter `json:"cross,omitempty"`
	Comparison    string                `json:"comparison"`
	Against       string                `json:"against,omitempty" validate:"utf16max=200"`
	MatchWeekdays bool                  `json:"matchWeekdays"`
}

// ViewChange names what to change of a saved view; nil leaves a part as it is.
type ViewChange struct {
	Name  *string
	Scope *ViewScope
}

// encode checks a scope and returns how it is stored.
func (v ViewScope) encode() (json.RawMessage, error) {
	if err := validate.At("scope", v); err != nil {
		return nil, err
	}
	for _, day := range []struct{ field, text string }{{"scope.from", v.From}, {"scope.to", v.To}} {
		if v.Period != "CUSTOM" && day.text != "" {
			return nil, fault.Invalid(day.field, "goes with the period CUSTOM only")
		}
		if _, err := time.Parse(time.DateOnly, day.text); err != nil && v.Period == "CUSTOM" {
			return nil, fault.Invalid(day.field, "must be a day, as 2026-01-31, with the period CUSTOM")
		}
	}
	switch v.Comparison {
	case "SEGMENT", "VERSION", "ARM":
		if v.Against == "" {
			return nil, fault.Invalid("scope.against", "is required with the comparison %s", v.Comparison)
		}
	default:
		if v.Against != "" {
			return nil, fault.Invalid("scope.against", "goes with the comparisons SEGMENT, VERSION and ARM only")
		}
	}
	rules, err := v.rules()
	if err != nil {
		return nil, err
	}
	if err := (&analytics.Segment{Rules: rules}).Validate(); err != nil {
		return nil, err
	}
	stored, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("write the scope: %w", err)
	}
	if len(stored) > maxViewScopeBytes {
		return nil, fault.Invalid("scope", "has %d bytes of JSON, more than %d", len(stored), maxViewScopeBytes)
	}
	return stored, nil
}

// rules returns the platform and the filters.
func (v ViewScope) rules() (*analytics.SegmentRules, error) {
	return (&SegmentRules{Platform: v.Platform, Cross: v.Cross}).analytics(0)
}

// prepareView checks a change of a view of an app and returns the parts as they are stored; what is not changed is
// zero.
func (s *Studio) prepareView(
	ctx context.Context, app uuid.UUID, change ViewChange,
) (name string, scope json.RawMessage, err error) {
	if change.Name != nil {
		if name, err = validate.Name("name", *change.Name); err != nil {
			return "", nil, err
		}
	}
	if change.Scope == nil {
		return name, nil, nil
	}
	if scope, err = change.Scope.encode(); err != nil {
		return "", nil, err
	}
	if id := change.Scope.SegmentID; id != nil {
		found, err := s.client.Segment.Query().Where(segment.ID(*id), segment.AppID(app)).Exist(ctx)
		if err != nil {
			return "", nil, fmt.Errorf("read the segment: %w", err)
		}
		if !found {
			return "", nil, fault.Invalid("scope.segmentId", "is not a segment of this app")
		}
	}
	return name, scope, nil
}

// CreateSavedView keeps a scope of reports under a name that no other view of the app has.
func (s *Studio) CreateSavedView(ctx context.Context, app uuid.UUID, change ViewChange) (*ent.SavedView, error) {
	a, err := s.findApp(ctx, app, account.ViewManage)
	if err != nil {
		return nil, err
	}
	name, scope, err := s.prepareView(ctx, app, change)
	if err != nil {
		return nil, err
	}
	var made *ent.SavedView
	err = views.create(ctx, s, a, name,
		func(tx *ent.Tx) (int, error) { return tx.SavedView.Query().Where(savedview.AppID(app)).Count(ctx) },
		func(tx *ent.Tx, id uuid.UUID) (err error) {
			made, err = tx.SavedView.Create().SetID(id).SetAppID(app).SetName(name).SetScope(scope).Save(ctx)
			return err
		})
	return made, err
}

// savedView finds a view for those who may change it.
func (s *Studio) savedView(ctx context.Context, id uuid.UUID) (*ent.App, *ent.SavedView, error) {
	if _, err := account.From(ctx); err != nil {
		return nil, nil, err
	}
	app, err := s.client.App.Query().Where(entapp.HasSavedViewsWith(savedview.ID(id))).Only(ctx)
	if err != nil {
		return nil, nil, readError(err, "saved view")
	}
	if err := account.AuthorizeAppChange(ctx, ownerOf(app), "saved view", account.ViewManage); err != nil {
		return nil, nil, err
	}
	found, err := s.client.SavedView.Get(ctx, id)
	if err != nil {
		return nil, nil, readError(err, "saved view")
	}
	return app, found, nil
}

// UpdateSavedView renames a view, or gives it another scope.
func (s *Studio) UpdateSavedView(ctx context.Context, id uuid.UUID, change ViewChange) (*ent.SavedView, error) {
	app, changed, err := s.savedView(ctx, id)
	if err != nil {
		return nil, err
	}
	name, scope, err := s.prepareView(ctx, app.ID, change)
	if err != nil {
		return nil, err
	}
	detail := map[string]any{}
	if name != "" {
		detail["name"] = name
	}
	err = s.transact(ctx, record{app.WorkspaceID, "view.update", id.String(), detail}, func(tx *ent.Tx) error {
		update := tx.SavedView.UpdateOneID(id)
		if name != "" {
			update.SetName(name)
		}
		if scope != nil {
			update.SetScope(scope)
		}
		changed, err = update.Save(ctx)
		return views.explain(err)
	})
	return changed, err
}

// DeleteSavedView removes a view. Links that were made of it hold what it asked for.
func (s *Studio) DeleteSavedView(ctx context.Context, id uuid.UUID) error {
	app, found, err := s.savedView(ctx, id)
	if err != nil {
		return err
	}
	return views.remove(ctx, s, app, id, found.Name, func(tx *ent.Tx) error {
		return tx.SavedView.DeleteOneID(id).Exec(ctx)
	})
}
