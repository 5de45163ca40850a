package flowreport

import "github.com/svc-dev/svc/analytics/simulation"

// Simulation is what recorded runs do in a draft and in the newest version.
type Simulation struct {
	*simulation.Result

	Revision int
	Version  *int // number of the newest version; nil without one
}
