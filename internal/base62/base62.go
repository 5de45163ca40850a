// Package base62 writes random bytes and checksums in the digits 0-9A-Za-z, so
// that keys are selected with a double click and need no escaping in a URL.
package base62

import (
	"crypto/rand"
	"math/big"
)

const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// Encode writes bytes, read as one big-endian number, in exactly width digits.
// A width of ⌈8n/log2 62⌉ holds n bytes: 43 for 32, 22 for 16, 6 for 4.
func Encode(data []byte, width int) string {
	number := new(big.Int).SetBytes(data)
	base, rest := big.NewInt(int64(len(digits))), new(big.Int)
	text := make([]byte, width)
	for i := width - 1; i >= 0; i-- {
		number.DivMod(number, base, rest)
		text[i] = digits[rest.Int64()]
	}
	return string(text)
}

// Random returns text of n random bytes from the system's source.
func Random(n int) string {
	data := make([]byte, n)
	rand.Read(data) // never fails
	// 8/log2(62) is below 1.3437.
	return Encode(data, (n*13437+9999)/10000)
}
