package studio

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/svc-dev/svc/manifest/problem"
)

// DraftProblem is what is wrong with a draft, told to people.
type DraftProblem struct {
	problem.Problem

	Fix json.RawMessage // an edit.Step; nil where a person has to choose
}

// InspectDraft tells what publishing would find wrong with a draft that was opened.
func (s *Studio) InspectDraft(ctx context.Context, draft *Draft) ([]DraftProblem, error) {
	flow, err := s.readFlow(ctx, draft.FlowID)
	if err != nil {
		return nil, err
	}
	flow.Draft, flow.DraftRevision = draft.Document, draft.Revision
	found, err := s.CheckDraft(ctx, flow)
	if err != nil {
		return nil, err
	}
	told, err := problem.Inspect(draft.Document, found)
	if err != nil {
		return nil, fmt.Errorf("tell the problems of a draft: %w", err)
	}
	out := make([]DraftProblem, len(told))
	for i, p := range told {
		out[i].Problem = p
		if p.Fix == nil {
			continue
		}
		if out[i].Fix, err = json.Marshal(p.Fix); err != nil {
			return nil, fmt.Errorf("write a fix: %w", err)
		}
	}
	return out, nil
}
