package delivery

import (
	"fmt"

	"github.com/google/uuid"

	"github.com/svc-dev/svc/delivery/bucketing"
)

// Answer is what one person gets from a channel.
type Answer struct {
	// ETag is the quoted entity tag of the person's arm.
	ETag string
	// ETagHeader is the same as a header value that is ready to be sent and must
	// not be written to.
	ETagHeader []string
	// NeverUnmodified forbids a 304: two arms of the serving experiment share a
	// version, so one tag stands for two documents (wire.md §3.7).
	NeverUnmodified bool
	Body            *Body
	// Arm is what the answer is of an experiment; nil for a pinned version.
	Arm *Arm
}

// Arm is one arm of an experiment that serves.
type Arm struct {
	EnvironmentID int64
	ExperimentID  uuid.UUID
	Position      int // among the variants, from 0
}

// NotModified tells whether the If-None-Match header values allow a 304.
func (a *Answer) NotModified(ifNoneMatch []string) bool {
	return !a.NeverUnmodified && len(ifNoneMatch) > 0 && MatchesETag(ifNoneMatch, a.ETag)
}

// Channel is a channel with its assignment compiled to finished answers. It is
// immutable.
type Channel struct {
	ID            int64
	PublicID      string
	EnvironmentID int64
	Archived      bool

	// condition stands for the whole channel: unassigned, not running.
	condition Condition
	// experiment is nil for a pinned version, which is then the only arm.
	experiment *compiledExperiment
	arms       []compiledArm
	// history is newest first.
	history []assignment
}

type compiledExperiment struct {
	id, salt string
	weights  []int
	split    *Split // nil of one that is split by device
}

type compiledArm struct {
	variantID, variantKey string
	version               *version // nil when it does not exist
	condition             Condition
	answer                *Answer
}

// Resolve returns the answer for a person, bucketed by appUserID, or the
// condition why there is none. A variant, named by id or key, is a forced arm
// for trying things out; "" leaves the choice to bucketing. The caller has
// checked that the channel is not archived.
func (c *Channel) Resolve(appUserID, variant string) (*Answer, Condition) {
	if c.condition != "" {
		return nil, c.condition
	}
	arm, condition := c.chooseArm(appUserID, variant)
	if condition != "" {
		return nil, condition
	}
	if arm.condition != "" {
		return nil, arm.condition
	}
	return arm.answer, ""
}

func (c *Channel) chooseArm(appUserID, variant string) (*compiledArm, Condition) {
	if variant != "" {
		for i := range c.arms {
			if c.experiment != nil && (c.arms[i].variantID == variant || c.arms[i].variantKey == variant) {
				return &c.arms[i], ""
			}
		}
		return nil, VariantPinInvalid
	}
	if c.experiment == nil {
		return &c.arms[0], ""
	}
	chosen := bucketing.ChooseArm(c.experiment.id, c.experiment.salt, appUserID, c.experiment.weights)
	if chosen < 0 {
		return nil, ExperimentNotRunning
	}
	return &c.arms[chosen], ""
}

// channelRow is a channel as the control plane describes it.
type channelRow struct {
	id, environmentID int64
	publicID          string
	archived          bool
	assignment        string
	assignmentVersion int
	versionID         *uuid.UUID
	experimentID      *uuid.UUID
}

// experimentRow is an experiment with its arms in stored order.
type experimentRow struct {
	id      uuid.UUID
	salt    string
	status  string
	splitBy string
	arms    []armRow
}

type armRow struct {
	id        uuid.UUID
	key       string
	weight    int
	versionID *uuid.UUID
}

// serving tells whether the experiment answers: running, or ended and waiting
// for a decision (wire.md §3.9).
func (e *experimentRow) serving() bool {
	return e.status == "running" || e.status == "pending_decision"
}

// version is a published version with its content ready to be sent.
type version struct {
	id, flowID, appID uuid.UUID
	number            int
	content           part
	leftOut           []Cut // by the plan that it was prepared for
}

