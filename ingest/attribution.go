package ingest

import (
	"bytes"
	"encoding/json"
	"math"
	"reflect"
	"strings"
	"unicode/utf8"

	"github.com/svc-dev/svc/analytics/pagename"
	"github.com/svc-dev/svc/analytics/session"
	"github.com/svc-dev/svc/internal/codeunit"
)

// Attribution is the frozen snapshot of a session, by report column.
type Attribution = session.Attribution

// AttributionKey is one report column and the wire keys that fill it. The
// canonical key wins over the alias.
type AttributionKey struct{ Column, Key, Alias string }

// AttributionKeys is the one table of analytics.md §1; the TypeScript SDKs run
// the same vectors (sdk/vectors/attribution-keys.json).
var AttributionKeys = [attributionKeyCount]AttributionKey{
	{"source", "acquisition.source", "source"},
	{"medium", "acquisition.channel", "medium"},
	{"campaign", "acquisition.campaign", "campaign"},
	{"content", "link.ext.utm_content", "content"},
	{"term", "link.ext.utm_term", "term"},
	{"adset", "acquisition.adset", "adset"},
	{"creative", "acquisition.creative", "creative"},
	{"referrer", "link.ext.referrer", "referrer"},
	{"landing_url", "link.ext.landing_url", "landingUrl"},
	{"organic", "attribution.isOrganic", "organic"},
}

const attributionKeyCount = 10

// attributionPlaces leads from a wire key to its place in AttributionKeys.
var attributionPlaces = func() map[string]attributionPlace {
	places := map[string]attributionPlace{}
	for i, k := range AttributionKeys {
		places[k.Key] = attributionPlace{column: i}
		places[k.Alias] = attributionPlace{column: i, alias: true}
	}
	return places
}()

type attributionPlace struct {
	column int
	alias  bool
}

// wireAttribution is context.attribution as sent: what report columns are filled
// from, and all other keys (provider, confidence, link parameters …) as JSON.
type wireAttribution struct {
	canonical, alias [attributionKeyCount]scalar // in the order of AttributionKeys
	more             boundedObject
}

// UnmarshalJSON reads a map of wire keys. It fails only when raw is no map, so
// that the event around it is still read whole.
func (w *wireAttribution) UnmarshalJSON(raw []byte) error {
	*w = wireAttribution{}
	if raw[0] != '{' {
		return &json.UnmarshalTypeError{Value: kindOfJSON(raw), Type: reflect.TypeFor[map[string]any]()}
	}
	eachMember(raw, func(key, value []byte) bool {
		name := key[1 : len(key)-1]
		if !plainASCII(name) {
			name = []byte(jsonText(key))
		}
		place, isColumn := attributionPlaces[string(name)]
		switch {
		case !isColumn:
			w.more.add(key, value)
		case place.alias:
			w.alias[place.column] = readScalar(value)
		default:
			w.canonical[place.column] = readScalar(value)
		}
		return true
	})
	return nil
}

// attribution reads the columns. A value that is not a scalar is a reject that
// names its key.
func (w *wireAttribution) attribution() (Attribution, *Reject) {
	var texts [attributionKeyCount]string
	for i, k := range AttributionKeys {
		key, value := k.Key, &w.canonical[i]
		if value.text == "" && !value.bad {
			key, value = k.Alias, &w.alias[i]
		}
		if value.bad {
			return Attribution{}, &Reject{
				Code: CodeContextInvalid, Message: "context.attribution." + key + " must be a string, a number or a boolean",
			}
		}
		// An attribution value has no stated limit and is no reason to lose the
		// event: it is clipped, and NUL, which PostgreSQL can't store, is left out.
		texts[i] = dropNUL(value.text)
		if k.Column == "landing_url" {
			texts[i] = pagename.ReadableURL(texts[i], clipAttributionUnits)
		} else {
			texts[i] = codeunit.Clip(texts[i], clipAttributionUnits)
		}
	}
	a := Attribution{
		Source: texts[0], Medium: texts[1], Campaign: texts[2], Content: texts[3], Term: texts[4],
		Adset: texts[5], Creative: texts[6], Referrer: texts[7], Landing: texts[8],
	}
	switch texts[9] {
	case "true", "1":
		a.Organic = session.OrganicTrue
	case "false", "0":
		a.Organic = session.OrganicFalse
	}
	return a, nil
}

// AttributionJSON returns an event's whole attribution under its canonical keys: the
// report columns, and the object of what they don't hold, which may be empty. It
// is nil when there is none.
func AttributionJSON(a Attribution, more []byte) []byte {
	texts := [...]string{a.Source, a.Medium, a.Campaign, a.Content, a.Term, a.Adset, a.Creative, a.Referrer, a.Landing}
	var out []byte
	member := func(key string) {
		out = append(append(append(out, `,"`...), key...), `":`...)
	}
	for i, text := range texts {
		if text != "" {
			member(AttributionKeys[i].Key)
			out = appendJSONText(out, text)
		}
	}
	if a.Organic != session.OrganicAbsent {
		member(AttributionKeys[len(texts)].Key)
		out = append(out, map[bool]string{true: "true", false: "false"}[a.Organic == session.OrganicTrue]...)
	}
	if inside := len(more) - 2; inside > 0 {
		out = append(append(out, ','), more[1:1+inside]...)
	}
	if out == nil {
		return nil
	}
	out[0] = '{'
	return append(out, '}')
}

// appendJSONText writes a text without NUL as JSON.stringify does.
func appendJSONText(out []byte, text string) []byte {
	c := &compactor{out: append(out, '"'), limit: ObjectLimits{Units: math.MaxInt}}
	for _, r := range text {
		c.char(r)
	}
	return append(c.out, '"')
}

func dropNUL(s string) string { return strings.ReplaceAll(s, "\x00", "") }

// scalar is a string, number or boolean of the wire as text; null is empty.
type scalar struct {
	text string
	bad  bool // an object or an array
}

// readScalar reads a valid JSON value.
func readScalar(raw []byte) scalar {
	switch raw[0] {
	case 'n':
		return scalar{}
	case '{', '[':
		return scalar{bad: true}
	case '"':
		return scalar{text: jsonText(raw)}
	}
	return scalar{text: string(raw)}
}

// jsonText decodes a valid JSON string.
func jsonText(raw []byte) (text string) {
	if inner := raw[1 : len(raw)-1]; bytes.IndexByte(inner, '\\') < 0 && utf8.Valid(inner) {
		return string(inner)
	}
	_ = json.Unmarshal(raw, &text) // raw is a valid string
	return text
}

// plainASCII tells whether a JSON string's inside needs no decoding.
func plainASCII(b []byte) bool {
	for _, c := range b {
		if c == '\\' || c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// kindOfJSON names the kind of a valid JSON value as encoding/json does in its errors.
func kindOfJSON(raw []byte) string {
	switch raw[0] {
	case '"':
		return "string"
	case '[':
		return "array"
	case 't', 'f':
		return "bool"
	case '{':
		return "object"
	}
	return "number"
}
