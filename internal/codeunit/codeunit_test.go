package codeunit_test

import (
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/svc-dev/svc/internal/codeunit"
)

func TestCount(t *testing.T) {
	for text, want := range map[string]int{"": 0, "abc": 3, "é": 1, "🦊": 2, "日本": 2, "\xff": 1, "a\xff🦊": 4} {
		require.Equal(t, want, codeunit.Count(text), text)
	}
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text")
		require.Equal(t, len(utf16.Encode([]rune(text))), codeunit.Count(text))
	})
}

func TestClip(t *testing.T) {
	for _, c := range []struct {
		text  string
		limit int
		want  string
	}{{"abc", 3, "abc"}, {"abc", 2, "ab"}, {"a🦊", 2, "a"}, {"a🦊", 3, "a🦊"}, {"🦊", 1, ""}, {"é", 1, "é"}, {"x", 0, ""}} {
		require.Equal(t, c.want, codeunit.Clip(c.text, c.limit))
	}
	rapid.Check(t, func(t *rapid.T) {
		text, limit := rapid.String().Draw(t, "text"), rapid.IntRange(0, 20).Draw(t, "limit")
		clipped := codeunit.Clip(text, limit)
		require.LessOrEqual(t, codeunit.Count(clipped), limit)
		if rest := text[len(clipped):]; rest != "" {
			_, size := utf8.DecodeRuneInString(rest)
			require.Greater(t, codeunit.Count(clipped+rest[:size]), limit, "no more would fit")
		}
	})
}
