package e2e

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/resolvers/scalar"
	"github.com/svc-dev/svc/revenue/figures"
	"github.com/svc-dev/svc/revenue/fold"
	"github.com/svc-dev/svc/revenue/moneyoracle"
)

// moneyWorld is a server whose sources of money told a made-up world.
type moneyWorld struct {
	*moneyoracle.World
	t         *testing.T
	d         *Dev
	studio    *Studio
	documents string
	sources   map[fold.Provider]moneySource
}

type moneySource struct{ path, secret string }

// TestRevenueOfProviders delivers made-up worlds, signed, to a server and compares every figure of GraphQL and of the
// command line with those of the naive oracle.
func TestRevenueOfProviders(t *testing.T) {
	d := StartDev(t, []string{"SVC_RATE_LIMIT_ADDRESS=0"}, "--demo=none")
	documents, err := os.ReadFile(filepath.Join("..", "..", "..", "cmd", "svc", "documents", "revenue.graphql"))
	if err != nil {
		t.Fatal(err)
	}
	// Whatever happens in the world, nothing does for the hour after its end.
	now := time.Now().UTC().Truncate(time.Second)
	w := &moneyWorld{
		World: moneyoracle.New(31, now), t: t, d: d, studio: d.SignIn(t, d.BaseURL), documents: string(documents),
		sources: map[fold.Provider]moneySource{},
	}
	pool, err := pgxpool.New(t.Context(), d.DatabaseURL)
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	var environment int64
	if err := pool.QueryRow(t.Context(), `select id from environments where app_id = $1 and kind = 'live'`,
		d.Apps[0].ID).Scan(&environment); err != nil {
		t.Fatal(err)
	}
	if err := w.Store(context.Background(), pool, environment); err != nil {
		t.Fatal(err)
	}
	for provider, stores := range moneyoracle.Stores {
		w.connect(provider, stores)
	}
	for _, delivery := range w.Deliveries {
		w.deliver(delivery)
	}
	for range 5 {
		w.compare(w.Scope())
	}
	w.compareWithSQL(now)
	w.move(filepath.Join(t.TempDir(), "revenue.ndjson.gz"))
	for range 2 {
		w.compare(w.Scope())
	}
}

// move takes the money to another server, with a file that has no secret of a connection.
func (w *moneyWorld) move(file string) {
	t, to := w.t, StartDev(w.t, []string{"SVC_RATE_LIMIT_ADDRESS=0"}, "--demo=none")
	carry := func(d *Dev, args ...string) {
		t.Helper()
		if exit, stdout, stderr := Run(
			t, []string{"SVC_DATABASE_URL=" + d.DatabaseURL}, append(args, "--app", d.Apps[0].ID)...,
		); exit != 0 {
			t.Fatalf("svc %v: exit %d: %s%s", args, exit, stdout, stderr)
		}
	}
	carry(w.d, "export", "revenue", "--out", file)
	packed, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer packed.Close()
	reader, err := gzip.NewReader(packed)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(reader)
	if err != nil {
		t.Fatal(err)
	}
	for provider, source := range w.sources {
		if bytes.Contains(text, []byte(source.secret)) || bytes.Contains(text, []byte(source.secret[len(source.secret)-4:]+`"`)) {
			t.Errorf("the secret of %s leaves", provider)
		}
	}
	carry(to, "import", "revenue", file)
	pool, err := pgxpool.New(t.Context(), to.DatabaseURL)
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	var environment int64
	if err := pool.QueryRow(t.Context(), `select id from environments where app_id = $1 and kind = 'live'`,
		to.Apps[0].ID).Scan(&environment); err != nil {
		t.Fatal(err)
	}
	if err := w.StoreVisits(t.Context(), pool, environment); err != nil {
		t.Fatal(err)
	}
	w.d, w.studio = to, to.SignIn(t, to.BaseURL)
}

