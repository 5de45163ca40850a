package e2e

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

const editMutation = `mutation($f: ID!, $b: Int!, $c: ID!, $s: Int!, $steps: [EditStepInput!]!) {
	editDraft(input: {flowId: $f, baseRevision: $b, clientId: $c, sequence: $s, steps: $steps}) { revision } }`

// draftClient sends batches to the draft of one flow.
type draftClient struct {
	studio         *Studio
	flow, id       string
	base, sequence int
}

func (c *draftClient) send(steps ...any) error {
	var data struct{ EditDraft struct{ Revision int } }
	err := Ask(c.studio.client, c.studio.url, editMutation, map[string]any{
		"f": c.flow, "b": c.base, "c": c.id, "s": c.sequence + 1, "steps": steps,
	}, &data)
	if err == nil {
		c.base, c.sequence = data.EditDraft.Revision, c.sequence+1
	}
	return err
}

func setMember(name string, value any) any {
	return map[string]any{"operations": []any{
		map[string]any{"op": "set", "node": "flow", "path": []string{name}, "value": value},
	}}
}

func newDraft(t *testing.T, d *Dev, studio *Studio) string {
	t.Helper()
	var made struct{ CreateFlow struct{ ID string } }
	studio.Query(`mutation($a: ID!) { createFlow(input: {appId: $a, name: "Edited"}) { id } }`,
		map[string]any{"a": d.Apps[0].ID}, &made)
	return made.CreateFlow.ID
}

// What was acknowledged is there after the server was killed, and what was under way is sent again and applied once.
func TestAcknowledgedEditsSurviveAKill(t *testing.T) {
	t.Parallel()
	d := StartDev(t, nil, "--demo=small")
	first := d.SignIn(t, d.BaseURL)
	flow := newDraft(t, d, first)
	server, address := d.Serve(t, "SVC_WARM_DAYS=0")
	client := &draftClient{studio: d.SignIn(t, address), flow: flow, id: uuid.NewString(), base: 1}
	for round := range 3 {
		kill := time.AfterFunc(time.Duration(200+round*137)*time.Millisecond, server.Kill)
		for client.send(setMember(fmt.Sprintf("x%d", client.sequence), client.sequence)) == nil {
			time.Sleep(60 * time.Millisecond) // a client may send 20 batches per second
		}
		kill.Stop()
		server.Kill()
		server, address = d.Serve(t, "SVC_WARM_DAYS=0")
		client.studio = d.SignIn(t, address)
		// The same batch, which the killed server may have applied.
		if err := client.send(setMember(fmt.Sprintf("x%d", client.sequence), client.sequence)); err != nil {
			t.Fatal(err)
		}
	}
	var read struct {
		Draft struct {
			Revision int
			Document map[string]any
		}
	}
	first.Query(`query($f: ID!) { draft(flowId: $f) { revision document } }`, map[string]any{"f": flow}, &read)
	if read.Draft.Revision != 1+client.sequence {
		t.Errorf("%d batches were acknowledged, and the draft is at revision %d", client.sequence, read.Draft.Revision)
	}
	for i := range client.sequence {
		if got := read.Draft.Document[fmt.Sprintf("x%d", i)]; got != float64(i) {
			t.Errorf("x%d is %v", i, got)
		}
	}
	if client.sequence < 6 {
		t.Errorf("only %d batches were sent", client.sequence)
	}
	// A draft at rest is stored as a whole by whichever server keeps the database in order.
	Until(t, 20*time.Second, "the draft is stored", func() error {
		if n := countRows(t, d, `select count(*) from flows where draft_stored_revision = draft_revision
			and draft ? 'x0' and id = $1`, flow); n != 1 {
			return errors.New("it is not")
		}
		return nil
	})
}

// The server bounds what a batch may be and how often one comes.
func TestWhatAnEditorMayNotSend(t *testing.T) {
	t.Parallel()
	d := StartDev(t, nil, "--demo=small")
	studio := d.SignIn(t, d.BaseURL)
	flow := newDraft(t, d, studio)
	fresh := func() *draftClient { return &draftClient{studio: studio, flow: flow, id: uuid.NewString(), base: 1} }
	deep := any("x")
	for range 2000 {
		deep = []any{deep}
	}
	many := make([]any, 201)
	for i := range many {
		many[i] = setMember("a", i)
	}
	code := func(err error) string {
		var refused *GraphQLError
		if !errors.As(err, &refused) {
			return fmt.Sprint(err)
		}
		return refused.Code
	}
	for name, steps := range map[string][]any{
		"many": many, "large": {setMember("a", strings.Repeat("x", 256<<10))}, "none": {},
		"nothing in it": {map[string]any{"operations": []any{}}},
		"no node":       {map[string]any{"operations": []any{map[string]any{"op": "remove"}}}},
		"too much":      {map[string]any{"operations": []any{map[string]any{"op": "remove", "node": "a", "from": "b"}}}},
		"no object": {map[string]any{"operations": []any{
			map[string]any{"op": "insert", "parent": "flow", "slot": "screens", "subtree": 1}}}},
	} {
		if got := code(fresh().send(steps...)); got != "invalid_input" {
			t.Errorf("%s: %s", name, got)
		}
	}
	if err := fresh().send(setMember("a", deep)); err != nil && code(err) == "internal" {
		t.Errorf("deep: %v", err)
	}
	// Several send at once as one client, so that a busy machine sends more than the limit too.
	var refused atomic.Bool
	var senders sync.WaitGroup
	fast, end := fresh(), time.Now().Add(2*time.Minute)
	for range 8 {
		sender := *fast
		senders.Go(func() {
			for !refused.Load() && time.Now().Before(end) {
				if code(sender.send(setMember("a", 1))) == "rate_limited" {
					refused.Store(true)
				}
			}
		})
	}
	senders.Wait()
	if !refused.Load() {
		t.Error("a client may send as often as it likes")
	}
	if d.Ended() {
		t.Error("the server has ended")
	}
}

func countRows(t *testing.T, d *Dev, query string, arguments ...any) (n int) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), d.DatabaseURL)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(t.Context())) }()
	if err := conn.QueryRow(t.Context(), query, arguments...).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}
