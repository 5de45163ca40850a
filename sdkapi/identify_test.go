package sdkapi_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/delivery/deliverytest"
	"github.com/svc-dev/svc/people"
	"github.com/svc-dev/svc/sdkapi"
)

const identify = "/v1/sdk/identify"

// failingPeople are the real people, or those of a database that fails.
type failingPeople struct {
	*people.Store
	fail atomic.Pointer[error]
	// stalled waits in Identify until it is closed, for one environment; entered counts who waits.
	stalled            chan struct{}
	stalledEnvironment int64
	entered            atomic.Int64
}

func (f *failingPeople) set(err error) {
	if err == nil {
		f.fail.Store(nil)
		return
	}
	f.fail.Store(&err)
}

func (f *failingPeople) Identify(ctx context.Context, change people.Change) (people.Answer, error) {
	if err := f.fail.Load(); err != nil {
		return people.Answer{}, *err
	}
	if f.stalled != nil && change.EnvironmentID == f.stalledEnvironment {
		f.entered.Add(1)
		<-f.stalled
	}
	return f.Store.Identify(ctx, change)
}

// person sends every kind of request to identify.
func (c *contract) person(t *testing.T, w *world, servers servers) {
	ok := func() string { return `{"appUserId":"dev-1"}` }
	long := func(n int) string { return strings.Repeat("é", n) }
	many := func(n int, value string) string {
		var members []string
		for i := range n {
			members = append(members, fmt.Sprintf(`"k%d":%s`, i, value))
		}
		return "{" + strings.Join(members, ",") + "}"
	}
	c.run(t, w, identify, servers.refusals(ok, method("GET")))
	c.run(t, w, identify, servers.bodies(64<<10, ok))
	c.origins(t, w, identify, ok)
	c.away(t, w, identify, w.people.set, storeFailures, ok)
	c.away(t, w, identify, w.people.set, erasure, ok)
	for i, body := range []string{
		`"customUserId":null,"email":null,"marketingConsent":null,"emailMarketingConsent":null,"topicConsents":null,"attributes":null,"firstName":null,"phone":null,"country":null,"timezone":null`,
		`"email":"ana+news@mail.example.com","marketingConsent":"granted","emailMarketingConsent":"granted"`,
		`"email":"ana@example.com","emailMarketingConsent":"denied"`,
		`"marketingConsent":"unknown","emailMarketingConsent":null`, `"marketingConsent":"denied"`,
		`"topicConsents":{"news":"granted","` + long(80) + `":"denied"}`, `"topicConsents":` + many(100, `"unknown"`),
		`"attributes":` + many(50, `true`),
		`"attributes":{"` + long(80) + `":"x","n":1.5,"b":false,"gone":null,"country":"Germany","first_name":7}`,
		`"firstName":" ","lastName":"` + long(80) + `","phone":"` + long(32) + `","locale":"` + long(35) + `","country":" de ","timezone":"Europe/Berlin"`,
		`"country":"","timezone":"","locale":"en-GB"`, `"timezone":"Etc/GMT+5","customUserId":"` + long(200) + `"`,
	} {
		body = fmt.Sprintf(`{"appUserId":"taken-%d",%s}`, i, body)
		c.run(t, w, identify, []scenario{{"body " + body, w.server, body, 200, "", nil}})
	}
	refused := []string{
		`{}`, `[]`, `null`, `{"appUserId":""}`, `{"appUserId":7}`, `{"appUserId":"` + long(201) + `"}`,
		`{"appUserId":"a\u0000"}`,
	}
	for _, body := range []string{
		`"customUserId":""`, `"customUserId":"` + long(201) + `"`, `"customUserId":[]`,
		`"email":"ana@example.com"`, `"email":"","marketingConsent":"denied"`, `"email":"ana","marketingConsent":"denied"`,
		`"email":"a b@example.com","marketingConsent":"denied"`,
		`"email":"ana@localhost","marketingConsent":"denied"`,
		`"email":"ana@` + strings.Repeat("a.", 130) + `de","marketingConsent":"denied"`,
		`"marketingConsent":"granted"`, `"emailMarketingConsent":"granted"`, `"marketingConsent":"granted","email":null`,
		`"marketingConsent":"yes"`, `"marketingConsent":true`, `"emailMarketingConsent":""`,
		`"email":"ana@example.com","marketingConsent":"granted","emailMarketingConsent":"denied"`,
		`"marketingConsent":"denied","emailMarketingConsent":"unknown"`,
		`"topicConsents":{"news":"yes"}`, `"topicConsents":{"news":null}`, `"topicConsents":{"":"granted"}`,
		`"topicConsents":{"` + long(81) + `":"granted"}`, `"topicConsents":[]`, `"topicConsents":` + many(101, `"denied"`),
		`"attributes":{"a":{}}`, `"attributes":{"a":[]}`, `"attributes":{"":1}`, `"attributes":{"` + long(81) + `":1}`,
		`"attributes":7`, `"attributes":` + many(51, `1`), `"attributes":{"a\u0000":1}`,
		`"firstName":"` + long(81) + `"`, `"lastName":7`, `"phone":"` + long(33) + `"`, `"locale":"` + long(36) + `"`,
		`"locale":"\u0000"`,
		`"country":"Germany"`, `"country":"D"`, `"country":"d3"`, `"timezone":"` + strings.Repeat("x", 81) + `"`,
		`"timezone":"../etc/passwd"`,
	} {
		refused = append(refused, `{"appUserId":"dev-1",`+body+`}`)
	}
	for _, body := range refused {
		c.run(t, w, identify, []scenario{{"body " + body, w.server, body, 400, "invalid_request", nil}})
	}
}

