package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/cmd/svc/demo"
)

// Whoever has just started the demo is told where to click, and nobody is sent to a dashboard that there is none of.
func TestTheFirstScreenNamesWhatIsWorthALook(t *testing.T) {
	file := &devFile{
		BaseURL: "http://127.0.0.1:4000", DashboardURL: "http://127.0.0.1:4000/dev/sign-in?token=x",
		sights: []demo.Sight{{Name: "An experiment about to be decided", Path: "/apps/a/live/experiments/b"}},
	}
	var out strings.Builder
	file.announce(&out, t.TempDir(), false)
	require.Contains(t, out.String(),
		"  An experiment about to be decided\n    http://127.0.0.1:4000/apps/a/live/experiments/b\n")
	file.DashboardURL = ""
	out.Reset()
	file.announce(&out, t.TempDir(), false)
	require.NotContains(t, out.String(), "Worth a look")
}
