package studio

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/google/uuid"

	"github.com/svc-dev/svc/account"
	"github.com/svc-dev/svc/ent"
	"github.com/svc-dev/svc/internal/fault"
	"github.com/svc-dev/svc/internal/validate"
	"github.com/svc-dev/svc/manifest"
	"github.com/svc-dev/svc/studio/bundle"
	"github.com/svc-dev/svc/studio/media"
)

// maxImports is how many files wait on the disk of a server at once to become flows.
const maxImports = 4

// ImportFlow makes a flow of an exported one. The files that it shows become part of the library of the app's
// workspace, and equal content is the same file. Fonts that the branding lacks are added to it when the
// caller may change it.
func (s *Studio) ImportFlow(ctx context.Context, app uuid.UUID, name string, content io.Reader) (*CopiedFlow, error) {
	a, err := s.findApp(ctx, app, account.FlowEdit)
	if err != nil {
		return nil, err
	}
	var made *CopiedFlow
	err = s.readBundle(ctx, a, content, func(read *bundle.Bundle) error {
		if name == "" {
			name = read.Index.Name
		}
		if name, err = validate.Name("name", name); err != nil {
			return err
		}
		copying, err := s.prepareBundle(ctx, a, uuid.Must(uuid.NewV7()), read)
		if err != nil {
			return err
		}
		copying.name = name
		made, err = s.storeCopy(ctx, a, *copying, record{
			a.WorkspaceID, "flow.import", copying.id.String(), map[string]any{"name": name},
		})
		return err
	})
	return made, err
}

// readBundle calls fn with an exported flow, whose content can be read until it returns. It refuses one with files for
// who may not upload them.
func (s *Studio) readBundle(ctx context.Context, app *ent.App, content io.Reader, fn func(*bundle.Bundle) error) error {
	if s.media == nil {
		return fault.New(fault.Unavailable, "this server keeps no media")
	}
	select {
	case s.imports <- struct{}{}:
		defer func() { <-s.imports }()
	case <-ctx.Done():
		return fault.Wrap(ctx.Err(), fault.Unavailable, "the server imports as many flows as it can; try again")
	}
	kept, size, err := keepTemporarily(content, bundle.MaxBytes)
	if err != nil {
		return err
	}
	defer kept.Close()
	read, err := bundle.Open(kept, size)
	if err != nil {
		return err
	}
	if err := s.mayStore(ctx, app.WorkspaceID, read.Index); err != nil {
		return err
	}
	return fn(read)
}

// keepTemporarily reads a file to where it can be read anywhere, until it is closed: it has no name.
func keepTemporarily(content io.Reader, limit int64) (*os.File, int64, error) {
	kept, err := os.CreateTemp("", "svc-import-*")
	if err != nil {
		return nil, 0, fmt.Errorf("keep the file: %w", err)
	}
	err = os.Remove(kept.Name())
	var size int64
	if err == nil {
		size, err = io.Copy(kept, io.LimitReader(content, limit+1))
	}
	if err == nil && size > limit {
		err = fault.Invalid("file", "has more than %d bytes", limit)
	}
	if err != nil {
		return nil, 0, errors.Join(err, kept.Close())
	}
	return kept, size, nil
}

// mayStore refuses a bundle with files for who may not upload them.
func (s *Studio) mayStore(ctx context.Context, workspace uuid.UUID, index *bundle.Index) error {
	if len(index.Media) == 0 {
		return nil
	}
	if err := account.AuthorizeAlso(
		ctx, workspace, account.MediaManage, "the flow has files for the media library",
	); err != nil {
		return err
	}
	return s.checkMediaStorage(ctx, workspace)
}

// prepareBundle checks an exported flow that becomes the flow with the id, and keeps its files.
func (s *Studio) prepareBundle(
	ctx context.Context, app *ent.App, id uuid.UUID, read *bundle.Bundle,
) (*flowCopy, error) {
	draft, err := setFlowVersion("file", read.Manifest, id, 1)
	if err != nil {
		return nil, err
	}
	if parsed, problems := manifest.Parse(draft); parsed == nil { // before anything is stored
		return nil, rejectManifest(fault.InvalidInput, "file", "the manifest in the file is not valid", problems)
	}
	if err := checkComponents(read.Components); err != nil {
		return nil, err
	}
	copying := &flowCopy{
		id: id, draft: draft, gradients: read.Index.Gradients, components: read.Components,
		files: map[uuid.UUID]*keptFile{}, fontFiles: map[uuid.UUID]*keptFile{},
	}
	var paths map[uuid.UUID]string
	if copying.fonts, paths, err = s.bundledFonts(ctx, app, read); err != nil {
		return nil, err
	}
	for _, file := range read.Index.Media {
		if copying.files[file.ID], err = s.keepEntry(ctx, read, file.Path, file.Type, file.Name); err != nil {
			return nil, err
		}
	}
	for _, family := range copying.fonts {
		for _, style := range family.Styles {
			path, has := paths[style.ID]
			if !has {
				continue
			}
			called := family.Name + " " + style.Label
			if copying.fontFiles[style.ID], err = s.keepEntry(ctx, read, path, media.Font, called); err != nil {
				return nil, err
			}
		}
	}
	return copying, nil
}

// bundledFonts returns the fonts of a bundle, and which file of it is which of their styles, by the ids of these: of
// fonts that the branding lacks, for who may add them to it.
func (s *Studio) bundledFonts(
	ctx context.Context, app *ent.App, read *bundle.Bundle,
) (families []FontFamily, paths map[uuid.UUID]string, err error) {
	brand, err := s.ReadBranding(ctx, app)
	if err != nil {
		return nil, nil, err
	}
	may := s.mayAddFonts(ctx, app.WorkspaceID)
	paths = map[uuid.UUID]string{}
	for _, font := range read.Index.Fonts {
		family := FontFamily{ID: uuid.Must(uuid.NewV7()), Name: font.Name, Styles: []FontStyle{}}
		for _, style := range font.Styles {
			kept := FontStyle{
				ID: uuid.Must(uuid.NewV7()), Weight: style.Weight, Italic: style.Italic, Label: style.Label,
				Filename: style.Filename, URL: style.URL,
			}
			family.Styles = append(family.Styles, kept)
			if style.Path != "" && may && brand.familyOf(font.Name) == nil {
				paths[kept.ID] = style.Path
			}
		}
		if err := validate.At("file", family); err != nil { // what no branding would take is not stored either
			return nil, nil, err
		}
		families = append(families, family)
	}
	if len(paths) > 0 && len(read.Index.Media) == 0 { // else it was asked before
		err = s.checkMediaStorage(ctx, app.WorkspaceID)
	}
	return families, paths, err
}

// mayAddFonts tells whether the caller may change branding and upload what it shows.
func (s *Studio) mayAddFonts(ctx context.Context, workspace uuid.UUID) bool {
	for _, capability := range []account.Capability{account.AppSettings, account.MediaManage} {
		if _, err := account.Authorize(ctx, workspace, capability); err != nil {
			return false
		}
	}
	return true
}

func (s *Studio) keepEntry(
	ctx context.Context, read *bundle.Bundle, path string, kind media.Type, name string,
) (*keptFile, error) {
	content, err := read.Read(path)
	if err != nil {
		return nil, err
	}
	defer content.Close()
	return s.keepFile(ctx, Upload{Type: kind, Name: name, Filename: path, Content: content})
}

// draftOf writes what a copy is called where it goes.
func (c *flowCopy) draftOf(files, gradients map[uuid.UUID]uuid.UUID) (json.RawMessage, error) {
	return bundle.Rename(c.draft, files, gradients)
}