// connect makes a source.
func (w *moneyWorld) connect(provider fold.Provider, stores []string) {
	w.t.Helper()
	var made struct {
		CreateRevenueSource struct {
			Secret string
			Source struct{ ID, Path string }
		}
	}
	w.studio.Query(`mutation($i: CreateRevenueSourceInput!) { createRevenueSource(input: $i) { secret source { id path } } }`,
		map[string]any{"i": map[string]any{
			"appId": w.d.Apps[0].ID, "provider": strings.ToUpper(string(provider)), "name": string(provider), "stores": stores,
		}}, &made)
	source := moneySource{made.CreateRevenueSource.Source.Path, made.CreateRevenueSource.Secret}
	if provider != fold.RevenueCat {
		source.secret = "whsec_" + base64.StdEncoding.EncodeToString([]byte("a secret of "+provider+" for a test"))
		w.studio.Query(`mutation($i: AddRevenueSecretInput!) { addRevenueSecret(input: $i) { secret } }`,
			map[string]any{"i": map[string]any{"id": made.CreateRevenueSource.Source.ID, "secret": source.secret}}, nil)
	}
	w.sources[provider] = source
}

// deliver posts what a provider tells, as the provider proves it.
func (w *moneyWorld) deliver(delivery moneyoracle.Delivery) {
	w.t.Helper()
	source, seconds := w.sources[delivery.Provider], strconv.FormatInt(time.Now().Unix(), 10)
	sign := func(key []byte, prefix string) []byte {
		mac := hmac.New(sha256.New, key)
		mac.Write([]byte(prefix))
		mac.Write(delivery.Body)
		return mac.Sum(nil)
	}
	request, err := http.NewRequest(http.MethodPost, w.d.BaseURL+source.path, bytes.NewReader(delivery.Body))
	if err != nil {
		w.t.Fatal(err)
	}
	switch delivery.Provider {
	case fold.RevenueCat:
		request.Header.Set("Authorization", source.secret)
	case fold.Stripe:
		request.Header.Set("Stripe-Signature",
			"t="+seconds+",v1="+hex.EncodeToString(sign([]byte(source.secret), seconds+".")))
	case fold.Superwall:
		key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(source.secret, "whsec_"))
		if err != nil {
			w.t.Fatal(err)
		}
		request.Header.Set("svix-id", "m")
		request.Header.Set("svix-timestamp", seconds)
		request.Header.Set("svix-signature", "v1,"+base64.StdEncoding.EncodeToString(sign(key, "m."+seconds+".")))
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		w.t.Fatal(err)
	}
	defer answer.Body.Close()
	if body, err := io.ReadAll(answer.Body); err != nil || answer.StatusCode != http.StatusOK {
		w.t.Fatalf("%s: %d %s %v", delivery.Body, answer.StatusCode, body, err)
	}
}

// compare compares every figure of a scope.
func (w *moneyWorld) compare(scope figures.Scope) {
	w.t.Helper()
	chosen := moneyoracle.Chosen(scope)
	point := w.Point(scope.Start, scope.End, chosen)
	w.check(scope, "overview", "revenueOverview", nil, nil, []string{"revenue"}, object{
		"range": object{
			"start": scope.Start.Format(time.RFC3339), "end": scope.End.Format(time.RFC3339),
			"timeZone": scope.Location.String(),
		},
		"totals":        totalsJSON(w.Totals(scope, chosen)),
		"subscriptions": with(pointJSON(point), "trials", trialsJSON(w.Trials(scope, chosen))),
	})
	for _, grain := range []analytics.Grain{analytics.Week, analytics.Month} {
		bounds, err := analytics.Buckets(grain, scope.Start, scope.End, scope.Location)
		if err != nil {
			w.t.Fatal(err)
		}
		money, subscriptions := []any{}, []any{}
		for i, bucket := range bounds[:len(bounds)-1] {
			part := scope
			if bucket.After(part.Start) {
				part.Start = bucket
			}
			if bounds[i+1].Before(part.End) {
				part.End = bounds[i+1]
			}
			at := bucket.UTC().Format(time.RFC3339)
			money = append(money, object{"bucket": at, "totals": totalsJSON(w.Totals(part, chosen))})
			subscriptions = append(subscriptions,
				with(pointJSON(w.Point(part.Start, part.End, chosen)), "bucket", at))
		}
		arguments, flags := object{"grain": strings.ToUpper(string(grain))}, []string{"--grain", string(grain)}
		w.check(scope, "series", "revenueSeries", arguments, flags, []string{"revenue", "series"}, money)
		w.check(scope, "subscriptions", "revenueSubscriptionSeries", arguments, flags,
			[]string{"revenue", "subscriptionSeries"}, subscriptions)
	}
	for by, valueOf := range moneyoracle.Values {
		w.checkBreakdown(scope, by, valueOf)
	}
	values := []any{}
	for _, v := range w.Lifetime(scope, 20, chosen) {
		values = append(values, object{
			"day": v.Day, "customers": v.Customers, "paying": v.Paying, "net": usd(v.Net),
			"perCustomer": share(v.PerCustomer()), "perPayingCustomer": share(v.PerPayingCustomer()),
		})
	}
	w.check(scope, "lifetime-value", "revenueLifetimeValue", object{"days": 20}, []string{"--days", "20"},
		[]string{"revenue", "lifetimeValue"}, values)
	lengths := []any{}
	for _, l := range w.Retention(scope, chosen) {
		periods := []any{}
		for _, p := range l.Periods {
			periods = append(periods, object{"period": p.Period, "due": p.Due, "paid": p.Paid, "rate": p.Rate()})
		}
		lengths = append(lengths, object{"periodLength": l.PeriodLength, "periods": periods})
	}
	w.check(scope, "retention", "revenueRetention", nil, nil, []string{"revenue", "subscriptionRetention"}, lengths)
}

