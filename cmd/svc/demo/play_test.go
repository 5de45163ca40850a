package demo

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/analytics/experiment"
	"github.com/svc-dev/svc/cmd/svc/demo/flows"
	"github.com/svc-dev/svc/ingest"
	"github.com/svc-dev/svc/manifest"
	"github.com/svc-dev/svc/revenue/fold"
)

// fileOf are the flows by the channels that open them.
func fileOf(channel string) string {
	for file, name := range channelNames {
		if name == channel {
			return file
		}
	}
	return map[string]string{onboardingExperiment: "onboarding", paywallExperiment: "paywall"}[channel]
}

var parsed = map[string]*Served{}

// answerTo returns what resolve answers for an opening, with the edited flow to the treatment of an experiment.
func answerTo(t *testing.T, o Opening, arm string) []byte {
	t.Helper()
	edit := map[string]func(map[string]any){
		onboardingExperiment: dropWelcome, paywallExperiment: addCountdown,
	}[o.Channel]
	raw, err := flows.Manifest(fileOf(o.Channel))
	require.NoError(t, err)
	var document map[string]any
	require.NoError(t, json.Unmarshal(raw, &document))
	if edit != nil && arm == "treatment" {
		edit(document)
	}
	if arm == "long" {
		require.NoError(t, askMore(document))
	}
	edited, err := json.Marshal(document)
	require.NoError(t, err)
	flow, problems := manifest.Parse(edited)
	require.False(t, manifest.Blocking(problems), problems)
	version := uuid.NewSHA1(uuid.Nil, edited).String()
	answer := map[string]any{"flowId": flow.FlowID, "versionId": version, "assignmentVersion": 1, "manifest": flow}
	if edit != nil {
		answer["experimentId"], answer["variantId"] = uuid.NewSHA1(uuid.Nil, []byte(o.Channel)).String(), arm
	}
	encoded, err := json.Marshal(answer)
	require.NoError(t, err)
	return encoded
}

// serve reads such an answer, each once.
func serve(t *testing.T, o Opening, arm string) *Served {
	t.Helper()
	if parsed[o.Channel+arm] == nil {
		served, err := ParseServed(answerTo(t, o, arm))
		require.NoError(t, err)
		parsed[o.Channel+arm] = served
	}
	return parsed[o.Channel+arm]
}

// played is a run with what it came from.
type played struct {
	Run
	visit   Visit
	opening Opening
	arm     string
}

func (p played) completed() bool {
	return len(p.Events) > 0 && p.Events[len(p.Events)-1].Name == "flow_completed"
}

// play lets the people of a seed go through the flows of some days; arms are given to them in turn.
func play(t *testing.T, seed uint64, days int) []played {
	t.Helper()
	w := NewWorld(seed)
	arms, people := map[string]string{}, map[string]int{}
	var all []played
	for day := range days {
		for _, at := range w.Arrivals(time.Date(2026, 3, 2+day, 0, 0, 0, 0, time.UTC), visitsPerDay) {
			v := w.Visit(at)
			for _, o := range v.Openings {
				if !w.Opens(v, o) {
					continue
				}
				key := o.Channel + v.Events[0].Identity.AppUserID
				if arms[key] == "" {
					arms[key] = []string{"control", "treatment"}[people[o.Channel]%2]
					people[o.Channel]++
				}
				all = append(all, played{w.Run(v, o, serve(t, o, arms[key])), v, o, arms[key]})
			}
		}
	}
	return all
}

