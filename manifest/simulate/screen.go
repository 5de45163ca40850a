package simulate

import (
	"github.com/svc-dev/svc/manifest"
)

// screen is a compiled screen: what of its layers can lead on, ask or hold an answer, in the order of the document.
type screen struct {
	next         int // way
	parts        []part
	conditionals []conditional
	branches     []branch
	boxes        bool // has a checkbox
}

// branch is one child of a conditional layer: what stands below it shows when the conditional has chosen it.
type branch struct{ conditional int }

type conditional struct {
	within int // branch that it stands in, -1 for none
	cases  []condition
	chosen []int // branch by case, and that of the else; -1 when there is none to show
	all    []int
}

type partKind uint8

const (
	goesOn  partKind = iota // leads to the screen's next
	jumps                   // has a target of its own
	asks                    // the input of a screen
	ticks                   // a checkbox
	permits                 // asks for a permission
)

// part is a layer that matters to a run.
type part struct {
	kind   partKind
	within int // branch that it stands in, -1 for none
	layer  Name
	skips  bool // of goesOn: without an answer
	way    int  // of jumps

	field    int // of asks, ticks and permits
	question int // of asks, and of the flow
	input    manifest.Kind
	options  map[Name]bool
	branches []optionWay  // of a choice that branches
	outcomes map[Name]int // of permits: the way
}

type optionWay struct {
	option Name
	way    int
}

// question is an input of the flow.
type question struct {
	step    int // node
	layerID string
	field   int
	options []string
}

// compileScreen compiles a screen, whose node it gives its ways.
func (f *Flow) compileScreen(of *manifest.Screen, n *node) *screen {
	s := &screen{next: f.addWay(n, Next, of.ID, "", of.Next.Default)}
	for _, region := range []*manifest.Layer{of.Regions.Header, of.Regions.Body, of.Regions.Footer} {
		f.compileLayer(s, n, region, -1)
	}
	if fill := of.ContainerStyle.BackgroundFill; fill != nil {
		f.compileEnd(s, n, fill.OnComplete, of.ID, -1)
	}
	return s
}

func (f *Flow) compileLayer(s *screen, n *node, l *manifest.Layer, within int) {
	if l == nil {
		return
	}
	f.compileParts(s, n, l, within)
	if l.Kind == manifest.KindConditional {
		f.compileConditional(s, n, l, within)
		return
	}
	for _, child := range l.Children {
		f.compileLayer(s, n, child, within)
	}
	for _, slide := range l.Slides {
		f.compileLayer(s, n, slide, within)
	}
}

func (f *Flow) compileConditional(s *screen, n *node, l *manifest.Layer, within int) {
	at := len(s.conditionals)
	s.conditionals = append(s.conditionals, conditional{within: within})
	byID, last := map[string]int{}, -1
	for _, child := range l.Children {
		last = len(s.branches)
		if _, known := byID[child.ID]; !known {
			byID[child.ID] = last
		}
		s.branches = append(s.branches, branch{at})
		s.conditionals[at].all = append(s.conditionals[at].all, last)
	}
	choose := func(id string) {
		chosen, ok := byID[id]
		if !ok {
			chosen = last // as the SDKs do with stale ids
		}
		s.conditionals[at].chosen = append(s.conditionals[at].chosen, chosen)
	}
	for _, one := range l.Cases {
		s.conditionals[at].cases = append(s.conditionals[at].cases, f.condition(one.Expression))
		choose(one.RootLayerID)
	}
	choose(l.ElseRootLayerID)
	for i, child := range l.Children {
		f.compileLayer(s, n, child, s.conditionals[at].all[i])
	}
}

// compileParts adds what a layer itself does.
func (f *Flow) compileParts(s *screen, n *node, l *manifest.Layer, within int) {
	add := func(p part) {
		p.layer, p.within = f.runs.Name(l.ID), within
		s.parts = append(s.parts, p)
	}
	f.compileEnd(s, n, l.OnComplete, l.ID, within)
	switch {
	case l.Kind.IsInput():
		p := part{
			kind: asks, field: f.fieldOf[l.FieldKey], question: len(f.questions), input: l.Kind, options: f.optionsOf(l),
		}
		options, _ := optionIDs(l)
		f.questions = append(f.questions, question{f.nodeOf[n.id], l.ID, p.field, options})
		for option := range p.options {
			key := Answer{f.fields[p.field].name, option}
			if _, known := f.optionAt[key]; !known {
				f.optionAt[key] = len(f.optionAt)
			}
		}
		if l.Branching.Enabled {
			for _, one := range l.Branching.Conditions {
				p.branches = append(p.branches, optionWay{
					f.runs.Name(one.ChoiceID), f.addWay(n, Option, l.ID, one.ChoiceID, &one.GoTo),
				})
			}
		}
		add(p)
	case l.Kind == manifest.KindCheckbox:
		s.boxes = true
		add(part{kind: ticks, field: f.fieldOf[l.FieldKey], input: l.Kind})
	case l.Kind == manifest.KindCarousel, l.Kind == manifest.KindOauthLogin, l.Kind == manifest.KindEmailPasswordAuth:
		add(part{kind: goesOn})
	case l.Action == nil:
	default:
		f.compileAction(s, n, l, add)
	}
}

func (f *Flow) compileAction(s *screen, n *node, l *manifest.Layer, add func(part)) {
	switch l.Action.Kind {
	case "continue", "request_app_review":
		add(part{kind: goesOn})
	case "skip":
		add(part{kind: goesOn, skips: true})
	case "end_flow":
		add(part{kind: jumps, way: f.addWay(n, Button, l.ID, "", nil)})
	case "go_to_step":
		add(part{kind: jumps, way: f.addWay(n, Button, l.ID, "", &l.Action.ScreenID)})
	case "request_os_permission":
		p := part{kind: permits, field: f.fieldOf[permission(l.Action.PermissionKey)], outcomes: map[Name]int{}}
		for _, outcome := range []string{"granted", "denied", "blocked"} {
			var to *string
			switch target := l.Action.Outcomes[outcome]; target {
			case "", "continue":
				p.outcomes[f.runs.Name(outcome)] = s.next
				continue
			case "end":
			default:
				to = &target
			}
			p.outcomes[f.runs.Name(outcome)] = f.addWay(n, Permission, l.ID, outcome, to)
		}
		add(p)
	}
}

// compileEnd adds what the end of a loader or a player does.
func (f *Flow) compileEnd(s *screen, n *node, end *manifest.OnComplete, of string, within int) {
	if end == nil {
		return
	}
	switch end.Mode {
	case "next":
		s.parts = append(s.parts, part{kind: goesOn, layer: f.runs.Name(of), within: within})
	case "screen":
		way := f.addWay(n, Complete, of, "", &end.ScreenID)
		s.parts = append(s.parts, part{kind: jumps, layer: f.runs.Name(of), within: within, way: way})
	}
}
