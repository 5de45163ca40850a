package studio_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/ent"
	"github.com/svc-dev/svc/ent/assignment"
	"github.com/svc-dev/svc/ent/channel"
	"github.com/svc-dev/svc/ent/experiment"
	"github.com/svc-dev/svc/ent/mediaasset"
	"github.com/svc-dev/svc/internal/fault"
	"github.com/svc-dev/svc/manifest"
	"github.com/svc-dev/svc/manifest/problem"
	"github.com/svc-dev/svc/revenue"
	"github.com/svc-dev/svc/studio"
)

// problems returns the codes of the problems that an error lists.
func problems(t *testing.T, err error) (codes []string) {
	t.Helper()
	var known *fault.Error
	require.ErrorAs(t, err, &known)
	switch found := known.Details["problems"].(type) {
	case []manifest.Problem:
		for _, one := range found {
			codes = append(codes, one.Code)
		}
	case []problem.Problem:
		for _, one := range found {
			codes = append(codes, one.Code)
		}
	}
	return codes
}

func TestDraftsAreSavedFromARevision(t *testing.T) {
	w := newWorld(t)
	flow := made(w.CreateFlow(w.owner, w.app.ID, " Flow ", nil))(t)
	require.Equal(t, "Flow", flow.Name)
	saved := made(w.SaveDraft(w.owner, flow.ID, 1, json.RawMessage(publishable)))(t)
	require.Equal(t, 2, saved.Flow.DraftRevision)
	require.Empty(t, saved.Problems)
	require.Contains(t, string(saved.Flow.Draft), flow.ID.String(), "a draft is stamped with its own flow")
	_, err := w.SaveDraft(w.owner, flow.ID, 1, json.RawMessage(publishable))
	refused(t, err, fault.Conflict, "revision")
	var stale *fault.Error
	require.ErrorAs(t, err, &stale)
	require.Equal(t, 2, stale.Details["currentRevision"])
	wrong := made(w.SaveDraft(w.owner, flow.ID, 2, json.RawMessage(`{"screens": 1}`)))(t)
	require.NotEmpty(t, wrong.Problems, "a draft may be wrong")
	for name, draft := range map[string]string{
		"no object": `[]`, "null": `null`, "NUL": `{"a": "\u0000"}`, "no JSON": `{`,
		"too large": `{"a": "` + strings.Repeat("x", manifest.MaxBytes) + `"}`,
	} {
		_, err := w.SaveDraft(w.owner, flow.ID, 3, json.RawMessage(draft))
		refused(t, err, fault.InvalidInput, "draft")
		require.Error(t, err, name)
	}
	_, err = w.CreateFlow(w.owner, w.app.ID, "", nil)
	refused(t, err, fault.InvalidInput, "name")
	_, err = w.CreateFlow(w.owner, w.app.ID, "Flow", json.RawMessage(`[]`))
	refused(t, err, fault.InvalidInput, "manifest")
	_, err = w.CreateFlow(w.owner, w.app.ID, "Flow", json.RawMessage(`{"screens": 1}`))
	refused(t, err, fault.InvalidInput, "manifest")
	require.NotEmpty(t, problems(t, err))
	_, err = w.RenameFlow(w.owner, flow.ID, long(121))
	refused(t, err, fault.InvalidInput, "name")
	require.Equal(t, "Other", made(w.RenameFlow(w.owner, flow.ID, "Other"))(t).Name)
}

func TestFlowsAreArchivedAndDuplicated(t *testing.T) {
	w := newWorld(t)
	flow, version := w.published(w.app.ID)
	copied := made(w.DuplicateFlow(w.owner, flow.ID, ""))(t)
	require.Equal(t, "Flow copy", copied.Name)
	require.Contains(t, string(copied.Draft), copied.ID.String())
	made(w.RenameFlow(w.owner, flow.ID, long(120)))(t)
	require.Equal(t, long(115)+" copy", made(w.DuplicateFlow(w.owner, flow.ID, ""))(t).Name)
	_, err := w.DuplicateFlow(w.owner, flow.ID, long(121))
	refused(t, err, fault.InvalidInput, "name")

	ch := w.channel()
	made(w.Pin(w.owner, ch.PublicID, version.ID))(t)
	_, err = w.ArchiveFlow(w.owner, flow.ID)
	refused(t, err, fault.Conflict, "")
	made(w.Unassign(w.owner, ch.PublicID))(t)
	archived := made(w.ArchiveFlow(w.owner, flow.ID))(t)
	require.NotNil(t, archived.ArchivedAt)
	require.NotNil(t, made(w.ArchiveFlow(w.owner, flow.ID))(t).ArchivedAt)
	_, err = w.SaveDraft(w.owner, flow.ID, 1, json.RawMessage(publishable))
	refused(t, err, fault.Conflict, "")
	_, err = w.Publish(w.owner, flow.ID, "")
	refused(t, err, fault.Conflict, "")
	_, err = w.Pin(w.owner, ch.PublicID, version.ID)
	refused(t, err, fault.InvalidInput, "versionId")
	require.Nil(t, made(w.UnarchiveFlow(w.owner, flow.ID))(t).ArchivedAt)
	require.Nil(t, made(w.UnarchiveFlow(w.owner, flow.ID))(t).ArchivedAt)
}

