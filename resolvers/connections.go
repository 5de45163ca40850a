package resolvers

import (
	"context"

	"github.com/99designs/gqlgen/graphql"

	"github.com/svc-dev/svc/account"
	"github.com/svc-dev/svc/postgres"
)

// shareConnections counts the connections of the database that a field takes among those of who asks: fields of one
// operation are worked on at once, and their number says nothing of how many connections others need.
func shareConnections(ctx context.Context, next graphql.Resolver) (any, error) {
	if graphql.GetFieldContext(ctx).IsResolver {
		ctx = postgres.ForCaller(ctx, account.Sharer(ctx))
	}
	return next(ctx)
}
