package main

import (
	"net/http"

	"github.com/svc-dev/svc/dashboard"
	"github.com/svc-dev/svc/internal/chromium"
	"github.com/svc-dev/svc/mcpserver"
	"github.com/svc-dev/svc/studio/media"
)

// screens returns what draws screens, of the dashboard's documents and the media of this server; nil where the program
// was built without the dashboard.
func (s *service) screens() *chromium.Browser {
	application, built := dashboard.New()
	if !built {
		return nil
	}
	mux := http.NewServeMux()
	application.RegisterFrames(mux)
	mux.Handle("GET /media/", media.Handler(s.media, s.logger))
	drawing := mcpserver.Screens(s.settings.Browser, s.settings.BrowserSandbox, mux, s.logger)
	s.onClose(drawing.Close)
	return drawing
}
