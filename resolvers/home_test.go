package resolvers_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	readHome = `query($a: ID!) { app(id: $a) { homeLayout { cards default } } }`
	setHome  = `mutation($a: ID!, $c: [HomeCard!]) { setHomeLayout(input: {appId: $a, cards: $c}) { cards default } }`
)

var usualHome = vars{"cards": []string{"TREND", "SOURCES", "PAGES", "LOCATIONS", "DEVICES", "EVENTS"}, "default": true}

// homeOf returns what the home page of an app shows to somebody, as JSON.
func homeOf(t *testing.T, c *client, app string) string {
	return asJSON(t, c.must(readHome, vars{"a": app}).at(t, "app", "homeLayout"))
}

// A layout is that of one member and one app: whoever may read reports has one, a key that of who made it.
func TestHomeLayoutIsOfAMemberAndAnApp(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	app, other := w.app("Shop"), w.app("Other")
	owner, viewer := w.as("owner"), w.as("viewer")
	require.JSONEq(t, asJSON(t, usualHome), homeOf(t, viewer, app))

	chosen := vars{"cards": []string{"REVENUE", "GOALS", "TREND"}, "default": false}
	set := viewer.must(setHome, vars{"a": app, "c": chosen["cards"]}).at(t, "setHomeLayout")
	require.JSONEq(t, asJSON(t, chosen), asJSON(t, set))
	require.JSONEq(t, asJSON(t, chosen), homeOf(t, viewer, app))
	require.JSONEq(t, asJSON(t, usualHome), homeOf(t, owner, app), "another member")
	require.JSONEq(t, asJSON(t, usualHome), homeOf(t, viewer, other), "another app")

	key := secretOf(t, owner, w.workspace, "analytics:read")
	key.must(setHome, vars{"a": app, "c": []string{"EVENTS"}})
	require.JSONEq(t, `{"cards": ["EVENTS"], "default": false}`, homeOf(t, owner, app))
	blind := secretOf(t, owner, w.workspace, "studio:read")
	require.Equal(t, "forbidden", blind.do(setHome, vars{"a": app, "c": nil}).code())
	require.Equal(t, "forbidden", blind.do(readHome, vars{"a": app}).code())
	require.Equal(t, "not_found", w.as("stranger").do(setHome, vars{"a": app, "c": nil}).code())

	again := owner.must(setHome, vars{"a": app, "c": nil}).at(t, "setHomeLayout")
	require.JSONEq(t, asJSON(t, usualHome), asJSON(t, again))
	require.JSONEq(t, asJSON(t, usualHome), homeOf(t, owner, app))

	// A card that only another release of the server knows is left out; who was removed leaves nothing behind.
	_, err := w.db.Pool.Exec(t.Context(),
		`update home_layouts set cards = '{EVENTS,WEATHER,PAGES}' where app_id = $1`, app)
	require.NoError(t, err)
	require.JSONEq(t, `{"cards": ["EVENTS", "PAGES"], "default": false}`, homeOf(t, viewer, app))
	owner.must(`mutation($w: ID!, $u: ID!) { removeMember(input: {workspaceId: $w, userId: $u}) }`,
		vars{"w": w.workspace, "u": viewer.text(`{ viewer { userId } }`, nil, "viewer", "userId")})
	var left int
	require.NoError(t, w.db.Pool.QueryRow(t.Context(), `select count(*) from home_layouts`).Scan(&left))
	require.Zero(t, left)
}

func TestBadHomeLayoutsNameTheField(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	app := w.app("Shop")
	for _, cards := range [][]string{{}, {"TREND", "GOALS", "TREND"}} {
		got := w.as("owner").do(setHome, vars{"a": app, "c": cards})
		require.Equal(t, "invalid_input", got.code())
		require.Equal(t, "cards", got.Errors[0].Extensions["field"])
	}
	require.NotEmpty(t, w.as("owner").do(setHome, vars{"a": app, "c": []string{"WEATHER"}}).Errors)
	require.JSONEq(t, asJSON(t, usualHome), homeOf(t, w.as("owner"), app))
}
