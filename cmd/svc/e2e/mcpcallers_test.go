package e2e

import (
	"strings"
	"sync"
	"testing"
)

// TestCallersOfToolsAreToldApart calls a tool with the keys of three workspaces at the same time: the tools are shared,
// and every answer is of the workspace of its key.
func TestCallersOfToolsAreToldApart(t *testing.T) {
	t.Parallel()
	d := StartDev(t, nil, "--demo=none")
	studio := d.SignIn(t, d.BaseURL)
	names := []string{"Aspen", "Birch", "Cedar"}
	var calling sync.WaitGroup
	for _, name := range names {
		var made struct{ CreateWorkspace struct{ ID string } }
		studio.Query(`mutation($n: String!) { createWorkspace(input: {name: $n}) { id } }`, map[string]any{"n": name}, &made)
		_, key := studio.key(made.CreateWorkspace.ID, "ANALYTICS_READ", "STUDIO_READ")
		for range 4 {
			calling.Go(func() {
				client := overHTTP(t, d, key)
				for range 25 {
					text, refused := client.try("list_apps", nil)
					for _, other := range names {
						if refused || strings.Contains(text, other) != (other == name) {
							t.Errorf("%s is told %s", name, text)
							return
						}
					}
				}
			})
		}
	}
	calling.Wait()
}
