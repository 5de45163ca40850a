package store

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/analytics/frame"
)

// Views that were stored under the escapes of an address are read as views of the page.
func TestNamesOfPagesAreReadTogether(t *testing.T) {
	data := frame.NewDataset()
	sessionTable.setNames(data, []name{
		{1, int16(frame.PageView) + 1, "/caf%C3%A9"}, {2, int16(frame.PageView) + 1, "/café"},
		{3, int16(frame.ScreenView) + 1, "/caf%c3%a9"}, {4, int16(frame.ScreenView) + 1, "100%25"},
		{5, int16(frame.Custom) + 1, "/caf%C3%A9"},
	})
	view := data.View(0, 0)
	pages := make([]string, 4)
	for i := range pages {
		pages[i] = view.Pages[view.Name(uint32(i+1)).Page]
	}
	require.Equal(t, []string{"/café", "/café", "/café", "100%25"}, pages)
	require.Equal(t, view.Name(1), view.Name(2), "one page")
	require.Equal(t, "/caf%C3%A9", view.Events[view.Name(5).Event], "names of custom events are no paths")
}
