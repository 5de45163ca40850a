package fold_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/svc-dev/svc/revenue/fold"
)

var update = flag.Bool("update", false, "write what the corpus folds to")

// corpus is a file of deliveries that we made up from what the provider documents.
type corpus struct {
	name     string
	provider fold.Provider
	events   []fold.Event
}

func readCorpus(t testing.TB) (all []corpus) {
	t.Helper()
	files, err := filepath.Glob("testdata/*/*.json")
	require.NoError(t, err)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		var bodies []json.RawMessage
		require.NoError(t, json.Unmarshal(text, &bodies))
		c := corpus{name: strings.TrimSuffix(file, ".json"), provider: fold.Provider(filepath.Base(filepath.Dir(file)))}
		for i, body := range bodies {
			id := fold.Open(c.provider, body).ID
			if id == "" {
				id = fmt.Sprintf("delivery %d", i)
			}
			c.events = append(c.events, fold.Event{ID: id, Body: body})
		}
		all = append(all, c)
	}
	require.GreaterOrEqual(t, len(all), 8)
	return all
}

// describe writes a result as people read it.
func describe(r fold.Result) string {
	var out strings.Builder
	amount := func(n *int64) string {
		if n == nil {
			return "?"
		}
		return fmt.Sprint(*n)
	}
	at := func(t time.Time) string {
		if t.IsZero() {
			return "-"
		}
		return t.Format("2006-01-02T15:04")
	}
	for _, e := range r.Entries {
		fmt.Fprintf(&out, "%s %s %s of %s by %s: %s micro-USD, %s e-%d %s, tax %s, commission %s\n",
			at(e.OccurredAt), e.Kind, e.TransactionKey, e.SubscriptionKey, e.EventID, amount(e.Micros), amount(e.Original),
			e.Exponent, e.Currency, amount(e.TaxPPM), amount(e.CommissionPPM))
		fmt.Fprintf(&out, "    product %s, store %s, country %s, period %s %s to %s, offer %q, charged %s, refers to %q\n    people %q\n",
			e.ProductID, e.Store, e.Country, e.PeriodType, at(e.PeriodStart), at(e.PeriodEnd), e.Offer, at(e.ChargedAt),
			e.RefersTo, e.PersonIDs)
	}
	for _, p := range r.Periods {
		fmt.Fprintf(&out, "period %s of %s by %s: %s %s to %s, grace %s, ended %s, renews %t, product %s, store %s, country %s\n",
			p.TransactionKey, p.SubscriptionKey, p.EventID, p.PeriodType, at(p.StartsAt), at(p.EndsAt), at(p.GraceUntil),
			at(p.EndedAt), p.AutoRenew, p.ProductID, p.Store, p.Country)
		fmt.Fprintf(&out, "    costs %s micro-USD, %s e-%d %s", amount(p.Micros), amount(p.Original), p.Exponent, p.Currency)
		if p.Whole != 0 {
			fmt.Fprintf(&out, " in %.1f days", p.Whole.Hours()/24)
		}
		fmt.Fprintln(&out)
	}
	var ids []string
	for id := range r.Verdicts {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	for _, id := range ids {
		if v := r.Verdicts[id]; v.State != fold.Handled {
			fmt.Fprintf(&out, "%s is %s: %s\n", id, v.State, v.Reason)
		}
	}
	attempts := slices.Clone(r.Attempts)
	for _, a := range attempts {
		fmt.Fprintf(&out, "paid attempt %s\n", a)
	}
	return out.String()
}

func TestTheCorpusFoldsToWhatAPersonHasRead(t *testing.T) {
	for _, c := range readCorpus(t) {
		t.Run(c.name, func(t *testing.T) {
			got := describe(fold.Fold(c.provider, c.events))
			if *update {
				require.NoError(t, os.WriteFile(c.name+".txt", []byte(got), 0o644))
			}
			want, err := os.ReadFile(c.name + ".txt")
			require.NoError(t, err)
			require.Equal(t, string(want), got)
		})
	}
}

// Whatever arrives in whatever order, and how often, comes to the same; what is lost and sent again years later, too.
func TestTheOrderOfDeliveriesDoesNotMatter(t *testing.T) {
	for _, c := range readCorpus(t) {
		t.Run(c.name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				some := rapid.SliceOfNDistinct(rapid.IntRange(0, len(c.events)-1), 0, len(c.events), rapid.ID[int]).Draw(t, "arrived")
				slices.Sort(some)
				var inOrder, mixed []fold.Event
				for _, i := range some {
					inOrder = append(inOrder, c.events[i])
					for range rapid.IntRange(1, 3).Draw(t, "times") {
						mixed = append(mixed, c.events[i])
					}
				}
				shuffle := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
				shuffle.Shuffle(len(mixed), func(i, j int) { mixed[i], mixed[j] = mixed[j], mixed[i] })
				require.Equal(t, describe(fold.Fold(c.provider, inOrder)), describe(fold.Fold(c.provider, mixed)))
			})
		})
	}
}

