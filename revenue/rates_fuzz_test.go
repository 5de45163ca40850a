package revenue_test

import (
	"math/big"
	"strings"
	"testing"

	"github.com/svc-dev/svc/revenue"
)

// FuzzReadRates reads any table: what it takes are decimal numbers above 0 of currencies.
func FuzzReadRates(f *testing.F) {
	for _, seed := range []string{
		"", "day,currency,usd\n", "day,currency,usd\n2026-01-31,EUR,1.0825\n2026-01-31,jpy,0.0067", "2026-01-31,EUR,0.000",
		"2026-01-31,EUR,0b11", "2026-01-31,EUR,1e999999999", "2026-02-30,EUR,1", "2026-01-31,EUR,-1", "\"2026-01-31\",EUR,1.",
		"2026-01-31,EUR,1/3", "2026-01-31,EUR,.5", "2026-01-31,EURO,5", "2026-01-31,EUR,1,2", "\"",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, table string) {
		rates, err := revenue.ReadRates(strings.NewReader(table))
		if err != nil {
			return
		}
		for _, r := range rates {
			usd, ok := new(big.Rat).SetString(r.USD)
			if !ok || usd.Sign() <= 0 || strings.Trim(r.USD, "0123456789.") != "" || len(r.Currency) != 3 {
				t.Fatalf("took %+v", r)
			}
		}
	})
}
