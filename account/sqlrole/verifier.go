package sqlrole

import (
	"crypto/hmac"
	"crypto/pbkdf2"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
)

const scramRounds = 4096 // of RFC 7677, and PostgreSQL's default

// verifier returns what PostgreSQL stores of a password of ASCII (SCRAM-SHA-256, RFC 5802): statements that make a role
// are written to logs and shown to superusers, so they carry this in place of the password.
func verifier(password string) (string, error) {
	salt := make([]byte, 16)
	_, _ = rand.Read(salt) // never fails
	salted, err := pbkdf2.Key(sha256.New, password, salt, scramRounds, sha256.Size)
	if err != nil {
		return "", fmt.Errorf("derive the key of the password: %w", err)
	}
	stored := sha256.Sum256(sign(salted, "Client Key"))
	encode := base64.StdEncoding.EncodeToString
	return fmt.Sprintf("SCRAM-SHA-256$%d:%s$%s:%s",
		scramRounds, encode(salt), encode(stored[:]), encode(sign(salted, "Server Key"))), nil
}

func sign(key []byte, text string) []byte {
	h := hmac.New(sha256.New, key)
	h.Write([]byte(text))
	return h.Sum(nil)
}
