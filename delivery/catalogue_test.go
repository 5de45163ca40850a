package delivery_test

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/account/plan"
	"github.com/svc-dev/svc/delivery"
	"github.com/svc-dev/svc/delivery/deliverytest"
	"github.com/svc-dev/svc/postgres"
	"github.com/svc-dev/svc/postgres/pgtest"
)

const mediaBase = "https://svc.example.com"

// started returns a catalogue on db that follows it until the test ends.
func started(t testing.TB, db *postgres.DB, reread time.Duration) *delivery.Catalogue {
	t.Helper()
	c := delivery.New(
		db.Pool, delivery.Options{MediaBase: mediaBase + "/", Reread: reread, Logger: slog.New(slog.DiscardHandler)},
	)
	require.NoError(t, c.Start(context.Background()))
	t.Cleanup(func() { require.NoError(t, c.Stop(context.Background())) })
	return c
}

// resolve returns what the REST handler does with a catalogue.
func resolve(c *delivery.Catalogue, key, channelID, user string) (*delivery.Answer, delivery.Condition) {
	snapshot := c.Snapshot()
	tenant := snapshot.Tenant(key)
	if tenant == nil {
		return nil, "invalid_key"
	}
	channel, condition := snapshot.Channel(tenant, channelID)
	if condition != "" {
		return nil, condition
	}
	if channel.Archived {
		return nil, delivery.ChannelArchived
	}
	return channel.Resolve(user, "")
}

func condition(c *delivery.Catalogue, key, channelID string) delivery.Condition {
	_, found := resolve(c, key, channelID, "dev-1")
	return found
}

func document(t testing.TB, answer *delivery.Answer) delivery.Document {
	t.Helper()
	var text bytes.Buffer
	require.NoError(t, answer.Body.Write(&text, false))
	var d delivery.Document
	require.NoError(t, json.Unmarshal(text.Bytes(), &d))
	return d
}

// served returns the version that a channel serves to a person; Nil for none.
func served(t testing.TB, c *delivery.Catalogue, key, channelID string) uuid.UUID {
	t.Helper()
	answer, found := resolve(c, key, channelID, "dev-1")
	if found != "" {
		return uuid.Nil
	}
	return document(t, answer).VersionID
}

func eventually(t testing.TB, within time.Duration, what string, true func() bool) {
	t.Helper()
	deadline := time.Now().Add(within)
	for !true() {
		if time.Now().After(deadline) {
			t.Fatalf("not within %s: %s", within, what)
		}
		time.Sleep(2 * time.Millisecond)
	}
}

func TestConditionsFromTheDatabase(t *testing.T) {
	db := pgtest.New(t)
	app, other := deliverytest.NewApp(t, db.Pool), deliverytest.NewApp(t, db.Pool)
	version := app.Publish()
	foreign := other.Publish()
	pinned, unassigned, archived := app.Live.Pinned(version), app.Live.Channel(), app.Live.Pinned(version)
	archived.Archive()
	gone := app.Live.Channel()
	app.Exec("update channels set assignment = 'direct' where id = $1", gone.ID)
	crossed := app.Live.Pinned(foreign)
	split := map[string]deliverytest.Channel{}
	for _, status := range []string{"draft", "running", "pending_decision", "stopped"} {
		split[status] = app.Live.Channel()
		split[status].Experiment(
			status, deliverytest.Arm{Key: "a", Weight: 1, Version: version},
			deliverytest.Arm{Key: "b", Weight: 1, Version: version},
		)
	}
	armless, versionless := app.Live.Channel(), app.Live.Channel()
	armless.Experiment("running")
	versionless.Experiment("running", deliverytest.Arm{Key: "a", Weight: 1})
	broken := app.Live.Pinned(app.PublishManifest(`{"flowId":`, 0))
	testChannel := app.Test.Pinned(version)
	revoked := deliverytest.NewApp(t, db.Pool)
	revoked.Live.Revoke()
	away := deliverytest.NewApp(t, db.Pool)
	away.Exec("update apps set archived_at = now() where id = $1", away.ID)

	c := started(t, db, time.Minute)
	for _, tc := range []struct {
		name, key, channel string
		want               delivery.Condition
	}{
		{"pinned", app.Live.Key, pinned.PublicID, ""},
		{"unknown channel", app.Live.Key, "ch_live_nothing", delivery.ChannelNotFound},
		{"key of the other environment", app.Test.Key, pinned.PublicID, delivery.ChannelNotFound},
		{"channel of the other environment", app.Live.Key, testChannel.PublicID, delivery.ChannelNotFound},
		{"channel of another app", other.Live.Key, pinned.PublicID, delivery.ChannelNotFound},
		{"unassigned", app.Live.Key, unassigned.PublicID, delivery.ChannelUnassigned},
		{"archived", app.Live.Key, archived.PublicID, delivery.ChannelArchived},
		{"version gone", app.Live.Key, gone.PublicID, delivery.VersionMissing},
		{"version of another app", app.Live.Key, crossed.PublicID, delivery.VersionMissing},
		{"version that can't be read", app.Live.Key, broken.PublicID, delivery.VersionMissing},
		{"draft", app.Live.Key, split["draft"].PublicID, delivery.ExperimentNotRunning},
		{"running", app.Live.Key, split["running"].PublicID, ""},
		{"pending decision", app.Live.Key, split["pending_decision"].PublicID, ""},
		{"stopped", app.Live.Key, split["stopped"].PublicID, delivery.ExperimentNotRunning},
		{"no arms", app.Live.Key, armless.PublicID, delivery.ExperimentNotRunning},
		{"arm without version", app.Live.Key, versionless.PublicID, delivery.VariantPinInvalid},
		{"revoked key", revoked.Live.Key, pinned.PublicID, "invalid_key"},
		{"archived app", away.Live.Key, pinned.PublicID, "invalid_key"},
		{"unknown key", "ob_pk_live_unknown", pinned.PublicID, "invalid_key"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			require.Equal(t, tc.want, condition(c, tc.key, tc.channel))
		})
	}
	require.Equal(t, version.ID, served(t, c, app.Test.Key, testChannel.PublicID))
}

