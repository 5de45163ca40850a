package store

import (
	"testing"

	"go.uber.org/goleak"
)

// What a test starts must end with it, but for the wait for the test server, which other programs go on
// using.
func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("os/exec.(*Cmd).Wait"))
}
