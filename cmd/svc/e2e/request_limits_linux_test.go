package e2e

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// limited is a server of which strangers, viewers and editors take as much as they can, one kind of request after the
// other. The second app is of another workspace.
type limited struct {
	d         *Dev
	studio    *Studio
	apps      [2]string
	keys      [2]string // publishable ones
	workspace [2]string
	conn      *pgx.Conn
}

// What docs/operations.md says of each kind of request, tried against the program.
func TestLimitsOfRequests(t *testing.T) {
	d := StartDev(t, []string{"SVC_RATE_LIMIT_KEY=0", "SVC_RATE_LIMIT_ADDRESS=0"}, "--demo=none", "--packages", packedFolder(t))
	conn, err := pgx.Connect(t.Context(), d.DatabaseURL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	l := &limited{d: d, studio: d.SignIn(t, d.BaseURL), conn: conn}
	l.apps[0], l.keys[0] = d.Apps[0].ID, d.Apps[0].Environments["live"].PublishableKey
	if err := conn.QueryRow(t.Context(), `select workspace_id from apps where id = $1`, l.apps[0]).Scan(&l.workspace[0]); err != nil {
		t.Fatal(err)
	}
	l.workspace[1], l.apps[1], l.keys[1] = l.studio.newTenant("Elsewhere")
	for _, part := range []struct {
		name string
		run  func(*limited, *testing.T)
	}{
		{"records", (*limited).boundRecords},
		{"sign-in", (*limited).boundHashing},
		{"archives", (*limited).boundArchives},
		{"streams", (*limited).boundStreams},
		{"webhooks", (*limited).boundWebhooks},
		{"packages", (*limited).boundPackages},
		{"invitations", (*limited).boundInvitations},
	} {
		t.Run(part.name, func(t *testing.T) {
			l.studio.t = t
			part.run(l, t)
		})
	}
}

// newTenant makes a workspace with an app.
func (s *Studio) newTenant(name string) (workspace, app, key string) {
	s.t.Helper()
	var made struct{ CreateWorkspace struct{ ID string } }
	s.Query(`mutation($n: String!) { createWorkspace(input: {name: $n}) { id } }`, map[string]any{"n": name}, &made)
	var in struct {
		CreateApp struct {
			ID          string
			Environment struct {
				PublishableKeys struct{ Nodes []struct{ Key string } }
			}
		}
	}
	s.Query(`mutation($w: ID!, $n: String!) { createApp(input: {workspaceId: $w, name: $n}) {
		id environment(kind: LIVE) { publishableKeys(first: 1) { nodes { key } } } } }`,
		map[string]any{"w": made.CreateWorkspace.ID, "n": name}, &in)
	return made.CreateWorkspace.ID, in.CreateApp.ID, in.CreateApp.Environment.PublishableKeys.Nodes[0].Key
}

func (l *limited) identify(key string, body any) (Answer, error) {
	return Do(http.DefaultClient, http.MethodPost, l.d.BaseURL+"/v1/sdk/identify", body, "Authorization", "Bearer "+key)
}

// Records of a workspace that all stall have four connections, and those of another go on.
func (l *limited) boundRecords(t *testing.T) {
	stalled := map[string]any{"appUserId": "first", "customUserId": "stalled"}
	if answer, err := l.identify(l.keys[0], stalled); err != nil || answer.Status != http.StatusOK {
		t.Fatalf("%v %d %s", err, answer.Status, answer.Body)
	}
	tx, err := l.conn.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback(context.Background()) }()
	if _, err := tx.Exec(t.Context(), `select from person where custom_user_id = 'stalled' for update`); err != nil {
		t.Fatal(err)
	}
	waiting := func() (n int) {
		if err := tx.QueryRow(t.Context(), `select count(*) from pg_locks where not granted`).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	var all sync.WaitGroup
	var statuses sync.Map
	for i := range 30 {
		all.Go(func() {
			answer, err := l.identify(l.keys[0], map[string]any{"appUserId": fmt.Sprint("d", i), "customUserId": "stalled"})
			if err != nil {
				t.Error(err)
			}
			statuses.Store(answer.Status, true)
		})
	}
	Until(t, time.Minute, "records wait", func() error {
		if n := waiting(); n < 4 {
			return fmt.Errorf("%d do", n)
		}
		return nil
	})
	for i := range 10 {
		answer, err := l.identify(l.keys[1], map[string]any{"appUserId": fmt.Sprint("d", i)})
		if err != nil || answer.Status != http.StatusOK {
			t.Errorf("of another workspace: %v %d %s", err, answer.Status, answer.Body)
		}
		if n := waiting(); n > 4 {
			t.Fatalf("records of one workspace have %d connections", n)
		}
	}
	all.Wait() // each is answered within its four seconds
	statuses.Range(func(status, _ any) bool {
		if status != http.StatusServiceUnavailable {
			t.Errorf("a record that stalls is answered %d", status)
		}
		return true
	})
	answer, err := l.identify(l.keys[1], map[string]any{"appUserId": strings.Repeat("x", 64<<10)})
	if err != nil || answer.Status != http.StatusRequestEntityTooLarge {
		t.Errorf("more than 64 KiB: %v %d %s", err, answer.Status, answer.Body)
	}
}

const signIn = `mutation($e: String!, $p: String!) { signIn(input: {email: $e, password: $p}) { email } }`

func (l *limited) signIn(client *http.Client, email, password string) (code string) {
	var failed *GraphQLError
	switch err := Ask(client, l.d.GraphQLURL, signIn, map[string]any{"e": email, "p": password}, nil); {
	case err == nil:
		return ""
	case errors.As(err, &failed):
		return failed.Code
	default:
		return err.Error()
	}
}

// Whoever sends passwords has one of them compared at a time, and ten of an email, a hundred in all; others sign in
// meanwhile.
func (l *limited) boundHashing(t *testing.T) {
	attacker, before := clientAt(net.IPv4(127, 0, 0, 2)), l.d.PeakMemory()
	var compared atomic.Int64
	var all sync.WaitGroup
	for i := range 60 {
		all.Go(func() {
			if code := l.signIn(attacker, fmt.Sprintf("nobody%d@example.com", i), "wrong"); code == "unauthenticated" {
				compared.Add(1)
			} else if code != "rate_limited" { // after ten seconds in line
				t.Errorf("answered %s", code)
			}
		})
	}
	Until(t, time.Minute, "passwords are compared", func() error {
		if compared.Load() < 3 {
			return errors.New("none yet")
		}
		return nil
	})
	var waited []int64
	for range 3 {
		already := compared.Load()
		if code := l.signIn(Browser(), l.d.Admin.Email, l.d.Admin.Password); code != "" {
			t.Errorf("somebody else: %s", code)
		}
		waited = append(waited, compared.Load()-already)
	}
	all.Wait()
	if t.Log("others waited for", waited); slices.Min(waited) > 4 { // of the eight whose turn comes
		t.Errorf("others waited for %d passwords", waited)
	}
	if grown := l.d.PeakMemory() - before; grown > 150<<20 {
		t.Errorf("took %d MiB", grown>>20)
	}
	codes := map[string]int{}
	for range 15 {
		codes[l.signIn(attacker, "nobody@example.com", "wrong")]++
	}
	if codes["unauthenticated"] != 10 || codes["rate_limited"] != 5 {
		t.Errorf("of one email: %v", codes)
	}
	for i := range 60 {
		codes[l.signIn(attacker, fmt.Sprintf("further%d@example.com", i), "wrong")]++
	}
	if n := int(compared.Load()) + codes["unauthenticated"]; n > 100 {
		t.Errorf("%d passwords of an address were compared", n)
	}
	if code := l.signIn(Browser(), l.d.Admin.Email, l.d.Admin.Password); code != "" {
		t.Errorf("somebody else, after it: %s", code)
	}
}

// An archive is given in pages of about 1 MiB, however much is stored of a person.
func (l *limited) boundArchives(t *testing.T) {
	const records, each = 600, 20_000
	if _, err := l.conn.Exec(t.Context(), `
		insert into product_event (environment_id, occurred_at, received_at, event_key, name, app_user_id, properties)
		select e.id, now() - n * interval '1 minute', now(), gen_random_uuid(), 'note', 'large',
			jsonb_build_object('n', repeat('x', $3))
		from environments e, generate_series(1, $2) n where e.kind = 'live' and e.app_id = $1`, l.apps[0], records, each); err != nil {
		t.Fatal(err)
	}
	before, found, pages := l.d.PeakMemory(), 0, 0
	for input := map[string]any{"appId": l.apps[0], "environment": "LIVE", "appUserId": "large"}; ; pages++ {
		answer, err := Do(l.studio.client, http.MethodPost, l.d.GraphQLURL, map[string]any{
			"query":     `mutation($i: ExportPersonInput!) { exportPerson(input: $i) { records { table row } endCursor } }`,
			"variables": map[string]any{"i": input},
		})
		if err != nil || answer.Status != http.StatusOK {
			t.Fatalf("%v %d %s", err, answer.Status, answer.Body)
		}
		if len(answer.Body) > 3<<19 {
			t.Errorf("a page has %d bytes", len(answer.Body))
		}
		var page struct {
			Data struct {
				ExportPerson struct {
					Records   []struct{ Table string }
					EndCursor string
				}
			}
		}
		answer.Decode(t, &page)
		for _, r := range page.Data.ExportPerson.Records {
			if r.Table == "product_event" {
				found++
			}
		}
		if page.Data.ExportPerson.EndCursor == "" {
			break
		}
		input["after"] = page.Data.ExportPerson.EndCursor
	}
	if found != records || pages < records*each>>20 {
		t.Errorf("%d events on %d pages", found, pages+1)
	}
	if grown := l.d.PeakMemory() - before; grown > 64<<20 {
		t.Errorf("took %d MiB", grown>>20)
	}
}

// A caller has fifty streams and a person two hundred with all of their keys, which keeps nobody else from theirs.
func (l *limited) boundStreams(t *testing.T) {
	_, greedy := l.studio.key(l.workspace[0], "ANALYTICS_READ")
	_, other := l.studio.key(l.workspace[0], "ANALYTICS_READ")
	open := func(key string) *http.Response {
		body := []byte(`{"query":"subscription($a: ID!) { live(appId: $a) { count } }","variables":{"a":"` + l.apps[0] + `"}}`)
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, l.d.GraphQLURL, bytes.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		for name, value := range map[string]string{
			"Content-Type": "application/json", "Accept": "text/event-stream", "Authorization": "Bearer " + key,
		} {
			request.Header.Set(name, value)
		}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { response.Body.Close() })
		return response
	}
	for i := range 50 {
		if response := open(greedy); response.StatusCode != http.StatusOK {
			t.Fatalf("stream %d is answered %d", i+1, response.StatusCode)
		}
	}
	for range 5 {
		if response := open(greedy); response.StatusCode != http.StatusTooManyRequests {
			t.Errorf("one more is answered %d", response.StatusCode)
		}
	}
	if response := open(other); response.StatusCode != http.StatusOK {
		t.Errorf("that of another caller is answered %d", response.StatusCode)
	}
	opened := 51
	for keys := 0; keys < 4; keys++ {
		_, more := l.studio.key(l.workspace[0], "ANALYTICS_READ")
		for range 50 {
			if open(more).StatusCode == http.StatusOK {
				opened++
			}
		}
	}
	if opened != 200 {
		t.Errorf("a person with six keys has %d streams", opened)
	}
	large, err := Do(http.DefaultClient, http.MethodPost, l.d.GraphQLURL,
		`{"query":"subscription { live { count } }","variables":{"a":"`+strings.Repeat("x", 64<<10)+`"}}`,
		"Authorization", "Bearer "+other, "Accept", "text/event-stream")
	if err != nil || large.Status != http.StatusRequestEntityTooLarge {
		t.Errorf("a body of more than 64 KiB: %v %d", err, large.Status)
	}
}

