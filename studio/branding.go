package studio

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"github.com/svc-dev/svc/account"
	"github.com/svc-dev/svc/ent"
	"github.com/svc-dev/svc/ent/branding"
	"github.com/svc-dev/svc/ent/mediaasset"
	"github.com/svc-dev/svc/internal/fault"
	"github.com/svc-dev/svc/internal/validate"
)

// Branding is wire.md §3.3.
type Branding struct {
	AppIcon         *AppIcon         `json:"appIcon,omitempty"`
	ColorPresets    []ColorPreset    `json:"colorPresets" validate:"dive"`
	GradientPresets []GradientPreset `json:"gradientPresets" validate:"dive"`
	FontFamilies    []FontFamily     `json:"fontFamilies" validate:"dive"`
}

// AppIcon is the app's icon and where it came from.
type AppIcon struct {
	URL    string `json:"url" validate:"http_url"`
	Source string `json:"source" validate:"oneof=app_store play_store upload"`
}

// ColorPreset is a named color.
type ColorPreset struct {
	ID    uuid.UUID `json:"id"`
	Name  string    `json:"name" validate:"name=50"`
	Value string    `json:"value" validate:"color"`
}

// GradientPreset is a named gradient.
type GradientPreset struct {
	ID    uuid.UUID      `json:"id"`
	Name  string         `json:"name" validate:"name=50"`
	Type  string         `json:"type" validate:"oneof=linear radial"`
	Angle *float64       `json:"angle,omitempty" validate:"omitnil,min=0,max=360"`
	Stops []GradientStop `json:"stops" validate:"min=2,dive"`
}

// GradientStop is a color at a place between 0 and 1.
type GradientStop struct {
	Offset float64 `json:"offset" validate:"min=0,max=1"`
	Color  string  `json:"color" validate:"color"`
}

// FontFamily is a font with its styles.
type FontFamily struct {
	ID     uuid.UUID   `json:"id"`
	Name   string      `json:"name" validate:"name=60"`
	Styles []FontStyle `json:"styles" validate:"dive"`
}

// FontStyle is one file of a font.
type FontStyle struct {
	ID           uuid.UUID  `json:"id"`
	Weight       int        `json:"weight" validate:"min=100,max=900"`
	Italic       bool       `json:"italic"`
	Label        string     `json:"label,omitempty" validate:"utf16max=40"`
	MediaAssetID *uuid.UUID `json:"mediaAssetId,omitempty"`
	URL          string     `json:"url,omitempty" validate:"omitempty,http_url"`
	Filename     string     `json:"filename,omitempty" validate:"utf16max=200"`
}

// setDefaults makes ids for what has none and lists for what is absent.
func (b *Branding) setDefaults() {
	b.ColorPresets = append([]ColorPreset{}, b.ColorPresets...)
	b.GradientPresets = append([]GradientPreset{}, b.GradientPresets...)
	b.FontFamilies = append([]FontFamily{}, b.FontFamilies...)
	fresh := func(id *uuid.UUID) {
		if *id == uuid.Nil {
			*id = uuid.Must(uuid.NewV7())
		}
	}
	for i := range b.ColorPresets {
		fresh(&b.ColorPresets[i].ID)
	}
	for i := range b.GradientPresets {
		fresh(&b.GradientPresets[i].ID)
	}
	for i := range b.FontFamilies {
		family := &b.FontFamilies[i]
		fresh(&family.ID)
		family.Styles = append([]FontStyle{}, family.Styles...)
		for j := range family.Styles {
			fresh(&family.Styles[j].ID)
		}
	}
}

// ParseBranding reads branding in the shape of wire.md §3.3, gives ids to
// presets, families and styles that have none, and drops unknown members.
func ParseBranding(raw json.RawMessage) (*Branding, error) {
	var b Branding
	if err := json.Unmarshal(raw, &b); err != nil {
		var mismatch *json.UnmarshalTypeError
		if errors.As(err, &mismatch) {
			return nil, fault.Invalid("branding."+mismatch.Field, "must be %s", mismatch.Type)
		}
		return nil, fault.Invalid("branding", "is not the JSON of branding: %s", err)
	}
	if err := validate.At("branding", b); err != nil {
		return nil, err
	}
	b.setDefaults()
	return &b, nil
}

