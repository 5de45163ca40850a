// Package scalar reads and writes the schema's own scalars.
package scalar

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/google/uuid"

	"github.com/svc-dev/svc/internal/fault"
)

// MarshalUUID writes an id.
func MarshalUUID(id uuid.UUID) graphql.Marshaler { return graphql.MarshalString(id.String()) }

// UnmarshalUUID reads an id.
func UnmarshalUUID(v any) (uuid.UUID, error) {
	text, _ := v.(string)
	id, err := uuid.Parse(text)
	if err != nil {
		return uuid.Nil, fault.Invalid("", "%q is not an id", fmt.Sprint(v))
	}
	return id, nil
}

// MarshalTime writes an instant as RFC 3339 in UTC.
func MarshalTime(t time.Time) graphql.Marshaler {
	return graphql.WriterFunc(func(w io.Writer) {
		_, _ = io.WriteString(w, t.UTC().Format(`"2006-01-02T15:04:05.999999999Z07:00"`))
	})
}

// UnmarshalTime reads RFC 3339 with any offset.
func UnmarshalTime(v any) (time.Time, error) {
	text, ok := v.(string)
	if !ok {
		return time.Time{}, fault.Invalid("", "must be an RFC 3339 time such as 2026-11-21T10:00:00Z")
	}
	t, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return time.Time{}, fault.Invalid("", "%q is not an RFC 3339 time such as 2026-11-21T10:00:00Z", text)
	}
	return t, nil
}

// MarshalCount64 writes a whole number.
func MarshalCount64(n int64) graphql.Marshaler {
	return graphql.WriterFunc(func(w io.Writer) { _, _ = io.WriteString(w, strconv.FormatInt(n, 10)) })
}

// UnmarshalCount64 reads a whole number.
func UnmarshalCount64(v any) (int64, error) { return graphql.UnmarshalInt64(v) }

// Micros is money in millionths of a dollar.
type Micros = int64

// MarshalUSD writes micro-dollars as a JSON number of dollars, in integer
// arithmetic.
func MarshalUSD(micros Micros) graphql.Marshaler {
	return graphql.WriterFunc(func(w io.Writer) { _, _ = w.Write(AppendUSD(nil, micros)) })
}

// AppendUSD appends micro-dollars as dollars: at most six decimals, none that
// are zero at the end.
func AppendUSD(text []byte, micros Micros) []byte {
	magnitude := uint64(micros)
	if micros < 0 {
		text = append(text, '-')
		magnitude = -magnitude // also right for the smallest int64
	}
	text = strconv.AppendUint(text, magnitude/1_000_000, 10)
	if fraction := magnitude % 1_000_000; fraction > 0 {
		decimals := strconv.AppendUint(nil, 1_000_000+fraction, 10)[1:]
		text = append(append(text, '.'), bytes.TrimRight(decimals, "0")...)
	}
	return text
}

// UnmarshalUSD reads dollars, a JSON number or its text, with at most six
// decimals, without rounding.
func UnmarshalUSD(v any) (Micros, error) {
	var text string
	switch v := v.(type) {
	case json.Number:
		text = v.String()
	case string:
		text = v
	case int64:
		text = strconv.FormatInt(v, 10)
	case int:
		text = strconv.Itoa(v)
	case float64:
		text = strconv.FormatFloat(v, 'f', -1, 64)
	default:
		return 0, fault.Invalid("", "must be a number of dollars")
	}
	return parseUSD(text)
}

func parseUSD(text string) (Micros, error) {
	digits, negative := text, false
	if len(digits) > 0 && digits[0] == '-' {
		digits, negative = digits[1:], true
	}
	var micros, decimals int64
	point, any := false, false
	for _, c := range []byte(digits) {
		switch {
		case c == '.' && !point:
			point = true
			continue
		case c < '0' || c > '9':
			return 0, fault.Invalid("", "%q is not a number of dollars", text)
		case point && decimals == 6:
			if c != '0' {
				return 0, fault.Invalid("", "%q has more than six decimals", text)
			}
			continue
		}
		if micros > (math.MaxInt64-9)/10 {
			return 0, fault.Invalid("", "%q is too large", text)
		}
		micros, any = micros*10+int64(c-'0'), true
		if point {
			decimals++
		}
	}
	if !any {
		return 0, fault.Invalid("", "%q is not a number of dollars", text)
	}
	for ; decimals < 6; decimals++ {
		if micros > math.MaxInt64/10 {
			return 0, fault.Invalid("", "%q is too large", text)
		}
		micros *= 10
	}
	if negative {
		micros = -micros
	}
	return micros, nil
}

// Figure is a number of a chart, as JSON text.
type Figure string

// FigureOf writes a count, a ratio or seconds.
func FigureOf(value float64) Figure { return Figure(strconv.FormatFloat(value, 'g', -1, 64)) }

// FigureOfUSD writes micro-dollars as dollars.
func FigureOfUSD(micros Micros) Figure { return Figure(AppendUSD(nil, micros)) }

// MarshalFigure writes the number.
func MarshalFigure(f Figure) graphql.Marshaler {
	return graphql.WriterFunc(func(w io.Writer) { _, _ = io.WriteString(w, string(f)) })
}

// UnmarshalFigure is needed by the generator; no input has a figure.
func UnmarshalFigure(v any) (Figure, error) {
	return "", fault.Invalid("", "%v cannot be an input", v)
}

// MarshalJSON writes JSON text as it is.
func MarshalJSON(raw json.RawMessage) graphql.Marshaler {
	return graphql.WriterFunc(func(w io.Writer) {
		if len(raw) == 0 {
			raw = json.RawMessage("null")
		}
		_, _ = w.Write(raw)
	})
}

// UnmarshalJSON turns an input value back into JSON text.
func UnmarshalJSON(v any) (json.RawMessage, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return nil, fault.Invalid("", "is not JSON: %s", err)
	}
	return bytes.TrimSpace(text.Bytes()), nil
}
