package studio

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/google/uuid"

	"github.com/svc-dev/svc/account"
	"github.com/svc-dev/svc/account/plan"
	"github.com/svc-dev/svc/delivery/integration"
	"github.com/svc-dev/svc/ent"
	"github.com/svc-dev/svc/internal/validate"
	"github.com/svc-dev/svc/manifest"
)

// IntegrationsChange names what to change; nil leaves a provider as it is.
type IntegrationsChange struct {
	AppID      uuid.UUID               `json:"appId"`
	RevenueCat *integration.RevenueCat `json:"revenuecat"`
	Superwall  *integration.Superwall  `json:"superwall"`
	AppsFlyer  *integration.Toggle     `json:"appsflyer"`
	Stripe     *integration.Toggle     `json:"stripe"`
}

// patches returns the providers to change, by their names in the stored form.
func (c IntegrationsChange) patches() map[string]any {
	patches := map[string]any{}
	if c.RevenueCat != nil {
		patches["revenuecat"] = c.RevenueCat
	}
	if c.Superwall != nil {
		patches["superwall"] = c.Superwall
	}
	if c.AppsFlyer != nil {
		patches["appsflyer"] = c.AppsFlyer
	}
	if c.Stripe != nil {
		patches["stripe"] = c.Stripe
	}
	return patches
}

// enabled returns a provider that the change turns on; "" for none.
func (c IntegrationsChange) enabled() string {
	switch {
	case c.RevenueCat != nil && c.RevenueCat.Enabled:
		return "revenuecat"
	case c.Superwall != nil && c.Superwall.Enabled:
		return "superwall"
	case c.AppsFlyer != nil && c.AppsFlyer.Enabled:
		return "appsflyer"
	case c.Stripe != nil && c.Stripe.Enabled:
		return "stripe"
	}
	return ""
}

// UpdateIntegrations changes an app's providers (wire.md §3.4) and raises its
// channels. Members of the stored form that are unknown here are kept.
func (s *Studio) UpdateIntegrations(ctx context.Context, change IntegrationsChange) (*ent.App, error) {
	id := change.AppID
	app, err := s.findApp(ctx, id, account.AppSettings)
	if err != nil {
		return nil, err
	}
	if err := validate.Input(change); err != nil {
		return nil, err
	}
	if provider := change.enabled(); provider != "" {
		if err := s.requireFeature(ctx, app.WorkspaceID, plan.Integrations, provider+".enabled"); err != nil {
			return nil, err
		}
	}
	patches := change.patches()
	err = s.transactAndDeliver(ctx, id, record{
		app.WorkspaceID, "integrations.update", id.String(), patches,
	}, func(tx *ent.Tx) error {
		if err := lockApp(ctx, tx, id, &app); err != nil {
			return err
		}
		merged, err := mergeIntegrations(app.Integrations, patches)
		if err != nil {
			return err
		}
		if app, err = tx.App.UpdateOneID(id).SetIntegrations(merged).Save(ctx); err != nil {
			return fmt.Errorf("store the integrations: %w", err)
		}
		return raiseAll(ctx, tx, "integrations", channelsOfApp(id))
	})
	return app, err
}

// mergeIntegrations writes the patches over the stored form, member by member.
func mergeIntegrations(stored json.RawMessage, patches map[string]any) (json.RawMessage, error) {
	all := map[string]map[string]json.RawMessage{}
	if err := json.Unmarshal(stored, &all); err != nil {
		all = map[string]map[string]json.RawMessage{} // delivery reads it as all defaults too
	}
	for provider, patch := range patches {
		text, err := json.Marshal(patch)
		if err != nil {
			return nil, fmt.Errorf("write the integrations: %w", err)
		}
		members := all[provider]
		if members == nil {
			members = map[string]json.RawMessage{}
		}
		if err := json.Unmarshal(text, &members); err != nil {
			return nil, fmt.Errorf("write the integrations: %w", err)
		}
		all[provider] = members
	}
	return json.Marshal(all)
}

// CanvasControls are the eight switches of manifest.md §12.3.
var CanvasControls = []manifest.CanvasControl{
	manifest.CanvasLottie, manifest.CanvasOauthLogin, manifest.CanvasOauthProviderPreset,
	manifest.CanvasOauthProviderCustom,
	manifest.CanvasEmailPasswordAuth, manifest.CanvasEmailPasswordField, manifest.CanvasEmailPasswordSubmit,
	manifest.CanvasRequestOsPermission,
}

// UpdateCanvas switches building blocks on or off. Off hides them from the
// palette and blocks publishing a flow that uses them; published versions go on.
func (s *Studio) UpdateCanvas(
	ctx context.Context, id uuid.UUID, change map[manifest.CanvasControl]bool,
) (*ent.App, error) {
	app, err := s.findApp(ctx, id, account.AppSettings)
	if err != nil {
		return nil, err
	}
	detail := map[string]any{}
	for control, on := range change {
		detail[string(control)] = on
	}
	err = s.transact(ctx, record{app.WorkspaceID, "canvas.update", id.String(), detail}, func(tx *ent.Tx) error {
		if err := lockApp(ctx, tx, id, &app); err != nil {
			return err
		}
		gates := map[string]bool{}
		for control, on := range app.CanvasGates {
			gates[control] = on
		}
		for control, on := range change {
			gates[string(control)] = on
		}
		if app, err = tx.App.UpdateOneID(id).SetCanvasGates(gates).Save(ctx); err != nil {
			return fmt.Errorf("store the canvas controls: %w", err)
		}
		return nil
	})
	return app, err
}
