package automation_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Every login of the database may notify. What River would do with it, such as to pause its queues, keeps no work
// waiting.
func TestNotificationsOfOthersPauseNothing(t *testing.T) {
	w := newWorld(t).inAnotherWorkspace()
	sent := func(person string) {
		began := time.Now()
		w.track(person, "cart_abandoned", map[string]any{})
		w.eventually(func() bool {
			return w.count(`select count(*) from webhook_delivery where app_user_id = $1 and state = 'delivered'`, person) == 1
		}, "the webhook is sent")
		require.Less(t, time.Since(began), 8*time.Second, "found by a look, not by a poll")
	}
	sent("before")
	w.exec(`select pg_notify('river.river_control', '{"action": "pause", "queue": "*"}')`)
	w.exec(`select pg_notify('river.river_leadership', 'x')`)
	time.Sleep(time.Second)
	sent("after")
}
