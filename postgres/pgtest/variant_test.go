package pgtest

import (
	"context"
	"strings"
	"testing"

	"github.com/svc-dev/svc/postgres"
)

// TestVariant names the variant in the output of "go test -v -run TestVariant ./postgres/pgtest" and proves that a
// test's database is what that line says.
func TestVariant(t *testing.T) {
	got, err := New(t).Capabilities(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if got != Capabilities(t) {
		t.Errorf("a test's database runs on %s", got)
	}
	t.Logf("the tests run on %s", got)
}

func TestRequirementsAreChecked(t *testing.T) {
	stock := postgres.Capabilities{ServerVersion: "15.20"}
	timescale := postgres.Capabilities{ServerVersion: "15.20", TimescaleDB: "2.28.3"}
	full := postgres.Capabilities{ServerVersion: "15.20", TimescaleDB: "2.28.3", Toolkit: "1.25.0"}
	for _, test := range []struct {
		require, variant string
		runs             postgres.Capabilities
		want             string
	}{
		{"", "", stock, ""},
		{"timescaledb", "", stock, "timescaledb is required"},
		{"timescaledb,toolkit", "", timescale, "toolkit is required"},
		{"timescaledb, toolkit", "timescaledb", full, ""},
		{"", "timescaledb", stock, "timescaledb is required"},
		{"postgis", "", full, `names "postgis"`},
	} {
		t.Setenv("SVC_TEST_REQUIRE", test.require)
		t.Setenv("SVC_TEST_VARIANT", test.variant)
		err := (&machine{capabilities: test.runs}).check()
		if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%q and %q on %s: %v, want %q", test.require, test.variant, test.runs, err, test.want)
		}
	}
}
