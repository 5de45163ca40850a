package ascode

import (
	"regexp"
	"slices"
	"strings"
)

// A reference is a text such as @flows/onboarding: the path of the file of what is meant. A text of an app that looks
// like one is written with one more @.
var referenceForm = regexp.MustCompile(
	`^@+(flows|components|endpoints|goals|segments|channels|experiments|automations)/`,
)

// named returns a copy of a document with references for ids.
func named(d document, paths map[string]string) document {
	return mapTexts(d, func(text string) string {
		if path, known := paths[text]; known {
			return "@" + path
		}
		if referenceForm.MatchString(text) {
			return "@" + text
		}
		return text
	}).(document)
}

// resolved returns a copy of a document with ids for references, or the first reference that leads nowhere.
func resolved(d document, ids map[string]string) (document, string) {
	unknown := ""
	copied := mapTexts(d, func(text string) string {
		if !referenceForm.MatchString(text) {
			return text
		}
		if strings.HasPrefix(text, "@@") {
			return text[1:]
		}
		id, known := ids[text[1:]]
		if !known && unknown == "" {
			unknown = text
		}
		return id
	})
	return copied.(document), unknown
}

// references lists the paths that a document refers to, sorted.
func references(d document) []string {
	var found []string
	mapTexts(d, func(text string) string {
		if referenceForm.MatchString(text) && !strings.HasPrefix(text, "@@") {
			found = append(found, text[1:])
		}
		return text
	})
	slices.Sort(found)
	return slices.Compact(found)
}

func mapTexts(v any, change func(string) string) any {
	return mapLeaves(v, func(leaf any) any {
		if text, isText := leaf.(string); isText {
			return change(text)
		}
		return leaf
	})
}
