// Package examples holds whole manifests that tests run on.
package examples

import "embed"

// Files are the manifests, one JSON file each.
//
//go:embed *.json
var Files embed.FS
