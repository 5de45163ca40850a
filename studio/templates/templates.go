// Package templates holds flows to begin with: each a manifest with the files that it shows. They are whole flows of
// made-up apps; Template.Fill makes one the flow of a real app.
package templates

import (
	"embed"
	"encoding/json"
	"fmt"
	"path"
	"slices"

	"github.com/google/uuid"

	"github.com/svc-dev/svc/studio/media"
)

//go:embed index.json */*.json */*.svg
var files embed.FS

// Template is a flow to begin with.
type Template struct {
	ID          string `json:"id"` // the name of its folder
	Name        string `json:"name"`
	Category    string `json:"category"`
	Description string `json:"description"`
	AppName     string `json:"appName"` // of the made-up app, in the texts
	Cover       string `json:"cover"`   // the screen that stands for it
	// Files are those that the manifest shows, by asset id.
	Files    map[uuid.UUID]string `json:"files"`
	Products []Product            `json:"products"`
	// Samples are prices, such as an app hands them over as custom properties, for whoever shows the template.
	Samples map[string]string `json:"samples,omitempty"`
}

// Product is what a flow of a template sells.
type Product struct {
	Key     string `json:"key"`
	Name    string `json:"name"`
	Surface string `json:"surface"` // of the manifest, which leads to the purchase
}

var all = readIndex()

func readIndex() []*Template {
	content, err := files.ReadFile("index.json")
	if err != nil {
		panic(err) // it is in the binary
	}
	var index []*Template
	if err := json.Unmarshal(content, &index); err != nil {
		panic(fmt.Sprintf("read the index of templates: %s", err))
	}
	return index
}

// All returns the templates in the order in which they are shown.
func All() []*Template { return slices.Clone(all) }

// Find returns the template with an id, or nil.
func Find(id string) *Template {
	i := slices.IndexFunc(all, func(t *Template) bool { return t.ID == id })
	if i < 0 {
		return nil
	}
	return all[i]
}

// Manifest returns the flow as it stands in the repository.
func (t *Template) Manifest() (json.RawMessage, error) {
	raw, err := files.ReadFile(path.Join(t.ID, "manifest.json"))
	if err != nil {
		return nil, fmt.Errorf("read the template %s: %w", t.ID, err)
	}
	return raw, nil
}

// Locales returns the languages of the texts, that of the template's own first.
func (t *Template) Locales() ([]string, error) {
	raw, err := t.Manifest()
	if err != nil {
		return nil, err
	}
	var document struct {
		Locales []string `json:"locales"`
	}
	err = json.Unmarshal(raw, &document)
	return document.Locales, err
}

// File is one that a manifest shows.
type File struct {
	Name    string
	Type    media.Type
	Content []byte
}

// MIME is how a browser is told of the file.
func (f File) MIME() string {
	if f.Type == media.Lottie {
		return "application/json"
	}
	return "image/svg+xml"
}

// Media returns the files of the template by asset id.
func (t *Template) Media() (map[uuid.UUID]File, error) {
	out := make(map[uuid.UUID]File, len(t.Files))
	for id, name := range t.Files {
		content, err := files.ReadFile(path.Join(t.ID, name))
		if err != nil {
			return nil, fmt.Errorf("read a file of the template %s: %w", t.ID, err)
		}
		kind := media.Image
		if path.Ext(name) == ".json" {
			kind = media.Lottie
		}
		out[id] = File{name, kind, content}
	}
	return out, nil
}
