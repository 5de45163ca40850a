// Package validate holds inputs against the tags of their structs and says of every wrong member where it is and what
// it must be: the one translation for the inputs of GraphQL and of REST.
//
// Tags beside those of the validator itself; lengths are UTF-16 code units (wire.md §1), which the validator's own max
// does not count:
//
//	name=N      1 to N code units, no NUL character, which PostgreSQL cannot store
//	utf16max=N  at most N code units, no NUL character
//	color       #RGB, #RRGGBB or #RRGGBBAA
//	key         1 to 64 of a-z, 0-9, _ and -, not beginning with _ or -
//	country     blank, or two letters
//	zone        blank, or an IANA name of a time zone, as time.LoadLocation reads it
package validate

import (
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/go-playground/validator/v10"

	"github.com/svc-dev/svc/internal/codeunit"
	"github.com/svc-dev/svc/internal/fault"
)

var (
	hexColor = regexp.MustCompile(`^#([0-9a-fA-F]{3}|[0-9a-fA-F]{6}|[0-9a-fA-F]{8})$`)
	slug     = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,63}$`)
	country  = regexp.MustCompile(`^([A-Za-z]{2})?$`)
)

var engine = newEngine()

func newEngine() *validator.Validate {
	v := validator.New(validator.WithRequiredStructEnabled())
	v.RegisterTagNameFunc(func(field reflect.StructField) string {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		return name
	})
	for tag, fits := range map[string]func(text, param string) bool{
		"name":     func(text, param string) bool { return text != "" && storable(text, param) },
		"utf16max": storable,
		"color":    func(text, _ string) bool { return hexColor.MatchString(text) },
		"key":      func(text, _ string) bool { return slug.MatchString(text) },
		"country":  func(text, _ string) bool { return country.MatchString(strings.TrimSpace(text)) },
		"zone":     func(text, _ string) bool { return isZone(strings.TrimSpace(text)) },
	} {
		err := v.RegisterValidation(tag, func(f validator.FieldLevel) bool { return fits(f.Field().String(), f.Param()) })
		if err != nil {
			panic(err) // a tag's name is wrong in this file
		}
	}
	return v
}

func storable(text, limit string) bool {
	n, err := strconv.Atoi(limit)
	if err != nil {
		panic(err) // a tag is wrong in some struct
	}
	return !strings.ContainsRune(text, 0) && codeunit.Count(text) <= n
}

// isZone takes what the zone database has, without the names that mean this machine's own zone.
func isZone(name string) bool {
	_, err := time.LoadLocation(name)
	return err == nil && name != "Local" && name != "localtime" && name != "posixrules"
}

// Problem is what is wrong with a member of an input.
type Problem struct {
	Path string // of the member in JSON, such as colorPresets.0.name
	Code string // required, too_long, enum or invalid
	Rule string // what the member must be, to stand behind its name: "must have 1 to 120 characters"
}

// Problems checks a struct and returns what is wrong, in the order of its members.
func Problems(input any) []Problem {
	var wrong validator.ValidationErrors
	if err := engine.Struct(input); !errors.As(err, &wrong) {
		if err != nil {
			panic(err) // the input is no struct
		}
		return nil
	}
	root := reflect.Indirect(reflect.ValueOf(input)).Type().Name() + "." // none for a struct without a name
	problems := make([]Problem, len(wrong))
	for i, member := range wrong {
		code, rule := describe(member)
		problems[i] = Problem{Path: path(strings.TrimPrefix(member.Namespace(), root)), Code: code, Rule: rule}
	}
	return problems
}

// path writes members such as colorPresets[0].name as colorPresets.0.name.
func path(members string) string { return strings.NewReplacer("[", ".", "]", "").Replace(members) }

// Input checks a struct. Its error joins one fault.Invalid for each wrong member, named by its path in JSON.
func Input(input any) error { return At("", input) }

// At checks a struct that is the member at a path of a larger input.
func At(path string, input any) error {
	var errs []error
	for _, problem := range Problems(input) {
		field := problem.Path
		if path != "" {
			field = path + "." + field
		}
		errs = append(errs, fault.Invalid(field, "%s", problem.Rule))
	}
	return errors.Join(errs...)
}

// describe says what a member must be, and the code of what it is instead.
func describe(member validator.FieldError) (code, rule string) {
	param, list := member.Param(), member.Kind() == reflect.Slice
	switch member.Tag() {
	case "required":
		return "required", "is required"
	case "name", "utf16max":
		return describeText(member)
	case "color":
		return "invalid", "must be #RGB, #RRGGBB or #RRGGBBAA"
	case "key":
		return "invalid", "must have 1 to 64 of a-z, 0-9, _ and -"
	case "country":
		return "invalid", "must be two letters, such as DE"
	case "zone":
		return "invalid", "must be an IANA name, such as Europe/Berlin"
	case "http_url":
		return "invalid", "must be an absolute URL"
	case "len":
		return "invalid", fmt.Sprintf("must have %s characters", param)
	case "oneof":
		return "enum", "must be one of " + strings.Join(strings.Fields(param), ", ")
	case "gt":
		return "invalid", "must be more than " + param
	case "min":
		if list {
			return "invalid", "must have at least " + param
		}
		return "invalid", "must be at least " + param
	case "max":
		if list {
			return "invalid", "must have at most " + param
		}
		return "invalid", "must be at most " + param
	}
	return "invalid", "is not valid"
}

// describeText says how long a text may be, in code units.
func describeText(member validator.FieldError) (code, rule string) {
	text, _ := member.Value().(string)
	if strings.ContainsRune(text, 0) {
		return "invalid", "must not hold a NUL character"
	}
	code, rule = "too_long", fmt.Sprintf("must have at most %s characters", member.Param())
	if member.Tag() == "name" {
		rule = fmt.Sprintf("must have 1 to %s characters", member.Param())
	}
	if text == "" {
		code = "required"
	}
	return code, rule
}
