package packages

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// manifestPath is where npm puts the description of a package.
const manifestPath = "package/package.json"

// tarball is a package as `npm pack` writes it.
type tarball struct {
	name, version string
	manifest      map[string]json.RawMessage // package.json
	entries       []entry
}

type entry struct {
	header  tar.Header
	content []byte
}

func openTarball(content []byte) (*tarball, error) {
	unpacked, err := gzip.NewReader(bytes.NewReader(content))
	if err != nil {
		return nil, err
	}
	var t tarball
	for reader := tar.NewReader(unpacked); ; {
		header, err := reader.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		content, err := io.ReadAll(reader)
		if err != nil {
			return nil, err
		}
		t.entries = append(t.entries, entry{*header, content})
		if header.Name != manifestPath {
			continue
		}
		var own struct{ Name, Version string }
		if err := errors.Join(json.Unmarshal(content, &t.manifest), json.Unmarshal(content, &own)); err != nil {
			return nil, fmt.Errorf("%s: %w", manifestPath, err)
		}
		t.name, t.version = own.Name, own.Version
	}
	if t.name == "" || t.version == "" {
		return nil, fmt.Errorf("%s has no name and version", manifestPath)
	}
	return &t, nil
}

// withAddresses returns the file whose dependencies are addresses where address knows one. The same input gives the
// same bytes.
func (t *tarball) withAddresses(address func(name string) (string, bool)) ([]byte, error) {
	manifest, err := t.describe(address)
	if err != nil {
		return nil, err
	}
	var packed bytes.Buffer
	compressed := gzip.NewWriter(&packed)
	writer := tar.NewWriter(compressed)
	for _, e := range t.entries {
		if e.header.Name == manifestPath {
			e.content = manifest
		}
		e.header.Size = int64(len(e.content))
		if err := writer.WriteHeader(&e.header); err != nil {
			return nil, err
		}
		if _, err := writer.Write(e.content); err != nil {
			return nil, err
		}
	}
	if err := errors.Join(writer.Close(), compressed.Close()); err != nil {
		return nil, err
	}
	return packed.Bytes(), nil
}

// describe returns package.json with addresses among its dependencies.
func (t *tarball) describe(address func(name string) (string, bool)) ([]byte, error) {
	var dependencies map[string]string
	if err := json.Unmarshal(t.manifest["dependencies"], &dependencies); t.manifest["dependencies"] != nil && err != nil {
		return nil, fmt.Errorf("dependencies: %w", err)
	}
	for name := range dependencies {
		if url, offered := address(name); offered {
			dependencies[name] = url
		}
	}
	described := map[string]any{}
	for key, value := range t.manifest {
		described[key] = value
	}
	if dependencies != nil {
		described["dependencies"] = dependencies
	}
	return json.MarshalIndent(described, "", "  ")
}
