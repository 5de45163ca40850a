package resolvers

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/svc-dev/svc/automation/scheduledreport/compose"
	"github.com/svc-dev/svc/internal/fault"
	"github.com/svc-dev/svc/internal/graphqlhttp"
)

// askerOf returns what asks the server as the principal of a context. What the principal may not see is null; every
// other error of a field is one of the query, because a report without it would be wrong.
func askerOf(server *graphqlhttp.Server) compose.Asker {
	return func(ctx context.Context, document string, variables map[string]any, data any) error {
		answer, err := server.Answer(ctx, document, variables)
		if err != nil {
			return err
		}
		for _, err := range answer.Errors {
			switch code, _ := err.Extensions["code"].(fault.Code); code {
			case fault.Forbidden, fault.NotFound:
			default:
				return fmt.Errorf("a query of a report: %w", err)
			}
		}
		if err := json.Unmarshal(answer.Data, data); err != nil {
			return fmt.Errorf("read the answer of a query: %w", err)
		}
		return nil
	}
}
