package account

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/internal/fault"
)

// tally counts errors by their code.
func tally(errs []error) map[fault.Code]int {
	codes := map[fault.Code]int{}
	for _, err := range errs {
		var known *fault.Error
		switch {
		case err == nil:
			codes[""]++
		case errors.As(err, &known):
			codes[known.Code]++
		default:
			codes[fault.Internal]++
		}
	}
	return codes
}

// However many wrong passwords arrive at once, on however many servers, ten are
// compared; the right one is then refused too, until the window ends.
func TestTenPasswordsOfAnEMailAreComparedInAWindow(t *testing.T) {
	t.Parallel()
	here := newWorld(t)
	there := newServer(t, here.db, Options{})
	errs := atOnce(200, func(i int) error {
		v := []*server{here, there}[i%2].visitor()
		v.address = fmt.Sprintf("192.0.2.%d:1", i)
		return v.signIn("owner@example.com", "wrong")
	})
	require.Equal(t, map[fault.Code]int{fault.Unauthenticated: 10, fault.RateLimited: 190}, tally(errs))

	err := there.visitor().signIn(" OWNER@example.com", password)
	requireCode(t, fault.RateLimited, err)
	var known *fault.Error
	require.ErrorAs(t, err, &known)
	require.InDelta(t, 15*60, known.Details["retryAfter"], 60)
	require.Contains(t, known.Message, "15 minutes")
	here.endWindows()
	require.NoError(t, here.visitor().signIn("owner@example.com", password))
}

// A success begins to count anew, and nothing of it counts against the address.
func TestASuccessCostsNothing(t *testing.T) {
	t.Parallel()
	s := newWorld(t)
	v := s.visitor()
	for range 3 {
		for range failedSignIns.most - 1 {
			requireCode(t, fault.Unauthenticated, v.signIn("owner@example.com", "wrong"))
		}
		require.NoError(t, v.signIn("owner@example.com", password))
	}
	require.Equal(t, 27, s.taken(failedSignInsFrom, "192.0.2.1"))
	require.Zero(t, s.taken(failedSignIns, "owner@example.com"))
}

// Who tries many e-mails from one address is refused; others are not. An IPv6
// network is one address.
func TestAnAddressIsLimited(t *testing.T) {
	t.Parallel()
	s := newServer(t, newWorld(t).db, Options{TrustedProxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}})
	s.takeAlmostAll(failedSignInsFrom, "2001:db8::/64")
	v, other := s.visitor(), s.visitor()
	v.address, other.address = "[2001:db8::1]:1", "[2001:db8:0:1::1]:1"
	requireCode(t, fault.Unauthenticated, v.signIn("a@example.com", "wrong"))
	v.address = "[2001:db8::2]:1"
	requireCode(t, fault.RateLimited, v.signIn("b@example.com", "wrong"))
	require.Zero(t, s.taken(failedSignIns, "b@example.com"), "a refused address does not use up somebody's attempts")
	require.NoError(t, other.signIn("owner@example.com", password))
}

// A request that leaves while it waits for its turn has compared nothing.
func TestAnAttemptThatWasNotMadeIsGivenBack(t *testing.T) {
	t.Parallel()
	s := newWorld(t)
	s.hashing = oneSlot()
	release := occupySlot(t, s.hashing)
	s.hashing.maxWait = time.Millisecond
	v := s.visitor()
	for range failedSignIns.most + 1 {
		requireCode(t, fault.RateLimited, v.signIn("owner@example.com", password))
	}
	release()
	s.hashing.maxWait = time.Minute
	require.NoError(t, v.signIn("owner@example.com", password))
	require.Zero(t, s.taken(failedSignInsFrom, "192.0.2.1"))
}

func TestGuessesOfTheCurrentPasswordAreLimited(t *testing.T) {
	t.Parallel()
	s := newWorld(t)
	v := s.visitor()
	require.NoError(t, v.signIn("owner@example.com", password))
	change := func(current string) error {
		return v.do(func(ctx context.Context) error { return s.ChangePassword(ctx, current, "another horse") })
	}
	errs := atOnce(40, func(int) error { return change("wrong") })
	require.Equal(t, map[fault.Code]int{fault.InvalidInput: 10, fault.RateLimited: 30}, tally(errs))
	requireCode(t, fault.RateLimited, change(password))
	require.NoError(t, s.visitor().signIn("owner@example.com", password), "signing in has a count of its own")
	s.endWindows()
	require.NoError(t, change(password))
	require.NoError(t, s.visitor().signIn("owner@example.com", "another horse"))
}

// Strangers who use up somebody's sign-ins do not keep them from changing the
// password.
func TestStrangersDoNotBlockAChangeOfPassword(t *testing.T) {
	t.Parallel()
	s := newWorld(t)
	v := s.visitor()
	require.NoError(t, v.signIn("owner@example.com", password))
	for range failedSignIns.most {
		requireCode(t, fault.Unauthenticated, s.visitor().signIn("owner@example.com", "wrong"))
	}
	require.NoError(t, v.do(func(ctx context.Context) error {
		return s.ChangePassword(ctx, password, "another horse")
	}))
	require.Equal(t, map[string]Role{"Acme": Owner}, v.roles())
}

func TestSetUpsFromAnAddressAreLimited(t *testing.T) {
	t.Parallel()
	s := newWorld(t)
	s.takeAlmostAll(setUpsFrom, "192.0.2.1")
	s.join("Acme", "last@example.com", Viewer)
	token := s.invite("owner@example.com", "Acme", "late@example.com", Viewer)
	v := s.visitor()
	requireCode(t, fault.RateLimited, v.complete(token))
	v.address = "192.0.2.2:1"
	require.NoError(t, v.complete(token))
}

func TestSessionsOfAPersonAreLimited(t *testing.T) {
	t.Parallel()
	s := newWorld(t)
	s.takeAlmostAll(signIns, s.userID("owner@example.com").String())
	require.NoError(t, s.visitor().signIn("owner@example.com", password))
	requireCode(t, fault.RateLimited, s.visitor().signIn("owner@example.com", password))
	require.Equal(t, 1, s.count(`select count(*) from web_session`))
}

func TestWorkspacesAreLimited(t *testing.T) {
	t.Parallel()
	s := newWorld(t)
	ctx := s.as("owner@example.com")
	create := func(int) error {
		_, err := s.CreateWorkspace(ctx, "One more")
		return err
	}
	errs := atOnce(workspacesCreated.most+20, create)
	require.Equal(t, map[fault.Code]int{"": workspacesCreated.most, fault.RateLimited: 20}, tally(errs))
	for s.count(`select count(*) from memberships where role = 'owner'`) < maxOwned {
		s.endWindows()
		require.NoError(t, create(0))
	}
	s.endWindows()
	requireCode(t, fault.Conflict, create(0))
	require.Equal(t, maxOwned, s.count(`select count(*) from workspaces`))
}

func TestLimitsWaitInWords(t *testing.T) {
	t.Parallel()
	for wait, want := range map[time.Duration]string{
		time.Second: "a minute", time.Minute: "a minute", 61 * time.Second: "2 minutes", 15 * time.Minute: "15 minutes",
		time.Hour: "60 minutes", time.Hour + 1: "2 hours", day: "24 hours",
	} {
		require.Equal(t, want, formatWait(wait))
	}
}
