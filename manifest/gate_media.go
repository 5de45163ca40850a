package manifest

import "fmt"

// MaxScreenMediaBytes is what the files of one screen may weigh together: above,
// a screen is seen to load on a phone outside Wi-Fi.
const MaxScreenMediaBytes = 500_000

// MediaFile is a file of the media library.
type MediaFile struct {
	Name  string `json:"name"`
	Bytes int64  `json:"bytes"`
}

// gateMedia warns of screens whose files are slow to load. A file counts once,
// however often its screen shows it; files that are not known don't count.
func gateMedia(m *Manifest, files map[string]MediaFile, r *report) {
	if len(files) == 0 {
		return
	}
	for i, screen := range m.Screens {
		var sum int64
		var heaviest MediaFile
		for _, id := range m.mediaOf(screen) {
			file := files[id]
			sum += file.Bytes
			if file.Bytes > heaviest.Bytes {
				heaviest = file
			}
		}
		if sum <= MaxScreenMediaBytes {
			continue
		}
		name := "one file"
		if heaviest.Name != "" {
			name = "“" + clip(heaviest.Name) + "”"
		}
		if heaviest.Bytes == sum {
			r.warn(at("/screens", i), "screen.heavy_media", "The screen loads %s of media: %s.", kilobytes(sum), name)
			continue
		}
		r.warn(
			at("/screens", i), "screen.heavy_media", "The screen loads %s of media, of which %s is %s.",
			kilobytes(sum), name, kilobytes(heaviest.Bytes),
		)
	}
}

// kilobytes writes a size, rounded up: 500,001 bytes are more than 500 kB.
func kilobytes(size int64) string {
	n := (size + 999) / 1000
	if n < 1000 {
		return fmt.Sprintf("%d kB", n)
	}
	return fmt.Sprintf("%d,%03d kB", n/1000, n%1000)
}

// mediaOf lists the media assets that a screen shows, each once, in document
// order.
func (m *Manifest) mediaOf(screen *Screen) []string {
	ids := []string{}
	seen := map[string]bool{}
	add := func(media *MediaReference) {
		if media != nil && !seen[media.MediaAssetID] {
			seen[media.MediaAssetID] = true
			ids = append(ids, media.MediaAssetID)
		}
	}
	if fill := screen.ContainerStyle.BackgroundFill; fill != nil {
		add(fill.Media)
	}
	for _, p := range m.layersOf[screen] {
		add(p.Media)
	}
	return ids
}
