package account

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"strings"
	"unicode/utf8"

	"golang.org/x/crypto/argon2"

	"github.com/svc-dev/svc/internal/validate"
)

// The argon2id parameters: 19 MiB, two passes, one lane.
const (
	argonMemory  = 19456 // KiB
	argonTime    = 2
	argonThreads = 1
	argonKey     = 32 // bytes
	argonSalt    = 16 // bytes
)

// Password lengths in characters. The lower bound is NIST SP 800-63B's; the
// upper one only keeps hashing from being fed megabytes.
const (
	minPassword = 8
	maxPassword = 256
)

func checkPassword(field, password string) error {
	return validate.Characters(field, password, minPassword, maxPassword)
}

// hash writes the password in PHC form. The client is who waits for it.
func (h *hasher) hash(ctx context.Context, client, password string) (string, error) {
	salt := make([]byte, argonSalt)
	rand.Read(salt) // never fails
	var key []byte
	err := h.run(ctx, client, func() {
		key = argon2.IDKey([]byte(password), salt, argonTime, argonMemory, argonThreads, argonKey)
	})
	if err != nil {
		return "", fmt.Errorf("hash the password: %w", err)
	}
	encode := base64.RawStdEncoding.EncodeToString
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s",
		argon2.Version, argonMemory, argonTime, argonThreads, encode(salt), encode(key)), nil
}

// verify tells whether the password belongs to the PHC text. Text that is not of
// this form matches nothing but takes as long, so that an unknown e-mail can't be
// told by the time of the answer. After an error nothing was compared.
func (h *hasher) verify(ctx context.Context, client, password, phc string) (bool, error) {
	if utf8.RuneCountInString(password) > maxPassword {
		return false, nil
	}
	salt, want, memory, passes, lanes, ok := parsePHC(phc)
	if !ok {
		salt, memory, passes, lanes = make([]byte, argonSalt), argonMemory, argonTime, argonThreads
		want = make([]byte, argonKey)
	}
	var got []byte
	err := h.run(ctx, client, func() {
		got = argon2.IDKey([]byte(password), salt, passes, memory, lanes, uint32(len(want)))
	})
	if err != nil {
		return false, fmt.Errorf("verify the password: %w", err)
	}
	return ok && subtle.ConstantTimeCompare(got, want) == 1, nil
}

func parsePHC(phc string) (salt, key []byte, memory, passes uint32, lanes uint8, ok bool) {
	parts := strings.Split(phc, "$")
	if len(parts) != 6 || parts[1] != "argon2id" {
		return nil, nil, 0, 0, 0, false
	}
	var version int
	if _, err := fmt.Sscanf(parts[2], "v=%d", &version); err != nil || version != argon2.Version {
		return nil, nil, 0, 0, 0, false
	}
	if _, err := fmt.Sscanf(parts[3], "m=%d,t=%d,p=%d", &memory, &passes, &lanes); err != nil {
		return nil, nil, 0, 0, 0, false
	}
	salt, saltErr := base64.RawStdEncoding.DecodeString(parts[4])
	key, keyErr := base64.RawStdEncoding.DecodeString(parts[5])
	ok = saltErr == nil && keyErr == nil && len(key) >= 16 && passes > 0 && lanes > 0
	return salt, key, memory, passes, lanes, ok
}