// Receivers of one workspace that accept and say nothing hold half of the senders; the webhook of another is sent.
func (l *limited) boundWebhooks(t *testing.T) {
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var held []net.Conn
	var accepting sync.WaitGroup
	accepting.Go(func() {
		for {
			c, err := silent.Accept()
			if err != nil {
				return
			}
			mu.Lock()
			held = append(held, c)
			mu.Unlock()
		}
	})
	t.Cleanup(func() {
		_ = silent.Close()
		accepting.Wait()
		for _, c := range held {
			_ = c.Close()
		}
	})
	const endpoints, messages = 90, 10
	for range endpoints {
		l.studio.Query(`mutation($a: ID!, $u: String!) { createWebhookEndpoint(input: {appId: $a, environment: LIVE,
			name: "Silent", url: $u}) { endpoint { id } } }`,
			map[string]any{"a": l.apps[0], "u": "http://" + silent.Addr().String()}, nil)
	}
	if _, err := l.conn.Exec(t.Context(), `
		insert into webhook_delivery (environment_id, id, endpoint_id, node, app_user_id, body, state, next_attempt_at)
		select environment_id, gen_random_uuid(), id, '', 'x', '{}', 'pending', now()
		from webhook_endpoint, generate_series(1, $1) where name = 'Silent'`, messages); err != nil {
		t.Fatal(err)
	}
	Until(t, time.Minute, "silent receivers hold senders", func() error {
		mu.Lock()
		defer mu.Unlock()
		if len(held) < 50 {
			return fmt.Errorf("%d connections", len(held))
		}
		return nil
	})
	receiver := newHooks(t)
	other := *l.d
	other.Apps = []App{{ID: l.apps[1]}}
	newSender(&other, l.studio, receiver.URL, "{{person.appUserId}}")
	time.Sleep(2 * time.Second) // servers look for what is automated every second
	walk := newEvent("walker", "s")
	walk["name"] = "go"
	began := time.Now()
	if answer, err := Do(http.DefaultClient, http.MethodPost, l.d.BaseURL+"/v1/sdk/track", walk,
		"Authorization", "Bearer "+l.keys[1]); err != nil || answer.Status != http.StatusOK {
		t.Fatalf("%v %d %s", err, answer.Status, answer.Body)
	}
	Until(t, 20*time.Second, "the webhook of another workspace is sent", func() error {
		if len(receiver.of("walker")) == 0 {
			return errors.New("not yet")
		}
		return nil
	})
	mu.Lock()
	defer mu.Unlock()
	if len(held) > 8*50 {
		t.Errorf("silent receivers hold %d connections", len(held))
	}
	t.Logf("after %s, beside %d connections to silent receivers", time.Since(began).Round(time.Millisecond), len(held))
}

