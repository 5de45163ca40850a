package automation

import (
	"bytes"
	_ "embed"
	"fmt"
	"html"
	htmltemplate "html/template"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	goldmarkhtml "github.com/yuin/goldmark/renderer/html"
	gtext "github.com/yuin/goldmark/text"

	"github.com/svc-dev/svc/internal/codeunit"
)

// Bounds of an email.
const (
	maxEmailLine  = 200      // bytes of a subject or preheader, fields as they are written
	maxEmailBody  = 10_000   // bytes of a body, whose square reading it may take
	maxEmailDepth = 20       // quotes and lists in one another
	maxEmailMarks = 1000     // brackets and stars, whose pairs reading looks for
	maxEmail      = 96 << 10 // bytes of each of the two parts of a message
	maxFieldText  = 500      // UTF-16 code units of a value in a message
)

// Email is what an email node sends: plain texts with fields, and a body of Markdown.
type Email struct {
	subject, preheader, body []part
	// html is the body as HTML; a field in it is inside a link or not.
	html []htmlPart
}

type htmlPart struct {
	text    string // HTML as it is
	field   *part
	address bool // the field is a part of an address
}

// Fields of a body are these characters around their number while Markdown is read: no text has them.
const fieldOpen, fieldClose = "\ue000", "\ue001"

// fieldMark finds fields in HTML, also where goldmark wrote them as parts of an address.
var fieldMark = regexp.MustCompile("(?:\ue000|%EE%80%80)([0-9]+)(?:\ue001|%EE%80%81)")

// destination is where a link may lead: its host has no field of what a stranger may send.
var destination = regexp.MustCompile(
	`^(?i:https?://[^/?#\s\x{e000}\x{e001}]+(?:[/?#].*)?|mailto:[^\x{e000}\x{e001}]+)$`)

var markdown = goldmark.New(goldmark.WithRendererOptions(goldmarkhtml.WithHardWraps()))

// email reads the members of an email node. Of its values a text after | stands where one is not known.
func (r *reader) email(o *object) *Email {
	r.people = true // it is sent to the person's address
	m := &Email{
		subject:   r.emailText(o, "subject", true, maxEmailLine),
		preheader: r.emailText(o, "preheader", false, maxEmailLine),
		body:      r.emailText(o, "body", true, maxEmailBody),
	}
	if m.body == nil {
		return m
	}
	source := []byte(markdownOf(m.body))
	if marks := bytes.Count(source, []byte("[")) + bytes.Count(source, []byte("*")) +
		bytes.Count(source, []byte("_")); marks > maxEmailMarks {
		r.report(o.at("body"), "length", "has more than %d of the characters [, * and _", maxEmailMarks)
		return m
	}
	if deep(string(source)) {
		r.report(o.at("body"), "length", "has quotes or lists nested deeper than %d", maxEmailDepth)
		return m
	}
	tree := markdown.Parser().Parse(gtext.NewReader(source))
	_ = ast.Walk(tree, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		to := ""
		switch n := n.(type) {
		case *ast.Link:
			to = string(n.Destination)
		case *ast.Image:
			to = string(n.Destination)
		case *ast.AutoLink:
			if n.AutoLinkType == ast.AutoLinkEmail { // an address alone, in which no field can be
				return ast.WalkContinue, nil
			}
			to = string(n.URL(source))
		default:
			return ast.WalkContinue, nil
		}
		if !destination.MatchString(to) {
			r.report(o.at("body"), "link",
				"a link must start with https:// and a host without fields, or with mailto:, not %q",
				fieldMark.ReplaceAllString(to, "{{…}}"))
		}
		return ast.WalkContinue, nil
	})
	var written bytes.Buffer
	if err := markdown.Renderer().Render(&written, source, tree); err != nil {
		r.report(o.at("body"), "markdown", "is not Markdown: %s", err)
		return m
	}
	m.html = htmlParts(written.String(), m.body)
	return m
}

// emailText reads a text with fields.
func (r *reader) emailText(o *object, name string, required bool, most int) []part {
	text := o.textOf(name, required, most)
	if strings.ContainsAny(text, fieldOpen+fieldClose) {
		r.report(o.at(name), "type", "has characters for private use")
		return nil
	}
	r.fallbacks = true
	defer func() { r.fallbacks = false }()
	parts, err := r.parseTemplate(text)
	if err != nil {
		r.report(o.at(name), "template", "%s", err)
	}
	return parts
}

