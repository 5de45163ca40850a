package manifest

import (
	"math"
	"net/url"
	"strings"
)

// refineKind checks the rules of one kind of layer (manifest.md §11.5, and the
// rules that the tables of §6–§8 state). The rules that the format's first
// validator left out are checked here too.
func refineKind(m *Manifest, p *placedLayer, r *report) {
	switch p.Kind {
	case KindHyperlink:
		if !isLink(p.Href) {
			r.fail(at(p.pointer, "href"), "hyperlink.href", "The link must be an https: address or a mailto: address.")
		}
	case KindLoader:
		refineLoader(p, r)
	case KindCarousel:
		if p.OpenOn >= len(p.Slides) {
			r.fail(
				at(p.pointer, "openOn"), "carousel.open_on", "The carousel has %d slides; openOn counts from 0.", len(p.Slides),
			)
		}
	case KindConditional:
		refineConditional(p, r)
	case KindButton:
		if p.Action.Kind == "go_back_one_screen" && p.screen.ID == m.EntryID {
			r.fail(
				at(p.pointer, "action", "kind"), "button.back_on_entry", "There is no screen to go back to from the entry screen.",
			)
		}
	case KindSingleChoice, KindMultipleChoice:
		refineChoice(p, r)
	case KindTextInput:
		if p.MinLength != nil && p.MaxLength != nil && *p.MinLength > *p.MaxLength {
			r.fail(at(p.pointer, "minLength"), "text_input.length_range", "minLength must not exceed maxLength.")
		}
	case KindScaleInput, KindNumberStepper:
		refineRange(p, r)
		if p.Kind == KindNumberStepper {
			refineStepperParts(p, r)
		}
	case KindWheelPicker:
		refineWheel(p, r)
	case KindDateTimeInput:
		refineDates(p, r)
	case KindOauthLogin:
		refinePresets(p, r)
	case KindEmailPasswordAuth:
		refineEmailParts(p, r)
		if rules := p.Rules; rules != nil && rules.MinLength != nil && rules.MaxLength != nil &&
			*rules.MinLength > *rules.MaxLength {
			r.fail(
				at(p.pointer, "passwordRules", "maxLength"), "email_password_auth.length_range",
				"maxLength must be at least minLength.",
			)
		}
	}
}

func isLink(href string) bool {
	u, err := url.Parse(strings.TrimSpace(href))
	if err != nil {
		return false
	}
	return u.Scheme == "https" && u.Host != "" || u.Scheme == "mailto"
}

// refineLoader: a circle has one size.
func refineLoader(p *placedLayer, r *report) {
	if p.Variant != "circular" || p.Style == nil {
		return
	}
	width, okWidth := p.Style.Width.Number()
	height, okHeight := p.Style.Height.Number()
	if okWidth && okHeight && width != height {
		r.fail(at(p.pointer, "style", "height"), "loader.not_round", "A circular loader needs the same width and height.")
	}
}

// refineConditional: every child is bound exactly once.
func refineConditional(p *placedLayer, r *report) {
	b := newBinder(p, "conditional", r)
	ids := map[string]bool{}
	for i, c := range p.Cases {
		if ids[c.ID] {
			r.fail(
				at(p.pointer, "cases", i, "id"), "conditional.duplicate_case", "The layer has another case with the id %s.",
				clip(c.ID),
			)
		}
		ids[c.ID] = true
		b.bind(c.RootLayerID, at(p.pointer, "cases", i, "rootLayerId"))
	}
	b.bind(p.ElseRootLayerID, at(p.pointer, "elseRootLayerId"))
	b.unbound()
}

// refineChoice: every child is the face of one option, conditions name options.
func refineChoice(p *placedLayer, r *report) {
	b := newBinder(p, "choice", r)
	options := map[string]bool{}
	for i, binding := range p.Bindings {
		if options[binding.OptionID] {
			r.fail(
				at(p.pointer, "optionBindings", i, "optionId"), "choice.duplicate_option", "Another binding has the option %s.",
				clip(binding.OptionID),
			)
		}
		options[binding.OptionID] = true
		b.bind(binding.RootLayerID, at(p.pointer, "optionBindings", i, "rootLayerId"))
	}
	b.unbound()
	for i, c := range p.Branching.Conditions {
		if !options[c.ChoiceID] {
			r.fail(
				at(p.pointer, "branching", "conditions", i, "choiceId"), "choice.unknown_option", "No option has the id %s.",
				clip(c.ChoiceID),
			)
		}
	}
	if p.Kind == KindSingleChoice && p.DefaultOptionID != "" && !options[p.DefaultOptionID] {
		r.fail(at(p.pointer, "defaultOptionId"), "choice.unknown_option", "No option has the id %s.", clip(p.DefaultOptionID))
	}
	if p.MinSelections != nil && p.MaxSelections != nil && *p.MinSelections > *p.MaxSelections {
		r.fail(at(p.pointer, "minSelections"), "choice.selection_range", "minSelections must not exceed maxSelections.")
	}
}

// binder checks that the children of a layer are named exactly once each.
type binder struct {
	layer  *placedLayer
	prefix string
	named  map[string]int // times that a child is named
	r      *report
}

func newBinder(layer *placedLayer, prefix string, r *report) *binder {
	b := &binder{layer: layer, prefix: prefix, named: map[string]int{}, r: r}
	for _, child := range layer.children {
		b.named[child.ID] = 0
	}
	return b
}