// What is served of the SDKs is made once, whoever asks for it at once, and nothing else is there.
func (l *limited) boundPackages(t *testing.T) {
	files := map[string][]byte{"/svc.js": nil, "/sdk/svc-core-0.1.0.tgz": nil}
	for path := range files {
		answer := get(t, l.d.BaseURL+path)
		if files[path] = answer.Body; answer.Status != http.StatusOK || len(answer.Body) == 0 {
			t.Fatalf("%s: %d", path, answer.Status)
		}
	}
	before := l.d.PeakMemory()
	var all sync.WaitGroup
	for range 100 {
		all.Go(func() {
			for path, want := range files {
				answer, err := Do(http.DefaultClient, http.MethodGet, l.d.BaseURL+path, nil)
				if err != nil || !bytes.Equal(answer.Body, want) {
					t.Errorf("%s: %v %d", path, err, answer.Status)
				}
			}
			for _, path := range []string{"/sdk/packages.txt", "/sdk/%2e%2e/packages.txt", "/sdk/" + uuid.NewString() + ".tgz"} {
				answer, err := Do(http.DefaultClient, http.MethodGet, l.d.BaseURL+path, nil)
				if err != nil || answer.Status != http.StatusNotFound {
					t.Errorf("%s: %v %d", path, err, answer.Status)
				}
			}
		})
	}
	all.Wait()
	if grown := l.d.PeakMemory() - before; grown > 64<<20 {
		t.Errorf("took %d MiB", grown>>20)
	}
}

