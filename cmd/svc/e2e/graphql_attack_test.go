package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

// doubling returns fragments that spread the next one twice.
func doubling(levels int) string {
	var b strings.Builder
	b.WriteString("query{...f0}")
	for i := range levels {
		fmt.Fprintf(&b, " fragment f%d on Query{...f%d ...f%d}", i, i+1, i+1)
	}
	fmt.Fprintf(&b, " fragment f%d on Query{viewer{userId}}", levels)
	return b.String()
}

// numbered repeats a format with the numbers from 0.
func numbered(n int, format string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

// hostileDocuments once took between seconds and days of a processor each, or
// come as close to a bound as they can.
var hostileDocuments = map[string]string{
	"18 levels":          doubling(18),
	"40 levels":          doubling(40),
	"8 levels":           doubling(8),
	"3,000 equal fields": "{" + strings.Repeat("viewer{userId} ", 3_000) + "}",
	"2,400 equal fields": "{" + strings.Repeat("viewer{userId}", 2_400) + "}",
	"5,800 inner fields": "{viewer{" + strings.Repeat("userId ", 5_800) + "}}",
	"4,900 inner fields": "{viewer{" + strings.Repeat("userId ", 4_900) + "}}",
	"1,200 fragments": "{" + numbered(1_200, "...f%d ") + "}" + numbered(
		1_200, "fragment f%d on Query{viewer{userId}}",
	),
	"240 fragments": "{" + numbered(240, "...f%d ") + "}" + numbered(
		240, "fragment f%d on Query{viewer{userId email name}}",
	),
	"4,900 aliases":        "{viewer{" + numbered(4_900, "a%d:userId ") + "}}",
	"5 times 980 aliases":  "{" + numbered(5, "a%d:viewer{"+numbered(980, "b%d:userId ")+"}") + "}",
	"20 times 240 aliases": "{" + numbered(20, "a%d:viewer{"+numbered(240, "b%d:userId ")+"}") + "}",
	"2,400 root aliases":   "{" + numbered(2_400, "a%d:viewer{userId}") + "}",
	"unknown fields":       "{viewer{" + strings.Repeat("aaaaaaaaaaaaaaaaaaaaaaaa ", 2_500) + "}}",
	"values":               "{app(id:[" + strings.Repeat("1 ", 14_000) + "]){name}}",
	"variables":            "query(" + numbered(249, "$v%d:Int ") + "){app(id:[" + strings.Repeat("$v248 ", 6_000) + "]){name}}",
	"braces":               strings.Repeat("{a", 30_000),
	"introspection":        "{" + numbered(200, "a%d:__schema{types{fields{name type{name fields{name}}}}}") + "}",
	"columns of types":     "{__schema{types{fields{" + numbered(990, "a%d:name ") + "}}}}",
	"fewer columns":        "{__schema{types{fields{" + numbered(245, "a%d:name ") + "}}}}",
	"200 sign-ins": "mutation{" + numbered(
		200, `a%d:signIn(input: {email:"x%[1]d@example.com",password:"x"}){email}`,
	) + "}",
	"300 new workspaces": "mutation{" + numbered(300, `a%d:createWorkspace(input: {name:"x"}){id}`) + "}",
	"500 estimates": `{app(id:"0197aa00-0000-7000-8000-000000000001"){` + numbered(
		500, "a%d:segmentEstimate(rules:{})",
	) + "}}",
	"a 15 MB comment":     "{viewer{userId}} #" + strings.Repeat("A", 15_000_000),
	"a comment within it": "{viewer{userId}} #" + strings.Repeat("A", 65_000),
}

// hostileBodies are no documents.
var hostileBodies = map[string]string{
	"a password and a comma too many": `{"query":"mutation($p:String!){signIn(input:{email:\"a@b.c\",password:$p}){email}}","variables":{"p":"hunter2-secret"},}`,
	"an unfinished password":          `{"query":"{viewer{userId}}","variables":{"p":"hunter2-secret"`,
	"a batch":                         `[{"query":"{viewer{userId}}","variables":{"p":"hunter2-secret"}}]`,
	"15 MB unfinished":                `{"query":"{viewer{userId}}","variables":{"p":"hunter2-secret` + strings.Repeat("A", 15_000_000),
	"a wrong hash":                    `{"query":"{viewer{userId}}","extensions":{"persistedQuery":{"version":1,"sha256Hash":"` + strings.Repeat("0", 64) + `"}},"variables":{"p":"hunter2-secret"}}`,
	"85,000 objects":                  `{"query":"{viewer{userId}}","variables":{"l":[` + strings.Repeat("{},", 85_000) + `{}]}}`,
}

// hostileGraphQL are the bodies of all requests above by their names.
func hostileGraphQL(t *testing.T) map[string][]byte {
	t.Helper()
	bodies := map[string][]byte{}
	for name, document := range hostileDocuments {
		body, err := json.Marshal(map[string]string{"query": document})
		if err != nil {
			t.Fatal(err)
		}
		bodies[name] = body
	}
	for name, body := range hostileBodies {
		bodies[name] = []byte(body)
	}
	return bodies
}

// post sends a GraphQL body; a server that refuses a body without reading it may
// cut the connection, which is an answer too.
func post(t *testing.T, url string, body []byte, headers ...string) Answer {
	t.Helper()
	answer, err := Do(&http.Client{Timeout: time.Minute}, http.MethodPost, url, body, headers...)
	if err != nil && len(body) < 256<<10 {
		t.Errorf("%.80s: %v", body, err)
	}
	return answer
}

// Whatever document and whatever body anybody sends, signed in or not, takes less
// than 100 ms of a processor, little memory, and next to nothing of the log.
func TestHostileGraphQL(t *testing.T) {
	t.Parallel()
	d := StartDev(t, nil, "--demo=none")
	bodies := hostileGraphQL(t)
	const times = 10
	for _, caller := range []struct {
		name    string
		headers []string
	}{
		{"anonymous", nil}, {"with a key", []string{"Authorization", "Bearer " + d.APIKey}},
		{"stream with a key", []string{"Authorization", "Bearer " + d.APIKey, "Accept", "text/event-stream"}},
	} {
		for name, body := range bodies {
			busy, logged := d.ProcessorTime(), len(d.Log())
			var answer Answer
			for range times {
				answer = post(t, d.GraphQLURL, body, caller.headers...)
			}
			each := (d.ProcessorTime() - busy) / times
			t.Logf("%-18s %-32s %6s %d %.90s", caller.name, name, each.Round(time.Millisecond), answer.Status, answer.Body)
			limit := 100 * time.Millisecond
			if len(body) > 1<<20 {
				limit = 250 * time.Millisecond // read for those who signed in, byte for byte
			}
			if each >= limit {
				t.Errorf("%s, %s: each took %s of a processor", caller.name, name, each)
			}
			if grown := len(d.Log()) - logged; grown > times*10_000 {
				t.Errorf("%s, %s: each left %d bytes in the log", caller.name, name, grown/times)
			}
			if answer.Status >= 500 {
				t.Errorf("%s, %s: %d %.200s", caller.name, name, answer.Status, answer.Body)
			}
		}
	}
	if strings.Contains(d.Log(), "hunter2") {
		t.Error("a password is in the log")
	}

	// Different documents, each kept if it can be: by the hundred.
	for i := range 1_500 {
		body, err := json.Marshal(
			map[string]string{"query": fmt.Sprintf("{viewer{userId}} #%d %s", i, strings.Repeat("A", 60_000))},
		)
		if err != nil {
			t.Fatal(err)
		}
		headers := []string{"Authorization", "Bearer " + d.APIKey}
		if i%2 == 0 {
			headers = nil
		}
		if answer := post(t, d.GraphQLURL, body, headers...); answer.Status != http.StatusOK {
			t.Fatalf("%d %s", answer.Status, answer.Body)
		}
	}

	// Many at once, whose clients do not wait, keep nobody from stopping.
	var waiting sync.WaitGroup
	for i := range 100 {
		waiting.Go(func() {
			ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
			defer cancel()
			names := []string{"40 levels", "3,000 equal fields", "5,800 inner fields", "1,200 fragments"}
			request, err := http.NewRequestWithContext(
				ctx, http.MethodPost, d.GraphQLURL, bytes.NewReader(bodies[names[i%len(names)]]),
			)
			if err != nil {
				t.Error(err)
				return
			}
			request.Header.Set("Content-Type", "application/json")
			if response, err := http.DefaultClient.Do(request); err == nil {
				_, _ = io.Copy(io.Discard, response.Body)
				response.Body.Close()
			}
		})
	}
	waiting.Wait()
	if peak := d.PeakMemory(); peak > 512<<20 {
		t.Errorf("the server took %d MiB", peak>>20)
	} else {
		t.Logf("the server took %d MiB", peak>>20)
	}
	d.Stop()
	if exit := d.Wait(); exit != 0 {
		t.Errorf("ended with %d", exit)
	}
}
