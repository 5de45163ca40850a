package demo

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/svc-dev/svc/manifest"
	"github.com/svc-dev/svc/revenue/fold"
)

// maxRunSteps ends the runs of people who go in circles.
const maxRunSteps = 40

// Run is one pass of a person through a flow.
type Run struct {
	// Events are what the SDK sends, in their order. There are none when the app can't show the flow.
	Events []FlowEvent
	// Purchases are what the person bought and a provider reports.
	Purchases []Purchase
}

// Run lets the person of a visit go through what a channel served to them. What happens at a step follows from the
// seed, the visit and the step alone: two flows that share steps are left, answered and paid for alike there, and what
// is served does not change what the next visitors do.
func (w *World) Run(v Visit, o Opening, s *Served) Run {
	first := v.Events[0]
	if !s.rendersOn(first.Context.AppVersion) {
		return Run{}
	}
	r := &running{
		world: w, served: s, opening: o, first: first, country: v.Place.Country, now: o.At,
		habits:  w.habitsOf(first),
		purpose: first.Identity.SessionID + "|" + o.Channel, said: answers{}, stored: map[string]bool{},
		visits: map[string]int{},
	}
	r.ids = w.draw(r.purpose)
	r.id = newID(r.ids, r.now)
	r.start()
	return r.made
}

// running is a run in progress, which records what the SDK does (wire.md §5.2).
type running struct {
	world   *World
	served  *Served
	opening Opening
	first   Event
	country string
	habits  habits
	purpose string // what its randomness is for
	ids     *rand.Rand
	id      string
	now     time.Time

	said    answers
	stored  map[string]bool // keys that have a response
	viewed  string          // the step that was viewed last
	history []string        // screens
	visits  map[string]int
	steps   int
	made    Run
}

// properties are those of a flow event.
type properties = map[string]any

func (r *running) record(name, step string, of properties) *FlowEvent {
	e := FlowEvent{
		EventID: newID(r.ids, r.now), Name: name, Timestamp: r.now, FlowID: r.served.FlowID,
		VersionID: r.served.VersionID, AssignmentVersion: r.served.AssignmentVersion,
		ExperimentID: r.served.ExperimentID, VariantID: r.served.VariantID,
		RunID: r.id, Seq: len(r.made.Events), Identity: r.first.Identity,
		Context: r.first.Context, Properties: of,
	}
	e.Context.Attribution = nil // it travels with product events only
	if step != "" {
		e.StepID = &step
	}
	r.made.Events = append(r.made.Events, e)
	return &r.made.Events[len(r.made.Events)-1]
}

// view records that a screen or surface shows.
func (r *running) view(name, step string, of properties) *rand.Rand {
	from := &From{}
	if r.viewed != "" {
		came := r.viewed
		from.StepID = &came
	}
	r.record(name, step, of).FromStepID = from
	r.viewed = step
	r.visits[step]++
	return r.world.draw(fmt.Sprintf("%s|%s|%d", r.purpose, step, r.visits[step]))
}

func (r *running) start() {
	r.record("flow_started", "", nil)
	if provider, ok := r.first.Context.Attribution["attribution.provider"].(string); ok {
		r.record("attribution_context_observed", "", properties{"attribution_provider": provider})
	}
	for node := r.decide(&r.served.entry); node != nil; {
		if r.steps++; r.steps > maxRunSteps {
			r.leave(r.world.draw(r.purpose), *node)
			return
		}
		if surface := r.served.surfaces[*node]; surface != nil {
			node = r.present(surface)
		} else {
			node = r.show(r.served.screens[*node])
		}
	}
}

// decide follows decisions to the next step, nil for the end.
func (r *running) decide(target *string) *string {
	for target != nil && r.served.decisions[*target] != nil {
		decision := r.served.decisions[*target]
		of := properties{
			"decision_node_id": decision.ID, "matched_case_id": nil, "used_else_branch": true, "clause_digest": "else",
		}
		target = decision.ElseNext
		for _, one := range decision.Cases {
			if holds(one.Expression, r.first.Context, r.said) {
				of["matched_case_id"], of["used_else_branch"], of["clause_digest"] = one.ID, false, r.served.digests[one]
				target = one.Next
				break
			}
		}
		r.record("decision_evaluated", "", of)
	}
	return target
}

// goTo records how a step was left for a target, if it was left by an answer: name is empty for a surface. It returns
// the next step, or nil after the end of the flow.
func (r *running) goTo(target *string, name, step string, of properties) *string {
	next := r.decide(target)
	switch {
	case next == nil:
		if name == "step_skipped" {
			r.record(name, step, of)
		}
		r.record("flow_completed", "", properties{"responseCount": len(r.stored)})
	case name != "":
		r.record(name, step, of)
	}
	return next
}

