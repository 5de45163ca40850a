package studio_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/ent"
	"github.com/svc-dev/svc/ent/assignment"
	"github.com/svc-dev/svc/ent/channel"
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