// identified sends a body and returns its answer.
func (w *world) identified(body string, changes ...change) (answer map[string]any) {
	w.t.Helper()
	x := w.send(identify, body, changes...)
	require.Equal(w.t, http.StatusOK, x.status, "%s", x.body)
	require.NoError(w.t, json.Unmarshal(x.body, &answer))
	return answer
}

func TestIdentifyOverHTTP(t *testing.T) {
	w := newWorld(t)
	first := `{"appUserId":"phone","customUserId":"ana","email":"ana@example.com","marketingConsent":"granted","topicConsents":{"news":"granted"},
		"attributes":{"plan":"pro","first_name":"Ana","country":"de","timezone":"Mars/Base","locale":7}}`
	want := map[string]any{
		"appUserId": "phone", "email": "ana@example.com", "marketingConsent": "granted",
		"topicConsents": map[string]any{"news": "granted"}, "merged": false,
	}
	require.Equal(t, want, w.identified(first))
	require.Equal(t, want, w.identified(first), "again")

	// Another device of the same person; an address is not told to who did not name it.
	second := w.identified(
		`{"appUserId":"tablet","customUserId":"ana","topicConsents":{"offers":"denied"},"firstName":"","lastName":"Silva","attributes":{"plan":null}}`,
	)
	require.Equal(
		t,
		map[string]any{
			"appUserId": "tablet", "email": nil, "marketingConsent": "unknown",
			"topicConsents": map[string]any{"offers": "denied"}, "merged": false,
		},
		second,
	)

	var row struct{ email, first, last, country, timezone, attributes string }
	require.NoError(t, w.pool.QueryRow(t.Context(), `
		select p.email, p.first_name, p.last_name, p.country, p.timezone, p.attributes::text
		from person p join person_device d on (d.environment_id, d.person_id) = (p.environment_id, p.id)
		where d.environment_id = $1 and d.app_user_id = 'phone'`, w.app.Live.ID).Scan(&row.email, &row.first, &row.last, &row.country, &row.timezone, &row.attributes))
	require.Equal(t, "ana@example.com", row.email)
	require.Equal(t, []string{"Ana", "Silva", "DE", ""}, []string{row.first, row.last, row.country, row.timezone})
	require.JSONEq(t, `{"timezone":"Mars/Base","locale":7}`, row.attributes, "what can't be a text stays an attribute")

	// The other environment has people of its own.
	other := w.identified(`{"appUserId":"phone","customUserId":"ana"}`, header("Authorization", "Bearer "+w.app.Test.Key))
	require.Equal(t, "unknown", other["marketingConsent"])
	require.Equal(t, false, other["merged"])
}

