package docs_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/docs"
)

func TestSearchFindsTheSectionOfAWord(t *testing.T) {
	found := docs.Search("workspace API keys", 3)
	require.Len(t, found, 3)
	require.Equal(t, "roles.md", found[0].Page)
	require.Equal(t, "Workspace API keys", found[0].Heading)
	require.Contains(t, found[0].Text, "capabilit")
	for _, section := range docs.Search("the", 1000) {
		require.LessOrEqual(t, len(section.Text), 1500+len("…"), section.Heading)
		require.NotContains(t, section.Heading, "\n")
	}
	require.Empty(t, docs.Search("zyzzyva", 5))
	require.Empty(t, docs.Search("  ", 5))
}

func TestSearchReadsTheDocumentationOfSDKs(t *testing.T) {
	pages := map[string]bool{}
	for _, section := range docs.Search("consent", 20) {
		pages[section.Page] = true
	}
	require.Contains(t, pages, "sdk/consent.md")
	require.Contains(t, pages, "privacy.md")
}
