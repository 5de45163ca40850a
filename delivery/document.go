package delivery

import (
	"encoding/json"

	"github.com/google/uuid"

	"github.com/svc-dev/svc/delivery/integration"
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
	Features     Features             `json:"features"`
	Integrations integration.Settings `json:"integrations"`
	Branding     json.RawMessage      `json:"branding,omitempty"`
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