// What a run sends is what an SDK sends: ingest takes it, and it is one numbered run from its start to its end.
func TestRunsSendWhatAnSDKSends(t *testing.T) {
	ids := map[string]bool{}
	for _, p := range play(t, 5, 3) {
		if len(p.Events) == 0 {
			continue
		}
		end := p.Events[len(p.Events)-1]
		body, err := json.Marshal(map[string]any{"events": p.Events})
		require.NoError(t, err)
		batch, err := ingest.DecodeFlow(body, ingest.Rules{ReceivedAt: end.Timestamp, Window: 24 * time.Hour})
		require.NoError(t, err)
		require.Empty(t, batch.Rejected)

		require.Equal(t, "flow_started", p.Events[0].Name)
		viewed := ""
		for i, e := range p.Events {
			require.False(t, ids[e.EventID], "event ids are unique")
			ids[e.EventID] = true
			require.Equal(t, i, e.Seq)
			require.Equal(t, p.Events[0].RunID, e.RunID)
			require.Contains(t, string(batch.Events[i].CustomProperties), `"plan":`)
			if i > 0 {
				require.False(t, e.Timestamp.Before(p.Events[i-1].Timestamp))
				require.NotContains(t, []string{"flow_completed", "flow_abandoned"}, p.Events[i-1].Name, "nothing follows an end")
			}
			switch e.Name {
			case "step_viewed", "surface_presented":
				require.Equal(t, viewed, *batch.Events[i].FromStepID)
				viewed = *e.StepID
			case "choice_selected", "text_submitted", "step_completed", "step_skipped", "surface_outcome", "iap_purchase":
				require.Equal(t, viewed, *e.StepID)
			}
			if e.Properties["field_key"] == "first_name" && e.Name == "text_submitted" {
				require.Equal(t, "sensitive", e.FieldClassification)
				require.Equal(t, "__redacted__", e.Properties["value"])
			}
		}
		for _, bought := range p.Purchases {
			require.True(t, bought.At.After(p.Events[0].Timestamp))
		}
	}
	require.Greater(t, len(ids), 5000)
}

func TestEveryStepOfEveryFlowIsReached(t *testing.T) {
	reached, options, outcomes := map[string]int{}, map[string]int{}, map[string]int{}
	kinds := map[fold.Kind]int{}
	for _, p := range play(t, 11, 10) {
		for _, e := range p.Events {
			switch e.Name {
			case "step_viewed", "surface_presented":
				reached[e.FlowID+*e.StepID]++
			case "choice_selected":
				options[fmt.Sprint(*e.StepID, e.Properties["value"])]++
			}
			outcomes[e.Name]++
		}
		for _, bought := range p.Purchases {
			for _, e := range folded(t, bought, bought.At.AddDate(0, 3, 0)).Entries {
				kinds[e.Kind]++
			}
		}
	}
	for _, file := range flows.Names {
		served := serve(t, Opening{Channel: channelNames[file]}, "control")
		for id, on := range served.screens {
			require.NotZero(t, reached[served.FlowID+id], "%s of %s", id, file)
			if on.input == nil {
				continue
			}
			for _, binding := range on.input.Bindings {
				require.NotZero(t, options[id+binding.OptionID], "%s on %s of %s", binding.OptionID, id, file)
			}
		}
		for id := range served.surfaces {
			require.NotZero(t, reached[served.FlowID+id], "%s of %s", id, file)
		}
	}
	for _, name := range []string{
		"step_skipped", "text_submitted", "decision_evaluated", "surface_outcome", "iap_purchase", "flow_completed",
		"flow_abandoned", "attribution_context_observed",
	} {
		require.NotZero(t, outcomes[name], name)
	}
	for _, kind := range []fold.Kind{fold.Originating, fold.Renewal, fold.Refund, fold.Trial} {
		require.NotZero(t, kinds[kind], kind)
	}
}

