package sdkapi_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/delivery"
	"github.com/svc-dev/svc/internal/seal"
	"github.com/svc-dev/svc/people/proof"
	"github.com/svc-dev/svc/sdkapi"
)

// outcomes counts by environment.
type outcomes struct {
	mu   sync.Mutex
	seen map[int64][3]int
}

func (o *outcomes) Note(environmentID int64, outcome proof.Outcome) {
	o.mu.Lock()
	defer o.mu.Unlock()
	counts := o.seen[environmentID]
	counts[outcome]++
	o.seen[environmentID] = counts
}

// proving is a world whose live environment has secrets.
type proving struct {
	*world
	ring    *seal.Ring
	counted *outcomes
}

func newProving(t *testing.T) *proving {
	ring, err := seal.NewRing(seal.Key{ID: "k", Secret: make([]byte, seal.KeySize)})
	require.NoError(t, err)
	w := &proving{newWorld(t), ring, &outcomes{seen: map[int64][3]int{}}}
	w.catalogue = delivery.New(w.pool, delivery.Options{Ring: ring})
	stores := w.stores()
	stores.Proofs = w.counted
	keys := &keyring{keys: map[string]uuid.UUID{"ours": w.app.WorkspaceID}}
	w.refresh()
	w.server.Config.Handler = sdkapi.New(w.catalogue, stores, sdkapi.Config{ServerKeys: keys}).Handler()
	return w
}

// mode sets the mode of the live environment.
func (w *proving) mode(mode proof.Mode) {
	w.app.Exec(`insert into identity_proof (environment_id, mode) values ($1, $2)
		on conflict (environment_id) do update set mode = $2`, w.app.Live.ID, mode)
	w.refresh()
}

// secret adds a secret of the live environment.
func (w *proving) secret() (proof.Secret, uuid.UUID) {
	secret, id := proof.NewSecret(), uuid.Must(uuid.NewV7())
	keyID, sealed, err := secret.Seal(w.ring, id)
	require.NoError(w.t, err)
	w.app.Exec(`insert into identity_secret (id, environment_id, key_id, sealed) values ($1, $2, $3, $4)`,
		id, w.app.Live.ID, keyID, sealed)
	w.refresh()
	return secret, id
}

// named sends events that name a custom user id in every place, and returns the ids that were taken.
func (w *proving) named(custom, signed string, changes ...change) (taken []string, unproved bool) {
	w.t.Helper()
	members := fmt.Sprintf(`"customUserId":%q,"customUserIdProof":%q`, custom, signed)
	now := time.Now().UTC().Format(time.RFC3339)
	event := func(members string) string {
		return fmt.Sprintf(`{"eventId":%q,"name":"e","timestamp":%q,"appUserId":"d"%s}`,
			uuid.NewString(), now, members)
	}
	flow := func(members string) string {
		return fmt.Sprintf(`{"events":[{"eventId":%q,"name":"flow_started","timestamp":%q,"flowId":%q,
			"versionId":%q,"identity":{"appUserId":"d",%s}}]}`, uuid.NewString(), now, uuid.NewString(), uuid.NewString(), members)
	}
	for _, request := range []struct{ path, body string }{
		{"/v1/sdk/track", event("," + members)},
		{"/v1/sdk/track", event(`,"identity":{` + members + `}`)},
		{"/v1/sdk/track", `{"events":[` + event("") + `],` + members + `}`},
		{"/v1/sdk/analytics/events", `{"events":[` + event("") + `],"identity":{"appUserId":"d",` + members + `}}`},
		{"/v1/sdk/analytics/events", `{"events":[` + event(","+members) + `,` + event(","+members) + `]}`},
		{"/v1/sdk/events", flow(members)},
	} {
		x := w.send(request.path, request.body, changes...)
		var answer struct {
			Stored   int
			Unproved bool
		}
		require.NoError(w.t, json.Unmarshal(x.body, &answer))
		require.Equal(w.t, http.StatusOK, x.status, "%s", x.body)
		require.Positive(w.t, answer.Stored, "%s", x.body)
		first := len(taken) == 0
		taken = append(taken, w.events.named()...)
		require.True(w.t, first || unproved == answer.Unproved, "all paths say the same")
		unproved = answer.Unproved
	}
	return taken, unproved
}

