package e2e

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"
)

// call is one request of an SDK.
type call struct{ name, path, body string }

// callsOf returns requests to every SDK path that writes, with new ids.
func callsOf() []call {
	event := func(name, more string) string {
		return fmt.Sprintf(`{"events":[{"eventId":%q,"name":%q,"timestamp":%q,"identity":{"appUserId":"frozen"}%s}]}`,
			uuid.NewString(), name, time.Now().UTC().Format(time.RFC3339), more)
	}
	ids := fmt.Sprintf(`"flowId":%q,"versionId":%q`, uuid.NewString(), uuid.NewString())
	return []call{
		{"product events", "/v1/sdk/analytics/events", event("sign_up", "")},
		{"track", "/v1/sdk/track", event("sign_up", "")},
		{"flow events", "/v1/sdk/events", event("flow_started", ","+ids)},
		{"identify", "/v1/sdk/identify", `{"appUserId":"frozen"}`},
		{"billing identity", "/v1/sdk/billing-identities", `{"appUserId":"frozen","provider":"superwall","externalId":"x"}`},
		{"checkout attempt", "/v1/sdk/stripe/checkout-attempts",
			`{"appUserId":"frozen","surfaceId":"s","paymentLinkUrl":"https://buy.stripe.com/x",` + ids + `}`},
	}
}

func pinnedChannel(t testing.TB, environment AppEnvironment) string {
	t.Helper()
	for _, c := range environment.Channels {
		if c.State == "pinned" {
			return c.ID
		}
	}
	t.Fatal("the demo has no pinned channel")
	return ""
}

// A database that hangs is reported by every path within five seconds, whatever
// waits already; resolve goes on.
func TestAFrozenDatabaseIsReportedInTime(t *testing.T) {
	t.Parallel() // most of its time is waiting
	d := StartDev(t, []string{"SVC_RATE_LIMIT_ADDRESS=0"}, "--demo=small")
	live := d.Apps[0].Environments["live"]
	channel := pinnedChannel(t, live)
	ask := func(c call) (Answer, time.Duration, error) {
		began := time.Now()
		answer, err := Do(http.DefaultClient, http.MethodPost, d.BaseURL+c.path, c.body,
			"Authorization", "Bearer "+live.PublishableKey, "X-Svc-Channel", channel)
		return answer, time.Since(began), err
	}
	works := func(when string) {
		t.Helper()
		for _, c := range callsOf() {
			Until(t, time.Minute, c.name+" is taken "+when, func() error {
				answer, _, err := ask(c)
				if err != nil || answer.Status != http.StatusOK {
					return fmt.Errorf("%d %s %v", answer.Status, answer.Body, err)
				}
				return nil
			})
		}
	}
	works("at first")
	stopDatabase(t, d)
	frozen := time.Now()
	var clients sync.WaitGroup
	for range 3 {
		for i := range callsOf() {
			clients.Go(func() {
				for time.Since(frozen) < 10*time.Second {
					c := callsOf()[i]
					answer, took, err := ask(c)
					switch {
					case err != nil || answer.Status != http.StatusServiceUnavailable || answer.Code() != "ingest_unavailable" ||
						answer.Header.Get("Retry-After") == "":
						t.Errorf("%s: %d %s %v", c.name, answer.Status, answer.Body, err)
						return
					case took > 5*time.Second:
						t.Errorf("%s: the refusal took %s", c.name, took)
						return
					case took < time.Second:
						time.Sleep(100 * time.Millisecond) // a client that waits before it tries again
					}
				}
			})
		}
	}
	clients.Go(func() {
		for time.Since(frozen) < 10*time.Second {
			answer, took, err := ask(call{"resolve", "/v1/sdk/resolve", `{"userId":"u"}`})
			if err != nil || answer.Status != http.StatusOK || took > 5*time.Second {
				t.Errorf("resolve: %d %s %v after %s", answer.Status, answer.Body, err, took)
				return
			}
			time.Sleep(20 * time.Millisecond) // the rate of a few clients
		}
	})
	clients.Go(func() {
		began := time.Now()
		err := Ask(
			Browser(), d.GraphQLURL, `mutation { signIn(input: {email: "nobody@example.com", password: "x"}) { email } }`, nil,
			nil,
		)
		var refusal *GraphQLError
		if took := time.Since(began); !errors.As(err, &refusal) || refusal.Code != "unavailable" || took > 5*time.Second {
			t.Errorf("sign-in: %v after %s", err, took)
		}
	})
	clients.Wait()
	resumeDatabase(t, d)
	works("after it answers again")
}

