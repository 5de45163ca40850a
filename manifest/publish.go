package manifest

import (
	"slices"
	"strings"
)

// PublishOptions is what the gates need to know besides the manifest. The zero
// value has every integration off, every canvas control on, a plan with every
// feature, and branding unknown.
type PublishOptions struct {
	// GradientPresets are the ids of the app's gradient presets; nil when the
	// branding is not known, which skips the check.
	GradientPresets []string
	// Integrations tells which providers the app has switched on. A headless
	// surface needs none.
	Integrations map[Provider]bool
	// Canvas holds the app's canvas controls; one that is missing is on.
	Canvas map[CanvasControl]bool
	// Plan is what the workspace's plan has; nil has everything.
	Plan *PlanFeatures
	// Media holds the files of the media library by the id that the manifest
	// names them by. What a screen loads is not weighed without.
	Media map[string]MediaFile
	// RadialGradients are the ids of the app's presets that are radial.
	RadialGradients []string
	// UploadedFonts are the names of the app's fonts that have files.
	UploadedFonts []string
}

// PlanFeatures are the features of wire.md §3.6. Motion and translations that
// a plan lacks are cut when serving, so they are warnings here; integration
// nodes are refused.
type PlanFeatures struct {
	Key          string `json:"key"` // of the plan, which problems name
	Animations   bool   `json:"animations"`
	Translations bool   `json:"translations"`
	Integrations bool   `json:"integrations"`
}

// CanvasControl is an app's switch for a building block (manifest.md §12.3).
type CanvasControl string

// The eight switches.
const (
	CanvasLottie              CanvasControl = "lottie" // lottie and video
	CanvasOauthLogin          CanvasControl = "oauthLogin"
	CanvasOauthProviderPreset CanvasControl = "oauthProviderPreset"
	CanvasOauthProviderCustom CanvasControl = "oauthProviderCustom"
	CanvasEmailPasswordAuth   CanvasControl = "emailPasswordAuth"
	CanvasEmailPasswordField  CanvasControl = "emailPasswordField"
	CanvasEmailPasswordSubmit CanvasControl = "emailPasswordSubmit"
	CanvasRequestOsPermission CanvasControl = "requestOsPermission"
)

// CheckPublish runs the gates of manifest.md §12. Errors block publishing and
// importing, warnings do not.
func CheckPublish(m *Manifest, options PublishOptions) []Problem {
	var r report
	gateFlow(m, &r)
	gateBranches(m, &r)
	gateColors(m, options.GradientPresets, &r)
	for i, screen := range m.Screens {
		gateScreen(m, screen, at("/screens", i), &r)
	}
	gateTemplates(m, &r)
	gateFillChain(m, &r)
	gateAccess(m, &r)
	gateContrast(m, &r)
	gatePrices(m, &r)
	gateTranslations(m, &r)
	gateMedia(m, options.Media, &r)
	gateParity(m, options, &r)
	gateIntegrations(m, options, &r)
	gateCanvas(m, options.Canvas, &r)
	gatePlan(m, options.Plan, &r)
	return m.withSteps(&r)
}

// withSteps finishes a report about a manifest that Parse has accepted.
func (m *Manifest) withSteps(r *report) []Problem {
	return r.finish(func(collection string, i int) string {
		switch {
		case collection == "screens" && i < len(m.Screens):
			return m.Screens[i].ID
		case collection == "decisionNodes" && i < len(m.Decisions):
			return m.Decisions[i].ID
		case collection == "externalSurfaceNodes" && i < len(m.Surfaces):
			return m.Surfaces[i].ID
		}
		return ""
	})
}

// gateFlow checks that a run can start and end, and names what no run reaches.
func gateFlow(m *Manifest, r *report) {
	switch {
	case len(m.Screens) == 0:
		r.fail("/screens", "flow.no_screens", "The flow has no screens.")
		return
	case m.EntryID == "":
		r.fail("/entryScreenId", "flow.no_entry", "The flow has no entry.")
		return
	}
	g := m.graph()
	reached := g.reachable(nil)
	completes := false
	for id := range reached {
		completes = completes || g.ends[id]
	}
	if !completes {
		r.fail("/entryScreenId", "flow.no_completion_path", "No way from the entry completes the flow.")
	}
	for i, screen := range m.Screens {
		if !reached[screen.ID] {
			r.warn(at("/screens", i), "screen.unreachable", "Nothing leads to screen %s.", screen.ID)
		}
	}
	for i, decision := range m.Decisions {
		if !reached[decision.ID] {
			r.warn(at("/decisionNodes", i), "decision.unreachable", "Nothing leads to decision %s.", decision.ID)
		}
	}
	for i, surface := range m.Surfaces {
		if !reached[surface.ID] {
			r.warn(at("/externalSurfaceNodes", i), "external_surface.unreachable", "Nothing leads to surface %s.", surface.ID)
		}
	}
}

