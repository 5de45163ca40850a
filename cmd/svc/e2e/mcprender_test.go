package e2e

import (
	"bytes"
	"image"
	_ "image/png"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/svc-dev/svc/dashboard"
)

// draw has a screen drawn and returns its picture.
func (c toolClient) draw(arguments map[string]any) (image.Image, string) {
	c.t.Helper()
	result, err := c.CallTool(c.t.Context(), &mcp.CallToolParams{Name: "render_screen", Arguments: arguments})
	if err != nil {
		c.t.Fatal(err)
	}
	said := result.Content[len(result.Content)-1].(*mcp.TextContent).Text
	if result.IsError {
		c.t.Fatalf("%v: %s", arguments, said)
	}
	picture, is := result.Content[0].(*mcp.ImageContent)
	if !is || picture.MIMEType != "image/png" {
		c.t.Fatalf("the answer begins with %+v", result.Content[0])
	}
	drawn, _, err := image.Decode(bytes.NewReader(picture.Data))
	if err != nil {
		c.t.Fatal(err)
	}
	return drawn, said
}

// brightness is the mean of an image's pixels, from 0 to 255, and colors how many there are.
func brightness(drawn image.Image) (mean float64, colors int) {
	known, sum, area := map[[3]uint32]bool{}, 0.0, drawn.Bounds()
	for y := area.Min.Y; y < area.Max.Y; y++ {
		for x := area.Min.X; x < area.Max.X; x++ {
			r, g, b, _ := drawn.At(x, y).RGBA()
			known[[3]uint32{r, g, b}] = true
			sum += float64(r+g+b) / 3 / 257
		}
	}
	return sum / float64(area.Dx()*area.Dy()), len(known)
}

func TestScreensOverMCP(t *testing.T) {
	t.Parallel()
	if _, built := dashboard.New(); !built {
		t.Skip("the dashboard, which draws screens, is not built")
	}
	d := StartDev(t, nil, "--demo=small")
	studio := d.SignIn(t, d.BaseURL)
	_, key := studio.key("", "STUDIO_READ", "FLOW_EDIT")
	client := overHTTP(t, d, key)
	var flows struct {
		App struct {
			Flows struct{ Nodes []struct{ ID, Name string } }
		}
	}
	studio.Query(`query($a: ID!) { app(id: $a) { flows { nodes { id name } } } }`, map[string]any{"a": d.Apps[0].ID}, &flows)
	flow := flows.App.Flows.Nodes[0].ID
	first, err := client.CallTool(t.Context(), &mcp.CallToolParams{
		Name: "render_screen", Arguments: map[string]any{"flow": flow},
	})
	if err != nil {
		t.Fatal(err)
	}
	if text, is := first.Content[0].(*mcp.TextContent); is && strings.Contains(text.Text, "no Chromium is installed") {
		if os.Getenv("SVC_SETUP_BROWSER") == "yes" && os.Getenv("CHROME_BIN") == "" { // scripts/setup has installed one
			t.Fatal(text.Text)
		}
		t.Skip(text.Text)
	}

	t.Run("both transports draw the screen that was asked for", func(t *testing.T) {
		command := exec.Command(Binary(t), "mcp")
		command.Env = environment([]string{"SVC_API_URL=" + d.BaseURL, "SVC_API_KEY=" + key})
		for _, client := range []toolClient{overHTTP(t, d, key), connectTools(t, &mcp.CommandTransport{Command: command})} {
			light, said := client.draw(map[string]any{"flow": flow})
			if strings.Contains(said, "leftOut") || !strings.Contains(said, `"theme":"light"`) {
				t.Error(said)
			}
			dark, _ := client.draw(map[string]any{"flow": flow, "theme": "dark", "width": 800, "height": 600})
			if light.Bounds().Size() != image.Pt(390, 844) || dark.Bounds().Size() != image.Pt(800, 600) {
				t.Errorf("the pictures are %v and %v", light.Bounds(), dark.Bounds())
			}
			lightMean, lightColors := brightness(light)
			darkMean, darkColors := brightness(dark)
			if lightMean < 150 || darkMean > 100 || lightColors < 50 || darkColors < 50 {
				t.Errorf("light is %.0f in %d colors, dark %.0f in %d", lightMean, lightColors, darkMean, darkColors)
			}
		}
	})

	t.Run("refusals name the field", func(t *testing.T) {
		for want, arguments := range map[string]map[string]any{
			`screen: the draft has no screen "nope"; it has`:     {"screen": "nope"},
			`locale: the flow has no language "xx"; it has`:      {"locale": "xx"},
			"height: width times height must be at most 4194304": {"width": 4096, "height": 4096},
			"width: minimum":                 {"width": 1},
			"theme: enum":                    {"theme": "blue"},
			`additional properties ["node"]`: {"node": "x"},
		} {
			arguments["flow"] = flow
			if text, refused := client.try("render_screen", arguments); !refused || !strings.Contains(text, want) {
				t.Errorf("%v: %s", arguments, text)
			}
		}
	})

	t.Run("another workspace's screens are not found", func(t *testing.T) {
		var made struct{ CreateWorkspace struct{ ID string } }
		studio.Query(`mutation { createWorkspace(input: {name: "Other"}) { id } }`, nil, &made)
		_, other := studio.key(made.CreateWorkspace.ID, "STUDIO_READ")
		if text, refused := overHTTP(t, d, other).try("render_screen", map[string]any{"flow": flow}); !refused ||
			!strings.Contains(text, "not_found") {
			t.Error(text)
		}
		_, blind := studio.key("", "ANALYTICS_READ")
		if text, refused := overHTTP(t, d, blind).try("render_screen", map[string]any{"flow": flow}); !refused ||
			!strings.Contains(text, "studio:read") {
			t.Error(text)
		}
	})

	t.Run("pictures are limited by key", func(t *testing.T) {
		_, key := studio.key("", "STUDIO_READ")
		client, limited := overHTTP(t, d, key), 0
		for range 33 {
			text, refused := client.try("render_screen", map[string]any{"flow": flow, "screen": "nope"})
			if refused && strings.HasPrefix(text, "rate_limited: at most 30 screens") {
				limited++
			}
		}
		if limited == 0 || limited > 3 {
			t.Errorf("%d of 33 pictures met the limit of 30", limited)
		}
	})
}

func TestScreensWithoutABrowser(t *testing.T) {
	t.Parallel()
	if _, built := dashboard.New(); !built {
		t.Skip("the dashboard, which draws screens, is not built")
	}
	d := StartDev(t, []string{"SVC_BROWSER=/nonexistent/browser"}, "--demo=small")
	studio := d.SignIn(t, d.BaseURL)
	_, key := studio.key("", "STUDIO_READ")
	var flows struct {
		App struct {
			Flows struct{ Nodes []struct{ ID string } }
		}
	}
	studio.Query(`query($a: ID!) { app(id: $a) { flows { nodes { id } } } }`, map[string]any{"a": d.Apps[0].ID}, &flows)
	text, refused := overHTTP(t, d, key).try("render_screen", map[string]any{"flow": flows.App.Flows.Nodes[0].ID})
	if !refused || !strings.Contains(text, "apt install chromium") || strings.Contains(text, "nonexistent") {
		t.Error(text)
	}
}
