package bymail

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Paths of the pages that emails lead to.
const (
	UnsubscribePath = "/mail/unsubscribe"
	ConfirmPath     = "/mail/confirm"
)

// Links signs what emails lead to, so that only who got one can follow it, without signing in.
type Links struct {
	baseURL string
	key     []byte
}

// NewLinks reads the key that the servers of a database sign links with, and makes it when there is none.
func NewLinks(ctx context.Context, pool *pgxpool.Pool, baseURL string) (*Links, error) {
	var key []byte
	fresh := uuid.New()
	more := uuid.New()
	// Of two servers that start at once the second takes what the first has stored.
	if _, err := pool.Exec(ctx, `
		insert into signing_keys (purpose, secret) values ('mail', $1) on conflict do nothing`,
		append(fresh[:], more[:]...)); err != nil {
		return nil, fmt.Errorf("make the key of links in emails: %w", err)
	}
	if err := pool.QueryRow(ctx, `select secret from signing_keys where purpose = 'mail'`).Scan(&key); err != nil {
		return nil, fmt.Errorf("read the key of links in emails: %w", err)
	}
	return &Links{baseURL, key}, nil
}

const (
	signature = 16             // bytes of a token's end
	lifetime  = 24 * time.Hour // of links that confirm
)

// sign returns a token of what it says, for one purpose. What is hidden is signed as well without being in it.
func (l *Links) sign(purpose, hidden string, says []byte) string {
	return base64.RawURLEncoding.EncodeToString(append(says, l.mac(purpose, hidden, says)...))
}

func (l *Links) mac(purpose, hidden string, says []byte) []byte {
	mac := hmac.New(sha256.New, l.key)
	for _, part := range [][]byte{[]byte(purpose), []byte(hidden), says} {
		_ = binary.Write(mac, binary.BigEndian, uint32(len(part))) //nolint:gosec // hashes never fail, and texts are short
		mac.Write(part)
	}
	return mac.Sum(nil)[:signature]
}

// says returns what a token says, which has so many bytes, and whether it is signed for the purpose. What is hidden is
// asked of what it says.
func (l *Links) says(token, purpose string, size int, hidden func(says []byte) (string, bool)) ([]byte, bool) {
	if len(token) > 128 {
		return nil, false
	}
	raw, err := base64.RawURLEncoding.DecodeString(token)
	if err != nil || len(raw) != size+signature {
		return nil, false
	}
	with, ok := hidden(raw[:size])
	return raw[:size], ok && hmac.Equal(raw[size:], l.mac(purpose, with, raw[:size]))
}

func nothing([]byte) (string, bool) { return "", true }

// unsubscribe leads to the end of the emails of a workspace to a member.
func (l *Links) unsubscribe(workspace, user uuid.UUID) string {
	return l.baseURL + UnsubscribePath + "?token=" + l.sign("unsubscribe", "", append(workspace[:], user[:]...))
}

// confirm leads to the confirmation of an address. The token does not have the address, and is for no other.
func (l *Links) confirm(user uuid.UUID, address string, at time.Time) string {
	says := binary.BigEndian.AppendUint64(append([]byte{}, user[:]...), uint64(at.Add(lifetime).Unix()))
	return l.baseURL + ConfirmPath + "?token=" + l.sign("confirm", address, says)
}

// PersonKey stands for an address of a person in an environment: the same for each way to write it, and of no use
// without the key of links.
func (l *Links) PersonKey(environment int64, address string) []byte {
	says := binary.BigEndian.AppendUint64(nil, uint64(environment)) //nolint:gosec // as bytes
	return l.mac("person", strings.ToLower(strings.TrimSpace(address)), says)
}

// personSays is the length of what a token of a person says: environment, message, and the key of the address.
const personSays = 8 + 16 + signature

// UnsubscribePerson leads to the end of the emails of an environment to an address, from a message.
func (l *Links) UnsubscribePerson(environment int64, message uuid.UUID, address string) string {
	says := binary.BigEndian.AppendUint64(nil, uint64(environment)) //nolint:gosec // as bytes
	says = append(append(says, message[:]...), l.PersonKey(environment, address)...)
	return l.baseURL + UnsubscribePath + "?token=" + l.sign("unsubscribe person", "", says)
}
