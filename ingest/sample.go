package ingest

import (
	"context"
	"encoding/json"
	"regexp"
	"slices"
	"time"

	"github.com/svc-dev/svc/internal/codeunit"
)

// Bounds on what is kept of refused events: some three kilobytes for each code of an environment's path.
const (
	samplesPerCode     = 5
	sampleTextUnits    = 80
	sampleMessageUnits = 300
)

// RejectSample is what one refused event was like, as far as it may be shown: never a property, nor who sent it.
type RejectSample struct {
	ReceivedAt time.Time `json:"at"`
	EventID    string    `json:"eventId,omitempty"` // as sent, cut and blanked out, as is the name
	Name       string    `json:"name,omitempty"`
	Message    string    `json:"message"`
}

// personal is what a text of a sender may hold that nobody but them should read: e-mail addresses, numbers of
// phones and cards, keys and tokens.
var personal = regexp.MustCompile(
	`[^\s@"']+@[^\s@"']+|\+?\d[\d ]{8,}\d|\b(?:svc_wk_|ob_pk_|sk_|pk_|rk_|whsec_|eyJ)[\w.-]+`,
)

func blank(text string, units int) string {
	return codeunit.Clip(personal.ReplaceAllString(text, "…"), units)
}

// sampleKey is one row of ingest_reject_sample.
type sampleKey struct {
	environment int64
	path        Path
	code        string
}

// refused is an event that was refused at a time. It is blanked out when it is written: requests do not wait for that.
type refused struct {
	at time.Time
	Reject
}

func (r refused) sample() RejectSample {
	return RejectSample{
		ReceivedAt: r.at.UTC(), EventID: blank(r.EventID, sampleTextUnits), Name: blank(r.name, sampleTextUnits),
		Message: blank(r.Message, sampleMessageUnits),
	}
}

// rejectSamples are the latest refused events of each key, in the order in which they came.
type rejectSamples map[sampleKey][]refused

func (s rejectSamples) add(key sampleKey, at time.Time, r Reject) {
	latest := append(s[key], refused{at, r})
	s[key] = latest[max(0, len(latest)-samplesPerCode):]
}

// writeSamples puts the latest samples before those that are stored. They are a help and no count: samples that
// cannot be written are let go.
func (s *stats) writeSamples(ctx context.Context, samples rejectSamples) error {
	n := len(samples)
	environments, paths, codes := make([]int64, 0, n), make([]int16, 0, n), make([]string, 0, n)
	texts, times := make([]string, 0, n), make([]time.Time, 0, n)
	for key, came := range samples {
		var latest []RejectSample
		for _, r := range slices.Backward(came) {
			latest = append(latest, r.sample())
		}
		text, err := json.Marshal(latest)
		if err != nil {
			return err
		}
		environments, paths = append(environments, key.environment), append(paths, int16(key.path))
		codes, texts, times = append(codes, key.code), append(texts, string(text)), append(times, latest[0].ReceivedAt)
	}
	// Servers write rows in one order, so that two of them can't wait for each other.
	_, err := s.pool.Exec(ctx, `
		insert into ingest_reject_sample as s (environment_id, path, code, samples, received_at)
		select e, p, c, t::jsonb, r
		from unnest($1::bigint[], $2::smallint[], $3::text[], $4::text[], $5::timestamptz[]) as u (e, p, c, t, r)
		order by e, p, c
		on conflict (environment_id, path, code) do update set
			samples = jsonb_path_query_array(excluded.samples || s.samples, '$[0 to 4]'),
			received_at = greatest(s.received_at, excluded.received_at)`,
		environments, paths, codes, texts, times)
	return err
}
