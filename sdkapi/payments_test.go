package sdkapi_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
)

type openedAttempt struct {
	ID        string `json:"attemptId"`
	ExpiresAt time.Time
}

func (w *world) openAttempt() openedAttempt {
	w.t.Helper()
	x := w.send(attempts, attemptWith(""))
	require.Equal(w.t, http.StatusOK, x.status, "%s", x.body)
	var opened openedAttempt
	require.NoError(w.t, json.Unmarshal(x.body, &opened))
	return opened
}

func (w *world) attemptStatus(x *exchange) string {
	w.t.Helper()
	require.Equal(w.t, http.StatusOK, x.status, "%s", x.body)
	var answer struct{ AttemptID, Status string }
	require.NoError(w.t, json.Unmarshal(x.body, &answer))
	return answer.Status
}

// A payment from its beginning to the processor's word, as the web SDK sees it.
func TestCheckoutAttemptOverHTTP(t *testing.T) {
	w := newWorld(t)
	opened := w.openAttempt()
	require.WithinDuration(t, time.Now().Add(24*time.Hour), opened.ExpiresAt, time.Minute)
	one := attempts + "/" + opened.ID

	first := w.send(one, "", method("GET"))
	require.Equal(t, "pending", w.attemptStatus(first))
	require.JSONEq(t, fmt.Sprintf(`{"attemptId":%q,"status":"pending"}`, opened.ID), string(first.body))
	require.Equal(t, "no-store", first.header.Get("Cache-Control"))
	require.Empty(t, first.header.Get("ETag"))

	require.Equal(t, "cancelled", w.attemptStatus(w.send(one+"/cancel", "{}")))
	require.Equal(t, "cancelled", w.attemptStatus(w.send(one+"/cancel", "{}")))
	id := uuid.MustParse(opened.ID)
	confirmation, err := w.payments.ConfirmAttempt(t.Context(), w.app.Live.ID, id)
	require.NoError(t, err)
	require.Equal(t, "confirmed", string(confirmation))
	require.Equal(t, "confirmed", w.attemptStatus(w.send(one, "", method("GET"))))
	require.Equal(t, "confirmed", w.attemptStatus(w.send(one+"/cancel", "{}")))

	// Another environment's key does not reach it.
	x := w.send(
		one, "", method("GET"), header("Authorization", "Bearer "+w.app.Test.Key), channel(w.app.Test.Pinned(w.versions[0])),
	)
	require.Equal(t, "channel_not_found", x.code(), "the catalogue has not read the channel yet")
	other := w.app.Test.Pinned(w.versions[0])
	w.refresh()
	x = w.send(one, "", method("GET"), header("Authorization", "Bearer "+w.app.Test.Key), channel(other))
	require.Equal(t, "attempt_not_found", x.code())
}

// Below the attempts there are the two paths of one and nothing else.
func TestPathsBelowAttempts(t *testing.T) {
	w := newWorld(t)
	id := uuid.NewString()
	for _, path := range []string{
		attempts + "/", attempts + "/" + id + "/", attempts + "/" + id + "/confirm", attempts + "/" + id + "/cancel/",
		attempts + "/" + id + "/cancel/x",
	} {
		require.Equal(t, "not_found", w.send(path, "{}").code(), path)
	}
}
