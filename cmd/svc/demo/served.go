package demo

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/svc-dev/svc/manifest"
)

// Served is what resolve answered for a visit: the ids that flow events carry, and the flow.
type Served struct {
	FlowID, VersionID       string
	AssignmentVersion       int
	ExperimentID, VariantID *string

	entry     string // id of the first screen, decision or surface
	screens   map[string]*screen
	decisions map[string]*manifest.Decision
	digests   map[*manifest.DecisionCase]string
	surfaces  map[string]*manifest.Surface
	countdown bool // a layer counts
}

// screen is what a person can do on one.
type screen struct {
	id      string
	next    *string         // nil ends the flow
	input   *manifest.Layer // takes the answer; nil without one
	buttons []*manifest.Action
	loader  *manifest.OnComplete // goes on by itself
	goBack  bool
}

// ParseServed reads a resolve answer.
func ParseServed(answer []byte) (*Served, error) {
	var body struct {
		FlowID            string          `json:"flowId"`
		VersionID         string          `json:"versionId"`
		AssignmentVersion int             `json:"assignmentVersion"`
		ExperimentID      *string         `json:"experimentId"`
		VariantID         *string         `json:"variantId"`
		Manifest          json.RawMessage `json:"manifest"`
	}
	if err := json.Unmarshal(answer, &body); err != nil {
		return nil, fmt.Errorf("read a resolve answer: %w", err)
	}
	flow, err := manifest.Open(body.Manifest)
	if err != nil {
		return nil, fmt.Errorf("read a served manifest: %w", err)
	}
	s := &Served{
		FlowID: body.FlowID, VersionID: body.VersionID, AssignmentVersion: body.AssignmentVersion,
		ExperimentID: body.ExperimentID, VariantID: body.VariantID,
		entry: flow.EntryID, screens: map[string]*screen{}, decisions: map[string]*manifest.Decision{},
		surfaces: map[string]*manifest.Surface{},
	}
	for _, one := range flow.Screens {
		s.screens[one.ID] = &screen{id: one.ID, next: one.Next.Default}
	}
	for on, layer := range flow.Layers() {
		s.screens[on.ID].add(layer)
		s.countdown = s.countdown || layer.Kind == manifest.KindCounter
	}
	for _, one := range flow.Decisions {
		s.decisions[one.ID] = one
	}
	for _, one := range flow.Surfaces {
		s.surfaces[one.ID] = one
	}
	s.digests, err = clauseDigests(flow, body.Manifest)
	return s, err
}

// add notes what a layer lets people do.
func (s *screen) add(layer *manifest.Layer) {
	switch {
	case layer.Kind.IsInput() && s.input == nil:
		s.input = layer
	case layer.Kind == manifest.KindBackButton:
		s.goBack = true
	case layer.Kind == manifest.KindButton && layer.Action != nil:
		if layer.Action.Kind == "go_back_one_screen" {
			s.goBack = true
		} else {
			s.buttons = append(s.buttons, layer.Action)
		}
	case layer.Kind == manifest.KindLoader && layer.OnComplete != nil && layer.OnComplete.Mode == "next":
		s.loader = layer.OnComplete
	}
}

// has tells whether a button does what the kind of action says.
func (s *screen) has(kind string) bool {
	return slices.ContainsFunc(s.buttons, func(a *manifest.Action) bool { return a.Kind == kind })
}

// rendersOn tells whether a version of the app can show the flow: the oldest was built with an SDK that knows no
// counters.
func (s *Served) rendersOn(appVersion string) bool {
	return appVersion != oldestVersion || !s.countdown
}

// sells tells whether going on from the screen leads to a surface.
func (s *Served) sells(on *screen) bool {
	target := on.next
	if target != nil && s.decisions[*target] != nil {
		target = s.decisions[*target].ElseNext
	}
	return target != nil && s.surfaces[*target] != nil
}

// productOf returns the product that a surface sells: that of the payment link, else that of the chosen plan.
func productOf(surface *manifest.Surface, plan string) string {
	switch {
	case surface.Config.PaymentLinkURL != "":
		return surface.Config.PaymentLinkURL[strings.LastIndexByte(surface.Config.PaymentLinkURL, '/')+1:]
	case surface.Config.OfferingID == "tendril_half":
		return "tendril-year-half"
	case plan == "":
		return "tendril-year"
	}
	return "tendril-" + plan
}
