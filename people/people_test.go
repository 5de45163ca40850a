package people_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/svc-dev/svc/internal/fault"
	"github.com/svc-dev/svc/people"
	"github.com/svc-dev/svc/postgres"
	"github.com/svc-dev/svc/postgres/pgtest"
)

// stored is a person as the database has it.
type stored struct {
	Devices    string // sorted, with a space between
	Custom     string
	Email      string
	Consent    string
	Topics     string
	First      string
	Country    string
	Attributes string
}

func storedPeople(t require.TestingT, db *postgres.DB, environment int64) []stored {
	rows, err := db.Pool.Query(context.Background(), `
		select (select coalesce(string_agg(app_user_id, ' ' order by app_user_id), '') from person_device d
		where (d.environment_id, d.person_id) = (p.environment_id, p.id)),
			custom_user_id, email, marketing_consent,
			(select coalesce(string_agg(key || '=' || (value->>'consent'), ' ' order by key), '')
			from jsonb_each(topic_consents)),
			first_name, country, (select coalesce(string_agg(key || '=' || value, ' ' order by key), '')
			from jsonb_each(attributes))
		from person p where environment_id = $1 order by 1, 2`, environment)
	require.NoError(t, err)
	list, err := pgx.CollectRows(rows, pgx.RowToStructByPos[stored])
	require.NoError(t, err)
	return list
}

func text(s string) *string { return &s }

func TestDevicesOfOnePerson(t *testing.T) {
	db := pgtest.New(t)
	p := people.New(db.Pool, people.Options{})
	identify := func(change people.Change) people.Answer {
		t.Helper()
		change.EnvironmentID = 1
		answer, err := p.Identify(t.Context(), change)
		require.NoError(t, err)
		return answer
	}
	// Two devices, each a person of its own.
	identify(people.Change{AppUserID: "phone", Profile: people.Profile{FirstName: text("Ana"), Country: text("PT")}})
	identify(people.Change{AppUserID: "tablet", Email: "ana@example.com", MarketingConsent: people.Granted, Profile: people.Profile{FirstName: text("A.")},
		Attributes: map[string]json.RawMessage{"plan": []byte(`"pro"`)}})
	require.Len(t, storedPeople(t, db, 1), 2)
	// The phone says who it is, then the tablet: what the tablet knew is kept where
	// the phone knew nothing.
	require.False(t, identify(people.Change{AppUserID: "phone", CustomUserID: "ana"}).Merged)
	answer := identify(people.Change{AppUserID: "tablet", CustomUserID: "ana"})
	require.True(t, answer.Merged)
	require.Equal(t, people.Granted, answer.MarketingConsent)
	require.True(t, identify(people.Change{AppUserID: "phone"}).Merged, "the phone's person has another device now")
	require.Equal(
		t,
		[]stored{
			{
				Devices: "phone tablet", Custom: "ana", Email: "ana@example.com", Consent: "granted", First: "Ana", Country: "PT",
				Attributes: `plan="pro"`,
			},
		},
		storedPeople(t, db, 1),
	)
	// Somebody else signs in on the tablet: nothing of Ana is theirs, and she
	// keeps what she had.
	answer = identify(people.Change{AppUserID: "tablet", CustomUserID: "ben"})
	require.Equal(
		t, people.Answer{MarketingConsent: people.Unknown, TopicConsents: map[string]people.Consent{}}, answer,
	)
	require.Equal(t, []stored{
		{
			Devices: "phone", Custom: "ana", Email: "ana@example.com", Consent: "granted", First: "Ana", Country: "PT",
			Attributes: `plan="pro"`,
		},
		{Devices: "tablet", Custom: "ben", Consent: "unknown"},
	}, storedPeople(t, db, 1))
	// And back.
	require.True(t, identify(people.Change{AppUserID: "tablet", CustomUserID: "ana"}).Merged)
	require.Equal(t, "", storedPeople(t, db, 1)[0].Devices, "ben uses nothing any more")
}

func TestAnAddressJoinsNobody(t *testing.T) {
	db := pgtest.New(t)
	p := people.New(db.Pool, people.Options{})
	for _, device := range []string{"a", "b"} {
		answer, err := p.Identify(
			t.Context(),
			people.Change{EnvironmentID: 1, AppUserID: device, Email: "ana@example.com", MarketingConsent: people.Denied},
		)
		require.NoError(t, err)
		require.False(t, answer.Merged)
	}
	require.Len(t, storedPeople(t, db, 1), 2)
}

