// Package examples holds whole manifests that tests run on and that the demo
// workspace is made of.
package examples

import "embed"

// Files are the manifests, one JSON file each.
//
//go:embed *.json
var Files embed.FS
