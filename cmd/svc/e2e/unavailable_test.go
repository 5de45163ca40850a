package e2e

import (
	"errors"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// summaryOf asks for the visitors of the last seven days with the API key.
func summaryOf(d *Dev) (visitors int, err error) {
	var data struct {
		App struct {
			ProductAnalytics struct{ Summary *struct{ Visitors int } }
		}
	}
	err = Ask(http.DefaultClient, d.GraphQLURL, `query($a: ID!) { app(id: $a) { productAnalytics { summary { visitors } } } }`,
		map[string]any{"a": d.Apps[0].ID}, &data, "Authorization", "Bearer "+d.APIKey)
	if err != nil {
		return 0, err
	}
	if data.App.ProductAnalytics.Summary == nil {
		return 0, fmt.Errorf("no summary")
	}
	return data.App.ProductAnalytics.Summary.Visitors, nil
}

func TestReportsWithoutTheStoreAnswer503AndRecover(t *testing.T) {
	t.Parallel() // most of its time is waiting
	d := StartDev(t, nil, "--demo=none")
	key := d.Apps[0].Environments["live"].PublishableKey
	if answer, body := send(t, d.BaseURL, key, []event{newEvent("a", "s"), newEvent("b", "s")}); body.Stored != 2 {
		t.Fatalf("%d %s", answer.Status, answer.Body)
	}
	counts := func(when string) {
		t.Helper()
		Until(t, 60*time.Second, "two visitors "+when, func() error {
			visitors, err := summaryOf(d)
			if err == nil && visitors != 2 {
				return fmt.Errorf("%d visitors", visitors)
			}
			return err
		})
	}
	refused := func(when string) {
		t.Helper()
		// The server may first answer from what it read less than a second ago.
		Until(t, 20*time.Second, "503 "+when, func() error {
			began := time.Now()
			_, err := summaryOf(d)
			var refusal *GraphQLError
			if e, ok := err.(*GraphQLError); ok {
				refusal = e
			}
			if refusal == nil || refusal.Status != http.StatusServiceUnavailable ||
				refusal.Code != "product_analytics_unavailable" {
				return fmt.Errorf("answered %v", err)
			}
			if took := time.Since(began); took > 5*time.Second {
				t.Fatalf("%s: the refusal took %s", when, took)
			}
			return nil
		})
		exit, _, stderr := Run(
			t, []string{"SVC_API_URL=" + d.BaseURL, "SVC_API_KEY=" + d.APIKey}, "analytics", "product", "summary", d.Apps[0].ID,
		)
		if exit != 5 {
			t.Fatalf("%s: the command line ended with %d, want 5: %s", when, exit, stderr)
		}
	}
	counts("at first")
	stopDatabase(t, d)
	refused("while the database hangs")
	resumeDatabase(t, d)
	counts("after it answers again")
	killDatabase(t, d)
	counts("after it was killed and restarted")
}

// everyRoot asks for one thing of each field of an app that reads the store.
var everyRoot = map[string]string{
	"productAnalytics": `{ summary { visitors } }`, "live": `{ count }`, "ingestHealth": `{ events }`,
	"recentEvents": `(name: "page_view") { nodes { name } }`,
}

func askRoot(d *Dev, root string) error {
	return Ask(http.DefaultClient, d.GraphQLURL, `query($a: ID!) { app(id: $a) { `+root+everyRoot[root]+` } }`,
		map[string]any{"a": d.Apps[0].ID}, nil, "Authorization", "Bearer "+d.APIKey)
}

// refuses checks that an answer says so, and in time.
func refuses(what string, began time.Time, err error) error {
	took := time.Since(began)
	var refusal *GraphQLError
	switch {
	case !errors.As(err, &refusal) || refusal.Status != http.StatusServiceUnavailable ||
		refusal.Code != "product_analytics_unavailable":
		return fmt.Errorf("%s: answered %v", what, err)
	case took > 5*time.Second:
		return fmt.Errorf("%s: the refusal took %s", what, took)
	}
	return nil
}

// A store that takes its time, here because somebody holds a lock, and one that
// restarts while it is asked, are both 503 within five seconds.
func TestReportsOfASlowStoreAnswer503AndRecover(t *testing.T) {
	t.Parallel() // most of its time is waiting
	d := StartDev(t, nil, "--demo=none")
	key := d.Apps[0].Environments["live"].PublishableKey
	if answer, body := send(t, d.BaseURL, key, []event{newEvent("a", "s"), newEvent("b", "s")}); body.Stored != 2 {
		t.Fatalf("%d %s", answer.Status, answer.Body)
	}
	answers := func(when string) {
		t.Helper()
		for root := range everyRoot {
			Until(t, 60*time.Second, root+" answers "+when, func() error { return askRoot(d, root) })
		}
	}
	answers("at first")
	hold := func() (release func()) {
		t.Helper()
		conn, err := pgx.Connect(t.Context(), d.DatabaseURL)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := conn.Exec(
			t.Context(), `begin; lock table product_session, product_event, ingest_stat in access exclusive mode`,
		); err != nil {
			t.Fatal(err)
		}
		return func() { conn.Close(t.Context()) }
	}
	refusedWhileSlow := func(root string) {
		t.Helper()
		// The server may first answer from what it read less than a second ago.
		Until(t, 20*time.Second, "503 while the store is slow", func() error {
			began := time.Now()
			return refuses(root, began, askRoot(d, root))
		})
	}
	release := hold()
	for root := range everyRoot {
		refusedWhileSlow(root)
	}
	release()
	answers("when the store is quick again")

	defer hold()()
	refusedWhileSlow("productAnalytics")
	type answer struct {
		root  string
		began time.Time
		err   error
	}
	asked := make(chan answer)
	for root := range everyRoot {
		go func() {
			began := time.Now()
			asked <- answer{root, began, askRoot(d, root)}
		}()
	}
	waiting(t, d, 2)
	killDatabase(t, d)
	for range everyRoot {
		a := <-asked
		if err := refuses(a.root+", restarted while it was asked", a.began, a.err); err != nil {
			t.Error(err)
		}
	}
	answers("after the restart")
	Until(t, 30*time.Second, "the visitors are counted", func() error {
		visitors, err := summaryOf(d)
		if err == nil && visitors != 2 {
			err = fmt.Errorf("%d visitors", visitors)
		}
		return err
	})
}

// waiting returns when so many queries of the server wait for a lock.
func waiting(t *testing.T, d *Dev, n int) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), d.DatabaseURL)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	Until(t, 10*time.Second, "queries wait", func() error {
		var found int
		if err := conn.QueryRow(
			t.Context(), `select count(*) from pg_stat_activity where wait_event_type = 'Lock'`,
		).Scan(&found); err != nil {
			return err
		}
		if found < n {
			return fmt.Errorf("%d queries wait", found)
		}
		return nil
	})
}
