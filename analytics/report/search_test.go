package report

import (
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"
)

func TestSearchFoldsLikeUnicode(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text, search string
		found        bool
	}{
		{"Straße", "STRAßE", true}, {"Straße", "strasse", false}, {"STRAẞE", "straße", true},
		{"ΟΔΟΣ", "οδος", true}, {"οδός", "ΟΔΌΣ", true}, {"300 K", "k", true}, {"ſale", "SALE", true},
		{"İstanbul", "istanbul", false}, {"İstanbul", "İSTANBUL", true}, {"ısı", "ISI", false}, {"ISI", "isi", true},
		{"/Pricing", "pRIC", true}, {"ǅ", "ǆ", true}, {"Ⓐ", "ⓐ", true}, {"a", "", true},
	} {
		if got := strings.Contains(foldCase(c.text), foldCase(c.search)); got != c.found {
			t.Errorf("%q in %q: %v, want %v", c.search, c.text, got, c.found)
		}
	}
}

// Two letters are one in a search when Unicode says so, and no others.
func TestFoldingIsThatOfEqualFold(t *testing.T) {
	t.Parallel()
	letter := rapid.RuneFrom(nil, unicode.Letter)
	rapid.Check(t, func(t *rapid.T) {
		a, b := letter.Draw(t, "a"), letter.Draw(t, "b")
		for other, steps := unicode.SimpleFold(a), rapid.IntRange(0, 3).Draw(t, "steps"); steps > 0; steps-- {
			b, other = other, unicode.SimpleFold(other)
		}
		if got, want := foldLetter(a) == foldLetter(b), strings.EqualFold(string(a), string(b)); got != want {
			t.Errorf("%q and %q: %v, want %v", a, b, got, want)
		}
	})
}
