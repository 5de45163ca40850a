package ascode

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// maxSlug bounds the name of a file.
const maxSlug = 60

// pathForm is the form of every path: a folder of a kind, an environment where the kind has them, and a name. No part
// of it can lead out of the folder, and two paths are never one file where letters have no case.
var pathForm = regexp.MustCompile(`^(branding|[a-z]+/((test|live)/)?[a-z0-9][a-z0-9_-]{0,79})$`)

// slug makes the name of a file of the name of an object.
func slug(name string) string {
	var text strings.Builder
	dash := false
	for _, r := range norm.NFKD.String(strings.ToLower(name)) {
		switch {
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
			if dash && text.Len() > 0 {
				text.WriteByte('-')
			}
			text.WriteRune(r)
			dash = false
		case !unicode.Is(unicode.Mn, r): // accents fall away
			dash = true
		}
		if text.Len() >= maxSlug {
			break
		}
	}
	return cmp.Or(text.String(), "unnamed")
}

// assignPaths gives every object its path: the one of the lock, else one of its name. Objects of one name are told
// apart by numbers in the order in which they were made.
func assignPaths(objects []*object, lock map[string]entry) {
	known := map[string]string{}
	for path, e := range lock {
		known[e.ID] = path
	}
	taken := map[string]bool{}
	var fresh []*object
	for _, o := range objects {
		if path := known[o.id]; path != "" && strings.HasPrefix(path, o.folder()) && !taken[path] {
			o.path, taken[path] = path, true
			continue
		}
		fresh = append(fresh, o)
	}
	slices.SortStableFunc(fresh, func(a, b *object) int {
		return cmp.Or(cmp.Compare(a.name, b.name), cmp.Compare(a.id, b.id))
	})
	for _, o := range fresh {
		o.path = freePath(o.folder(), o.slug(), taken)
		taken[o.path] = true
	}
}

func freePath(folder, name string, taken map[string]bool) string {
	path := folder + name
	for n := 2; taken[path]; n++ {
		path = fmt.Sprintf("%s%s-%d", folder, name, n)
	}
	return path
}

// comparePaths orders paths as objects are made: a number at the end counts as one, so that a second object of a name
// gets the number 2 again when it is read.
func comparePaths(a, b string) int {
	nameA, numberA := splitNumber(a)
	nameB, numberB := splitNumber(b)
	return cmp.Or(cmp.Compare(nameA, nameB), cmp.Compare(numberA, numberB), cmp.Compare(a, b))
}

func splitNumber(path string) (string, int) {
	if i := strings.LastIndexByte(path, '-'); i > 0 {
		if number, err := strconv.Atoi(path[i+1:]); err == nil && number > 1 {
			return path[:i], number
		}
	}
	return path, 1
}
