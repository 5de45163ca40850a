package delivery

import (
	"github.com/google/uuid"

	"github.com/svc-dev/svc/delivery/bucketing"
)

// splitByCustomUserID is how the control plane names what an experiment is split by.
const splitByCustomUserID = "custom_user_id"

// Split is a serving experiment that is split by custom user id. Who gets which arm of it does not follow from an id
// alone: the arm that was served first stays.
type Split struct {
	EnvironmentID int64
	ExperimentID  uuid.UUID
	experiment    *compiledExperiment
}

// NewSplit returns the split of an experiment by its arms' weights.
func NewSplit(environmentID int64, experimentID uuid.UUID, salt string, weights []int) *Split {
	return &Split{environmentID, experimentID, &compiledExperiment{
		id: experimentID.String(), salt: salt, weights: weights,
	}}
}

// Arms returns how many arms the experiment has.
func (s *Split) Arms() int { return len(s.experiment.weights) }

// Bucket returns the place of the arm that bucketing gives to an id; −1 when there is none.
func (s *Split) Bucket(id string) int {
	return bucketing.ChooseArm(s.experiment.id, s.experiment.salt, id, s.experiment.weights)
}

// Split returns the split of the channel's experiment by custom user id; nil when it has none or it is split by device.
func (c *Channel) Split() *Split {
	if c.condition != "" || c.experiment == nil {
		return nil
	}
	return c.experiment.split
}

// ResolveArm returns the answer of the arm at a place, or the condition why there is none.
func (c *Channel) ResolveArm(place int) (*Answer, Condition) {
	if c.condition != "" {
		return nil, c.condition
	}
	if place < 0 || place >= len(c.arms) {
		return nil, ExperimentNotRunning
	}
	return c.arms[place].answer, c.arms[place].condition
}
