package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"

	"github.com/svc-dev/svc/manifest"
)

// flowFile is a flow with its draft.
type flowFile struct {
	ID            string          `json:"id"`
	Name          string          `json:"name"`
	Draft         json.RawMessage `json:"draft"`
	DraftRevision int             `json:"draftRevision"`
}

// readFlow asks for a flow with its draft.
func readFlow(ctx context.Context, server api, id string) (*flowFile, error) {
	var flow *flowFile
	if err := server.read(ctx, "flowFile", map[string]any{"flow": id}, &flow, "flow"); err != nil {
		return nil, err
	}
	if flow == nil {
		return nil, missing("flow", id)
	}
	return flow, nil
}

// readFlowFile reads a file, - for the input, up to the size of a manifest.
func readFlowFile(t terminal, name string) ([]byte, error) {
	from := t.in
	if name != "-" {
		file, err := os.Open(name)
		if err != nil {
			return nil, usageError("%s", err)
		}
		defer file.Close()
		from = file
	}
	raw, err := io.ReadAll(io.LimitReader(from, manifest.MaxBytes+1))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	if len(raw) > manifest.MaxBytes {
		return nil, usageError("%s has more than %d bytes", name, manifest.MaxBytes)
	}
	return raw, nil
}

// formatFlow writes a manifest as a file: members sorted, two spaces deep, and the draft's revision as its version.
func formatFlow(raw json.RawMessage, revision int) ([]byte, error) {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber() // numbers stay as they were written
	var document map[string]any
	if err := decoder.Decode(&document); err != nil || document == nil {
		return nil, errors.Join(errors.New("the manifest is not a JSON object"), err)
	}
	document["version"] = revision
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	err := encoder.Encode(document)
	return text.Bytes(), err
}

// sameFlow tells whether two manifests say the same, wherever they lie.
func sameFlow(a, b json.RawMessage) bool {
	comparable := func(raw json.RawMessage) ([]byte, bool) {
		if parsed, _ := manifest.Parse(raw); parsed != nil {
			raw = parsed.JSON()
		}
		var document map[string]any
		if json.Unmarshal(raw, &document) != nil || document == nil {
			return nil, false
		}
		delete(document, "flowId")
		delete(document, "version")
		text, err := json.Marshal(document)
		return text, err == nil
	}
	x, okX := comparable(a)
	y, okY := comparable(b)
	return okX && okY && bytes.Equal(x, y)
}

// withRevision returns a manifest file with another version and every other byte as it was. A file that does not say
// its version stays as it is.
func withRevision(text []byte, revision int) []byte {
	from, to, ok := memberOf(text, "version")
	if !ok {
		return text
	}
	return append(append(bytes.Clone(text[:from]), fmt.Sprint(revision)...), text[to:]...)
}

// memberOf finds the value of a member of a JSON object: text[from:to], without white space around it.
func memberOf(text []byte, name string) (from, to int, ok bool) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	if token, err := decoder.Token(); err != nil || token != json.Delim('{') {
		return 0, 0, false
	}
	for decoder.More() {
		key, err := decoder.Token()
		if err != nil {
			return 0, 0, false
		}
		var value json.RawMessage
		if err := decoder.Decode(&value); err != nil {
			return 0, 0, false
		}
		if key == name {
			to = int(decoder.InputOffset())
			from, ok = to-len(value), true // the last of several counts, as it does for every reader
		}
	}
	return from, to, ok
}

// withParameter adds a query parameter to an address.
func withParameter(address, name, value string) (string, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme == "" {
		return "", usageError("--page: %q is not an address such as https://example.com/welcome", address)
	}
	query := u.Query()
	query.Set(name, value)
	u.RawQuery = query.Encode()
	return u.String(), nil
}
