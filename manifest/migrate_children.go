package manifest

import (
	"fmt"
	"strings"
)

// childless holds, by layer kind, how the form that had no children becomes
// the form that has them (manifest.md §10).
var childless = map[string]func(layer map[string]any){
	"button":              growButton,
	"hyperlink":           growHyperlink,
	"oauth_provider":      growOauthProvider,
	"oauth_login":         growOauthLogin,
	"email_password_auth": growEmailPasswordAuth,
	"number_stepper":      growNumberStepper,
}

// childID derives the id of a layer that migration adds.
func childID(layer map[string]any, suffix string) string {
	id, _ := layer["id"].(string)
	return cut(id, 64-len(suffix)) + suffix
}

func textLayer(id string, text any) map[string]any {
	if s, ok := text.(string); ok {
		text = map[string]any{"default": s}
	}
	return map[string]any{"id": id, "kind": "text", "text": text}
}

// take removes a member and returns it, or the fallback when it is missing.
func take(object map[string]any, name string, fallback any) any {
	value, ok := object[name]
	if !ok || value == nil {
		value = fallback
	}
	delete(object, name)
	return value
}

// move hands a member from one object to another under a new name.
func move(from map[string]any, name string, to map[string]any, newName string) {
	if value, ok := from[name]; ok {
		to[newName] = value
		delete(from, name)
	}
}

func setDefault(object map[string]any, name string, value any) {
	if _, ok := object[name]; !ok {
		object[name] = value
	}
}

func growButton(button map[string]any) {
	if label := take(button, "label", nil); label != nil {
		button["children"] = []any{textLayer(childID(button, "_text"), label)}
		return
	}
	button["children"] = []any{}
}

func growHyperlink(link map[string]any) {
	text, ok := link["text"]
	if !ok {
		return
	}
	child := textLayer(childID(link, "_lnktxt"), text)
	delete(link, "text")
	move(link, "style", child, "style")
	move(link, "styleBreakpoints", child, "styleBreakpoints")
	link["children"] = []any{child}
}

func growOauthProvider(provider map[string]any) {
	if provider["variant"] != "custom" {
		return
	}
	provider["children"] = []any{
		map[string]any{
			"id":       childID(provider, "_icon"),
			"kind":     "icon",
			"family":   take(provider, "family", "ionicons"),
			"iconName": take(provider, "iconName", "shield-outline"),
		},
		textLayer(childID(provider, "_text"), take(provider, "label", "Custom")),
	}
	setDefault(provider, "buttonVariant", "secondary")
}

// growOauthLogin makes one row of each entry of providers: a preset's name, or
// the fields of a row.
func growOauthLogin(login map[string]any) {
	providers, ok := login["providers"].([]any)
	if !ok {
		return
	}
	id, _ := login["id"].(string)
	slug := strings.TrimPrefix(strings.ToLower(id), "lyr_")
	rows := []any{}
	for n, entry := range providers {
		row := map[string]any{}
		switch entry := entry.(type) {
		case string:
			row["provider"] = entry
		case map[string]any:
			for name, value := range entry {
				row[name] = value
			}
		}
		delete(row, "type")
		suffix := fmt.Sprintf("_opr_%d", n)
		row["id"] = cut("lyr_"+slug, 64-len(suffix)) + suffix
		row["kind"] = "oauth_provider"
		if _, preset := row["provider"]; preset {
			setDefault(row, "variant", "preset")
		} else {
			setDefault(row, "variant", "custom")
		}
		rows = append(rows, row)
	}
	delete(login, "providers")
	login["children"] = rows
}

func growEmailPasswordAuth(auth map[string]any) {
	slots := []string{"email", "password"}
	submit := "Sign in"
	if auth["mode"] == "sign_up" {
		slots = append(slots, "confirm")
		submit = "Sign up"
	}
	labels := map[string]string{"email": "emailLabel", "password": "passwordLabel", "confirm": "confirmPasswordLabel"}
	children := []any{}
	for _, slot := range slots {
		field := map[string]any{"id": childID(auth, "_"+slot), "kind": "email_password_field", "slot": slot}
		move(auth, labels[slot], field, "placeholder")
		children = append(children, field)
	}
	auth["children"] = append(children, map[string]any{
		"id":            childID(auth, "_submit"),
		"kind":          "email_password_submit",
		"buttonVariant": "primary",
		"children":      []any{textLayer(childID(auth, "_submit_text"), take(auth, "submitLabel", submit))},
	})
}

func growNumberStepper(stepper map[string]any) {
	color := take(stepper, "buttonColor", nil)
	button := func(role, sign string) map[string]any {
		label := textLayer(childID(stepper, "_"+role+"_text"), sign)
		if color != nil {
			label["style"] = map[string]any{"color": color}
		}
		return map[string]any{
			"id": childID(stepper, "_"+role), "kind": "number_stepper_button", "role": role, "children": []any{label},
		}
	}
	value := map[string]any{"id": childID(stepper, "_value"), "kind": "number_stepper_value"}
	move(stepper, "unitLabel", value, "unitLabel")
	move(stepper, "valueStyle", value, "style")
	stepper["children"] = []any{button("decrement", "-"), value, button("increment", "+")}
	setDefault(stepper, "direction", "horizontal")
	setDefault(stepper, "gap", 12.0)
	setDefault(stepper, "align", "center")
}
