package simulate_test

import (
	"slices"
	"strconv"
	"strings"

	"github.com/svc-dev/svc/manifest"
	"github.com/svc-dev/svc/manifest/simulate"
)

// exit is a way out as the oracle sees it. Did is "next", "skip", "jump" or "permission".
type exit struct{ name, to, did string }

// leave returns where the run goes from a step.
func (o *oracle) leave(at string) string {
	var recorded []plainVisit
	for _, v := range o.run.visits {
		if v.step == at {
			recorded = append(recorded, v)
		}
	}
	times := o.used[at]
	o.used[at]++
	var visit *plainVisit
	switch {
	case times < len(recorded):
		visit = &recorded[times]
	case len(recorded) > 0 || times > 0 || !o.run.completed && !o.comesBack():
		return o.stop("unknown", at)
	}
	if visit != nil && visit.exit == simulate.Left {
		return o.stop("left", at)
	}
	way := o.wayOut(at, visit)
	if way == nil {
		return o.stop("unknown", at)
	}
	o.counted[way.name] = true
	return way.to
}

// comesBack tells whether some recorded visit of a step of the draft was not used yet.
func (o *oracle) comesBack() bool {
	counts := map[string]int{}
	for _, v := range o.run.visits {
		if kindOf(o.draft, v.step) != "" {
			counts[v.step]++
		}
	}
	for step, n := range counts {
		if o.used[step] < n {
			return true
		}
	}
	return false
}

func (o *oracle) wayOut(at string, visit *plainVisit) *exit {
	if s := find(o.draft.Surfaces, func(s *manifest.Surface) bool { return s.ID == at }); s != nil {
		var all []exit
		for outcome, to := range s.Outcomes {
			if to != nil {
				all = append(all, exit{name: "outcome " + at + " " + outcome, to: ended(to)})
			}
		}
		slices.SortFunc(all, func(a, b exit) int { return strings.Compare(a.name, b.name) })
		fallback := exit{name: "fallback " + at + " ", to: ended(s.Fallback)}
		if visit == nil || visit.outcome == "" {
			return same(append(all, fallback))
		}
		for _, way := range all {
			if way.name == "outcome "+at+" "+visit.outcome {
				return &way
			}
		}
		return &fallback
	}
	screen := find(o.draft.Screens, func(s *manifest.Screen) bool { return s.ID == at })
	next := exit{name: "next " + at + " ", to: ended(screen.Next.Default), did: "next"}
	layers := o.active(screen)

	if visit != nil {
		for _, l := range layers {
			if l.Action == nil || l.Action.Kind != "request_os_permission" {
				continue
			}
			key := "permission:" + l.Action.PermissionKey
			for _, outcome := range visit.answers[key] {
				if slices.Contains([]string{"granted", "denied", "blocked"}, outcome) {
					o.said[key] = outcome
					way := permissionWay(l, outcome, next)
					return &way
				}
			}
		}
	}
	did, layer := "", ""
	if visit != nil {
		did, layer = o.did(visit)
	}
	var input *manifest.Layer
	canGoOn, canSkip := false, false
	for _, l := range layers {
		canGoOn = canGoOn || l.Kind.IsInput() || goesOn(l)
		canSkip = canSkip || l.Action != nil && l.Action.Kind == "skip"
		if input == nil && l.Kind.IsInput() {
			input = l
		}
	}
	pass := func(way exit) *exit {
		if input != nil {
			o.asked[input.ID] = true
			if input.Kind.IsManualSubmit() {
				delete(o.said, input.FieldKey)
			}
		}
		return &way
	}
	switch did {
	case "skip":
		if canSkip {
			return pass(next)
		}
	case "jump":
		for _, l := range layers {
			if l.ID != layer {
				continue
			}
			if way, ok := jumpOf(l); ok {
				return pass(way)
			}
			if l.Action != nil && l.Action.Kind == "skip" {
				return pass(next)
			}
			if goesOn(l) {
				return o.submit(screen, visit, next)
			}
		}
		for _, l := range layers {
			if way, ok := jumpOf(l); ok && way.to == targetOf(o.draft, visit.toward) {
				return pass(way)
			}
		}
	case "next":
		if canGoOn {
			return o.submit(screen, visit, next)
		}
	}
	var all []exit
	if canGoOn {
		all = onward(input, next)
	}
	for _, l := range layers {
		if way, ok := jumpOf(l); ok {
			all = append(all, way)
		}
		if l.Action != nil && l.Action.Kind == "request_os_permission" {
			for _, outcome := range []string{"granted", "denied", "blocked"} {
				all = append(all, permissionWay(l, outcome, next))
			}
		}
	}
	way := same(all)
	switch {
	case way == nil:
		return nil
	case way.did == "next":
		return o.submit(screen, visit, next)
	}
	return pass(*way)
}