// Of two consents the later counts, but a grant never moves to another address.
func TestConsentsOfPeopleWhoTurnOutToBeOne(t *testing.T) {
	for name, c := range map[string]struct {
		known, anonymous people.Change
		knownFirst       bool
		email, consent   string
	}{
		"later denial": {
			people.Change{Email: "a@x.de", MarketingConsent: people.Granted},
			people.Change{MarketingConsent: people.Denied}, true, "a@x.de", "denied",
		},
		"earlier denial": {
			people.Change{Email: "a@x.de", MarketingConsent: people.Granted},
			people.Change{MarketingConsent: people.Denied}, false, "a@x.de", "granted",
		},
		"later grant of another address": {
			people.Change{Email: "a@x.de", MarketingConsent: people.Denied},
			people.Change{Email: "b@x.de", MarketingConsent: people.Granted}, true, "a@x.de", "denied",
		},
		"grant for an address unknown": {
			people.Change{}, people.Change{Email: "b@x.de", MarketingConsent: people.Granted}, true, "b@x.de", "granted",
		},
		"grant of the same address": {
			people.Change{Email: "a@x.de", MarketingConsent: people.Unknown},
			people.Change{Email: "a@x.de", MarketingConsent: people.Granted}, true, "a@x.de", "granted",
		},
		"address without a word after it": {
			people.Change{Email: "a@x.de", MarketingConsent: people.Granted}, people.Change{}, true, "a@x.de", "granted",
		},
		"only the anonymous one said so": {
			people.Change{}, people.Change{MarketingConsent: people.Denied}, false, "", "denied",
		},
	} {
		t.Run(name, func(t *testing.T) {
			db := pgtest.New(t)
			at := time.Now()
			p := people.New(db.Pool, people.Options{Now: func() time.Time { at = at.Add(time.Second); return at }})
			known, anonymous := c.known, c.anonymous
			known.EnvironmentID, known.AppUserID, known.CustomUserID = 1, "one", "ana"
			anonymous.EnvironmentID, anonymous.AppUserID = 1, "two"
			order := []people.Change{known, anonymous}
			if !c.knownFirst {
				slices.Reverse(order)
			}
			for _, change := range append(order, people.Change{EnvironmentID: 1, AppUserID: "two", CustomUserID: "ana"}) {
				_, err := p.Identify(t.Context(), change)
				require.NoError(t, err)
			}
			all := storedPeople(t, db, 1)
			require.Len(t, all, 1)
			require.Equal(t, []string{c.email, c.consent}, []string{all[0].Email, all[0].Consent})
		})
	}
}

// model is the same in maps: who uses each device, and what is known of them.
type model struct {
	devices map[string]*modelPerson
	named   map[string]*modelPerson
}

type modelPerson struct {
	custom, first, country string
	attributes             map[string]string
}

func (m *model) identify(change people.Change) (merged bool) {
	who := m.devices[change.AppUserID]
	if name := change.CustomUserID; name != "" && (who == nil || who.custom != name) {
		next := m.named[name]
		switch {
		case next == nil && who != nil && who.custom == "":
			next = who
		case next == nil:
			next = &modelPerson{attributes: map[string]string{}}
		case who != nil && who.custom == "":
			if next.first == "" {
				next.first = who.first
			}
			if next.country == "" {
				next.country = who.country
			}
			for key, value := range who.attributes {
				if _, there := next.attributes[key]; !there {
					next.attributes[key] = value
				}
			}
		}
		next.custom, m.named[name], who = name, next, next
	}
	if who == nil {
		who = &modelPerson{attributes: map[string]string{}}
	}
	m.devices[change.AppUserID] = who
	if change.Profile.FirstName != nil {
		who.first = *change.Profile.FirstName
	}
	if change.Profile.Country != nil {
		who.country = *change.Profile.Country
	}
	for key, value := range change.Attributes {
		if string(value) == "null" {
			delete(who.attributes, key)
		} else {
			who.attributes[key] = string(value)
		}
	}
	for device, other := range m.devices {
		if other == who && device != change.AppUserID {
			return true
		}
	}
	return false
}

func (m *model) people() []stored {
	devices := map[*modelPerson][]string{}
	for _, who := range m.named {
		devices[who] = nil
	}
	for device, who := range m.devices {
		devices[who] = append(devices[who], device)
	}
	var list []stored
	for who, names := range devices {
		slices.Sort(names)
		var attributes []string
		for _, key := range slices.Sorted(maps.Keys(who.attributes)) {
			attributes = append(attributes, key+"="+who.attributes[key])
		}
		list = append(
			list,
			stored{
				Devices: strings.Join(names, " "), Custom: who.custom, Consent: "unknown", First: who.first, Country: who.country,
				Attributes: strings.Join(attributes, " "),
			},
		)
	}
	slices.SortFunc(list, func(a, b stored) int {
		return strings.Compare(a.Devices+"\x00"+a.Custom, b.Devices+"\x00"+b.Custom)
	})
	return list
}

