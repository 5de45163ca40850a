package ascode

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
)

// document is a JSON object: nil, bool, string, json.Number, []any or document's own type below it.
type document = map[string]any

// decode reads one JSON object and brings its numbers into one form.
func decode(raw []byte) (document, error) {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var read any
	if err := decoder.Decode(&read); err != nil {
		return nil, fmt.Errorf("is not JSON: %w", err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("has more than one JSON value")
	}
	object, ok := read.(document)
	if !ok {
		return nil, errors.New("must be a JSON object")
	}
	return normal(object).(document), nil
}

// encode writes a document: members sorted, two spaces deep, no escapes that a reader would stumble over.
func encode(d document) ([]byte, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	err := encoder.Encode(d)
	return text.Bytes(), err
}

// hash names what a document says.
func hash(d document) string {
	text, err := json.Marshal(normal(d))
	if err != nil {
		panic(err) // it was decoded
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// normal returns a value whose equal numbers are written alike.
func normal(v any) any {
	return mapLeaves(v, func(leaf any) any {
		if n, isNumber := leaf.(json.Number); isNumber {
			return normalNumber(n)
		}
		return leaf
	})
}

// mapLeaves returns a copy of a value in which everything but objects and lists is changed.
func mapLeaves(v any, change func(any) any) any {
	switch v := v.(type) {
	case document:
		object := make(document, len(v))
		for name, member := range v {
			object[name] = mapLeaves(member, change)
		}
		return object
	case []any:
		list := make([]any, len(v))
		for i, entry := range v {
			list[i] = mapLeaves(entry, change)
		}
		return list
	}
	return change(v)
}

func normalNumber(n json.Number) json.Number {
	if i, err := strconv.ParseInt(n.String(), 10, 64); err == nil {
		return json.Number(strconv.FormatInt(i, 10))
	}
	f, err := n.Float64()
	if err != nil {
		return n
	}
	if f == math.Trunc(f) && math.Abs(f) < 1<<53 {
		return json.Number(strconv.FormatInt(int64(f), 10))
	}
	text, _ := json.Marshal(f) // it is finite
	return json.Number(text)
}
