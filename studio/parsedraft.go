package studio

import (
	"github.com/svc-dev/svc/internal/fault"
	"github.com/svc-dev/svc/manifest"
	"github.com/svc-dev/svc/manifest/problem"
)

// ParseDraft reads a draft that was opened as a flow. One that is none now fails with code draft_invalid and the
// problems, by names, in the details.
func ParseDraft(draft *Draft) (*manifest.Manifest, error) {
	stamped, err := setFlowVersion("draft", draft.Document, draft.FlowID, draft.Revision)
	if err != nil {
		return nil, err
	}
	parsed, problems := manifest.Parse(stamped)
	if parsed == nil {
		invalid := fault.New(DraftInvalid, "the draft is no flow that can run: fix its problems first")
		invalid.Details = map[string]any{"problems": problem.InWords(draft.Document, problems)}
		return nil, invalid
	}
	return parsed, nil
}