func TestWhatUnprovedCustomUserIDsDoByMode(t *testing.T) {
	w := newProving(t)
	secret, _ := w.secret()
	signed := secret.Sign("vic")
	taken := func(id string) []string { return []string{id, id, id, id, id, id, id} }
	for _, c := range []struct {
		mode         proof.Mode
		id, sent     string
		server       bool
		taken        string
		refused      bool
		counted      proof.Outcome
		countedTimes int
	}{
		{proof.Off, "vic", "", false, "vic", false, proof.Missing, 0},
		{proof.Off, "vic", signed, false, "vic", false, proof.Proved, 0},
		{proof.Watch, "vic", "", false, "vic", false, proof.Missing, 9},
		{proof.Watch, "ben", signed, false, "ben", false, proof.Wrong, 9},
		{proof.Watch, "vic", signed, false, "vic", false, proof.Proved, 9},
		{proof.Required, "vic", "", false, "", true, proof.Missing, 9},
		{proof.Required, "ben", signed, false, "", true, proof.Wrong, 9},
		{proof.Required, "vic", strings.ToUpper(signed), false, "", true, proof.Wrong, 9},
		{proof.Required, "vic", signed, false, "vic", false, proof.Proved, 9},
		{proof.Required, "anybody", "", true, "anybody", false, proof.Missing, 0},
	} {
		name := fmt.Sprint(c.mode, " ", c.id, " ", len(c.sent), " ", c.server)
		w.mode(c.mode)
		w.counted.seen = map[int64][3]int{}
		var changes []change
		if c.server {
			changes = append(changes, header("X-Svc-Server-Key", "ours"))
		}
		ids, unproved := w.named(c.id, c.sent, changes...)
		require.Equal(t, taken(c.taken), ids, name)
		require.Equal(t, c.refused, unproved, name)
		for _, path := range []string{"/v1/sdk/resolve", "/v1/sdk/resolve-all"} {
			x := w.send(path, fmt.Sprintf(`{"identity":{"appUserId":"d","customUserId":%q,"customUserIdProof":%q}}`, c.id, c.sent),
				changes...)
			require.Equal(t, http.StatusOK, x.status, name)
			require.Equal(t, c.refused, x.header.Get("X-Svc-Unproved") == "true", name)
		}
		answer := w.identified(fmt.Sprintf(`{"appUserId":%q,"customUserId":%q,"customUserIdProof":%q}`, "of "+name, c.id, c.sent),
			changes...)
		require.Equal(t, c.refused, answer["unproved"] == true, name)
		var linked int
		require.NoError(t, w.pool.QueryRow(t.Context(), `
			select count(*) from person_device d join person p on p.id = d.person_id and p.environment_id = d.environment_id
			where d.app_user_id = $1 and p.custom_user_id = $2`, "of "+name, c.taken).Scan(&linked))
		require.Equal(t, 1, linked, name)
		want := map[int64][3]int{}
		if c.countedTimes > 0 {
			counts := [3]int{}
			counts[c.counted] = c.countedTimes
			want[w.app.Live.ID] = counts
		}
		require.Equal(t, want, w.counted.seen, name)
	}
}

