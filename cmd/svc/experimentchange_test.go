package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestVariantsOfACommandLine(t *testing.T) {
	for text, want := range map[string]variant{
		"control=f1":     {key: "control", flow: "f1", weight: 1},
		"short=f1@4":     {key: "short", flow: "f1", version: 4, weight: 1},
		"short=f1:3":     {key: "short", flow: "f1", weight: 3},
		"short=f1@12:30": {key: "short", flow: "f1", version: 12, weight: 30},
		"off=f1:0":       {key: "off", flow: "f1"},
	} {
		got, err := readVariant(text)
		require.NoError(t, err, text)
		require.Equal(t, want, got, text)
	}
	for _, text := range []string{"", "control", "=f1", "a=", "a=f1@", "a=f1@0", "a=f1@x", "a=f1:", "a=f1:-1", "a=@2", "a=f1:1@2"} {
		_, err := readVariant(text)
		require.ErrorContains(t, err, "--variant must be KEY=FLOW", text)
	}
}
