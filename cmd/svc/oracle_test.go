package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/analytics/oracle"
	"github.com/svc-dev/svc/analytics/oracle/world"
	"github.com/svc-dev/svc/cmd/svc/demo"
	"github.com/svc-dev/svc/cmd/svc/e2e"
)

// quarters is how many parts a world's hits are sent in; reports are compared after each.
const quarters = 4

// freshness is how soon an acknowledged event must be in every report.
const freshness = time.Second

// sentWorlds returns how many worlds are sent; SVC_TEST_WORLDS asks for more.
func sentWorlds(t *testing.T) int {
	if raw := os.Getenv("SVC_TEST_WORLDS"); raw != "" {
		n, err := strconv.Atoi(raw)
		require.NoError(t, err, "SVC_TEST_WORLDS")
		return n
	}
	if testing.Short() {
		return 8
	}
	return 50
}

// firstSeed returns the seed of the first world; SVC_TEST_SEED repeats a run from a world that failed.
func firstSeed(t *testing.T) int {
	raw := os.Getenv("SVC_TEST_SEED")
	if raw == "" {
		return 1
	}
	n, err := strconv.Atoi(raw)
	require.NoError(t, err, "SVC_TEST_SEED")
	return n
}

// TestCommandLineAgreesWithOracle sends made-up worlds through the public REST interface: in
// shuffled batches with retries, from four clients, to two server processes on one database, while
// reports are read. One of them is a crowd: tables of many pages, days of many sessions. After each
// quarter, and after a restart of everything, every report of the command line must be what the
// naive implementation makes of the hits sent so far. After the restart one of the servers has next
// to no memory for reports.
func TestCommandLineAgreesWithOracle(t *testing.T) {
	now := time.Now().Truncate(time.Millisecond)
	settings := []string{"SVC_DEDUP_WINDOW=12000h", "SVC_RATE_LIMIT_ADDRESS=0", "SVC_RATE_LIMIT_KEY=0"}
	s := &servers{dev: e2e.StartDev(t, settings, "--demo=none"), settings: settings, client: e2e.Browser()}
	s.startSecond(t)
	s.signIn(t)
	seed := firstSeed(t)
	worlds := []*sentWorld{newSentWorld(t, s, seed, world.Crowd(uint64(seed), now), "crowd")}
	for i := range sentWorlds(t) {
		scenario := rapid.Custom(func(t *rapid.T) world.Scenario { return world.DrawSent(t, now) }).Example(seed + i)
		worlds = append(worlds, newSentWorld(t, s, seed+i, scenario, fmt.Sprintf("world %d", seed+i)))
	}
	for _, w := range worlds {
		w.awaitKey(t)
	}
	each := func(what string, do func(t *testing.T, w *sentWorld)) {
		ok := t.Run(what, func(t *testing.T) {
			for _, w := range worlds {
				t.Run(w.name, func(t *testing.T) {
					t.Parallel()
					do(t, w)
				})
			}
		})
		if !ok {
			t.FailNow()
		}
	}
	for quarter := range quarters {
		each(fmt.Sprintf("send quarter %d", quarter+1), func(t *testing.T, w *sentWorld) { w.send(t, quarter) })
		time.Sleep(freshness) // the promise, and not more
		each(fmt.Sprintf("after quarter %d", quarter+1), func(t *testing.T, w *sentWorld) { w.compare(t, quarter) })
	}
	s.restart(t)
	each("after a restart", func(t *testing.T, w *sentWorld) { w.compare(t, quarters) })
}

// servers are two processes on one database: `svc dev` and `svc serve`.
type servers struct {
	dev      *e2e.Dev
	second   *e2e.Process
	settings []string
	urls     [2]string
	client   *http.Client // signed in at both
}

// scantMemory is what reports of the second server may keep after the restart: frames come and go, and
// a crowd is read in portions.
const scantMemory = 128 << 10

// startSecond starts `svc serve`, which believes the same place headers as `svc dev`.
func (s *servers) startSecond(t *testing.T, more ...string) {
	t.Helper()
	s.second, s.urls[1] = s.dev.Serve(t, append([]string{
		"SVC_TRUSTED_PROXIES=127.0.0.1,::1",
		"SVC_GEO_COUNTRY_HEADER=" + demo.CountryHeader, "SVC_GEO_REGION_HEADER=" + demo.RegionHeader, "SVC_GEO_CITY_HEADER=" + demo.CityHeader,
		"SVC_GEO_LATITUDE_HEADER=" + demo.LatitudeHeader, "SVC_GEO_LONGITUDE_HEADER=" + demo.LongitudeHeader,
	}, append(more, s.settings...)...)...)
	s.urls[0] = s.dev.BaseURL
}

