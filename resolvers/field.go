package resolvers

import (
	"context"
	"runtime/debug"

	"github.com/99designs/gqlgen/graphql"

	"github.com/svc-dev/svc/account"
	"github.com/svc-dev/svc/postgres"
)

// aroundField refuses what the caller may not ask for, and resolves all other fields. It is one function for the two
// thousand fields that a chart has: each that stands between costs as much as what such a field does.
func (r finder) aroundField(ctx context.Context, next graphql.Resolver) (any, error) {
	field := graphql.GetFieldContext(ctx)
	if err := limitReaders(ctx, field); err != nil {
		return nil, err
	}
	if err := r.limitToApp(ctx, field); err != nil {
		return nil, err
	}
	if err := refuseKeys(ctx, field); err != nil {
		return nil, err
	}
	if !field.IsResolver && !field.IsMethod {
		return next(ctx)
	}
	return resolve(ctx, field, next)
}

// resolve makes a fault of a mapped file that a field reads a panic, which would end the process otherwise. It counts
// the connections of the database that a resolver takes among those of who asks: fields of one operation are worked on
// at once, and their number says nothing of how many connections others need.
func resolve(ctx context.Context, field *graphql.FieldContext, next graphql.Resolver) (any, error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	if field.IsResolver {
		ctx = postgres.ForCaller(ctx, account.Sharer(ctx))
	}
	return next(ctx)
}