// targetOf returns a recorded target as one of the draft, which has it or not.
func targetOf(m *manifest.Manifest, toward string) string {
	if toward == "" {
		return theEnd
	}
	return toward
}

// onward are the ways of a screen that is submitted with an answer that is not known.
func onward(input *manifest.Layer, next exit) (all []exit) {
	if input == nil || !input.Branching.Enabled || len(input.Branching.Conditions) == 0 {
		return []exit{next}
	}
	for _, b := range input.Bindings {
		branches := false
		for _, c := range input.Branching.Conditions {
			branches = branches || c.ChoiceID == b.OptionID
		}
		if !branches {
			all = []exit{next}
		}
	}
	for _, c := range input.Branching.Conditions {
		all = append(all, exit{name: "option " + input.ID + " " + c.ChoiceID, to: c.GoTo, did: "next"})
	}
	return all
}

func same(all []exit) *exit {
	if len(all) == 0 {
		return nil
	}
	for _, way := range all {
		if way.to != all[0].to {
			return nil
		}
	}
	return &all[0]
}

func goesOn(l *manifest.Layer) bool {
	return l.Kind == manifest.KindCarousel || l.OnComplete != nil && l.OnComplete.Mode == "next" ||
		l.Action != nil && (l.Action.Kind == "continue" || l.Action.Kind == "skip")
}

func jumpOf(l *manifest.Layer) (exit, bool) {
	switch {
	case l.OnComplete != nil && l.OnComplete.Mode == "screen":
		return exit{name: "complete " + l.ID + " ", to: l.OnComplete.ScreenID, did: "jump"}, true
	case l.Action != nil && l.Action.Kind == "go_to_step":
		return exit{name: "button " + l.ID + " ", to: l.Action.ScreenID, did: "jump"}, true
	case l.Action != nil && l.Action.Kind == "end_flow":
		return exit{name: "button " + l.ID + " ", to: theEnd, did: "jump"}, true
	}
	return exit{}, false
}

func permissionWay(l *manifest.Layer, outcome string, next exit) exit {
	switch to := l.Action.Outcomes[outcome]; to {
	case "", "continue":
		return next
	case "end":
		return exit{name: "permission " + l.ID + " " + outcome, to: theEnd, did: "permission"}
	default:
		return exit{name: "permission " + l.ID + " " + outcome, to: to, did: "permission"}
	}
}

// did says what a run did at the end of a visit.
func (o *oracle) did(visit *plainVisit) (did, layer string) {
	if visit.exit == simulate.Skipped {
		return "skip", ""
	}
	m := o.version()
	isStep := func(s *manifest.Screen) bool { return s.ID == visit.step }
	if m == nil || find(m.Screens, isStep) == nil {
		m = o.draft
	}
	screen := find(m.Screens, isStep)
	toward := targetOf(m, visit.toward)
	var layers []*manifest.Layer
	for on, l := range m.Layers() {
		if on == screen {
			layers = append(layers, l)
		}
	}
	next := ended(screen.Next.Default)
	submitted := next
search:
	for _, l := range layers {
		if !l.Kind.IsInput() || !l.Branching.Enabled {
			continue
		}
		for _, c := range l.Branching.Conditions {
			if slices.Contains(visit.answers[l.FieldKey], c.ChoiceID) {
				submitted = c.GoTo
				break search
			}
		}
	}
	if submitted == toward {
		return "next", ""
	}
	for _, l := range layers {
		if way, ok := jumpOf(l); ok && way.to == toward {
			return "jump", l.ID
		}
	}
	if next == toward {
		return "next", ""
	}
	return "", ""
}