func (b *binder) bind(id, pointer string) {
	n, ok := b.named[id]
	switch {
	case !ok:
		b.r.fail(pointer, b.prefix+".unknown_root", "%s is not a direct child of %s.", id, b.layer.ID)
		return
	case n > 0:
		b.r.fail(pointer, b.prefix+".duplicate_root", "%s is bound already.", id)
	}
	b.named[id]++
}

func (b *binder) unbound() {
	for _, child := range b.layer.children {
		if b.named[child.ID] == 0 {
			b.r.fail(child.pointer, b.prefix+".unbound_child", "%s is not bound, so it would never be shown.", child.ID)
		}
	}
}

// refineRange checks the bounds and the default of a scale or a stepper.
func refineRange(p *placedLayer, r *report) {
	low, _ := p.Min.Number()
	high, _ := p.Max.Number()
	if low >= high {
		r.fail(at(p.pointer, "max"), string(p.Kind)+".range", "max must be more than min.")
		return
	}
	value, ok := p.Default.Number()
	if !ok {
		return
	}
	step := p.Step
	if step == 0 {
		step = 1
	}
	const tolerance = 1e-6 // steps such as 0.1 have no exact binary form
	nearest := low + math.Round((value-low)/step)*step
	if value < low || value > high || math.Abs(value-nearest) > tolerance {
		r.fail(
			at(p.pointer, "defaultValue"), string(p.Kind)+".default", "The default must lie between min and max, on a step.",
		)
	}
}

// refineWheel: a wheel has something to turn to.
func refineWheel(p *placedLayer, r *report) {
	if p.Mode != "date" {
		if len(p.Options) == 0 {
			r.fail(at(p.pointer, "options"), "wheel_picker.options_missing", "A wheel of options needs options.")
		}
		return
	}
	first := 1900 // the default of minYear; that of maxYear depends on the day
	if p.MinYear != nil {
		first = *p.MinYear
	}
	if p.MaxYear != nil && first > *p.MaxYear {
		r.fail(
			at(p.pointer, "maxYear"), "wheel_picker.year_range", "maxYear must not be before minYear (1900 when it is not set).",
		)
	}
}

// refineDates: bounds and default are dates of the layer's mode, in order.
func refineDates(p *placedLayer, r *report) {
	comparable := map[string]string{}
	for name, value := range map[string]Scalar{"min": p.Min, "max": p.Max, "defaultValue": p.Default} {
		if !value.IsSet() {
			continue
		}
		text, ok := normalizeDate(p.Mode, value.Text())
		if !ok {
			r.fail(at(p.pointer, name), "date_time_input.format", "%q is no %s.", value.Text(), dateForms[p.Mode])
			continue
		}
		comparable[name] = text
	}
	before := func(a, b string) bool {
		x, okX := comparable[a]
		y, okY := comparable[b]
		return okX && okY && x < y
	}
	switch {
	case before("max", "min"):
		r.fail(at(p.pointer, "max"), "date_time_input.range", "max must not be before min.")
	case before("defaultValue", "min"), before("max", "defaultValue"):
		r.fail(at(p.pointer, "defaultValue"), "date_time_input.default", "The default must lie between min and max.")
	}
}

// refinePresets: a brand stands at most once in a sign-in block.
func refinePresets(p *placedLayer, r *report) {
	brands := map[string]bool{}
	for _, child := range p.children {
		if child.Brand == "" {
			continue
		}
		if brands[child.Brand] {
			r.fail(at(child.pointer, "provider"), "oauth_login.duplicate_preset", "%s is offered already.", child.Brand)
		}
		brands[child.Brand] = true
	}
}

// refineEmailParts: sign-in has an email and a password, sign-up a
// confirmation as well, both one submit.
func refineEmailParts(p *placedLayer, r *report) {
	const code = "email_password_auth.parts"
	seen := map[string]bool{}
	for _, child := range p.children {
		part, pointer := "", ""
		switch child.Kind {
		case KindEmailPasswordField:
			part, pointer = child.Slot, at(child.pointer, "slot")
		case KindEmailPasswordSubmit:
			part, pointer = "submit", at(child.pointer, "kind")
		default:
			continue
		}
		switch {
		case seen[part]:
			r.fail(pointer, code, "The block has more than one %s.", part)
		case part == "confirm" && p.Mode == "sign_in":
			r.fail(pointer, code, "Signing in has no confirmation.")
		}
		seen[part] = true
	}
	needed := []string{"email", "password", "confirm", "submit"}
	for _, part := range needed {
		if !seen[part] && (part != "confirm" || p.Mode == "sign_up") {
			r.fail(at(p.pointer, "children"), code, "The block has no %s.", part)
		}
	}
}

// refineStepperParts: one button down, one button up, one value.
func refineStepperParts(p *placedLayer, r *report) {
	const code = "number_stepper.parts"
	seen := map[string]bool{}
	for _, child := range p.children {
		part, pointer := "value", at(child.pointer, "kind")
		if child.Kind == KindNumberStepperButton {
			part, pointer = child.Role, at(child.pointer, "role")
		}
		if seen[part] {
			r.fail(pointer, code, "The stepper has more than one %s.", part)
		}
		seen[part] = true
	}
	for _, part := range []string{"decrement", "value", "increment"} {
		if !seen[part] {
			r.fail(at(p.pointer, "children"), code, "The stepper has no %s.", part)
		}
	}
}
