package delivery

import (
	"encoding/json"

	"github.com/google/uuid"
)

// KindFlow is the content kind of a channel that serves a flow.
const KindFlow = "flow"

// Document is the answer of resolve for a flow, and one entry of resolve-all
// (wire.md §3.2). The server emits every field but Branding, which an app may
// not have.
type Document struct {
	Head
	Surroundings
	Content
}

// Head is the part of a document that differs between channels and arms.
type Head struct {
	Kind              string      `json:"kind"`
	FlowID            uuid.UUID   `json:"flowId"`
	VersionID         uuid.UUID   `json:"versionId"`
	VersionNumber     int         `json:"versionNumber"`
	AssignmentVersion int         `json:"assignmentVersion"`
	Environment       string      `json:"environment"`
	ChannelID         string      `json:"channelId"`
	ExperimentID      *uuid.UUID  `json:"experimentId"`
	VariantID         *string     `json:"variantId"`
	Experiment        *Experiment `json:"experiment"`
}

// Experiment names the arm that was served.
type Experiment struct {
	ID         uuid.UUID `json:"id"`
	VariantKey string    `json:"variantKey"`
	VariantID  string    `json:"variantId"`
}

// Surroundings is the part that all channels of one app share.
type Surroundings struct {
	Features     Features        `json:"features"`
	Integrations Integrations    `json:"integrations"`
	Branding     json.RawMessage `json:"branding,omitempty"`
}

// Features switches client abilities off that the plan does not include.
type Features struct {
	Attribution bool `json:"attribution"`
}

// Content is the part that all channels serving one version share: the
// manifest with all its locales and an absolute URL for every asset it names.
type Content struct {
	Manifest json.RawMessage   `json:"manifest"`
	MediaMap map[string]string `json:"mediaMap"`
}

// Integrations are the provider switches of an app, always complete
// (wire.md §3.4).
type Integrations struct {
	RevenueCat RevenueCat `json:"revenuecat"`
	Superwall  Superwall  `json:"superwall"`
	AppsFlyer  Toggle     `json:"appsflyer"`
	Stripe     Toggle     `json:"stripe"`
}

// RevenueCat is the switch and the defaults of the revenuecat provider.
type RevenueCat struct {
	Enabled            bool   `json:"enabled"`
	DefaultOfferingID  string `json:"defaultOfferingId" validate:"utf16max=128"` // manifest.md §9.2
	DefaultPlacementID string `json:"defaultPlacementId" validate:"utf16max=128"`
}

// Superwall is the switch and the default placement of the superwall provider.
type Superwall struct {
	Enabled            bool   `json:"enabled"`
	DefaultPlacementID string `json:"defaultPlacementId" validate:"utf16max=128"`
}

// Toggle is a provider that has nothing but its switch.
type Toggle struct {
	Enabled bool `json:"enabled"`
}

// ParseIntegrations reads the stored form, which is partial and may have
// unknown keys. A value that can't be read gives all defaults, never an error:
// a broken setting must not stop a channel (wire.md §3.4).
func ParseIntegrations(stored []byte) Integrations {
	var parsed Integrations
	if json.Unmarshal(stored, &parsed) != nil {
		return Integrations{}
	}
	return parsed
}
