package resolvers

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/svc-dev/svc/graph"
	"github.com/svc-dev/svc/internal/fault"
	"github.com/svc-dev/svc/manifest/edit"
	"github.com/svc-dev/svc/studio"
)

// convertSteps reads the steps of an input. Its error names the operation and the member.
func convertSteps(inputs []*graph.EditStepInput) ([]edit.Step, error) {
	operations := 0
	for _, input := range inputs {
		operations += len(input.Operations)
	}
	// Before each is read: 100,000 of them would take a processor for a second.
	if operations > studio.MaxEditOperations {
		return nil, fault.Invalid("steps", "has more than %d operations", studio.MaxEditOperations)
	}
	steps := make([]edit.Step, len(inputs))
	for i, input := range inputs {
		steps[i] = edit.Step{Name: input.Name, Operations: make([]edit.Operation, len(input.Operations))}
		for j, o := range input.Operations {
			if err := convertOperation(*o, &steps[i].Operations[j]); err != nil {
				return nil, fault.Invalid(fmt.Sprintf("input.steps.%d.operations.%d", i, j), "%s", err)
			}
		}
	}
	return steps, nil
}

// convertOperation reads an operation by its JSON, of which the input has the members.
func convertOperation(input graph.EditOperationInput, o *edit.Operation) error {
	if input.Op == edit.Set && input.Value == nil {
		input.Value = json.RawMessage("null") // GraphQL can't tell it from a value that was left out
	}
	text, err := json.Marshal(input)
	if err != nil {
		return err
	}
	err = json.Unmarshal(text, o)
	var mistyped *json.UnmarshalTypeError
	if errors.As(err, &mistyped) {
		return fmt.Errorf("must not be a JSON %s", mistyped.Value)
	}
	return err
}
