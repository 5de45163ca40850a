package e2e

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// TestServedPeopleSurviveCrashes resolves an experiment for people who come once, through kills of the server. Whoever
// got an answer a second before a kill, or before an orderly end, is counted, and nobody is who did not ask.
func TestServedPeopleSurviveCrashes(t *testing.T) {
	d := StartDev(t, []string{"SVC_RATE_LIMIT_KEY=0", "SVC_RATE_LIMIT_ADDRESS=0"}, "--demo=none")
	studio := d.SignIn(t, d.BaseURL)
	channel := studio.CreateChannel(d.Apps[0].ID, "Split")
	flow, control := studio.Publish(d.Apps[0].ID, "Plants", example(t, "branching-onboarding"))
	experiment, _ := studio.StartExperiment(channel, control, studio.PublishAgain(flow))
	key := d.Apps[0].Environments["live"].PublishableKey
	client := &http.Client{Timeout: 10 * time.Second}
	var asked atomic.Int64
	for round, end := range []syscall.Signal{syscall.SIGKILL, syscall.SIGTERM, syscall.SIGKILL, syscall.SIGTERM} {
		server, address := d.Serve(t, "SVC_RATE_LIMIT_KEY=0", "SVC_RATE_LIMIT_ADDRESS=0")
		var mu sync.Mutex
		answered := map[string]time.Time{} // when
		var workers sync.WaitGroup
		for range 4 {
			workers.Go(func() {
				for {
					person := fmt.Sprintf("r%d-%d", round, asked.Add(1))
					answer, err := Do(client, http.MethodPost, address+"/v1/sdk/resolve", map[string]any{"userId": person},
						"Authorization", "Bearer "+key, "X-Svc-Channel", channel)
					if err != nil || answer.Status == http.StatusServiceUnavailable {
						return // the server has ended
					}
					if answer.Status != http.StatusOK {
						t.Errorf("answered %d %s", answer.Status, answer.Body)
						return
					}
					mu.Lock()
					answered[person] = time.Now()
					mu.Unlock()
				}
			})
		}
		Until(t, time.Minute, "people come", func() error {
			mu.Lock()
			defer mu.Unlock()
			early := 0
			for _, at := range answered {
				if time.Since(at) > 1500*time.Millisecond { // a kill may take those of the last second
					early++
				}
			}
			if early < 200 {
				return fmt.Errorf("%d people came early", early)
			}
			return nil
		})
		ended := time.Now()
		server.Signal(end)
		workers.Wait()
		server.Wait()

		var stored []string
		query(t, d, fmt.Sprintf(`select coalesce(array_agg(encode(uuid_send(person), 'hex')), '{}') from experiment_served
			where experiment_id = '%s'`, experiment), &stored)
		hashes := map[string]bool{}
		for _, hash := range stored {
			hashes[hash] = true
		}
		if len(hashes) != len(stored) {
			t.Errorf("round %d: %d people are %d rows", round, len(hashes), len(stored))
		}
		if int64(len(stored)) > asked.Load() {
			t.Errorf("round %d: %d people are stored of %d who asked", round, len(stored), asked.Load())
		}
		mustHave, lost := 0, 0
		for person, at := range answered {
			if end == syscall.SIGTERM || at.Before(ended.Add(-time.Second)) {
				mustHave++
				hash := sha256.Sum256([]byte(person))
				if !hashes[hex.EncodeToString(hash[:16])] {
					lost++
				}
			}
		}
		if mustHave < 100 || lost > 0 {
			t.Errorf("round %d, %v: %d of %d people who must be counted are not, %d answered", round, end, lost, mustHave,
				len(answered))
		}
		t.Logf("round %d, %v: %d answered, %d of them must be counted and are", round, end, len(answered), mustHave)
	}
}
