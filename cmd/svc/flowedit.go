package main

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/google/uuid"
	"github.com/spf13/cobra"
)

// edited is what an edit prints.
type edited struct {
	Revision int             `json:"revision"`
	Outcomes json.RawMessage `json:"outcomes"`
}

func newFlowEdit(t terminal) *cobra.Command {
	var revision int
	var cmd *cobra.Command
	cmd = clientCommand{
		use: "edit", short: "Change the draft of a flow by operations",
		long: "Applies the steps of a file to the draft, after what others changed, who see them at once. The file is a\n" +
			"JSON list of {name, operations}; a step is applied whole or not at all. An operation names the node that it\n" +
			"changes by its id: set and unset (node, path, value), insert (parent, slot, after, subtree), move (node,\n" +
			"parent, slot, after), remove (node), rename (key, from, to). What came of each step is printed; when one was\n" +
			"refused the exit code is 3, and the others are kept. - is the input.",
		arguments: []string{"flowId", "file"},
	}.command(t, func(ctx context.Context, server api, args []string, out printer) error {
		if cmd.Flags().Changed("revision") && revision < 1 {
			return usageError("--revision must be positive, not %d", revision)
		}
		steps, err := readFlowFile(t, args[1])
		if err != nil {
			return err
		}
		var list []json.RawMessage
		if err := json.Unmarshal(steps, &list); err != nil || len(list) == 0 {
			return usageError("%s is not a JSON list of steps, {name, operations}", args[1])
		}
		result, err := editFlow(ctx, server, args[0], revision, list)
		if err != nil {
			return err
		}
		data, err := json.Marshal(result)
		if err != nil {
			return err
		}
		if err := out.print(t.out, data); err != nil {
			return err
		}
		return refusedSteps(result.Outcomes)
	})
	cmd.Flags().IntVar(&revision, "revision", 0, "revision that the steps were made from; the draft's unless given")
	return cmd
}

// editFlow sends steps as the only batch of a new client. Revision 0 is the draft's.
func editFlow(ctx context.Context, server api, flow string, revision int, steps []json.RawMessage) (*edited, error) {
	if revision == 0 {
		var draft struct{ Revision int }
		if err := server.read(ctx, "draftRevision", map[string]any{"flow": flow}, &draft, "draft"); err != nil {
			return nil, err
		}
		revision = draft.Revision
	}
	input := map[string]any{
		"flowId": flow, "baseRevision": revision, "clientId": uuid.NewString(), "sequence": 1, "steps": steps,
	}
	var result edited
	return &result, server.read(ctx, "editDraft", map[string]any{"input": input}, &result, "editDraft")
}

// refusedSteps is the error of an edit of which not all was applied.
func refusedSteps(outcomes json.RawMessage) error {
	var each []struct {
		Refusal *struct{ Code, Node string }
	}
	if err := json.Unmarshal(outcomes, &each); err != nil {
		return fmt.Errorf("read the answer: %w", err)
	}
	refused := []int{}
	for i, outcome := range each {
		if outcome.Refusal != nil {
			refused = append(refused, i+1)
		}
	}
	if len(refused) == 0 {
		return nil
	}
	return &failure{
		exit: exitConflict, code: "refused", details: map[string]any{"steps": refused},
		message: fmt.Sprintf("%d of %d steps were refused, the others are kept", len(refused), len(each)),
	}
}
