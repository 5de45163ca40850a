package mail_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/mail"
)

func boxed(subject string, bytes int) mail.Message {
	return mail.Message{
		ID: uuid.NewString(), To: "ana@example.com", Subject: subject, Text: "x", HTML: strings.Repeat("y", bytes),
	}
}

func TestABoxKeepsTheLatestMessagesWithinItsBounds(t *testing.T) {
	t.Parallel()
	box := &mail.Box{}
	require.Empty(t, box.Messages())
	for range 60 {
		require.NoError(t, box.Send(t.Context(), boxed("Small\nBcc: eve@example.com", 10)))
	}
	list := box.Messages()
	require.Len(t, list, 50)
	require.Equal(t, []int{60, 11}, []int{list[0].Number, list[49].Number})
	require.Equal(t, "Small Bcc: eve@example.com", list[0].Subject, "one line, as it is sent")

	const large = 250 << 10
	for range 60 {
		require.NoError(t, box.Send(t.Context(), boxed("Large", large)))
	}
	list = box.Messages()
	require.Equal(t, 120, list[0].Number)
	require.LessOrEqual(t, len(list)*large, 8<<20, "bytes are bounded, too")
	require.Greater(t, len(list), 25)

	var failure *mail.Failure
	require.ErrorAs(t, box.Send(t.Context(), boxed("Too large", 300<<10)), &failure)
	require.True(t, failure.Final)
	nobody := boxed("x", 1)
	nobody.To = "ana@example.com, eve@example.com"
	require.True(t, errors.As(box.Send(t.Context(), nobody), &failure))
	require.Equal(t, 120, box.Messages()[0].Number)
}
