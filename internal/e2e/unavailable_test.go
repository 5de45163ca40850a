package e2e

import (
	"fmt"
	"net/http"
	"testing"
	"time"
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
			if refusal == nil || refusal.Status != http.StatusServiceUnavailable || refusal.Code != "product_analytics_unavailable" {
				return fmt.Errorf("answered %v", err)
			}
			if took := time.Since(began); took > 5*time.Second {
				t.Fatalf("%s: the refusal took %s", when, took)
			}
			return nil
		})
		exit, _, stderr := Run(t, []string{"SVC_API_URL=" + d.BaseURL, "SVC_API_KEY=" + d.APIKey}, "analytics", "product", "summary", d.Apps[0].ID)
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
