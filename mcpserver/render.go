package mcpserver

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/svc-dev/svc/internal/chromium"
	"github.com/svc-dev/svc/internal/fault"
)

const (
	// picturesPerMinute is how many screens a key may have drawn.
	picturesPerMinute = 30
	// minSide, maxSide and maxPixels bound a picture, in CSS pixels, and maxPicture its bytes.
	minSide, maxSide, maxPixels = 200, 4096, 4 << 20
	maxPicture                  = 3 << 19
	// mediaAtOnce is how many files of the media library are asked for together.
	mediaAtOnce = 200
)

// Screens returns the browser that draws screens of flows: in the document that the dashboard draws them in, which
// files answer with the scripts and the media that it names.
func Screens(program string, sandbox bool, files http.Handler, logger *slog.Logger) *chromium.Browser {
	return chromium.New(chromium.Options{
		Program: program, Sandbox: sandbox, Files: files, Path: "/preview.html", Logger: logger,
		Before: `window.svcReady = new Promise((resolve) => addEventListener('message', ({source, data}) => {
			if (source === window && data === 'svc.preview.ready') resolve();
		}));`,
		Ready: `svcReady`,
	})
}

// draw has the page draw a screen, and waits until it has.
const draw = `new Promise((resolve) => {
	const seen = new MutationObserver(() => { seen.disconnect(); resolve(); });
	seen.observe(document.getElementById('root'), {childList: true, subtree: true});
	postMessage(%s, location.origin);
})`

// settled waits for what is on a page: fonts, pictures and two frames. It ends by itself where a file is broken.
const settled = `(async () => {
	const frame = () => new Promise(requestAnimationFrame);
	await frame();
	await document.fonts.ready;
	await Promise.all([...document.images].map((image) => image.decode().catch(() => {})));
	await frame();
	await frame();
})()`

type renderInput struct {
	Flow   string `json:"flow"`
	Screen string `json:"screen"`
	Locale string `json:"locale"`
	Theme  string `json:"theme"`
	Width  int    `json:"width"`
	Height int    `json:"height"`
}

var renderSchema = func() *jsonschema.Schema {
	object := newObject("")
	side := func() *jsonschema.Schema {
		return &jsonschema.Schema{Type: "integer", Minimum: number(minSide), Maximum: number(maxSide)}
	}
	addProperty(object, "flow", &jsonschema.Schema{Type: "string"}, "Id of the flow.")
	addProperty(object, "screen", &jsonschema.Schema{Type: "string"}, "Id of the screen; the first one unless given.")
	addProperty(object, "locale", &jsonschema.Schema{Type: "string"},
		"A language of the flow; its default one unless given.")
	addProperty(object, "theme", &jsonschema.Schema{Type: "string", Enum: []any{"light", "dark"}}, "light unless given.")
	addProperty(object, "width", side(), "In CSS pixels; 390 unless given.")
	addProperty(object, "height", side(),
		"In CSS pixels; 844 unless given. A screen that scrolls is seen whole in a higher one.")
	object.Required = []string{"flow"}
	return object
}()

func number(value float64) *float64 { return &value }

func addRender(server *mcp.Server) {
	addTool(server, &mcp.Tool{
		Name: "render_screen", Annotations: reads, InputSchema: renderSchema,
		Description: "A picture of a screen of a draft, drawn by the renderer that apps on the web show it with. At most " +
			"30 per minute.",
	}, (*call).render)
}

// picture is an answer with an image before its text.
type picture struct {
	*chromium.Picture
	said any
}

func (c *call) render(in renderInput) (any, error) {
	in.Theme, in.Width, in.Height = orElse(in.Theme, "light"), orDefault(in.Width, 390), orDefault(in.Height, 844)
	if in.Width*in.Height > maxPixels {
		return nil, fault.Invalid("height", "width times height must be at most %d", maxPixels)
	}
	if c.Screens == nil {
		return nil, fault.New(fault.Unavailable, "this server was built without the dashboard, which draws screens")
	}
	if !c.pictures.Allow(c.caller.KeyID.String()) {
		return nil, fault.Limited(
			time.Minute, "at most %d screens per minute and key; try again in a minute", picturesPerMinute,
		)
	}
	d, err := c.readDraft(in.Flow)
	if err != nil {
		return nil, err
	}
	if in.Screen, err = screenOf(d.Document, in.Screen); err != nil {
		return nil, err
	}
	if in.Locale, err = localeOf(d.Document, in.Locale); err != nil {
		return nil, err
	}
	shown, err := c.look(in.Flow, d.Document)
	if err != nil {
		return nil, err
	}
	shown["manifest"], shown["screen"], shown["locale"], shown["theme"] = d.Document, in.Screen, in.Locale, in.Theme
	taken, err := c.Screens.Take(c.from.Context(), chromium.Shot{
		Width: in.Width, Height: in.Height, Dark: in.Theme == "dark", MaxBytes: maxPicture,
		Script: fmt.Sprintf(draw, encode(shown)), Settled: settled,
	})
	if err != nil {
		return nil, explainBrowser(err)
	}
	said := map[string]any{
		"screen": in.Screen, "revision": d.Revision, "locale": in.Locale, "theme": in.Theme, "width": in.Width,
		"height": in.Height, "note": dataNote,
	}
	if len(taken.Refused) > 0 {
		said["leftOut"] = taken.Refused
	}
	return picture{taken, said}, nil
}

