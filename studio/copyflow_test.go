package studio_test

import (
	"archive/zip"
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

// unpacked returns the files of a ZIP, by name.
func unpacked(t *testing.T, file []byte) map[string]string {
	t.Helper()
	packed := made(zip.NewReader(bytes.NewReader(file), int64(len(file))))(t)
	files := map[string]string{}
	for _, entry := range packed.File {
		reader := made(entry.Open())(t)
		files[entry.Name] = string(made(io.ReadAll(reader))(t))
		require.NoError(t, reader.Close())
	}
	return files
}

func packed(t *testing.T, files map[string]string) []byte {
	t.Helper()
	var file bytes.Buffer
	writer := zip.NewWriter(&file)
	for name, content := range files {
		_, err := made(writer.Create(name))(t).Write([]byte(content))
		require.NoError(t, err)
	}
	require.NoError(t, writer.Close())
	return file.Bytes()
}

// What is exported and imported in another workspace and exported there is the same, but for ids.
func TestAFlowSurvivesExportAndImport(t *testing.T) {
	w := newWorld(t)
	flow, picture := w.branded()
	file := w.exported(w.viewer(), flow.ID)
	before := unpacked(t, file)
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

	after := unpacked(t, w.exported(owner, copied.Flow.ID))
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
	whole := unpacked(t, file)
	pictureOf := func(files map[string]string) string {
		for name := range files {
			if strings.HasPrefix(name, "media/") {
				return name
			}
		}
		return ""
	}
	with := func(changes map[string]string) []byte {
		files := map[string]string{}
		for name, content := range whole {
			files[name] = content
		}
		for name, content := range changes {
			if files[name] = content; content == "" {
				delete(files, name)
			}
		}
		return packed(t, files)
	}
	picture := pictureOf(whole)
	owner, app := w.elsewhere()
	stored := w.db.Ent().MediaAsset.Query().CountX(context.Background())
	for name, wrong := range map[string][]byte{
		"no ZIP":             []byte("hello"),
		"half a file":        file[:len(file)/2],
		"no index":           with(map[string]string{"index.json": ""}),
		"no manifest":        with(map[string]string{"manifest.json": ""}),
		"no picture":         with(map[string]string{picture: ""}),
		"another format":     with(map[string]string{"index.json": `{"format": "zip"}`}),
		"a later version":    with(map[string]string{"index.json": `{"format": "svc-flow", "version": 2}`}),
		"up a folder":        with(map[string]string{"../../etc/passwd": "root"}),
		"an absolute path":   with(map[string]string{"/media/x.png": "x"}),
		"a back slash":       with(map[string]string{`media\x.png`: "x"}),
		"unnamed":            with(map[string]string{"media/" + strings.Repeat("0", 64) + ".png": "x"}),
		"another content":    with(map[string]string{picture: "\x89PNG\r\n\x1a\nother"}),
		"another type":       with(map[string]string{picture: "MZ this is a program"}),
		"an invalid draft":   with(map[string]string{"manifest.json": `{"screens": 5}`}),
		"no JSON":            with(map[string]string{"manifest.json": `{`}),
		"a large manifest":   with(map[string]string{"manifest.json": strings.Repeat(" ", 5<<20)}),
		"a bomb":             with(map[string]string{picture: "\x89PNG\r\n\x1a\n" + strings.Repeat("\x00", 40<<20)}),
		"a larger bomb":      with(map[string]string{picture: strings.Repeat("\x00", 60<<20)}),
		"too many files":     many(t, 1001),
		"very many files":    many(t, 100_000),
		"twice the same":     twice(t, whole),
		"a lie about a size": bytes.Replace(file, []byte("\x89PNG\r\n\x1a\nfern"), []byte("\x89PNG\r\n\x1a\nfirn"), 1),
	} {
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

func many(t *testing.T, n int) []byte {
	t.Helper()
	var file bytes.Buffer
	writer := zip.NewWriter(&file)
	for range n {
		made(writer.CreateHeader(&zip.FileHeader{Name: "media/"}))(t)
	}
	require.NoError(t, writer.Close())
	return file.Bytes()
}

func twice(t *testing.T, files map[string]string) []byte {
	t.Helper()
	var file bytes.Buffer
	writer := zip.NewWriter(&file)
	for range 2 {
		for name, content := range files {
			_, err := made(writer.Create(name))(t).Write([]byte(content))
			require.NoError(t, err)
		}
	}
	require.NoError(t, writer.Close())
	return file.Bytes()
}
