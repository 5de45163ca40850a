package studio_test

import (
	"context"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/delivery/integration"
	"github.com/svc-dev/svc/ent/environment"
	"github.com/svc-dev/svc/internal/fault"
	"github.com/svc-dev/svc/manifest"
	"github.com/svc-dev/svc/studio"
)

func TestAnAppHasTwoEnvironmentsWithAKeyEach(t *testing.T) {
	w := newWorld(t)
	require.Equal(t, "Shop", w.app.Name, "names are trimmed")
	halves := w.db.Ent().Environment.Query().Where(environment.AppID(w.app.ID)).AllX(w.owner)
	require.Len(t, halves, 2)
	for _, half := range halves {
		key := half.QueryPublishableKeys().OnlyX(w.owner)
		require.Regexp(t, "^ob_pk_"+string(half.Kind)+"_[0-9A-Za-z]+$", key.Key)
	}
	rotated := made(w.RotateKey(w.owner, w.app.ID, studio.Live))(t)
	revoked := made(w.RevokeKey(w.owner, rotated.ID))(t)
	require.NotNil(t, revoked.RevokedAt)
	require.Equal(t, revoked.RevokedAt, made(w.RevokeKey(w.owner, rotated.ID))(t).RevokedAt, "once is enough")
	_, err := w.RevokeKey(w.owner, uuid.New())
	refused(t, err, fault.NotFound, "")
	_, err = w.RevokeKey(w.stranger(), rotated.ID)
	refused(t, err, fault.NotFound, "")
}

func TestSettingsOfAnAppAreChecked(t *testing.T) {
	w := newWorld(t)
	many := make([]string, 21)
	for field, change := range map[string]studio.AppChange{
		"name":             {Name: ptr("  ")},
		"allowedOrigins":   {AllowedOrigins: many},
		"allowedOrigins.0": {AllowedOrigins: []string{"http://shop.example"}},
		"allowedOrigins.1": {AllowedOrigins: []string{"https://shop.example", "https://*.shop.example"}},
		"allowedOrigins.2": {
			AllowedOrigins: []string{"https://a.example", "http://localhost:3000", "https://a.example/path"},
		},
		"allowedOrigins.3": {AllowedOrigins: []string{"https://a.example", "https://b.example", "https://c.example",
			"https://" + strings.Repeat("a", 3_000) + ".example"}},
		"completionWindowDays": {CompletionWindowDays: ptr(2)},
		"purchaseWindowDays":   {PurchaseWindowDays: ptr(0)},
		"lapseMinutes":         {LapseMinutes: ptr(4)},
	} {
		change.ID = w.app.ID
		_, err := w.UpdateApp(w.owner, change)
		refused(t, err, fault.InvalidInput, field)
	}
	_, err := w.UpdateApp(w.owner, studio.AppChange{ID: w.app.ID, Name: ptr(long(121))})
	refused(t, err, fault.InvalidInput, "name")
	for _, minutes := range []int{-1, 1441, math.MaxInt} {
		_, err := w.UpdateApp(w.owner, studio.AppChange{ID: w.app.ID, LapseMinutes: &minutes})
		refused(t, err, fault.InvalidInput, "lapseMinutes")
	}
	require.Equal(t, []int{1, 3, 30}, []int{w.app.CompletionWindowDays, w.app.PurchaseWindowDays, w.app.LapseMinutes})
	changed := made(w.UpdateApp(w.owner, studio.AppChange{
		ID: w.app.ID, Name: ptr(long(120)), IgnoreBots: ptr(false),
		CompletionWindowDays: ptr(14), PurchaseWindowDays: ptr(7), LapseMinutes: ptr(1440),
		AllowedOrigins: []string{"https://Shop.example/", "https://shop.example", "http://127.0.0.1:3000"},
	}))(t)
	require.Equal(t, []string{"https://shop.example", "http://127.0.0.1:3000"}, changed.AllowedOrigins)
	require.False(t, changed.IgnoreBots)
	require.Equal(
		t, []int{14, 7, 1440}, []int{changed.CompletionWindowDays, changed.PurchaseWindowDays, changed.LapseMinutes},
	)
	require.Empty(
		t, made(w.UpdateApp(w.owner, studio.AppChange{ID: w.app.ID, AllowedOrigins: []string{}}))(t).AllowedOrigins,
	)
}

