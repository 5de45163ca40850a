// Package manifest owns the flow manifest: the JSON document that the SDKs
// run. It migrates older forms, checks structure and rules, answers whether a
// manifest may be published, and cuts the slices that plans serve.
//
// The rules are those of manifest.md. schema.json states the structure (and is
// the source of the TypeScript types); what it cannot say is in the refine and
// gate files. The package knows no I/O: no database, no clock, no network.
package manifest
