package mailtest

import (
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
}

// Parse reads a message with a text and a part of HTML.
func Parse(t testing.TB, data string) Parsed {
	t.Helper()
	m, err := mail.ReadMessage(strings.NewReader(data))
	require.NoError(t, err)
	p := Parsed{Header: m.Header}
	p.Subject, err = new(mime.WordDecoder).DecodeHeader(m.Header.Get("Subject"))
	require.NoError(t, err)
	kind, parameters, err := mime.ParseMediaType(m.Header.Get("Content-Type"))
	require.NoError(t, err)
	require.Equal(t, "multipart/alternative", kind)
	parts := multipart.NewReader(m.Body, parameters["boundary"])
	for {
		part, err := parts.NextRawPart()
		if err == io.EOF { //nolint:errorlint // as the reader says
			return p
		}
		require.NoError(t, err)
		require.Equal(t, "quoted-printable", part.Header.Get("Content-Transfer-Encoding"))
		body, err := io.ReadAll(quotedprintable.NewReader(part))
		require.NoError(t, err)
		if kind, _, _ := mime.ParseMediaType(part.Header.Get("Content-Type")); kind == "text/html" {
			p.HTML = string(body)
		} else {
			p.Text = string(body)
		}
	}
}
