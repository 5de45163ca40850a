package run

import "slices"

// Name is the name of a flow event. Its value is stored: names are added at the end, never moved.
type Name uint8

// The catalogue of wire.md §5.2.
const (
	FlowStarted Name = iota + 1
	StepViewed
	StepCompleted
	StepSkipped
	ChoiceSelected
	TextSubmitted
	DecisionEvaluated
	SurfacePresented
	SurfaceOutcome
	Purchase
	ExternalLinkOpened
	ReviewPromptShown
	ReviewPromptDismissed
	AttributionObserved
	FlowCompleted
	FlowAbandoned
	BannerImpression
	BannerDismissed
)

var names = [...]string{
	FlowStarted: "flow_started", StepViewed: "step_viewed", StepCompleted: "step_completed", StepSkipped: "step_skipped",
	ChoiceSelected: "choice_selected", TextSubmitted: "text_submitted", DecisionEvaluated: "decision_evaluated",
	SurfacePresented: "surface_presented", SurfaceOutcome: "surface_outcome", Purchase: "iap_purchase",
	ExternalLinkOpened: "external_link_opened", ReviewPromptShown: "app_review_prompt_shown",
	ReviewPromptDismissed: "app_review_prompt_dismissed", AttributionObserved: "attribution_context_observed",
	FlowCompleted: "flow_completed", FlowAbandoned: "flow_abandoned",
	BannerImpression: "banner_impression", BannerDismissed: "banner_dismissed",
}

var byText = func() map[string]Name {
	m := make(map[string]Name, len(names))
	for i, text := range names[1:] {
		m[text] = Name(i + 1)
	}
	return m
}()

// Names returns the names of all flow events as the wire writes them.
func Names() []string { return slices.Clone(names[1:]) }

// ParseName reads a name of the wire.
func ParseName(text string) (Name, bool) {
	n, ok := byText[text]
	return n, ok
}

// String returns the name as the wire writes it, or the empty text for a value that is no name.
func (n Name) String() string {
	if int(n) >= len(names) {
		return ""
	}
	return names[n]
}

// OfRun tells whether events of the name belong to runs. Those of banners don't: a banner is no flow.
func (n Name) OfRun() bool { return n != BannerImpression && n != BannerDismissed }

// rank puts the start of a run before, and its ends after, what else happened in their millisecond.
func (n Name) rank() int {
	switch n {
	case FlowStarted:
		return 0
	case FlowCompleted, FlowAbandoned:
		return 2
	}
	return 1
}

// NameKind says what a name of flow_name stands for. Its value is stored.
type NameKind uint8

// The kinds of names. What people typed is never a name.
const (
	KindStep     NameKind = iota + 1 // a screen or a surface
	KindField                        // what a question is asked for: its field key
	KindOption                       // of a choice
	KindDecision                     // a decision node
	KindCase                         // of a decision
	KindProvider                     // of a surface
	KindOutcome                      // of a surface, a permission or a review
	KindProduct
)