func TestDocumentFromTheDatabase(t *testing.T) {
	db := pgtest.New(t)
	app, other := deliverytest.NewApp(t, db.Pool), deliverytest.NewApp(t, db.Pool)
	asset := func(app *deliverytest.App, extension string) uuid.UUID {
		id := uuid.Must(uuid.NewV7())
		app.Exec(`insert into media_assets (id, type, content_type, size_bytes, sha256, extension, workspace_id)
			values ($1, 'image', 'image/png', 1, $2, $3, $4)`, id, "abc"+id.String()[32:], extension, app.WorkspaceID)
		return id
	}
	image, bare, foreign, font, unknown := asset(app, "png"), asset(app, ""), asset(other, "png"), asset(app, "woff2"), uuid.New()
	upper := strings.ToUpper(image.String())
	layers := ""
	for i, id := range []string{image.String(), bare.String(), foreign.String(), unknown.String(), upper} {
		layers += `,{"id":"lyr_` + string(rune('m'+i)) + `","kind":"image","media":{"mediaAssetId":"` + id + `"}}`
	}
	flow := uuid.New()
	text := strings.Replace(deliverytest.Manifest(flow, 1, 0), `}],"direction"`, "}"+layers+`],"direction"`, 1)
	version := app.PublishManifest(text, 0)
	channel := app.Live.Pinned(version)
	app.Exec(
		`update apps set integrations = '{"stripe": {"enabled": true}, "later": 1}',
			allowed_origins = '["https://a.example"]', ignore_bots = false where id = $1`,
		app.ID,
	)
	app.Exec(`insert into brandings (id, data, app_id) values ($1, $2, $3)`, uuid.New(),
		`{"colorPresets": null, "fontFamilies": [{"id": "x", "name": "Inter", "styles": [{"id": "y", "weight": 400, "mediaAssetId": "`+font.String()+`"}, {"id": "z", "weight": 700, "mediaAssetId": "`+foreign.String()+`"}]}, {"id": "w", "name": "None"}]}`, app.ID)

	c := started(t, db, time.Minute)
	answer, found := resolve(c, app.Live.Key, channel.PublicID, "dev-1")
	require.Empty(t, found)
	d := document(t, answer)
	require.Equal(t, delivery.KindFlow, d.Kind)
	require.Equal(t, version.FlowID, d.FlowID)
	require.Equal(t, "live", d.Environment)
	require.JSONEq(t, text, string(d.Manifest))
	sent := func(id uuid.UUID, extension string) string {
		return mediaBase + "/media/abc" + id.String()[32:] + extension
	}
	require.Equal(t, map[string]string{
		image.String(): sent(image, ".png"), upper: sent(image, ".png"), bare.String(): sent(bare, ""),
	}, d.MediaMap)
	require.True(t, d.Integrations.Stripe.Enabled)
	require.True(t, d.Features.Attribution)
	require.JSONEq(t, `{"colorPresets": [], "gradientPresets": [], "fontFamilies": [
		{"id": "x", "name": "Inter", "styles": [
			{"id": "y", "weight": 400, "mediaAssetId": "`+font.String()+`", "url": "`+sent(font, ".woff2")+`"},
			{"id": "z", "weight": 700, "mediaAssetId": "`+foreign.String()+`"}]},
		{"id": "w", "name": "None", "styles": []}]}`, string(d.Branding))

	tenant := c.Snapshot().Tenant(app.Live.Key)
	require.True(t, tenant.AllowsOrigin("https://a.example"))
	require.False(t, tenant.AllowsOrigin("https://b.example"))
	require.False(t, tenant.IgnoreBots)
	require.Equal(t, app.WorkspaceID, tenant.WorkspaceID)
	require.True(t, c.Snapshot().Tenant(other.Live.Key).AllowsOrigin("https://b.example"), "an empty list means any")
}

