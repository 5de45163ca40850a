package resolvers

import (
	"context"

	"github.com/99designs/gqlgen/graphql"

	"github.com/svc-dev/svc/account"
)

// needsPerson are the mutations that a signed-in person may make and no API key, whatever its scopes (docs/roles.md):
// who finds a key makes it no successor, and changes nobody's rights with it.
var needsPerson = map[string]bool{
	"createWorkspace": true, "renameWorkspace": true, "transferOwnership": true,
	"inviteMember": true, "revokeInvitation": true, "acceptInvitation": true,
	"changeMemberRole": true, "removeMember": true,
	"createApiKey": true, "approveOAuthRequest": true, "changePassword": true,
	"createSqlRole": true, "rotateSqlRole": true, "dropSqlRole": true,
}

// refuseKeys refuses the mutations that need a person to everybody else, before anything is read for them.
func refuseKeys(ctx context.Context, field *graphql.FieldContext) error {
	if field.Object == "Mutation" && needsPerson[field.Field.Name] {
		return account.RequirePerson(ctx)
	}
	return nil
}
