package manifest

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strconv"
	"testing"
)

// verdicts is testdata/verdicts.json, which the TypeScript side reads too.
type verdicts struct {
	Base  json.RawMessage `json:"base"`
	Cases []verdict       `json:"cases"`
}

type verdict struct {
	Name     string     `json:"name"`
	Patch    []patch    `json:"patch"`
	Problems []finding  `json:"problems"`
	Publish  *[]finding `json:"publish"`
	Options  struct {
		GradientPresets []string               `json:"gradientPresets"`
		Integrations    []Provider             `json:"integrations"`
		Canvas          map[CanvasControl]bool `json:"canvas"`
		Plan            *PlanFeatures          `json:"plan"`
		Media           map[string]MediaFile   `json:"media"`
		RadialGradients []string               `json:"radialGradients"`
		UploadedFonts   []string               `json:"uploadedFonts"`
	} `json:"options"`
}

type patch struct {
	Op    string `json:"op"`
	Path  string `json:"path"`
	Value any    `json:"value"`
}

type finding struct {
	Severity Severity `json:"severity"`
	Code     string   `json:"code"`
	Pointer  string   `json:"pointer"`
}

func readVerdicts(t testing.TB) verdicts {
	t.Helper()
	raw, err := os.ReadFile("testdata/verdicts.json")
	if err != nil {
		t.Fatal(err)
	}
	var v verdicts
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// document lays the case's patch over the base.
func (c verdict) document(t testing.TB, base json.RawMessage) []byte {
	t.Helper()
	var doc any
	if err := json.Unmarshal(base, &doc); err != nil {
		t.Fatal(err)
	}
	for _, p := range c.Patch {
		doc = p.apply(t, doc, splitPointer(p.Path))
	}
	raw, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// apply returns v with the patch applied at the path (RFC 6902).
func (p patch) apply(t testing.TB, v any, path []string) any {
	if len(path) == 0 {
		return p.Value
	}
	token, last := path[0], len(path) == 1
	switch v := v.(type) {
	case map[string]any:
		_, exists := v[token]
		switch {
		case last && p.Op == "remove" && exists:
			delete(v, token)
			return v
		case exists || last && p.Op == "add":
			v[token] = p.apply(t, v[token], path[1:])
			return v
		}
	case []any:
		if token == "-" && last && p.Op == "add" {
			return append(v, p.Value)
		}
		if i, err := strconv.Atoi(token); err == nil && i < len(v) {
			switch {
			case last && p.Op == "remove":
				return slices.Delete(v, i, i+1)
			case last && p.Op == "add":
				return slices.Insert(v, i, p.Value)
			}
			v[i] = p.apply(t, v[i], path[1:])
			return v
		}
	}
	t.Fatalf("cannot %s %s", p.Op, p.Path)
	return nil
}

func findings(problems []Problem) []finding {
	out := []finding{}
	for _, p := range problems {
		out = append(out, finding{p.Severity, p.Code, p.Pointer})
	}
	return out
}

func sameFindings(got, want []finding) bool {
	key := func(f finding) string { return fmt.Sprint(f) }
	order := func(a, b finding) int {
		if key(a) < key(b) {
			return -1
		}
		return 1
	}
	got, want = slices.Clone(got), slices.Clone(want)
	slices.SortFunc(got, order)
	slices.SortFunc(want, order)
	return slices.Equal(got, want)
}

func TestVerdicts(t *testing.T) {
	v := readVerdicts(t)
	for _, c := range v.Cases {
		t.Run(c.Name, func(t *testing.T) {
			m, problems := Parse(c.document(t, v.Base))
			if !sameFindings(findings(problems), c.Problems) {
				t.Fatalf("parse:\n got %v\nwant %v", findings(problems), c.Problems)
			}
			if (m == nil) != Blocking(problems) {
				t.Fatalf("manifest %v with problems %v", m, problems)
			}
			for _, p := range problems {
				if p.Message == "" {
					t.Errorf("%s has no message", p.Code)
				}
			}
			if c.Publish == nil {
				return
			}
			options := PublishOptions{
				GradientPresets: c.Options.GradientPresets, Canvas: c.Options.Canvas, Plan: c.Options.Plan,
				Integrations: map[Provider]bool{}, Media: c.Options.Media,
				RadialGradients: c.Options.RadialGradients, UploadedFonts: c.Options.UploadedFonts,
			}
			for _, provider := range c.Options.Integrations {
				options.Integrations[provider] = true
			}
			if got := findings(CheckPublish(m, options)); !sameFindings(got, *c.Publish) {
				t.Errorf("publish:\n got %v\nwant %v", got, *c.Publish)
			}
		})
	}
}
