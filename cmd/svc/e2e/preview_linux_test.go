package e2e

import (
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
)

// Whoever has a preview link of a large draft opens it as often as they like: the server gives previews half of a
// processor at most, and answers all others meanwhile.
func TestPreviewsTakeHalfAProcessorAtMost(t *testing.T) {
	d := StartDev(t, nil, "--demo=small")
	studio := d.SignIn(t, d.BaseURL)
	var made struct{ CreateFlow struct{ ID string } }
	studio.Query(
		`mutation($a: ID!, $m: JSON!) { createFlow(input: {appId: $a, name: "Large", manifest: $m}) { id } }`,
		map[string]any{"a": d.Apps[0].ID, "m": largeManifest(900)}, &made)
	var link struct{ CreatePreviewLink struct{ Token string } }
	studio.Query(`mutation($f: ID!) { createPreviewLink(input: {flowId: $f}) { token } }`,
		map[string]any{"f": made.CreateFlow.ID}, &link)

	live := d.Apps[0].Environments["live"]
	a := target{t, d.Process, strings.TrimPrefix(d.BaseURL, "http://"), live.PublishableKey, pinnedChannel(t, live)}
	client := clientAt(net.IPv4(127, 0, 0, 1))
	defer client.CloseIdleConnections()
	preview := func() (int, error) {
		answer, err := Do(client, http.MethodPost, d.BaseURL+"/v1/sdk/preview",
			map[string]string{"token": link.CreatePreviewLink.Token},
			"Authorization", "Bearer "+d.Apps[0].Environments["test"].PublishableKey)
		return answer.Status, err
	}
	if status, err := preview(); status != http.StatusOK {
		t.Fatalf("preview: %d %v", status, err)
	}
	a.withstands(func(a target) {
		began, busy := time.Now(), d.ProcessorTime()
		a.sendAtOnce(16, 4, preview)
		// The pauses are half of the time; what is left of the other half are the bystander and the collector.
		if used, took := d.ProcessorTime()-busy, time.Since(began); used > took {
			t.Errorf("previews took %s of processors in %s", used, took)
		}
	})
}

// largeManifest returns a manifest with so many kilobytes of text.
func largeManifest(kilobytes int) map[string]any {
	layers := make([]any, kilobytes)
	for i := range layers {
		layers[i] = map[string]any{
			"id": fmt.Sprintf("lyr_text%d", i), "kind": "text", "text": map[string]any{"default": strings.Repeat("x", 900)},
		}
	}
	return map[string]any{
		"flowId": uuid.Nil, "schemaVersion": 7, "version": 1, "defaultLocale": "en", "locales": []string{"en"}, "entryScreenId": "scr_large",
		"screens": []any{map[string]any{
			"id": "scr_large", "name": "Large", "regions": map[string]any{"body": map[string]any{
				"id": "lyr_body", "kind": "stack", "direction": "vertical", "children": layers,
			}}, "next": map[string]any{"default": nil},
		}},
	}
}
