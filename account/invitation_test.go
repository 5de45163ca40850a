package account

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/ent"
	"github.com/svc-dev/svc/internal/fault"
)

// Anybody can make a workspace and invite a person of whom they know that others
// will invite them too. It must give them nothing but an account.
func TestAnEarlierTokenOpensNoOtherWorkspace(t *testing.T) {
	t.Parallel()
	for name, meanwhile := range map[string]func(s *server, evil uuid.UUID){
		"kept": func(*server, uuid.UUID) {},
		"replaced": func(s *server, _ uuid.UUID) {
			s.invite("viewer@example.com", "Evil", "newhire@b.io", Viewer)
		},
		"revoked": func(s *server, evil uuid.UUID) {
			found, err := s.client.Invitation.Query().Only(t.Context())
			require.NoError(t, err)
			require.NoError(t, s.RevokeInvitation(s.as("viewer@example.com"), found.ID))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newWorld(t)
			s.t = t
			s.join("Acme", "viewer@example.com", Viewer)
			evil := s.create("viewer@example.com", "Evil")
			early := s.invite("viewer@example.com", "Evil", "newhire@b.io", Viewer)
			meanwhile(s, evil)
			genuine := s.invite("owner@example.com", "Acme", "newhire@b.io", Admin)
			require.NotEqual(t, early, genuine)

			thief := s.visitor()
			err := thief.complete(early)
			if name == "kept" {
				require.NoError(t, err)
				require.Equal(t, map[string]Role{"Evil": Viewer}, thief.roles())
				requireCode(t, fault.InvalidInput, thief.accept(early), "used up")
			} else {
				requireCode(t, fault.InvalidInput, err)
			}
			require.Equal(t, 2, s.count(`select count(*) from memberships where workspace_id = $1`, s.workspace("Acme")),
				"owner and viewer: an invitation is no membership")
		})
	}
}

// The account that somebody took early belongs to no other workspace until it
// comes with that workspace's own token; and the token alone gives no power over
// the account.
func TestAcceptingNeedsTheTokenAndTheAccount(t *testing.T) {
	t.Parallel()
	s := newWorld(t)
	person := s.join("Acme", "person@b.io", Viewer)
	other := s.join("Acme", "other@b.io", Viewer)
	s.create("owner@example.com", "Beta")
	token := s.invite("owner@example.com", "Beta", "person@b.io", Editor)
	require.Equal(t, map[string]Role{"Acme": Viewer}, person.roles(), "an invitation gives nothing")

	link, err := s.SetupLink(t.Context(), token)
	require.NoError(t, err)
	require.Equal(t, &SetupLink{
		Email: "person@b.io", HasAccount: true, WorkspaceName: "Beta", Role: Editor, InvitedBy: "owner@example.com",
	}, link)
	requireCode(t, fault.Conflict, s.visitor().complete(token), "the token sets nobody's password")
	require.NoError(t, s.visitor().signIn("person@b.io", password))
	requireCode(t, fault.Unauthenticated, s.visitor().accept(token))
	requireCode(t, fault.Forbidden, other.accept(token), "somebody else")
	requireCode(t, fault.InvalidInput, person.accept(newSecret(setupPrefix)), "another token")
	requireCode(t, fault.InvalidInput, person.accept("svc_setup_x"))

	require.NoError(t, person.accept(token))
	require.Equal(t, map[string]Role{"Acme": Viewer, "Beta": Editor}, person.roles())
	requireCode(t, fault.InvalidInput, person.accept(token), "a second time")
	_, err = s.SetupLink(t.Context(), token)
	requireCode(t, fault.NotFound, err)
}

