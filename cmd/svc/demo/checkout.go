package demo

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"html/template"
	"log/slog"
	"net/http"
	"net/url"
	"path"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/svc-dev/svc/internal/clientaddr"
	"github.com/svc-dev/svc/internal/httpserver"
	"github.com/svc-dev/svc/postgres"
	"github.com/svc-dev/svc/revenue/fold"
)

//go:embed checkout.html
var checkoutHTML string

var checkoutPage = template.Must(template.New("checkout").Parse(checkoutHTML))

// prices are what the demo's payment links cost, in micro-USD by the last part of
// the link, which is the product's id too.
var prices = map[string]int64{
	"tendril-year": 34_990_000, "tendril-month": 6_990_000, "tendril-family": 49_990_000,
	"tendril-year-half": 17_490_000,
}

// checkoutWords are the words of the page in a language.
type checkoutWords struct {
	Lang, Dir, Title, Pay, Cancel, Card, Expires, Note string
	Products                                           map[string]string
}

var checkoutLanguages = map[string]checkoutWords{
	"en": {
		Lang: "en", Dir: "ltr", Title: "Pay Tendril", Pay: "Pay", Cancel: "Back without paying", Card: "Card number",
		Expires: "Valid until", Note: "A stand-in for a payment page. No card is charged; the purchase arrives in your " +
			"local service at once, as if the free week were over.",
		Products: map[string]string{
			"tendril-year": "Tendril Plus, one year", "tendril-month": "Tendril Plus, one month",
			"tendril-family": "Tendril Plus for six, one year", "tendril-year-half": "Tendril Plus, one year at half price",
		},
	},
	"de": {
		Lang: "de", Dir: "ltr", Title: "Tendril bezahlen", Pay: "Bezahlen", Cancel: "Zurück, ohne zu bezahlen",
		Card: "Kartennummer", Expires: "Gültig bis", Note: "Nachgestellte Bezahlseite. Keine Karte wird belastet; der Kauf " +
			"kommt sofort in deinem lokalen Dienst an, als wäre die Gratiswoche schon vorbei.",
		Products: map[string]string{
			"tendril-year": "Tendril Plus, ein Jahr", "tendril-month": "Tendril Plus, ein Monat",
			"tendril-family": "Tendril Plus für sechs, ein Jahr", "tendril-year-half": "Tendril Plus, ein Jahr zum halben Preis",
		},
	},
	"ar": {
		Lang: "ar", Dir: "rtl", Title: "الدفع لتندريل", Pay: "ادفع", Cancel: "العودة دون دفع", Card: "رقم البطاقة",
		Expires: "صالحة حتى", Note: "صفحة دفع بديلة للتجربة. لن يُخصم أي مبلغ، وتصل عملية الشراء إلى خدمتك المحلية فورًا " +
			"كأن الأسبوع المجاني قد انتهى.",
		Products: map[string]string{
			"tendril-year": "تندريل بلس، سنة واحدة", "tendril-month": "تندريل بلس، شهر واحد",
			"tendril-family": "تندريل بلس لستة أشخاص، سنة واحدة", "tendril-year-half": "تندريل بلس، سنة بنصف السعر",
		},
	},
}

// Checkout stands in for the page of a payment processor, so that a purchase can
// be seen to arrive without one: it shows what a checkout attempt pays for, and
// delivers what Stripe does when the visitor pays. It believes
// everybody, so only a server that runs on the visitor's own machine may have it.
type Checkout struct {
	DB      *postgres.DB
	Billing *Billing
	Logger  *slog.Logger
}

// Register serves the page at a path. It reads client_reference_id, the id of a
// checkout attempt; return, the address on this machine to go back to; and
// locale. POST with the same parameters pays.
func (c *Checkout) Register(mux httpserver.Routes, path string) {
	mux.HandleFunc("GET "+path, c.show)
	mux.HandleFunc("POST "+path, c.pay)
}

// order is a checkout attempt that can be paid for here.
type order struct {
	environmentID int64
	test          bool
	attempt       uuid.UUID
	product       string
	back          *url.URL
}

var errNoOrder = errors.New("demo: nothing to pay for")

