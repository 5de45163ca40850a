package demo

import (
	"bytes"
	"encoding/json"
	"image"
	"image/color"
	"image/png"
	"regexp"
	"slices"
)

var mediaReference = regexp.MustCompile(`"mediaAssetId"\s*:\s*"([0-9a-fA-F-]{36})"`)

// MediaPlaceholders returns the asset ids that a manifest names, each once, in
// the order in which they stand.
func MediaPlaceholders(manifest []byte) []string {
	var ids []string
	for _, match := range mediaReference.FindAllSubmatch(manifest, -1) {
		if id := string(match[1]); !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// Picture paints a small PNG: a soft gradient with a leaf's shape, in greens
// that depend on the seed.
func Picture(seed uint64) []byte {
	const width, height = 480, 320
	canvas := image.NewRGBA(image.Rect(0, 0, width, height))
	shift := uint8(seed * 37 % 60)
	for y := range height {
		for x := range width {
			c := color.RGBA{R: 200 - uint8(y/4), G: 232 - uint8(y/6), B: 200 - shift, A: 255}
			// A leaf is where two circles overlap.
			left, right := square(x-150, y-160), square(x-330, y-160)
			if left < 150*150 && right < 150*150 {
				c = color.RGBA{R: 40 + shift, G: 120 + shift/2, B: 70, A: 255}
				if abs(y-160) < 2 || abs((x-y)%24) < 2 {
					c = color.RGBA{R: 30 + shift, G: 95, B: 55, A: 255}
				}
			}
			canvas.SetRGBA(x, y, c)
		}
	}
	var out bytes.Buffer
	_ = png.Encode(&out, canvas) // a buffer takes every write
	return out.Bytes()
}

func square(x, y int) int { return x*x + y*y }

func abs(x int) int {
	if x < 0 {
		return -x
	}
	return x
}

// ParseServed reads the parts of a resolve answer that flow events carry.
func ParseServed(answer []byte) (Served, error) {
	var body struct {
		FlowID            string  `json:"flowId"`
		VersionID         string  `json:"versionId"`
		AssignmentVersion int     `json:"assignmentVersion"`
		ExperimentID      *string `json:"experimentId"`
		VariantID         *string `json:"variantId"`
		Manifest          struct {
			Screens []struct {
				ID string `json:"id"`
			} `json:"screens"`
		} `json:"manifest"`
	}
	if err := json.Unmarshal(answer, &body); err != nil {
		return Served{}, err
	}
	served := Served{
		FlowID: body.FlowID, VersionID: body.VersionID, AssignmentVersion: body.AssignmentVersion,
		ExperimentID: body.ExperimentID, VariantID: body.VariantID,
	}
	for _, screen := range body.Manifest.Screens {
		served.Screens = append(served.Screens, screen.ID)
	}
	return served, nil
}
