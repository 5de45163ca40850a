package main

import (
	"testing"
	"time"

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

func TestExperimentsEndAfterDays(t *testing.T) {
	now := time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)
	for text, want := range map[string]string{
		"14d": "2026-02-14T12:00:00Z", "2026-03-01": "2026-03-01T00:00:00Z", "2026-03-01T08:00:00Z": "2026-03-01T08:00:00Z",
	} {
		got, err := ending(text, now)
		require.NoError(t, err, text)
		require.Equal(t, want, got)
	}
	for _, text := range []string{"", "d", "0d", "-1d", "99999d", "14", "soon"} {
		_, err := ending(text, now)
		require.ErrorContains(t, err, "--until must be", text)
	}
}