// leave ends a run that was given up: some close it, the others are just gone.
func (r *running) leave(rng *rand.Rand, step string) *string {
	vanish := 0.42
	if r.first.Context.Platform == "web" {
		vanish = 0.6
	}
	if rng.Float64() >= vanish {
		r.record("flow_abandoned", step, nil)
	}
	return nil
}

// present shows a surface and returns the next step, or nil when the run is over.
func (r *running) present(surface *manifest.Surface) *string {
	provider := string(surface.Config.Provider)
	presented := properties{"surface_node_id": surface.ID, "provider": provider}
	if surface.Config.OfferingID != "" && surface.Config.Provider == manifest.RevenueCat {
		presented["offering_id"] = surface.Config.OfferingID
	}
	rng := r.view("surface_presented", surface.ID, presented)
	of := burden{0.025, 12 * time.Second}
	if surface.Config.Provider == manifest.Stripe {
		of = burden{0.1, 45 * time.Second} // on another page
	}
	leaves := r.habits.leaves(rng, surface.ID, of, 1)
	r.now = r.now.Add(r.habits.dwell(rng, surface.ID, of))
	if leaves {
		return nil // the app was closed while something else was in front of it
	}
	result := outcomeOf(rng, surface, r.first.Context.AppVersion)
	r.stored["surface_"+surface.ID] = true
	r.record("surface_outcome", surface.ID, properties{
		"surface_node_id": surface.ID, "provider": provider, "outcome": result,
	})
	if result == "purchase_completed" {
		r.buy(rng, surface)
	}
	target, known := surface.Outcomes[result]
	if !known {
		target = surface.Fallback
	}
	return r.goTo(target, "", "", nil)
}

// show shows a screen and returns the next step, or nil when the run is over.
func (r *running) show(on *screen) *string {
	rng := r.view("step_viewed", on.id, nil)
	r.history = append(r.history, on.id)
	of := r.served.burdenOf(on)
	if r.served.sells(on) {
		of.leave *= r.habits.price
	}
	leaves := r.habits.leaves(rng, on.id, of, r.served.commitment())
	r.now = r.now.Add(r.habits.dwell(rng, on.id, of))
	if leaves {
		return r.leave(rng, on.id)
	}
	if on.goBack && len(r.history) > 1 && r.visits[on.id] < 3 && rng.Float64() < 0.04 {
		r.history = r.history[:len(r.history)-1]
		back := r.history[len(r.history)-1]
		r.history = r.history[:len(r.history)-1] // it is shown again
		return &back
	}
	way := r.choose(rng, on)
	switch way.Kind {
	case "skip":
		r.stored[on.id] = true
		return r.goTo(on.next, "step_skipped", on.id, r.bypass(on))
	case "end_flow":
		r.stored[on.id] = true
		return r.goTo(nil, "", on.id, nil)
	case "go_to_step":
		r.stored[on.id] = true
		return r.goTo(&way.ScreenID, "step_completed", on.id, r.bypass(on))
	case "request_os_permission":
		result, target := permissionOf(rng, r.first.Context.Platform), on.next
		r.submit(on.id, "permission:"+way.PermissionKey, result, "safe")
		if to := way.Outcomes[result]; to == "end" {
			target = nil
		} else if to != "" && to != "continue" {
			target = &to
		}
		return r.goTo(target, "step_completed", on.id, nil)
	}
	return r.goTo(r.answer(rng, on), "step_completed", on.id, nil)
}

// bypass returns what records that an input was passed without an answer.
func (r *running) bypass(on *screen) properties {
	if on.input == nil || !on.input.Kind.IsManualSubmit() {
		return nil
	}
	r.stored[on.input.FieldKey] = true
	return properties{"field_key": on.input.FieldKey, "empty_capture": true}
}

// goOn is what people do who neither jump nor skip: they answer, press on, or wait.
var goOn = &manifest.Action{Kind: "continue"}

// choose draws what a person does on a screen.
func (r *running) choose(rng *rand.Rand, on *screen) *manifest.Action {
	type way struct {
		action *manifest.Action
		weight int
	}
	sells, asksPermission := r.served.sells(on), on.has("request_os_permission")
	var ways []way
	if on.input != nil || on.loader != nil || on.has("continue") {
		ways = append(ways, way{goOn, 1000})
		if sells {
			ways[0].weight = int(1000 * min(3, r.habits.purse))
		}
	}
	main := len(ways) > 0 || asksPermission
	for i, action := range on.buttons {
		weight := 0
		switch action.Kind {
		case "request_os_permission":
			weight = 1000
		case "skip", "end_flow", "go_to_step":
			liked := share(fmt.Sprint(on.id, i))
			switch {
			case sells && r.served.screens[action.ScreenID] != nil:
				weight = 1900 // most people close an offer
			case asksPermission:
				weight = 450 + int(300*liked)
			case main:
				weight = 30 + int(70*liked)
			case action.Kind == "end_flow":
				weight = 1000
			case len(on.buttons) > 1 && on.has("end_flow"):
				weight = 110
			default:
				weight = 300 + int(700*liked)
			}
		}
		ways = append(ways, way{action, weight})
	}
	return pick(rng, ways, func(w way) int { return w.weight }).action
}

