package demo

import "encoding/json"

// ParseServed reads the parts of a resolve answer that made-up runs need.
func ParseServed(answer []byte) (Served, error) {
	var body struct {
		FlowID            string  `json:"flowId"`
		VersionID         string  `json:"versionId"`
		AssignmentVersion int     `json:"assignmentVersion"`
		ExperimentID      *string `json:"experimentId"`
		VariantID         *string `json:"variantId"`
		Manifest          struct {
			EntryScreenID string `json:"entryScreenId"`
			Screens       []struct {
				ID      string                    `json:"id"`
				Regions any                       `json:"regions"`
				Next    struct{ Default *string } `json:"next"`
			} `json:"screens"`
			Decisions []struct {
				ID    string `json:"id"`
				Cases []struct {
					Next *string `json:"next"`
				} `json:"cases"`
				ElseNext *string `json:"elseNext"`
			} `json:"decisionNodes"`
			Surfaces []struct {
				ID       string             `json:"id"`
				Outcomes map[string]*string `json:"outcomes"`
				Fallback *string            `json:"fallback"`
			} `json:"externalSurfaceNodes"`
		} `json:"manifest"`
	}
	if err := json.Unmarshal(answer, &body); err != nil {
		return Served{}, err
	}
	next := map[string][]string{}
	add := func(node string, target *string) {
		if target == nil {
			target = new(string)
		}
		next[node] = append(next[node], *target)
	}
	for _, screen := range body.Manifest.Screens {
		add(screen.ID, screen.Next.Default)
		next[screen.ID] = append(next[screen.ID], branches(screen.Regions)...)
	}
	for _, decision := range body.Manifest.Decisions {
		for _, c := range decision.Cases {
			add(decision.ID, c.Next)
		}
		add(decision.ID, decision.ElseNext)
	}
	for _, surface := range body.Manifest.Surfaces {
		// The other outcomes lead where the fallback leads, or are as rare.
		if bought, ok := surface.Outcomes["purchase_completed"]; ok {
			add(surface.ID, bought)
		}
		add(surface.ID, surface.Fallback)
	}
	return Served{
		FlowID: body.FlowID, VersionID: body.VersionID, AssignmentVersion: body.AssignmentVersion,
		ExperimentID: body.ExperimentID, VariantID: body.VariantID,
		Entry: body.Manifest.EntryScreenID, Next: next,
	}, nil
}

// branches returns the screens to which answers on a screen lead, beside its default.
func branches(layer any) []string {
	var targets []string
	switch layer := layer.(type) {
	case map[string]any:
		branching, _ := layer["branching"].(map[string]any)
		conditions, _ := branching["conditions"].([]any)
		for _, condition := range conditions {
			if target, ok := condition.(map[string]any)["goTo"].(string); ok {
				targets = append(targets, target)
			}
		}
		// A layer has one list of children; maps have no order to rely on.
		for _, region := range []string{"header", "body", "footer", "children"} {
			targets = append(targets, branches(layer[region])...)
		}
	case []any:
		for _, child := range layer {
			targets = append(targets, branches(child)...)
		}
	}
	return targets
}