// Deliveries without a common key may be folded apart.
func TestWhatHasNoKeyInCommonFoldsApart(t *testing.T) {
	for _, c := range readCorpus(t) {
		t.Run(c.name, func(t *testing.T) {
			groups := map[string][]fold.Event{}
			parent := map[string]string{}
			var find func(string) string
			find = func(k string) string {
				if p, ok := parent[k]; ok && p != k {
					return find(p)
				}
				return k
			}
			for _, e := range c.events {
				first := "event " + e.ID
				parent[first] = first
				for _, k := range fold.Open(c.provider, e.Body).Keys {
					parent[find(k.String())] = find(first)
				}
			}
			for _, e := range c.events {
				group := find("event " + e.ID)
				groups[group] = append(groups[group], e)
			}
			var apart, together []string
			for _, events := range groups {
				apart = append(apart, strings.Split(describe(fold.Fold(c.provider, events)), "\n")...)
			}
			together = strings.Split(describe(fold.Fold(c.provider, c.events)), "\n")
			keep := func(lines []string) []string {
				slices.Sort(lines)
				return slices.DeleteFunc(lines, func(l string) bool { return l == "" })
			}
			require.Equal(t, keep(together), keep(apart))
		})
	}
}

// What is left of a delivery when its person is erased comes to the same money, and names nobody.
func TestRedactedDeliveriesComeToTheSameMoney(t *testing.T) {
	for _, c := range readCorpus(t) {
		t.Run(c.name, func(t *testing.T) {
			redacted := slices.Clone(c.events)
			for i := range redacted {
				body, err := fold.Redact(c.provider, redacted[i].Body)
				require.NoError(t, err)
				for _, word := range []string{"someone", "Some One", "user-", "device-", "RCAnonymous", "6f1c1f9e"} {
					require.NotContains(t, string(body), word)
				}
				redacted[i].Body = body
			}
			want, got := fold.Fold(c.provider, c.events), fold.Fold(c.provider, redacted)
			for i := range want.Entries {
				want.Entries[i].PersonIDs = nil
			}
			for i := range want.Periods {
				want.Periods[i].PersonIDs = nil
			}
			for i := range got.Entries {
				require.Empty(t, got.Entries[i].PersonIDs)
				got.Entries[i].PersonIDs = nil
			}
			for i := range got.Periods {
				got.Periods[i].PersonIDs = nil
			}
			require.Equal(t, want.Entries, got.Entries)
			require.Equal(t, want.Periods, got.Periods)
		})
	}
}

// Superwall promises that the sum of all prices is net revenue.
func TestTheSumOfSuperwallsPricesIsNetRevenue(t *testing.T) {
	checked := 0
	for _, c := range readCorpus(t) {
		if c.provider != fold.Superwall {
			continue
		}
		rapid.Check(t, func(t *rapid.T) {
			sum, net := int64(0), int64(0)
			var events []fold.Event
			for _, e := range c.events {
				if fold.Open(c.provider, e.Body).Verdict.State != fold.Handled || !rapid.Bool().Draw(t, "arrived") {
					continue
				}
				var body map[string]any
				require.NoError(t, json.Unmarshal(e.Body, &body))
				data := body["data"].(map[string]any)
				micros := rapid.Int64Range(-50_000_000, 50_000_000).Draw(t, "price")
				if rapid.Bool().Draw(t, "as it is") {
					micros = int64(data["price"].(float64)*1e6 + 0.5)
					if data["price"].(float64) < 0 {
						micros = int64(data["price"].(float64)*1e6 - 0.5)
					}
				}
				data["price"] = json.Number(fmt.Sprintf("%d.%06d", micros/1_000_000, max(micros, -micros)%1_000_000))
				if micros < 0 && micros > -1_000_000 {
					data["price"] = "-" + data["price"].(json.Number)
				}
				text, err := json.Marshal(body)
				require.NoError(t, err)
				sum += micros
				events = append(events, fold.Event{ID: e.ID, Body: text})
			}
			for _, entry := range fold.Fold(c.provider, events).Entries {
				net += *entry.Micros
			}
			require.Equal(t, sum, net)
			checked++
		})
	}
	require.Positive(t, checked)
}

func FuzzOpenAndFold(f *testing.F) {
	for _, c := range readCorpus(f) {
		for _, e := range c.events {
			f.Add(string(c.provider), e.Body)
		}
	}
	f.Fuzz(func(t *testing.T, name string, body []byte) {
		provider := fold.Provider(name)
		if !slices.Contains([]fold.Provider{fold.Stripe, fold.RevenueCat, fold.Superwall}, provider) {
			t.Skip("no provider: nothing reads its deliveries")
		}
		e := fold.Open(provider, body)
		require.LessOrEqual(t, len(e.Type), 256*3)
		r := fold.Fold(provider, []fold.Event{{ID: "a", Body: body}, {ID: "b", Body: body}})
		require.Len(t, r.Verdicts, 2)
		for _, entry := range r.Entries {
			require.False(t, entry.OccurredAt.IsZero())
			require.NotEmpty(t, entry.TransactionKey)
		}
		if _, err := fold.Redact(provider, body); err != nil {
			t.Fatal(err)
		}
	})
}
