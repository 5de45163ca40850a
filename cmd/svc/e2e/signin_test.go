package e2e

import (
	"errors"
	"fmt"
	"testing"
	"time"
)

// A database that hangs is named within five seconds to whoever signs in, with
// and without a session, and to whoever opens a set-up link.
func TestSigningInWithoutTheDatabase(t *testing.T) {
	t.Parallel() // most of its time is waiting
	d := StartDev(t, nil, "--demo=none")
	signIn := `mutation($e: String!, $p: String!) { signIn(input: {email: $e, password: $p}) { email } }`
	admin := map[string]any{"e": d.Admin.Email, "p": d.Admin.Password}
	fresh, known := Browser(), Browser()
	if err := Ask(known, d.GraphQLURL, signIn, admin, nil); err != nil {
		t.Fatal(err)
	}
	unavailable := func(what string, ask func() error) {
		t.Helper()
		began := time.Now()
		err := ask()
		var refusal *GraphQLError
		if !errors.As(err, &refusal) || refusal.Code != "unavailable" {
			t.Errorf("%s: answered %v", what, err)
		}
		if took := time.Since(began); took > 5*time.Second {
			t.Errorf("%s: the refusal took %s", what, took)
		}
	}
	stopDatabase(t, d)
	unavailable("without a session", func() error { return Ask(fresh, d.GraphQLURL, signIn, admin, nil) })
	unavailable("with a session", func() error { return Ask(known, d.GraphQLURL, signIn, admin, nil) })
	unavailable("sign-out", func() error { return Ask(known, d.GraphQLURL, `mutation { signOut { email } }`, nil, nil) })
	unavailable("change of password", func() error {
		return Ask(
			known, d.GraphQLURL,
			`mutation { changePassword(input: {currentPassword: "x", newPassword: "another horse"}) { email } }`, nil, nil,
		)
	})
	// A token of the right form: its checksum is asked before the database.
	began := time.Now()
	if page := get(
		t, d.BaseURL+"/setup?token="+"svc_setup_00000000000000000000000000000000000000000002lVaGF",
	); page.Status != 503 || time.Since(began) > 5*time.Second {
		t.Errorf("the set-up page answers %d after %s", page.Status, time.Since(began))
	}
	resumeDatabase(t, d)
	Until(t, 30*time.Second, "signing in works again", func() error {
		if err := Ask(fresh, d.GraphQLURL, signIn, admin, nil); err != nil {
			return fmt.Errorf("signing in: %w", err)
		}
		return nil
	})
}
