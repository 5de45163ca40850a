package config

import (
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
)

// set stores a value as a file, a variable or a flag wrote it. A value that the field can't take is left out; the
// answer is what it may be then, else empty.
func set(field reflect.Value, value any) (rule string) {
	if value == nil {
		value = "" // a key of a file without a value
	}
	if _, several := value.([]any); several && field.Kind() != reflect.Slice {
		return "must be one value"
	}
	text := fmt.Sprint(value)
	switch field.Interface().(type) {
	case string:
		field.SetString(text)
	case []string:
		field.Set(reflect.ValueOf(listOf(value)))
	case bool:
		on, err := strconv.ParseBool(text)
		if err != nil && text != "" {
			return "must be true or false"
		}
		field.SetBool(on)
	case time.Duration:
		d, err := parseDuration(text)
		if err != nil {
			return "must be a duration such as 90s, 24h or 14d"
		}
		field.SetInt(int64(d))
	case int:
		n, err := strconv.Atoi(text)
		if err != nil {
			return "must be a whole number"
		}
		field.SetInt(int64(n))
	case int64:
		n, err := humanize.ParseBytes(text)
		if err != nil || n > math.MaxInt64 {
			return "must be a number of bytes, such as 536870912, 512MiB or 2GB"
		}
		field.SetInt(int64(n))
	default:
		panic("setting of type " + field.Type().String())
	}
	return ""
}

// listOf returns the values of a YAML list, or of a text that separates them by commas or spaces.
func listOf(value any) []string {
	list := []string{}
	switch value := value.(type) {
	case []string:
		return append(list, value...)
	case []any:
		for _, one := range value {
			list = append(list, fmt.Sprint(one))
		}
		return list
	default:
		return append(list, strings.FieldsFunc(fmt.Sprint(value), func(r rune) bool { return r == ',' || r == ' ' })...)
	}
}

// parseDuration reads what time.ParseDuration does, and whole days.
func parseDuration(text string) (time.Duration, error) {
	if days, ok := strings.CutSuffix(text, "d"); ok {
		n, err := strconv.ParseInt(days, 10, 16)
		return time.Duration(n) * 24 * time.Hour, err
	}
	return time.ParseDuration(text)
}