// restart ends both servers and the database, and starts them again.
func (s *servers) restart(t *testing.T) {
	t.Helper()
	s.second.Stop()
	s.dev.Stop()
	s.dev.Start(t)
	s.startSecond(t, "SVC_FRAME_MEMORY="+strconv.Itoa(scantMemory))
	s.signIn(t)
}

func (s *servers) signIn(t *testing.T) {
	t.Helper()
	s.query(t, 0, `mutation($e: String!, $p: String!) { signIn(input: {email: $e, password: $p}) { email } }`,
		map[string]any{"e": s.dev.Admin.Email, "p": s.dev.Admin.Password}, nil)
}

// query asks one of the servers as the signed-in administrator.
func (s *servers) query(t *testing.T, server int, document string, variables map[string]any, data any) {
	t.Helper()
	require.NoError(t, e2e.Ask(s.client, s.urls[server]+"/graphql", document, variables, data), document)
}

// commandLine runs `svc analytics product …` against a server: in this process, or as the binary.
func (s *servers) commandLine(t *testing.T, server int, spawned bool, args []string) string {
	t.Helper()
	environ := []string{"SVC_API_URL=" + s.urls[server], "SVC_API_KEY=" + s.dev.APIKey, "SVC_CONFIG_PATH=" + filepath.Join(s.dev.Dir, "none.json")}
	var exit int
	var stdout, stderr string
	if spawned {
		exit, stdout, stderr = e2e.Run(t, environ, append([]string{"analytics", "product"}, args...)...)
	} else {
		// Only the one command is made: cobra remembers the flags of every command for ever.
		var out, errs bytes.Buffer
		term := terminal{in: strings.NewReader(""), out: &out, err: &errs, environ: environ}
		cmd := newRecent(term)
		if i := slices.IndexFunc(productReports, func(r productReport) bool { return r.name == args[0] }); i >= 0 {
			cmd = productReports[i].command(term)
		}
		cmd.SetArgs(args[1:])
		exit = fail(&errs, cmd.ExecuteContext(context.Background()))
		stdout, stderr = out.String(), errs.String()
	}
	if exit != exitOK {
		t.Fatalf("svc %q ended with %d: %s", args, exit, stderr)
	}
	return stdout
}

// sentWorld is a world on its way through the product: an app of its own.
type sentWorld struct {
	servers  *servers
	name     string
	seed     int
	scenario world.Scenario
	parts    [quarters]oracle.World
	app, key string

	rng  *rand.Rand
	sent oracle.World // so far
}

func newSentWorld(t *testing.T, s *servers, seed int, scenario world.Scenario, name string) *sentWorld {
	t.Helper()
	w := &sentWorld{servers: s, name: name, seed: seed, scenario: scenario, rng: rand.New(rand.NewPCG(uint64(seed), 0))}
	var viewer struct {
		Viewer struct {
			Workspaces struct {
				Nodes []struct{ Workspace struct{ ID string } }
			}
		}
	}
	s.query(t, 0, `{ viewer { workspaces { nodes { workspace { id } } } } }`, nil, &viewer)
	var made struct {
		CreateApp struct {
			ID          string
			Environment struct {
				PublishableKeys struct{ Nodes []struct{ Key string } }
			}
		}
	}
	s.query(t, 0, `mutation($w: ID!, $n: String!) { createApp(input: {workspaceId: $w, name: $n}) { id environment(kind: LIVE) { publishableKeys { nodes { key } } } } }`,
		map[string]any{"w": viewer.Viewer.Workspaces.Nodes[0].Workspace.ID, "n": w.name}, &made)
	w.app, w.key = made.CreateApp.ID, made.CreateApp.Environment.PublishableKeys.Nodes[0].Key

	hits := w.scenario.World.Hits
	for i := range hits {
		if hits[i].SessionID == "s3" { // the client that knows no sessions
			hits[i].SessionID = daySession(hits[i].At)
		}
	}
	if seed%3 == 0 {
		lengthen(hits)
	}
	w.rng.Shuffle(len(hits), func(i, j int) { hits[i], hits[j] = hits[j], hits[i] })
	for i, h := range hits {
		part := &w.parts[i*quarters/len(hits)]
		part.Hits = append(part.Hits, h)
	}
	for _, p := range w.scenario.World.Purchases {
		part := &w.parts[w.rng.IntN(quarters)]
		part.Purchases = append(part.Purchases, recorded(p))
	}
	return w
}