// answer gives the answer of a screen, if it asks for one, and returns where that leads.
func (r *running) answer(rng *rand.Rand, on *screen) *string {
	input := on.input
	if input == nil {
		r.stored[on.id] = true
		return on.next
	}
	switch input.Kind {
	case manifest.KindSingleChoice:
		option := r.world.chooseOne(rng, input)
		r.said[input.FieldKey] = option
		r.selected(on.id, input, option)
	case manifest.KindMultipleChoice:
		options := r.world.chooseSome(rng, input)
		r.said[input.FieldKey] = options
		r.selected(on.id, input, options...)
	default:
		text := textOf(rng, input)
		r.said[input.FieldKey] = text
		r.submit(on.id, input.FieldKey, text, input.Classification)
	}
	if input.Branching.Enabled {
		for _, condition := range input.Branching.Conditions {
			said := r.said[input.FieldKey]
			if options, several := said.([]string); said == condition.ChoiceID ||
				several && slices.Contains(options, condition.ChoiceID) {
				return &condition.GoTo
			}
		}
	}
	return on.next
}

func (r *running) selected(step string, input *manifest.Layer, options ...string) {
	r.stored[input.FieldKey] = true
	for _, option := range options {
		r.record("choice_selected", step, properties{"field_key": input.FieldKey, "value": option})
	}
}

func (r *running) submit(step, field, value, classification string) {
	r.stored[field] = true
	if classification == "sensitive" {
		value = "__redacted__" // by the SDK; it does not leave the device
	}
	r.record("text_submitted", step, properties{"field_key": field, "value": value}).FieldClassification = classification
}

func (w *World) chooseOne(rng *rand.Rand, input *manifest.Layer) string {
	return pick(rng, input.Bindings, func(b manifest.OptionBinding) int {
		liked := w.liking(input.FieldKey, b.OptionID)
		if b.OptionID == input.DefaultOptionID {
			liked += 2.5 // most leave what is chosen for them
		}
		return int(1000 * liked)
	}).OptionID
}

func (w *World) chooseSome(rng *rand.Rand, input *manifest.Layer) []string {
	least, most := 1, len(input.Bindings)
	if input.MinSelections != nil {
		least = *input.MinSelections
	}
	if input.MaxSelections != nil {
		most = *input.MaxSelections
	}
	chosen := []string{}
	for _, i := range rng.Perm(len(input.Bindings)) {
		option := input.Bindings[i].OptionID
		if len(chosen) < most && rng.Float64() < w.liking(input.FieldKey, option)/3 {
			chosen = append(chosen, option)
		}
	}
	for len(chosen) < least {
		if option := w.chooseOne(rng, input); !slices.Contains(chosen, option) {
			chosen = append(chosen, option)
		}
	}
	return chosen
}

// buy records a purchase, and has the provider report it: minutes later, a free week at no price, and now and then a
// refund. Some words of providers never arrive.
func (r *running) buy(rng *rand.Rand, surface *manifest.Surface) {
	plan, _ := r.said["plan"].(string)
	product := productOf(surface, plan)
	micros := prices[product]
	trial := product == "tendril-year" && rng.Float64() < 0.5
	person := r.first.Identity.AppUserID
	r.world.customers[person] = true
	if surface.Config.Provider == manifest.RevenueCat {
		of := properties{
			"provider": string(surface.Config.Provider), "surface_node_id": surface.ID, "product_id": product,
			"price": float64(micros) / 1e6, "currency": "USD", "period_type": "normal",
			"offering_id": surface.Config.OfferingID, "package_id": "$rc_" + strings.TrimPrefix(product, "tendril-"),
		}
		if trial {
			of["period_type"] = "trial"
		}
		r.record("iap_purchase", surface.ID, of)
	}
	at := r.now.Add(20*time.Second + time.Duration(rng.Int64N(int64(4*time.Minute)))).Truncate(time.Millisecond)
	arrives, converts, refunded := rng.Float64() < 0.93, rng.Float64() < 0.6, rng.Float64() < 0.07
	if !arrives {
		return
	}
	bought := Purchase{
		Provider: fold.Provider(surface.Config.Provider), Store: "stripe", ID: newID(rng, at), AppUserID: person,
		ProductID: product, Country: r.country, At: at, Trial: trial, Payments: endless,
	}
	switch bought.Provider {
	case fold.RevenueCat:
		bought.Store = storeOf(r.first.Context.Platform)
	case fold.Superwall:
		bought.Store = "paddle"
	}
	if trial && !converts {
		bought.Payments = 0
	} else if refunded {
		bought.RefundAfter = time.Duration(2+rng.IntN(90)) * time.Hour
	}
	r.made.Purchases = append(r.made.Purchases, bought)
}
