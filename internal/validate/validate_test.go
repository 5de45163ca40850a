package validate_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/internal/fault"
	"github.com/svc-dev/svc/internal/validate"
)

type leaf struct {
	Name  string   `json:"name,omitempty" validate:"name=5"`
	Color string   `json:"color" validate:"omitempty,color"`
	Angle *float64 `json:"angle" validate:"omitnil,min=0,max=360"`
}

type input struct {
	Title  string   `json:"title" validate:"utf16max=3"`
	Key    string   `json:"key" validate:"omitempty,key"`
	Kind   string   `json:"kind" validate:"omitempty,oneof=a b"`
	URL    string   `json:"url" validate:"omitempty,http_url"`
	Code   string   `json:"code" validate:"omitempty,len=3"`
	Amount int      `json:"amount" validate:"omitempty,gt=0"`
	Leaves []leaf   `json:"leaves" validate:"max=2,dive"`
	Values []string `json:"values" validate:"omitempty,min=2,dive,name=2"`
}

func TestEveryWrongMemberIsNamed(t *testing.T) {
	t.Parallel()
	angle := 361.0
	for name, step := range map[string]struct {
		input input
		want  []string
	}{
		"nothing": {input{}, nil},
		"right": {input{Title: "äöü", Key: "a-1", Kind: "b", URL: "https://a.example/x", Code: "EUR", Amount: 1,
			Leaves: []leaf{{Name: "äöüß"}}, Values: []string{"a", "b"}}, nil},
		"code units": {input{Title: "😀😀"}, []string{"title: must have at most 3 characters"}},
		"NUL":        {input{Title: "\x00"}, []string{"title: must not hold a NUL character"}},
		"key":        {input{Key: "-a"}, []string{"key: must have 1 to 64 of a-z, 0-9, _ and -"}},
		"kind":       {input{Kind: "c"}, []string{"kind: must be one of a, b"}},
		"url":        {input{URL: "/x"}, []string{"url: must be an absolute URL"}},
		"code":       {input{Code: "EURO"}, []string{"code: must have 3 characters"}},
		"amount":     {input{Amount: -1}, []string{"amount: must be more than 0"}},
		"few":        {input{Values: []string{"a"}}, []string{"values: must have at least 2"}},
		"many":       {input{Leaves: make([]leaf, 3)}, []string{"leaves: must have at most 2"}},
		"entry":      {input{Values: []string{"a", ""}}, []string{"values.1: must have 1 to 2 characters"}},
		"two members": {input{Leaves: []leaf{{Name: "a"}, {Color: "red", Angle: &angle}}}, []string{
			"leaves.1.name: must have 1 to 5 characters", "leaves.1.color: must be #RGB, #RRGGBB or #RRGGBBAA",
			"leaves.1.angle: must be at most 360"}},
	} {
		err := validate.Input(step.input)
		if step.want == nil {
			require.NoError(t, err, name)
			continue
		}
		require.EqualError(t, err, strings.Join(step.want, "\n"), name)
		require.True(t, fault.Is(err, fault.InvalidInput), name)
	}
	nameless := struct {
		Values []string `json:"values" validate:"min=1"`
	}{}
	require.EqualError(t, validate.Input(nameless), "values: must have at least 1")
	require.EqualError(t, validate.At("branding", &leaf{Name: "toolong"}), "branding.name: must have 1 to 5 characters")
}

type optional struct {
	ID       *string `json:"id" validate:"omitnil,name=3"`
	Consent  *string `json:"consent" validate:"omitnil,oneof=granted denied"`
	Country  string  `json:"country" validate:"country"`
	Timezone string  `json:"timezone" validate:"utf16max=20,zone"`
	User     string  `json:"user" validate:"required,utf16max=3"`
}

func TestProblemsHaveCodes(t *testing.T) {
	t.Parallel()
	text := func(s string) *string { return &s }
	for name, step := range map[string]struct {
		input optional
		want  []validate.Problem
	}{
		"absent": {optional{}, []validate.Problem{{Path: "user", Code: "required", Rule: "is required"}}},
		"right": {optional{ID: text("äöü"), Consent: text("denied"), Country: " de ", Timezone: "Europe/Berlin", User: "u"},
			nil},
		"blank": {optional{Country: " ", Timezone: "\t", User: "u"}, nil},
		"empty": {optional{ID: text(""), User: "u"}, []validate.Problem{
			{"id", "required", "must have 1 to 3 characters"}}},
		"long": {optional{ID: text("äöüß"), User: "u"}, []validate.Problem{
			{"id", "too_long", "must have 1 to 3 characters"}}},
		"NUL": {optional{ID: text("\x00"), User: "u"}, []validate.Problem{
			{"id", "invalid", "must not hold a NUL character"}}},
		"enum": {optional{Consent: text(""), User: "u"}, []validate.Problem{
			{"consent", "enum", "must be one of granted, denied"}}},
		"in the order of members": {optional{Country: "d3", Timezone: "Local", User: "uuuu"}, []validate.Problem{
			{"country", "invalid", "must be two letters, such as DE"},
			{"timezone", "invalid", "must be an IANA name, such as Europe/Berlin"},
			{"user", "too_long", "must have at most 3 characters"}}},
		"a path for a zone": {optional{Timezone: "../etc/passwd", User: "u"}, []validate.Problem{
			{"timezone", "invalid", "must be an IANA name, such as Europe/Berlin"}}},
	} {
		require.Equal(t, step.want, validate.Problems(&step.input), name)
	}
}
