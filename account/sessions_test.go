package account

import (
	"context"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/internal/fault"
)

func (v *visitor) list() (list []*Session) {
	v.t.Helper()
	require.NoError(v.t, v.do(func(ctx context.Context) (err error) {
		list, err = v.Sessions(ctx)
		return err
	}))
	return list
}

func TestSessionsAreListedAndEnded(t *testing.T) {
	t.Parallel()
	s, c := newSignInWorld(t)
	here, there := s.visitor(), s.visitor()
	there.address = "198.51.100.7:5"
	require.NoError(t, here.signIn("owner@example.com", password))
	require.NoError(t, there.signIn("owner@example.com", password))
	member := s.join("Acme", "editor@example.com", Editor)

	list := here.list()
	require.Len(t, list, 2)
	require.True(t, list[0].Current)
	require.Equal(t, "192.0.2.1", list[0].Address)
	require.False(t, list[1].Current)
	require.Equal(t, "198.51.100.7", list[1].Address)
	require.Equal(t, ByPassword, list[1].Method)
	end := func(id uuid.UUID) func(context.Context) error {
		return func(ctx context.Context) error { return s.EndSession(ctx, id) }
	}
	requireCode(t, fault.NotFound, member.do(end(list[1].ID)), "somebody else's")
	requireCode(t, fault.Unauthenticated, s.visitor().do(end(list[1].ID)))
	require.NoError(t, here.do(end(list[1].ID)))
	requireCode(t, fault.Unauthenticated, there.do(func(ctx context.Context) error { return RequirePerson(ctx) }))

	require.NoError(t, there.signIn("owner@example.com", password))
	require.NoError(t, there.signIn("owner@example.com", password))
	require.Len(t, here.list(), 2, "signing in again in the same browser replaces its session")
	require.NoError(t, here.do(func(ctx context.Context) error {
		ended, err := s.EndOtherSessions(ctx)
		require.Equal(t, 1, ended)
		return err
	}))
	require.Len(t, here.list(), 1)
	require.Len(t, member.list(), 1, "those of others go on")

	here.address = "203.0.113.9:1"
	c.at = c.at.Add(seenEvery + time.Minute)
	here.list()
	require.Equal(t, "203.0.113.9", here.list()[0].Address)
	require.WithinDuration(t, c.at, here.list()[0].LastSeenAt, time.Second)
}

func TestAPersonHasAHundredSessions(t *testing.T) {
	t.Parallel()
	s, _ := newSignInWorld(t)
	v := s.visitor()
	require.NoError(t, v.signIn("owner@example.com", password))
	_, err := s.pool.Exec(t.Context(), `
		insert into web_session (token, data, expiry, user_id, seen_at)
		select 'old' || n, '', now() + interval '1 day', $1, now() - interval '1 day' - n * interval '1 minute'
		from generate_series(1, 150) n`, s.userID("owner@example.com"))
	require.NoError(t, err)
	require.NoError(t, s.visitor().signIn("owner@example.com", password))
	require.Len(t, v.list(), maxSessions)
	require.Equal(t, 0, s.count(`select count(*) from web_session where token = 'old150'`), "the oldest ended")
}

func TestDevicesAreNamed(t *testing.T) {
	t.Parallel()
	const firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
	for agent, want := range map[string]string{
		firefox: "Firefox on Linux", "": "", "curl/8.1": "curl",
		"\x00\xff<script>/1 (" + strings.Repeat("é", 1000): "",
	} {
		r := httptest.NewRequest("GET", "/", nil)
		r.Header.Set("User-Agent", agent)
		got := deviceOf(r)
		require.LessOrEqual(t, len(got), 84)
		if want != "" || agent == "" {
			require.Equal(t, want, got)
		}
	}
}
