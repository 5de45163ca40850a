package receive

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/svc-dev/svc/revenue/fold"
)

// tolerance is how far the time in a signature may be from ours.
const tolerance = 300 * time.Second

// maxSignatures is how many signatures of one delivery are compared.
const maxSignatures = 16

// claim is what the headers of a delivery say, before its body is read: enough to refuse most of what is forged.
type claim struct {
	proved     bool     // by the headers alone, whatever the body is
	id         string   // of the delivery, where the scheme has one
	prefix     string   // what is signed before the body
	signatures [][]byte // the body's, one of which must be right
}

// read reads the headers of a delivery. A claim that is not ok can't be a right one.
func read(provider fold.Provider, secrets [][]byte, header http.Header, now time.Time) (c claim, ok bool) {
	switch provider {
	case fold.RevenueCat:
		c.proved = isAuthorized(secrets, header.Get("Authorization"))
		return c, c.proved
	case fold.Stripe:
		var at string
		for part := range strings.SplitSeq(header.Get("Stripe-Signature"), ",") {
			switch name, value, _ := strings.Cut(part, "="); name {
			case "t":
				at = value
			case "v1":
				c.claimSignature(hex.DecodeString(value))
			}
		}
		c.prefix = at + "."
		return c, isFresh(at, now) && len(c.signatures) > 0 && len(c.signatures) <= maxSignatures
	case fold.Superwall:
		at := header.Get("Svix-Timestamp")
		c.id = header.Get("Svix-Id")
		for part := range strings.SplitSeq(header.Get("Svix-Signature"), " ") {
			if value, is := strings.CutPrefix(part, "v1,"); is {
				c.claimSignature(base64.StdEncoding.DecodeString(value))
			}
		}
		c.prefix = c.id + "." + at + "."
		return c, isFresh(at, now) && c.id != "" && len(c.signatures) > 0 && len(c.signatures) <= maxSignatures
	}
	return c, false
}

// claimSignature adds a signature that was decoded, unless it can't be a right one. One too many is kept to tell.
func (c *claim) claimSignature(sum []byte, err error) {
	if err == nil && len(sum) == sha256.Size && len(c.signatures) <= maxSignatures {
		c.signatures = append(c.signatures, sum)
	}
}

// isAuthorized compares a static header with every secret, each in constant time.
func isAuthorized(secrets [][]byte, value string) bool {
	given, found := sha256.Sum256([]byte(value)), 0
	for _, secret := range secrets {
		want := sha256.Sum256(secret)
		found |= subtle.ConstantTimeCompare(given[:], want[:])
	}
	return found == 1
}

// isFresh tells whether a time in seconds is near now.
func isFresh(text string, now time.Time) bool {
	seconds, err := strconv.ParseInt(text, 10, 64)
	if err != nil || seconds <= 0 || seconds > 1<<40 {
		return false
	}
	age := now.Sub(time.Unix(seconds, 0))
	return age <= tolerance && age >= -tolerance
}

// isSigned tells whether a body has one of the signatures of a claim, by one of the secrets.
func (c *claim) isSigned(provider fold.Provider, secrets [][]byte, body []byte) bool {
	found := 0
	for _, secret := range secrets {
		mac := hmac.New(sha256.New, signingKey(provider, secret))
		mac.Write([]byte(c.prefix))
		mac.Write(body)
		sum := mac.Sum(nil)
		for _, signature := range c.signatures {
			found |= subtle.ConstantTimeCompare(sum, signature)
		}
	}
	return found == 1
}

// signingKey returns the key that a secret stands for: Stripe takes the text as it is, Superwall (svix) the bytes that
// the text after whsec_ encodes.
func signingKey(provider fold.Provider, secret []byte) []byte {
	if provider != fold.Superwall {
		return secret
	}
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(string(secret), "whsec_"))
	if err != nil {
		return secret
	}
	return key
}

// Sign adds to a request what a provider proves a body with. Tests and the demo stand in for providers with it.
func Sign(provider fold.Provider, secret string, header http.Header, id string, body []byte, at time.Time) {
	seconds := strconv.FormatInt(at.Unix(), 10)
	sum := func(prefix string) []byte {
		mac := hmac.New(sha256.New, signingKey(provider, []byte(secret)))
		mac.Write([]byte(prefix))
		mac.Write(body)
		return mac.Sum(nil)
	}
	switch provider {
	case fold.RevenueCat:
		header.Set("Authorization", secret)
	case fold.Stripe:
		header.Set("Stripe-Signature", "t="+seconds+",v1="+hex.EncodeToString(sum(seconds+".")))
	case fold.Superwall:
		header.Set("Svix-Id", id)
		header.Set("Svix-Timestamp", seconds)
		header.Set("Svix-Signature", "v1,"+base64.StdEncoding.EncodeToString(sum(id+"."+seconds+".")))
	}
}