// A plan decides what a manifest is cut to and what clients may do.
func TestPlanSlices(t *testing.T) {
	db := pgtest.New(t)
	app := deliverytest.NewApp(t, db.Pool)
	text := strings.Replace(
		deliverytest.Manifest(uuid.New(), 1, 0), `{"default":"Version "}`,
		`{"default":"Version ","translations":{"de":"Fassung"}}`, 1,
	)
	text = strings.Replace(text, `"locales":["en"]`, `"locales":["en","de"]`, 1)
	text = strings.Replace(
		text, `"id":"lyr_t",`,
		`"id":"lyr_t","restingMotions":[{"cycleDurationMs":2400,"durationMs":4000,"id":"float","loop":true,"preset":"translate"}],`,
		1,
	)
	text = strings.Replace(
		text, `"screens":[{`,
		`"screens":[{"animations":[{"delayMs":0,"durationMs":400,"id":"c1","targetLayerId":"lyr_t","tracks":[],"trigger":"mount"}],`,
		1,
	)
	channel := app.Live.Pinned(app.PublishManifest(text, 0))
	c := started(t, db, time.Minute)
	set := func(status, features string) delivery.Document {
		app.Exec(
			"insert into plans (key, name, features, limits) values ('cut', 'Cut', $1, '{\"live_mau\": 400}') on conflict "+
				"(key) do update set features = excluded.features",
			features,
		)
		app.Exec(`insert into subscriptions (id, status, past_due_since, plan_id, workspace_id)
			values ($1, $2, '2026-01-02T03:04:05Z', 'cut', $3)
			on conflict (workspace_id) do update set status = excluded.status`, uuid.New(), status, app.WorkspaceID)
		require.NoError(t, c.Refresh(context.Background(), app.ID))
		answer, found := resolve(c, app.Live.Key, channel.PublicID, "dev-1")
		require.Empty(t, found)
		return document(t, answer)
	}
	has := func(d delivery.Document) (animations, motion, translations bool) {
		text := string(d.Manifest)
		return strings.Contains(text, `"animations"`), strings.Contains(text, "restingMotions"), strings.Contains(text, "Fassung")
	}
	for _, tc := range []struct {
		features                                      string
		animations, motion, translations, attribution bool
	}{
		{`["animations","motion","translations","attribution"]`, true, true, true, true},
		{`["motion","translations"]`, false, true, true, false},
		{`["animations","translations"]`, false, false, true, false},
		{`["animations","motion"]`, true, true, false, false},
		{`[]`, false, false, false, false},
	} {
		d := set("active", tc.features)
		animations, motion, translations := has(d)
		require.Equal(
			t, []bool{tc.animations, tc.motion, tc.translations}, []bool{animations, motion, translations}, tc.features,
		)
		require.Equal(t, tc.attribution, d.Features.Attribution, tc.features)
		left := []delivery.Cut{}
		switch {
		case !tc.motion:
			left = append(left, delivery.CutMotion)
		case !tc.animations:
			left = append(left, delivery.CutAnimations)
		}
		if !tc.translations {
			left = append(left, delivery.CutTranslations)
		}
		require.Equal(t, left, c.Explain(channel.PublicID, "").Arm.LeftOut, tc.features)
	}
	all := `["animations","motion","translations","attribution"]`
	require.False(t, set("cancelled", all).Features.Attribution, "a cancelled subscription includes nothing")
	require.True(t, c.Snapshot().Tenant(app.Live.Key).Plan.PastDueSince.IsZero())
	require.True(t, set("past_due", all).Features.Attribution)
	bought := c.Snapshot().Tenant(app.Live.Key).Plan
	require.Equal(t, "cut", bought.Key)
	most, limited := bought.Limit(plan.LiveUsers)
	require.True(t, limited)
	require.EqualValues(t, 400, most)
	require.Equal(t, time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), bought.PastDueSince.UTC())
}

