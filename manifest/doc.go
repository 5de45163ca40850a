// Package manifest owns the flow manifest: the JSON document that the SDKs
// run. It migrates older forms, checks structure and rules, answers whether a
// manifest may be published, and cuts the slices that plans serve.
//
// Parse takes what an author sent and gives the Manifest or the problems, each
// with a JSON pointer, a stable code and a sentence. Manifest.JSON is the form
// to store; Open reads it back without checking again. CheckPublish runs the
// gates, CheckPlatform the findings about a channel's platform.
//
// The rules are those of manifest.md. schema.json states the structure, and is
// the source of the TypeScript types; what it cannot say is in the refine and
// gate files. Codes begin with their subject: json, limits and schema for what
// is no manifest at all; graph, decision, expression, surface, layer, field,
// clip and the kinds of layers for rules; flow, screen, template, media,
// canvas, plan and others for gates. testdata/verdicts.json shows each.
//
// The package knows no I/O: no database, no clock, no network.
package manifest
