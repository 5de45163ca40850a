package manifest

import (
	"fmt"
	"strconv"
	"unicode/utf16"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"golang.org/x/text/message"
)

// memberNames checks the names of all members of an object.
type memberNames struct{ names *jsonschema.Schema }

func compileMemberNames(ctx *jsonschema.CompilerContext, obj map[string]any) (jsonschema.SchemaExt, error) {
	if _, ok := obj["memberNames"]; !ok {
		return nil, nil
	}
	return memberNames{ctx.Enqueue([]string{"memberNames"})}, nil
}

// Validate implements jsonschema.SchemaExt.
func (m memberNames) Validate(ctx *jsonschema.ValidatorContext, v any) {
	object, _ := v.(map[string]any)
	for name := range object {
		if m.names.Validate(name) != nil {
			ctx.AddError(&nameError{name})
		}
	}
}

// nameError is the jsonschema.ErrorKind of memberNames.
type nameError struct{ name string }

// KeywordPath implements jsonschema.ErrorKind.
func (*nameError) KeywordPath() []string { return []string{"propertyNames"} }

// LocalizedString implements jsonschema.ErrorKind.
func (e *nameError) LocalizedString(*message.Printer) string {
	return fmt.Sprintf("%q is not a valid name here", clip(e.name))
}

// utf16Length bounds the length of a string in UTF-16 units; -1 is no bound.
type utf16Length struct{ min, max int }

func compileUTF16(_ *jsonschema.CompilerContext, obj map[string]any) (jsonschema.SchemaExt, error) {
	l := utf16Length{-1, -1}
	for keyword, bound := range map[string]*int{"minUTF16": &l.min, "maxUTF16": &l.max} {
		if value, ok := obj[keyword]; ok {
			n, err := strconv.Atoi(fmt.Sprint(value))
			if err != nil {
				return nil, fmt.Errorf("%s: %w", keyword, err)
			}
			*bound = n
		}
	}
	if l.min < 0 && l.max < 0 {
		return nil, nil
	}
	return l, nil
}

// Validate implements jsonschema.SchemaExt.
func (l utf16Length) Validate(ctx *jsonschema.ValidatorContext, v any) {
	s, ok := v.(string)
	if !ok {
		return
	}
	n := lengthUTF16(s)
	switch {
	case n < l.min:
		ctx.AddError(&lengthError{got: n, want: l.min, short: true})
	case l.max >= 0 && n > l.max:
		ctx.AddError(&lengthError{got: n, want: l.max})
	}
}

// lengthError is the jsonschema.ErrorKind of utf16Length.
type lengthError struct {
	got, want int
	short     bool
}

// KeywordPath implements jsonschema.ErrorKind.
func (e *lengthError) KeywordPath() []string {
	if e.short {
		return []string{"minLength"}
	}
	return []string{"maxLength"}
}

// LocalizedString implements jsonschema.ErrorKind.
func (e *lengthError) LocalizedString(*message.Printer) string {
	if e.short {
		return fmt.Sprintf("has %d characters, needs at least %d", e.got, e.want)
	}
	return fmt.Sprintf("has %d characters, at most %d are allowed", e.got, e.want)
}

// lengthUTF16 returns the length of s as JavaScript counts it.
func lengthUTF16(s string) int {
	n := 0
	for _, r := range s {
		n += max(utf16.RuneLen(r), 1)
	}
	return n
}
