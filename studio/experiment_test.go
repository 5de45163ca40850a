package studio_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/ent"
	"github.com/svc-dev/svc/ent/channel"
	"github.com/svc-dev/svc/ent/experiment"
	"github.com/svc-dev/svc/internal/fault"
	"github.com/svc-dev/svc/studio"
)

func (w *world) variants(version uuid.UUID) []studio.VariantDraft {
	return []studio.VariantDraft{
		{Key: "a", Weight: 1, VersionID: &version}, {Key: "b", Weight: 1, VersionID: &version},
	}
}

func TestExperimentDraftsAreChecked(t *testing.T) {
	w := newWorld(t)
	_, version := w.published(w.app.ID)
	ch := w.channel()
	ends := w.now.Add(time.Hour)
	for name, step := range map[string]struct {
		draft studio.ExperimentDraft
		field string
	}{
		"no name":  {studio.ExperimentDraft{Name: ptr(" ")}, "name"},
		"past":     {studio.ExperimentDraft{EndsAt: &w.now}, "endsAt"},
		"too many": {studio.ExperimentDraft{Variants: make([]studio.VariantDraft, 21)}, "variants"},
		"key":      {studio.ExperimentDraft{Variants: []studio.VariantDraft{{Key: "A B"}}}, "variants.0.key"},
		"twice":    {studio.ExperimentDraft{Variants: []studio.VariantDraft{{Key: "a"}, {Key: "a"}}}, "variants.1.key"},
		"weight": {
			studio.ExperimentDraft{Variants: []studio.VariantDraft{{Key: "a", Weight: -1}}}, "variants.0.weight",
		},
		"weights": {
			studio.ExperimentDraft{Variants: []studio.VariantDraft{{Key: "a", Weight: 1 << 20}, {Key: "b", Weight: 1}}},
			"variants",
		},
		"variant name": {
			studio.ExperimentDraft{Variants: []studio.VariantDraft{{Key: "a", Name: long(121)}}}, "variants.0.name",
		},
		"other version": {
			studio.ExperimentDraft{Variants: []studio.VariantDraft{{Key: "a", VersionID: ptr(uuid.New())}}},
			"variants.0.versionId",
		},
	} {
		if step.draft.Name == nil {
			step.draft.Name = ptr("Split")
		}
		_, err := w.CreateExperiment(w.owner, ch.PublicID, step.draft)
		require.Error(t, err, name)
		refused(t, err, fault.InvalidInput, step.field)
	}
	_, err := w.CreateExperiment(w.owner, ch.PublicID, studio.ExperimentDraft{})
	refused(t, err, fault.InvalidInput, "name")

	x := made(
		w.CreateExperiment(
			w.owner, ch.PublicID, studio.ExperimentDraft{Name: ptr("Split"), Planner: json.RawMessage(`{"p": 1}`)},
		),
	)(t)
	_, err = w.UpdateExperiment(w.owner, x.ID, studio.ExperimentDraft{Planner: json.RawMessage(`{"baseline": 2}`)})
	refused(t, err, fault.InvalidInput, "planner")
	start := func(draft studio.ExperimentDraft) error {
		t.Helper()
		made(w.UpdateExperiment(w.owner, x.ID, draft))(t)
		_, err := w.StartExperiment(w.owner, x.ID)
		return err
	}
	refused(t, start(studio.ExperimentDraft{}), fault.InvalidInput, "endsAt")
	refused(t, start(studio.ExperimentDraft{EndsAt: &ends}), fault.InvalidInput, "variants")
	refused(t, start(
		studio.ExperimentDraft{Variants: []studio.VariantDraft{{Key: "a", VersionID: &version.ID}, {Key: "b"}}},
	),
		fault.InvalidInput, "variants.1.versionId")
	refused(t, start(studio.ExperimentDraft{Variants: []studio.VariantDraft{
		{Key: "a", VersionID: &version.ID}, {Key: "b", VersionID: &version.ID}}}), fault.InvalidInput, "variants")
	require.NoError(t, start(studio.ExperimentDraft{Name: ptr("Renamed"), Variants: w.variants(version.ID)}))
	refused(t, w.DeleteExperiment(w.owner, x.ID), fault.Conflict, "")
	_, err = w.UpdateExperiment(w.owner, x.ID, studio.ExperimentDraft{Name: ptr("x")})
	refused(t, err, fault.Conflict, "")

	draft := made(
		w.CreateExperiment(
			w.owner, ch.PublicID, studio.ExperimentDraft{Name: ptr("Draft"), Variants: w.variants(version.ID)},
		),
	)(t)
	require.NoError(t, w.DeleteExperiment(w.owner, draft.ID))
	refused(t, w.DeleteExperiment(w.owner, draft.ID), fault.NotFound, "")
}

