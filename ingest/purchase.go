package ingest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/svc-dev/svc/internal/codeunit"
)

// checkPurchase holds the properties of an iap_purchase against wire.md §5.3
// and normalizes them in place: the currency is written in upper case, and
// what only the server may say about the price is taken out and said anew. A
// price in dollars is its own price in USD; no exchange rates are known here,
// so every other currency is marked fx_unavailable.
func checkPurchase(p map[string]json.RawMessage) *Reject {
	delete(p, "price_usd")
	delete(p, "fx_unavailable")
	for _, check := range []struct {
		field    string
		limit    int
		required bool
		allowed  []string
	}{
		{"provider", 16, true, []string{"revenuecat", "superwall", "stripe"}},
		{"surface_node_id", 128, true, nil},
		{"product_id", 256, true, nil},
		{"offering_id", 128, false, nil},
		{"package_id", 128, false, nil},
		{"period_type", 16, false, []string{"normal", "intro", "trial"}},
	} {
		if reject := purchaseText(p, check.field, check.limit, check.required, check.allowed); reject != nil {
			return reject
		}
	}
	return purchasePrice(p)
}

func purchaseText(p map[string]json.RawMessage, field string, limit int, required bool, allowed []string) *Reject {
	if missing(p, field) {
		if required {
			return purchaseReject("properties.%s is required", field)
		}
		return nil
	}
	var text string
	if err := json.Unmarshal(p[field], &text); err != nil {
		return purchaseReject("properties.%s is not a string", field)
	}
	if allowed != nil && !slices.Contains(allowed, text) {
		return purchaseReject("properties.%s must be one of %s", field, strings.Join(allowed, ", "))
	}
	if text == "" || codeunit.Count(text) > limit {
		return purchaseReject("properties.%s must have 1 to %d UTF-16 code units", field, limit)
	}
	return nil
}

func purchasePrice(p map[string]json.RawMessage) *Reject {
	if missing(p, "price") != missing(p, "currency") {
		return purchaseReject("properties.price and properties.currency go together")
	}
	if missing(p, "price") {
		return nil
	}
	var price float64
	if err := json.Unmarshal(p["price"], &price); err != nil || price < 0 {
		return purchaseReject("properties.price is not a number from 0")
	}
	var currency string
	if err := json.Unmarshal(p["currency"], &currency); err != nil || !threeLetters(currency) {
		return purchaseReject("properties.currency is not three letters")
	}
	currency = strings.ToUpper(currency)
	p["currency"] = json.RawMessage(strconv.Quote(currency))
	p["price_usd"], p["fx_unavailable"] = json.RawMessage("null"), json.RawMessage("true")
	if currency == "USD" {
		p["price_usd"], p["fx_unavailable"] = p["price"], json.RawMessage("false")
	}
	return nil
}

func threeLetters(s string) bool {
	for _, c := range []byte(s) {
		if c|0x20 < 'a' || c|0x20 > 'z' {
			return false
		}
	}
	return len(s) == 3
}

func missing(p map[string]json.RawMessage, field string) bool {
	v, ok := p[field]
	return !ok || string(v) == "null"
}

func purchaseReject(format string, args ...any) *Reject {
	return &Reject{Code: CodePurchaseInvalid, Message: fmt.Sprintf(format, args...)}
}
