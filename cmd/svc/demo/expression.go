package demo

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"

	"github.com/svc-dev/svc/manifest"
)

// answers are what a person said on a run: an option's id or a text, or the ids of several options, by field key.
type answers map[string]any

// holds evaluates a condition as the SDKs do (runtime.md §3), for what the demo's flows ask: the platform and the
// locale, texts and choices.
func holds(e *manifest.Expression, of Context, said answers) bool {
	switch e.Kind {
	case "group":
		met := func(child *manifest.Expression) bool { return holds(child, of, said) }
		if e.Op == "or" {
			return slices.ContainsFunc(e.Children, met)
		}
		return !slices.ContainsFunc(e.Children, func(child *manifest.Expression) bool { return !met(child) })
	case "predicate":
		var asked struct {
			Pred struct {
				Op        string   `json:"op"`
				Value     string   `json:"value"`
				OptionID  string   `json:"optionId"`
				OptionIDs []string `json:"optionIds"`
			} `json:"pred"`
		}
		if json.Unmarshal(e.Predicate, &asked) != nil {
			return false
		}
		value, _ := valueOf(e.Variable, of, said).(string)
		if value == "" {
			return false
		}
		switch asked.Pred.Op {
		case "eq":
			return value == asked.Pred.Value || value == asked.Pred.OptionID
		case "neq":
			return value != asked.Pred.Value
		case "contains":
			return strings.Contains(value, asked.Pred.Value)
		case "one_of":
			return slices.Contains(asked.Pred.OptionIDs, value)
		}
	}
	return false
}

func valueOf(v *manifest.Variable, of Context, said answers) any {
	switch {
	case v.Kind == "field":
		return said[v.FieldKey]
	case v.Kind == "builtin" && v.Name == "platform":
		return of.Platform
	case v.Kind == "builtin" && v.Name == "locale":
		return of.Locale
	}
	return nil
}

// clauseDigests returns the digests of the cases of a flow's decisions (wire.md §5.2), which are taken over the
// expressions as they were served.
func clauseDigests(flow *manifest.Manifest, raw []byte) (map[*manifest.DecisionCase]string, error) {
	var served struct {
		Decisions []struct {
			Cases []struct {
				Expression any `json:"expression"`
			} `json:"cases"`
		} `json:"decisionNodes"`
	}
	if err := json.Unmarshal(raw, &served); err != nil {
		return nil, fmt.Errorf("read the decisions of a flow: %w", err)
	}
	digests := map[*manifest.DecisionCase]string{}
	for i, decision := range flow.Decisions {
		for j, of := range decision.Cases {
			digest, err := clauseDigest(served.Decisions[i].Cases[j].Expression)
			if err != nil {
				return nil, err
			}
			digests[of] = digest
		}
	}
	return digests, nil
}

// clauseDigest returns the digest of an expression.
func clauseDigest(expression any) (string, error) {
	var canonical bytes.Buffer
	encoder := json.NewEncoder(&canonical) // it sorts the members of maps
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(expression); err != nil {
		return "", fmt.Errorf("write an expression: %w", err)
	}
	state := uint32(5381)
	for _, unit := range utf16.Encode([]rune(string(bytes.TrimSpace(canonical.Bytes())))) {
		state = state*33 ^ uint32(unit)
	}
	return "d" + strconv.FormatUint(uint64(state), 16), nil
}
