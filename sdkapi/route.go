package sdkapi

import "strings"

// The paths of checkout attempts. Those of one attempt hold its id.
const (
	attemptsPath = "/v1/sdk/stripe/checkout-attempts"
	attemptPath  = attemptsPath + "/{attemptId}"
	cancelPath   = attemptPath + "/cancel"
)

// route finds the path of an endpoint, and the attempt that a request's path
// names. The path of a request is nearly always the endpoint's own.
func route(path string) (endpoint, attempt string) {
	rest, below := strings.CutPrefix(path, attemptsPath+"/")
	if !below {
		return path, ""
	}
	attempt, action, more := strings.Cut(rest, "/")
	switch {
	case attempt == "" || more && action != "cancel":
		return "", ""
	case more:
		return cancelPath, attempt
	}
	return attemptPath, attempt
}
