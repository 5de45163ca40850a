package main

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestTheIndexNamesEveryType holds the index of schema.graphql to the domain files.
func TestTheIndexNamesEveryType(t *testing.T) {
	t.Parallel()
	text, err := withIndex("../..")
	require.NoError(t, err)
	written, err := os.ReadFile("../../schema.graphql")
	require.NoError(t, err)
	require.Equal(t, text, string(written), "go run ./scripts/schemaindex .")
}
