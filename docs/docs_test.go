package docs_test

import (
	"strings"
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
	require.True(t, strings.HasPrefix(docs.Search("consent storage device", 1)[0].Page, "sdk/"))
}

func TestCommentsOfCodeAreNoHeadings(t *testing.T) {
	for _, section := range docs.Search("svc", 1000) {
		require.NotContains(t, section.Heading, "`svc dev` is", section.Page)
		require.Zero(t, strings.Count(section.Text, "```")%2*len(section.Text)/1500, section.Heading)
	}
}