// gateBranches checks that decisions and conditional layers are complete, and
// warns of decisions that may read an answer before it is given.
func gateBranches(m *Manifest, r *report) {
	const incomplete = "decision.incomplete_branches"
	for i, d := range m.Decisions {
		for j, c := range d.Cases {
			if c.Next == nil {
				r.fail(at("/decisionNodes", i, "cases", j, "next"), incomplete, "The case leads nowhere.")
			}
		}
		if d.ElseNext == nil {
			r.fail(at("/decisionNodes", i, "elseNext"), incomplete, "The decision leads nowhere when no case holds.")
		}
	}
	collected := newCollection(m)
	for _, e := range m.expressions() {
		if e.layer != nil {
			if !e.hasPredicate() {
				r.fail(e.pointer, "conditional.incomplete_cases", "The case has no condition.")
			}
			continue
		}
		e.variables(e.pointer, func(v *Variable, pointer string) {
			if v.Kind == "field" && !collected.before(v.FieldKey, e.decision.ID) {
				r.warn(
					at(pointer, "fieldKey"), "decision.field_not_on_every_path", "Some ways to this decision do not ask for %q.",
					clip(v.FieldKey),
				)
			}
		})
	}
}

// gateIntegrations checks surfaces against what the app has switched on.
func gateIntegrations(m *Manifest, options PublishOptions, r *report) {
	for i, s := range m.Surfaces {
		pointer := at("/externalSurfaceNodes", i)
		provider := s.Config.Provider
		switch {
		case provider == Unspecified:
			r.fail(at(pointer, "config", "provider"), "surface.provider_unspecified", "Choose who shows surface %s.", s.ID)
		case provider != Headless && !options.Integrations[provider]:
			r.fail(
				at(pointer, "config", "provider"), "surface.integration_disabled",
				"The integration %s is switched off for this app.", provider,
			)
		}
		if provider == Stripe && s.Config.PaymentLinkURL == "" {
			r.fail(
				at(pointer, "config", "paymentLinkUrl"), "surface.payment_link_missing", "Surface %s needs a payment link.", s.ID,
			)
		}
		if s.Fallback == nil {
			r.fail(at(pointer, "fallback"), "surface.no_fallback", "Surface %s needs a fallback.", s.ID)
		}
	}
	for _, e := range m.edges() {
		if e.background {
			checkTarget(m, e, r)
		}
	}
}

// canvasControl returns the switch that a layer stands under, "" for none.
func canvasControl(l *Layer) CanvasControl {
	switch l.Kind {
	case KindLottie, KindVideo:
		return CanvasLottie
	case KindOauthLogin:
		return CanvasOauthLogin
	case KindOauthProvider:
		if l.Variant == "custom" {
			return CanvasOauthProviderCustom
		}
		return CanvasOauthProviderPreset
	case KindEmailPasswordAuth:
		return CanvasEmailPasswordAuth
	case KindEmailPasswordField:
		return CanvasEmailPasswordField
	case KindEmailPasswordSubmit:
		return CanvasEmailPasswordSubmit
	}
	if l.asksPermission() {
		return CanvasRequestOsPermission
	}
	return ""
}

func gateCanvas(m *Manifest, canvas map[CanvasControl]bool, r *report) {
	for _, p := range m.layers {
		control := canvasControl(p.Layer)
		if on, set := canvas[control]; set && !on {
			r.fail(p.pointer, "canvas.disabled", "%s is switched off for this app.", control)
		}
	}
}

func gatePlan(m *Manifest, plan *PlanFeatures, r *report) {
	if plan == nil {
		return
	}
	if !plan.Animations && m.HasAnimations() {
		r.warn("/screens", "plan.animations", "The plan %s has no animations: they will not be served.", plan.Key)
	}
	if !plan.Translations && m.HasTranslations() {
		r.warn("/locales", "plan.translations", "The plan %s has no translations: only %s will be served.", plan.Key,
			m.DefaultLocale)
	}
	if !plan.Integrations && m.UsesIntegrations() {
		r.fail("/externalSurfaceNodes", "plan.integrations", "The plan %s has no integration nodes.", plan.Key)
	}
}

const (
	brandGradient  = "$brandGradient:"
	linearGradient = "linear-gradient("
)

// gateColors checks that gradients stand on backgrounds only. Which members
// are backgrounds is what schema.json says.
func gateColors(m *Manifest, presets []string, r *report) {
	doc, err := m.document()
	if err != nil {
		r.fail("", "json.invalid", "The manifest cannot be read: %s.", err)
		return
	}
	eachColor(doc, func(pointer, color string, background bool) {
		id, brand := strings.CutPrefix(color, brandGradient)
		switch {
		case brand && !background:
			r.fail(pointer, "brand_gradient.disallowed_field", "A gradient can be used as a background only.")
		case brand && presets != nil && !slices.ContainsFunc(presets, func(preset string) bool {
			return strings.EqualFold(preset, id)
		}):
			r.fail(pointer, "brand_gradient.unknown_preset", "The branding has no gradient %s.", clip(id))
		case !background && strings.HasPrefix(strings.ToLower(strings.TrimSpace(color)), linearGradient):
			r.fail(pointer, "brand_gradient.linear_css_disallowed_field", "A gradient can be used as a background only.")
		}
	})
}
