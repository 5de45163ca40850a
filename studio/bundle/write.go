package bundle

import (
	"archive/zip"
	"encoding/json"
	"fmt"
	"io"

	"github.com/svc-dev/svc/internal/fault"
	"github.com/svc-dev/svc/studio/media"
)

// entryBytes is more than what ZIP says of one entry.
const entryBytes = 512

// Content is what a bundle is written of.
type Content struct {
	Index    Index
	Manifest json.RawMessage
	// Components are those that the manifest has instances of.
	Components []Component
	// Sizes are those of the files that the index names, in bytes.
	Sizes map[string]int64
	// Open opens one of them.
	Open func(name string) (io.ReadCloser, error)
}

// Check refuses content that no server would take back, before a byte of it is written.
func (c *Content) Check() error {
	texts := 2 + min(len(c.Components), 1)
	if len(c.Sizes)+texts > MaxEntries {
		return fault.New(fault.Conflict, "the flow has %d files; an exported flow has at most %d", len(c.Sizes),
			MaxEntries-texts)
	}
	total := int64(len(c.Manifest)) + maxIndexBytes
	components, err := c.componentsText()
	if err != nil {
		return err
	}
	if len(components) > maxComponentsBytes {
		return fault.New(fault.Conflict, "the flow's components have %d bytes; those of an exported flow have at most %d",
			len(components), maxComponentsBytes)
	}
	total += int64(len(components))
	for _, size := range c.Sizes {
		total += size + entryBytes
	}
	if total > MaxBytes {
		return fault.New(fault.Conflict,
			"the flow and its files have %d bytes; an exported flow has at most %d", total-maxIndexBytes, MaxBytes-maxIndexBytes)
	}
	return nil
}

// Write writes a bundle, file by file. Equal content gives equal bytes.
func (c *Content) Write(w io.Writer) error {
	c.Index.Format, c.Index.Version = format, version
	index, err := json.MarshalIndent(c.Index, "", "  ")
	if err != nil {
		return fmt.Errorf("write the index: %w", err)
	}
	if len(index) > maxIndexBytes {
		return fault.New(fault.Conflict, "the names of the flow's files have too many bytes to export")
	}
	components, err := c.componentsText()
	if err != nil {
		return err
	}
	packed := zip.NewWriter(w)
	for _, text := range []struct {
		name    string
		content []byte
	}{{indexName, index}, {manifestName, c.Manifest}, {componentsName, components}} {
		if text.content == nil {
			continue
		}
		if err := writeEntry(packed, text.name, zip.Deflate, func(into io.Writer) error {
			_, err := into.Write(text.content)
			return err
		}); err != nil {
			return err
		}
	}
	written := map[string]bool{}
	for _, name := range c.Index.paths() {
		if written[name] {
			continue
		}
		written[name] = true
		// Pictures, videos and fonts are packed already.
		err := writeEntry(packed, name, zip.Store, func(into io.Writer) error { return c.copyFile(into, name) })
		if err != nil {
			return err
		}
	}
	if err := packed.Close(); err != nil {
		return fmt.Errorf("write the bundle: %w", err)
	}
	return nil
}

func (c *Content) copyFile(into io.Writer, name string) error {
	file, err := c.Open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	_, err = io.Copy(into, io.LimitReader(file, media.LargestUpload))
	return err
}

func writeEntry(packed *zip.Writer, name string, method uint16, write func(io.Writer) error) error {
	into, err := packed.CreateHeader(&zip.FileHeader{Name: name, Method: method})
	if err == nil {
		err = write(into)
	}
	if err != nil {
		return fmt.Errorf("write %s of the bundle: %w", name, err)
	}
	return nil
}

// paths returns the names of the files in the order of the index.
func (x *Index) paths() []string {
	var names []string
	for _, file := range x.Media {
		names = append(names, file.Path)
	}
	for _, font := range x.Fonts {
		for _, style := range font.Styles {
			if style.Path != "" {
				names = append(names, style.Path)
			}
		}
	}
	return names
}