func TestAnAppIsArchivedByItsName(t *testing.T) {
	w := newWorld(t)
	_, err := w.ArchiveApp(w.owner, w.app.ID, "shop")
	refused(t, err, fault.InvalidInput, "confirmName")
	archived := made(w.ArchiveApp(w.owner, w.app.ID, "Shop"))(t)
	require.NotNil(t, archived.ArchivedAt)
	require.Equal(t, archived.ArchivedAt.Unix(), made(w.ArchiveApp(w.owner, w.app.ID, "Shop"))(t).ArchivedAt.Unix())
	require.Nil(t, made(w.UnarchiveApp(w.owner, w.app.ID))(t).ArchivedAt)
	require.Nil(t, made(w.UnarchiveApp(w.owner, w.app.ID))(t).ArchivedAt)
}

func TestPlansBoundApps(t *testing.T) {
	w := newWorld(t)
	w.plan("indie", []string{}, map[string]int64{"active_apps": 1})
	_, err := w.CreateApp(w.owner, w.workspace, "Second")
	refused(t, err, fault.LimitReached, "workspaceId")
	made(w.ArchiveApp(w.owner, w.app.ID, "Shop"))(t)
	made(w.CreateApp(w.owner, w.workspace, "Second"))(t)
	_, err = w.UnarchiveApp(w.owner, w.app.ID)
	refused(t, err, fault.LimitReached, "id")
}

