package account

import (
	"context"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/internal/fault"
	"github.com/svc-dev/svc/postgres"
	"github.com/svc-dev/svc/postgres/pgtest"
)

const password = "correct horse"

// server is one of the servers on a database.
type server struct {
	*Accounts
	t       *testing.T
	db      *postgres.DB
	handler http.Handler
}

// work is what a request does; the handler of every server runs it.
type workKey struct{}

func newServer(t *testing.T, db *postgres.DB, opts Options) *server {
	s := &server{Accounts: New(db.Ent(), db.Pool, opts), t: t, db: db}
	s.hashing.maxWait = time.Minute // many hashes at once take long on a busy machine
	s.handler = s.Middleware(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		r.Context().Value(workKey{}).(func(context.Context))(r.Context())
	}))
	return s
}

// newWorld returns a server on a fresh database, where owner@example.com owns Acme.
func newWorld(t *testing.T) *server {
	t.Helper()
	s := newServer(t, pgtest.New(t), Options{})
	_, err := s.Bootstrap(t.Context(), "owner@example.com", password, "Acme")
	require.NoError(t, err)
	return s
}

// visitor is a browser: it keeps its cookie and has an address.
type visitor struct {
	*server
	address string
	mu      sync.Mutex
	cookie  *http.Cookie
}

func (s *server) visitor() *visitor { return &visitor{server: s, address: "192.0.2.1:1000"} }

// do runs a request of the visitor.
func (v *visitor) do(work func(ctx context.Context) error) (err error) {
	r := httptest.NewRequest(http.MethodPost, "/graphql", nil)
	r.RemoteAddr = v.address
	v.mu.Lock()
	if v.cookie != nil {
		r.AddCookie(v.cookie)
	}
	v.mu.Unlock()
	answer := httptest.NewRecorder()
	run := func(ctx context.Context) { err = work(ctx) }
	v.handler.ServeHTTP(answer, r.WithContext(context.WithValue(v.t.Context(), workKey{}, run)))
	for _, cookie := range answer.Result().Cookies() {
		v.mu.Lock()
		v.cookie = cookie
		v.mu.Unlock()
	}
	return err
}

func (v *visitor) signIn(email, password string) error {
	return v.do(func(ctx context.Context) error {
		_, err := v.SignIn(ctx, email, password, "")
		return err
	})
}

func (v *visitor) complete(token string) error {
	return v.do(func(ctx context.Context) error {
		_, err := v.CompleteSetup(ctx, SetupInput{Token: token, Password: password})
		return err
	})
}

func (v *visitor) accept(token string) error {
	return v.do(func(ctx context.Context) error {
		_, _, err := v.AcceptInvitation(ctx, token)
		return err
	})
}

// roles returns what the visitor is, by the names of workspaces.
func (v *visitor) roles() map[string]Role {
	v.t.Helper()
	roles := map[string]Role{}
	require.NoError(v.t, v.do(func(ctx context.Context) error {
		p, err := From(ctx)
		if err != nil {
			return err
		}
		for _, id := range p.Workspaces() {
			workspace, err := v.client.Workspace.Get(ctx, id)
			if err != nil {
				return err
			}
			roles[workspace.Name], _ = p.Role(id)
		}
		return nil
	}))
	return roles
}

// as returns a context in which the person with this e-mail is signed in. What
// they may do is what they could at this moment.
func (s *server) as(email string) context.Context {
	s.t.Helper()
	p, err := s.PrincipalOf(s.t.Context(), email)
	require.NoError(s.t, err)
	return With(s.t.Context(), p)
}

// workspace returns the id of the only workspace with this name.
func (s *server) workspace(name string) uuid.UUID {
	s.t.Helper()
	var id uuid.UUID
	require.NoError(s.t, s.pool.QueryRow(s.t.Context(), `select id from workspaces where name = $1`, name).Scan(&id))
	return id
}

// create makes a workspace for the person.
func (s *server) create(owner, name string) uuid.UUID {
	s.t.Helper()
	made, err := s.CreateWorkspace(s.as(owner), name)
	require.NoError(s.t, err)
	return made.ID
}

// invite returns the token of a new invitation to the workspace with this name.
func (s *server) invite(inviter, workspace, email string, role Role) string {
	s.t.Helper()
	made, err := s.Invite(s.as(inviter), s.workspace(workspace), email, role)
	require.NoError(s.t, err)
	return made.SetupToken
}

// join makes a person with an account and a membership.
func (s *server) join(workspace, email string, role Role) *visitor {
	s.t.Helper()
	v := s.visitor()
	require.NoError(s.t, v.complete(s.invite("owner@example.com", workspace, email, role)))
	return v
}

// userID returns the id of the person with this e-mail.
func (s *server) userID(email string) uuid.UUID {
	s.t.Helper()
	p, err := s.PrincipalOf(s.t.Context(), email)
	require.NoError(s.t, err)
	return p.UserID
}

// count returns the number that a query answers.
func (s *server) count(query string, args ...any) (n int) {
	s.t.Helper()
	require.NoError(s.t, s.pool.QueryRow(s.t.Context(), query, args...).Scan(&n))
	return n
}

// actions returns the audit trail of a workspace, oldest first.
func (s *server) actions(workspace string) (actions []string) {
	s.t.Helper()
	rows, err := s.pool.Query(s.t.Context(),
		`select action from audit_entries where workspace_id = $1 order by id`, s.workspace(workspace))
	require.NoError(s.t, err)
	defer rows.Close()
	for rows.Next() {
		var action string
		require.NoError(s.t, rows.Scan(&action))
		actions = append(actions, action)
	}
	return actions
}

func requireCode(t *testing.T, code fault.Code, err error, message ...any) {
	t.Helper()
	require.Truef(t, fault.Is(err, code), "want %s, got %v %v", code, err, message)
}

// atOnce runs n calls at the same time and returns their errors.
func atOnce(n int, call func(i int) error) []error {
	errs, start := make([]error, n), make(chan struct{})
	var wait sync.WaitGroup
	for i := range n {
		wait.Go(func() {
			<-start
			errs[i] = call(i)
		})
	}
	close(start)
	wait.Wait()
	return errs
}

// taken returns what a limit has counted.
func (s *server) taken(l limit, of string) int {
	s.t.Helper()
	return s.count(`select coalesce(sum(taken), 0) from rate_limit where subject = $1`, l.subject(of))
}

// takeAlmostAll counts up to one less than the limit allows.
func (s *server) takeAlmostAll(l limit, of string) {
	s.t.Helper()
	_, err := s.pool.Exec(
		s.t.Context(), `insert into rate_limit values ($1, $2, now() + interval '1 hour')`, l.subject(of), l.most-1,
	)
	require.NoError(s.t, err)
}

// endWindows lets the windows of all limits end.
func (s *server) endWindows() {
	s.t.Helper()
	_, err := s.pool.Exec(s.t.Context(), `update rate_limit set ends_at = now()`)
	require.NoError(s.t, err)
}

// weekLater returns a clock that stands after every set-up link expired.
func weekLater() time.Time { return time.Now().Add(setupLifetime + time.Second) }
