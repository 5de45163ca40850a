package config_test

import (
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/internal/config"
)

func TestClaimedRolesAreRead(t *testing.T) {
	const workspace = "0198f1a0-0000-7000-8000-000000000001"
	s := config.Settings{OIDCRoles: []string{"cn=staff,=x=" + workspace + ":admin"}}
	roles, err := s.ClaimedRoles()
	require.NoError(t, err)
	want := config.ClaimedRole{Value: "cn=staff,=x", Workspace: uuid.MustParse(workspace), Role: "admin"}
	require.Equal(t, []config.ClaimedRole{want}, roles)
	for _, wrong := range []string{
		"", "staff", "staff=" + workspace, "staff=" + workspace + ":owner", "=" + workspace + ":admin", "staff=1:admin",
	} {
		_, err := config.Settings{OIDCRoles: []string{wrong}}.ClaimedRoles()
		require.ErrorContains(t, err, "must be value=workspaceId:role", wrong)
	}
}