// Who is nobody here learns nothing, who may only look changes nothing.
func TestRightsAreChecked(t *testing.T) {
	w := newWorld(t)
	flow, version := w.published(w.app.ID)
	ch := w.channel()
	segment := made(w.CreateSegment(w.owner, w.app.ID, studio.SegmentChange{Name: ptr("People")}))(t)
	split := made(w.CreateExperiment(w.owner, ch.PublicID, studio.ExperimentDraft{Name: ptr("Split")}))(t)
	asset := made(
		w.UploadMedia(w.owner, w.workspace, studio.Upload{Type: "image", Filename: "a.png", Content: png("a")}),
	)(t)
	viewer, stranger := w.viewer(), w.stranger()
	for name, attempt := range map[string]func(context.Context) error{
		"update app": func(ctx context.Context) error {
			_, err := w.UpdateApp(ctx, studio.AppChange{ID: w.app.ID})
			return err
		},
		"archive app":   func(ctx context.Context) error { _, err := w.ArchiveApp(ctx, w.app.ID, "Shop"); return err },
		"unarchive app": func(ctx context.Context) error { _, err := w.UnarchiveApp(ctx, w.app.ID); return err },
		"rotate key":    func(ctx context.Context) error { _, err := w.RotateKey(ctx, w.app.ID, studio.Test); return err },
		"branding": func(ctx context.Context) error {
			_, err := w.UpdateBranding(ctx, w.app.ID, []byte(`{}`))
			return err
		},
		"canvas":         func(ctx context.Context) error { _, err := w.UpdateCanvas(ctx, w.app.ID, nil); return err },
		"create flow":    func(ctx context.Context) error { _, err := w.CreateFlow(ctx, w.app.ID, "F", nil); return err },
		"rename flow":    func(ctx context.Context) error { _, err := w.RenameFlow(ctx, flow.ID, "F"); return err },
		"save draft":     func(ctx context.Context) error { _, err := w.SaveDraft(ctx, flow.ID, 1, nil); return err },
		"publish":        func(ctx context.Context) error { _, err := w.Publish(ctx, flow.ID, ""); return err },
		"archive flow":   func(ctx context.Context) error { _, err := w.ArchiveFlow(ctx, flow.ID); return err },
		"unarchive flow": func(ctx context.Context) error { _, err := w.UnarchiveFlow(ctx, flow.ID); return err },
		"duplicate flow": func(ctx context.Context) error { _, err := w.DuplicateFlow(ctx, flow.ID, ""); return err },
		"create channel": func(ctx context.Context) error {
			_, err := w.CreateChannel(ctx, w.app.ID, studio.Live, "C")
			return err
		},
		"rename channel": func(ctx context.Context) error { _, err := w.RenameChannel(ctx, ch.PublicID, "C"); return err },
		"pin":            func(ctx context.Context) error { _, err := w.Pin(ctx, ch.PublicID, version.ID); return err },
		"unassign":       func(ctx context.Context) error { _, err := w.Unassign(ctx, ch.PublicID); return err },
		"archive channel": func(ctx context.Context) error {
			_, err := w.ArchiveChannel(ctx, ch.PublicID, "Main")
			return err
		},
		"unarchive channel": func(ctx context.Context) error { _, err := w.UnarchiveChannel(ctx, ch.PublicID); return err },
		"update experiment": func(ctx context.Context) error {
			_, err := w.UpdateExperiment(ctx, split.ID, studio.ExperimentDraft{})
			return err
		},
		"delete experiment": func(ctx context.Context) error { return w.DeleteExperiment(ctx, split.ID) },
		"start experiment":  func(ctx context.Context) error { _, err := w.StartExperiment(ctx, split.ID); return err },
		"extend experiment": func(ctx context.Context) error {
			_, err := w.ExtendExperiment(ctx, split.ID, w.now)
			return err
		},
		"stop experiment": func(ctx context.Context) error { _, err := w.StopExperiment(ctx, split.ID); return err },
		"promote experiment": func(ctx context.Context) error {
			_, err := w.PromoteExperiment(ctx, split.ID, studio.Promotion{VersionID: &version.ID})
			return err
		},
		"update segment": func(ctx context.Context) error {
			_, err := w.UpdateSegment(ctx, segment.ID, studio.SegmentChange{})
			return err
		},
		"delete segment": func(ctx context.Context) error { return w.DeleteSegment(ctx, segment.ID) },
		"import members": func(ctx context.Context) error {
			_, err := w.ImportMembers(ctx, segment.ID, "app_user", []string{"a"})
			return err
		},
		"remove members": func(ctx context.Context) error {
			_, err := w.RemoveMembers(ctx, segment.ID, "app_user", []string{"a"})
			return err
		},
		"rename media":  func(ctx context.Context) error { _, err := w.RenameMedia(ctx, asset.ID, "a"); return err },
		"archive media": func(ctx context.Context) error { _, err := w.ArchiveMedia(ctx, asset.ID); return err },
	} {
		require.True(t, fault.Is(attempt(viewer), fault.Forbidden), "%s by a viewer: %v", name, attempt(viewer))
		require.True(t, fault.Is(attempt(stranger), fault.NotFound), "%s by a stranger: %v", name, attempt(stranger))
		require.True(
			t, fault.Is(attempt(context.Background()), fault.Unauthenticated), "%s by nobody: %v", name,
			attempt(context.Background()),
		)
	}
	_, err := w.CreateApp(viewer, w.workspace, "Mine")
	refused(t, err, fault.Forbidden, "")
	_, err = w.UploadMedia(viewer, w.workspace, studio.Upload{})
	refused(t, err, fault.Forbidden, "")
}

func TestIntegrationsAndCanvasAreMerged(t *testing.T) {
	w := newWorld(t)
	made(w.UpdateIntegrations(w.owner, studio.IntegrationsChange{
		AppID: w.app.ID, RevenueCat: &integration.RevenueCat{Enabled: true, DefaultOfferingID: "o"},
		AppsFlyer: &integration.Toggle{Enabled: true},
	}))(t)
	changed := made(w.UpdateIntegrations(w.owner, studio.IntegrationsChange{
		AppID: w.app.ID, Superwall: &integration.Superwall{Enabled: true}, Stripe: &integration.Toggle{Enabled: true},
	}))(t)
	all := integration.Parse(changed.Integrations)
	require.True(t, all.RevenueCat.Enabled && all.Superwall.Enabled && all.AppsFlyer.Enabled && all.Stripe.Enabled)
	require.Equal(t, "o", all.RevenueCat.DefaultOfferingID)
	for _, change := range []studio.IntegrationsChange{
		{RevenueCat: &integration.RevenueCat{DefaultOfferingID: long(129)}},
		{Superwall: &integration.Superwall{DefaultPlacementID: long(129)}},
	} {
		change.AppID = w.app.ID
		_, err := w.UpdateIntegrations(w.owner, change)
		require.True(t, fault.Is(err, fault.InvalidInput), err)
	}
	made(w.UpdateCanvas(w.owner, w.app.ID, map[manifest.CanvasControl]bool{manifest.CanvasLottie: false}))(t)
	app := made(w.UpdateCanvas(w.owner, w.app.ID, map[manifest.CanvasControl]bool{manifest.CanvasOauthLogin: false}))(t)
	require.Equal(t, map[string]bool{"lottie": false, "oauthLogin": false}, app.CanvasGates)
}

