package resolvers_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// A store has one source; a secret is shown once, when it is made.
func TestRevenueSources(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	app := w.app("Shop")
	const create = `mutation($i: CreateRevenueSourceInput!) { createRevenueSource(input: $i) {
		secret source { id path stores secrets { id lastFour } } } }`
	input := func(provider string, stores ...string) vars {
		i := vars{"appId": app, "provider": provider, "name": "C"}
		if stores != nil {
			i["stores"] = stores
		}
		return vars{"i": i}
	}
	require.Equal(t, "forbidden", w.as("editor").do(create, input("STRIPE")).code())
	require.Equal(t, "not_found", w.as("stranger").do(create, input("STRIPE")).code())
	made := w.as("admin").must(create, input("REVENUECAT"))
	secret := made.at(t, "createRevenueSource", "secret").(string)
	require.NotContains(t, made.at(t, "createRevenueSource", "source", "path"), secret)
	require.Contains(t, made.at(t, "createRevenueSource", "source", "stores"), "stripe")
	id := made.at(t, "createRevenueSource", "source", "id")
	require.Equal(t, "invalid_input", w.as("admin").do(create, input("STRIPE")).code(), "RevenueCat reports it")
	require.Equal(t, "invalid_input", w.as("admin").do(create, input("SUPERWALL", "app_store")).code())
	require.Equal(t, "invalid_input", w.as("admin").do(create, input("STRIPE", "app_store")).code())

	const add = `mutation($i: AddRevenueSecretInput!) { addRevenueSecret(input: $i) { secret source { secrets { id lastFour } } } }`
	next := w.as("admin").must(add, vars{"i": vars{"id": id}}).at(t, "addRevenueSecret", "secret").(string)
	require.NotEqual(t, secret, next)
	list := w.as("admin").must(`query($a: ID!) { app(id: $a) { revenueSources { id secrets { id lastFour } } } }`, vars{"a": app})
	require.Equal(t, secret[len(secret)-4:], list.at(t, "app", "revenueSources", 0, "secrets", 0, "lastFour"))
	old := list.at(t, "app", "revenueSources", 0, "secrets", 0, "id")
	require.NotNil(t, list.at(t, "app", "revenueSources", 0, "secrets", 1, "id"))
	const remove = `mutation($i: ID!, $s: ID!) { removeRevenueSecret(id: $i, secretId: $s) { secrets { id } } }`
	require.Equal(t, "not_found", w.as("stranger").do(remove, vars{"i": id, "s": old}).code())
	w.as("admin").must(remove, vars{"i": id, "s": old})
	require.Equal(t, "not_found", w.as("admin").do(remove, vars{"i": id, "s": old}).code())

	const archive = `mutation($i: ID!) { archiveRevenueSource(id: $i) { archivedAt } }`
	require.Equal(t, "forbidden", w.as("viewer").do(archive, vars{"i": id}).code())
	require.NotNil(t, w.as("admin").must(archive, vars{"i": id}).at(t, "archiveRevenueSource", "archivedAt"))
	stripe := w.as("admin").must(create, input("STRIPE")).at(t, "createRevenueSource")
	require.Nil(t, stripe.(map[string]any)["secret"], "Stripe has a secret of its own")
	stripeID := stripe.(map[string]any)["source"].(map[string]any)["id"]
	require.Equal(t, "invalid_input", w.as("admin").do(
		`mutation($i: ID!) { testRevenueSource(id: $i) { status } }`, vars{"i": stripeID}).code(), "no secret yet")
	require.Equal(t, "invalid_input", w.as("admin").do(add, vars{"i": vars{"id": stripeID, "secret": "short"}}).code())
	got := w.as("admin").must(add, vars{"i": vars{"id": stripeID, "secret": "whsec_of_stripe_1234"}})
	require.Nil(t, got.at(t, "addRevenueSecret", "secret"))

	const try = `mutation($i: ID!) { testRevenueSource(id: $i) { accepted status state reason milliseconds } }`
	require.Equal(t, "forbidden", w.as("editor").do(try, vars{"i": stripeID}).code())
	require.Equal(t, "not_found", w.as("stranger").do(try, vars{"i": stripeID}).code())
	require.Equal(t, "invalid_input", w.as("admin").do(try, vars{"i": id}).code(), "archived")
	tried := w.as("admin").must(try, vars{"i": stripeID})
	require.Equal(t, true, tried.at(t, "testRevenueSource", "accepted"))
	require.Equal(t, "HANDLED", tried.at(t, "testRevenueSource", "state"))
	require.Empty(t, tried.at(t, "testRevenueSource", "reason"))

	const mapping = `mutation($i: MapRevenueInput!) { mapRevenue(input: $i) }`
	said := vars{"i": vars{"appId": app, "environment": "LIVE", "provider": "STRIPE", "subject": "sub_1", "appUserId": "v1"}}
	require.Equal(t, "forbidden", w.as("editor").do(mapping, said).code())
	w.as("admin").must(mapping, said)
	const unmapped = `query($a: ID!) { app(id: $a) { unmappedRevenue { nodes { subject } after } } }`
	require.Empty(t, w.as("admin").must(unmapped, vars{"a": app}).at(t, "app", "unmappedRevenue", "nodes"))
	require.Equal(t, "forbidden", w.as("viewer").do(unmapped, vars{"a": app}).code())

	entries := w.as("admin").must(
		`query($w: ID!) { workspace(id: $w) { auditLog(first: 20) { nodes { action subject detail } } } }`,
		vars{"w": w.workspace},
	)
	audit := fmt.Sprint(entries.Data)
	for _, action := range []string{
		"revenue_connection.create", "revenue_connection.add_secret", "revenue_connection.remove_secret",
		"revenue_connection.archive", "revenue_connection.test", "revenue.map",
	} {
		require.Contains(t, audit, action)
	}
	for _, shown := range []string{secret, next, "whsec_of_stripe_1234"} {
		require.NotContains(t, audit, shown)
		require.NotContains(t, w.log.String(), shown)
	}
}
