package delivery

import (
	"bytes"
	"encoding/json"

	"github.com/google/uuid"

	"github.com/svc-dev/svc/account/plan"
	"github.com/svc-dev/svc/manifest"
)

// contentCut says which parts of a manifest a plan leaves out (wire.md §3.6).
type contentCut struct {
	animations, motion, translations bool
}

func cutOf(p plan.Plan) contentCut {
	return contentCut{
		animations: !p.Has(plan.Animations), motion: !p.Has(plan.Motion), translations: !p.Has(plan.Translations),
	}
}

// contentKey identifies prepared content: versions are immutable, so a version
// and a slice always give the same bytes.
type contentKey struct {
	version uuid.UUID
	slice   contentCut
}

// mediaAsset is where an uploaded file is served.
type mediaAsset struct {
	workspaceID       uuid.UUID
	sha256, extension string
}

// url returns {base}/media/<sha256>.<ext>, immutable (wire.md §11).
func (a mediaAsset) url(base string) string {
	address := base + "/media/" + a.sha256
	if a.extension != "" {
		address += "." + a.extension
	}
	return address
}

// storedBranding is the stored form of wire.md §3.3, in which a font style names
// its file by asset and a missing list is an empty one.
type storedBranding struct {
	AppIcon         json.RawMessage      `json:"appIcon,omitempty"`
	ColorPresets    []json.RawMessage    `json:"colorPresets"`
	GradientPresets []json.RawMessage    `json:"gradientPresets"`
	FontFamilies    []brandingFontFamily `json:"fontFamilies"`
}

type brandingFontFamily struct {
	ID     json.RawMessage              `json:"id"`
	Name   json.RawMessage              `json:"name"`
	Styles []map[string]json.RawMessage `json:"styles"`
}

// fontAssets returns the media assets that stored branding names.
func fontAssets(stored []byte) []uuid.UUID {
	var branding storedBranding
	if json.Unmarshal(stored, &branding) != nil {
		return nil
	}
	var ids []uuid.UUID
	for _, family := range branding.FontFamilies {
		for _, style := range family.Styles {
			if id, ok := parseAsset(style); ok {
				ids = append(ids, id)
			}
		}
	}
	return ids
}

// brandingDocument completes stored branding for clients: the three lists are
// always there, and a font style with an asset gets the asset's URL. Branding
// that can't be read is left out, because a broken setting must not stop a
// channel.
func brandingDocument(stored []byte, url func(uuid.UUID) (string, bool)) json.RawMessage {
	var branding storedBranding
	if len(stored) == 0 || json.Unmarshal(stored, &branding) != nil {
		return nil
	}
	branding.ColorPresets = nonNilList(branding.ColorPresets)
	branding.GradientPresets = nonNilList(branding.GradientPresets)
	branding.FontFamilies = nonNilList(branding.FontFamilies)
	for i := range branding.FontFamilies {
		family := &branding.FontFamilies[i]
		family.Styles = nonNilList(family.Styles)
		for _, style := range family.Styles {
			if id, ok := parseAsset(style); ok {
				if address, known := url(id); known {
					style["url"], _ = json.Marshal(address) // a string always marshals
				}
			}
		}
	}
	document, err := json.Marshal(branding)
	if err != nil {
		return nil
	}
	return document
}

func parseAsset(style map[string]json.RawMessage) (uuid.UUID, bool) {
	var id uuid.UUID
	if raw, named := style["mediaAssetId"]; !named || json.Unmarshal(raw, &id) != nil || id == uuid.Nil {
		return uuid.Nil, false
	}
	return id, true
}

// nonNilList makes sure that a list is written as [] and never as null.
func nonNilList[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// apply cuts a manifest to what a plan includes, and says what that left out. Without a cut the bytes stay as they were
// published.
func (s contentCut) apply(published *manifest.Manifest, stored []byte) (text []byte, leftOut []Cut, err error) {
	text = stored
	cut := func(named Cut, without func() (*manifest.Manifest, error)) {
		if err != nil {
			return
		}
		var rest *manifest.Manifest
		if rest, err = without(); err != nil {
			return
		}
		before := published.JSON()
		published, text = rest, rest.JSON()
		if !bytes.Equal(before, text) {
			leftOut = append(leftOut, named)
		}
	}
	switch {
	case s.motion: // includes the animations (wire.md §3.6)
		cut(CutMotion, published.WithoutMotion)
	case s.animations:
		cut(CutAnimations, published.WithoutAnimations)
	}
	if s.translations {
		cut(CutTranslations, func() (*manifest.Manifest, error) { return published.DefaultLocaleOnly() })
	}
	return text, leftOut, err
}

// assetIDs returns the media assets that a manifest names, by the text it uses.
// What isn't an id of an uploaded asset has no URL.
func assetIDs(published *manifest.Manifest) map[string]uuid.UUID {
	ids := map[string]uuid.UUID{}
	for _, text := range published.MediaAssetIDs() {
		if id, err := uuid.Parse(text); err == nil {
			ids[text] = id
		}
	}
	return ids
}
