package e2e

import (
	"fmt"
	"net/http"
	"testing"
	"time"
)

// A client that spreads its requests over the servers of a database gets no more than one that keeps to one of them.
func TestServersShareTheirRateLimits(t *testing.T) {
	t.Parallel()
	const limit = 600
	d := StartDev(t, nil, "--demo=none")
	key := d.Apps[0].Environments["live"].PublishableKey
	serve := func(roles string) (*Process, string) {
		return d.Serve(t, fmt.Sprint("SVC_RATE_LIMIT_KEY=", limit), "SVC_RATE_LIMIT_ADDRESS=0", "SVC_ROLES="+roles)
	}
	passes := func(address, path string) bool {
		answer, err := Do(http.DefaultClient, http.MethodPost, address+path, "{}", "Authorization", "Bearer "+key)
		if err != nil || answer.Status != http.StatusBadRequest && answer.Status != http.StatusTooManyRequests {
			t.Fatalf("%s: %v %d %s", path, err, answer.Status, answer.Body)
		}
		return answer.Status == http.StatusBadRequest // the limit comes first
	}
	// What passes in a time may be this much more than the limit, since the minute slides.
	slides := func(since time.Time) int { return 2 + int(limit*time.Since(since)/time.Minute) }
	one, resolve := serve("resolve")
	_, ingest := serve("ingest")

	const aSecond = 200
	began, passed := time.Now(), 0
	tick := time.NewTicker(time.Second / aSecond)
	defer tick.Stop()
	for i := range 2 * limit {
		<-tick.C
		if i%2 == 0 && passes(resolve, "/v1/sdk/resolve") || i%2 == 1 && passes(ingest, "/v1/sdk/track") {
			passed++
		}
	}
	if passed < limit || passed > limit+aSecond+slides(began) {
		t.Errorf("%d of %d requests passed in %s, with a limit of %d a minute", passed, 2*limit, time.Since(began), limit)
	}
	// Neither lets pass what the other would have refused.
	since, more := time.Now(), 0
	for range 50 {
		if passes(resolve, "/v1/sdk/resolve") || passes(ingest, "/v1/sdk/track") {
			more++
		}
	}
	if more > aSecond+slides(since) {
		t.Errorf("%d more passed", more)
	}

	// About half of it was let pass by a server that is killed: it counts no longer, and the rest still does.
	one.Kill()
	since, more = time.Now(), 0
	Until(t, 20*time.Second, "the share of a killed server is free", func() error {
		for range 20 {
			if passes(ingest, "/v1/sdk/track") {
				more++
			}
		}
		if want := limit/4 + slides(since); more < want {
			return fmt.Errorf("%d passed, want %d", more, want)
		}
		return nil
	})
	time.Sleep(time.Second)
	for range limit {
		if passes(ingest, "/v1/sdk/track") {
			more++
		}
	}
	if most := limit - (passed-aSecond)/2 + 2*slides(began); more > most {
		t.Errorf("%d passed after the other was killed, want at most %d", more, most)
	}
}
