package main

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// A value is decoded JSON that keeps the order of object members, so that
// tables and CSV show columns in the order in which the document asks for them:
// nil, bool, string, json.Number, []value or members.
type value any

type member struct {
	key   string
	value value
}

type members []member

func (m members) get(key string) value {
	for _, entry := range m {
		if entry.key == key {
			return entry.value
		}
	}
	return nil
}

func (m members) has(key string) bool {
	for _, entry := range m {
		if entry.key == key {
			return true
		}
	}
	return false
}

func decodeOrdered(raw []byte) (value, error) {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	return readValue(decoder)
}

func readValue(decoder *json.Decoder) (value, error) {
	token, err := decoder.Token()
	if err != nil {
		return nil, fmt.Errorf("read answer: %w", err)
	}
	switch token {
	case json.Delim('{'):
		object := members{}
		for decoder.More() {
			key, err := decoder.Token()
			if err != nil {
				return nil, fmt.Errorf("read answer: %w", err)
			}
			v, err := readValue(decoder)
			if err != nil {
				return nil, err
			}
			object = append(object, member{key.(string), v})
		}
		_, err := decoder.Token()
		return object, err
	case json.Delim('['):
		list := []value{}
		for decoder.More() {
			v, err := readValue(decoder)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		_, err := decoder.Token()
		return list, err
	}
	return value(token), nil
}

// MarshalJSON writes the members in their order.
func (m members) MarshalJSON() ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	out.WriteByte('{')
	for i, entry := range m {
		if i > 0 {
			out.WriteByte(',')
		}
		if err := encoder.Encode(entry.key); err != nil {
			return nil, err
		}
		out.WriteByte(':')
		if err := encoder.Encode(entry.value); err != nil {
			return nil, err
		}
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}
