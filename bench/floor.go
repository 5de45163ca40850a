package main

import (
	"context"
	"net/http"
	"net/http/cookiejar"
	"slices"
	"time"
)

// floorLimit is what a report may take that finds nothing: all that it takes is HTTP, GraphQL, rights and scope.
const floorLimit = 3 * time.Millisecond

// emptyReport asks for visitors of a country that is none.
const emptyReport = `query($app: ID!) { app(id: $app) { productAnalytics(
	scope: {timeZone: "UTC", cross: {country: {op: IS, values: ["ZZ"]}}}
) { attribution(dimension: SOURCE, first: 50) { nodes { value } } } } }`

// benchFloor measures what every report request costs, whatever it finds, of a caller with a key and of one with a
// session. Who asks again within half a second shares the look at the database that keeps reports fresh; who asks
// after a while waits for one.
func benchFloor(ctx context.Context) error {
	return onServer(ctx, measureFloor)
}

func measureFloor(ctx context.Context, s *server) error {
	jar, err := cookiejar.New(nil)
	if err != nil {
		return err
	}
	browser, program := &http.Client{Jar: jar}, &http.Client{}
	const signIn = `mutation($e: String!, $p: String!) { signIn(input: {email: $e, password: $p}) { email } }`
	if _, _, err := s.ask(ctx, browser, "", signIn, map[string]any{
		"e": s.file.Admin.Email, "p": s.file.Admin.Password,
	}); err != nil {
		return err
	}
	for _, c := range []struct {
		name   string
		client *http.Client
		key    string
		pause  time.Duration
		times  int
	}{
		{"report of nothing, with a key", program, s.file.APIKey, 0, 1000},
		{"report of nothing, with a session", browser, "", 0, 1000},
		{"report of nothing, after 0.7 s of rest", browser, "", 700 * time.Millisecond, 40},
	} {
		var took []time.Duration
		for range c.times {
			time.Sleep(c.pause)
			one, _, err := s.ask(ctx, c.client, c.key, emptyReport, map[string]any{"app": s.file.Apps[0].ID})
			if err != nil {
				return err
			}
			took = append(took, one)
		}
		slices.Sort(took)
		row(c.name+", p50", float64(took[len(took)/2].Microseconds())/1000, "ms", float64(floorLimit.Milliseconds()), "limit")
		row(c.name+", p95", float64(took[len(took)*95/100].Microseconds())/1000, "ms", 0, "")
	}
	return nil
}
