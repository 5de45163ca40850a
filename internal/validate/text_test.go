package validate_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/internal/fault"
	"github.com/svc-dev/svc/internal/validate"
)

// Names have 120 characters in any script, and never more than 480 bytes.
func TestNamesHaveCharacters(t *testing.T) {
	t.Parallel()
	for _, letter := range []string{"a", "ä", "漢", "😀"} {
		longest := strings.Repeat(letter, 120)
		name, err := validate.Name("name", "\t "+longest+"\n")
		require.NoError(t, err, letter)
		require.Equal(t, longest, name)
		require.LessOrEqual(t, len(name), 480)
		_, err = validate.Name("name", longest+letter)
		require.EqualError(t, err, "name: must have 1 to 120 characters", letter)
		require.True(t, fault.Is(err, fault.InvalidInput))
	}
	for _, blank := range []string{"", " \t\n", "\u00a0", strings.Repeat(" ", 1<<20)} {
		_, err := validate.Name("label", blank)
		require.EqualError(t, err, "label: must have 1 to 120 characters")
	}
	_, err := validate.Name("name", "a\x00b")
	require.EqualError(t, err, "name: must not hold a NUL character")
	// A letter and its many accents are as many characters: nothing grows that looks like one.
	_, err = validate.Name("name", "e"+strings.Repeat("\u0301", 120))
	require.Error(t, err)
}

func TestCharacters(t *testing.T) {
	t.Parallel()
	require.NoError(t, validate.Characters("password", strings.Repeat("😀", 8), 8, 256))
	require.NoError(t, validate.Characters("password", strings.Repeat("😀", 256), 8, 256))
	require.EqualError(t, validate.Characters("password", "ääää", 8, 256), "password: must have 8 to 256 characters")
	require.Error(t, validate.Characters("password", strings.Repeat("😀", 257), 8, 256))
}
