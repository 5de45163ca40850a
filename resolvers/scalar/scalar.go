// Package scalar reads and writes the schema's own scalars.
package scalar

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

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

// MarshalString writes a text.
func MarshalString(text string) graphql.Marshaler { return graphql.MarshalString(text) }

// UnmarshalString reads a text that can be stored: PostgreSQL keeps neither NUL
// nor bytes that are no UTF-8.
func UnmarshalString(v any) (string, error) {
	text, err := graphql.UnmarshalString(v)
	if err != nil {
		return "", fault.Invalid("", "must be a text")
	}
	return text, checkText(text)
}

func checkText(text string) error {
	switch {
	case strings.ContainsRune(text, 0):
		return fault.Invalid("", "must not contain the character U+0000")
	case !utf8.ValidString(text):
		return fault.Invalid("", "must be UTF-8")
	}
	return nil
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

// MarshalUSDShare writes a share of micro-dollars as a JSON number of dollars, rounded to whole ones.
func MarshalUSDShare(micros float64) graphql.Marshaler { return MarshalUSD(Micros(math.Round(micros))) }

// UnmarshalUSDShare reads what MarshalUSDShare wrote.
func UnmarshalUSDShare(v any) (float64, error) {
	micros, err := UnmarshalUSD(v)
	return float64(micros), err
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

// UnmarshalUSD reads dollars, any JSON number or its text, with at most six
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

// farExponent is beyond any exponent that makes an amount, however many zeros the
// digits have.
const farExponent = 1 << 40

// parseUSD reads digits with an optional point and an optional exponent.
func parseUSD(text string) (Micros, error) {
	mantissa, power, scientific := strings.Cut(strings.ToLower(text), "e")
	unsigned, negative := strings.CutPrefix(mantissa, "-")
	whole, decimals, _ := strings.Cut(unsigned, ".")
	digits := whole + decimals
	if digits == "" || strings.Trim(digits, "0123456789") != "" {
		return 0, fault.Invalid("", "%q is not a number of dollars", text)
	}
	exponent := 0
	if scientific {
		var err error
		if exponent, err = strconv.Atoi(power); errors.Is(err, strconv.ErrSyntax) {
			return 0, fault.Invalid("", "%q is not a number of dollars", text)
		}
		exponent = min(max(exponent, -farExponent), farExponent)
	}
	// The value is kept × 10^zeros micro-dollars, and kept ends in no zero.
	kept := strings.TrimRight(digits, "0")
	zeros := exponent - len(decimals) + 6 + len(digits) - len(kept)
	kept = strings.TrimLeft(kept, "0")
	switch {
	case kept == "":
		return 0, nil
	case zeros < 0:
		return 0, fault.Invalid("", "%q has more than six decimals", text)
	case zeros > len("9223372036854775807"):
		return 0, fault.Invalid("", "%q is too large", text)
	}
	if negative {
		kept = "-" + kept
	}
	micros, err := strconv.ParseInt(kept+strings.Repeat("0", zeros), 10, 64)
	if err != nil {
		return 0, fault.Invalid("", "%q is too large", text)
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
	if pointer, err := checkTexts(v); err != nil {
		return nil, fault.Invalid("", "%s, at %q", err, pointer)
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return nil, fault.Invalid("", "is not JSON: %s", err)
	}
	return bytes.TrimSpace(text.Bytes()), nil
}

// checkTexts checks all texts of a JSON value. It returns where the first bad one
// stands, as a JSON pointer (RFC 6901).
func checkTexts(value any) (pointer string, err error) {
	switch value := value.(type) {
	case string:
		return "", checkText(value)
	case []any:
		for i, inner := range value {
			if pointer, err := checkTexts(inner); err != nil {
				return "/" + strconv.Itoa(i) + pointer, err
			}
		}
	case map[string]any:
		for name, inner := range value {
			if err := checkText(name); err != nil {
				return "", err
			}
			if pointer, err := checkTexts(inner); err != nil {
				return "/" + pointerEscapes.Replace(name) + pointer, err
			}
		}
	}
	return "", nil
}

var pointerEscapes = strings.NewReplacer("~", "~0", "/", "~1")
