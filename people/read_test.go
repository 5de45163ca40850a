package people_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/internal/fault"
	"github.com/svc-dev/svc/people"
	"github.com/svc-dev/svc/postgres/pgtest"
)

// clock is a time that every identification moves on by a minute.
func clock() func() time.Time {
	now := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	return func() time.Time {
		now = now.Add(time.Minute)
		return now
	}
}

func TestFindAPerson(t *testing.T) {
	db := pgtest.New(t)
	p := people.New(db.Pool, people.Options{Now: clock()})
	for _, device := range []string{"phone", "tablet"} {
		_, err := p.Identify(t.Context(), people.Change{
			EnvironmentID: 1, AppUserID: device, CustomUserID: "ana", Email: "Ana@example.com", MarketingConsent: people.Granted,
			TopicConsents: map[string]people.Consent{"news": people.Denied},
			Profile:       people.Profile{FirstName: text("Ana"), Country: text("PT")},
			Attributes:    map[string]json.RawMessage{"plan": []byte(`"pro"`)},
		})
		require.NoError(t, err)
	}
	_, err := db.Pool.Exec(t.Context(), `
		insert into product_analytics_first_touch (environment_id, app_user_id, first_seen_at, session_rank,
			session_started_at, session_id, changed_xid)
		values (1, 'stranger', '2026-10-01', 0, '2026-10-01', 's', pg_current_xact_id())`)
	require.NoError(t, err)

	byDevice, err := p.Find(t.Context(), 1, "phone", "")
	require.NoError(t, err)
	byCustom, err := p.Find(t.Context(), 1, "", "ana")
	require.NoError(t, err)
	require.Equal(t, byDevice, byCustom)
	require.Equal(t, "Ana", byDevice.FirstName)
	require.Equal(t, "PT", byDevice.Country)
	require.Equal(t, people.Granted, byDevice.MarketingConsent)
	require.Equal(t, people.Denied, byDevice.TopicConsents[0].Consent)
	require.Equal(t, "tablet", byDevice.Devices[0].AppUserID, "the latest first")
	require.Len(t, byDevice.Devices, 2)
	require.JSONEq(t, `"pro"`, string(byDevice.Attributes["plan"]))
	require.Equal(t, time.Minute, byDevice.IdentifiedAt.Sub(*byDevice.CreatedAt))

	seen, err := p.Find(t.Context(), 1, "stranger", "")
	require.NoError(t, err)
	require.Equal(t, []people.Device{{"stranger", seen.Devices[0].LinkedAt}}, seen.Devices)
	require.Nil(t, seen.IdentifiedAt)
	require.Zero(t, seen.ID)
	for _, nobody := range [][2]string{{"nobody", ""}, {"", "nobody"}, {"a\x00", ""}} {
		person, err := p.Find(t.Context(), 1, nobody[0], nobody[1])
		require.NoError(t, err)
		require.Nil(t, person)
	}
	elsewhere, err := p.Find(t.Context(), 2, "phone", "")
	require.NoError(t, err)
	require.Nil(t, elsewhere)
	_, err = p.Find(t.Context(), 1, "a", "b")
	require.True(t, fault.Is(err, fault.InvalidInput))
}

func TestTheConsentLogHasEveryChange(t *testing.T) {
	db := pgtest.New(t)
	p := people.New(db.Pool, people.Options{Now: clock()})
	say := func(device, custom string, marketing, news people.Consent) {
		t.Helper()
		change := people.Change{EnvironmentID: 1, AppUserID: device, CustomUserID: custom, MarketingConsent: marketing}
		if marketing != "" {
			change.Email = "ana@example.com"
		}
		if news != "" {
			change.TopicConsents = map[string]people.Consent{"news": news}
		}
		_, err := p.Identify(t.Context(), change)
		require.NoError(t, err)
	}
	log := func(limit int) (lines []string) {
		t.Helper()
		person, err := p.Find(t.Context(), 1, "phone", "")
		require.NoError(t, err)
		changes, err := p.ConsentLog(t.Context(), 1, person.ID, limit)
		require.NoError(t, err)
		for _, c := range changes {
			lines = append(lines, fmt.Sprintf("%s %s %s %s", c.At.UTC().Format("15:04"), c.AppUserID, c.Topic, c.Consent))
		}
		return lines
	}
	say("phone", "", people.Granted, "")
	say("phone", "", people.Granted, people.Granted) // nothing new about marketing
	say("phone", "", "", "")
	say("phone", "", people.Denied, people.Granted) // nothing new about news
	require.Equal(t, []string{"12:04 phone  denied", "12:02 phone news granted", "12:01 phone  granted"}, log(10))
	require.Len(t, log(2), 2)
	// Ana was known by her tablet: what the phone's person said is hers.
	say("tablet", "ana", people.Unknown, "")
	say("phone", "ana", "", "")
	require.Len(t, log(10), 4)
	for i := range people.MaxConsentLog {
		say("phone", "", []people.Consent{people.Granted, people.Denied}[i%2], "")
	}
	require.Len(t, log(2*people.MaxConsentLog), people.MaxConsentLog)
}

func TestListPeople(t *testing.T) {
	db := pgtest.New(t)
	p := people.New(db.Pool, people.Options{Now: clock()})
	for i := range 25 {
		_, err := p.Identify(t.Context(), people.Change{
			EnvironmentID: 1, AppUserID: fmt.Sprintf("device-%02d", i), CustomUserID: fmt.Sprintf("user_%02d", i),
			Email: fmt.Sprintf("Mail%%%02d@example.com", i), MarketingConsent: people.Unknown,
		})
		require.NoError(t, err)
	}
	list := func(search string) (found []string) {
		t.Helper()
		var after *people.Place
		for {
			page, err := p.List(t.Context(), 1, search, after, 10)
			require.NoError(t, err)
			for _, person := range page {
				found = append(found, strings.TrimPrefix(person.CustomUserID, "user_"))
			}
			if len(page) < 10 {
				count, err := p.Count(t.Context(), 1, search)
				require.NoError(t, err)
				require.Equal(t, len(found), count)
				return found
			}
			last := page[len(page)-1]
			after = &people.Place{CreatedAt: *last.CreatedAt, ID: last.ID}
		}
	}
	all := list("")
	require.Len(t, all, 25)
	require.Equal(t, "24", all[0], "the newest first")
	require.Equal(t, all, list("user_"))
	require.Equal(t, all, list("device"))
	require.Equal(t, []string{"07"}, list("mAIL%07"), "the case of an address does not matter")
	require.Equal(t, []string{"19", "18", "17", "16", "15", "14", "13", "12", "11", "10"}, list("user_1"))
	for _, none := range []string{"User_1", "ser_", "%", "user%", `user\_1`, `\`, `"user_1"`, "'", uuid.NewString(), "\U0010FFFF"} {
		require.Empty(t, list(none), none)
	}
	for _, bad := range []string{"\x00", strings.Repeat("x", 1025)} {
		_, err := p.List(t.Context(), 1, bad, nil, 10)
		require.True(t, fault.Is(err, fault.InvalidInput))
	}
}