// compiler turns rows into channels. Its lookups answer nil for what is gone.
type compiler struct {
	environment  string
	surroundings part
	experiment   func(uuid.UUID) *experimentRow
	version      func(uuid.UUID) *version
}

func (c *compiler) compileChannel(row channelRow) (*Channel, error) {
	channel := &Channel{ID: row.id, PublicID: row.publicID, EnvironmentID: row.environmentID, Archived: row.archived}
	if row.archived {
		return channel, nil
	}
	var err error
	switch row.assignment {
	case "direct":
		channel.arms, err = c.compilePinned(row)
	case "experiment":
		err = c.compileExperiment(channel, row)
	default:
		channel.condition = ChannelUnassigned
	}
	if err != nil {
		return nil, fmt.Errorf("compile channel %s: %w", row.publicID, err)
	}
	return channel, nil
}

func (c *compiler) compilePinned(row channelRow) ([]compiledArm, error) {
	head := c.newHead(row)
	answer, err := c.compileAnswer(head, row.versionID)
	if err != nil {
		return nil, err
	}
	if answer == nil {
		return []compiledArm{{condition: VersionMissing}}, nil
	}
	return []compiledArm{{version: c.version(*row.versionID), answer: answer}}, nil
}

func (c *compiler) compileExperiment(channel *Channel, row channelRow) error {
	var experiment *experimentRow
	if row.experimentID != nil {
		experiment = c.experiment(*row.experimentID)
	}
	if experiment == nil || !experiment.serving() {
		channel.condition = ExperimentNotRunning
		return nil
	}
	channel.experiment = &compiledExperiment{id: experiment.id.String(), salt: experiment.salt}
	if experiment.splitBy == splitByCustomUserID {
		channel.experiment.split = &Split{row.environmentID, experiment.id, channel.experiment}
	}
	shared := sharesVersion(experiment.arms)
	for position, arm := range experiment.arms {
		compiled := compiledArm{variantID: arm.id.String(), variantKey: arm.key}
		head := c.newHead(row)
		head.ExperimentID, head.VariantID = &experiment.id, &compiled.variantID
		head.Experiment = &Experiment{ID: experiment.id, VariantKey: arm.key, VariantID: compiled.variantID}
		answer, err := c.compileAnswer(head, arm.versionID)
		if err != nil {
			return err
		}
		switch {
		case answer != nil:
			answer.NeverUnmodified = shared
			answer.Arm = &Arm{EnvironmentID: row.environmentID, ExperimentID: experiment.id, Position: position}
			compiled.answer, compiled.version = answer, c.version(*arm.versionID)
		case arm.versionID == nil:
			compiled.condition = VariantPinInvalid
		default:
			compiled.condition = VersionMissing
		}
		channel.experiment.weights = append(channel.experiment.weights, arm.weight)
		channel.arms = append(channel.arms, compiled)
	}
	return nil
}

func (c *compiler) newHead(row channelRow) Head {
	return Head{
		Kind: KindFlow, AssignmentVersion: row.assignmentVersion,
		Environment: c.environment, ChannelID: row.publicID,
	}
}

// compileAnswer finishes the document of one arm; nil when its version is gone.
func (c *compiler) compileAnswer(head Head, versionID *uuid.UUID) (*Answer, error) {
	if versionID == nil {
		return nil, nil
	}
	version := c.version(*versionID)
	if version == nil {
		return nil, nil
	}
	head.FlowID, head.VersionID, head.VersionNumber = version.flowID, version.id, version.number
	start, err := headPart(head)
	if err != nil {
		return nil, err
	}
	tag := ETag(head.AssignmentVersion, version.id)
	return &Answer{ETag: tag, ETagHeader: []string{tag}, Body: newBody(start, c.surroundings, version.content)}, nil
}

// sharesVersion tells whether two arms serve the same version.
func sharesVersion(arms []armRow) bool {
	seen := make(map[uuid.UUID]bool, len(arms))
	for _, arm := range arms {
		if arm.versionID == nil {
			continue
		}
		if seen[*arm.versionID] {
			return true
		}
		seen[*arm.versionID] = true
	}
	return false
}
