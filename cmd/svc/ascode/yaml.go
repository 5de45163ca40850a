package ascode

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/token"
)

// maxYAMLDepth bounds how deep a YAML file nests: its parser recurses.
const maxYAMLDepth = 200

// decodeYAML reads a YAML mapping. Anchors, aliases and tags are refused: what a file says is what stands in it.
func decodeYAML(raw []byte) (document, error) {
	depth := 0
	for _, t := range lexer.Tokenize(string(raw)) {
		switch t.Type {
		case token.AnchorType, token.AliasType, token.TagType, token.MergeKeyType:
			return nil, fmt.Errorf("line %d: anchors, aliases and tags are not taken", t.Position.Line)
		case token.SequenceStartType, token.MappingStartType:
			depth++
		case token.SequenceEndType, token.MappingEndType:
			depth--
		}
		deepBlock := isBlockStart(t) && t.Position.Column > 2*maxYAMLDepth
		if depth > maxYAMLDepth || t.Position.IndentNum > 2*maxYAMLDepth || deepBlock {
			return nil, fmt.Errorf("line %d: is nested too deep", t.Position.Line)
		}
	}
	text, err := yaml.YAMLToJSON(raw)
	if err != nil {
		return nil, fmt.Errorf("is not YAML: %w", err)
	}
	return decode(text)
}

func isBlockStart(t *token.Token) bool {
	return t.Type == token.SequenceEntryType || t.Type == token.MappingKeyType
}

// encodeYAML writes a document in block style: members sorted, two spaces deep. Texts that another reader could take
// for something else are in quotes, as JSON writes them.
func encodeYAML(d document) ([]byte, error) {
	var text bytes.Buffer
	writeYAML(&text, d, "")
	return text.Bytes(), nil
}

func writeYAML(w *bytes.Buffer, v any, indent string) {
	switch v := v.(type) {
	case document:
		for i, name := range slices.Sorted(maps.Keys(v)) {
			if i > 0 {
				w.WriteString(indent)
			}
			w.WriteString(yamlText(name) + ":")
			writeMember(w, v[name], indent)
		}
	case []any:
		for i, element := range v {
			if i > 0 {
				w.WriteString(indent)
			}
			w.WriteByte('-')
			if hasMembers(element) {
				w.WriteByte(' ')
				writeYAML(w, element, indent+"  ")
			} else {
				writeMember(w, element, indent)
			}
		}
	}
}

// writeMember writes what stands behind a colon or a dash.
func writeMember(w *bytes.Buffer, v any, indent string) {
	if hasMembers(v) {
		w.WriteString("\n" + indent + "  ")
		writeYAML(w, v, indent+"  ")
		return
	}
	w.WriteByte(' ')
	if text, isText := v.(string); isText {
		w.WriteString(yamlText(text))
	} else {
		raw, _ := json.Marshal(v) // null, a flag, a number, [] or {}
		w.Write(raw)
	}
	w.WriteByte('\n')
}

func hasMembers(v any) bool {
	object, isObject := v.(document)
	list, isList := v.([]any)
	return isObject && len(object) > 0 || isList && len(list) > 0
}

// plainText is what needs no quotes unless it is a word of YAML.
var plainText = regexp.MustCompile(`^[A-Za-z]([A-Za-z0-9 _.,/-]*[A-Za-z0-9_])?$`)

var yamlWords = []string{"true", "false", "null", "yes", "no", "on", "off", "y", "n", "nan", "inf"}

func yamlText(text string) string {
	if plainText.MatchString(text) && !slices.Contains(yamlWords, strings.ToLower(text)) {
		return text
	}
	var quoted strings.Builder
	encoder := json.NewEncoder(&quoted)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(text) // a text can always be written
	return strings.TrimSpace(quoted.String())
}