// A text of the body beats the attribute of its name, which is no attribute then.
func TestIdentifyTextsBeatAttributes(t *testing.T) {
	w := newWorld(t)
	stored := func() (country, attributes string) {
		require.NoError(
			t, w.pool.QueryRow(t.Context(), `select country, attributes::text from person`).Scan(&country, &attributes),
		)
		return country, attributes
	}
	for _, step := range []struct{ body, country, attributes string }{
		{`"attributes":{"country":"Germany"}`, "", `{"country": "Germany"}`},
		{`"country":"fr","attributes":{"country":"Germany"}`, "FR", `{}`},
		{`"country":"fr","attributes":{"country":"de"}`, "FR", `{}`},
		{`"attributes":{"country":null}`, "FR", `{}`},
		{`"country":null,"attributes":{"country":"pt"}`, "PT", `{}`},
		{`"attributes":{"country":" "}`, "", `{}`},
	} {
		w.identified(`{"appUserId":"u",` + step.body + `}`)
		country, attributes := stored()
		require.Equal(t, step.country, country, step.body)
		require.JSONEq(t, step.attributes, attributes, step.body)
	}
}

// crowdedPeople holds changes until they are released, and notices how many
// were made at the same time.
type crowdedPeople struct {
	now, most atomic.Int64
	release   chan struct{}
}

func (p *crowdedPeople) Identify(context.Context, people.Change) (people.Answer, error) {
	now := p.now.Add(1)
	defer p.now.Add(-1)
	for most := p.most.Load(); now > most && !p.most.CompareAndSwap(most, now); most = p.most.Load() {
	}
	<-p.release
	return people.Answer{}, nil
}

// However many clients of however many workspaces identify at once, few connections are taken from events.
func TestRecordsWaitForEachOther(t *testing.T) {
	w := newWorld(t)
	keys := []string{w.app.Live.Key, deliverytest.NewApp(t, w.pool).Live.Key, deliverytest.NewApp(t, w.pool).Live.Key}
	w.refresh()
	people := &crowdedPeople{release: make(chan struct{})}
	handler := sdkapi.New(w.catalogue, sdkapi.Stores{People: people}, sdkapi.Config{}).Handler()
	var running sync.WaitGroup
	for i := range 100 {
		running.Go(func() {
			request := httptest.NewRequest(http.MethodPost, identify, strings.NewReader(`{"appUserId":"u"}`))
			request.Header.Set("Authorization", "Bearer "+keys[i%len(keys)])
			recorder := httptest.NewRecorder()
			handler.ServeHTTP(recorder, request)
			if recorder.Code != http.StatusOK {
				t.Error(recorder.Code, recorder.Body)
			}
		})
	}
	require.Eventually(t, func() bool { return people.now.Load() == 8 }, 10*time.Second, time.Millisecond)
	close(people.release)
	running.Wait()
	require.EqualValues(t, 8, people.most.Load())
}

// What only the stored person or the zone database can tell is refused all the
// same, and named.
func TestIdentifyRefusalsBeyondTheDocument(t *testing.T) {
	w := newWorld(t)
	members := func(from, to int, value string) string {
		var list []string
		for i := from; i < to; i++ {
			list = append(list, fmt.Sprintf(`"k%d":%s`, i, value))
		}
		return "{" + strings.Join(list, ",") + "}"
	}
	w.identified(
		`{"appUserId":"u","attributes":` + members(0, 50, "1") + `,"topicConsents":` + members(0, 100, `"denied"`) + `}`,
	)
	w.identified(
		`{"appUserId":"u","attributes":` + members(10, 50, "2") + `,"topicConsents":` + members(10, 100, `"unknown"`) + `}`,
	)
	for body, pointer := range map[string]string{
		`"timezone":"Mars/Base"`:                                      "/timezone",
		`"timezone":"Local"`:                                          "/timezone",
		`"attributes":{"more":1}`:                                     "/attributes",
		`"topicConsents":{"more":"denied"}`:                           "/topicConsents",
		`"attributes":{"k1":"` + strings.Repeat("é", 10_200) + `"}`:   "/attributes",
		`"attributes":{"more":"` + strings.Repeat("é", 10_300) + `"}`: "/attributes",
		`"attributes":{"x":1e400}`:                                    "/attributes",
		`"attributes":{"a/b~c":{}}`:                                   "/attributes/a~1b~0c",
	} {
		x := w.send(identify, `{"appUserId":"u",`+body+`}`)
		require.Equal(t, "invalid_request", x.code(), body)
		require.Contains(t, string(x.body), `"pointer":"`+pointer+`"`, "%s", x.body)
	}
	w.identified(`{"appUserId":"u","attributes":{"k0":null,"more":1}}`)
}
