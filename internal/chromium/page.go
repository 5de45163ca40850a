package chromium

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
)

// origin is that of the document. No such name is known to anybody.
const origin = "https://pictures.invalid"

// page is a tab with storage of its own, which goes with it.
type page struct {
	*pipe
	context, session string
	// end is what requests of the page are answered until.
	end context.CancelFunc

	answering sync.Mutex

	mu      sync.Mutex
	asked   int   // how many requests there were
	open    int   // how many of them are not answered
	bytes   int64 // of answers
	refused []string
}

type object map[string]any

// open opens a page in a process.
func (b *Browser) open(ctx context.Context, running *process) (*page, error) {
	var made struct{ BrowserContextID, TargetID, SessionID string }
	if err := running.call(ctx, "", "Target.createBrowserContext", object{}, &made); err != nil {
		return nil, err
	}
	answering, end := context.WithCancel(context.Background())
	p := &page{pipe: running.pipe, context: made.BrowserContextID, end: end}
	err := running.call(ctx, "", "Target.createTarget", object{"url": "about:blank", "browserContextId": p.context}, &made)
	if err != nil {
		end()
		return nil, err
	}
	err = running.call(ctx, "", "Target.attachToTarget", object{"targetId": made.TargetID, "flatten": true}, &made)
	if err != nil {
		end()
		return nil, err
	}
	p.session = made.SessionID
	p.listen(p.session, func(method string, params json.RawMessage) {
		if method == "Fetch.requestPaused" {
			p.begin()
			go p.answer(answering, b.Files, params)
		}
	})
	for _, step := range []struct {
		method string
		params object
	}{
		{"Fetch.enable", object{"patterns": []object{{"urlPattern": "*"}}}},
		{"Page.enable", object{}}, // scripts are added to enabled pages only
		{"Page.addScriptToEvaluateOnNewDocument", object{"source": b.Before}},
		{"Page.navigate", object{"url": origin + b.Path}},
	} {
		if err := p.call(ctx, p.session, step.method, step.params, nil); err != nil {
			end()
			return nil, err
		}
	}
	if err := p.evaluate(ctx, b.Ready); err != nil {
		end()
		return nil, err
	}
	return p, nil
}

// evaluate runs an expression until its promise is fulfilled.
func (p *page) evaluate(ctx context.Context, expression string) error {
	var ran struct {
		ExceptionDetails *struct {
			Text      string
			Exception struct{ Description string }
		}
	}
	err := p.call(ctx, p.session, "Runtime.evaluate", object{
		"expression": expression, "awaitPromise": true, "returnByValue": true,
	}, &ran)
	if err == nil && ran.ExceptionDetails != nil {
		return fmt.Errorf("the page failed: %s %s", ran.ExceptionDetails.Text, ran.ExceptionDetails.Exception.Description)
	}
	return err
}

// take takes a picture; drawn is called when the page has drawn what is to be seen.
func (p *page) take(ctx context.Context, shot Shot, drawn func()) (*Picture, error) {
	scheme := "light"
	if shot.Dark {
		scheme = "dark"
	}
	for _, step := range []struct {
		method string
		params object
	}{
		{"Emulation.setDeviceMetricsOverride", object{
			"width": shot.Width, "height": shot.Height, "deviceScaleFactor": 1, "mobile": false,
		}},
		{"Emulation.setEmulatedMedia", object{"features": []object{
			{"name": "prefers-color-scheme", "value": scheme}, {"name": "prefers-reduced-motion", "value": "reduce"},
		}}},
	} {
		if err := p.call(ctx, p.session, step.method, step.params, nil); err != nil {
			return nil, err
		}
	}
	if err := p.evaluate(ctx, shot.Script); err != nil {
		return nil, err
	}
	drawn()
	for settled := false; !settled; {
		asked, _ := p.requests()
		if err := p.evaluate(ctx, shot.Settled); err != nil {
			return nil, err
		}
		now, open := p.requests()
		settled = now == asked && open == 0
	}
	content, err := p.capture(ctx, object{"format": "png"})
	if err != nil {
		return nil, err
	}
	picture := &Picture{Content: content, Type: "image/png", Refused: p.refusals()}
	if len(content) > shot.MaxBytes {
		picture.Type = "image/jpeg"
		picture.Content, err = p.capture(ctx, object{"format": "jpeg", "quality": 80})
	}
	return picture, err
}

func (p *page) capture(ctx context.Context, how object) ([]byte, error) {
	var captured struct{ Data []byte }
	err := p.call(ctx, p.session, "Page.captureScreenshot", how, &captured)
	return captured.Data, err
}

// close ends a page and forgets what it kept.
func (p *page) close(ctx context.Context) error {
	p.end()
	p.listen(p.session, nil)
	return p.call(ctx, "", "Target.disposeBrowserContext", object{"browserContextId": p.context}, nil)
}
