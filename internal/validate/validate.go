// Package validate holds inputs against the tags of their structs and says of every wrong member where it is and what
// it must be.
//
// Tags beside those of the validator itself; lengths are UTF-16 code units (wire.md §1), which the validator's own max
// does not count:
//
//	name=N      1 to N code units, no NUL character, which PostgreSQL cannot store
//	utf16max=N  at most N code units, no NUL character
//	color       #RGB, #RRGGBB or #RRGGBBAA
//	key         1 to 64 of a-z, 0-9, _ and -, not beginning with _ or -
package validate

import (
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"strconv"
	"strings"

	"github.com/go-playground/validator/v10"

	"github.com/svc-dev/svc/internal/codeunit"
	"github.com/svc-dev/svc/internal/fault"
)

var (
	hexColor = regexp.MustCompile(`^#([0-9a-fA-F]{3}|[0-9a-fA-F]{6}|[0-9a-fA-F]{8})$`)
	slug     = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,63}$`)
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

// Input checks a struct. Its error joins one fault.Invalid for each wrong member, named by its path in JSON, such as
// colorPresets.0.name.
func Input(input any) error { return At("", input) }

// At checks a struct that is the member at a path of a larger input.
func At(path string, input any) error {
	err := engine.Struct(input)
	var wrong validator.ValidationErrors
	if !errors.As(err, &wrong) {
		return err
	}
	root := reflect.Indirect(reflect.ValueOf(input)).Type().Name() + "." // none for a struct without a name
	errs := make([]error, len(wrong))
	for i, member := range wrong {
		errs[i] = fault.Invalid(join(path, strings.TrimPrefix(member.Namespace(), root)), "%s", sentence(member))
	}
	return errors.Join(errs...)
}

// join appends members such as colorPresets[0].name to a path.
func join(path, members string) string {
	members = strings.NewReplacer("[", ".", "]", "").Replace(members)
	if path == "" {
		return members
	}
	return path + "." + members
}

// sentence says what a member must be.
func sentence(member validator.FieldError) string {
	param, list := member.Param(), member.Kind() == reflect.Slice
	switch member.Tag() {
	case "required":
		return "is required"
	case "name":
		return fmt.Sprintf("must have 1 to %s characters", param)
	case "utf16max":
		return fmt.Sprintf("must have at most %s characters", param)
	case "color":
		return "must be #RGB, #RRGGBB or #RRGGBBAA"
	case "key":
		return "must have 1 to 64 of a-z, 0-9, _ and -"
	case "http_url":
		return "must be an absolute URL"
	case "len":
		return fmt.Sprintf("must have %s characters", param)
	case "oneof":
		return "must be one of " + strings.Join(strings.Fields(param), ", ")
	case "gt":
		return "must be more than " + param
	case "min":
		if list {
			return "must have at least " + param
		}
		return "must be at least " + param
	case "max":
		if list {
			return "must have at most " + param
		}
		return "must be at most " + param
	}
	return "is not valid"
}
