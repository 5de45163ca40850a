package resolvers

import (
	"context"
	"strings"
	"time"

	"github.com/99designs/gqlgen/graphql"

	"github.com/svc-dev/svc/analytics"
)

// defaultFunnelWindow is that of FunnelInput.windowMinutes.
const defaultFunnelWindow = 10_080

// followedBy returns how long after the range the funnels look that are asked for: a selection is evaluated before they
// are. 0 means that none is.
func followedBy(ctx context.Context) (longest time.Duration, err error) {
	for _, field := range graphql.CollectFieldsCtx(ctx, nil) {
		if !strings.HasPrefix(field.Name, "funnel") {
			continue
		}
		input, _ := field.ArgumentMap(graphql.GetOperationContext(ctx).Variables)["input"].(map[string]any)
		f := analytics.Funnel{WindowMinutes: defaultFunnelWindow}
		if by, ok := input["by"].(string); ok {
			f.By = analytics.FunnelUnit(by)
		}
		if minutes, given := input["windowMinutes"]; given {
			if f.WindowMinutes, err = graphql.UnmarshalInt(minutes); err != nil {
				return 0, analytics.Invalid("input.windowMinutes", "must be a whole number")
			}
		}
		// What is out of bounds is refused when the report is read.
		window := min(max(f.Window(), 0), analytics.MaxFunnelWindow)
		longest = max(longest, window)
	}
	return longest, nil
}
