package delivery

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
)

func TestETag(t *testing.T) {
	id := uuid.MustParse("0197aa00-0000-7000-8000-000000000001")
	require.Equal(t, `"7-0197aa00-0000-7000-8000-000000000001"`, ETag(7, id))
}

// The clients rebuild the tag of what resolve-all answers by the same vectors.
func TestETagVectors(t *testing.T) {
	raw, err := os.ReadFile("../sdk/vectors/etag.json")
	require.NoError(t, err)
	var vectors []struct {
		AssignmentVersion int
		VersionID         uuid.UUID
		ETag              string
	}
	require.NoError(t, json.Unmarshal(raw, &vectors))
	require.NotEmpty(t, vectors)
	for _, v := range vectors {
		require.Equal(t, v.ETag, ETag(v.AssignmentVersion, v.VersionID))
		require.True(t, MatchesETag([]string{v.ETag}, ETag(v.AssignmentVersion, v.VersionID)))
	}
}

func TestMatchesETag(t *testing.T) {
	const tag = `"3-v"`
	for _, c := range []struct {
		name   string
		values []string
		want   bool
	}{
		{"none", nil, false},
		{"same", []string{`"3-v"`}, true},
		{"other", []string{`"4-v"`}, false},
		{"weak", []string{`W/"3-v"`}, true},
		{"star never matches", []string{`*`}, false},
		{"star in a list is passed over", []string{`*, "3-v"`}, true},
		{"list", []string{`"1-v", W/"2-v" ,"3-v"`}, true},
		{"list without spaces", []string{`"1-v","3-v"`}, true},
		{"second header line", []string{`"1-v"`, `"3-v"`}, true},
		{"empty elements", []string{`, ,"3-v",`}, true},
		{"unquoted", []string{`3-v`}, false},
		{"unquoted before quoted", []string{`3-v, "3-v"`}, true},
		{"unclosed", []string{`"3-v`}, false},
		{"comma inside a tag", []string{`"1,"3-v"`}, false},
		{"prefix", []string{`"3-vv"`}, false},
		{"lower-case weakness is no tag", []string{`w/"3-v"`}, false},
		{"blank", []string{"  "}, false},
		{"tab", []string{"\t\"3-v\"\t"}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.Equal(t, c.want, MatchesETag(c.values, tag))
		})
	}
}

func FuzzMatchesETag(f *testing.F) {
	for _, seed := range []string{`"1-a"`, `W/"1-a"`, `*`, `"1-a", "2-b"`, `"`, `W/`, `,,"`, `"1-a`, "\"3-v\""} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, header string) {
		const tag = `"3-v"`
		matched := MatchesETag([]string{header}, tag)
		if matched && !strings.Contains(header, tag) {
			t.Fatalf("%q matched without holding the tag", header)
		}
		if strings.TrimSpace(header) == "*" && matched {
			t.Fatal("* matched")
		}
		if !strings.Contains(header, `"`) && !MatchesETag([]string{header + "," + tag}, tag) {
			t.Fatalf("the tag after %q was not found", header)
		}
	})
}