// freeAddress returns an address of this machine that nobody listens on.
func freeAddress(t testing.TB) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().String()
}

// A server that starts before its database waits for it and says so.
func TestAServerWaitsForItsDatabase(t *testing.T) {
	t.Parallel() // most of its time is waiting
	d := StartDev(t, nil, "--demo=small")
	live := d.Apps[0].Environments["live"]
	channel := pinnedChannel(t, live)
	database, err := url.Parse(d.DatabaseURL)
	if err != nil {
		t.Fatal(err)
	}
	real := database.Host
	spawn := func(databaseURL string) (*Process, string) {
		address := freeAddress(t)
		return Spawn(t, []string{
			"SVC_DATABASE_URL=" + databaseURL, "SVC_ADDR=" + address, "SVC_ADMIN_ADDR=",
			"SVC_MEDIA_DIR=" + filepath.Join(d.Dir, "media"), "SVC_FRAME_DIR=",
		}, "serve"), "http://" + address
	}
	database.Host = freeAddress(t)
	waiting, address := spawn(database.String())
	resolve := func() (Answer, error) {
		return Do(http.DefaultClient, http.MethodPost, address+"/v1/sdk/resolve", `{"userId":"u"}`,
			"Authorization", "Bearer "+live.PublishableKey, "X-Svc-Channel", channel)
	}
	Until(t, 30*time.Second, "the server lives", func() error {
		answer, err := Do(http.DefaultClient, http.MethodGet, address+"/healthz", nil)
		if err == nil && answer.Status != http.StatusOK {
			err = errors.New(string(answer.Body))
		}
		return err
	})
	if answer := get(t, address+"/readyz"); answer.Status != http.StatusServiceUnavailable || !strings.Contains(
		string(answer.Body), "waiting for the database",
	) {
		t.Errorf("ready: %d %s", answer.Status, answer.Body)
	}
	answer, err := resolve()
	if err != nil || answer.Status != http.StatusServiceUnavailable || answer.Code() != "ingest_unavailable" ||
		answer.Header.Get("Retry-After") == "" {
		t.Errorf("resolve: %d %s %v", answer.Status, answer.Body, err)
	}
	if !strings.Contains(waiting.Log(), "waiting for the database") {
		t.Errorf("the log does not say what is waited for: %s", waiting.Log())
	}

	// One that is stopped while it waits ends as asked.
	other, _ := spawn(database.String())
	Until(t, 30*time.Second, "the other server waits", func() error {
		if !strings.Contains(other.Log(), "waiting for the database") {
			return errors.New(other.Log())
		}
		return nil
	})
	other.Signal(syscall.SIGTERM)
	if exit := other.Wait(); exit != 0 {
		t.Errorf("a server that was stopped while it waited ended with %d", exit)
	}

	newWire(t, database.Host, real)
	Until(t, time.Minute, "the server is ready", func() error {
		if answer := get(t, address+"/readyz"); answer.Status != http.StatusOK {
			return errors.New(string(answer.Body))
		}
		return nil
	})
	if answer, err := resolve(); err != nil || answer.Status != http.StatusOK {
		t.Errorf("resolve: %d %s %v", answer.Status, answer.Body, err)
	}

	// What waiting can't fix ends the server at once.
	database.Host = real
	database.Path = "/nothing"
	wrong, _ := spawn(database.String())
	if exit := wrong.Wait(); exit != 1 || !strings.Contains(wrong.Log(), "database_refused") {
		t.Errorf("a wrong database name ended with %d: %s", exit, wrong.Log())
	}
}