func orDefault(value, otherwise int) int {
	if value == 0 {
		return otherwise
	}
	return value
}

// explainBrowser says to callers why there is no picture.
func explainBrowser(err error) error {
	switch {
	case errors.Is(err, chromium.ErrMissing):
		return fault.New(fault.Unavailable, "%s: its operator installs one (Debian: apt install chromium) or names it by "+
			"the setting browser", chromium.ErrMissing)
	case errors.Is(err, chromium.ErrSandbox):
		return fault.New(fault.Unavailable, "%s, as it finds no user namespaces there: its operator allows them, or sets "+
			"browser_sandbox to false", chromium.ErrSandbox)
	case errors.Is(err, chromium.ErrBusy):
		return fault.New(fault.Unavailable, "%s; try again", chromium.ErrBusy)
	case errors.Is(err, chromium.ErrTooSlow):
		return fault.New(fault.Unavailable, "the screen could not be drawn: %s", chromium.ErrTooSlow)
	}
	return err
}

// screenOf returns the id of a screen of a flow; the first one when none is asked for.
func screenOf(document map[string]any, asked string) (string, error) {
	screens, _ := document["screens"].([]any)
	var ids []string
	for _, screen := range screens {
		object, _ := screen.(map[string]any)
		if id, _ := object["id"].(string); id != "" {
			ids = append(ids, id)
		}
	}
	if len(ids) == 0 {
		return "", fault.Invalid("flow", "the draft has no screen")
	}
	if entry, _ := document["entryScreenId"].(string); asked == "" {
		if slices.Contains(ids, entry) {
			return entry, nil
		}
		return ids[0], nil
	}
	if !slices.Contains(ids, asked) {
		return "", fault.Invalid("screen", "the draft has no screen %q; it has %s", asked, few(ids))
	}
	return asked, nil
}

// localeOf returns a language of a flow; the default one when none is asked for.
func localeOf(document map[string]any, asked string) (string, error) {
	standard, _ := document["defaultLocale"].(string)
	if asked == "" || asked == standard {
		return standard, nil
	}
	known := []string{standard}
	locales, _ := document["locales"].([]any)
	for _, locale := range locales {
		if name, _ := locale.(string); name == asked {
			return name, nil
		} else if name != "" && name != standard {
			known = append(known, name)
		}
	}
	return "", fault.Invalid("locale", "the flow has no language %q; it has %s", asked, few(known))
}

// few lists the first of many ids.
func few(ids []string) string {
	const most = 30
	if len(ids) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(ids[:most], ", "), len(ids)-most)
	}
	return strings.Join(ids, ", ")
}

// namedMedia finds the files that a draft or a branding names. Ids of layers are UUIDs, too.
var namedMedia = regexp.MustCompile(`"mediaAssetId":\s*"([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})"`)

// look reads what a flow is drawn with beside its draft: the app's branding, and the media that both name.
func (c *call) look(flow string, document map[string]any) (map[string]any, error) {
	var branded struct {
		Flow *struct {
			App struct{ Branding json.RawMessage }
		}
	}
	if err := c.ask(`query($flow: ID!) { flow(id: $flow) { app { branding } } }`,
		map[string]any{"flow": flow}, &branded); err != nil {
		return nil, err
	}
	if branded.Flow == nil {
		return nil, fault.Missing("flow")
	}
	branding := branded.Flow.App.Branding
	var named []string
	for _, found := range namedMedia.FindAllSubmatch(slices.Concat(encode(document), branding), -1) {
		named = append(named, string(found[1]))
	}
	slices.Sort(named)
	files := map[string]string{}
	for ids := range slices.Chunk(slices.Compact(named), mediaAtOnce) {
		var data struct {
			Flow *struct {
				App struct {
					Workspace struct {
						Media *struct{ Nodes []struct{ ID, Path string } }
					}
				}
			}
		}
		err := c.ask(`query($flow: ID!, $ids: [ID!]!, $most: Int!) { flow(id: $flow) { app { workspace {
			media(includeArchived: true, ids: $ids, first: $most) { nodes { id path } }
		} } } }`, map[string]any{"flow": flow, "ids": ids, "most": mediaAtOnce}, &data)
		if err != nil {
			return nil, err
		}
		if data.Flow == nil || data.Flow.App.Workspace.Media == nil {
			break
		}
		for _, asset := range data.Flow.App.Workspace.Media.Nodes {
			files[asset.ID] = asset.Path
		}
	}
	return map[string]any{"mediaMap": files, "branding": branding}, nil
}
