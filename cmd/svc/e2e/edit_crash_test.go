package e2e

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
)

// typist types into one text of a draft over one server or the other, and says what was acknowledged.
type typist struct {
	id       string
	sequence int // of the last batch that was acknowledged
	base     int
	resent   int // batches that were sent again after no answer
}

// key is the member of the flow that a batch sets; no two batches set the same.
func (w *typist) key(sequence int) string { return fmt.Sprintf("k_%s_%d", w.id[:8], sequence) }

// typeOn sends batches until over says so and the last of them is answered. What is not acknowledged is sent again with
// the same id, to wherever a server answers, as the editor does.
func (w *typist) typeOn(t *testing.T, flow string, studio func() *Studio, over func() bool) {
	for !over() {
		end := time.Now().Add(2 * time.Minute)
		client := &draftClient{flow: flow, id: w.id, base: w.base, sequence: w.sequence}
		for tries := 0; ; tries++ {
			client.studio = studio()
			err := client.send(setMember(w.key(w.sequence+1), w.sequence+1))
			if err == nil {
				break
			}
			if time.Now().After(end) {
				t.Errorf("%s %d was not acknowledged: %v", w.id, w.sequence+1, err)
				return
			}
			if tries == 0 {
				w.resent++
			}
			time.Sleep(50 * time.Millisecond)
		}
		w.sequence, w.base = client.sequence, client.base
		time.Sleep(time.Duration(50+rand.IntN(60)) * time.Millisecond) // a client may send 20 batches per second
	}
}

// Servers and the postmaster are killed at any moment of typing, in every combination, while three people type. Each
// edit that was acknowledged is in the draft and in its log once, however often it was sent; nothing else is.
// SVC_TEST_EDIT_KILLS says how many times.
func TestTypingSurvivesKilledServersAndDatabases(t *testing.T) {
	t.Parallel()
	rounds := 3
	if text := os.Getenv("SVC_TEST_EDIT_KILLS"); text != "" {
		var err error
		if rounds, err = strconv.Atoi(text); err != nil {
			t.Fatalf("SVC_TEST_EDIT_KILLS: %v", err)
		}
	}
	d := StartDev(t, []string{"SVC_WARM_DAYS=0"}, "--demo=none")
	second, address := d.Serve(t, "SVC_WARM_DAYS=0")
	// One session is of both: they share the database.
	first := d.SignIn(t, d.BaseURL)
	flow := newDraft(t, d, first)
	var mu sync.Mutex
	addresses := []string{d.BaseURL, address}
	studio := func() *Studio {
		mu.Lock()
		defer mu.Unlock()
		return &Studio{t: t, client: first.client, url: addresses[rand.IntN(2)] + "/graphql"}
	}
	typists := make([]*typist, 3)
	for i := range typists {
		typists[i] = &typist{id: uuid.NewString(), base: 1}
	}
	kinds := []struct {
		name string
		kill func()
	}{
		{"the postmaster", func() { killDatabase(t, d) }},
		{"a server", func() { second.Kill() }},
		{"the server that runs the database", func() { d.Kill() }},
		{"both servers", func() { second.Kill(); d.Kill() }},
		{"all", func() { killDatabase(t, d); second.Kill(); d.Kill() }},
	}
	began := time.Now()
	for round := range rounds {
		over := make(chan struct{})
		isOver := func() bool {
			select {
			case <-over:
				return true
			default:
				return false
			}
		}
		var typing sync.WaitGroup
		for _, w := range typists {
			typing.Go(func() { w.typeOn(t, flow, studio, isOver) })
		}
		time.Sleep(time.Duration(150+rand.IntN(500)) * time.Millisecond)
		kind := kinds[round%len(kinds)]
		kind.kill()
		if d.Ended() {
			d.Start(t)
		}
		if second.Ended() {
			second, address = d.Serve(t, "SVC_WARM_DAYS=0")
		}
		mu.Lock()
		addresses = []string{d.BaseURL, address}
		mu.Unlock()
		time.Sleep(time.Duration(300+rand.IntN(300)) * time.Millisecond)
		close(over)
		typing.Wait()
		checkTyped(t, d, flow, fmt.Sprintf("round %d, killed %s", round+1, kind.name), typists)
		if t.Failed() {
			return
		}
	}
	sent, resent := 0, 0
	for _, w := range typists {
		sent, resent = sent+w.sequence, resent+w.resent
	}
	t.Logf("%d rounds in %s: %d edits acknowledged, %d of them sent more than once; all in the draft, once",
		rounds, time.Since(began).Round(time.Second), sent, resent)
	if sent < rounds*len(typists)*3 || resent == 0 {
		t.Errorf("%d edits were acknowledged, %d sent more than once: too few", sent, resent)
	}
}

// checkTyped compares the draft, and its log, with what was acknowledged. Whoever typed has no answer outstanding.
func checkTyped(t *testing.T, d *Dev, flow, what string, typists []*typist) {
	t.Helper()
	var read struct {
		Draft struct {
			Revision int
			Document map[string]json.RawMessage
		}
	}
	d.SignIn(t, d.BaseURL).Query(`query($f: ID!) { draft(flowId: $f) { revision document } }`,
		map[string]any{"f": flow}, &read)
	acknowledged := 0
	for _, w := range typists {
		acknowledged += w.sequence
		for i := 1; i <= w.sequence; i++ {
			if got := string(read.Draft.Document[w.key(i)]); got != strconv.Itoa(i) {
				t.Errorf("%s: edit %d of %s is %q", what, i, w.id, got)
			}
		}
		if n := countRows(t, d, `select count(*) from flow_edit where flow_id = $1 and client_id = $2
			and jsonb_array_length(steps) = 1`, flow, w.id); n != w.sequence {
			t.Errorf("%s: of %d edits of %s the log has %d", what, w.sequence, w.id, n)
		}
	}
	typed := 0
	for name := range read.Draft.Document {
		if len(name) > 2 && name[:2] == "k_" {
			typed++
		}
	}
	if typed != acknowledged || read.Draft.Revision != 1+acknowledged {
		t.Errorf("%s: %d edits were acknowledged, the draft has %d and is at revision %d",
			what, acknowledged, typed, read.Draft.Revision)
	}
}
