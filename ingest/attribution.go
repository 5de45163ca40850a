package ingest

import (
	"encoding/json"
	"unicode/utf8"

	"github.com/svc-dev/svc/analytics/session"
	"github.com/svc-dev/svc/internal/codeunit"
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

// attribution reads the columns. A value that is not a scalar is a reject that
// names its key.
func (w *wireAttribution) attribution() (Attribution, *Reject) {
	var texts [10]string // in the order of AttributionKeys
	for i, sent := range [...]struct{ canonical, alias *scalar }{
		{&w.Source, &w.SourceAlias}, {&w.Medium, &w.MediumAlias}, {&w.Campaign, &w.CampaignAlias}, {&w.Content, &w.ContentAlias},
		{&w.Term, &w.TermAlias}, {&w.Adset, &w.AdsetAlias}, {&w.Creative, &w.CreativeAlias}, {&w.Referrer, &w.ReferrerAlias},
		{&w.LandingURL, &w.LandingURLAlias}, {&w.Organic, &w.OrganicAlias},
	} {
		key, value := AttributionKeys[i].Key, sent.canonical
		if value.text == "" && !value.bad {
			key, value = AttributionKeys[i].Alias, sent.alias
		}
		if value.bad {
			return Attribution{}, &Reject{Code: CodeContextInvalid, Message: "context.attribution." + key + " must be a string, a number or a boolean"}
		}
		// An attribution value has no stated limit and is no reason to lose the
		// event: it is clipped, and NUL, which PostgreSQL can't store, is left out.
		texts[i] = codeunit.Clip(dropNUL(value.text), clipAttributionUnits)
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

// scalar is a string, number or boolean of the wire as text; null is empty. It
// decodes without an error, so that the event around it is still read whole.
type scalar struct {
	text string
	bad  bool // an object or an array
}

func (s *scalar) UnmarshalJSON(b []byte) error {
	*s = scalar{}
	switch b[0] {
	case 'n':
	case '{', '[':
		s.bad = true
	case '"':
		if inner := b[1 : len(b)-1]; plainASCII(inner) {
			s.text = string(inner)
			return nil
		}
		return json.Unmarshal(b, &s.text)
	default:
		s.text = string(b)
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