func TestExperimentsEndByADecision(t *testing.T) {
	w := newWorld(t)
	_, control := w.published(w.app.ID)
	flow, _ := w.published(w.app.ID)
	other := made(w.Publish(w.owner, flow.ID, ""))(t).Version
	run := func() (*ent.Channel, *ent.Experiment) {
		t.Helper()
		ch := w.channel()
		x := made(w.CreateExperiment(w.owner, ch.PublicID, studio.ExperimentDraft{
			Name: ptr("Split"), EndsAt: ptr(w.now.Add(time.Hour)), Variants: []studio.VariantDraft{
				{Key: "a", Weight: 1, VersionID: &control.ID}, {Key: "b", Weight: 1, VersionID: &other.ID},
			},
		}))(t)
		return ch, made(w.StartExperiment(w.owner, x.ID))(t)
	}
	serves := func(ch *ent.Channel) uuid.UUID {
		t.Helper()
		now := w.db.Ent().Channel.GetX(w.owner, ch.ID)
		require.Equal(t, channel.AssignmentDirect, now.Assignment)
		return *now.FlowVersionID
	}
	stopped, one := run()
	_, err := w.StartExperiment(w.owner, one.ID)
	refused(t, err, fault.Conflict, "")
	_, err = w.Pin(w.owner, stopped.PublicID, control.ID)
	refused(t, err, fault.Conflict, "")
	_, err = w.ArchiveFlow(w.owner, flow.ID)
	refused(t, err, fault.Conflict, "")
	made(w.StopExperiment(w.owner, one.ID))(t)
	require.Equal(t, control.ID, serves(stopped), "the control")
	_, err = w.StopExperiment(w.owner, one.ID)
	refused(t, err, fault.Conflict, "")

	promoted, two := run()
	for _, to := range []studio.Promotion{
		{}, {VariantID: ptr(uuid.New()), VersionID: &other.ID}, {VariantID: ptr(uuid.New())},
	} {
		_, err := w.PromoteExperiment(w.owner, two.ID, to)
		refused(t, err, fault.InvalidInput, "variantId")
	}
	_, err = w.PromoteExperiment(w.owner, two.ID, studio.Promotion{VersionID: ptr(uuid.New())})
	refused(t, err, fault.InvalidInput, "versionId")
	made(w.PromoteExperiment(w.owner, two.ID, studio.Promotion{VersionID: &other.ID}))(t)
	require.Equal(t, other.ID, serves(promoted))

	_, three := run()
	w.now = w.now.Add(2 * time.Hour)
	require.Equal(t, 1, made(w.ExpireExperiments(context.Background()))(t))
	require.Zero(t, made(w.ExpireExperiments(context.Background()))(t))
	require.Equal(t, experiment.StatusPendingDecision, w.db.Ent().Experiment.GetX(w.owner, three.ID).Status)
	_, err = w.ExtendExperiment(w.owner, three.ID, w.now)
	refused(t, err, fault.InvalidInput, "endsAt")
	extended := made(w.ExtendExperiment(w.owner, three.ID, w.now.Add(time.Hour)))(t)
	require.Nil(t, three.ExtendedAt)
	require.Equal(t, w.now, extended.ExtendedAt.UTC(), "its fixed interval is spent")
	require.Equal(t, experiment.StatusRunning, extended.Status)

	// Members are told of every end once, by itself or by hand, and again of the end of what was extended.
	w.now = w.now.Add(2 * time.Hour)
	require.Equal(t, 1, made(w.ExpireExperiments(context.Background()))(t))
	rows, err := w.db.Pool.Query(context.Background(), `
		select title || ': ' || (about->>'experimentId') || ' ' || (about->>'environment') || ' ' || (about->>'channelId')
		from notification where workspace_id = $1 and kind = 'experiment_ended' order by id`, w.workspace)
	require.NoError(t, err)
	told, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	of := func(x *ent.Experiment) string {
		ch := w.db.Ent().Channel.GetX(w.owner, x.ChannelID)
		return fmt.Sprintf(": %s %s %s", x.ID, ch.QueryEnvironment().OnlyX(w.owner).Kind, ch.PublicID)
	}
	require.Equal(t, []string{
		"Experiment “Split” was stopped" + of(one), "Experiment “Split” was closed by a promotion" + of(two),
		"Experiment “Split” has ended and waits for a decision" + of(three),
		"Experiment “Split” has ended and waits for a decision" + of(three),
	}, told)

	w.plan("indie", []string{}, nil)
	_, err = w.CreateExperiment(w.owner, stopped.PublicID, studio.ExperimentDraft{Name: ptr("More")})
	refused(t, err, fault.FeatureNotInPlan, "channelId")
	_, err = w.StartExperiment(w.owner, uuid.New())
	refused(t, err, fault.NotFound, "")
}
