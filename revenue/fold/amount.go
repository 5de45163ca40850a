package fold

import (
	"math/big"
	"strings"
)

// exponents are the decimals of currencies that do not have two.
var exponents = map[string]int{
	"BIF": 0, "CLP": 0, "DJF": 0, "GNF": 0, "JPY": 0, "KMF": 0, "KRW": 0, "MGA": 0, "PYG": 0, "RWF": 0, "VND": 0,
	"VUV": 0, "XAF": 0, "XOF": 0, "XPF": 0, "UGX": 0, "ISK": 0,
	"BHD": 3, "JOD": 3, "KWD": 3, "OMR": 3, "TND": 3, "IQD": 3, "LYD": 3,
}

// Exponent returns how many decimals a currency has (ISO 4217).
func Exponent(currency string) int {
	if e, special := exponents[currency]; special {
		return e
	}
	return 2
}

// StripeExponent returns how many decimals Stripe writes a currency with in its smallest units, by
// docs.stripe.com/currencies. Its special cases (#special-cases) say of króna and Ugandan shilling that they have
// become zero-decimal but are written with two decimals, always 00: 5 UGX are 500. That UGX stands among the
// zero-decimal currencies of the page as well does not change what amounts look like. Forint and Taiwan dollar have no
// decimals in payouts alone, and two in charges.
func StripeExponent(currency string) int {
	switch currency {
	case "ISK", "UGX":
		return 2
	}
	return Exponent(currency)
}

// scale returns a decimal number times 10^digits, rounded to the nearest integer, halves away from zero; false when it
// is no number or too large.
func scale(number string, digits int) (int64, bool) {
	const longest = 40
	if len(number) == 0 || len(number) > longest {
		return 0, false
	}
	// 1e999999999 would take all memory.
	if at := strings.IndexAny(number, "eE"); at >= 0 && len(number)-at > 4 {
		return 0, false
	}
	value, ok := new(big.Rat).SetString(number)
	if !ok {
		return 0, false
	}
	value.Mul(value, new(big.Rat).SetInt(pow10(digits)))
	return round(value)
}

func round(value *big.Rat) (int64, bool) {
	half := big.NewRat(1, 2)
	if value.Sign() < 0 {
		half.Neg(half)
	}
	value = new(big.Rat).Add(value, half)
	whole := new(big.Int).Quo(value.Num(), value.Denom())
	if !whole.IsInt64() {
		return 0, false
	}
	return whole.Int64(), true
}

func pow10(digits int) *big.Int {
	return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(digits)), nil)
}

// Convert returns an amount in units of 10^-exponent of a currency in millionths of a dollar, at rate dollars a unit.
func Convert(original int64, exponent int, rate *big.Rat) (micros int64, ok bool) {
	value := new(big.Rat).Mul(new(big.Rat).SetInt64(original), rate)
	value.Mul(value, new(big.Rat).SetInt64(1_000_000))
	value.Quo(value, new(big.Rat).SetInt(pow10(exponent)))
	return round(value)
}

// ppm returns a part in millionths, or nil when the whole is 0 or the part is none of it.
func ppm(part, whole int64) *int64 {
	if whole <= 0 || part < 0 || part > whole {
		return nil
	}
	millionths, ok := round(new(big.Rat).Mul(big.NewRat(part, whole), new(big.Rat).SetInt64(1_000_000)))
	if !ok {
		return nil
	}
	return &millionths
}

// portion returns part/whole of an amount, rounded to the nearest, halves away from zero; part is at most whole.
func portion(amount, part, whole int64) int64 {
	value, _ := round(new(big.Rat).Mul(big.NewRat(part, whole), new(big.Rat).SetInt64(amount)))
	return value
}
