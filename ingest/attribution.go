package ingest

import (
	"encoding/json"
	"reflect"
	"strconv"
	"unicode/utf8"

	"github.com/svc-dev/svc/analytics/session"
)

// Attribution is the frozen snapshot of a session, by report column.
type Attribution = session.Attribution

// AttributionKey is one report column and the wire keys that fill it. The
// canonical key wins over the alias.
type AttributionKey struct{ Column, Key, Alias string }

// AttributionKeys is the one table of analytics.md §1; the TypeScript SDKs run
// the same vectors (testdata/attribution-keys.json).
var AttributionKeys = []AttributionKey{
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

// wireAttribution decodes the keys of the table and skips all others (provider,
// confidence, link parameters …).
type wireAttribution struct {
	Source          scalar `json:"acquisition.source"`
	Medium          scalar `json:"acquisition.channel"`
	Campaign        scalar `json:"acquisition.campaign"`
	Content         scalar `json:"link.ext.utm_content"`
	Term            scalar `json:"link.ext.utm_term"`
	Adset           scalar `json:"acquisition.adset"`
	Creative        scalar `json:"acquisition.creative"`
	Referrer        scalar `json:"link.ext.referrer"`
	LandingURL      scalar `json:"link.ext.landing_url"`
	Organic         scalar `json:"attribution.isOrganic"`
	SourceAlias     scalar `json:"source"`
	MediumAlias     scalar `json:"medium"`
	CampaignAlias   scalar `json:"campaign"`
	ContentAlias    scalar `json:"content"`
	TermAlias       scalar `json:"term"`
	AdsetAlias      scalar `json:"adset"`
	CreativeAlias   scalar `json:"creative"`
	ReferrerAlias   scalar `json:"referrer"`
	LandingURLAlias scalar `json:"landingUrl"`
	OrganicAlias    scalar `json:"organic"`
}

func (w *wireAttribution) attribution() Attribution {
	a := Attribution{
		Source:   pick(w.Source, w.SourceAlias),
		Medium:   pick(w.Medium, w.MediumAlias),
		Campaign: pick(w.Campaign, w.CampaignAlias),
		Content:  pick(w.Content, w.ContentAlias),
		Term:     pick(w.Term, w.TermAlias),
		Adset:    pick(w.Adset, w.AdsetAlias),
		Creative: pick(w.Creative, w.CreativeAlias),
		Referrer: pick(w.Referrer, w.ReferrerAlias),
		Landing:  pick(w.LandingURL, w.LandingURLAlias),
	}
	switch pick(w.Organic, w.OrganicAlias) {
	case "true", "1":
		a.Organic = session.OrganicTrue
	case "false", "0":
		a.Organic = session.OrganicFalse
	}
	return a
}

// pick takes the first value that is not empty, without NUL characters (which
// PostgreSQL can't store) and clipped: an attribution value has no stated
// limit and is no reason to lose the event.
func pick(canonical, alias scalar) string {
	s := string(canonical)
	if s == "" {
		s = string(alias)
	}
	return clipUTF16(dropNUL(s), clipAttributionUnits)
}

func dropNUL(s string) string {
	for i := range len(s) {
		if s[i] == 0 {
			out := make([]byte, 0, len(s))
			for _, c := range []byte(s) {
				if c != 0 {
					out = append(out, c)
				}
			}
			return string(out)
		}
	}
	return s
}

// scalar is a string, number or boolean of the wire as text; null is empty.
type scalar string

func (s *scalar) UnmarshalJSON(b []byte) error {
	switch b[0] {
	case '"':
		if inner := b[1 : len(b)-1]; plainASCII(inner) {
			*s = scalar(inner)
			return nil
		}
		var text string
		if err := json.Unmarshal(b, &text); err != nil {
			return err
		}
		*s = scalar(text)
	case 'n':
		*s = ""
	case '{':
		return &json.UnmarshalTypeError{Value: "object", Type: reflect.TypeFor[scalar]()}
	case '[':
		return &json.UnmarshalTypeError{Value: "array", Type: reflect.TypeFor[scalar]()}
	case 't', 'f':
		*s = scalar(b)
	default:
		if _, err := strconv.ParseFloat(string(b), 64); err != nil {
			return &json.UnmarshalTypeError{Value: "number", Type: reflect.TypeFor[scalar]()}
		}
		*s = scalar(b)
	}
	return nil
}

// plainASCII says that a JSON string's inside needs no decoding.
func plainASCII(b []byte) bool {
	for _, c := range b {
		if c == '\\' || c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