func TestPublishingIsGated(t *testing.T) {
	w := newWorld(t)
	flow, version := w.published(w.app.ID)
	require.Equal(t, 1, version.Number)
	require.Len(t, version.Checksum, 64)
	require.Equal(t, 2, made(w.Publish(w.owner, flow.ID, ""))(t).Version.Number)
	_, err := w.Publish(w.owner, flow.ID, long(121))
	refused(t, err, fault.InvalidInput, "label")
	made(w.Publish(w.owner, flow.ID, long(120)))(t)

	blank := made(w.CreateFlow(w.owner, w.app.ID, "Blank", nil))(t)
	_, err = w.Publish(w.owner, blank.ID, "")
	refused(t, err, fault.PublishBlocked, "")
	require.NotEmpty(t, problems(t, err))
	require.NotEmpty(t, made(w.CheckDraft(w.owner, blank))(t), "the gates say so before")

	withLottie := strings.Replace(publishable, `"children":[
		{`, `"children":[{"id":"lyr_l","kind":"lottie","media":{"mediaAssetId":"`+uuid.NewString()+`"}},{`, 1)
	made(w.SaveDraft(w.owner, blank.ID, 1, json.RawMessage(withLottie)))(t)
	made(w.UpdateCanvas(w.owner, w.app.ID, map[manifest.CanvasControl]bool{manifest.CanvasLottie: false}))(t)
	_, err = w.Publish(w.owner, blank.ID, "")
	require.Contains(t, problems(t, err), "media.unknown_asset")
	require.Len(t, problems(t, err), 2, "the asset, and the switch that is off")
}

// What a screen loads is weighed by the files of the media library.
func TestHeavyScreensAreAWarning(t *testing.T) {
	w := newWorld(t)
	upload := func(name string, size int) string {
		return made(w.UploadMedia(w.owner, w.workspace, studio.Upload{
			Type: "image", Filename: name, Content: png(strings.Repeat("x", size)),
		}))(t).ID.String()
	}
	image := func(id, asset string) string {
		return `{"id":"` + id + `","kind":"image","alt":"","media":{"mediaAssetId":"` + asset + `"}},`
	}
	fern, palm := upload("fern.png", 150_000), upload("palm.png", 360_000)
	heavy := strings.Replace(publishable, `"children":[`, `"children":[`+
		image("lyr_1", fern)+image("lyr_2", strings.ToUpper(palm)), 1)
	flow := made(w.CreateFlow(w.owner, w.app.ID, "Plants", json.RawMessage(heavy)))(t)
	told := made(w.InspectDraft(w.owner, made(w.OpenDraft(w.owner, flow.ID))(t)))(t)
	require.Len(t, told, 1)
	require.Equal(t, "screen.heavy_media", told[0].Code)
	require.Equal(t, "“A” loads 511 kB of media, of which “palm” is 361 kB.", told[0].Message)
	require.NotEmpty(t, told[0].Hint)
	warnings := made(w.Publish(w.owner, flow.ID, ""))(t).Warnings
	require.Len(t, warnings, 1, "it does not block")

	light := strings.Replace(publishable, `"children":[`, `"children":[`+image("lyr_1", fern), 1)
	made(w.SaveDraft(w.owner, flow.ID, 1, json.RawMessage(light)))(t)
	told = made(w.InspectDraft(w.owner, made(w.OpenDraft(w.owner, flow.ID))(t)))(t)
	require.Empty(t, told)
}

