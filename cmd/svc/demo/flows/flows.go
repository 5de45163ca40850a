// Package flows holds the flows of the demo app Tendril, a made-up helper for
// house plants, with the pictures that they show. The manifests name pictures by
// the ids of art.json. Every text has a German and an Arabic translation.
package flows

import (
	"embed"
	"encoding/json"
	"fmt"
)

//go:embed *.json art/*.svg
var files embed.FS

// Names are the flows in the order in which a person meets them; each is the
// name of a manifest.
var Names = []string{"onboarding", "paywall", "reminders", "winback", "survey"}

// Manifest returns the manifest of a flow as it stands in the repository.
func Manifest(name string) ([]byte, error) { return files.ReadFile(name + ".json") }

// Art returns the file names of the pictures by the media ids that the
// manifests use.
func Art() (map[string]string, error) {
	content, err := files.ReadFile("art.json")
	if err != nil {
		return nil, err
	}
	var names map[string]string
	if err := json.Unmarshal(content, &names); err != nil {
		return nil, fmt.Errorf("read art.json: %w", err)
	}
	return names, nil
}

// Picture returns the content of an SVG file of Art.
func Picture(file string) ([]byte, error) { return files.ReadFile("art/" + file) }