// A 304 is allowed as long as nobody's answer may have changed.
func TestNotModifiedAcrossChanges(t *testing.T) {
	db := pgtest.New(t)
	app := deliverytest.NewApp(t, db.Pool)
	first, second := app.Publish(), app.Publish()
	channel := app.Live.Pinned(first)
	c := started(t, db, time.Minute)
	tag := func(user string) string {
		require.NoError(t, c.Refresh(context.Background(), app.ID))
		answer, found := resolve(c, app.Live.Key, channel.PublicID, user)
		require.Empty(t, found)
		return answer.ETag
	}
	valid := func(user, tag string) bool {
		answer, found := resolve(c, app.Live.Key, channel.PublicID, user)
		require.Empty(t, found)
		return answer.NotModified([]string{tag})
	}
	before := tag("dev-1")
	require.True(t, valid("dev-1", before))
	require.True(t, valid("dev-2", before), "a pin serves everybody the same")

	channel.Pin(second)
	after := tag("dev-1")
	require.NotEqual(t, before, after)
	require.False(t, valid("dev-1", before), "after a pin")

	channel.Pin(first)
	again := tag("dev-1")
	require.NotEqual(t, before, again, "pinning back is a new assignment")

	app.Bump()
	branded := tag("dev-1")
	require.NotEqual(t, again, branded, "after a branding change")
	require.False(t, valid("dev-1", again))

	experiment := channel.Experiment("running",
		deliverytest.Arm{Key: "a", Weight: 1, Version: first}, deliverytest.Arm{Key: "b", Weight: 1, Version: second})
	users := map[string]string{}
	for _, user := range []string{"u1", "u2", "u3", "u4", "u5", "u6", "u7", "u8", "u9"} {
		users[experiment.Expected(user).Key] = user
	}
	require.Len(t, users, 2, "both arms need a user")
	a, b := tag(users["a"]), tag(users["b"])
	require.NotEqual(t, branded, a)
	require.True(t, valid(users["a"], a))
	require.False(t, valid(users["b"], a), "another user's arm")
	require.True(t, valid(users["b"], b))

	experiment.Status("pending_decision")
	pending := tag(users["a"])
	require.True(t, valid(users["a"], pending), "an experiment that waits for a decision goes on")

	channel.Experiment("running",
		deliverytest.Arm{Key: "a", Weight: 1, Version: first}, deliverytest.Arm{Key: "b", Weight: 1, Version: first})
	twin := tag("u1")
	require.False(t, valid("u1", twin), "two arms on one version: never 304")
}

func TestExperimentServesTheExpectedArm(t *testing.T) {
	db := pgtest.New(t)
	app := deliverytest.NewApp(t, db.Pool)
	channel := app.Live.Channel()
	experiment := channel.Experiment("running",
		deliverytest.Arm{Key: "control", Weight: 3, Version: app.Publish()},
		deliverytest.Arm{Key: "off", Weight: 0, Version: app.Publish()},
		deliverytest.Arm{Key: "treatment", Weight: 1, Version: app.Publish()})
	c := started(t, db, time.Minute)
	for i := range 200 {
		user := "user-" + string(rune('a'+i%26)) + strings.Repeat("x", i/26)
		answer, found := resolve(c, app.Live.Key, channel.PublicID, user)
		require.Empty(t, found)
		d, want := document(t, answer), experiment.Expected(user)
		require.NotEqual(t, "off", want.Key)
		require.Equal(t, want.Version.ID, d.VersionID)
		require.Equal(t, experiment.ID, *d.ExperimentID)
		require.Equal(t, want.ID.String(), *d.VariantID)
		require.Equal(
			t, delivery.Experiment{ID: experiment.ID, VariantKey: want.Key, VariantID: want.ID.String()}, *d.Experiment,
		)
	}
}

// A thousand channels on one version of 20 kB cost far less than a thousand
// copies of it.
func TestChannelsShareTheirVersion(t *testing.T) {
	db := pgtest.New(t)
	app := deliverytest.NewApp(t, db.Pool)
	version := app.PublishManifest("", 20_000)
	app.Exec(`insert into channels (public_id, name, updated_at, environment_id, assignment, flow_version_id)
		select 'ch_live_' || i, 'Channel', now(), $1, 'direct', $2 from generate_series(1, 1000) i`, app.Live.ID, version.ID)
	before := heap()
	c := started(t, db, time.Hour)
	require.Len(t, c.Snapshot().Tenant(app.Live.Key).Channels, 1000)
	// A catalogue reads everything again once it listens for changes: what that needs for a moment is not what it keeps.
	var grown int64
	eventually(t, 10*time.Second, "the heap has grown by less than 2 MiB", func() bool {
		grown = heap() - before
		return grown < 2<<20
	})
	t.Logf("1,000 channels on one 20 kB version: %d kB", grown>>10)
	runtime.KeepAlive(c)
}

func heap() int64 {
	runtime.GC()
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int64(stats.HeapAlloc)
}
