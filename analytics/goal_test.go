package analytics_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/svc-dev/svc/analytics"
)

func TestPathsOfGoals(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		pattern string
		meet    []string
		miss    []string
	}{
		{"/pricing", []string{"/pricing"}, []string{"/pricing/", "/Pricing", "/pricing2", ""}},
		{"/blog/*", []string{"/blog/", "/blog/a"}, []string{"/blog", "/blog/a/b"}},
		{"/blog/**", []string{"/blog/", "/blog/a/b"}, []string{"/blog", "/a/blog/b"}},
		{"/*/done", []string{"/a/done", "//done"}, []string{"/a/b/done", "/done"}},
		{"/**/done", []string{"/a/b/done", "//done"}, []string{"/done", "/a/done/x"}},
		{"/a*c*e", []string{"/ace", "/abcde", "/acce"}, []string{"/a/ce", "/abd"}},
		{"**ö*/ü", []string{"xö/ü", "a/b/öx/ü"}, []string{"ö/a/ü"}},
	} {
		v := analytics.GoalView{Op: analytics.GoalIs, Name: c.pattern}
		for _, name := range c.meet {
			require.True(t, v.Matcher()(name), "%s meets %s", name, c.pattern)
		}
		for _, name := range c.miss {
			require.False(t, v.Matcher()(name), "%s does not meet %s", name, c.pattern)
		}
	}
	contains := analytics.GoalView{Op: analytics.GoalContains, Name: "*"}
	require.True(t, contains.Matcher()("/a*b"))
	require.False(t, contains.Matcher()("/ab"), "a star is itself in CONTAINS")
}

// Members write patterns, and strangers make up names: a matcher that tries places again takes the product of their
// lengths, or for ever. Measured by a pattern of the same length and name that nothing has to be tried again of.
func TestALongPatternIsMatchedAtOnce(t *testing.T) {
	t.Parallel()
	as := strings.Repeat("a", 1000)
	takes := func(pattern string) time.Duration {
		matches := (&analytics.GoalView{Op: analytics.GoalIs, Name: pattern}).Matcher()
		began := time.Now()
		for range 50 {
			require.False(t, matches(as+"/"+as))
			require.False(t, matches(strings.Repeat("ab/", 700)))
		}
		return time.Since(began)
	}
	easy := takes("**" + strings.Repeat("c", 2000))
	for _, pattern := range []string{
		strings.Repeat("*a", 500) + strings.Repeat("**a", 300) + "b", "**a*b/b", "**" + as + "b/", "*" + as + "b/",
		"**a*" + as + "b/", "**" + strings.Repeat("a*b/", 500) + "c",
	} {
		require.Less(t, takes(pattern), 20*easy, "%.20s", pattern)
	}
}

// like tries everything.
func like(pattern, name string) bool {
	switch {
	case strings.HasPrefix(pattern, "**"):
		return like(pattern[2:], name) || name != "" && like(pattern, name[1:])
	case strings.HasPrefix(pattern, "*"):
		return like(pattern[1:], name) || name != "" && name[0] != '/' && like(pattern, name[1:])
	case pattern == "" || name == "":
		return pattern == name
	}
	return pattern[0] == name[0] && like(pattern[1:], name[1:])
}

func TestPathsOfGoalsByTrying(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		pattern := rapid.StringMatching(`[a/*b]{0,9}`).Draw(t, "pattern")
		name := rapid.StringMatching(`[a/b]{0,9}`).Draw(t, "name")
		if rapid.Bool().Draw(t, "long") { // more than one word of 64 tokens
			before := strings.Repeat("c", rapid.IntRange(56, 70).Draw(t, "before"))
			pattern, name = before+pattern, before+name
		}
		v := analytics.GoalView{Op: analytics.GoalIs, Name: pattern}
		matches := v.Matcher()
		for _, name := range []string{name, "", name} { // nothing is left of the name before
			if got, want := matches(name), like(pattern, name); got != want {
				t.Fatalf("%q meets %q: %v, want %v", name, pattern, got, want)
			}
		}
	})
}

func TestWrongGoalsNameTheField(t *testing.T) {
	t.Parallel()
	event := &analytics.GoalEvent{Name: "buy"}
	usd := func(v float64) *float64 { return &v }
	for field, c := range map[string]analytics.GoalCondition{
		"c":                   {},
		"c.event.name":        {Event: &analytics.GoalEvent{}},
		"c.page.op":           {Page: &analytics.GoalView{Name: "/"}},
		"c.page.name":         {Page: &analytics.GoalView{Op: analytics.GoalIs, Name: strings.Repeat("a", 2049)}},
		"c.screen.name":       {Screen: &analytics.GoalView{Op: analytics.GoalContains, Name: "a\x00"}},
		"c.flow.step":         {Flow: &analytics.GoalFlow{Outcome: analytics.GoalStarted, Step: "paywall"}},
		"c.flow.outcome":      {Flow: &analytics.GoalFlow{FlowID: uuid.New()}},
		"c.purchase.provider": {Purchase: &analytics.GoalPurchase{Provider: "PAYPAL"}},
		"c.purchase.products": {Purchase: &analytics.GoalPurchase{Products: make([]string, 101)}},
		"c.purchase.minUsd":   {Purchase: &analytics.GoalPurchase{MinUSD: usd(-1)}},
		"c.purchase.maxUsd":   {Purchase: &analytics.GoalPurchase{MinUSD: usd(2), MaxUSD: usd(1)}},
	} {
		wrong := &analytics.FieldError{}
		require.True(t, errors.As(c.Validate("c"), &wrong), field)
		require.Equal(t, field, wrong.Field)
	}
	two := analytics.GoalCondition{Event: event, Purchase: &analytics.GoalPurchase{}}
	require.ErrorContains(t, two.Validate("c"), "exactly one")
	for _, right := range []analytics.GoalCondition{
		{Event: event}, {Purchase: &analytics.GoalPurchase{}},
		{Flow: &analytics.GoalFlow{Outcome: analytics.GoalStepReached, Step: "paywall"}},
	} {
		require.NoError(t, right.Validate("c"))
	}
}