func TestBrandingNamesEveryWrongMember(t *testing.T) {
	w := newWorld(t)
	require.Empty(t, made(w.ReadBranding(w.owner, w.app))(t).ColorPresets)
	font := made(w.UploadMedia(w.owner, w.workspace, studio.Upload{
		Type: "font", Filename: "a.woff2", Content: readerOf("wOF2" + long(10)),
	}))(t)
	for field, branding := range map[string]string{
		"branding":                                  `[`,
		"branding.colorPresets":                     `{"colorPresets": 1}`,
		"branding.appIcon.url":                      `{"appIcon": {"url": "icon.png", "source": "upload"}}`,
		"branding.appIcon.source":                   `{"appIcon": {"url": "https://a.example/i.png", "source": "web"}}`,
		"branding.colorPresets.0.name":              `{"colorPresets": [{"name": "", "value": "#fff"}]}`,
		"branding.colorPresets.1.value":             `{"colorPresets": [{"name": "a", "value": "#fff"}, {"name": "b", "value": "red"}]}`,
		"branding.gradientPresets.0.type":           `{"gradientPresets": [{"name": "g", "type": "conic", "stops": [{"color": "#fff"}, {"color": "#000"}]}]}`,
		"branding.gradientPresets.0.angle":          `{"gradientPresets": [{"name": "g", "type": "linear", "angle": 361, "stops": [{"color": "#fff"}, {"color": "#000"}]}]}`,
		"branding.gradientPresets.0.stops":          `{"gradientPresets": [{"name": "g", "type": "linear", "stops": [{"color": "#fff"}]}]}`,
		"branding.gradientPresets.0.stops.1.offset": `{"gradientPresets": [{"name": "g", "type": "linear", "stops": [{"color": "#fff"}, {"color": "#000", "offset": 2}]}]}`,
		"branding.gradientPresets.0.stops.0.color":  `{"gradientPresets": [{"name": "g", "type": "linear", "stops": [{"color": "#ff"}, {"color": "#000"}]}]}`,
		"branding.fontFamilies.0.name":              `{"fontFamilies": [{"name": ""}]}`,
		"branding.fontFamilies.0.styles.0.weight":   `{"fontFamilies": [{"name": "f", "styles": [{"weight": 50}]}]}`,
		"branding.fontFamilies.0.styles.0.url":      `{"fontFamilies": [{"name": "f", "styles": [{"weight": 400, "url": "a.woff"}]}]}`,
		"branding.fontFamilies.0.styles.0.label":    `{"fontFamilies": [{"name": "f", "styles": [{"weight": 400, "label": "` + long(41) + `"}]}]}`,
		"branding.fontFamilies.0.styles.0.filename": `{"fontFamilies": [{"name": "f", "styles": [{"weight": 400, "filename": "` + long(201) + `"}]}]}`,
		"branding.fontFamilies.0.styles.0.mediaAssetId": `{"fontFamilies": [{"name": "f", "styles": [{"weight": 400, "mediaAssetId": "` +
			uuid.NewString() + `"}]}]}`,
	} {
		_, err := w.UpdateBranding(w.owner, w.app.ID, json.RawMessage(branding))
		refused(t, err, fault.InvalidInput, field)
	}
	stored := made(w.UpdateBranding(w.owner, w.app.ID, json.RawMessage(`{"colorPresets": [{"name": "Red", "value": "#f00"}],
		"gradientPresets": [{"name": "g", "type": "radial", "stops": [{"color": "#fff"}, {"color": "#000", "offset": 1}]}],
		"fontFamilies": [{"name": "f", "styles": [{"weight": 400, "mediaAssetId": "`+font.ID.String()+`"}]}], "unknown": 1}`)))(t)
	require.NotEqual(t, uuid.Nil, stored.ColorPresets[0].ID)
	require.Equal(t, stored, made(w.ReadBranding(w.owner, w.app))(t))
}
