package chromium

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
)

const (
	// maxFile and maxFiles are the bytes of one file and of all that a page gets, maxRequests how often it may ask.
	maxFile, maxFiles, maxRequests = 12 << 20, 48 << 20, 300
	// namedRefusals is how many of the refused addresses are told, and refusalLength how much of each.
	namedRefusals, refusalLength = 10, 200
)

type pausedRequest struct {
	RequestID string
	Request   struct {
		URL     string
		Method  string
		Headers map[string]string
	}
}

// begin counts a request.
func (p *page) begin() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked++
	p.open++
}

func (p *page) requests() (asked, open int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.asked, p.open
}

func (p *page) refusals() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.refused
}

// answer answers a request of the page of files, or refuses it.
func (p *page) answer(ctx context.Context, files http.Handler, params json.RawMessage) {
	var paused pausedRequest
	if json.Unmarshal(params, &paused) != nil {
		return
	}
	// One at a time, so that a page costs the memory of one file.
	p.answering.Lock()
	defer p.answering.Unlock()
	response, err := p.load(ctx, files, &paused)
	if err != nil {
		_ = p.call(ctx, p.session, "Fetch.failRequest", object{
			"requestId": paused.RequestID, "errorReason": "BlockedByClient",
		}, nil) // the page has gone, or waits until its time is over
	} else {
		headers := []object{}
		for name, values := range response.header {
			headers = append(headers, object{"name": name, "value": strings.Join(values, ", ")})
		}
		_ = p.call(ctx, p.session, "Fetch.fulfillRequest", object{
			"requestId": paused.RequestID, "responseCode": response.status, "responseHeaders": headers,
			"body": response.body.Bytes(),
		}, nil) // as above
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.open--
	if err != nil && len(p.refused) < namedRefusals {
		p.refused = append(p.refused, paused.Request.URL[:min(len(paused.Request.URL), refusalLength)])
	}
}

var errRefused = errors.New("the page does not get this file")

// load reads a file of the own origin, in the bounds of a page.
func (p *page) load(ctx context.Context, files http.Handler, paused *pausedRequest) (*response, error) {
	path, own := strings.CutPrefix(paused.Request.URL, origin)
	p.mu.Lock()
	left := min(maxFile, maxFiles-p.bytes)
	tooMany := p.asked > maxRequests
	p.mu.Unlock()
	if !own || !strings.HasPrefix(path, "/") || tooMany || paused.Request.Method != http.MethodGet {
		return nil, errRefused
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, path, http.NoBody)
	if err != nil {
		return nil, errRefused
	}
	if asked := paused.Request.Headers["Range"]; asked != "" {
		request.Header.Set("Range", asked)
	}
	got := &response{header: http.Header{}, left: left}
	files.ServeHTTP(got, request)
	if got.status == 0 {
		got.status = http.StatusOK
	}
	p.mu.Lock()
	p.bytes += int64(got.body.Len())
	p.mu.Unlock()
	if got.full || got.status >= http.StatusBadRequest {
		return nil, errRefused
	}
	return got, nil
}

// response keeps an answer in memory, up to a bound.
type response struct {
	header http.Header
	status int
	body   bytes.Buffer
	left   int64
	full   bool
}

func (r *response) Header() http.Header { return r.header }

func (r *response) WriteHeader(status int) {
	if r.status == 0 {
		r.status = status
	}
}

func (r *response) Write(content []byte) (int, error) {
	if r.left -= int64(len(content)); r.left < 0 {
		r.full = true
		return 0, errRefused
	}
	return r.body.Write(content)
}
