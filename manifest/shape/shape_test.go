package shape_test

import (
	"bytes"
	"testing"

	"github.com/svc-dev/svc/manifest"
	"github.com/svc-dev/svc/manifest/shape"
)

func TestShapeIsGeneratedFromTheSchema(t *testing.T) {
	want, err := shape.Build(manifest.Schema())
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(want, shape.JSON()) {
		t.Error("shape.json is stale: run go generate ./manifest/shape")
	}
}

func TestShapeNamesEverySlot(t *testing.T) {
	s := shape.Read()
	layers := 0
	for _, kind := range s.Kinds {
		if kind.Is == "layer" {
			layers++
		}
	}
	if layers != 31 {
		t.Errorf("got %d kinds of layer, want 31", layers)
	}
	for _, want := range []struct{ kind, slot, holds string }{
		{"flow", "screens", "screen"}, {"flow", "decisionNodes", "decision"}, {"flow", "externalSurfaceNodes", "surface"},
		{"flow", "layout", "position"}, {"screen", "body", "layer"}, {"screen", "header", "layer"},
		{"screen", "animations", "clip"}, {"stack", "children", "layer"}, {"carousel", "slides", "layer"},
		{"number_stepper", "children", "layer"}, {"oauth_provider", "children", "layer"}, {"oauth_login", "children", "layer"},
		{"single_choice", "optionBindings", "option"}, {"wheel_picker", "options", "wheelOption"},
		{"conditional", "cases", "conditionalCase"}, {"decision", "cases", "decisionCase"}, {"text", "restingMotions", "motion"},
	} {
		if slot := s.Kinds[want.kind].Slots[want.slot]; slot == nil || slot.Holds != want.holds {
			t.Errorf("%s/%s is %+v, want one that holds %s", want.kind, want.slot, slot, want.holds)
		}
	}
}
