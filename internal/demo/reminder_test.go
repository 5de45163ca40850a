package demo

import (
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/automation"
	"github.com/svc-dev/svc/webhook"
)

func TestTheDefinitionOfTheReminderIsOne(t *testing.T) {
	id := uuid.NewString()
	_, problems := automation.Parse([]byte(strings.NewReplacer("FLOW", id, "ENDPOINT", id).Replace(reminder)))
	require.Empty(t, problems)
}

func TestTheReceiverBelievesWhatIsSigned(t *testing.T) {
	receiver, secret := &Receiver{}, webhook.NewSecret()
	server := httptest.NewServer(receiver)
	defer server.Close()
	sender := webhook.NewSender(webhook.Options{Allowed: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}})
	defer sender.Close()
	send := func(id string, secret webhook.Secret, made, at time.Time) int {
		body := `{"timestamp": "` + made.UTC().Format(time.RFC3339) + `"}`
		return sender.Send(t.Context(), webhook.Message{
			ID: id, URL: server.URL, Body: []byte(body), Secrets: []webhook.Secret{webhook.NewSecret(), secret},
		}, at).Status
	}
	now := time.Now()
	require.Equal(t, http.StatusUnauthorized, send("msg_1", secret, now, now), "it knows no secret yet")
	require.Error(t, receiver.Believe("whsec_no"))
	require.NoError(t, receiver.Believe(secret.String()))
	require.Equal(t, http.StatusOK, send("msg_1", secret, now.Add(-time.Minute), now))
	require.Equal(t, http.StatusUnauthorized, send("msg_1", webhook.NewSecret(), now, now))
	require.Equal(t, http.StatusUnauthorized, send("msg_1", secret, now, now.Add(-6*time.Minute)), "an old one")
	busy := 0
	for range 200 {
		id := "msg_" + uuid.NewString()
		if send(id, secret, now.Add(time.Hour), now) == http.StatusServiceUnavailable {
			busy++
			require.Equal(t, http.StatusOK, send(id, secret, now.Add(-5*time.Second), now), "the second attempt")
		}
	}
	require.Greater(t, busy, 3)
	require.Less(t, busy, 60)
	large, err := http.Post(server.URL, "application/json", strings.NewReader(strings.Repeat(" ", webhook.MaxBody+1)))
	require.NoError(t, err)
	defer large.Body.Close()
	require.Equal(t, http.StatusUnauthorized, large.StatusCode)
}