func TestChannelsServeWhatIsPinned(t *testing.T) {
	w := newWorld(t)
	_, version := w.published(w.app.ID)
	ch := w.channel()
	require.Regexp(t, "^ch_live_", ch.PublicID)
	_, err := w.CreateChannel(w.owner, w.app.ID, studio.Test, " ")
	refused(t, err, fault.InvalidInput, "name")
	_, err = w.RenameChannel(w.owner, ch.PublicID, long(121))
	refused(t, err, fault.InvalidInput, "name")
	require.Equal(t, "Other", made(w.RenameChannel(w.owner, ch.PublicID, "Other"))(t).Name)

	require.Zero(t, made(w.Unassign(w.owner, ch.PublicID))(t).AssignmentVersion, "nothing to take away")
	pinned := made(w.Pin(w.owner, ch.PublicID, version.ID))(t)
	require.Equal(t, channel.AssignmentDirect, pinned.Channel.Assignment)
	require.Equal(t, 1, pinned.Channel.AssignmentVersion)
	_, err = w.Pin(w.owner, ch.PublicID, uuid.New())
	refused(t, err, fault.InvalidInput, "versionId")
	_, foreign := w.published(made(w.CreateApp(w.owner, w.workspace, "Other"))(t).ID)
	_, err = w.Pin(w.owner, ch.PublicID, foreign.ID)
	refused(t, err, fault.InvalidInput, "versionId")

	made(w.UpdateBranding(w.owner, w.app.ID, json.RawMessage(`{}`)))(t)
	require.NoError(t, w.RaiseAll(context.Background(), "media"))
	_, err = w.ArchiveChannel(w.owner, ch.PublicID, "Main")
	refused(t, err, fault.InvalidInput, "confirmName")
	made(w.ArchiveChannel(w.owner, ch.PublicID, "Other"))(t)
	require.NotNil(t, made(w.ArchiveChannel(w.owner, ch.PublicID, "Other"))(t).ArchivedAt)
	_, err = w.Pin(w.owner, ch.PublicID, version.ID)
	refused(t, err, fault.Conflict, "")
	made(w.UnarchiveChannel(w.owner, ch.PublicID))(t)
	require.Nil(t, made(w.UnarchiveChannel(w.owner, ch.PublicID))(t).ArchivedAt)
	require.Equal(t, channel.AssignmentNone, made(w.Unassign(w.owner, ch.PublicID))(t).Assignment)
	var reasons []string
	for _, entry := range w.db.Ent().Assignment.Query().Order(assignment.ByAssignmentVersion()).AllX(w.owner) {
		reasons = append(reasons, entry.Reason)
	}
	require.Equal(t, []string{"pin", "branding", "media", "unarchive", "unassign"}, reasons)
}

func TestWarningsOfAPinSayWhereThingsWork(t *testing.T) {
	w := newWorld(t)
	review := strings.Replace(publishable, `{"kind":"continue"}`, `{"kind":"request_app_review"}`, 1)
	review = strings.Replace(review, `"next":{"default":null}}]`, `"next":{"default":"scr_b"}},
		{"id":"scr_b","name":"B","regions":{"body":{"id":"lyr_c","kind":"stack","direction":"vertical","children":[]}},"next":{"default":null}}]`, 1)
	flow := made(w.CreateFlow(w.owner, w.app.ID, "Review", json.RawMessage(review)))(t)
	version := made(w.Publish(w.owner, flow.ID, ""))(t).Version
	pinned := made(w.Pin(w.owner, w.channel().PublicID, version.ID))(t)
	require.Len(t, pinned.Warnings, 1)
	require.Equal(t, "action:request_app_review", pinned.Warnings[0].Code)
	require.Equal(t, manifest.Mobile, pinned.Warnings[0].Only)
}

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

