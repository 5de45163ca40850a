package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path"
	"strings"
	"sync/atomic"
	"time"

	"github.com/svc-dev/svc/internal/httpserver"
)

const (
	// examplePath is where `svc dev` serves the web example.
	examplePath = "/example/"
	// checkoutPath is where the example's purchases are paid.
	checkoutPath = examplePath + "checkout"
)

// example serves the built web example of the SDKs from a directory, and tells
// it the publishable key and the channels of the demo. The directory may be
// filled while the server runs.
type example struct {
	files   fs.FS
	service atomic.Pointer[[]byte] // JSON; nil until the demo is there
}

// exampleService is what the page may know of dev.json.
type exampleService struct {
	BaseURL        string       `json:"baseUrl"`
	App            string       `json:"app"`
	PublishableKey string       `json:"publishableKey"`
	Channels       []devChannel `json:"channels"`
	CheckoutURL    string       `json:"checkoutUrl"`
}

func newExample(dir string) *example { return &example{files: os.DirFS(dir)} }

// describe tells the page about the test environment of the first app.
func (e *example) describe(file *devFile) error {
	if len(file.Apps) == 0 {
		return nil
	}
	app := file.Apps[0]
	test := app.Environments["test"]
	text, err := json.Marshal(
		exampleService{
			BaseURL: file.BaseURL, App: app.Name, PublishableKey: test.PublishableKey, Channels: test.Channels,
			CheckoutURL: file.BaseURL + checkoutPath,
		},
	)
	if err != nil {
		return fmt.Errorf("describe the demo to the web example: %w", err)
	}
	e.service.Store(&text)
	return nil
}

func (e *example) register(mux httpserver.Routes) {
	mux.HandleFunc("GET "+examplePath+"service.json", e.serveService)
	mux.HandleFunc("GET "+examplePath, e.serveFile)
}

func (e *example) serveService(w http.ResponseWriter, r *http.Request) {
	text := e.service.Load()
	if text == nil {
		w.Header().Set("Retry-After", "1")
		httpserver.WriteError(w, r, http.StatusServiceUnavailable, "unavailable", "the demo is still being made")
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	_, _ = w.Write(*text) // the client may have gone
}

// serveFile answers with a file of the build, and with its page for every path
// that is no file: the page has a path for each channel.
func (e *example) serveFile(w http.ResponseWriter, r *http.Request) {
	name := strings.TrimPrefix(r.URL.Path, examplePath)
	content, err := fs.ReadFile(e.files, name)
	if err == nil && name != "index.html" {
		// Vite names what it builds by its content.
		w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
		http.ServeContent(w, r, path.Base(name), time.Time{}, bytes.NewReader(content))
		return
	}
	w.Header().Set("Cache-Control", "no-store")
	if strings.HasPrefix(name, "assets/") {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	page, err := fs.ReadFile(e.files, "index.html")
	if errors.Is(err, fs.ErrNotExist) {
		page, err = []byte(exampleMissing), nil
	}
	if err != nil {
		http.Error(w, "the web example can't be read", http.StatusInternalServerError)
		return
	}
	_, _ = w.Write(page)
}

const exampleMissing = `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta http-equiv="refresh" content="3"><title>Web example</title>
<p>The web example is not built yet. <code>make run</code> builds it beside the server where Node is installed,
which takes a minute the first time; by hand it is <code>scripts/example</code>.
This page looks again every three seconds.</p></html>
`
