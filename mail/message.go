package mail

import (
	"bytes"
	"errors"
	"fmt"
	netmail "net/mail"
	"net/url"
	"strings"
	"time"
	"unicode"

	gomail "github.com/wneessen/go-mail"

	"github.com/svc-dev/svc/internal/codeunit"
)

// Message is an email to one person.
type Message struct {
	// ID is the left part of the Message-ID: the same for each attempt to send the message, so that a receiver that got it
	// twice can tell.
	ID string
	// FromName is shown before the sender's address instead of its own name; empty for that. It is cleaned as Subject is.
	FromName string
	// To is an address without a name.
	To string
	// Subject is plain text; what is no character of a line becomes a space, and it is cut at 200 UTF-16 code units.
	Subject string
	// Text and HTML say the same. Both are needed; together they have 256 KiB at most.
	Text, HTML string
	// Images are shown by the HTML, which names them as cid: and their ID.
	Images []Image
	// Unsubscribe is where a POST ends such messages (RFC 8058), and a person can; empty where they can't be ended.
	Unsubscribe string
}

// Image is a picture inside of a message.
type Image struct {
	// ID is of the letters a to z.
	ID  string
	PNG []byte
}

const (
	maxSubject = 200 // UTF-16 code units
	maxBody    = 256 << 10
	maxImages  = 256 << 10 // of all images together
	maxAddress = 254       // RFC 5321 §4.5.3.1
)

var errBody = errors.New("a message needs a text and a part of HTML, of 256 KiB at most together")

// build makes the message as it is sent. What comes from people can end up in the subject, in the address and in the
// bodies alone, and no line ends there: nothing of theirs becomes a header.
func build(from *netmail.Address, m Message, at time.Time) (*gomail.Msg, error) {
	to, err := address(m.To)
	if err != nil {
		return nil, err
	}
	if m.Text == "" || m.HTML == "" || len(m.Text)+len(m.HTML) > maxBody {
		return nil, errBody
	}
	_, domain, _ := strings.Cut(from.Address, "@")
	if m.ID == "" || strings.ContainsFunc(m.ID, func(r rune) bool { return r > '~' || r <= ' ' || r == '<' || r == '>' }) {
		return nil, fmt.Errorf("a message can't have the id %q", m.ID)
	}
	built := gomail.NewMsg()
	if name := line(m.FromName); name != "" {
		from = &netmail.Address{Name: name, Address: from.Address}
	}
	built.FromMailAddress(from)
	built.ToMailAddress(to)
	built.Subject(line(m.Subject))
	built.SetMessageIDWithValue(m.ID + "@" + domain)
	built.SetDateWithValue(at)
	// Answering machines leave such messages alone (RFC 3834).
	built.SetGenHeader("Auto-Submitted", "auto-generated")
	if err := unsubscribe(built, m.Unsubscribe); err != nil {
		return nil, err
	}
	built.SetBodyString(gomail.TypeTextPlain, storable(m.Text))
	built.AddAlternativeString(gomail.TypeTextHTML, storable(m.HTML))
	return built, embed(built, m.Images)
}

var errImage = errors.New("images of a message have an id of letters, and 256 KiB at most together")

// embed adds the images that the HTML shows.
func embed(built *gomail.Msg, images []Image) error {
	size := 0
	for _, image := range images {
		size += len(image.PNG)
		if image.ID == "" || strings.Trim(image.ID, "abcdefghijklmnopqrstuvwxyz") != "" || size > maxImages {
			return errImage
		}
		if err := built.EmbedReader(image.ID+".png", bytes.NewReader(image.PNG),
			gomail.WithFileContentID("<"+image.ID+">"), gomail.WithFileContentType("image/png")); err != nil {
			return fmt.Errorf("embed an image: %w", err)
		}
	}
	return nil
}

// unsubscribe writes where the receiver's program ends such messages: with one click where the server has https.
func unsubscribe(m *gomail.Msg, link string) error {
	if link == "" {
		return nil
	}
	if u, err := url.Parse(link); err != nil || u.Host == "" || strings.ContainsAny(link, "<> \t\r\n,") {
		return fmt.Errorf("%q is no address to unsubscribe at", link)
	}
	if strings.HasPrefix(link, "https://") {
		return m.SetListUnsubscribeOneClick(link)
	}
	m.SetListUnsubscribe(link)
	return nil
}

// IsAddress tells whether a text is an address that a message can be sent to: one, without a name.
func IsAddress(text string) bool {
	_, err := address(text)
	return err == nil
}

// address returns an address that has no name, no comment and no second one beside it.
func address(text string) (*netmail.Address, error) {
	parsed, err := netmail.ParseAddress(text)
	if err != nil || parsed.Address != text || len(text) > maxAddress || strings.ContainsFunc(text, unicode.IsControl) {
		return nil, errors.New("the address of the receiver is not one")
	}
	return &netmail.Address{Address: text}, nil
}

// line makes a text of one line: without the ends of lines, and without characters that are not seen or turn its
// direction.
func line(text string) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case r != '\u200d' && unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co): // the joiner is of emoji
			return -1
		}
		return r
	}, codeunit.Clip(strings.ToValidUTF8(text, ""), 4*maxSubject))
	text = strings.TrimSpace(text)
	if short := codeunit.Clip(text, maxSubject); short != text {
		return short + "…"
	}
	return text
}

// storable is a text without what no email may have.
func storable(text string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(text, ""), "\x00", "")
}
