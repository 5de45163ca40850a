package account

import (
	"crypto/sha256"
	"encoding/binary"
	"hash/crc32"
	"strings"

	"github.com/svc-dev/svc/internal/base62"
)

// KeyPrefix starts every workspace API key.
const KeyPrefix = "svc_wk_"

// setupPrefix starts every one-time set-up token.
const setupPrefix = "svc_setup_"

const (
	secretDigits   = 43 // 32 bytes in base62
	checksumDigits = 6  // CRC-32 in base62
)

// newSecret makes prefix + 32 random bytes + CRC-32 of what stands before it.
// The checksum lets a typing error, or a scanner of leaked keys, be told
// without asking the database.
func newSecret(prefix string) string {
	body := prefix + base62.Random(32)
	return body + checksum(body)
}

func checksum(text string) string {
	return base62.Encode(binary.BigEndian.AppendUint32(nil, crc32.ChecksumIEEE([]byte(text))), checksumDigits)
}

// isSecretOf tells whether the text can be a secret with this prefix.
func isSecretOf(prefix, secret string) bool {
	if !strings.HasPrefix(secret, prefix) || len(secret) != len(prefix)+secretDigits+checksumDigits {
		return false
	}
	body := secret[:len(prefix)+secretDigits]
	return checksum(body) == secret[len(body):]
}

// hashSecret returns what is stored of a secret. The secret has 256 random bits, so a
// plain hash is enough.
func hashSecret(secret string) []byte {
	sum := sha256.Sum256([]byte(secret))
	return sum[:]
}
