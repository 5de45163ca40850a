package studio

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/svc-dev/svc/account"
	"github.com/svc-dev/svc/ent"
	"github.com/svc-dev/svc/internal/fault"
	"github.com/svc-dev/svc/internal/validate"
	"github.com/svc-dev/svc/manifest"
	"github.com/svc-dev/svc/studio/templates"
)

// FromTemplate is a template as an app wants it.
type FromTemplate struct {
	ID string `json:"id"`
	// AppName stands in the texts; nil is the name that the app has.
	AppName  *string
	Products []TemplatePurchase
}

// TemplatePurchase says where a product of a template is bought.
type TemplatePurchase struct {
	Key       string
	Provider  manifest.Provider
	Reference string // offering, placement or payment link
}

// CreateFlowFromTemplate makes a flow of a template, with the colors and the font of the app's branding. The files that
// it shows become part of the workspace's media library.
func (s *Studio) CreateFlowFromTemplate(
	ctx context.Context, app uuid.UUID, name string, from FromTemplate,
) (*ent.Flow, error) {
	a, err := s.findApp(ctx, app, account.FlowEdit)
	if err != nil {
		return nil, err
	}
	if name, err = validate.Name("name", name); err != nil {
		return nil, err
	}
	made, err := s.prepareTemplate(ctx, a, from)
	if err != nil {
		return nil, err
	}
	return s.createFlow(ctx, a, name, made)
}

// prepareTemplate checks what is wanted of a template and keeps its files. What it returns stores them and fills the
// template in.
func (s *Studio) prepareTemplate(
	ctx context.Context, a *ent.App, from FromTemplate,
) (func(tx *ent.Tx) (json.RawMessage, error), error) {
	template := templates.Find(from.ID)
	if template == nil {
		return nil, fault.Invalid("template.id", "there is no template %q", from.ID)
	}
	choices := templates.Choices{AppName: a.Name, Products: map[string]templates.Purchase{}}
	if from.AppName != nil {
		choices.AppName = strings.TrimSpace(*from.AppName)
	}
	if len([]rune(choices.AppName)) > 80 {
		return nil, fault.Invalid("template.appName", "must have at most 80 characters")
	}
	for _, p := range from.Products {
		choices.Products[p.Key] = templates.Purchase{Provider: p.Provider, Reference: strings.TrimSpace(p.Reference)}
	}
	brand, err := s.ReadBranding(ctx, a)
	if err != nil {
		return nil, err
	}
	choices.Look = lookOf(brand)
	if _, err := template.Fill(choices); err != nil { // before anything is stored
		return nil, err
	}
	files, err := s.keepTemplateMedia(ctx, a.WorkspaceID, template, choices.Look)
	if err != nil {
		return nil, err
	}
	return func(tx *ent.Tx) (json.RawMessage, error) {
		if choices.Assets, err = storeFiles(ctx, tx, a.WorkspaceID, files); err != nil {
			return nil, err
		}
		return template.Fill(choices)
	}, nil
}

// keepTemplateMedia keeps the files of a template in the colors of a brand, for a library, by the ids that its manifest
// has.
func (s *Studio) keepTemplateMedia(
	ctx context.Context, workspace uuid.UUID, template *templates.Template, look templates.Look,
) (map[uuid.UUID]*keptFile, error) {
	files, err := template.Media()
	if err != nil {
		return nil, err
	}
	kept := map[uuid.UUID]*keptFile{}
	if len(files) == 0 {
		return kept, nil
	}
	if err := s.mayUpload(ctx, workspace); err != nil {
		return nil, err
	}
	for _, id := range slices.SortedFunc(maps.Keys(files), func(a, b uuid.UUID) int { return bytes.Compare(a[:], b[:]) }) {
		file := files[id]
		content, err := template.Recolored(file, look)
		if err != nil {
			return nil, err
		}
		kept[id], err = s.keepFile(ctx, Upload{
			Type: file.Type, Filename: template.ID + "-" + file.Name, ContentType: file.MIME(),
			Content: bytes.NewReader(content),
		})
		if err != nil {
			return nil, err
		}
	}
	return kept, nil
}

// lookOf reads a brand's colors by their names: "Primary" and "Accent" where there are such, else the first two.
func lookOf(brand *Branding) templates.Look {
	var opaque []ColorPreset
	for _, preset := range brand.ColorPresets {
		if preset.Value = templates.Opaque(preset.Value); preset.Value != "" {
			opaque = append(opaque, preset)
		}
	}
	named := func(names ...string) int {
		return slices.IndexFunc(opaque, func(preset ColorPreset) bool {
			return slices.ContainsFunc(names, func(name string) bool {
				return strings.Contains(strings.ToLower(preset.Name), name)
			})
		})
	}
	var look templates.Look
	if len(opaque) > 0 {
		primary := max(named("primary", "brand"), 0)
		look.Primary = opaque[primary].Value
		opaque = slices.Delete(opaque, primary, primary+1)
	}
	if len(opaque) > 0 {
		look.Accent = opaque[max(named("accent", "secondary"), 0)].Value
	}
	if len(brand.FontFamilies) > 0 {
		look.FontFamily = brand.FontFamilies[0].Name
	}
	return look
}
