package studio_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/ent"
	"github.com/svc-dev/svc/ent/auditentry"
	"github.com/svc-dev/svc/ent/membership"
	"github.com/svc-dev/svc/internal/fault"
	"github.com/svc-dev/svc/studio"
	"github.com/svc-dev/svc/studio/bundle/bundletest"
	"github.com/svc-dev/svc/studio/media"
)

// branded makes a flow that names a picture, a font and a gradient of its app's branding.
func (w *world) branded() (*ent.Flow, *ent.MediaAsset) {
	w.t.Helper()
	picture := made(w.UploadMedia(w.owner, w.workspace, studio.Upload{
		Type: media.Image, Filename: "fern.png", Content: png("fern"),
	}))(w.t)
	font := made(w.UploadMedia(w.owner, w.workspace, studio.Upload{
		Type: media.Font, Filename: "grotesk.woff2", Content: readerOf("wOF2grotesk"),
	}))(w.t)
	brand := made(w.UpdateBranding(w.owner, w.app.ID, json.RawMessage(`{
		"gradientPresets": [{"name": "Dusk", "type": "linear", "stops": [{"offset": 0, "color": "#000000"}, {"offset": 1, "color": "#ffffff"}]}],
		"fontFamilies": [{"name": "Grotesk", "styles": [{"weight": 400, "mediaAssetId": "`+font.ID.String()+`"}]}, {"name": "Other", "styles": []}]
	}`)))(w.t)
	text := strings.Replace(publishable, `{"id":"lyr_b"`, `{"id":"lyr_i","kind":"image","media":{"mediaAssetId":"`+
		picture.ID.String()+`"}},{"id":"lyr_t","kind":"text","text":{"default":"Hi"},"style":{"fontFamily":"Grotesk"}},{"id":"lyr_b"`, 1)
	text = strings.Replace(text, `"regions"`, `"containerStyle":{"backgroundFill":{"kind":"color","color":"$brandGradient:`+
		brand.GradientPresets[0].ID.String()+`"}},"regions"`, 1)
	return made(w.CreateFlow(w.owner, w.app.ID, "Fern", json.RawMessage(text)))(w.t), picture
}

// elsewhere makes an app of a workspace of its own, whose owner may do everything there.
func (w *world) elsewhere() (context.Context, *ent.App) {
	w.t.Helper()
	owner := w.stranger()
	workspaces := made(w.db.Ent().Workspace.Query().IDs(context.Background()))(w.t)
	i := slices.IndexFunc(workspaces, func(id uuid.UUID) bool { return id != w.workspace })
	workspace := workspaces[i]
	return owner, made(w.CreateApp(owner, workspace, "Elsewhere"))(w.t)
}

func (w *world) exported(ctx context.Context, flow uuid.UUID) []byte {
	w.t.Helper()
	var file bytes.Buffer
	require.NoError(w.t, made(w.ExportFlow(ctx, flow))(w.t).Write(&file))
	return file.Bytes()
}

// What is exported and imported in another workspace and exported there is the same, but for ids.
func TestAFlowSurvivesExportAndImport(t *testing.T) {
	w := newWorld(t)
	flow, picture := w.branded()
	file := w.exported(w.viewer(), flow.ID)
	before := bundletest.Unpack(t, file)
	require.Len(t, before, 4)

	owner, app := w.elsewhere()
	copied := made(w.ImportFlow(owner, app.ID, "", bytes.NewReader(file)))(t)
	require.Equal(t, "Fern", copied.Flow.Name)
	require.Equal(t, []string{"Grotesk"}, copied.FontsAdded)
	require.Equal(t, []studio.MissingPart{{Kind: studio.GradientPart, Name: "Dusk"}}, copied.Missing)
	require.NotContains(t, string(copied.Flow.Draft), picture.ID.String(), "files have ids of the other library")
	again := made(w.ImportFlow(owner, app.ID, "Again", bytes.NewReader(file)))(t)
	require.Empty(t, again.FontsAdded)
	require.Equal(t, 2, w.db.Ent().MediaAsset.Query().CountX(context.Background())-2, "equal content is the same file")

	after := bundletest.Unpack(t, w.exported(owner, copied.Flow.ID))
	same := func(files map[string]string) string {
		var manifest map[string]any
		require.NoError(t, json.Unmarshal([]byte(files["manifest.json"]), &manifest))
		delete(manifest, "flowId")
		delete(manifest, "version")
		text := string(made(json.Marshal(manifest))(t))
		var index struct {
			Media []struct{ ID, Path string }
			Fonts []any
		}
		require.NoError(t, json.Unmarshal([]byte(files["index.json"]), &index))
		for _, one := range index.Media {
			text = strings.ReplaceAll(text, one.ID, one.Path)
		}
		return text + string(made(json.Marshal(index.Fonts))(t))
	}
	require.Equal(t, same(before), same(after))
	for name, content := range before {
		if name != "manifest.json" && name != "index.json" {
			require.Equal(t, content, after[name])
		}
	}
	for _, action := range []string{"flow.export", "flow.import"} {
		written := w.db.Ent().AuditEntry.Query().Where(auditentry.Action(action)).CountX(context.Background())
		require.Equal(t, 2, written, action)
	}
}