// With proof a device is told what is known and may replace it; without it, nothing of the person changes and nothing
// is told, whoever named the id first.
func TestAProofOpensAPersonAndNothingElseDoes(t *testing.T) {
	w := newProving(t)
	secret, _ := w.secret()
	// A stranger takes the id before its owner comes, while nothing is required.
	w.identified(`{"appUserId":"squatter","customUserId":"vic","email":"evil@x.de","marketingConsent":"granted"}`)
	w.mode(proof.Required)
	owner := fmt.Sprintf(`{"appUserId":"phone","customUserId":"vic","customUserIdProof":%q,"email":"vic@x.de",
		"marketingConsent":"denied","topicConsents":{"news":"denied"}}`, secret.Sign("vic"))
	answer := w.identified(owner)
	require.Equal(t, true, answer["merged"], "the owner may know")
	require.NotContains(t, answer, "unproved")
	email := func() (email, consent string) {
		require.NoError(t, w.pool.QueryRow(t.Context(), `select email, marketing_consent from person where custom_user_id = 'vic'`).
			Scan(&email, &consent))
		return email, consent
	}
	for _, attack := range []string{
		`{"appUserId":"squatter","email":"evil@x.de","marketingConsent":"granted"}`,
		`{"appUserId":"squatter","customUserId":"vic","email":"evil@x.de","marketingConsent":"granted"}`,
		`{"appUserId":"stranger","customUserId":"vic","email":"evil@x.de","marketingConsent":"granted"}`,
		`{"appUserId":"stranger","customUserId":"vic","customUserIdProof":"","email":"evil@x.de","marketingConsent":"granted"}`,
		`{"appUserId":"stranger","customUserId":"vic","customUserIdProof":"` + secret.Sign("stranger") + `","email":"evil@x.de","marketingConsent":"granted"}`,
		`{"appUserId":"stranger","customUserId":"vic","customUserIdProof":"` + secret.String() + `","email":"evil@x.de","marketingConsent":"granted"}`,
		`{"appUserId":"phone","email":"evil@x.de","marketingConsent":"granted"}`,
	} {
		answer := w.identified(attack)
		require.Equal(t, false, answer["merged"], attack)
		require.Equal(t, "evil@x.de", answer["email"], "the answer repeats the request")
		require.Empty(t, answer["topicConsents"], attack)
		address, consent := email()
		require.Equal(t, "vic@x.de denied", address+" "+consent, attack)
	}
	// The proof of one environment is none in the other.
	w.app.Exec(`insert into identity_proof (environment_id, mode) values ($1, 'required')`, w.app.Test.ID)
	w.refresh()
	answer = w.identified(owner, header("Authorization", "Bearer "+w.app.Test.Key))
	require.Equal(t, true, answer["unproved"])
	// A proof that is no text is a mistake of the program that sends it.
	x := w.send(identify, `{"appUserId":"phone","customUserId":"vic","customUserIdProof":7}`)
	require.Equal(t, http.StatusBadRequest, x.status)
}

// While a secret is replaced both prove; afterwards the old one does not. A server that can't decrypt lets nothing in.
func TestSecretsAreReplacedWithoutAGap(t *testing.T) {
	w := newProving(t)
	old, id := w.secret()
	w.mode(proof.Required)
	is := func(signed string, refused bool) {
		t.Helper()
		_, unproved := w.named("vic", signed)
		require.Equal(t, refused, unproved)
	}
	is(old.Sign("vic"), false)
	fresh, _ := w.secret()
	is(old.Sign("vic"), false)
	is(fresh.Sign("vic"), false)
	w.app.Exec(`delete from identity_secret where id = $1`, id)
	w.refresh()
	is(old.Sign("vic"), true)
	is(fresh.Sign("vic"), false)
	w.app.Exec(`update identity_secret set key_id = 'another server''s'`)
	w.refresh()
	is(fresh.Sign("vic"), true)
}

// Requests that are under way when the mode changes are of one mode from beginning to end.
func TestAChangeOfTheModeSplitsNoBatch(t *testing.T) {
	w := newProving(t)
	w.secret()
	w.mode(proof.Watch)
	var all sync.WaitGroup
	answers := make(chan *exchange, 40)
	for range 4 {
		all.Go(func() {
			for range 10 {
				var events []string
				for range 50 {
					events = append(events, fmt.Sprintf(
						`{"eventId":%q,"name":"e","timestamp":%q,"appUserId":"d"}`,
						uuid.NewString(), time.Now().UTC().Format(time.RFC3339)))
				}
				answers <- w.send("/v1/sdk/track", `{"customUserId":"vic","events":[`+strings.Join(events, ",")+`]}`)
			}
		})
	}
	for i := range 10 {
		w.mode([]proof.Mode{proof.Required, proof.Watch}[i%2])
	}
	all.Wait()
	close(answers)
	for x := range answers {
		require.Equal(t, http.StatusOK, x.status)
	}
	for _, batch := range w.events.names {
		require.Len(t, batch, 50)
		for _, id := range batch {
			require.Equal(t, batch[0], id)
		}
	}
}
