package resolvers

import (
	"context"
	"fmt"
	"runtime/debug"

	"github.com/99designs/gqlgen/graphql"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/internal/mapped"
)

// recoverField makes the error of a field that panicked. Where the files of frames can't be read, they are dropped, and
// the next request finds what it asks for in the database.
func recoverField(reports Reports) graphql.RecoverFunc {
	return func(_ context.Context, reason any) error {
		if fault := mapped.AsFault(reason); fault != nil {
			reports.Distrust(fault)
			return fmt.Errorf("%w: %w", analytics.ErrUnavailable, fault)
		}
		return fmt.Errorf("panic: %v\n%s", reason, debug.Stack())
	}
}
