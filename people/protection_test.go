package people_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/people"
	"github.com/svc-dev/svc/postgres/pgtest"
)

// A device that merely names somebody's custom id fills in what is empty and withdraws consents; it replaces nothing,
// by no way round.
func TestAnUnprovedDeviceReplacesNothing(t *testing.T) {
	db := pgtest.New(t)
	store := people.New(db.Pool, people.Options{})
	identify := func(device, custom string, proved bool, change people.Change) {
		t.Helper()
		change.EnvironmentID, change.AppUserID, change.CustomUserID, change.Unproved = 1, device, custom, !proved
		_, err := store.Identify(t.Context(), change)
		require.NoError(t, err)
	}
	is := func(email, consent, news, first, last string) {
		t.Helper()
		var got [5]string
		require.NoError(t, db.Pool.QueryRow(t.Context(), `
			select email, marketing_consent, coalesce(topic_consents->'news'->>'consent', ''), first_name, last_name
			from person where environment_id = 1 and custom_user_id = 'vic'`,
		).Scan(&got[0], &got[1], &got[2], &got[3], &got[4]))
		require.Equal(t, [5]string{email, consent, news, first, last}, got)
	}
	vic, evil := "Vic", "Evil"
	denied := map[string]people.Consent{"news": people.Denied}
	granted := map[string]people.Consent{"news": people.Granted}
	identify("phone", "vic", false, people.Change{Email: "vic@x.de", MarketingConsent: people.Denied, TopicConsents: denied,
		Profile: people.Profile{FirstName: &vic}})
	is("vic@x.de", "denied", "denied", "Vic", "")
	attack := people.Change{Email: "evil@x.de", MarketingConsent: people.Granted, TopicConsents: granted,
		Profile: people.Profile{FirstName: &evil, LastName: &evil}}
	for range 2 { // the second time the device is one of the person's
		identify("stranger", "vic", false, attack)
		is("vic@x.de", "denied", "denied", "Vic", "Evil")
	}
	// An anonymous person that turns out to be vic brings nothing in.
	identify("other", "", false, attack)
	identify("other", "vic", false, people.Change{})
	is("vic@x.de", "denied", "denied", "Vic", "Evil")
	var logged int
	require.NoError(t, db.Pool.QueryRow(t.Context(), `
		select count(*) from person_consent where consent = 'granted' and app_user_id = 'stranger'`).Scan(&logged))
	require.Zero(t, logged)
	// The device that the person began with may, and so may whoever proves.
	identify("phone", "vic", false, people.Change{Email: "new@x.de", MarketingConsent: people.Unknown})
	is("new@x.de", "unknown", "denied", "Vic", "Evil")
	identify("stranger", "vic", false, attack) // a grant for another address
	is("new@x.de", "unknown", "denied", "Vic", "Evil")
	identify("stranger", "vic", false, people.Change{Email: "new@x.de", MarketingConsent: people.Granted})
	is("new@x.de", "granted", "denied", "Vic", "Evil")
	identify("stranger", "vic", false, people.Change{MarketingConsent: people.Denied})
	is("new@x.de", "denied", "denied", "Vic", "Evil")
	// When it is somebody else's, no device left is the one.
	identify("phone", "ben", false, people.Change{})
	identify("stranger", "vic", false, attack)
	is("new@x.de", "denied", "denied", "Vic", "Evil")
	identify("stranger", "vic", true, attack)
	is("evil@x.de", "granted", "granted", "Evil", "Evil")
}
