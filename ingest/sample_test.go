package ingest

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/postgres/pgtest"
)

// The latest five of a code are kept, the latest first, whichever server they came to; what should not be read is
// blank.
func TestSamplesOfRefusedEvents(t *testing.T) {
	db := pgtest.New(t)
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	now := func() time.Time { return at }
	first, second := newStats(db.Pool, now), newStats(db.Pool, now)
	refuse := func(s *stats, ids ...int) {
		answer := &Answer{}
		for _, id := range ids {
			answer.Rejected = append(answer.Rejected,
				Reject{Code: CodeNameInvalid, Message: "name is wrong"}.at(0, fmt.Sprint("e", id), "Sign up ada@example.com"))
		}
		s.addAnswer(7, PathProduct, answer)
		require.NoError(t, s.write(t.Context()))
		at = at.Add(time.Minute)
	}
	read := func() (samples []RejectSample) {
		var raw []byte
		require.NoError(t, db.Pool.QueryRow(t.Context(), `select samples from ingest_reject_sample
			where environment_id = 7 and path = 1 and code = 'name_invalid'`).Scan(&raw))
		require.NoError(t, json.Unmarshal(raw, &samples))
		return samples
	}
	refuse(first, 1, 2, 3, 4, 5, 6, 7)
	refuse(second, 8)
	refuse(first, 9)
	var ids []string
	for _, sample := range read() {
		ids = append(ids, sample.EventID)
		require.Equal(t, "Sign up …", sample.Name)
		require.Equal(t, "name is wrong", sample.Message)
	}
	require.Equal(t, []string{"e9", "e8", "e7", "e6", "e5"}, ids)
	require.Equal(t, at.Add(-time.Minute), read()[0].ReceivedAt)

	first.addEnvelope(7, PathProduct, &EnvelopeError{Code: CodeInvalidJSON, Message: "the body is not JSON"})
	require.NoError(t, first.write(t.Context()))
	require.Equal(t, 1, count(t, db, `select count(*) from ingest_reject_sample
		where code = 'invalid_json' and samples -> 0 ->> 'message' = 'the body is not JSON'`))
}

func TestWhatSamplesHide(t *testing.T) {
	for text, want := range map[string]string{
		"6f0d8a9e-3b7a-4d6e-9c1f-0a1b2c3d4e5f":     "6f0d8a9e-3b7a-4d6e-9c1f-0a1b2c3d4e5f",
		"Paid 4242 4242 4242 4242":                 "Paid …",
		"call +49 170 1234567 now":                 "call … now",
		"to ada+x@example.com, please":             "to … please",
		"key svc_wk_abcDEF123 and eyJhbGciOi.J9.x": "key … and …",
		"level_12": "level_12",
		"ääääääääääääääääääääääääääääääääääääääääääää-end": "ääääääääää",
	} {
		units := 200
		if want == "ääääääääää" {
			units = 10
		}
		require.Equal(t, want, blank(text, units))
	}
}