func drawText(t *rapid.T, values ...string) *string {
	switch i := rapid.IntRange(-1, len(values)-1).Draw(t, "text"); i {
	case -1:
		return nil
	default:
		return &values[i]
	}
}

// Whatever devices say in whatever order, the database has the people of the
// model, and each answer is the model's.
func TestPeopleFollowTheModel(t *testing.T) {
	db := pgtest.New(t)
	p := people.New(db.Pool, people.Options{})
	var environment atomic.Int64
	rapid.Check(t, func(t *rapid.T) {
		m, tenant := &model{map[string]*modelPerson{}, map[string]*modelPerson{}}, environment.Add(1)
		for range rapid.IntRange(1, 10).Draw(t, "calls") {
			change := people.Change{
				EnvironmentID: tenant,
				AppUserID:     rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "device"),
				CustomUserID:  rapid.SampledFrom([]string{"", "", "ana", "ben"}).Draw(t, "custom"),
				Profile:       people.Profile{FirstName: drawText(t, "", "Ana", "Ben"), Country: drawText(t, "", "DE")},
				Attributes:    map[string]json.RawMessage{},
			}
			for _, key := range []string{"x", "y"} {
				if value := drawText(t, "1", "true", `"ü"`, "null"); value != nil {
					change.Attributes[key] = json.RawMessage(*value)
				}
			}
			for range rapid.IntRange(1, 2).Draw(t, "tries") { // a retry changes nothing
				merged := m.identify(change)
				answer, err := p.Identify(context.Background(), change)
				require.NoError(t, err)
				require.Equal(t, merged, answer.Merged)
			}
		}
		require.Equal(t, m.people(), storedPeople(t, db, tenant))
	})
}

// Devices of one person that identify at the same time, on two servers, end as
// that one person, with everything that each of them said.
func TestDevicesIdentifyAtOnce(t *testing.T) {
	db := pgtest.New(t)
	servers := []*people.Store{people.New(db.Pool, people.Options{}), people.New(db.Pool, people.Options{})}
	const devices = 8
	var running sync.WaitGroup
	for i := range devices {
		for try := range 2 {
			running.Go(func() {
				change := people.Change{
					EnvironmentID: 1, AppUserID: fmt.Sprintf("device-%d", i), CustomUserID: "ana",
					Attributes:    map[string]json.RawMessage{fmt.Sprintf("k%d", i): []byte("1")},
					TopicConsents: map[string]people.Consent{fmt.Sprintf("t%d", i): people.Granted},
				}
				if _, err := servers[try].Identify(context.Background(), change); err != nil {
					t.Error(err)
				}
			})
		}
	}
	running.Wait()
	all := storedPeople(t, db, 1)
	require.Len(t, all, 1)
	require.Len(t, strings.Fields(all[0].Devices), devices)
	require.Len(t, strings.Fields(all[0].Attributes), devices)
	require.Len(t, strings.Fields(all[0].Topics), devices)
}

// Two devices that change their users for each other's, again and again at the
// same time, never block each other for good.
func TestDevicesSwapUsersAtOnce(t *testing.T) {
	db := pgtest.New(t)
	p := people.New(db.Pool, people.Options{})
	var running sync.WaitGroup
	for device := range 4 {
		running.Go(func() {
			for turn := range 25 {
				change := people.Change{
					EnvironmentID: 1, AppUserID: fmt.Sprint(device), CustomUserID: []string{"ana", "ben"}[(device+turn)%2],
				}
				if _, err := p.Identify(context.Background(), change); err != nil {
					t.Error(err)
				}
			}
		})
	}
	running.Wait()
	require.Len(t, storedPeople(t, db, 1), 2)
}

func TestNothingIsKeptOfARefusedChange(t *testing.T) {
	db := pgtest.New(t)
	p := people.New(db.Pool, people.Options{})
	attributes := map[string]json.RawMessage{}
	for i := range people.MaxAttributes {
		attributes[fmt.Sprint("k", i)] = []byte("1")
	}
	_, err := p.Identify(t.Context(), people.Change{EnvironmentID: 1, AppUserID: "a", Attributes: attributes})
	require.NoError(t, err)
	_, err = p.Identify(
		t.Context(),
		people.Change{
			EnvironmentID: 1, AppUserID: "a", CustomUserID: "ana", Attributes: map[string]json.RawMessage{"more": []byte("1")},
		},
	)
	var over *fault.Error
	require.ErrorAs(t, err, &over)
	require.Equal(t, "attributes", over.Field)
	require.Empty(t, storedPeople(t, db, 1)[0].Custom)
}