// markdownOf writes a body with numbers for its fields.
func markdownOf(body []part) string {
	var source strings.Builder
	for i, p := range body {
		if p.operand == nil {
			source.WriteString(p.text)
		} else {
			source.WriteString(fieldOpen + strconv.Itoa(i) + fieldClose)
		}
	}
	return source.String()
}

// deep tells whether a line begins with more marks of quotes and lists than may be in one another: what reads Markdown
// takes time by their number.
func deep(source string) bool {
	for line := range strings.Lines(source) {
		marks := 0
		for _, c := range line {
			if strings.ContainsRune(">-*+", c) {
				marks++
			} else if !unicode.IsSpace(c) && !unicode.IsDigit(c) && c != '.' && c != ')' {
				break
			}
		}
		isRule := strings.Trim(line, "-* \t\r\n") == "" // a line of dashes or stars alone
		if marks > maxEmailDepth && !isRule || len(line)-len(strings.TrimLeft(line, " \t")) > 100 {
			return true
		}
	}
	return false
}

func htmlParts(written string, body []part) []htmlPart {
	var parts []htmlPart
	end := 0
	for _, at := range fieldMark.FindAllStringSubmatchIndex(written, -1) {
		number, _ := strconv.Atoi(written[at[2]:at[3]])
		parts = append(parts, htmlPart{text: written[end:at[0]]},
			htmlPart{field: &body[number], address: written[at[0]] == '%'})
		end = at[1]
	}
	return append(parts, htmlPart{text: written[end:]})
}

// RenderedEmail is an email as a person gets it.
type RenderedEmail struct {
	To, Subject, Preheader, Text, HTML string
}

//go:embed email.html
var emailSource string

var emailPage = htmltemplate.Must(htmltemplate.New("email").Parse(emailSource))

// render writes the email for a person; false when it gets longer than one may be. Nothing that is known of them is
// more than text: not a tag, not a link, not a line of its own.
func (m *Email) render(f *Facts, app, unsubscribe string) (e RenderedEmail, fits bool) {
	e.To = f.Person.Email
	e.Subject, e.Preheader = fillLine(m.subject, f), fillLine(m.preheader, f)
	var text, body strings.Builder
	for i := range m.body {
		text.WriteString(m.body[i].words(f))
		if text.Len() > maxEmail {
			return e, false
		}
	}
	for _, p := range m.html {
		switch {
		case p.field == nil:
			body.WriteString(p.text)
		case p.address:
			body.WriteString(url.QueryEscape(p.field.words(f)))
		default:
			body.WriteString(html.EscapeString(p.field.words(f)))
		}
		if body.Len() > maxEmail {
			return e, false
		}
	}
	fmt.Fprintf(&text, "\n\n--\n%s", plainLine(app))
	if unsubscribe != "" {
		text.WriteString("\nUnsubscribe: " + unsubscribe)
	}
	var page bytes.Buffer
	if err := emailPage.Execute(&page, map[string]any{
		"Subject": e.Subject, "Preheader": e.Preheader, "App": plainLine(app), "Unsubscribe": unsubscribe,
		"Body": htmltemplate.HTML(body.String()), //nolint:gosec // of Markdown without HTML, and values escaped above
	}); err != nil {
		return e, false
	}
	e.Text, e.HTML = text.String(), page.String()
	return e, true
}

// words is a piece of a text, or the value that stands there.
func (p *part) words(f *Facts) string {
	if p.operand == nil {
		return p.text
	}
	if value := plainLine(asText(f.look(*p.operand))); value != "" {
		return value
	}
	return p.fallback
}

func fillLine(parts []part, f *Facts) string {
	var text strings.Builder
	for i := range parts {
		text.WriteString(parts[i].words(f))
	}
	return plainLine(text.String())
}

// plainLine makes a value one line of text, without characters that are not seen or turn its direction.
func plainLine(value string) string {
	if len(value) > 4*maxFieldText { // as many bytes as the code units can have
		value = value[:4*maxFieldText]
		for !utf8.ValidString(value) && len(value) > 4*maxFieldText-utf8.UTFMax {
			value = value[:len(value)-1]
		}
	}
	value = strings.Map(func(c rune) rune {
		switch {
		case unicode.IsSpace(c):
			return ' '
		case c != '\u200d' && unicode.In(c, unicode.Cc, unicode.Cf, unicode.Co): // the joiner is of emoji
			return -1
		}
		return c
	}, strings.ToValidUTF8(value, ""))
	return strings.TrimSpace(codeunit.Clip(value, maxFieldText))
}
