package e2e

import (
	"bufio"
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A live stream sends what changes, and does not hold the server up when it
// stops.
func TestLiveStreamsFollowAndEndWithTheServer(t *testing.T) {
	t.Parallel()
	d := StartDev(t, nil, "--demo=none")
	body, err := json.Marshal(map[string]any{
		"query":     `subscription($a: ID!) { live(appId: $a) { count people { totalCount nodes { appUserId } } } }`,
		"variables": map[string]any{"a": d.Apps[0].ID},
	})
	if err != nil {
		t.Fatal(err)
	}
	request, err := http.NewRequest(http.MethodPost, d.GraphQLURL, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "text/event-stream")
	request.Header.Set("Authorization", "Bearer "+d.APIKey)
	response, err := (&http.Client{Timeout: time.Minute}).Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	counts := make(chan int)
	go func() {
		defer close(counts)
		lines := bufio.NewScanner(response.Body)
		for lines.Scan() {
			data, ok := strings.CutPrefix(lines.Text(), "data:")
			if !ok || strings.TrimSpace(data) == "" {
				continue
			}
			var answer struct {
				Data struct {
					Live struct {
						Count  int
						People struct {
							TotalCount int
							Nodes      []struct{ AppUserID string }
						}
					}
				}
			}
			if err := json.Unmarshal([]byte(data), &answer); err != nil {
				t.Errorf("stream sent %q: %v", data, err)
				return
			}
			live := answer.Data.Live
			if live.Count != live.People.TotalCount || live.Count != len(live.People.Nodes) {
				t.Errorf(
					"the count %d disagrees with the list of %d (%d)", live.Count, live.People.TotalCount, len(live.People.Nodes),
				)
			}
			counts <- live.Count
		}
	}()
	next := func(want int) {
		t.Helper()
		select {
		case got, open := <-counts:
			if !open || got != want {
				t.Fatalf("the stream said %d (open: %v), want %d", got, open, want)
			}
		case <-time.After(30 * time.Second):
			t.Fatalf("the stream said nothing, want %d", want)
		}
	}
	next(0)
	if answer, stored := send(
		t, d.BaseURL, d.Apps[0].Environments["live"].PublishableKey, []event{newEvent("a", "s"), newEvent("b", "s")},
	); stored.Stored != 2 {
		t.Fatalf("%d %s", answer.Status, answer.Body)
	}
	next(2)
	began := time.Now()
	d.Signal(syscall.SIGTERM)
	for range counts { // until the server ends the stream
	}
	if exit := d.Wait(); exit != 0 {
		t.Fatalf("ended with %d", exit)
	}
	if took := time.Since(began); took > 15*time.Second {
		t.Fatalf("stopping took %s; the grace is 20 s, which a stream must not use up", took)
	}
}
