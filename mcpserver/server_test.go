package mcpserver

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/account"
)

// send sends one message as somebody who has been identified.
func (d *door) send(t testing.TB, message string) *httptest.ResponseRecorder {
	t.Helper()
	key := uuid.New()
	r := httptest.NewRequest(http.MethodPost, "/mcp", strings.NewReader(message))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	answer := httptest.NewRecorder()
	c := &call{door: d, asker: asker{from: r}, caller: &account.Principal{KeyID: &key}}
	d.transport.ServeHTTP(answer, r.WithContext(context.WithValue(r.Context(), callKey{}, c)))
	require.Equal(t, http.StatusOK, answer.Code, answer.Body)
	return answer
}

const (
	ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	list = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
)

// TestAMessageMakesNoTools bounds what a message allocates: tools that are made for each would allocate several times
// as much.
func TestAMessageMakesNoTools(t *testing.T) {
	d := newDoor(Deps{})
	require.Less(t, testing.AllocsPerRun(20, func() { d.send(t, ping) }), 1000.0)
	require.Contains(t, d.send(t, list).Body.String(), `"flow_report"`)
}

// BenchmarkMessages measures a message that asks nothing, and the list of the tools.
func BenchmarkMessages(b *testing.B) {
	d := newDoor(Deps{})
	for name, message := range map[string]string{"ping": ping, "list": list} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				d.send(b, message)
			}
		})
	}
}
