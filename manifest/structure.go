package manifest

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

// checkStructure validates doc against schema.json.
func checkStructure(doc any, r *report) {
	err := compiledSchema().Validate(doc)
	var fault *jsonschema.ValidationError
	if errors.As(err, &fault) {
		flatten(fault, r)
	}
}

// flatten reports the leaves of a validation error.
func flatten(fault *jsonschema.ValidationError, r *report) {
	pointer := ""
	for _, token := range fault.InstanceLocation {
		pointer = at(pointer, token)
	}
	switch k := fault.ErrorKind.(type) {
	case *nameError:
		r.fail(at(pointer, k.name), "schema.member_name", "%s.", k.LocalizedString(nil))
	case *kind.Required:
		for _, name := range k.Missing {
			r.fail(at(pointer, name), "schema.required", "%s is required.", name)
		}
	case *kind.AdditionalProperties:
		for _, name := range k.Properties {
			r.fail(at(pointer, name), "schema.unknown_member", "%s is not known here.", name)
		}
	case *kind.MinProperties:
		r.fail(pointer, "schema.too_few", "Needs at least %d members.", k.Want)
	case *kind.MinItems:
		r.fail(pointer, "schema.too_few", "Has %d elements, needs at least %d.", k.Got, k.Want)
	case *kind.MaxItems:
		r.fail(pointer, "schema.too_many", "Has %d elements, at most %d are allowed.", k.Got, k.Want)
	case *kind.Type:
		r.fail(pointer, "schema.type", "Must be %s, not %s.", oneOf(k.Want), k.Got)
	case *kind.Enum:
		r.fail(pointer, "schema.value", "Must be %s.", oneOf(quoted(k.Want)))
	case *kind.Const:
		r.fail(pointer, "schema.value", "Must be %s.", oneOf(quoted([]any{k.Want})))
	case *kind.Pattern:
		r.fail(pointer, "schema.pattern", "%q does not fit. %s", clip(k.Got), formOf(fault.SchemaURL))
	case *kind.Minimum:
		r.fail(pointer, "schema.range", "Must be at least %s.", number(k.Want))
	case *kind.Maximum:
		r.fail(pointer, "schema.range", "Must be at most %s.", number(k.Want))
	case *kind.ExclusiveMinimum:
		r.fail(pointer, "schema.range", "Must be more than %s.", number(k.Want))
	case *lengthError:
		r.fail(pointer, "schema.length", "%s.", capital(k.LocalizedString(nil)))
	default:
		if len(fault.Causes) == 0 {
			r.fail(pointer, "schema.invalid", "%s.", capital(fault.ErrorKind.LocalizedString(english)))
		}
	}
	for _, cause := range fault.Causes {
		flatten(cause, r)
	}
}

var english = message.NewPrinter(language.English)

// descriptions are those of schema.json's definitions, by the place of the
// definition. Every pattern stands in a definition that describes it.
var descriptions = sync.OnceValue(func() map[string]string {
	var schema struct {
		Defs map[string]struct {
			Description string `json:"description"`
		} `json:"$defs"`
	}
	if err := json.Unmarshal(schemaJSON, &schema); err != nil {
		panic(fmt.Errorf("read schema.json: %w", err))
	}
	out := map[string]string{}
	for name, def := range schema.Defs {
		out[schemaURL+"#/$defs/"+name] = def.Description
	}
	return out
})

func formOf(definition string) string { return descriptions()[definition] }

// number writes a bound as people do: 0.8, not 4/5.
func number(n *big.Rat) string {
	f, _ := n.Float64()
	return strconv.FormatFloat(f, 'f', -1, 64)
}

func oneOf(names []string) string {
	if len(names) == 1 {
		return names[0]
	}
	return strings.Join(names[:len(names)-1], ", ") + " or " + names[len(names)-1]
}

func quoted(values []any) []string {
	out := make([]string, 0, len(values))
	for _, value := range values {
		if s, ok := value.(string); ok {
			out = append(out, fmt.Sprintf("%q", s))
		} else {
			out = append(out, fmt.Sprint(value))
		}
	}
	return slices.Clip(out)
}

// clip shortens a value that a message repeats.
func clip(s string) string {
	const most = 80
	if runes := []rune(s); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return s
}

func capital(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}
