// Package bundle reads and writes a flow as one file: a ZIP with the manifest, the files that it shows, and the fonts
// of the branding that it is written in.
package bundle

import (
	"encoding/json"
	"fmt"
	"regexp"

	"github.com/google/uuid"

	"github.com/svc-dev/svc/internal/fault"
	"github.com/svc-dev/svc/manifest"
	"github.com/svc-dev/svc/studio/media"
)

const (
	// MaxBytes bounds the whole file, and what is in it when it is unpacked: what one upload may have.
	MaxBytes = media.LargestUpload
	// MaxEntries bounds the files in it.
	MaxEntries = 1000
	// maxIndexBytes bounds the index.
	maxIndexBytes = 1 << 20
	// maxDirectoryBytes bounds what is read to find the entries.
	maxDirectoryBytes = 1 << 20
	// maxComponentsBytes bounds the components, and maxComponents counts them.
	maxComponentsBytes = 4 << 20
	maxComponents      = 200

	format  = "svc-flow"
	version = 1

	indexName      = "index.json"
	manifestName   = "manifest.json"
	componentsName = "components.json" // only of a flow that has instances of some
)

// Index says what a bundle holds.
type Index struct {
	Format  string `json:"format"`  // "svc-flow"
	Version int    `json:"version"` // of the format
	Name    string `json:"name"`    // of the flow
	// Media are the files that the manifest names by their ids.
	Media []File `json:"media"`
	// Fonts are those of the branding that the manifest names.
	Fonts []Font `json:"fonts"`
	// Gradients are those of the branding that the manifest names by their ids.
	Gradients []Gradient `json:"gradients"`
}

// File is a file of the media library.
type File struct {
	ID   uuid.UUID  `json:"id"`
	Path string     `json:"path"` // media/<SHA-256>.<extension>
	Type media.Type `json:"type"`
	Name string     `json:"name"`
}

// Font is a family of the branding.
type Font struct {
	Name   string  `json:"name"`
	Styles []Style `json:"styles"`
}

// Style is one file of a font, or the address of one.
type Style struct {
	Weight   int    `json:"weight"`
	Italic   bool   `json:"italic"`
	Label    string `json:"label,omitempty"`
	Filename string `json:"filename,omitempty"`
	URL      string `json:"url,omitempty"`
	Path     string `json:"path,omitempty"` // fonts/<SHA-256>.<extension>
}

// Gradient is a gradient of the branding. Where the flow goes, the gradient of the same name takes its place.
type Gradient struct {
	ID   uuid.UUID `json:"id"`
	Name string    `json:"name"`
}

// namePattern is the form of the names of files in a bundle: nothing that could lead elsewhere.
var namePattern = regexp.MustCompile(`^(media|fonts)/([0-9a-f]{64})\.([a-z0-9]{1,5})$`)

// PathOf returns the name in a bundle of a file with this content.
func PathOf(kind media.Type, sha, extension string) string {
	folder := "media"
	if kind == media.Font {
		folder = "fonts"
	}
	return folder + "/" + sha + "." + extension
}

// files returns the names that the index gives, with the type that each file must have.
func (x *Index) files() map[string]media.Type {
	named := map[string]media.Type{}
	for _, file := range x.Media {
		named[file.Path] = file.Type
	}
	for _, font := range x.Fonts {
		for _, style := range font.Styles {
			if style.Path != "" {
				named[style.Path] = media.Font
			}
		}
	}
	return named
}

// limitOf returns how many bytes an entry may have.
func limitOf(name string, types map[string]media.Type) int64 {
	switch name {
	case indexName:
		return maxIndexBytes
	case componentsName:
		return maxComponentsBytes
	case manifestName:
		return manifest.MaxBytes
	}
	return media.MaxBytes[types[name]]
}

// parseIndex reads an index of a format that is known.
func parseIndex(raw []byte) (*Index, error) {
	var about struct {
		Format  string `json:"format"`
		Version int    `json:"version"`
	}
	if json.Unmarshal(raw, &about) != nil || about.Format != format {
		return nil, refuse("%s does not say that this is an exported flow", indexName)
	}
	if about.Version != version {
		return nil, refuse("is of version %d of the format; this server reads version %d", about.Version, version)
	}
	var index Index
	if err := json.Unmarshal(raw, &index); err != nil {
		return nil, refuse("%s can't be read: %s", indexName, err)
	}
	seen := map[uuid.UUID]bool{}
	for i, file := range index.Media {
		if _, known := media.MaxBytes[file.Type]; !known || file.Type == media.Font {
			return nil, refuse("%s: media.%d.type must be image, lottie or video", indexName, i)
		}
		if seen[file.ID] {
			return nil, refuse("%s: media.%d.id stands there twice", indexName, i)
		}
		seen[file.ID] = true
	}
	return &index, nil
}

// refuse is what is wrong with a bundle that was sent.
func refuse(format string, args ...any) error {
	return fault.Invalid("file", "%s", fmt.Sprintf(format, args...))
}
