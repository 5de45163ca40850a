package mcpserver

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/dashboard"
	"github.com/svc-dev/svc/internal/chromium"
	"github.com/svc-dev/svc/manifest/examples"
)

// BenchmarkScreens draws the first screen of an example: as the first picture, which starts the browser, and as one
// behind another.
func BenchmarkScreens(b *testing.B) {
	application, built := dashboard.New()
	if !built {
		b.Skip("the dashboard, which draws screens, is not built")
	}
	files := http.NewServeMux()
	application.RegisterFrames(files)
	content, err := examples.Files.ReadFile("all-layers.json")
	require.NoError(b, err)
	var document map[string]any
	require.NoError(b, json.Unmarshal(content, &document))
	screen, err := screenOf(document, "")
	require.NoError(b, err)
	shot := chromium.Shot{
		Width: 390, Height: 844, MaxBytes: maxPicture, Settled: settled, Script: fmt.Sprintf(draw, encode(map[string]any{
			"mediaMap": map[string]string{}, "manifest": document, "screen": screen, "theme": "light",
			"locale": document["defaultLocale"],
		})),
	}
	take := func(b *testing.B, browser *chromium.Browser) {
		_, err := browser.Take(b.Context(), shot)
		require.NoError(b, err)
	}
	b.Run("first", func(b *testing.B) {
		for b.Loop() {
			browser := Screens("", true, files, nil)
			take(b, browser)
			b.StopTimer()
			require.NoError(b, browser.Close(b.Context()))
			b.StartTimer()
		}
	})
	b.Run("next", func(b *testing.B) {
		browser := Screens("", true, files, nil)
		defer func() { require.NoError(b, browser.Close(b.Context())) }()
		take(b, browser)
		for b.Loop() {
			take(b, browser)
		}
	})
}