// Everything that ends an invitation ends its token, for those with an account
// and for those without.
func TestWhatEndsAnInvitation(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(s *server, invited *ent.Invitation, token string) error{
		"revoked": func(s *server, invited *ent.Invitation, _ string) error {
			return s.RevokeInvitation(s.as("owner@example.com"), invited.ID)
		},
		"declined": func(s *server, _ *ent.Invitation, token string) error {
			_, err := s.DeclineInvitation(s.t.Context(), token)
			return err
		},
		"expired": func(s *server, _ *ent.Invitation, _ string) error {
			s.now = weekLater
			return nil
		},
		"replaced with another role": func(s *server, invited *ent.Invitation, _ string) error {
			_, err := s.Invite(s.as("owner@example.com"), s.workspace("Acme"), invited.Email, Viewer)
			return err
		},
		"replaced by another spelling": func(s *server, invited *ent.Invitation, _ string) error {
			_, err := s.Invite(s.as("owner@example.com"), s.workspace("Acme"), " "+strings.ToUpper(invited.Email), Viewer)
			return err
		},
		"its sender was demoted": func(s *server, _ *ent.Invitation, _ string) error {
			_, err := s.ChangeRole(s.as("owner@example.com"), s.workspace("Acme"), s.userID("admin@example.com"), Editor)
			return err
		},
		"its sender was removed": func(s *server, _ *ent.Invitation, _ string) error {
			return s.RemoveMember(s.as("owner@example.com"), s.workspace("Acme"), s.userID("admin@example.com"))
		},
		"its sender left": func(s *server, _ *ent.Invitation, _ string) error {
			return s.RemoveMember(s.as("admin@example.com"), s.workspace("Acme"), s.userID("admin@example.com"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newWorld(t)
			s.join("Acme", "admin@example.com", Admin)
			s.create("owner@example.com", "Beta")
			known := s.join("Beta", "known@example.com", Viewer)
			for _, email := range []string{"known@example.com", "new@example.com"} {
				made, err := s.Invite(s.as("admin@example.com"), s.workspace("Acme"), email, Admin)
				require.NoError(t, err)
				require.NoError(t, end(s, made.Invitation, made.SetupToken))
				_, err = s.SetupLink(t.Context(), made.SetupToken)
				requireCode(t, fault.NotFound, err)
				requireCode(t, fault.InvalidInput, s.visitor().complete(made.SetupToken), email)
				requireCode(t, fault.InvalidInput, known.accept(made.SetupToken), email)
				_, err = s.DeclineInvitation(t.Context(), made.SetupToken)
				requireCode(t, fault.InvalidInput, err, email)
				s.now = time.Now
				s.readmit("admin@example.com")
			}
			require.Equal(t, map[string]Role{"Beta": Viewer}, known.roles())
			require.Zero(t, s.count(`select count(*) from users where email = 'new@example.com'`))
		})
	}
}

// readmit makes an existing person an admin of Acme again.
func (s *server) readmit(email string) {
	s.t.Helper()
	acme, person := s.workspace("Acme"), s.userID(email)
	if p, _ := s.PrincipalOf(s.t.Context(), email); p.Can(acme, MembersManage) {
		return
	} else if _, member := p.Role(acme); member {
		_, err := s.ChangeRole(s.as("owner@example.com"), acme, person, Admin)
		require.NoError(s.t, err)
		return
	}
	v := s.visitor()
	require.NoError(s.t, v.signIn(email, password))
	require.NoError(s.t, v.accept(s.invite("owner@example.com", "Acme", email, Admin)))
}

// A request that began before its sender lost their rights changes nothing after.
func TestRightsAreReadAnewWhereTheyAreUsed(t *testing.T) {
	t.Parallel()
	s := newWorld(t)
	s.join("Acme", "admin@example.com", Admin)
	s.join("Acme", "editor@example.com", Editor)
	acme, editor := s.workspace("Acme"), s.userID("editor@example.com")
	former := s.as("admin@example.com")
	ways := map[string]func() error{
		"invite": func() error { _, err := s.Invite(former, acme, "x@example.com", Admin); return err },
		"change a role": func() error {
			_, err := s.ChangeRole(former, acme, editor, Admin)
			return err
		},
		"remove": func() error { return s.RemoveMember(former, acme, editor) },
		"revoke": func() error {
			made, err := s.Invite(s.as("owner@example.com"), acme, "y@example.com", Viewer)
			require.NoError(t, err)
			return s.RevokeInvitation(former, made.Invitation.ID)
		},
	}
	_, err := s.ChangeRole(s.as("owner@example.com"), acme, s.userID("admin@example.com"), Viewer)
	require.NoError(t, err)
	for name, way := range ways {
		requireCode(t, fault.Forbidden, way(), name)
	}
	ways["create a key"] = func() error {
		_, err := s.CreateKey(former, acme, "k", []string{"analytics:read"}, nil)
		return err
	}
	require.NoError(t, s.RemoveMember(s.as("owner@example.com"), acme, s.userID("admin@example.com")))
	for name, way := range ways {
		requireCode(t, fault.NotFound, way(), name)
	}
	before := s.as("owner@example.com")
	_, err = s.TransferOwnership(s.as("owner@example.com"), acme, editor)
	require.NoError(t, err)
	_, err = s.TransferOwnership(before, acme, editor)
	requireCode(t, fault.Forbidden, err, "ownership is given away once")
}

func TestWhoCanBeInvited(t *testing.T) {
	t.Parallel()
	s := newWorld(t)
	acme := s.workspace("Acme")
	s.join("Acme", "member@example.com", Viewer)
	for name, c := range map[string]struct {
		email string
		role  Role
		code  fault.Code
		field string
	}{
		"oneself":                 {"owner@example.com", Admin, fault.Conflict, ""},
		"oneself in capitals":     {" OWNER@Example.com ", Admin, fault.Conflict, ""},
		"a member":                {"member@example.com", Admin, fault.Conflict, ""},
		"an owner":                {"x@example.com", Owner, fault.InvalidInput, "role"},
		"no role":                 {"x@example.com", "chief", fault.InvalidInput, "role"},
		"nobody":                  {"", Viewer, fault.InvalidInput, "email"},
		"no address":              {"x", Viewer, fault.InvalidInput, "email"},
		"a name and an address":   {"X <x@example.com>", Viewer, fault.InvalidInput, "email"},
		"a zero-width space":      {"own\u200ber@example.com", Viewer, fault.InvalidInput, "email"},
		"a byte order mark":       {"\ufeffowner@example.com", Viewer, fault.InvalidInput, "email"},
		"a ligature":              {"oﬃce@example.com", Viewer, fault.InvalidInput, "email"},
		"full-width letters":      {"ｏwner@example.com", Viewer, fault.InvalidInput, "email"},
		"a decomposed letter":     {"e\u0301va@example.com", Viewer, fault.InvalidInput, "email"},
		"a NUL":                   {"a\x00@example.com", Viewer, fault.InvalidInput, "email"},
		"an address of 300 bytes": {strings.Repeat("a", 300) + "@example.com", Viewer, fault.InvalidInput, "email"},
	} {
		_, err := s.Invite(s.as("owner@example.com"), acme, c.email, c.role)
		requireCode(t, c.code, err, name)
		var known *fault.Error
		require.ErrorAs(t, err, &known)
		require.Equal(t, c.field, known.Field, name)
	}
	requireCode(t, fault.Forbidden, func() error {
		_, err := s.Invite(s.as("member@example.com"), acme, "x@example.com", Viewer)
		return err
	}())

	// Letters beyond ASCII are somebody's; their case is not.
	first := s.invite("owner@example.com", "Acme", "ÉVA@example.com", Viewer)
	second := s.invite("owner@example.com", "Acme", "éva@example.com", Viewer)
	requireCode(t, fault.InvalidInput, s.visitor().complete(first))
	require.NoError(t, s.visitor().complete(second))
	require.NoError(t, s.visitor().signIn("Éva@Example.com", password))
}

// Of twenty completions with one token at once one makes the account.
func TestATokenWorksOnce(t *testing.T) {
	t.Parallel()
	s := newWorld(t)
	token := s.invite("owner@example.com", "Acme", "new@example.com", Editor)
	errs := atOnce(20, func(int) error { return s.visitor().complete(token) })
	done := 0
	for _, err := range errs {
		if err == nil {
			done++
			continue
		}
		require.True(t, fault.Is(err, fault.InvalidInput) || fault.Is(err, fault.Conflict), "%v", err)
	}
	require.Equal(t, 1, done)
	require.Equal(t, 1, s.count(`select count(*) from memberships where user_id = $1`, s.userID("new@example.com")))
}

// Two workspaces invite the same stranger; both links are opened at once. One
// makes the account, the other is accepted with it.
func TestTwoWorkspacesAtOnce(t *testing.T) {
	t.Parallel()
	s := newWorld(t)
	s.create("owner@example.com", "Beta")
	for round := range 5 {
		email := fmt.Sprintf("new%d@example.com", round)
		var tokens []string
		for _, workspace := range []string{"Acme", "Beta"} {
			tokens = append(tokens, s.invite("owner@example.com", workspace, email, Viewer))
		}
		people := []*visitor{s.visitor(), s.visitor()}
		errs := atOnce(2, func(i int) error { return people[i].complete(tokens[i]) })
		first := 0
		if errs[0] != nil {
			first = 1
		}
		require.NoError(t, errs[first])
		requireCode(t, fault.Conflict, errs[1-first])
		require.Len(t, people[first].roles(), 1)
		require.NoError(t, people[first].accept(tokens[1-first]), "the other link was not used up")
		require.Len(t, people[first].roles(), 2)
	}
}

// An invitation that is accepted and revoked at once ends one way, not both.
func TestAcceptingAgainstRevoking(t *testing.T) {
	t.Parallel()
	s := newWorld(t)
	s.create("owner@example.com", "Beta")
	person := s.join("Acme", "person@example.com", Viewer)
	beta := s.workspace("Beta")
	for range 5 {
		made, err := s.Invite(s.as("owner@example.com"), beta, "person@example.com", Viewer)
		require.NoError(t, err)
		owner := s.as("owner@example.com")
		errs := atOnce(2, func(i int) error {
			if i == 0 {
				return person.accept(made.SetupToken)
			}
			return s.RevokeInvitation(owner, made.Invitation.ID)
		})
		_, member := person.roles()["Beta"]
		require.Equal(t, errs[0] == nil, member)
		if member {
			require.NoError(t, s.RemoveMember(s.as("person@example.com"), beta, s.userID("person@example.com")))
		}
		require.Zero(t, s.count(`select count(*) from invitations`))
	}
}

// Ids of other workspaces' invitations give nothing away.
func TestForeignInvitationsDoNotExist(t *testing.T) {
	t.Parallel()
	s := newWorld(t)
	s.join("Acme", "viewer@example.com", Viewer)
	s.create("viewer@example.com", "Elsewhere")
	made, err := s.Invite(s.as("owner@example.com"), s.workspace("Acme"), "new@example.com", Viewer)
	require.NoError(t, err)
	elsewhere, err := s.Invite(s.as("viewer@example.com"), s.workspace("Elsewhere"), "new@example.com", Viewer)
	require.NoError(t, err)
	requireCode(t, fault.NotFound, s.RevokeInvitation(s.as("owner@example.com"), elsewhere.Invitation.ID))
	requireCode(t, fault.NotFound, s.RevokeInvitation(s.as("owner@example.com"), uuid.New()))
	requireCode(t, fault.Forbidden, s.RevokeInvitation(s.as("viewer@example.com"), made.Invitation.ID))
	requireCode(t, fault.Unauthenticated, s.RevokeInvitation(t.Context(), made.Invitation.ID))
	require.Equal(t, 2, s.count(`select count(*) from invitations`))
}

func TestTheAuditTrailTellsWhatBecameOfInvitations(t *testing.T) {
	t.Parallel()
	s := newWorld(t)
	acme := s.workspace("Acme")
	s.invite("owner@example.com", "Acme", "new@example.com", Editor)
	token := s.invite("owner@example.com", "Acme", "new@example.com", Viewer)
	require.NoError(t, s.visitor().complete(token))
	declined := s.invite("owner@example.com", "Acme", "busy@example.com", Editor)
	_, err := s.DeclineInvitation(t.Context(), declined)
	require.NoError(t, err)
	require.NoError(t, s.RemoveMember(s.as("owner@example.com"), acme, s.userID("new@example.com")))
	require.Equal(t, []string{
		"workspace.create", "invitation.create", "invitation.revoke", "invitation.create", "invitation.accept",
		"invitation.create", "invitation.decline", "member.remove",
	}, s.actions("Acme"))
	var who uuid.UUID
	var detail map[string]any
	require.NoError(t, s.pool.QueryRow(t.Context(),
		`select user_id, detail from audit_entries where action = 'invitation.accept'`).Scan(&who, &detail))
	require.Equal(t, s.userID("new@example.com"), who)
	require.Equal(t, map[string]any{
		"email": "new@example.com", "role": "viewer",
		"userId": who.String(), "invitedBy": s.userID("owner@example.com").String(),
	}, detail)
}

func TestInvitationsAreLimited(t *testing.T) {
	t.Parallel()
	s := newWorld(t)
	owner, acme := s.as("owner@example.com"), s.workspace("Acme")
	invite := func(i int) error {
		_, err := s.Invite(owner, acme, fmt.Sprintf("p%d@example.com", i), Viewer)
		return err
	}
	for i := range invitationsMade.most {
		require.NoError(t, invite(i))
	}
	requireCode(t, fault.RateLimited, invite(invitationsMade.most))
	s.endWindows()
	for i := range invitationsMade.most {
		require.NoError(t, invite(invitationsMade.most+i))
	}
	s.endWindows()
	requireCode(t, fault.Conflict, invite(maxInvitations))
	require.NoError(t, invite(0), "replacing one is no more")
	require.Equal(t, maxInvitations, s.count(`select count(*) from invitations`))
}

// Nothing of a set-up fails as an internal error.
func TestSetupInputIsChecked(t *testing.T) {
	t.Parallel()
	s := newWorld(t)
	token := s.invite("owner@example.com", "Acme", "new@example.com", Editor)
	for field, in := range map[string]SetupInput{
		"password": {Token: token, Password: "short"},
		"name":     {Token: token, Password: password, Name: strings.Repeat("a", 300)},
		"token":    {Token: token + "x", Password: password},
	} {
		err := s.visitor().do(func(ctx context.Context) error {
			_, err := s.CompleteSetup(ctx, in)
			return err
		})
		var known *fault.Error
		require.ErrorAs(t, err, &known)
		require.Equal(t, field, known.Field)
	}
	require.NoError(t, s.visitor().complete(token), "a refused input uses up nothing")
}