// A person makes a hundred invitations and API keys and ten workspaces a day.
func (l *limited) boundInvitations(t *testing.T) {
	for table, c := range map[string]struct {
		document string
		most     int
		others   int // made by the server when it began
	}{
		"invitations": {`mutation($w: ID!, $n: String!) { inviteMember(input: {workspaceId: $w, email: $n, role: VIEWER}) { setupToken } }`, 100, 0},
		"api_keys":    {`mutation($w: ID!, $n: String!) { createApiKey(input: {workspaceId: $w, name: $n, scopes: [AUDIT_READ]}) { secret } }`, 100, 0},
		"workspaces":  {`mutation($n: String!) { createWorkspace(input: {name: $n}) { id } }`, 10, 1},
	} {
		made := countRows(t, l.d, `select count(*) from `+table) - c.others // for other parts
		for i := range c.most + 5 {
			variables := map[string]any{"n": fmt.Sprintf("n%d@example.com", i)}
			if strings.Contains(c.document, "$w") {
				variables["w"] = l.workspace[1]
			}
			err := Ask(l.studio.client, l.d.GraphQLURL, c.document, variables, nil)
			var failed *GraphQLError
			switch {
			case err == nil:
				made++
			case !errors.As(err, &failed) || failed.Code != "rate_limited":
				t.Errorf("%s: %v", table, err)
			}
		}
		if made != c.most {
			t.Errorf("%d %s were made", made, table)
		}
	}
}
