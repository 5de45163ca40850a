package render

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"

	"github.com/svc-dev/svc/automation/scheduledreport/compose"
)

// The size of a chart in pixels: twice that at which it is shown, for screens of high density.
const (
	chartWidth  = 1040
	chartHeight = 240
	markHeight  = 6
)

// The colors stand out on white and on black, since an email is read on both.
var (
	barColor  = color.NRGBA{0x66, 0x75, 0xf2, 0xff}
	markColor = color.NRGBA{0x97, 0x9d, 0xac, 0xff}
	baseColor = color.NRGBA{0x97, 0x9d, 0xac, 0x60}
)

// chart draws a bar for every day, and a mark where the day of the period before was. Values below zero have no bar.
func chart(days []compose.Point) ([]byte, error) {
	// Few colors: a palette makes it small.
	img := image.NewPaletted(image.Rect(0, 0, chartWidth, chartHeight),
		color.Palette{color.NRGBA{}, barColor, markColor, baseColor})
	fill := func(x0, y0, x1, y1 int, c color.Color) {
		draw.Draw(img, image.Rect(x0, y0, x1, y1), image.NewUniform(c), image.Point{}, draw.Src)
	}
	const base = chartHeight - 2
	fill(0, base, chartWidth, chartHeight, baseColor)
	top := peak(days)
	for i, day := range days {
		from, to := i*chartWidth/len(days), (i+1)*chartWidth/len(days)
		gap := (to - from) / 5
		height := func(v float64) int { return int(max(v, 0) / top * (base - markHeight)) }
		if h := height(day.Current); day.Current > 0 {
			fill(from+gap, base-max(h, 2), to-gap, base, barColor)
		}
		if h := height(day.Previous); day.Previous > 0 {
			fill(from+gap/2, base-h-markHeight, to-gap/2, base-h, markColor)
		}
	}
	var out bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&out, img); err != nil {
		return nil, fmt.Errorf("draw a chart: %w", err)
	}
	return out.Bytes(), nil
}

// peak returns the largest value, 1 when there is none.
func peak(days []compose.Point) float64 {
	top := 0.0
	for _, day := range days {
		top = max(top, day.Current, day.Previous)
	}
	if top == 0 {
		return 1
	}
	return top
}

// caption tells what a chart shows to those who don't see it.
func caption(name string, u compose.Unit, days []compose.Point) string {
	if len(days) == 0 {
		return name + " per day"
	}
	low, high := days[0], days[0]
	for _, day := range days {
		if day.Current < low.Current {
			low = day
		}
		if day.Current > high.Current {
			high = day
		}
	}
	return fmt.Sprintf("%s per day: highest %s on %s, lowest %s on %s", name,
		value(u, &high.Current), high.Day.Format("Mon Jan 2"), value(u, &low.Current), low.Day.Format("Mon Jan 2"))
}
