// Command generate writes shape.json from the manifest's JSON Schema.
package main

import (
	"log"
	"os"

	"github.com/svc-dev/svc/manifest"
	"github.com/svc-dev/svc/manifest/shape"
)

func main() {
	text, err := shape.Build(manifest.Schema())
	if err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile("shape.json", text, 0o644); err != nil {
		log.Fatal(err)
	}
}
