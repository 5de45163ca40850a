package manifest

import (
	"strings"
	"time"
)

// dateForms names the forms of date_time_input by mode (runtime.md §6.2).
var dateForms = map[string]string{
	"":         "date (YYYY-MM-DD)",
	"date":     "date (YYYY-MM-DD)",
	"time":     "time (HH:mm or HH:mm:ss)",
	"datetime": "date and time (YYYY-MM-DDTHH:mm or with :ss)",
}

// normalizeDate checks a value of date_time_input and returns it in a form
// that sorts as text: with seconds. Values are local, without a zone.
func normalizeDate(mode, value string) (string, bool) {
	switch mode {
	case "time":
		return normalizeTime(value)
	case "datetime":
		day, clock, _ := strings.Cut(value, "T")
		clock, ok := normalizeTime(clock)
		return day + "T" + clock, ok && isDay(day)
	default:
		return value, isDay(value)
	}
}

func isDay(value string) bool {
	_, err := time.Parse(time.DateOnly, value)
	return err == nil
}

func normalizeTime(value string) (string, bool) {
	const minutes = len("15:04")
	if len(value) == minutes {
		value += ":00"
	}
	_, err := time.Parse(time.TimeOnly, value)
	return value, err == nil && len(value) == len(time.TimeOnly)
}