// Steps differ in how many people they lose, people and platforms in how far they come.
func TestDropOffHasAShape(t *testing.T) {
	reach, lost := map[string]float64{}, map[string]float64{}
	started, completed := map[string]float64{}, map[string]float64{}
	silent := 0
	for _, p := range play(t, 17, 14) {
		if fileOf(p.opening.Channel) != "onboarding" {
			continue
		}
		platform := p.visit.Events[0].Context.Platform
		started[platform]++
		if p.completed() {
			completed[platform]++
		}
		seen := map[string]bool{}
		last := ""
		for _, e := range p.Events {
			if e.Name == "step_viewed" {
				seen[*e.StepID] = true
				last = *e.StepID
			}
		}
		for step := range seen {
			reach[step]++
		}
		if !p.completed() {
			lost[last]++
			if p.Events[len(p.Events)-1].Name != "flow_abandoned" {
				silent++
			}
		}
	}
	rate := func(step string) float64 { return lost[step] / reach[step] }
	for _, question := range []string{"scr_goal", "scr_light", "scr_habit", "scr_when"} {
		for _, hard := range []string{"scr_welcome", "scr_name", "scr_notify"} {
			require.Greater(t, rate(hard), 1.5*rate(question), "%s beside %s", hard, question)
		}
	}
	require.Greater(t, completed["ios"]/started["ios"], completed["android"]/started["android"])
	require.Greater(t, silent, 50)
}

// The first experiment has a winner and a sound split; the treatment of the second does not show on the oldest version.
func TestOneExperimentHasAWinnerAndOneAFault(t *testing.T) {
	for _, seed := range []uint64{1, 2, 3} {
		served, exposed := map[string]map[string]int{}, map[string]map[string]int{}
		versions := map[string]map[string]int{}
		completed := map[string]int{}
		seen := map[string]bool{}
		add := func(to map[string]map[string]int, key, arm string) {
			if to[key] == nil {
				to[key] = map[string]int{}
			}
			to[key][arm]++
		}
		for _, p := range play(t, seed, 14) {
			person := p.opening.Channel + p.visit.Events[0].Identity.AppUserID
			if !seen[person] {
				add(served, p.opening.Channel, p.arm)
			}
			if len(p.Events) > 0 && !seen[person+"exposed"] {
				seen[person+"exposed"] = true
				add(exposed, p.opening.Channel, p.arm)
				if p.opening.Channel == paywallExperiment {
					add(versions, p.visit.Events[0].Context.AppVersion, p.arm)
				} else if p.opening.Channel == onboardingExperiment && p.completed() {
					completed[p.arm]++
				}
			}
			seen[person] = true
		}
		for _, channel := range []string{onboardingExperiment, paywallExperiment} {
			require.False(t, experiment.SampleRatio(armsOf(served[channel])).Warning, "served on %s", channel)
		}
		require.False(t, experiment.SampleRatio(armsOf(exposed[onboardingExperiment])).Warning)
		require.True(t, experiment.SampleRatio(armsOf(exposed[paywallExperiment])).Warning)
		var slices []experiment.Slice
		for version, people := range versions {
			slices = append(slices, experiment.Slice{Dimension: "appVersion", Value: version, Arms: armsOf(people)})
		}
		culprits := experiment.Culprits(slices)
		require.Len(t, culprits, 1)
		require.Equal(t, oldestVersion, culprits[0].Value)

		control, err := experiment.Proportion(completed["control"], exposed[onboardingExperiment]["control"])
		require.NoError(t, err)
		treatment, err := experiment.Proportion(completed["treatment"], exposed[onboardingExperiment]["treatment"])
		require.NoError(t, err)
		needed, err := experiment.Plan{
			Baseline: 0.45, Effect: 0.12, Treatments: 1, Alpha: 0.05, Power: 0.8,
		}.PeoplePerArm()
		require.NoError(t, err)
		compared, err := experiment.Compare(
			experiment.Design{Alpha: 0.05, PlannedPeople: needed, Phase: experiment.Running},
			experiment.Metric{Name: "completion", Unit: experiment.Points}, control, treatment,
		)
		require.NoError(t, err)
		require.Equal(t, experiment.Winning, compared[0].Verdict, compared[0].Sentence)
	}
}

func armsOf(people map[string]int) []experiment.Arm {
	return []experiment.Arm{
		{Key: "control", Weight: 1, People: people["control"]}, {Key: "treatment", Weight: 1, People: people["treatment"]},
	}
}
