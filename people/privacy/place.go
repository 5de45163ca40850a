package privacy

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"time"

	"github.com/google/uuid"

	"github.com/svc-dev/svc/internal/fault"
)

// place is where in the archive of a person a page ends.
type place struct {
	Begun time.Time `json:"b"` // when the first page was asked for

	// Devices and Custom are whom the archive is about, so that no page looks for them again. Devices are left out when
	// they are many.
	Devices []string `json:"d,omitempty"`
	Custom  string   `json:"c,omitempty"`

	Section int           `json:"s"`
	Device  int           `json:"i,omitempty"` // of Devices, where a section goes by them
	Key     string        `json:"k,omitempty"` // of a row
	At      time.Time     `json:"t,omitzero"`  // of an event
	Event   uuid.UUID     `json:"e,omitzero"`
	Span    time.Duration `json:"w,omitempty"` // in which to look for events
}

func (p place) nextSection() place {
	return place{Begun: p.Begun, Devices: p.Devices, Custom: p.Custom, Section: p.Section + 1}
}

// endBefore makes it the place before all events of a time.
func (p *place) endBefore(at time.Time) {
	p.At, p.Event = at.Add(-time.Microsecond), uuid.Max // microseconds are what the database tells apart
}

const (
	// archiveTime is how long pages can be asked for: the audit log has one entry for them all.
	archiveTime = 24 * time.Hour
	// maxPlaceDevices bounds the bytes of devices in a place.
	maxPlaceDevices = 16 << 10
)

// placeText writes a place down for a caller who asks for the next page, signed, so that only they can who were given
// the page before.
func (p *Privacy) placeText(ctx context.Context, caller uuid.UUID, r Request, end place) (string, error) {
	bytes := 0
	for _, device := range end.Devices {
		bytes += len(device)
	}
	if bytes > maxPlaceDevices {
		end.Devices = nil
	}
	text, err := json.Marshal(end)
	if err != nil {
		return "", err
	}
	signature, err := p.sign(ctx, caller, r, text)
	return base64.RawURLEncoding.EncodeToString(append(signature, text...)), err
}

// parsePlace reads what placeText wrote for the same caller and request, lately.
func (p *Privacy) parsePlace(ctx context.Context, caller uuid.UUID, r Request, after string) (place, error) {
	if after == "" {
		return place{Begun: time.Now()}, nil
	}
	signed, err := base64.RawURLEncoding.DecodeString(after)
	if err != nil || len(signed) < sha256.Size {
		return place{}, fault.Invalid("after", "is not the end of a page")
	}
	text := signed[sha256.Size:]
	signature, err := p.sign(ctx, caller, r, text)
	if err != nil {
		return place{}, err
	}
	var end place
	if !hmac.Equal(signature, signed[:sha256.Size]) || json.Unmarshal(text, &end) != nil {
		return place{}, fault.Invalid("after", "is not the end of a page of this person's archive that this caller was given")
	}
	if time.Since(end.Begun) > archiveTime {
		return place{}, fault.Invalid("after", "is of an archive that was begun more than a day ago: begin anew")
	}
	return end, nil
}

// sign returns the signature of a place in the archive that a caller requests.
func (p *Privacy) sign(ctx context.Context, caller uuid.UUID, r Request, text []byte) ([]byte, error) {
	secret, err := p.signingKey(ctx)
	if err != nil {
		return nil, wrap("read the key of archives", err)
	}
	whose, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	sum := hmac.New(sha256.New, secret)
	sum.Write(caller[:])
	sum.Write(whose) // JSON ends itself
	sum.Write(text)
	return sum.Sum(nil), nil
}

// signingKey returns the key that all servers of the database share, and makes it when there is none. It never changes.
func (p *Privacy) signingKey(ctx context.Context) ([]byte, error) {
	if known := p.secret.Load(); known != nil {
		return *known, nil
	}
	secret := make([]byte, sha256.Size)
	if _, err := rand.Read(secret); err != nil {
		return nil, err
	}
	// Of two servers that need it at once the second takes what the first has stored.
	if _, err := p.db.Pool.Exec(
		ctx, `insert into signing_keys (purpose, secret) values ('archives', $1) on conflict do nothing`, secret,
	); err != nil {
		return nil, err
	}
	if err := p.db.Pool.QueryRow(
		ctx, `select secret from signing_keys where purpose = 'archives'`,
	).Scan(&secret); err != nil {
		return nil, err
	}
	p.secret.Store(&secret)
	return secret, nil
}
