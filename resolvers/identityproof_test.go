package resolvers_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/people/proof"
)

// A secret is shown once, proves at once on this server, and is in no answer, log or export afterwards.
func TestProofOfCustomUserIDsIsSetByEnvironment(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	app := w.shop()
	admin, live := w.as("admin"), w.environment(app)
	publishable := admin.text(`query($a: ID!) { app(id: $a) { environment { publishableKeys { nodes { key } } } } }`,
		vars{"a": app}, "app", "environment", "publishableKeys", "nodes", 0, "key")
	rule := func() proof.Rule { return w.catalogue.Snapshot().Tenant(publishable).Proof }
	const fields = `{ mode secrets { createdAt } days { day proved missing wrong } }`
	set := func(mode string, dry bool) answer {
		return admin.do(`mutation($i: SetIdentityProofInput!) { setIdentityProof(input: $i) `+fields+` }`,
			vars{"i": vars{"appId": app, "environment": "LIVE", "mode": mode, "dryRun": dry}})
	}
	rotate := func(dry bool) (string, int) {
		made := admin.must(`mutation($i: IdentitySecretInput!) {
			rotateIdentitySecret(input: $i) { secret identityProof { secrets { createdAt } } } }`,
			vars{"i": vars{"appId": app, "environment": "LIVE", "dryRun": dry}})
		secrets := made.at(t, "rotateIdentitySecret", "identityProof", "secrets").([]any)
		return made.at(t, "rotateIdentitySecret", "secret").(string), len(secrets)
	}
	read := func() map[string]any {
		return w.as("viewer").must(`query($a: ID!) { app(id: $a) { environment { identityProof `+fields+` } } }`, vars{"a": app}).
			at(t, "app", "environment", "identityProof").(map[string]any)
	}
	require.Equal(t, map[string]any{"mode": "OFF", "secrets": []any{}, "days": []any{}}, read())
	require.Equal(t, "conflict", set("REQUIRED", false).code(), "nothing could be proved")
	tried, kept := rotate(true)
	require.Empty(t, tried)
	require.Equal(t, 1, kept, "what would be")
	require.Empty(t, read()["secrets"])

	var secrets []string
	for i, n := range []int{1, 2, 2} {
		text, kept := rotate(false)
		require.Equal(t, n, kept, i)
		secrets = append(secrets, text)
	}
	proves := func() (proved []int) {
		for i, text := range secrets {
			secret, err := proof.ParseSecret(text)
			require.NoError(t, err)
			if rule().Check("vic", secret.Sign("vic")) == proof.Proved {
				proved = append(proved, i)
			}
		}
		return proved
	}
	require.Equal(t, []int{1, 2}, proves(), "two at once, and the oldest no longer")
	require.Empty(t, set("REQUIRED", true).Errors)
	require.Equal(t, proof.Off, rule().Mode)
	require.Empty(t, set("REQUIRED", false).Errors)
	require.Equal(t, proof.Required, rule().Mode)
	admin.must(`mutation($a: ID!) { retireIdentitySecret(input: {appId: $a, environment: LIVE}) { mode } }`, vars{"a": app})
	require.Equal(t, []int{2}, proves())

	counter := proof.NewCounter(w.db.Pool, proof.Options{})
	for _, outcome := range []proof.Outcome{proof.Proved, proof.Proved, proof.Missing, proof.Wrong} {
		counter.Note(live, outcome)
	}
	before := func() time.Time { return time.Now().AddDate(0, 0, -proof.DaysShown) }
	old := proof.NewCounter(w.db.Pool, proof.Options{Now: before})
	old.Note(live, proof.Wrong)
	require.NoError(t, counter.Write(t.Context()))
	require.NoError(t, old.Write(t.Context()))
	days := read()["days"].([]any)
	require.Len(t, days, 1)
	require.Equal(t, "2 1 1", fmt.Sprintf("%[1]v %[2]v %[3]v", days[0].(map[string]any)["proved"],
		days[0].(map[string]any)["missing"], days[0].(map[string]any)["wrong"]))

	audit := fmt.Sprint(admin.must(`query($w: ID!) { workspace(id: $w) {
		auditLog(first: 20) { nodes { action subject detail } } } }`, vars{"w": w.workspace}).Data)
	for _, action := range []string{"identity_proof.update", "identity_proof.rotate_secret", "identity_proof.retire_secret"} {
		require.Contains(t, audit, action)
	}
	var database string
	require.NoError(t, w.db.Pool.QueryRow(t.Context(), `select string_agg(s::text, ' ') from identity_secret s`).Scan(&database))
	for _, secret := range secrets {
		for _, place := range []string{audit, w.log.String(), database, fmt.Sprint(read())} {
			require.NotContains(t, place, strings.TrimPrefix(secret, "svc_ids_"))
		}
	}
	// The test environment has a rule of its own.
	other := admin.must(`query($a: ID!) { app(id: $a) { environment(kind: TEST) { identityProof { mode secrets { createdAt } } } } }`,
		vars{"a": app}).at(t, "app", "environment", "identityProof")
	require.Equal(t, map[string]any{"mode": "OFF", "secrets": []any{}}, other)
}
