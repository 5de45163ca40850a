package media

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
)

// Type is the kind of an asset (manifest.md §13).
type Type string

// The four types.
const (
	Image  Type = "image"
	Lottie Type = "lottie"
	Video  Type = "video"
	Font   Type = "font"
)

// MaxBytes is the largest file of each type (manifest.md §13).
var MaxBytes = map[Type]int64{Image: 5_242_880, Lottie: 10_485_760, Video: 52_428_800, Font: 10_485_760}

// LargestUpload is the largest file of any type.
const LargestUpload = 52_428_800

// Format is a file format that assets may have.
type Format struct {
	Type        Type
	Extension   string // without the dot
	contentType string
	aliases     []string
	matches     func(head []byte) bool
}

// ContentType returns what the file is served as.
func (f Format) ContentType() string { return f.contentType }

func starts(prefixes ...string) func([]byte) bool {
	return func(head []byte) bool {
		return slices.ContainsFunc(prefixes, func(p string) bool { return bytes.HasPrefix(head, []byte(p)) })
	}
}

// at4 matches the box type of an ISO media file.
func at4(kinds ...string) func([]byte) bool {
	return func(head []byte) bool {
		return len(head) >= 8 && slices.Contains(kinds, string(head[4:8]))
	}
}

var formats = []Format{
	{Image, "png", "image/png", []string{"image/x-png"}, starts("\x89PNG\r\n\x1a\n")},
	{Image, "jpg", "image/jpeg", []string{"image/jpg", "image/pjpeg"}, starts("\xff\xd8\xff")},
	{Image, "webp", "image/webp", nil, func(head []byte) bool {
		return len(head) >= 12 && string(head[:4]) == "RIFF" && string(head[8:12]) == "WEBP"
	}},
	{Image, "gif", "image/gif", nil, starts("GIF87a", "GIF89a")},
	{Image, "svg", "image/svg+xml", nil, func(head []byte) bool { return bytes.Contains(head, []byte("<svg")) }},
	{Lottie, "json", "application/json", []string{"text/json"}, func(head []byte) bool {
		return bytes.HasPrefix(bytes.TrimLeft(head, " \t\r\n\ufeff"), []byte("{"))
	}},
	{Video, "mp4", "video/mp4", nil, at4("ftyp")},
	{Video, "webm", "video/webm", nil, starts("\x1a\x45\xdf\xa3")},
	{Video, "mov", "video/quicktime", nil, at4("ftyp", "moov", "mdat", "wide", "free", "skip")},
	{Font, "ttf", "font/ttf", []string{"application/x-font-ttf"}, starts("\x00\x01\x00\x00", "true")},
	{Font, "otf", "font/otf", []string{"application/x-font-otf"}, starts("OTTO", "\x00\x01\x00\x00")},
	{Font, "woff", "font/woff", []string{"application/font-woff"}, starts("wOFF")},
	{Font, "woff2", "font/woff2", []string{"application/font-woff2"}, starts("wOF2")},
}

func byExtension(extension string) (Format, bool) {
	i := slices.IndexFunc(formats, func(f Format) bool { return f.Extension == extension })
	if i < 0 {
		return Format{}, false
	}
	return formats[i], true
}

// Recognize finds the format of an upload from its type, file name, declared
// content type and first bytes (512 are enough). They must agree: a declared
// type that contradicts the extension, or content that is something else, is an
// error that says so. Fonts may be declared application/octet-stream.
func Recognize(kind Type, filename, contentType string, head []byte) (Format, error) {
	if _, known := MaxBytes[kind]; !known {
		return Format{}, fmt.Errorf("unknown type %q", kind)
	}
	contentType, _, _ = strings.Cut(strings.ToLower(contentType), ";")
	contentType = strings.TrimSpace(contentType)
	declared := contentType != "" && contentType != "application/octet-stream"
	extension := strings.TrimPrefix(strings.ToLower(path.Ext(filename)), ".")
	if extension == "jpeg" {
		extension = "jpg"
	}
	var candidates []Format
	for _, f := range formats {
		if f.Type == kind && f.matches(head) {
			candidates = append(candidates, f)
		}
	}
	if len(candidates) == 0 {
		return Format{}, fmt.Errorf("the content is not a known format of %s", kind)
	}
	for _, f := range candidates {
		if (extension == "" || extension == f.Extension) &&
			(!declared || contentType == f.contentType || slices.Contains(f.aliases, contentType)) {
			return f, nil
		}
	}
	return Format{}, fmt.Errorf(
		"the content is %s, which contradicts the name %q or the type %q", candidates[0].contentType, filename, contentType,
	)
}

// CheckLottie makes sure that an animation is what players expect: a JSON object
// with layers. It keeps nothing of what it reads.
func CheckLottie(content []byte) error {
	var animation struct {
		Layers layers `json:"layers"`
	}
	if err := json.Unmarshal(content, &animation); err != nil {
		return fmt.Errorf("the animation is not valid JSON: %w", err)
	}
	if !animation.Layers {
		return errors.New("the animation has no layers")
	}
	return nil
}

// layers tells whether there is a list of them, whose values a byte of text each would
// make a hundred times as large.
type layers bool

// UnmarshalJSON implements json.Unmarshaler.
func (l *layers) UnmarshalJSON(text []byte) error {
	*l = len(text) > 0 && text[0] == '['
	return nil
}
