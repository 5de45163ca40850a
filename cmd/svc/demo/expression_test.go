package demo

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/manifest"
)

// The digests are the vectors of the protocol, which the SDKs are held to as well.
func TestClauseDigests(t *testing.T) {
	for expression, want := range map[string]string{
		`{"kind":"empty"}`: "d7ce597e4",
		`{"kind":"predicate","variable":{"kind":"field","fieldKey":"goal"},
			"predicate":{"type":"choice","pred":{"op":"eq","optionId":"opt_a"}}}`: "d5940c607",
	} {
		var value any
		require.NoError(t, json.Unmarshal([]byte(expression), &value))
		digest, err := clauseDigest(value)
		require.NoError(t, err)
		require.Equal(t, want, digest)
	}
}

func TestConditions(t *testing.T) {
	said := answers{"goal": "keep", "pets": []string{"cat"}}
	of := Context{Platform: "web", Locale: "de-DE"}
	platform := func(op, value string) string {
		return `{"kind":"predicate","variable":{"kind":"builtin","name":"platform"},
			"predicate":{"type":"string","pred":{"op":"` + op + `","value":"` + value + `"}}}`
	}
	field := func(key, pred string) string {
		return `{"kind":"predicate","variable":{"kind":"field","fieldKey":"` + key + `"},
			"predicate":{"type":"choice","pred":` + pred + `}}`
	}
	group := func(op, a, b string) string {
		return `{"kind":"group","op":"` + op + `","children":[` + a + `,` + b + `]}`
	}
	kept := field("goal", `{"op":"eq","optionId":"keep"}`)
	other := field("goal", `{"op":"one_of","optionIds":["fill","first"]}`)
	for expression, want := range map[string]bool{
		`{"kind":"empty"}`: false, platform("eq", "web"): true, platform("eq", "ios"): false, platform("neq", "ios"): true,
		platform("contains", "e"): true, platform("contains", "x"): false, kept: true, other: false,
		field("goal", `{"op":"one_of","optionIds":["fill","keep"]}`): true,
		field("light", `{"op":"eq","optionId":"keep"}`):              false,
		field("pets", `{"op":"eq","optionId":"cat"}`):                false,
		group("and", kept, other):                                    false,
		group("or", kept, other):                                     true,
		group("and", kept, platform("eq", "web")):                    true,
	} {
		var e manifest.Expression
		require.NoError(t, json.Unmarshal([]byte(expression), &e))
		require.Equal(t, want, holds(&e, of, said), expression)
	}
}