func TestSegmentsAreRulesAndImportedIDs(t *testing.T) {
	w := newWorld(t)
	create := func(change studio.SegmentChange) error {
		_, err := w.CreateSegment(w.owner, w.app.ID, change)
		return err
	}
	refused(t, create(studio.SegmentChange{}), fault.InvalidInput, "name")
	refused(t, create(studio.SegmentChange{Name: ptr(" ")}), fault.InvalidInput, "name")
	refused(t, create(studio.SegmentChange{Name: ptr(long(121))}), fault.InvalidInput, "name")
	for _, days := range []int{0, 1828} {
		refused(t, create(studio.SegmentChange{Name: ptr("x"), WindowDays: &days}), fault.InvalidInput, "windowDays")
	}
	rules := &studio.SegmentRules{
		Platform: "WEB", Columns: map[string]string{"source": "google", "os": "iOS"},
		Cross: map[string]studio.RuleFilter{"page": {Op: "CONTAINS", Values: []string{"/docs"}}},
	}
	refused(
		t, create(studio.SegmentChange{Name: ptr("x"), Rules: rules, ClearRules: true}), fault.InvalidInput, "importedOnly",
	)
	require.Error(t, create(studio.SegmentChange{Name: ptr("x"), Rules: &studio.SegmentRules{
		Cross: map[string]studio.RuleFilter{"os": {Op: "CONTAINS", Values: []string{"i"}}}}}), "an operator of texts")

	segment := made(w.CreateSegment(w.owner, w.app.ID, studio.SegmentChange{Name: ptr("Readers"), Rules: rules}))(t)
	made(w.ImportMembers(w.owner, segment.ID, "app_user", []string{"a", "b", "a"}))(t)
	made(w.ImportMembers(w.owner, segment.ID, "custom_user", []string{"c"}))(t)
	made(w.RemoveMembers(w.owner, segment.ID, "app_user", []string{"b", "nobody"}))(t)
	for field, values := range map[string][]string{
		"values": {}, "values.1": {"a", ""}, "values.0": {strings.Repeat("x", 257)}, "values.2": {"a", "b", "\x00"},
	} {
		_, err := w.ImportMembers(w.owner, segment.ID, "app_user", values)
		refused(t, err, fault.InvalidInput, field)
		_, err = w.RemoveMembers(w.owner, segment.ID, "app_user", values)
		refused(t, err, fault.InvalidInput, field)
	}
	audience := made(w.Audience(w.owner, w.app.ID, segment.ID, "segmentId"))(t)
	require.Empty(t, audience.AppUserIDs, "they are read when somebody must evaluate them")
	audience = made(audience.WithImported(w.owner))(t)
	require.Equal(t, []string{"a"}, audience.AppUserIDs)
	require.Equal(t, []string{"c"}, audience.CustomUserIDs)
	require.Equal(t, 90, audience.Rules.Days)
	require.Equal(t, "iOS", *audience.Rules.Columns.OS)
	require.Equal(t, "web", audience.Rules.Platform)
	made(w.ImportMembers(w.owner, segment.ID, "app_user", []string{"d"}))(t)
	more := made(w.Audience(w.owner, w.app.ID, segment.ID, "segmentId"))(t)
	require.NotEqual(t, audience.Version, more.Version)
	made(w.RemoveMembers(w.owner, segment.ID, "app_user", []string{"d"}))(t)
	require.NotEqual(t, more.Version, made(w.Audience(w.owner, w.app.ID, segment.ID, "segmentId"))(t).Version)
	_, err := w.Audience(w.owner, uuid.New(), segment.ID, "segmentId")
	refused(t, err, fault.InvalidInput, "segmentId")

	// What was stored before the first release has other names of columns.
	w.db.Ent().Segment.UpdateOneID(segment.ID).SetFilters(
		json.RawMessage(`{"columns": {"operatingSystems": "Android"}}`),
	).ExecX(w.owner)
	require.Equal(t, "Android", *made(w.Audience(w.owner, w.app.ID, segment.ID, ""))(t).Rules.Columns.OS)
	w.db.Ent().Segment.UpdateOneID(segment.ID).SetFilters(json.RawMessage(`{"columns": {"shoe": "42"}}`)).ExecX(w.owner)
	_, err = w.Audience(w.owner, w.app.ID, segment.ID, "")
	require.ErrorContains(t, err, "shoe")

	made(w.UpdateSegment(w.owner, segment.ID, studio.SegmentChange{ClearRules: true, WindowDays: ptr(7)}))(t)
	require.Nil(t, made(w.Audience(w.owner, w.app.ID, segment.ID, ""))(t).Rules)
	estimated := made(studio.AudienceOf(rules, 30))(t)
	require.Equal(t, 30, estimated.Rules.Days)
	_, err = studio.AudienceOf(rules, 0)
	refused(t, err, fault.InvalidInput, "windowDays")
	require.NoError(t, w.DeleteSegment(w.owner, segment.ID))
	refused(t, w.DeleteSegment(w.owner, segment.ID), fault.NotFound, "")
}

func TestPurchasesAreWrittenOnce(t *testing.T) {
	w := newWorld(t)
	record := func(change func(*revenue.Purchase)) (bool, error) {
		purchase := revenue.Purchase{
			Provider: "stripe", ProviderEventID: "e1", Kind: revenue.Originating, AppUserID: "v",
			OccurredAt: w.now, AmountMicros: 1_000_000, Currency: "eur",
		}
		change(&purchase)
		return w.RecordPurchase(w.owner, w.app.ID, studio.Live, purchase)
	}
	for field, change := range map[string]func(*revenue.Purchase){
		"providerEventId": func(p *revenue.Purchase) { p.ProviderEventID = "" },
		"appUserId":       func(p *revenue.Purchase) { p.AppUserID = strings.Repeat("x", 257) },
		"productId":       func(p *revenue.Purchase) { p.ProductID = "\x00" },
		"currency":        func(p *revenue.Purchase) { p.Currency = "euro" },
		"amount":          func(p *revenue.Purchase) { p.AmountMicros = 0 },
		"occurredAt":      func(p *revenue.Purchase) { p.OccurredAt = w.now.Add(time.Hour) },
	} {
		_, err := record(change)
		refused(t, err, fault.InvalidInput, field)
	}
	require.True(t, made(record(func(*revenue.Purchase) {}))(t))
	require.False(t, made(record(func(*revenue.Purchase) {}))(t))
	_, err := w.RecordPurchase(w.viewer(), w.app.ID, studio.Live, revenue.Purchase{})
	refused(t, err, fault.Forbidden, "")
}

