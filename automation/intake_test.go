package automation_test

import (
	"context"
	"fmt"
	"net/netip"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/automation"
	"github.com/svc-dev/svc/automation/webhook"
	"github.com/svc-dev/svc/ingest"
)

// limited is a second server, which lets 100 enter a day, and its ingest.
func (w *world) limited() *world {
	w.t.Helper()
	other := *w
	var err error
	other.Automations, err = automation.New(w.db, automation.Options{
		Sender: webhook.NewSender(webhook.Options{Allowed: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}),
		Ring:   ring("a"), EntriesPerDay: 100, Logger: quiet,
	})
	require.NoError(w.t, err)
	require.NoError(w.t, other.Start(context.Background()))
	w.t.Cleanup(func() { require.NoError(w.t, other.Stop(context.Background())) })
	other.writer, err = ingest.New(w.db, ingest.Settings{}, ingest.Deps{Automations: other.Automations, Logger: quiet})
	require.NoError(w.t, err)
	require.NoError(w.t, other.writer.Start(context.Background()))
	w.t.Cleanup(func() { require.NoError(w.t, other.writer.Stop(context.Background())) })
	return &other
}

// Who has the public key of an app makes people up: the rows, the jobs and the messages of a day have a bound, in
// people and in bytes, over all servers.
func TestMadeUpPeopleAreBounded(t *testing.T) {
	w := newWorld(t)
	w.define(`{"trigger": {"type": "event", "event": "go"}, "nodes": [{"id": "end", "type": "exit"}]}`)
	one, two := w.limited(), w.limited()
	entered := func() int { return w.count(`select count(*) from automation_enrolment`) }
	counted := func(n int) {
		w.eventually(func() bool {
			return w.count(`select coalesce(sum(entered), 0)::int from automation_intake`) == n
		}, fmt.Sprintf("%d are counted", n))
	}
	for i := range 60 {
		one.track(fmt.Sprint("one-", i), "go", map[string]any{"n": i})
	}
	one.track("one-0", "go", nil) // who may not enter again does not count
	counted(60)
	one.track("large", "go", map[string]any{"text": strings.Repeat("x", 20<<10)})
	counted(60 + 1 + 20)
	// A server hears what others counted when it writes what it did.
	two.track("two-first", "go", nil)
	counted(60 + 1 + 20 + 1)
	for i := range 60 {
		two.track(fmt.Sprint("two-", i), "go", nil)
	}
	w.eventually(func() bool {
		two.track("late", "go", nil)
		one.track("later", "go", nil)
		return w.count(`select entered from automation_intake`) >= 100
	}, "the day is full")
	// Each server knows within a second what the other counted.
	w.eventually(func() bool {
		before := entered()
		one.track(fmt.Sprint("after-one-", before), "go", nil)
		two.track(fmt.Sprint("after-two-", before), "go", nil)
		return entered() == before
	}, "nobody enters any more")
	require.Less(t, entered(), 61+60+20)
	require.Equal(t, entered(), w.count(`select count(*) from automation_entry`))
	require.Less(t, w.count(`select count(*) from river.river_job`), 100)

	// The day of another environment, and a member's own hand, are not of this bound.
	before := entered()
	n, err := one.Enrol(w.owner, w.automation(), []string{"by hand"})
	require.NoError(t, err)
	require.Equal(t, 1, n)
	require.Equal(t, before+1, entered())
}

// automation returns the only automation.
func (w *world) automation() (id uuid.UUID) {
	w.t.Helper()
	require.NoError(w.t, w.db.Pool.QueryRow(context.Background(), `select id from automation`).Scan(&id))
	return id
}
