package fold_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/revenue/fold"
)

// The lists of docs.stripe.com/currencies: zero-decimal, three-decimal and the special cases.
func TestDecimalsOfStripe(t *testing.T) {
	t.Parallel()
	for exponent, currencies := range map[int][]string{
		0: {"BIF", "CLP", "DJF", "GNF", "JPY", "KMF", "KRW", "MGA", "PYG", "RWF", "VND", "VUV", "XAF", "XOF", "XPF"},
		2: {"USD", "EUR", "ISK", "UGX", "HUF", "TWD"},
		3: {"BHD", "JOD", "KWD", "OMR", "TND"},
	} {
		for _, currency := range currencies {
			require.Equal(t, exponent, fold.StripeExponent(currency), currency)
		}
	}
	// Providers that write amounts as decimals of the currency have none of króna and shilling.
	require.Equal(t, 0, fold.Exponent("UGX"))
	require.Equal(t, 0, fold.Exponent("ISK"))
}
