package edit

import (
	"strings"
	"unicode/utf8"
)

// MaxValueDepth bounds the nesting of one value: 32 groups in an expression at two levels each, with room.
const MaxValueDepth = 100

// checkValue refuses what can't be kept the same by Go, JavaScript and PostgreSQL: a member __proto__, NUL, text that
// is no Unicode, and what is nested more than so many levels deep.
func checkValue(v any, levels int) Code {
	if levels < 0 {
		return OverLimit
	}
	switch v := v.(type) {
	case string:
		return checkText(v)
	case []any:
		for _, element := range v {
			if code := checkValue(element, levels-1); code != "" {
				return code
			}
		}
	case map[string]any:
		// The whole object is looked at, so that the code does not depend on the order of its members.
		worst := Code("")
		for name, value := range v {
			for _, code := range []Code{checkName(name), checkValue(value, levels-1)} {
				if code == OverLimit || worst == "" {
					worst = code
				}
			}
		}
		return worst
	}
	return ""
}

func checkText(s string) Code {
	if !utf8.ValidString(s) || strings.ContainsRune(s, 0) {
		return BadShape
	}
	return ""
}

func checkName(name string) Code {
	if name == "__proto__" {
		return BadShape
	}
	return checkText(name)
}

// clone copies a value and writes −0 as 0, as JSON in JavaScript does.
func clone(v any) any {
	switch v := v.(type) {
	case float64:
		if v == 0 {
			return 0.0
		}
		return v
	case map[string]any:
		out := make(map[string]any, len(v))
		for name, value := range v {
			out[name] = clone(value)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, value := range v {
			out[i] = clone(value)
		}
		return out
	}
	return v
}

// find follows a path through objects.
func find(v any, path []string) (any, bool) {
	for _, name := range path {
		object, ok := v.(map[string]any)
		if !ok {
			return nil, false
		}
		if v, ok = object[name]; !ok {
			return nil, false
		}
	}
	return v, true
}
