package slack

import (
	"encoding/json"
	"strings"
	"unicode"

	"github.com/svc-dev/svc/automation/webhook"
	"github.com/svc-dev/svc/internal/codeunit"
)

// Limits of Slack, in its own units, and of what one attempt sends.
const (
	maxBlocks = 50
	maxHeader = 150
	maxFields = 10
	// An escaped character has up to five, and a field takes 2,000.
	maxLabel, maxValue = 80, 300
	maxSpan            = 2000
	maxFootnote        = 2000
	maxText            = 300
)

// Message is what a channel is sent.
type Message struct {
	// Text is what notifications and clients without blocks show, in plain words.
	Text   string
	Blocks []Block
}

// Block is one block of a message. The functions of this package make them.
type Block struct {
	Type     string       `json:"type"`
	Text     *textObject  `json:"text,omitempty"`
	Fields   []textObject `json:"fields,omitempty"`
	Elements []any        `json:"elements,omitempty"`
}

type textObject struct {
	Type     string `json:"type"`
	Text     string `json:"text"`
	Emoji    *bool  `json:"emoji,omitempty"`
	Verbatim bool   `json:"verbatim,omitempty"`
}

// Span is a piece of a line. Its text has no markup: Slack shows it as it is.
type Span struct {
	Text string
	Bold bool
	// Link is where a press on the text leads; empty for none. It is for addresses of the server's own.
	Link string
}

// Header is a title.
func Header(title string) Block {
	text := plain(title, maxHeader)
	return Block{Type: "header", Text: &text}
}

// Field is a labeled value of [Fields].
type Field struct{ Label, Value string }

// Fields are up to ten labeled values in two columns; the others are left out.
func Fields(fields ...Field) Block {
	b := Block{Type: "section"}
	for _, f := range fields[:min(len(fields), maxFields)] {
		// The label's own asterisks would end the bold type.
		label := strings.ReplaceAll(escape(f.Label, maxLabel), "*", "")
		b.Fields = append(b.Fields, textObject{
			Type: "mrkdwn", Text: "*" + label + "*\n" + escape(f.Value, maxValue), Verbatim: true,
		})
	}
	return b
}

// Paragraph is a line of text.
func Paragraph(spans ...Span) Block { return richText(section(spans)) }

// List is a list of lines with bullets.
func List(lines ...[]Span) Block {
	items := make([]any, len(lines))
	for i, line := range lines {
		items[i] = section(line)
	}
	return richText(map[string]any{"type": "rich_text_list", "style": "bullet", "elements": items})
}

// Footnote is small gray text.
func Footnote(text string) Block {
	return Block{Type: "context", Elements: []any{plain(text, maxFootnote)}}
}

// Divider is a line between blocks.
func Divider() Block { return Block{Type: "divider"} }

// JSON returns the body that is sent. A message that is longer than an attempt takes loses its last blocks.
func (m Message) JSON() ([]byte, error) {
	for blocks := m.Blocks[:min(len(m.Blocks), maxBlocks)]; ; blocks = blocks[:len(blocks)-1] {
		body, err := json.Marshal(map[string]any{
			"text": escape(m.Text, maxText), "mrkdwn": false, "blocks": blocks,
			"unfurl_links": false, "unfurl_media": false,
		})
		if err != nil || len(body) <= webhook.MaxBody || len(blocks) == 0 {
			return body, err
		}
	}
}

func richText(element any) Block { return Block{Type: "rich_text", Elements: []any{element}} }

func section(spans []Span) map[string]any {
	elements := []any{}
	for _, s := range spans {
		text := clip(s.Text, maxSpan)
		if text == "" { // Slack refuses an empty element, and the whole message with it
			continue
		}
		element := map[string]any{"type": "text", "text": text}
		if s.Link != "" {
			element = map[string]any{"type": "link", "text": text, "url": s.Link}
		}
		if s.Bold {
			element["style"] = map[string]bool{"bold": true}
		}
		elements = append(elements, element)
	}
	if len(elements) == 0 {
		elements = append(elements, map[string]any{"type": "text", "text": " "})
	}
	return map[string]any{"type": "rich_text_section", "elements": elements}
}

func plain(text string, limit int) textObject {
	no := false
	text = clip(text, limit)
	if text == "" {
		text = " "
	}
	return textObject{Type: "plain_text", Text: text, Emoji: &no}
}

// markup is what Slack reads as formatting in a text of type mrkdwn. A zero width space after each keeps it from being
// so, and is not seen.
const markup = "*_~`"

// escape keeps a text from linking, mentioning and formatting
// (https://docs.slack.dev/messaging/formatting-message-text).
func escape(text string, limit int) string {
	var b strings.Builder
	for _, r := range clip(text, limit) {
		switch {
		case r == '&':
			b.WriteString("&amp;")
		case r == '<':
			b.WriteString("&lt;")
		case r == '>':
			b.WriteString("&gt;")
		case strings.ContainsRune(markup, r):
			b.WriteString(string(r) + "\u200b")
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// clip makes one line of a text, without characters that turn its direction or are not seen, and cuts it.
func clip(text string, limit int) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case r != '\u200d' && unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co): // the joiner is of emoji
			return -1
		}
		return r
	}, codeunit.Clip(strings.ToValidUTF8(text, ""), 4*limit))
	if short := codeunit.Clip(text, limit-1); short != text {
		return short + "…"
	}
	return text
}