func TestMediaIsKeptByItsContent(t *testing.T) {
	w := newWorld(t)
	image := func(name, content string) (*ent.MediaAsset, error) {
		return w.UploadMedia(
			w.owner, w.workspace, studio.Upload{Type: "image", Name: name, Filename: "hero.png", Content: png(content)},
		)
	}
	hero := made(image("", "a"))(t)
	require.Equal(t, "hero", hero.Name)
	require.Equal(t, hero.ID, made(image("again", "a"))(t).ID)
	_, err := image(long(201), "a")
	refused(t, err, fault.InvalidInput, "name")
	for name, upload := range map[string]studio.Upload{
		"no image":     {Type: "image", Filename: "a.png", Content: readerOf("hello")},
		"type":         {Type: "sound", Filename: "a.png", Content: png("a")},
		"no animation": {Type: "lottie", Filename: "a.json", Content: readerOf(`{"v": "5"}`)},
		"too large":    {Type: "image", Filename: "a.png", Content: png(strings.Repeat("x", 5_242_880))},
		"large lottie": {
			Type: "lottie", Filename: "a.json",
			Content: readerOf(`{"layers": [], "x": "` + strings.Repeat("x", 10_485_760) + `"}`),
		},
	} {
		_, err := w.UploadMedia(w.owner, w.workspace, upload)
		require.Error(t, err, name)
		refused(t, err, fault.InvalidInput, "file")
	}
	made(
		w.UploadMedia(
			w.owner, w.workspace, studio.Upload{Type: "lottie", Filename: "a.json", Content: readerOf(`{"layers": []}`)},
		),
	)(t)
	_, err = w.UploadMedia(
		w.owner, w.workspace, studio.Upload{Type: "image", Content: iotest.ErrReader(errors.New("the line broke"))},
	)
	require.ErrorContains(t, err, "the line broke")
	none := studio.New(w.db.Ent(), studio.Options{})
	_, err = none.UploadMedia(w.owner, w.workspace, studio.Upload{})
	refused(t, err, fault.Unavailable, "")

	_, err = w.RenameMedia(w.owner, hero.ID, " ")
	refused(t, err, fault.InvalidInput, "name")
	require.Equal(t, "New", made(w.RenameMedia(w.owner, hero.ID, "New"))(t).Name)
	require.NotNil(t, made(w.ArchiveMedia(w.owner, hero.ID))(t).ArchivedAt)
	require.NotNil(t, made(w.ArchiveMedia(w.owner, hero.ID))(t).ArchivedAt)
	require.NotEqual(t, hero.ID, made(image("", "a"))(t).ID, "an archived one is not given back")
	require.Equal(t, 2, w.db.Ent().MediaAsset.Query().Where(mediaasset.Sha256(hero.Sha256)).CountX(w.owner))
}

// The imported ids of a segment are bounded in bytes too: 256 characters may be 768 bytes.
func TestImportedIDsAreBounded(t *testing.T) {
	w := newWorld(t)
	segment := made(w.CreateSegment(w.owner, w.app.ID, studio.SegmentChange{Name: ptr("Everybody")}))(t)
	for i := range 23 {
		_, err := w.db.Pool.Exec(w.owner, `
			insert into segment_members (segment_id, kind, value)
			select $1, 'app_user', repeat('漢', 240) || ($2::int + i) from generate_series(1, 4000) i`, segment.ID, i*4_000)
		require.NoError(t, err)
	}
	made(w.ImportMembers(w.owner, segment.ID, "app_user", []string{"one more"}))(t)
	_, err := w.db.Pool.Exec(w.owner, `
		insert into segment_members (segment_id, kind, value)
		select $1, 'custom_user', repeat('漢', 240) || i from generate_series(1, 1500) i`, segment.ID)
	require.NoError(t, err)
	_, err = w.ImportMembers(w.owner, segment.ID, "app_user", []string{"one too many"})
	refused(t, err, fault.InvalidInput, "values")
	made(w.RemoveMembers(w.owner, segment.ID, "app_user", []string{"one more"}))(t)
}
