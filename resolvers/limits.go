package resolvers

import (
	"fmt"
	"strings"

	"github.com/svc-dev/svc/automation"
	"github.com/svc-dev/svc/graph"
	"github.com/svc-dev/svc/internal/fault"
)

// convertLimits writes minutes of the day as times.
func convertLimits(limits *automation.Limits, err error) (*graph.AutomationLimits, error) {
	if err != nil {
		return nil, err
	}
	converted := &graph.AutomationLimits{Cap: limits.Cap, CapDays: limits.CapDays, TimeZone: limits.Zone.String()}
	if limits.QuietFrom != limits.QuietUntil {
		from, until := clock(limits.QuietFrom), clock(limits.QuietUntil)
		converted.QuietFrom, converted.QuietUntil = &from, &until
	}
	return converted, nil
}

func clock(minute int) string { return fmt.Sprintf("%02d:%02d", minute/60, minute%60) }

// readLimits reads times of day as minutes.
func readLimits(input graph.SetAutomationLimitsInput) (automation.Limits, error) {
	limits := automation.Limits{Cap: input.Cap, CapDays: input.CapDays}
	if (input.QuietFrom == nil) != (input.QuietUntil == nil) {
		return limits, fault.Invalid("quietFrom", "comes together with quietUntil")
	}
	if input.QuietFrom == nil {
		return limits, nil
	}
	var err error
	if limits.QuietFrom, err = automation.ParseMinute("quietFrom", *input.QuietFrom); err != nil {
		return limits, err
	}
	limits.QuietUntil, err = automation.ParseMinute("quietUntil", *input.QuietUntil)
	return limits, err
}

// webhookState is the stored name of a state; empty for none.
func webhookState(state *graph.WebhookState) string {
	if state == nil {
		return ""
	}
	return strings.ToLower(string(*state))
}