func TestAFlowIsCopiedToAnotherApp(t *testing.T) {
	w := newWorld(t)
	flow, picture := w.branded()
	other := made(w.CreateApp(w.owner, w.workspace, "Other"))(t)
	dusk := made(w.UpdateBranding(w.owner, other.ID, json.RawMessage(`{"gradientPresets": [{"name": "dusk", "type": "linear",
		"stops": [{"offset": 0, "color": "#111111"}, {"offset": 1, "color": "#eeeeee"}]}]}`)))(t).GradientPresets[0].ID

	editor := w.member("editor@example.com", membership.RoleEditor)
	copied := made(w.CopyFlow(editor, flow.ID, other.ID, ""))(t)
	require.Equal(t, "Fern", copied.Flow.Name)
	require.Empty(t, copied.FontsAdded)
	require.Equal(t, []studio.MissingPart{{Kind: studio.FontPart, Name: "Grotesk"}}, copied.Missing,
		"an editor may not change the branding")
	require.Contains(t, string(copied.Flow.Draft), picture.ID.String())
	require.Contains(t, string(copied.Flow.Draft), "$brandGradient:"+dusk.String(), "the gradient of the same name")

	named := made(w.CopyFlow(w.owner, flow.ID, other.ID, "Two"))(t)
	require.Equal(t, "Two", named.Flow.Name)
	require.Equal(t, []string{"Grotesk"}, named.FontsAdded)
	require.Empty(t, named.Missing)
	brand := made(w.ReadBranding(w.owner, other))(t)
	require.Equal(t, "Grotesk", brand.FontFamilies[0].Name)
	require.Len(t, brand.GradientPresets, 1, "the rest of the branding stays")
}

func TestWhoMayCopyExportAndImport(t *testing.T) {
	w := newWorld(t)
	flow, _ := w.branded()
	file := w.exported(w.owner, flow.ID)
	viewer := w.viewer()
	stranger, theirs := w.elsewhere()
	archived := made(w.CreateApp(w.owner, w.workspace, "Gone"))(t)
	made(w.ArchiveApp(w.owner, archived.ID, "Gone"))(t)

	_, err := w.ExportFlow(stranger, flow.ID)
	refused(t, err, fault.NotFound, "")
	_, err = w.CopyFlow(stranger, flow.ID, theirs.ID, "")
	refused(t, err, fault.NotFound, "")
	_, err = w.CopyFlow(w.owner, flow.ID, theirs.ID, "")
	refused(t, err, fault.NotFound, "")
	_, err = w.CopyFlow(viewer, flow.ID, w.app.ID, "")
	refused(t, err, fault.Forbidden, "")
	_, err = w.CopyFlow(w.owner, flow.ID, archived.ID, "")
	refused(t, err, fault.Conflict, "")
	_, err = w.ImportFlow(stranger, w.app.ID, "", unread{})
	refused(t, err, fault.NotFound, "")
	_, err = w.ImportFlow(viewer, w.app.ID, "", unread{})
	refused(t, err, fault.Forbidden, "")
	_, err = w.ImportFlow(w.owner, archived.ID, "", bytes.NewReader(file))
	refused(t, err, fault.Conflict, "")
	_, err = w.ImportFlow(w.owner, w.app.ID, long(121), bytes.NewReader(file))
	refused(t, err, fault.InvalidInput, "name")
}

// unread is a file of somebody who may not send it.
type unread struct{}

func (unread) Read([]byte) (int, error) { return 0, errors.New("the file was read") }

func TestWrongFilesAreRefusedBeforeAnythingIsStored(t *testing.T) {
	w := newWorld(t)
	flow, _ := w.branded()
	file := w.exported(w.owner, flow.ID)
	owner, app := w.elsewhere()
	stored := w.db.Ent().MediaAsset.Query().CountX(context.Background())
	for name, wrong := range bundletest.Hostile(t, file) {
		_, err := w.ImportFlow(owner, app.ID, "", bytes.NewReader(wrong))
		t.Log(name, err)
		refused(t, err, fault.InvalidInput, "file")
	}
	_, err := w.ImportFlow(owner, app.ID, "", io.LimitReader(zeros{}, 60<<20))
	refused(t, err, fault.InvalidInput, "file")
	require.Equal(t, stored, w.db.Ent().MediaAsset.Query().CountX(context.Background()))
}

// zeros has no end.
type zeros struct{}

func (zeros) Read(into []byte) (int, error) { return len(into), nil }

// What fails after all checks, when the flow is stored, leaves neither files nor fonts nor entries of the audit log.
func TestAFlowThatCannotBeStoredLeavesNothing(t *testing.T) {
	w := newWorld(t)
	flow, _ := w.branded()
	file := w.exported(w.owner, flow.ID)
	owner, app := w.elsewhere()
	made(w.db.Pool.Exec(t.Context(), `
		create function refuse() returns trigger language plpgsql as $$ begin raise 'the disk is full'; end $$;
		create trigger refuse before insert on flows for each row execute function refuse()`))(t)
	rows := func() []int {
		all := w.db.Ent()
		return []int{
			all.MediaAsset.Query().CountX(t.Context()), made(all.Flow.Query().Count(t.Context()))(t),
			all.AuditEntry.Query().CountX(t.Context()), len(made(w.ReadBranding(owner, app))(t).FontFamilies),
		}
	}
	before := rows()
	_, err := w.ImportFlow(owner, app.ID, "", bytes.NewReader(file))
	require.ErrorContains(t, err, "the disk is full")
	require.Equal(t, before, rows())
	_, err = w.CreateFlowFromTemplate(owner, app.ID, "Night", studio.FromTemplate{ID: "hard-paywall"})
	require.ErrorContains(t, err, "the disk is full")
	require.Equal(t, before, rows())

	made(w.db.Pool.Exec(t.Context(), `drop trigger refuse on flows`))(t)
	made(w.ImportFlow(owner, app.ID, "", bytes.NewReader(file)))(t)
	after := rows()
	require.Equal(t, []int{before[0] + 2, before[1] + 1, 1}, []int{after[0], after[1], after[3]})
}
