package bundle

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"
)

// gradientPrefix begins a color that is a gradient of the branding, named by its id.
const gradientPrefix = "$brandGradient:"

// Names are what a manifest names of its workspace and of the branding of its app, each once and sorted.
type Names struct {
	Media     []uuid.UUID
	Fonts     []string
	Gradients []uuid.UUID
}

// NamesOf finds what manifests and layers name, wherever it stands.
func NamesOf(texts ...json.RawMessage) (*Names, error) {
	var documents []any
	for _, raw := range texts {
		document, err := decode(raw)
		if err != nil {
			return nil, err
		}
		documents = append(documents, document)
	}
	names := &Names{}
	visit(documents, func(key, text string) string {
		if id, err := uuid.Parse(text); err == nil && key == "mediaAssetId" {
			names.Media = append(names.Media, id)
		}
		if key == "fontFamily" && text != "" {
			names.Fonts = append(names.Fonts, text)
		}
		if id, ok := gradientOf(text); ok {
			names.Gradients = append(names.Gradients, id)
		}
		return text
	})
	names.Media, names.Gradients = sorted(names.Media), sorted(names.Gradients)
	slices.Sort(names.Fonts)
	names.Fonts = slices.Compact(names.Fonts)
	return names, nil
}

func sorted(ids []uuid.UUID) []uuid.UUID {
	slices.SortFunc(ids, func(a, b uuid.UUID) int { return bytes.Compare(a[:], b[:]) })
	return slices.Compact(ids)
}

// Rename writes the ids that files and gradients have elsewhere into a manifest. What is not in the maps stays.
func Rename(raw json.RawMessage, files, gradients map[uuid.UUID]uuid.UUID) (json.RawMessage, error) {
	document, err := decode(raw)
	if err != nil {
		return nil, err
	}
	visit(document, func(key, text string) string {
		if id, err := uuid.Parse(text); err == nil && key == "mediaAssetId" {
			if there, ok := files[id]; ok {
				return there.String()
			}
		}
		if id, ok := gradientOf(text); ok {
			if there, ok := gradients[id]; ok {
				return gradientPrefix + there.String()
			}
		}
		return text
	})
	renamed, err := json.Marshal(document)
	if err != nil {
		return nil, fmt.Errorf("write the manifest: %w", err)
	}
	return renamed, nil
}

func gradientOf(text string) (uuid.UUID, bool) {
	rest, ok := strings.CutPrefix(text, gradientPrefix)
	if !ok {
		return uuid.Nil, false
	}
	id, err := uuid.Parse(rest)
	return id, err == nil
}

func decode(raw json.RawMessage) (any, error) {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber() // numbers stay as they were written
	var document any
	if err := decoder.Decode(&document); err != nil {
		return nil, refuse("%s is not valid JSON: %s", manifestName, err)
	}
	return document, nil
}

// visit calls fn at each text with the name of the member that holds it, and writes what fn returns in its place.
func visit(value any, fn func(key, text string) string) {
	each := func(key string, member any) any {
		if text, ok := member.(string); ok {
			return fn(key, text)
		}
		visit(member, fn)
		return member
	}
	switch value := value.(type) {
	case map[string]any:
		for key, member := range value {
			value[key] = each(key, member)
		}
	case []any:
		for i, member := range value {
			value[i] = each("", member)
		}
	}
}
