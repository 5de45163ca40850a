package e2e

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// liveStream is an open subscription.
type liveStream struct {
	began chan struct{}
	// ended has the code of the error that the stream ended with, or "".
	ended chan string
}

// watch opens a live stream; headers are pairs.
func (d *Dev) watch(t *testing.T, client *http.Client, headers ...string) *liveStream {
	t.Helper()
	body, err := json.Marshal(map[string]any{
		"query":     `subscription($a: ID!) { live(appId: $a) { count } }`,
		"variables": map[string]any{"a": d.Apps[0].ID},
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	t.Cleanup(cancel)
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, d.GraphQLURL, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "text/event-stream")
	for i := 0; i+1 < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	response, err := (&http.Client{Jar: client.Jar}).Do(request)
	if err != nil {
		t.Fatal(err)
	}
	s := &liveStream{began: make(chan struct{}, 1), ended: make(chan string, 1)}
	go func() {
		defer response.Body.Close()
		code := ""
		lines := bufio.NewScanner(response.Body)
		for lines.Scan() {
			data, found := strings.CutPrefix(lines.Text(), "data: ")
			if !found {
				continue
			}
			var event struct {
				Data   *struct{}
				Errors []struct{ Extensions struct{ Code string } }
			}
			if err := json.Unmarshal([]byte(data), &event); err != nil {
				t.Errorf("the stream sent %q: %v", data, err)
			}
			if len(event.Errors) > 0 {
				code = event.Errors[0].Extensions.Code
				continue
			}
			select {
			case s.began <- struct{}{}:
			default:
			}
		}
		s.ended <- code
	}()
	select {
	case <-s.began:
	case code := <-s.ended:
		t.Fatalf("the stream ended at once: %s", code)
	case <-time.After(30 * time.Second):
		t.Fatal("the stream says nothing")
	}
	return s
}

// endsWith fails unless the stream ends in time with an error of that code.
func (s *liveStream) endsWith(t *testing.T, name, code string) {
	t.Helper()
	select {
	case got := <-s.ended:
		if got != code {
			t.Errorf("%s: ended with %q, want %q", name, got, code)
		}
	case <-time.After(30 * time.Second):
		t.Errorf("%s: the stream goes on", name)
	}
}

// A stream ends within 30 s of losing the right to it, and says why; one that has
// the right goes on.
func TestLiveStreamsEndWithTheRight(t *testing.T) {
	t.Parallel()
	d := StartDev(t, nil, "--demo=none")
	admin := d.SignIn(t, d.BaseURL)
	var data struct {
		Viewer struct {
			Workspaces struct {
				Nodes []struct{ Workspace struct{ ID string } }
			}
		}
	}
	admin.Query(`{ viewer { workspaces { nodes { workspace { id } } } } }`, nil, &data)
	key := func() (id, secret string) {
		var made struct {
			CreateAPIKey struct {
				APIKey struct{ ID string }
				Secret string
			}
		}
		admin.Query(`mutation($w: ID!) { createApiKey(input: {workspaceId: $w, name: "k", scopes: [ANALYTICS_READ]}) { apiKey { id } secret } }`,
			map[string]any{"w": data.Viewer.Workspaces.Nodes[0].Workspace.ID}, &made)
		return made.CreateAPIKey.APIKey.ID, "Bearer " + made.CreateAPIKey.Secret
	}
	revokedID, revoked := key()
	shrunkID, shrunk := key()
	leaver := d.SignIn(t, d.BaseURL)
	byRevoked := d.watch(t, &http.Client{}, "Authorization", revoked)
	byShrunk := d.watch(t, &http.Client{}, "Authorization", shrunk)
	bySignedOut := d.watch(t, leaver.client)
	byMember := d.watch(t, admin.client)

	admin.Query(`mutation($k: ID!) { revokeApiKey(input: {id: $k}) { id } }`, map[string]any{"k": revokedID}, nil)
	leaver.Query(`mutation { signOut { email } }`, nil, nil)
	conn, err := pgx.Connect(t.Context(), d.DatabaseURL)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(t.Context()))
	execute := func(statement string, args ...any) {
		t.Helper()
		if tag, err := conn.Exec(t.Context(), statement, args...); err != nil || tag.RowsAffected() == 0 {
			t.Fatalf("%s: %d rows, %v", statement, tag.RowsAffected(), err)
		}
	}
	execute(`update api_keys set scopes = '["studio:read"]' where id = $1`, shrunkID)
	byRevoked.endsWith(t, "revoked key", "unauthenticated")
	byShrunk.endsWith(t, "key without the scope", "forbidden")
	bySignedOut.endsWith(t, "signed out", "unauthenticated")
	select {
	case code := <-byMember.ended:
		t.Fatalf("a stream with every right ended with %q", code)
	default:
	}
	execute(`delete from memberships`)
	byMember.endsWith(t, "no member any more", "not_found")
}
