package resolvers_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/account"
)

func TestSignInAndOut(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := w.client()
	require.Equal(
		t, "unauthenticated",
		c.do(`mutation { signIn(input: {email: "owner@example.com", password: "wrong"}) { email } }`, nil).code(),
	)
	require.Equal(
		t, "unauthenticated",
		c.do(`mutation { signIn(input: {email: "nobody@example.com", password: "wrong"}) { email } }`, nil).code(),
	)
	in := c.must(
		`mutation { signIn(input: {email: " Owner@Example.com ", password: "`+password+`"}) { email workspaces { nodes { role capabilities } } } }`,
		nil,
	)
	require.Equal(t, "OWNER", in.at(t, "signIn", "workspaces", "nodes", 0, "role"))
	require.Len(t, in.at(t, "signIn", "workspaces", "nodes", 0, "capabilities"), len(account.AllCapabilities()))
	cookie := in.header.Get("Set-Cookie")
	require.Contains(t, cookie, "svc_session=")
	require.Contains(t, cookie, "HttpOnly")
	require.Contains(t, cookie, "SameSite=Lax")
	require.Equal(t, "owner@example.com", c.text(`{ viewer { email } }`, nil, "viewer", "email"))

	address, err := url.Parse(w.server.URL)
	require.NoError(t, err)
	stolen := c.http.Jar.Cookies(address)
	c.must(`mutation { signOut { email } }`, nil)
	require.Nil(t, c.must(`{ viewer { email } }`, nil).Data["viewer"])
	c.http.Jar.SetCookies(address, stolen)
	require.Nil(t, c.must(`{ viewer { email } }`, nil).Data["viewer"], "the session is gone on the server too")
}

func TestTooManyFailedSignIns(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := w.client()
	for range 10 {
		require.Equal(
			t, "unauthenticated",
			c.do(`mutation { signIn(input: {email: "owner@example.com", password: "wrong"}) { email } }`, nil).code(),
		)
	}
	got := c.do(`mutation { signIn(input: {email: "owner@example.com", password: "`+password+`"}) { email } }`, nil)
	require.Equal(t, "rate_limited", got.code())
	wait, err := got.Errors[0].Extensions["retryAfter"].(json.Number).Int64()
	require.NoError(t, err)
	require.InDelta(t, 15*60, wait, 60, "seconds")
}

// A page of another site cannot use the cookie.
func TestCrossSiteWritesAreRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	body := `{"query": "mutation { signOut { email } }"}`
	header := http.Header{
		"Content-Type": {"application/json"}, "Sec-Fetch-Site": {"cross-site"}, "Origin": {"https://evil.example"},
	}
	got := w.as("owner").send(http.MethodPost, "/graphql", strings.NewReader(body), header)
	require.Equal(t, http.StatusForbidden, got.status)
	require.Equal(t, "forbidden", got.code())
	header["Sec-Fetch-Site"] = []string{"same-origin"}
	require.Equal(
		t, http.StatusOK, w.as("owner").send(http.MethodPost, "/graphql", strings.NewReader(body), header).status,
	)
}

func TestSetupLinksWorkOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token := w.as("owner").text(`mutation($w: ID!) { inviteMember(input: {workspaceId: $w, email: "new@example.com", role: EDITOR}) { setupToken } }`,
		vars{"w": w.workspace}, "inviteMember", "setupToken")
	set := `mutation($t: String!, $p: String!) { completeSetup(input: {token: $t, password: $p, name: "New"}) { name } }`
	require.Equal(t, "password", w.client().do(set, vars{"t": token, "p": "short"}).Errors[0].Extensions["field"])
	require.Equal(t, "New", w.client().text(set, vars{"t": token, "p": password}, "completeSetup", "name"))
	require.Equal(t, "token", w.client().do(set, vars{"t": token, "p": password}).Errors[0].Extensions["field"])

	again := w.as("owner").do(
		`mutation($w: ID!) { inviteMember(input: {workspaceId: $w, email: "NEW@example.com", role: VIEWER}) { setupToken } }`,
		vars{"w": w.workspace},
	)
	require.Equal(t, "conflict", again.code())
}

