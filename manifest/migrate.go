package manifest

import (
	"fmt"
	"strings"
)

// migrate rewrites older forms of a manifest to the present one, in place
// (manifest.md §10). It touches only what it recognizes: what it leaves wrong
// is for validation to name.
func migrate(doc map[string]any) {
	switch doc["schemaVersion"] {
	case 4.0, 5.0, 6.0:
		doc["schemaVersion"] = 7.0
	}
	for _, name := range []string{"decisionNodes", "externalSurfaceNodes", "sdkAttributeKeys"} {
		if _, ok := doc[name].([]any); !ok {
			doc[name] = []any{}
		}
	}
	for _, node := range objects(doc["decisionNodes"]) {
		migrateDecision(node)
	}
	for _, screen := range objects(doc["screens"]) {
		if regions, ok := screen["regions"].(map[string]any); ok {
			for _, region := range []string{"header", "body", "footer"} {
				migrateLayer(regions[region])
			}
		}
	}
}

// migrateDecision turns the two-way form {expression, onTrue, onFalse} into cases.
func migrateDecision(node map[string]any) {
	if _, ok := node["cases"]; ok {
		return
	}
	expression, ok := node["expression"]
	if !ok {
		return
	}
	node["cases"] = []any{map[string]any{
		"id":         cut(fmt.Sprintf("%v_case_0", node["id"]), 80),
		"name":       "Group 1",
		"expression": expression,
		"next":       node["onTrue"],
	}}
	node["elseNext"] = node["onFalse"]
	delete(node, "expression")
	delete(node, "onTrue")
	delete(node, "onFalse")
}

// migrateLayer rewrites a layer and all layers below it.
func migrateLayer(v any) {
	layer, ok := v.(map[string]any)
	if !ok {
		return
	}
	kind, _ := layer["kind"].(string)
	switch kind {
	case "progress_bar":
		layer["kind"] = "progress"
	case "icon":
		if layer["family"] == "sf_symbol" {
			layer["family"], layer["iconName"] = "ionicons", "star-outline"
		}
	case "stack":
		if justify, ok := layer["justify"]; ok {
			if _, set := layer["distribution"]; !set {
				layer["distribution"] = justify
			}
			delete(layer, "justify")
		}
	case "phone_input", "address_input":
		migrateCountries(layer)
	}
	if _, ok := layer["children"]; !ok {
		if grow := childless[kind]; grow != nil {
			grow(layer)
		}
	}
	migrateWidths(layer)
	for _, name := range []string{"children", "slides"} {
		for _, child := range objects(layer[name]) {
			migrateLayer(child)
		}
	}
}

// migrateWidths rewrites the width "fill" to "full" in every style of a layer.
func migrateWidths(layer map[string]any) {
	rewrite := func(style any) {
		if style, ok := style.(map[string]any); ok && style["width"] == "fill" {
			style["width"] = "full"
		}
	}
	for _, name := range []string{"style", "selectedStyle"} {
		rewrite(layer[name])
		patches, _ := layer[name+"Breakpoints"].(map[string]any)
		for _, patch := range patches {
			rewrite(patch)
		}
	}
}

// migrateCountries stores country codes in upper case.
func migrateCountries(layer map[string]any) {
	if code, ok := layer["defaultCountryCode"].(string); ok {
		layer["defaultCountryCode"] = strings.ToUpper(code)
	}
	codes, _ := layer["allowedCountryCodes"].([]any)
	for i, code := range codes {
		if code, ok := code.(string); ok {
			codes[i] = strings.ToUpper(code)
		}
	}
}

// objects returns the elements of an array that are objects.
func objects(v any) []map[string]any {
	array, _ := v.([]any)
	out := make([]map[string]any, 0, len(array))
	for _, element := range array {
		if object, ok := element.(map[string]any); ok {
			out = append(out, object)
		}
	}
	return out
}

// cut shortens an id to at most n bytes; ids are ASCII.
func cut(id string, n int) string {
	if len(id) > n {
		return id[:n]
	}
	return id
}
