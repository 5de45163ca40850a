package automation_test

import (
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/ent/environment"
)

// Receivers of one workspace that accept and say nothing keep no webhook of another waiting, and each of them is probed
// with one message once it was silent.
func TestSilentReceiversOfOneWorkspaceHoldNobodyElse(t *testing.T) {
	w := newWorld(t)
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	connections := make(chan net.Conn, 10_000)
	go func() {
		for {
			c, err := silent.Accept()
			if err != nil {
				close(connections)
				return
			}
			connections <- c
		}
	}()
	t.Cleanup(func() {
		silent.Close()
		for c := range connections {
			c.Close()
		}
	})
	other := w.inAnotherWorkspace()
	// 198 endpoints with ten messages each.
	for _, kind := range []environment.Kind{environment.KindLive, environment.KindTest} {
		for range 99 {
			_, err := w.CreateEndpoint(w.owner, w.app, kind, "Silent", "http://"+silent.Addr().String())
			require.NoError(t, err)
		}
	}
	w.exec(`insert into webhook_delivery (environment_id, id, endpoint_id, node, app_user_id, body, state, next_attempt_at)
		select environment_id, gen_random_uuid(), id, '', 'x', '{}', 'pending', now()
		from webhook_endpoint, generate_series(1, 10) where name = 'Silent'`)
	w.eventually(func() bool { return len(connections) >= 200 }, "silent receivers hold senders")
	for _, person := range []string{"one", "two", "three"} {
		began := time.Now()
		other.track(person, "cart_abandoned", map[string]any{})
		other.eventually(func() bool {
			return other.count(`select count(*) from webhook_delivery where app_user_id = $1 and state = 'delivered'`, person) == 1
		}, "the other workspace's webhook is sent")
		t.Logf("the other workspace's webhook took %s", time.Since(began).Round(time.Millisecond))
		require.Less(t, time.Since(began), 5*time.Second)
	}
}