func (w *moneyWorld) checkBreakdown(
	scope figures.Scope, by figures.Dimension, valueOf func(*moneyoracle.Sub, *moneyoracle.Span) string,
) {
	w.t.Helper()
	chosen := moneyoracle.Chosen(scope)
	var rows []figures.Row
	seen := map[string]bool{}
	for _, s := range w.Subs {
		for _, p := range s.Spans {
			value := valueOf(s, p)
			if seen[value] {
				continue
			}
			seen[value] = true
			mine := func(s *moneyoracle.Sub, p *moneyoracle.Span) bool { return chosen(s, p) && valueOf(s, p) == value }
			row := figures.Row{
				Value: value, Totals: w.Totals(scope, mine), Subscriptions: w.State(scope.End, mine), Trials: w.Trials(scope, mine),
			}
			if row != (figures.Row{Value: value}) {
				rows = append(rows, row)
			}
		}
	}
	slices.SortFunc(rows, func(a, b figures.Row) int {
		if a.Totals.Gross != b.Totals.Gross {
			return int(math.Copysign(1, float64(b.Totals.Gross-a.Totals.Gross)))
		}
		return strings.Compare(a.Value, b.Value)
	})
	nodes := []any{}
	for _, row := range rows {
		nodes = append(nodes, object{
			"value": row.Value, "totals": totalsJSON(row.Totals), "subscriptions": stateJSON(row.Subscriptions),
			"trials": trialsJSON(row.Trials),
		})
	}
	name := map[figures.Dimension]string{
		figures.PeriodLength: "PERIOD_LENGTH", figures.FlowVersion: "FLOW_VERSION", figures.ExperimentArm: "EXPERIMENT_ARM",
		figures.AcquisitionChannel: "ACQUISITION_CHANNEL",
	}[by]
	if name == "" {
		name = strings.ToUpper(string(by))
	}
	w.check(scope, "breakdown", "revenueBreakdown",
		object{"dimension": name, "first": 100},
		[]string{"--dimension", string(by), "--first", "100"}, []string{"revenue", "breakdown", "nodes"}, nodes)
}

// check compares what GraphQL and the command line say with what is so.
func (w *moneyWorld) check(
	scope figures.Scope, report, operation string, variables object, flags, path []string, want any,
) {
	w.t.Helper()
	asked, flags := w.scopeOf(scope, flags)
	if variables = with(variables, "scope", asked); variables == nil {
		w.t.Fatal("no variables")
	}
	answer, err := Do(w.studio.client, http.MethodPost, w.studio.url, map[string]any{
		"query": w.documents, "operationName": operation, "variables": variables,
	})
	if err != nil {
		w.t.Fatal(err)
	}
	var body struct {
		Data   any
		Errors any
	}
	answer.Decode(w.t, &body)
	where := fmt.Sprintf("%s of %+v", report, scope)
	if body.Errors != nil {
		w.t.Fatalf("%s: %v", where, body.Errors)
	}
	got := body.Data
	for _, name := range path {
		got = got.(map[string]any)[name]
	}
	same(w.t, "GraphQL: "+where, got, want)
	exit, stdout, stderr := Run(w.t, []string{"SVC_API_URL=" + w.d.BaseURL, "SVC_API_KEY=" + w.d.APIKey},
		append([]string{"analytics", "revenue", w.d.Apps[0].ID, "--report", report, "-o", "json"}, flags...)...)
	if exit != 0 {
		w.t.Fatalf("%s: exit %d: %s", where, exit, stderr)
	}
	var printed any
	if err := json.Unmarshal([]byte(stdout), &printed); err != nil {
		w.t.Fatalf("%s: %v", where, err)
	}
	if report == "breakdown" {
		printed = printed.(map[string]any)["nodes"]
	}
	same(w.t, "svc: "+where, printed, want)
}