func (c *Checkout) order(ctx context.Context, query url.Values) (order, error) {
	var o order
	var err error
	if o.attempt, err = uuid.Parse(query.Get("client_reference_id")); err != nil {
		return o, errNoOrder
	}
	if o.back, err = url.Parse(query.Get("return")); err != nil || !isLocal(o.back) {
		return o, errNoOrder
	}
	var link string
	err = c.DB.Pool.QueryRow(ctx, `
		select e.id, e.kind = 'test', a.payment_link_url
		from checkout_attempt a join environments e on e.id = a.environment_id where a.id = $1`, o.attempt,
	).Scan(&o.environmentID, &o.test, &link)
	if errors.Is(err, pgx.ErrNoRows) {
		return o, errNoOrder
	}
	if err != nil {
		return o, fmt.Errorf("read the checkout attempt: %w", err)
	}
	o.product = path.Base(link)
	if prices[o.product] == 0 {
		return o, errNoOrder
	}
	return o, nil
}

// isLocal tells whether an address is a page of this machine.
func isLocal(address *url.URL) bool {
	return (address.Scheme == "http" || address.Scheme == "https") && clientaddr.IsLoopback(address.Hostname())
}

// returnTo returns where the visitor goes with what came of the payment.
func (o order) returnTo(status string) string {
	back := *o.back
	query := back.Query()
	query.Set("svc_stripe_status", status)
	query.Set("svc_stripe_resume", o.attempt.String())
	back.RawQuery = query.Encode()
	return back.String()
}

func (c *Checkout) show(w http.ResponseWriter, r *http.Request) {
	o, err := c.order(r.Context(), r.URL.Query())
	if c.refuse(w, err) {
		return
	}
	words, ok := checkoutLanguages[strings.ToLower(r.URL.Query().Get("locale"))]
	if !ok {
		words = checkoutLanguages["en"]
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Referrer-Policy", "no-referrer")
	if err := checkoutPage.Execute(w, map[string]any{
		"Words": words, "Product": words.Products[o.product], "Price": priceIn(words.Lang, prices[o.product]),
		"Action": r.URL.RequestURI(), "Cancel": template.URL(o.returnTo("cancel")), //nolint:gosec // http(s) of this machine
	}); err != nil {
		c.Logger.Warn("write the checkout page", "error", err)
	}
}

// priceIn writes an amount of micro-USD as people of a language do.
func priceIn(lang string, micros int64) string {
	amount := fmt.Sprintf("%d.%02d", micros/1_000_000, micros/10_000%100)
	switch lang {
	case "de":
		return strings.Replace(amount, ".", ",", 1) + " $"
	case "ar":
		return strings.Map(func(r rune) rune {
			if r == '.' {
				return '٫'
			}
			return r - '0' + '٠'
		}, amount) + " $"
	}
	return "$" + amount
}

func (c *Checkout) pay(w http.ResponseWriter, r *http.Request) {
	o, err := c.order(r.Context(), r.URL.Query())
	if err == nil {
		err = c.report(r.Context(), o)
	}
	if c.refuse(w, err) {
		return
	}
	http.Redirect(w, r, o.returnTo("success"), http.StatusSeeOther)
}

// report delivers what Stripe does after a payment, of which the attempt tells whose it is. Paying again makes the same
// deliveries, which change nothing.
func (c *Checkout) report(ctx context.Context, o order) error {
	now := time.Now()
	return c.Billing.Report(ctx, o.environmentID, Purchase{
		Provider: fold.Stripe, Store: "stripe", ID: o.attempt.String(), Attempt: o.attempt.String(), ProductID: o.product,
		At: now, Payments: endless, Test: o.test,
	}, now)
}

// refuse answers when there was an error, and tells whether it did.
func (c *Checkout) refuse(w http.ResponseWriter, err error) bool {
	if err == nil {
		return false
	}
	if errors.Is(err, errNoOrder) {
		http.Error(w, "there is nothing to pay for under this address", http.StatusNotFound)
		return true
	}
	c.Logger.Error("demo checkout", "error", err)
	http.Error(w, "the payment could not be made", http.StatusInternalServerError)
	return true
}
