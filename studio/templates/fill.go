package templates

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/svc-dev/svc/internal/fault"
	"github.com/svc-dev/svc/manifest"
)

// Choices are what an app makes of a template.
type Choices struct {
	AppName string // "" leaves that of the template
	Look    Look
	// Products says where products are bought, by their keys. The app itself sells those that are missing.
	Products map[string]Purchase
	// Assets are the files in the library of the app's workspace, by the ids that the template has for them.
	Assets map[uuid.UUID]uuid.UUID
}

// Look is what a brand changes of a flow. What is empty stays as the template has it.
type Look struct {
	Primary, Accent string // #RRGGBB
	FontFamily      string
}

// Purchase is where a product is bought: the offering of RevenueCat, the placement of Superwall, the payment link of
// Stripe.
type Purchase struct {
	Provider  manifest.Provider
	Reference string
}

// Fill returns the manifest with choices written into it.
func (t *Template) Fill(choices Choices) (json.RawMessage, error) {
	raw, err := t.Manifest()
	if err != nil {
		return nil, err
	}
	for from, to := range choices.Assets {
		raw = bytes.ReplaceAll(raw, []byte(from.String()), []byte(to.String()))
	}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber() // numbers stay as they were written
	var document map[string]any
	if err := decoder.Decode(&document); err != nil {
		return nil, fmt.Errorf("read the template %s: %w", t.ID, err)
	}
	if choices.AppName != "" {
		renameApp(document, t.AppName, choices.AppName)
	}
	choices.Look.apply(document)
	if err := t.sell(document, choices.Products); err != nil {
		return nil, err
	}
	filled, err := json.Marshal(document)
	if err != nil {
		return nil, fmt.Errorf("write the template %s: %w", t.ID, err)
	}
	return filled, nil
}

// renameApp writes a name for the template's in everything that is read: texts, and descriptions of pictures.
func renameApp(value any, from, to string) {
	switch value := value.(type) {
	case map[string]any:
		for key, member := range value {
			switch member := member.(type) {
			case string:
				if key == "default" || key == "alt" {
					value[key] = strings.ReplaceAll(member, from, to)
				}
			case map[string]any:
				if key == "translations" {
					for locale, text := range member {
						if text, ok := text.(string); ok {
							member[locale] = strings.ReplaceAll(text, from, to)
						}
					}
					continue
				}
				renameApp(member, from, to)
			default:
				renameApp(member, from, to)
			}
		}
	case []any:
		for _, member := range value {
			renameApp(member, from, to)
		}
	}
}

func (l Look) apply(document map[string]any) {
	theme, _ := document["theme"].(map[string]any)
	if l.Primary != "" {
		theme["primary"] = l.Primary
		theme["primaryForeground"] = readableOn(l.Primary)
	}
	if l.Accent != "" {
		theme["accent"] = l.Accent
	}
	if l.FontFamily != "" {
		theme["fontFamily"] = l.FontFamily
	}
}

// outcomesOf are what a provider can answer, by what the app itself answers in the template.
var outcomesOf = map[string][]string{
	"completed": {"purchase_completed", "restore_completed"}, "dismissed": {"dismissed", "purchase_cancelled"},
	"failed": {"failed"},
}

// sell writes where the products are bought.
func (t *Template) sell(document map[string]any, products map[string]Purchase) error {
	for key, purchase := range products {
		i := slices.IndexFunc(t.Products, func(p Product) bool { return p.Key == key })
		if i < 0 {
			return fault.Invalid("template.products", "the template %s sells no %q", t.ID, key)
		}
		surfaces, _ := document["externalSurfaceNodes"].([]any)
		for _, one := range surfaces {
			surface, _ := one.(map[string]any)
			if surface["id"] == t.Products[i].Surface {
				sellAt(surface, purchase)
			}
		}
	}
	return nil
}

func sellAt(surface map[string]any, purchase Purchase) {
	reference := map[manifest.Provider]string{
		manifest.RevenueCat: "offeringId", manifest.Superwall: "placementId", manifest.Stripe: "paymentLinkUrl",
	}[purchase.Provider]
	if reference == "" {
		return // the app itself, as the template has it
	}
	config := map[string]any{"provider": purchase.Provider}
	if purchase.Reference != "" {
		config[reference] = purchase.Reference
	}
	given, _ := surface["outcomes"].(map[string]any)
	outcomes := map[string]any{}
	for own, names := range outcomesOf {
		target, has := given[own]
		for _, name := range names {
			// Payment links can't restore a purchase.
			if has && (purchase.Provider != manifest.Stripe || name != "restore_completed") {
				outcomes[name] = target
			}
		}
	}
	surface["config"], surface["outcomes"] = config, outcomes
}