// scopeOf returns a scope as RevenueScope and as flags.
func (w *moneyWorld) scopeOf(scope figures.Scope, flags []string) (object, []string) {
	start, end := scope.Start.Format(time.RFC3339), scope.End.Format(time.RFC3339)
	asked := object{
		"appId": w.d.Apps[0].ID, "range": object{"start": start, "end": end}, "timeZone": scope.Location.String(),
		"basis": strings.ToUpper(string(scope.Basis)),
	}
	flags = append(slices.Clone(flags), "--start", start, "--end", end, "--time-zone", scope.Location.String(), "--basis",
		string(scope.Basis))
	for _, f := range scope.Filters {
		names := map[figures.Dimension][2]string{
			figures.Provider: {"providers", "--providers"}, figures.Store: {"stores", "--stores"},
			figures.Product: {"products", "--products"}, figures.Country: {"countries", "--countries"},
			figures.PeriodLength: {"periodLengths", "--period-lengths"}, figures.FlowVersion: {"flowVersions", "--flow-versions"},
			figures.ExperimentArm: {"experimentArms", "--arms"},
		}[f.Dimension]
		var values []string
		for _, value := range f.Values {
			flags = append(flags, names[1], value)
			if f.Dimension == figures.Provider {
				value = strings.ToUpper(value)
			}
			values = append(values, value)
		}
		asked[names[0]] = values
	}
	return asked, flags
}

type object = map[string]any

func with(o object, name string, value any) object {
	made := object{name: value}
	for k, v := range o {
		made[k] = v
	}
	return made
}

// same compares answers as JSON.
func same(t *testing.T, where string, got, want any) {
	t.Helper()
	text, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	var wanted any
	if err := json.Unmarshal(text, &wanted); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, wanted) {
		gotText, _ := json.Marshal(got)
		t.Fatalf("%s\n got %s\nwant %s", where, gotText, text)
	}
}

func usd(micros int64) json.RawMessage { return scalar.AppendUSD(nil, micros) }

func share(micros *float64) any {
	if micros == nil {
		return nil
	}
	return usd(int64(math.Round(*micros)))
}

func totalsJSON(t figures.Totals) object {
	return object{
		"gross": usd(t.Gross), "refunds": usd(t.Refunds), "chargebacks": usd(t.Chargebacks), "net": usd(t.Net()),
		"new": usd(t.New), "renewal": usd(t.Renewal()), "tax": usd(t.Tax), "commission": usd(t.Commission),
		"proceeds": usd(t.Proceeds()), "taxUnknown": t.TaxUnknown, "commissionUnknown": t.CommissionUnknown,
		"transactions": t.Transactions, "refunded": t.Refunded, "refundRate": t.RefundRate(), "customers": t.Customers,
		"unconverted": t.Unconverted, "withoutPersonRows": t.WithoutPersonRows, "withoutPerson": usd(t.WithoutPerson),
	}
}

func stateJSON(s figures.State) object {
	return object{
		"active": s.Active, "trials": s.Trials, "mrr": usd(s.MRR), "arr": usd(s.ARR()), "unconverted": s.Unconverted,
	}
}

func pointJSON(p figures.SubscriptionPoint) object {
	return object{
		"state": stateJSON(p.State), "movement": object{
			"new": usd(p.Movement.New), "reactivation": usd(p.Movement.Reactivation), "expansion": usd(p.Movement.Expansion),
			"contraction": usd(p.Movement.Contraction), "churn": usd(p.Movement.Churn),
		},
		"activeAtStart": p.ActiveAtStart, "churned": p.Churned, "churnRate": p.ChurnRate(),
	}
}

func trialsJSON(t figures.Trials) object {
	return object{
		"started": t.Started, "converted": t.Converted, "pending": t.Pending, "abandoned": t.Abandoned(),
		"conversionRate": t.ConversionRate(), "pendingRate": t.PendingRate(), "abandonedRate": t.AbandonedRate(),
	}
}
