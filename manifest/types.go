package manifest

import (
	"bytes"
	"encoding/json"
)

// Manifest is a valid flow. Parse and Open make it; it is not changed
// afterwards, so it may be shared between goroutines. Its Go fields are what
// the server reads; the whole document is JSON.
type Manifest struct {
	FlowID           string         `json:"flowId"`
	SchemaVersion    int            `json:"schemaVersion"` // 7, or 0 when the document does not say
	Version          int            `json:"version"`
	DefaultLocale    string         `json:"defaultLocale"`
	Locales          []string       `json:"locales"`
	EntryID          string         `json:"entryScreenId"` // a screen, decision or surface; "" only in drafts
	Screens          []*Screen      `json:"screens"`
	Decisions        []*Decision    `json:"decisionNodes"`
	Surfaces         []*Surface     `json:"externalSurfaceNodes"`
	SDKAttributeKeys []string       `json:"sdkAttributeKeys"`
	Theme            map[string]any `json:"theme"`
	canonical        []byte         // the whole document
	layers           []*placedLayer // every layer, in document order
	layersOf         map[*Screen][]*placedLayer
	layersByID       map[string]*placedLayer
	nodes            map[string]string // pointer by screen, decision and surface id
}

// fields lets Open use encoding/json's own decoding of Manifest.
type fields Manifest

// JSON returns the whole manifest in canonical form: members sorted, unknown ones
// dropped. The same manifest always gives the same bytes, fit for a checksum.
func (m *Manifest) JSON() []byte { return bytes.Clone(m.canonical) }

// MarshalJSON writes the canonical form.
func (m *Manifest) MarshalJSON() ([]byte, error) { return m.canonical, nil }

// Screen is one page of a flow.
type Screen struct {
	ID      string `json:"id"`
	Name    string `json:"name"`
	Regions struct {
		Header *Layer `json:"header"`
		Body   *Layer `json:"body"`
		Footer *Layer `json:"footer"`
	} `json:"regions"`
	Next struct {
		Default *string `json:"default"` // nil ends the flow
	} `json:"next"`
	Animations                []*Clip                    `json:"animations"`
	ContainerStyle            ContainerStyle             `json:"containerStyle"`
	ContainerStyleBreakpoints map[string]*ContainerPatch `json:"containerStyleBreakpoints"`
}

// ContainerStyle dresses a screen.
type ContainerStyle struct {
	BackgroundFill *BackgroundFill `json:"backgroundFill"`
}

// ContainerPatch changes a ContainerStyle from a breakpoint on.
type ContainerPatch struct {
	BackgroundFillPatch *BackgroundFill `json:"backgroundFillPatch"`
}

// BackgroundFill is what a screen is painted with. Kind is "color", "image" or
// "video", or "" in a patch.
type BackgroundFill struct {
	Kind    string          `json:"kind"`
	Color   json.RawMessage `json:"color"`
	Opacity *float64        `json:"opacity"`
	Player
}

// Player is what image, lottie and video have in common: layers and fills.
type Player struct {
	Media          *MediaReference `json:"media"`
	Loop           *bool           `json:"loop"`
	AutoPlay       *bool           `json:"autoPlay"`
	TriggerLayerID string          `json:"triggerLayerId"`
	OnComplete     *OnComplete     `json:"onComplete"`
}

// MediaReference names an asset of the workspace's media library.
type MediaReference struct {
	MediaAssetID string `json:"mediaAssetId"`
}

// OnComplete tells what a finished loader or player does: Mode is "none",
// "next", or "screen" with the node to go to.
type OnComplete struct {
	Mode     string `json:"mode"`
	ScreenID string `json:"screenId"`
}

// Decision leads to the next of its first case that holds, else to ElseNext.
type Decision struct {
	ID       string          `json:"id"`
	Name     string          `json:"name"`
	Cases    []*DecisionCase `json:"cases"`
	ElseNext *string         `json:"elseNext"`
}

// DecisionCase is one way out of a decision.
type DecisionCase struct {
	ID         string      `json:"id"`
	Name       string      `json:"name"`
	Expression *Expression `json:"expression"`
	Next       *string     `json:"next"`
}

// Expression is a condition. Kind is "empty" (never holds), "group" (Op "and"
// or "or" over Children) or "predicate".
type Expression struct {
	Kind      string          `json:"kind"`
	Op        string          `json:"op"`
	Children  []*Expression   `json:"children"`
	Variable  *Variable       `json:"variable"`
	Predicate json.RawMessage `json:"predicate"`
}

// Variable is what a predicate looks at. Kind is "builtin" (Name), "sdk" (Key)
// or "field" (FieldKey).
type Variable struct {
	Kind     string `json:"kind"`
	Name     string `json:"name"`
	Key      string `json:"key"`
	FieldKey string `json:"fieldKey"`
}

// Surface is an external surface or integration node: something that the
// host or a provider shows between two screens.
type Surface struct {
	ID       string             `json:"id"`
	Name     string             `json:"name"`
	Config   SurfaceConfig      `json:"config"`
	Outcomes map[string]*string `json:"outcomes"`
	Fallback *string            `json:"fallback"`
}

// SurfaceConfig says who shows a surface.
type SurfaceConfig struct {
	Provider       Provider `json:"provider"`
	OfferingID     string   `json:"offeringId"`
	PlacementID    string   `json:"placementId"`
	Presentation   string   `json:"presentation"`
	PaymentLinkURL string   `json:"paymentLinkUrl"`
	HostKey        string   `json:"hostKey"`
}

// Provider shows a surface.
type Provider string

// The providers of manifest.md §9.2.
const (
	Unspecified Provider = "unspecified"
	RevenueCat  Provider = "revenuecat"
	Superwall   Provider = "superwall"
	Stripe      Provider = "stripe"
	Headless    Provider = "headless"
)

// Providers are all of them.
var Providers = []Provider{Unspecified, RevenueCat, Superwall, Stripe, Headless}

// Outcomes are those that a surface may have ways out for, and that our SDKs send.
var Outcomes = []string{
	"purchase_completed", "purchase_cancelled", "dismissed", "failed", "restore_completed", "completed", "back",
}

// Clip animates one layer of a screen.
type Clip struct {
	ID            string  `json:"id"`
	TargetLayerID string  `json:"targetLayerId"`
	Trigger       string  `json:"trigger"` // mount, stagger or unmount
	StaggerIndex  *int    `json:"staggerIndex"`
	DurationMs    int     `json:"durationMs"`
	DelayMs       int     `json:"delayMs"`
	Tracks        []Track `json:"tracks"`
}

// Track animates one property.
type Track struct {
	Property  string     `json:"property"`
	Keyframes []Keyframe `json:"keyframes"`
}

// Keyframe is a value at T, a share of the clip's duration.
type Keyframe struct {
	T      float64 `json:"t"`
	Value  float64 `json:"value"`
	Easing string  `json:"easing"`
}
