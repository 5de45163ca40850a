// Package locale matches the locales of devices to those of flows, as the SDKs do (sdk/core/src/flow/locale-match.ts):
// CLDR's language matching over one generated table, so that both always find the same.
package locale

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

var (
	aliasOf  = index(aliases)
	scriptOf = index(scripts)
	homeOf   = index(regions)
	servedBy = index(near)

	// clusters are the regions that speak alike, by language; its other regions are alike as well.
	clusters = map[string]string{
		"en": northAmericanEnglish, "ar": maghreb, "es": americas, "pt": americas, "zh-Hant": hongKong,
	}

	endOfTag       = regexp.MustCompile(`[.@]|[-_][^-_](?:[-_]|$)`)
	separators     = regexp.MustCompile(`[-_#]+`)
	extendedForm   = regexp.MustCompile(`^[A-Za-z]{3}$`)
	scriptForm     = regexp.MustCompile(`^[A-Za-z]{4}$`)
	regionForm     = regexp.MustCompile(`^([A-Za-z]{2}|[0-9]{3})$`)
	preferredForms = regexp.MustCompile(`[0-9]|en-GB|pt-PT`)
)

// index returns the values of a generated table by their keys: "he iw,id in" has he of iw and id of in.
func index(table string) map[string][]string {
	found := map[string][]string{}
	for group := range strings.SplitSeq(table, ",") {
		value, keys, _ := strings.Cut(group, " ")
		for key := range strings.SplitSeq(keys, " ") {
			found[key] = append(found[key], value)
		}
	}
	return found
}

func first(values []string) string {
	if len(values) == 0 {
		return ""
	}
	return values[0]
}

// tag is what decides how near two locales are.
type tag struct {
	base     string // the language by its newest code
	language string // the same, with its script where that is not the usual one: zh, zh-Hant
	script   string // empty where none is named of a language that has one only and runs from left to right
	region   string // the region that is named, else the one where the language is at home
	// preferred tells whether CLDR takes the region rather than others that are as near.
	preferred bool
}

// parse reads a locale in any spelling that systems have: zh-Hant-HK, zh_TW_#Hant, en_US.UTF-8. Variants and extensions
// do not count.
func parse(locale string) tag {
	if end := endOfTag.FindStringIndex(locale); end != nil {
		locale = locale[:end[0]]
	}
	parts := separators.Split(trim(locale), -1)
	code, parts := parts[0], parts[1:]
	if at := slices.IndexFunc(parts, extendedForm.MatchString); at >= 0 {
		code = parts[at] // the second part of zh-yue is the language that is meant
	}
	code = strings.ToLower(code)
	if newer := first(aliasOf[code]); newer != "" {
		code = newer
	}
	base, hint, _ := strings.Cut(code, "-")
	parts = append(slices.Clone(parts), hint)
	named := func(form *regexp.Regexp) string {
		if at := slices.IndexFunc(parts, form.MatchString); at >= 0 {
			return parts[at]
		}
		return ""
	}

	t := tag{base: base, language: base, region: strings.ToUpper(named(regionForm)), script: capitalize(named(scriptForm))}
	usual := first(scriptOf[base])
	if t.script == "" {
		t.script = usual
		if own := first(scriptOf[base+"-"+t.region]); own != "" {
			t.script = own
		}
	}
	if usual != "" && t.script != usual {
		t.language += "-" + t.script
	}
	home := strings.ToUpper(base)
	for _, key := range []string{base, t.language} {
		if known := first(homeOf[key]); known != "" {
			home = known
		}
	}
	t.preferred = t.region == "" || t.region == home || preferredForms.MatchString(base+"-"+t.region)
	if t.region == "" {
		t.region = home
	}
	return t
}

func capitalize(script string) string {
	if script == "" {
		return ""
	}
	return strings.ToUpper(script[:1]) + strings.ToLower(script[1:])
}

// trim removes the space around a text that JavaScript's trim removes.
func trim(text string) string {
	return strings.TrimFunc(text, func(r rune) bool { return unicode.IsSpace(r) && r != '\u0085' || r == '\ufeff' })
}

// distance returns CLDR's distance from a wish to what is offered, and whether that serves at all.
func distance(wish, offer tag) (int, bool) {
	same := wish.region == offer.region
	if wish.language != offer.language {
		for _, entry := range servedBy[wish.language] {
			language := strings.TrimRight(entry, "0123456789")
			if language != offer.language {
				continue
			}
			between, _ := strconv.Atoi(entry[len(language):])
			if !same {
				between += 4
			}
			return between, true
		}
		return 0, false
	}
	if same {
		return 0, true
	}
	cluster := clusters[offer.language]
	inside := strings.Contains(cluster, wish.region)
	switch {
	case inside != strings.Contains(cluster, offer.region):
		return 5, true
	case offer.language == "en" && !inside && (wish.region == "GB" || offer.region == "GB"):
		return 3, true
	}
	return 4, true
}

// Closest returns the one of the locales that serves a wish best by CLDR's language matching, the first of those that
// are alike; empty when none does.
func Closest(wish string, offered []string) string {
	wanted, best, least := parse(wish), "", 0
	for _, offer := range offered {
		one := parse(offer)
		far, serves := distance(wanted, one)
		if !serves {
			continue
		}
		rank := far * 4
		if !one.preferred {
			rank += 2
		}
		if one.script != wanted.script {
			rank++
		}
		if best == "" || rank < least {
			best, least = offer, rank
		}
	}
	return best
}

// Resolve returns the locale of a flow that serves a wish best, else its default.
func Resolve(wish, defaultLocale string, locales []string) string {
	known := append([]string{defaultLocale}, locales...)
	if wanted := Normalize(wish); slices.Contains(known, wanted) {
		return wanted
	}
	if found := Closest(wish, known); found != "" {
		return found
	}
	return defaultLocale
}

// Normalize returns a locale in the spelling of manifests: zh-Hans-CN for zh_hans_cn. Variants and extensions stay as
// they are.
func Normalize(locale string) string {
	parts := strings.Split(strings.ReplaceAll(trim(locale), "_", "-"), "-")
	parts[0] = strings.ToLower(parts[0])
	for i, part := range parts[1:] {
		switch {
		case len(part) == 1:
			return strings.Join(parts, "-")
		case len(part) == 2:
			parts[i+1] = strings.ToUpper(part)
		case scriptForm.MatchString(part):
			parts[i+1] = capitalize(part)
		}
	}
	return strings.Join(parts, "-")
}

// Language returns the language of a locale by its newest code, without script and region: he of iw-IL.
func Language(locale string) string { return parse(locale).base }

// LanguageAliases returns older and narrower codes of languages, each with the code that Language returns for it.
func LanguageAliases() map[string]string {
	found := make(map[string]string, len(aliasOf))
	for code, newer := range aliasOf {
		found[code], _, _ = strings.Cut(newer[0], "-")
	}
	return found
}
