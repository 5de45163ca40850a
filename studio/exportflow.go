package studio

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/google/uuid"

	"github.com/svc-dev/svc/account"
	"github.com/svc-dev/svc/ent"
	"github.com/svc-dev/svc/ent/mediaasset"
	"github.com/svc-dev/svc/internal/fault"
	"github.com/svc-dev/svc/studio/bundle"
	"github.com/svc-dev/svc/studio/media"
)

// ExportFlow returns the draft of a flow as one file to write, with the files and the fonts that it names. Whoever may
// read drafts may.
func (s *Studio) ExportFlow(ctx context.Context, id uuid.UUID) (*bundle.Content, error) {
	flow, err := s.readFlow(ctx, id)
	if err != nil {
		return nil, err
	}
	app := flow.Edges.App
	if err := account.AuthorizeApp(ctx, ownerOf(app), "flow", account.StudioRead); err != nil {
		return nil, err
	}
	if s.media == nil {
		return nil, fault.New(fault.Unavailable, "this server keeps no media")
	}
	content := &bundle.Content{Index: bundle.Index{Name: flow.Name}, Sizes: map[string]int64{}}
	if content.Manifest, err = s.ReadDraft(ctx, id); err != nil {
		return nil, err
	}
	if content.Components, err = s.componentsOf(ctx, app.ID, content.Manifest); err != nil {
		return nil, err
	}
	if err := s.gather(ctx, app, content); err != nil {
		return nil, err
	}
	if err := content.Check(); err != nil {
		return nil, err
	}
	content.Open = func(name string) (io.ReadCloser, error) {
		sha, extension, _ := strings.Cut(name[strings.LastIndexByte(name, '/')+1:], ".")
		return s.media.Open(ctx, sha, extension)
	}
	err = s.transact(ctx, record{
		app.WorkspaceID, "flow.export", id.String(), map[string]any{"files": len(content.Sizes)},
	}, func(*ent.Tx) error { return nil })
	return content, err
}

// gather writes what a manifest names into its index. What is not in the library or the branding is left out: the
// manifest goes on naming it.
func (s *Studio) gather(ctx context.Context, app *ent.App, content *bundle.Content) error {
	names, err := bundle.NamesOf(withTrees(content.Manifest, content.Components)...)
	if err != nil {
		return err
	}
	brand, err := s.ReadBranding(ctx, app)
	if err != nil {
		return err
	}
	index := &content.Index
	index.Media, index.Fonts, index.Gradients = []bundle.File{}, []bundle.Font{}, namedGradients(brand, names)
	families := namedFonts(brand, names)
	wanted := append([]uuid.UUID{}, names.Media...)
	for _, family := range families {
		for _, style := range family.Styles {
			if style.MediaAssetID != nil {
				wanted = append(wanted, *style.MediaAssetID)
			}
		}
	}
	assets, err := s.client.MediaAsset.Query().
		Where(mediaasset.IDIn(wanted...), mediaasset.WorkspaceID(app.WorkspaceID)).All(ctx)
	if err != nil {
		return fmt.Errorf("read the files of the flow: %w", err)
	}
	paths := map[uuid.UUID]*ent.MediaAsset{}
	place := func(asset *ent.MediaAsset) string {
		path := bundle.PathOf(media.Type(asset.Type), asset.Sha256, asset.Extension)
		content.Sizes[path] = asset.SizeBytes
		return path
	}
	for _, asset := range assets {
		paths[asset.ID] = asset
	}
	for _, id := range names.Media {
		if asset := paths[id]; asset != nil && asset.Type != mediaasset.TypeFont {
			index.Media = append(index.Media, bundle.File{
				ID: id, Path: place(asset), Type: media.Type(asset.Type), Name: asset.Name,
			})
		}
	}
	for _, family := range families {
		font := bundle.Font{Name: family.Name, Styles: []bundle.Style{}}
		for _, style := range family.Styles {
			written := bundle.Style{
				Weight: style.Weight, Italic: style.Italic, Label: style.Label, Filename: style.Filename, URL: style.URL,
			}
			if style.MediaAssetID != nil {
				asset := paths[*style.MediaAssetID]
				if asset == nil || asset.Type != mediaasset.TypeFont {
					continue
				}
				written.Path, written.URL = place(asset), ""
			}
			font.Styles = append(font.Styles, written)
		}
		index.Fonts = append(index.Fonts, font)
	}
	return nil
}
