package graph

import (
	"context"

	"github.com/99designs/gqlgen/graphql"
)

// marshalInOrder does what [graphql.MarshalSliceConcurrently] does, an element after the other. order.go has it called
// for lists whose elements ask no resolver, which have nothing to wait for.
func marshalInOrder(
	ctx context.Context, length int, _ int64, _ bool, marshal func(ctx context.Context, i int) graphql.Marshaler,
) (list graphql.Array) {
	list = make(graphql.Array, length)
	for i := range list {
		element := graphql.WithFieldContext(ctx, &graphql.FieldContext{Index: &i})
		if list[i] = marshalElement(element, i, marshal); list[i] == nil {
			return nil
		}
	}
	return list
}

// marshalElement returns nil where an element panicked, and tells of it.
func marshalElement(
	ctx context.Context, i int, marshal func(ctx context.Context, i int) graphql.Marshaler,
) (element graphql.Marshaler) {
	defer func() {
		if reason := recover(); reason != nil {
			graphql.AddError(ctx, graphql.Recover(ctx, reason))
		}
	}()
	return marshal(ctx, i)
}