// lengthen makes addresses so long that sessions fill more than one buffer of a database connection,
// and referrers more various.
func lengthen(hits []oracle.Hit) {
	tail := strings.Repeat("x", 1500)
	for i := range hits {
		h := &hits[i]
		sum := crc32.ChecksumIEEE([]byte(h.EventID)) // duplicates stay alike
		if h.Referrer == "https://blog.example/a" {
			h.Referrer = fmt.Sprintf("https://blog%d.example/", sum%3)
		}
		if strings.HasPrefix(h.Referrer, "https://") {
			h.Referrer += tail
		}
		if h.Landing != "" {
			h.Landing += tail
		}
	}
}

// awaitKey waits until the server that did not make the world's key takes it.
func (w *sentWorld) awaitKey(t *testing.T) {
	t.Helper()
	e2e.Until(t, 5*time.Second, "the second server takes a new key", func() error {
		answer, err := e2e.Do(http.DefaultClient, http.MethodPost, w.servers.urls[1]+"/v1/sdk/analytics/events", `{"events": []}`, "Authorization", "Bearer "+w.key)
		if err == nil && answer.Status == http.StatusUnauthorized {
			err = fmt.Errorf("answered %s", answer.Body)
		}
		return err
	})
}

// compare asks for every report of a scope and compares it with the oracle's.
func (w *sentWorld) compare(t *testing.T, round int) {
	t.Helper()
	scope := rapid.Custom(w.scenario.DrawScope).Example(w.seed*(quarters+1) + round)
	segment := w.saveSegment(t, scope.Segment)
	questions := w.questions(scope)
	chosen := w.rng.IntN(len(questions)) // the one that the binary answers
	for i, q := range questions {
		args := append([]string{q.args[0], w.app}, q.args[1:]...)
		args = append(args, scopeArguments(w.rng, q, scope, segment)...)
		if problem := w.answer(t, q, i == chosen, args); problem != "" {
			hits, err := json.Marshal(w.sent)
			require.NoError(t, err)
			t.Fatalf("round %d, seed %d, anchor %s: svc %q\n%s\nsent: %s", round, w.seed, w.scenario.Anchor, args, problem, hits)
		}
	}
	if w.readsBySQL() {
		w.compareWithSQL(t, scope)
	}
	w.compareWithGraphQL(t, scope, segment)
	w.checkInvariants(t, scope, segment)
	w.checkPages(t, scope, segment)
}

// answer asks one question. Some answers depend on the time of asking, which is known only by its
// bounds: there the oracle is asked for both, and the question again when a border lay between.
func (w *sentWorld) answer(t *testing.T, q question, spawned bool, args []string) (problem string) {
	t.Helper()
	for range 3 {
		before := time.Now()
		text := w.servers.commandLine(t, w.rng.IntN(2), spawned, args)
		after := time.Now()
		for _, now := range []time.Time{before, after} {
			if problem = q.check(oracle.New(w.sent, now), text); problem == "" {
				return ""
			}
		}
		if !q.timed {
			return problem
		}
	}
	return problem
}

// saveSegment makes the scope's audience and returns its id, "" for none.
func (w *sentWorld) saveSegment(t *testing.T, segment *analytics.Segment) string {
	t.Helper()
	if segment == nil {
		return ""
	}
	input := map[string]any{"appId": w.app, "name": fmt.Sprintf("Audience %d", w.rng.Uint32())}
	if r := segment.Rules; r != nil {
		rules := map[string]any{"columns": columnInput(r.Columns), "cross": crossInput(r.Cross)}
		if r.Platform != "" {
			rules["platform"] = strings.ToUpper(r.Platform)
		}
		input["rules"] = rules
		if r.Days > 0 {
			input["windowDays"] = r.Days
		}
	}
	var made struct{ CreateSegment struct{ ID string } }
	w.servers.query(t, w.rng.IntN(2), `mutation($i: CreateSegmentInput!) { createSegment(input: $i) { id } }`,
		map[string]any{"i": input}, &made)
	for kind, ids := range map[string][]string{"APP_USER": segment.AppUserIDs, "CUSTOM_USER": segment.CustomUserIDs} {
		var values []string
		for _, id := range ids {
			if id != "" { // nobody has no id
				values = append(values, id)
			}
		}
		if len(values) > 0 {
			w.servers.query(t, w.rng.IntN(2), `mutation($s: ID!, $k: SegmentMemberKind!, $v: [String!]!) { importSegmentMembers(input: {segmentId: $s, kind: $k, values: $v}) { id } }`,
				map[string]any{"s": made.CreateSegment.ID, "k": kind, "v": values}, nil)
		}
	}
	return made.CreateSegment.ID
}