// UpdateBranding replaces an app's branding and raises its channels.
func (s *Studio) UpdateBranding(ctx context.Context, app uuid.UUID, raw json.RawMessage) (*Branding, error) {
	a, err := s.findApp(ctx, app, account.AppSettings)
	if err != nil {
		return nil, err
	}
	parsed, err := ParseBranding(raw)
	if err != nil {
		return nil, err
	}
	data, err := json.Marshal(parsed)
	if err != nil {
		return nil, fmt.Errorf("write the branding: %w", err)
	}
	err = s.transactAndDeliver(ctx, app, record{
		a.WorkspaceID, "branding.update", app.String(), nil,
	}, func(tx *ent.Tx) error {
		if err := checkFonts(ctx, tx, a.WorkspaceID, parsed); err != nil {
			return err
		}
		if err := storeBranding(ctx, tx, app, data); err != nil {
			return err
		}
		return raiseAll(ctx, tx, "branding", channelsOfApp(app))
	})
	if err != nil {
		return nil, err
	}
	return parsed, nil
}

// storeBranding writes the one row of the app's branding.
func storeBranding(ctx context.Context, tx *ent.Tx, app uuid.UUID, data []byte) error {
	id, err := uuid.NewV7()
	if err != nil {
		return fmt.Errorf("make an id: %w", err)
	}
	_, err = tx.ExecContext(ctx, `
		insert into brandings (id, app_id, data) values ($1, $2, $3)
		on conflict (app_id) do update set data = excluded.data`, id, app, string(data))
	if err != nil {
		return fmt.Errorf("store the branding: %w", err)
	}
	return nil
}

func checkFonts(ctx context.Context, tx *ent.Tx, workspace uuid.UUID, b *Branding) error {
	for i, family := range b.FontFamilies {
		for j, style := range family.Styles {
			if style.MediaAssetID == nil {
				continue
			}
			known, err := tx.MediaAsset.Query().Where(
				mediaasset.ID(*style.MediaAssetID), mediaasset.WorkspaceID(workspace),
				mediaasset.TypeEQ(mediaasset.TypeFont)).Exist(ctx)
			if err != nil {
				return fmt.Errorf("look up the font file: %w", err)
			}
			if !known {
				return fault.Invalid(
					fmt.Sprintf("branding.fontFamilies.%d.styles.%d.mediaAssetId", i, j), "is not a font of the media library",
				)
			}
		}
	}
	return nil
}

// ReadBranding reads an app's branding; an app without one has empty lists.
func (s *Studio) ReadBranding(ctx context.Context, app *ent.App) (*Branding, error) {
	stored, err := s.client.Branding.Query().Where(branding.AppID(app.ID)).Only(ctx)
	if ent.IsNotFound(err) {
		return decodeBranding(nil)
	}
	if err != nil {
		return nil, fmt.Errorf("read the branding: %w", err)
	}
	return decodeBranding(stored.Data)
}

// decodeBranding reads what is stored; nil where nothing is.
func decodeBranding(data []byte) (*Branding, error) {
	b := &Branding{}
	if data != nil {
		if err := json.Unmarshal(data, b); err != nil {
			return nil, fmt.Errorf("read the branding: %w", err)
		}
	}
	b.setDefaults()
	return b, nil
}

// lockBranding reads an app's branding to change it.
func lockBranding(ctx context.Context, tx *ent.Tx, app uuid.UUID) (*Branding, error) {
	var data []byte
	err := eachRow(ctx, tx, func(rows *sql.Rows) error { return rows.Scan(&data) },
		`select data from brandings where app_id = $1 for update`, app)
	if err != nil {
		return nil, fmt.Errorf("read the branding: %w", err)
	}
	return decodeBranding(data)
}
