// Package leaktest fails the tests of a package when goroutines outlive them.
package leaktest

import (
	"net/http"

	"go.uber.org/goleak"
)

// Main runs the tests of a package, whose TestMain calls it, and ends the program. Two kinds of goroutines may stay: in
// the program that started the shared test database one waits for its end, and every scs.New starts one for a store in
// memory that accounts replace, which can't be ended without a race.
func Main(tests interface{ Run() int }) {
	goleak.VerifyTestMain(closing{tests},
		goleak.IgnoreAnyFunction("github.com/svc-dev/svc/postgres/local.awaitExit"),
		goleak.IgnoreAnyFunction("github.com/alexedwards/scs/v2/memstore.(*MemStore).startCleanup"))
}

// closing closes the connections that clients keep for later, which have goroutines.
type closing struct{ tests interface{ Run() int } }

func (c closing) Run() int {
	defer http.DefaultClient.CloseIdleConnections()
	return c.tests.Run()
}
