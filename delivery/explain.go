package delivery

import (
	"fmt"

	"github.com/google/uuid"

	"github.com/svc-dev/svc/delivery/bucketing"
)

// Cut is a part of a flow that only some plans serve (wire.md §3.6).
type Cut string

// The cuts. CutMotion includes the animations.
const (
	CutAnimations   Cut = "animations"
	CutMotion       Cut = "motion"
	CutTranslations Cut = "translations"
)

// Explanation is what a channel serves, and why.
type Explanation struct {
	// Reason is one sentence.
	Reason string
	// Refusal is the code that everybody gets, or the person, in place of a document.
	Refusal *string
	// Arm is what the person gets, or everybody; nil when nobody gets anything, or when it depends on whom.
	Arm *ExplainedArm
	// Bucket is the person's, from 0 to TotalWeight − 1; nil without a person or an experiment.
	Bucket *int
	// TotalWeight is the sum of the arms' weights; nil without an experiment.
	TotalWeight *int
	// Arms are those of the experiment in stored order, or the pinned version.
	Arms []*ExplainedArm
	// Split is the experiment when it is split by custom user id and a person was named: [Explanation.Keep] says what
	// is remembered of them.
	Split *Split
	keys  []string // of arms
}

// Keep makes the explanation one of a device for which the split remembers the arm at a place; −1 for none.
func (e *Explanation) Keep(place int) {
	if place < 0 || place >= len(e.Arms) {
		e.Reason += " It is split by custom user ID and remembers nothing of this device yet: a person who signs in on it " +
			"keeps the variant that they had elsewhere."
		return
	}
	e.Arm, e.Bucket = e.Arms[place], nil
	e.Refusal = e.Arm.Refusal
	e.Reason = fmt.Sprintf("An experiment runs that is split by custom user ID: this device keeps the variant %s, which "+
		"was served first to it or to the person who is signed in.", e.keys[place])
}

// ExplainedArm is what the people of one arm get.
type ExplainedArm struct {
	ExperimentID, VariantID *uuid.UUID // nil for a pinned version
	VersionID               *uuid.UUID // nil when it does not exist any more
	Share                   float64    // of people, 0 to 1
	Refusal                 *string    // the code that these people get in place of a document
	LeftOut                 []Cut      // by the plan, of what the version has
}

// Explain says what a channel serves to a person, or to everybody by arm when appUserID is "", and why. It returns nil
// when the catalogue has no such channel: its app is archived, or was made a moment ago.
func (c *Catalogue) Explain(publicID, appUserID string) *Explanation {
	channel := c.Snapshot().channels[publicID]
	if channel == nil {
		return nil
	}
	return channel.explain(appUserID)
}

// reasons are the sentences for channels that serve nobody.
var reasons = map[Condition]string{
	ChannelArchived:      "The channel is archived.",
	ChannelUnassigned:    "Nothing is assigned to the channel: pin a version, or start an experiment.",
	ExperimentNotRunning: "The experiment that the channel is assigned to does not run, or has no variants.",
}

func (c *Channel) explain(appUserID string) *Explanation {
	condition := c.condition
	switch {
	case c.Archived:
		condition = ChannelArchived
	case condition == "" && len(c.arms) == 0:
		condition = ExperimentNotRunning
	}
	if condition != "" {
		return &Explanation{Reason: reasons[condition], Refusal: condition.code(), Arms: []*ExplainedArm{}}
	}
	explained := &Explanation{}
	for i := range c.arms {
		explained.Arms = append(explained.Arms, c.explainArm(&c.arms[i]))
	}
	if c.experiment == nil {
		explained.Arms[0].Share = 1
		explained.Arm = explained.Arms[0]
		explained.Reason = "The channel is pinned to one version, which all users get."
	} else {
		c.explainExperiment(explained, appUserID)
	}
	if explained.Arm != nil {
		explained.Refusal = explained.Arm.Refusal
	}
	return explained
}

// explainExperiment fills in what depends on buckets.
func (c *Channel) explainExperiment(explained *Explanation, appUserID string) {
	weights, total := c.experiment.weights, 0
	for _, weight := range weights {
		total += weight
	}
	explained.TotalWeight = &total
	if total <= 0 {
		explained.Arms[0].Share = 1
		explained.Arm = explained.Arms[0]
		explained.Reason = "The weights of the experiment add up to zero, so that all users get its first variant."
		return
	}
	for i, weight := range weights {
		explained.Arms[i].Share = float64(weight) / float64(total)
	}
	if appUserID == "" {
		explained.Reason = fmt.Sprintf(
			"An experiment assigns each person one of %d variants by their bucket of %d.", len(weights), total)
		return
	}
	bucket := bucketing.Bucket(bucketing.Hash(c.experiment.id, c.experiment.salt, appUserID), total)
	chosen := bucketing.ChooseArm(c.experiment.id, c.experiment.salt, appUserID, weights)
	from := 0
	for _, weight := range weights[:chosen] {
		from += weight
	}
	explained.Bucket, explained.Arm = &bucket, explained.Arms[chosen]
	explained.Split = c.experiment.split
	for i := range c.arms {
		explained.keys = append(explained.keys, c.arms[i].variantKey)
	}
	explained.Reason = fmt.Sprintf(
		"An experiment runs: the person's bucket is %d of %d, and those from %d to %d get the variant %s.",
		bucket, total, from, from+weights[chosen]-1, c.arms[chosen].variantKey,
	)
}

func (c *Channel) explainArm(arm *compiledArm) *ExplainedArm {
	explained := &ExplainedArm{Refusal: arm.condition.code(), LeftOut: []Cut{}}
	if arm.version != nil {
		explained.VersionID = &arm.version.id
		explained.LeftOut = append(explained.LeftOut, arm.version.leftOut...)
	}
	if c.experiment != nil {
		experiment, variant := uuid.MustParse(c.experiment.id), uuid.MustParse(arm.variantID)
		explained.ExperimentID, explained.VariantID = &experiment, &variant
	}
	return explained
}

// code returns the condition as an error code, nil for none.
func (c Condition) code() *string {
	if c == "" {
		return nil
	}
	code := string(c)
	return &code
}