// submit leaves a screen with its answers.
func (o *oracle) submit(screen *manifest.Screen, visit *plainVisit, next exit) *exit {
	boxes := false
	for on, l := range o.draft.Layers() {
		boxes = boxes || on == screen && l.Kind == manifest.KindCheckbox
	}
	if boxes {
		for _, l := range o.active(screen) {
			if l.Kind == manifest.KindCheckbox {
				o.answer(l, visit)
			}
		}
		shown := map[string]bool{}
		for _, l := range o.active(screen) {
			if l.Kind.HasField() {
				shown[l.FieldKey] = true
			}
		}
		for on, l := range o.draft.Layers() {
			if on == screen && l.Kind.HasField() && !shown[l.FieldKey] {
				delete(o.said, l.FieldKey)
			}
		}
	}
	input := find(o.active(screen), func(l *manifest.Layer) bool { return l.Kind.IsInput() })
	if input == nil {
		return &next
	}
	o.asked[input.ID] = true
	given, known := o.answer(input, visit)
	ways := onward(input, next)
	if !known {
		return same(ways)
	}
	for _, way := range ways {
		for _, id := range given {
			if way.name == "option "+input.ID+" "+id {
				return &way
			}
		}
	}
	return &next
}

func (o *oracle) answer(l *manifest.Layer, visit *plainVisit) ([]string, bool) {
	var given []string
	if visit != nil {
		given = visit.answers[l.FieldKey]
	}
	if given == nil {
		for _, v := range o.run.visits {
			if v.answers[l.FieldKey] != nil {
				given = v.answers[l.FieldKey]
			}
		}
	}
	o.said[l.FieldKey] = nil
	if given == nil || slices.Contains(given, "?") {
		return nil, false
	}
	if l.Kind == manifest.KindSingleChoice || l.Kind == manifest.KindMultipleChoice {
		for _, id := range given {
			if !slices.ContainsFunc(l.Bindings, func(b manifest.OptionBinding) bool { return b.OptionID == id }) {
				return nil, false
			}
		}
	}
	if l.Kind == manifest.KindMultipleChoice {
		o.said[l.FieldKey] = given
		return given, true
	}
	if len(given) != 1 {
		return nil, false
	}
	switch l.Kind {
	case manifest.KindCheckbox:
		if given[0] != "true" && given[0] != "false" {
			return nil, false
		}
		o.said[l.FieldKey] = given[0] == "true"
	case manifest.KindScaleInput, manifest.KindNumberStepper:
		n, err := strconv.ParseFloat(given[0], 64)
		if err != nil {
			return nil, false
		}
		o.said[l.FieldKey] = n
	default:
		o.said[l.FieldKey] = given[0]
	}
	return given, true
}

// active lists the layers of a screen that show. Of a conditional that is not known all branches do.
func (o *oracle) active(screen *manifest.Screen) (layers []*manifest.Layer) {
	var walk func(l *manifest.Layer)
	walk = func(l *manifest.Layer) {
		layers = append(layers, l)
		children := append(slices.Clone(l.Children), l.Slides...)
		if l.Kind == manifest.KindConditional {
			children = o.branch(l)
		}
		for _, child := range children {
			walk(child)
		}
	}
	for _, region := range []*manifest.Layer{screen.Regions.Header, screen.Regions.Body, screen.Regions.Footer} {
		if region != nil {
			walk(region)
		}
	}
	return layers
}

func (o *oracle) branch(l *manifest.Layer) []*manifest.Layer {
	wanted := l.ElseRootLayerID
	for _, c := range l.Cases {
		holds := o.holds(c.Expression)
		if holds == (perhaps{}) {
			return l.Children
		}
		if holds == true {
			wanted = c.RootLayerID
			break
		}
	}
	if child := find(l.Children, func(c *manifest.Layer) bool { return c.ID == wanted }); child != nil {
		return []*manifest.Layer{child}
	}
	return l.Children[len(l.Children)-1:]
}