// Who was invited is nobody until they enter, whether they have an account or not.
func TestInvitationsAreAcceptedWithTheirToken(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const invite = `mutation($w: ID!, $e: String!) { inviteMember(input: {workspaceId: $w, email: $e, role: EDITOR}) {
		setupToken invitation { id email role expiresAt invitedBy { email } } } }`
	const lists = `query($w: ID!) { workspace(id: $w) {
		invitations { nodes { email role invitedBy { email } } totalCount } members { totalCount } } }`
	stranger := w.as("stranger")
	invited := w.as("owner").must(invite, vars{"w": w.workspace, "e": "stranger@example.com"})
	token := invited.at(t, "inviteMember", "setupToken")
	require.Equal(t, "EDITOR", invited.at(t, "inviteMember", "invitation", "role"))

	seen := w.as("viewer").must(lists, vars{"w": w.workspace})
	require.Equal(t, []any{map[string]any{
		"email": "stranger@example.com", "role": "EDITOR", "invitedBy": map[string]any{"email": "owner@example.com"},
	}}, seen.at(t, "workspace", "invitations", "nodes"))
	require.EqualValues(t, json.Number("2"), seen.at(t, "workspace", "members", "totalCount"))
	require.Equal(t, "not_found", stranger.do(lists, vars{"w": w.workspace}).code())

	const accept = `mutation($t: String!) { acceptInvitation(input: {token: $t}) { workspace { name } role capabilities } }`
	const decline = `mutation($t: String!) { declineInvitation(input: {token: $t}) }`
	require.Equal(t, "unauthenticated", w.as("anonymous").do(accept, vars{"t": token}).code())
	require.Equal(t, "forbidden", w.as("viewer").do(accept, vars{"t": token}).code())
	set := `mutation($t: String!) { completeSetup(input: {token: $t, password: "another horse"}) { email } }`
	require.Equal(t, "conflict", w.client().do(set, vars{"t": token}).code())
	accepted := stranger.must(accept, vars{"t": token})
	require.Equal(t, "Acme", accepted.at(t, "acceptInvitation", "workspace", "name"))
	require.Len(t, accepted.at(t, "acceptInvitation", "capabilities"), len(account.Capabilities(account.Editor)))
	require.EqualValues(
		t, json.Number("3"), stranger.must(lists, vars{"w": w.workspace}).at(t, "workspace", "members", "totalCount"),
	)

	second := w.as("owner").must(invite, vars{"w": w.workspace, "e": "new@example.com"})
	revoke := vars{"i": second.at(t, "inviteMember", "invitation", "id")}
	require.Equal(t, "forbidden", stranger.do(`mutation($i: ID!) { revokeInvitation(input: {id: $i}) }`, revoke).code())
	w.as("owner").must(`mutation($i: ID!) { revokeInvitation(input: {id: $i}) }`, revoke)
	gone := vars{"t": second.at(t, "inviteMember", "setupToken")}
	require.Equal(t, "token", w.client().do(set, gone).Errors[0].Extensions["field"])
	third := w.as("owner").must(invite, vars{"w": w.workspace, "e": "new@example.com"})
	w.client().must(decline, vars{"t": third.at(t, "inviteMember", "setupToken")})
	require.Empty(t, w.as("owner").must(lists, vars{"w": w.workspace}).at(t, "workspace", "invitations", "nodes"))
}

func TestChangingThePasswordEndsOtherSessions(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	here, there := w.client(), w.client()
	w.as("editor") // exists from here on
	here.signIn("editor@example.com")
	there.signIn("editor@example.com")
	change := `mutation($c: String!, $n: String!) { changePassword(input: {currentPassword: $c, newPassword: $n}) { email } }`
	require.Equal(
		t, "currentPassword", here.do(change, vars{"c": "wrong", "n": "another horse"}).Errors[0].Extensions["field"],
	)
	here.must(change, vars{"c": password, "n": "another horse"})
	require.NotNil(t, here.must(`{ viewer { email } }`, nil).Data["viewer"])
	require.Nil(t, there.must(`{ viewer { email } }`, nil).Data["viewer"])
}

func TestOwnershipIsTransferred(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := func(role string) any {
		return w.as(role).must(`{ viewer { userId } }`, nil).at(t, "viewer", "userId")
	}
	owner, admin := id("owner"), id("admin")
	of := func(who any) vars { return vars{"w": w.workspace, "u": who} }
	remove := `mutation($w: ID!, $u: ID!) { removeMember(input: {workspaceId: $w, userId: $u}) }`
	demote := `mutation($w: ID!, $u: ID!) { changeMemberRole(input: {workspaceId: $w, userId: $u, role: VIEWER}) { role } }`
	transfer := `mutation($w: ID!, $u: ID!) { transferOwnership(input: {workspaceId: $w, userId: $u}) { role user { email } } }`
	require.Equal(t, "conflict", w.as("admin").do(remove, of(owner)).code())
	require.Equal(t, "conflict", w.as("admin").do(demote, of(owner)).code())
	require.Equal(t, "forbidden", w.as("admin").do(transfer, of(admin)).code())
	require.Equal(t, "forbidden", w.as("editor").do(remove, of(admin)).code())
	require.Equal(t, "OWNER", w.as("owner").must(transfer, of(admin)).at(t, "transferOwnership", "role"))
	require.Equal(t, "forbidden", w.as("owner").do(transfer, of(admin)).code(), "no longer the owner")
	require.Empty(t, w.as("editor").do(remove, of(id("editor"))).Errors, "anybody but the owner may leave")

	log := w.as("owner").must(
		`query($w: ID!) { workspace(id: $w) { auditLog(first: 3) { nodes { action subject user { email } detail } pageInfo { hasNextPage endCursor } } } }`,
		vars{"w": w.workspace},
	)
	require.Equal(t, "member.remove", log.at(t, "workspace", "auditLog", "nodes", 0, "action"))
	require.Equal(t, "workspace.transfer", log.at(t, "workspace", "auditLog", "nodes", 1, "action"))
	end := log.at(t, "workspace", "auditLog", "pageInfo", "endCursor")
	next := w.as("owner").must(
		`query($w: ID!, $c: String) { workspace(id: $w) { auditLog(first: 200, after: $c) { nodes { action } pageInfo { hasNextPage } } } }`,
		vars{"w": w.workspace, "c": end},
	)
	require.Equal(t, false, next.at(t, "workspace", "auditLog", "pageInfo", "hasNextPage"))
	entries := next.at(t, "workspace", "auditLog", "nodes").([]any)
	require.Equal(t, "workspace.create", entries[len(entries)-1].(map[string]any)["action"])
}
