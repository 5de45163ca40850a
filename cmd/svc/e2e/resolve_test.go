package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

func example(t testing.TB, name string) map[string]any {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("..", "..", "..", "manifest", "examples", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	var manifest map[string]any
	if err := json.Unmarshal(content, &manifest); err != nil {
		t.Fatal(err)
	}
	return manifest
}

// resolver asks one server as an app of one person does, remembering tags.
type resolver struct {
	t            testing.TB
	address, key string
	tags         map[string]string
}

func (r *resolver) ask(channel, user string, headers ...string) Answer {
	r.t.Helper()
	headers = append([]string{"Authorization", "Bearer " + r.key, "X-Svc-Channel", channel}, headers...)
	answer, err := Do(
		http.DefaultClient, http.MethodPost, r.address+"/v1/sdk/resolve",
		map[string]any{"identity": map[string]any{"appUserId": user}}, headers...,
	)
	if err != nil {
		r.t.Fatal(err)
	}
	return answer
}

// again asks with the tag of the last full answer for the channel and tells
// whether the server said 304.
func (r *resolver) again(channel, user string) (unchanged bool, answer Answer) {
	r.t.Helper()
	answer = r.ask(channel, user, "If-None-Match", r.tags[channel])
	switch answer.Status {
	case http.StatusNotModified:
		if len(answer.Body) != 0 || answer.Header.Get("ETag") != r.tags[channel] {
			r.t.Fatalf(
				"304 with %d bytes and tag %s, want none and %s", len(answer.Body), answer.Header.Get("ETag"), r.tags[channel],
			)
		}
		return true, answer
	case http.StatusOK:
		r.tags[channel] = answer.Header.Get("ETag")
		return false, answer
	}
	r.t.Fatalf("resolve answered %d %s", answer.Status, answer.Body)
	return false, answer
}

func version(t testing.TB, answer Answer) string {
	t.Helper()
	var body struct{ VersionID string }
	answer.Decode(t, &body)
	return body.VersionID
}

func TestResolveFollowsWhatIsAuthored(t *testing.T) {
	d := StartDev(t, nil, "--demo=none")
	studio := d.SignIn(t, d.BaseURL)
	app := d.Apps[0]
	live := app.Environments["live"]
	r := &resolver{t: t, address: d.BaseURL, key: live.PublishableKey, tags: map[string]string{}}
	wrongKey := &resolver{t: t, address: d.BaseURL, key: app.Environments["test"].PublishableKey}

	channel := studio.CreateChannel(app.ID, "Onboarding")
	flow, first := studio.Publish(app.ID, "Plants", example(t, "branching-onboarding"))
	second := studio.PublishAgain(flow)

	conditions := []struct {
		name   string
		answer Answer
		status int
		code   string
	}{
		{"unassigned", r.ask(channel, "u"), 404, "channel_unassigned"},
		{"unknown channel", r.ask("ch_live_nothere", "u"), 404, "channel_not_found"},
		{"blank channel", r.ask(" ", "u"), 400, "channel_required"},
		{"key of the other environment", wrongKey.ask(channel, "u"), 404, "channel_not_found"},
		{
			"unknown key", (&resolver{t: t, address: d.BaseURL, key: "ob_pk_live_nobody"}).ask(channel, "u"), 401, "invalid_key",
		},
		{"no person", r.ask(channel, ""), 400, "invalid_request"},
	}
	for _, c := range conditions {
		if c.answer.Status != c.status || c.answer.Code() != c.code {
			t.Errorf("%s: answered %d %s, want %d %s", c.name, c.answer.Status, c.answer.Body, c.status, c.code)
		}
	}

	// A pin is served when its mutation returns, then unchanged, until something
	// that anyone may get changes.
	studio.Pin(channel, first)
	if unchanged, answer := r.again(channel, "u"); unchanged || version(t, answer) != first {
		t.Fatal("the first answer after the pin is the pinned version")
	}
	still := func(when string, want bool) Answer {
		t.Helper()
		unchanged, answer := r.again(channel, "u")
		if unchanged != want {
			t.Fatalf("%s: 304 is %v, want %v", when, unchanged, want)
		}
		return answer
	}
	still("nothing changed", true)
	studio.PublishAgain(flow)
	still("publishing alone changes nothing", true)
	studio.Pin(channel, second)
	if got := version(t, still("another version was pinned", false)); got != second {
		t.Fatalf("serves %s, want %s", got, second)
	}
	still("nothing changed", true)
	studio.Query(`mutation($a: ID!, $b: JSON!) { updateBranding(input: {appId: $a, branding: $b}) { id } }`, map[string]any{
		"a": app.ID,
		"b": map[string]any{
			"colorPresets": []any{
				map[string]any{"id": "11111111-1111-4111-8111-111111111111", "name": "Leaf", "value": "#2f855a"},
			},
			"gradientPresets": []any{}, "fontFamilies": []any{},
		},
	}, nil)
	still("branding changed", false)
	still("nothing changed", true)
	studio.Query(
		`mutation($a: ID!) { updateIntegrations(input: {appId: $a, stripe: {enabled: true}}) { id } }`,
		map[string]any{"a": app.ID}, nil,
	)
	still("integrations changed", false)

	studio.Query(
		`mutation($c: ChannelID!) { archiveChannel(input: {id: $c, confirmName: "Onboarding"}) { id } }`,
		map[string]any{"c": channel}, nil,
	)
	if answer := r.ask(channel, "u"); answer.Status != 410 || answer.Code() != "channel_archived" {
		t.Fatalf("archived: %d %s", answer.Status, answer.Body)
	}

	var stored int
	query(
		t, d,
		`select (select count(*) from product_event) + (select count(*) from flow_event) + (select count(*)
			from product_session)`,
		&stored,
	)
	if stored != 0 {
		t.Fatalf("resolving left %d rows; it must leave no trace", stored)
	}
}

func TestExperimentArms(t *testing.T) {
	d := StartDev(t, nil, "--demo=none")
	studio := d.SignIn(t, d.BaseURL)
	app := d.Apps[0]
	r := &resolver{t: t, address: d.BaseURL, key: app.Environments["live"].PublishableKey, tags: map[string]string{}}
	channel := studio.CreateChannel(app.ID, "Split")
	flow, a := studio.Publish(app.ID, "Plants", example(t, "branching-onboarding"))
	b := studio.PublishAgain(flow)

	start := func(one, two string) (experiment string, variants []string) {
		return studio.StartExperiment(channel, one, two)
	}

	experiment, variants := start(a, b)
	served := map[string]string{} // person to version
	for i := range 40 {
		person := fmt.Sprintf("person-%d", i)
		served[person] = version(t, r.ask(channel, person))
	}
	arms := map[string]int{}
	for person, got := range served {
		arms[got]++
		if again := version(t, r.ask(channel, person)); again != got {
			t.Fatalf("%s changed arms: %s, then %s", person, got, again)
		}
	}
	if len(arms) != 2 || arms[a] < 8 || arms[b] < 8 {
		t.Fatalf("40 people over two equal arms: %v", arms)
	}
	// A tag of one arm never hides the other from another person.
	var ofA, ofB string
	for person, got := range served {
		if got == a {
			ofA = person
		} else {
			ofB = person
		}
	}
	if unchanged, _ := r.again(channel, ofA); unchanged {
		t.Fatal("first answer is whole")
	}
	if unchanged, _ := r.again(channel, ofA); !unchanged {
		t.Fatal("the same person with the same arm gets 304")
	}
	if unchanged, answer := r.again(channel, ofB); unchanged || version(t, answer) != b {
		t.Fatal("the other person gets the other arm whole")
	}

	studio.Query(
		`mutation($e: ID!, $v: ID!) { promoteExperiment(input: {id: $e, variantId: $v}) { status } }`,
		map[string]any{"e": experiment, "v": variants[1]}, nil,
	)
	if got := version(t, r.ask(channel, ofA)); got != b {
		t.Fatalf("after the promotion everybody gets %s, not %s", b, got)
	}

	// Two arms on one version: a tag can't tell them apart, so there is no 304.
	start(a, a)
	for range 3 {
		if unchanged, _ := r.again(channel, ofA); unchanged {
			t.Fatal("304 while two arms serve one version")
		}
	}
}

func TestAPinReachesASecondServerWithoutItsListener(t *testing.T) {
	d := StartDev(t, nil, "--demo=none")
	studio := d.SignIn(t, d.BaseURL)
	app := d.Apps[0]
	channel := studio.CreateChannel(app.ID, "Onboarding")
	flow, current := studio.Publish(app.ID, "Plants", example(t, "branching-onboarding"))
	studio.Pin(channel, current)
	_, address := d.Serve(t)
	r := &resolver{t: t, address: address, key: app.Environments["live"].PublishableKey}
	for _, kill := range []bool{false, true} {
		if kill {
			var killed int
			query(t, d, `select count(pg_terminate_backend(pid)) from pg_stat_activity where query ilike 'listen%'`, &killed)
			if killed < 2 {
				t.Fatalf("found %d listening connections, want one a server", killed)
			}
		}
		current = studio.PublishAgain(flow)
		studio.Pin(channel, current)
		if got := version(t, (&resolver{t: t, address: d.BaseURL, key: r.key}).ask(channel, "u")); got != current {
			t.Fatalf("the answering server serves %s, want %s at once", got, current)
		}
		Until(t, time.Second, "the second server serves the pin", func() error {
			if got := version(t, r.ask(channel, "u")); got != current {
				return fmt.Errorf("serves %s, want %s", got, current)
			}
			return nil
		})
	}
}

// A key that one server made opens the other at the first request, whether or
// not the other has heard of it.
func TestANewKeyOpensASecondServerAtOnce(t *testing.T) {
	d := StartDev(t, nil, "--demo=none")
	studio := d.SignIn(t, d.BaseURL)
	app := d.Apps[0]
	channel := studio.CreateChannel(app.ID, "Onboarding")
	_, current := studio.Publish(app.ID, "Plants", example(t, "branching-onboarding"))
	studio.Pin(channel, current)
	_, address := d.Serve(t)
	for i := range 6 {
		if i%2 == 1 { // so that no news can be there before the request
			var killed int
			query(t, d, `select count(pg_terminate_backend(pid)) from pg_stat_activity where query ilike 'listen%'`, &killed)
		}
		var made struct {
			RotatePublishableKey struct{ Key string }
		}
		studio.Query(
			`mutation($a: ID!) { rotatePublishableKey(input: {appId: $a, environment: LIVE}) { key } }`,
			map[string]any{"a": app.ID}, &made,
		)
		r := &resolver{t: t, address: address, key: made.RotatePublishableKey.Key}
		if got := version(t, r.ask(channel, "u")); got != current {
			t.Fatalf("the second server serves %s to a new key, want %s", got, current)
		}
	}
}

// query reads one row from the server's database.
func query(t testing.TB, d *Dev, sql string, into ...any) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	conn, err := pgx.Connect(ctx, d.DatabaseURL)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx)
	if err := conn.QueryRow(ctx, sql).Scan(into...); err != nil {
		t.Fatal(err)
	}
}
