package mailtest

import (
	"encoding/base64"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net/mail"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Parsed is a message as its receiver's program reads it.
type Parsed struct {
	Header     mail.Header
	Subject    string
	Text, HTML string
	// Images are those inside of the message, by Content-ID.
	Images map[string][]byte
}

// Parse reads a message with a text, a part of HTML, and images of that.
func Parse(t testing.TB, data string) Parsed {
	t.Helper()
	m, err := mail.ReadMessage(strings.NewReader(data))
	require.NoError(t, err)
	p := Parsed{Header: m.Header}
	p.Subject, err = new(mime.WordDecoder).DecodeHeader(m.Header.Get("Subject"))
	require.NoError(t, err)
	p.Images = map[string][]byte{}
	p.parts(t, m.Header.Get("Content-Type"), m.Body)
	return p
}

// parts reads what a multipart body has, and what those parts have.
func (p *Parsed) parts(t testing.TB, contentType string, body io.Reader) {
	t.Helper()
	kind, parameters, err := mime.ParseMediaType(contentType)
	require.NoError(t, err)
	require.Contains(t, []string{"multipart/alternative", "multipart/related"}, kind)
	parts := multipart.NewReader(body, parameters["boundary"])
	for {
		part, err := parts.NextRawPart()
		if err == io.EOF { //nolint:errorlint // as the reader says
			return
		}
		require.NoError(t, err)
		switch kind, _, _ := mime.ParseMediaType(part.Header.Get("Content-Type")); kind {
		case "image/png":
			image, err := io.ReadAll(base64.NewDecoder(base64.StdEncoding, part))
			require.NoError(t, err)
			p.Images[strings.Trim(part.Header.Get("Content-ID"), "<>")] = image
		case "text/html":
			p.HTML = quoted(t, part)
		case "text/plain":
			p.Text = quoted(t, part)
		default:
			p.parts(t, part.Header.Get("Content-Type"), part)
		}
	}
}

func quoted(t testing.TB, part *multipart.Part) string {
	t.Helper()
	require.Equal(t, "quoted-printable", part.Header.Get("Content-Transfer-Encoding"))
	body, err := io.ReadAll(quotedprintable.NewReader(part))
	require.NoError(t, err)
	return string(body)
}
