package e2e

import (
	"encoding/json"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// readDevFile reads dev.json without the types of its readers.
func readDevFile(t testing.TB, d *Dev) map[string]any {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(d.Dir, "dev.json"))
	if err != nil {
		t.Fatal(err)
	}
	var file map[string]any
	if err := json.Unmarshal(content, &file); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestDevIsReadyToTry(t *testing.T) {
	t.Parallel()
	d := StartDev(t, nil, "--demo=small")
	t.Run("dev.json says everything and only to its owner", func(t *testing.T) {
		file := readDevFile(t, d)
		for _, key := range []string{"baseUrl", "graphqlUrl", "databaseUrl", "apiKey"} {
			if text, _ := file[key].(string); text == "" {
				t.Errorf("dev.json has no %s", key)
			}
		}
		if d.GraphQLURL != d.BaseURL+"/graphql" || !strings.HasPrefix(d.APIKey, "svc_wk_") || d.Admin.Email == "" ||
			len(d.Admin.Password) < 16 {
			t.Errorf("dev.json: %s %s %s", d.GraphQLURL, d.Admin.Email, d.BaseURL)
		}
		for _, name := range []string{"dev.json", "credentials.json"} {
			info, err := os.Stat(filepath.Join(d.Dir, name))
			if err != nil {
				t.Fatal(err)
			}
			if info.Mode().Perm() != 0o600 {
				t.Errorf("%s has mode %o", name, info.Mode().Perm())
			}
		}
	})
	t.Run("a channel of every state in both environments", func(t *testing.T) {
		for _, kind := range []string{"test", "live"} {
			env := d.Apps[0].Environments[kind]
			if !strings.HasPrefix(env.PublishableKey, "ob_pk_"+kind+"_") {
				t.Errorf("%s key %s", kind, env.PublishableKey)
			}
			var states []string
			asked := &resolver{t: t, address: d.BaseURL, key: env.PublishableKey}
			for _, channel := range env.Channels {
				states = append(states, channel.State)
				want := map[string]string{
					"pinned": "", "experiment": "", "unassigned": "channel_unassigned", "archived": "channel_archived",
				}[channel.State]
				if answer := asked.ask(channel.ID, "u"); answer.Code() != want {
					t.Errorf("%s channel %s, %s: %d %s", kind, channel.Name, channel.State, answer.Status, answer.Body)
				}
			}
			for _, state := range []string{"pinned", "experiment", "unassigned", "archived"} {
				if !slices.Contains(states, state) {
					t.Errorf("no %s channel is %s", kind, state)
				}
			}
		}
	})
	t.Run("what it prints can be pasted", func(t *testing.T) {
		for _, c := range []struct{ line, want string }{
			{`(?m)^  (curl .*)$`, `"versionId"`}, {`(?m)^  (SVC_API_URL=.* analytics product summary .*)$`, `"visitors"`},
			{`(?m)^  (SVC_API_URL=.* pull configuration .*)$`, `flows/`},
		} {
			match := regexp.MustCompile(c.line).FindStringSubmatch(d.Log())
			if match == nil {
				t.Fatalf("no line like %s in:\n%s", c.line, d.Log())
			}
			paste := exec.Command("bash", "-c", match[1])
			paste.Dir = t.TempDir()
			output, err := paste.CombinedOutput()
			if err != nil || !strings.Contains(string(output), c.want) {
				t.Errorf("%s: %v\n%s", match[1], err, output)
			}
		}
		if !strings.Contains(d.Log(), d.Admin.Email) || !strings.Contains(d.Log(), d.Admin.Password) {
			t.Error("the sign-in is not printed")
		}
	})
	t.Run("two weeks of history", func(t *testing.T) {
		var events, days, sessions, purchases int
		// Today counts as the fourteenth day, and has nobody yet just after midnight.
		query(t, d, `select count(*),
			count(distinct date_trunc('day', occurred_at)) filter (where occurred_at < date_trunc('day', now())),
			count(distinct session_id), (select count(*) from revenue_ledger) from product_events`,
			&events, &days, &sessions, &purchases)
		if events < 5000 || days < 13 || sessions < 1000 || purchases == 0 {
			t.Errorf("%d events on %d days before today in %d sessions with %d purchases", events, days, sessions, purchases)
		}
	})
	t.Run("money with a past, from deliveries", func(t *testing.T) {
		var byHand, unhandled, providers int
		query(t, d, `select count(*) filter (where source = 'hand'), count(distinct provider),
			(select count(*) from provider_event where state <> 'handled') from revenue_ledger`, &byHand, &providers, &unhandled)
		if byHand != 0 || unhandled != 0 || providers != 3 {
			t.Errorf("%d rows by hand, %d deliveries not handled, %d providers", byHand, unhandled, providers)
		}
		exit, stdout, stderr := Run(
			t, []string{"SVC_API_URL=" + d.BaseURL, "SVC_API_KEY=" + d.APIKey}, "analytics", "revenue", d.Apps[0].ID,
			"--start", time.Now().AddDate(0, 0, -30).Format(time.RFC3339), "--end", time.Now().Format(time.RFC3339),
		)
		if exit != 0 {
			t.Fatal(stderr)
		}
		var report struct {
			Totals        struct{ Gross, Renewal, RefundRate, WithoutPerson float64 }
			Subscriptions struct {
				State              struct{ Active, Trials, MRR float64 }
				Churned, ChurnRate float64
				Trials             struct{ Started, Converted, Pending, Abandoned float64 }
			}
		}
		if err := json.Unmarshal([]byte(stdout), &report); err != nil {
			t.Fatal(err)
		}
		of, trials := report.Subscriptions, report.Subscriptions.Trials
		for name, is := range map[string]bool{
			"gross": report.Totals.Gross > 1000, "renewals": report.Totals.Renewal > 100,
			"refunds": report.Totals.RefundRate > 0 && report.Totals.RefundRate < 0.2, "people": report.Totals.WithoutPerson == 0,
			"active": of.State.Active > 50, "MRR": of.State.MRR > 300 && of.State.MRR < 10*of.State.Active,
			"churn":  of.Churned > 0 && of.ChurnRate > 0 && of.ChurnRate < 0.3,
			"trials": of.State.Trials > 0 && trials.Converted > 0 && trials.Pending > 0 && trials.Abandoned > 0,
		} {
			if !is {
				t.Errorf("%s: %s", name, stdout)
			}
		}
	})
	t.Run("what happened in flows", func(t *testing.T) {
		var runs, lost, flows, names int
		query(t, d, `select count(*), count(*) filter (where not started), count(distinct flow_id),
			(select count(distinct name) from flow_events) from flow_run`, &runs, &lost, &flows, &names)
		if runs < 2000 || lost != 0 || flows != 7 || names < 12 {
			t.Errorf("%d runs of %d flows, %d without a start, events of %d names", runs, flows, lost, names)
		}
		var trials, renewals, refunds int
		query(t, d, `select count(*) filter (where kind = 'trial'),
			count(*) filter (where kind = 'renewal'), count(*) filter (where kind = 'refund')
			from revenue_ledger`, &trials, &renewals, &refunds)
		if trials == 0 || renewals == 0 || refunds == 0 {
			t.Errorf("%d trials, %d renewals, %d refunds", trials, renewals, refunds)
		}
		var exposed, unserved, hidden int
		query(t, d, `with exposed as (
				select distinct e.experiment_id, v.position as arm, e.app_version,
					encode(substring(sha256(e.app_user_id::bytea) for 16), 'hex')::uuid as person
				from flow_events e join variants v on v.id::text = e.variant_id
			)
			select count(*), count(*) filter (where not exists (
				select from experiment_served s where (s.experiment_id, s.arm, s.person) = (e.experiment_id, e.arm, e.person)
			)), (select count(*) from experiment_served) - count(*)
			from exposed e`, &exposed, &unserved, &hidden)
		if exposed < 1000 || unserved != 0 || hidden < 100 {
			t.Errorf("%d saw an arm, %d of them were not served it, %d were served one and saw none", exposed, unserved, hidden)
		}
	})
}

// restarted is what must be the same after a restart.
func restarted(t *testing.T, before, after DevFile) {
	t.Helper()
	if before.APIKey != after.APIKey || before.Admin != after.Admin || before.Apps[0].ID != after.Apps[0].ID {
		t.Errorf("after the restart: other credentials or app")
	}
	for kind, env := range before.Apps[0].Environments {
		if again := after.Apps[0].Environments[kind]; again.PublishableKey != env.PublishableKey || !slices.Equal(
			again.Channels, env.Channels,
		) {
			t.Errorf("%s after the restart: %v, was %v", kind, again, env)
		}
	}
}

func TestRestartsKeepCredentialsAndData(t *testing.T) {
	t.Parallel()
	d := StartDev(t, nil, "--demo=none")
	key := d.Apps[0].Environments["live"].PublishableKey
	studio := d.SignIn(t, d.BaseURL)
	channel := studio.CreateChannel(d.Apps[0].ID, "Onboarding")
	_, current := studio.Publish(d.Apps[0].ID, "Plants", example(t, "branching-onboarding"))
	studio.Pin(channel, current)
	if answer, _ := send(t, d.BaseURL, key, []event{newEvent("a", "s")}); answer.Status != 200 {
		t.Fatalf("%d %s", answer.Status, answer.Body)
	}
	first := (&resolver{t: t, address: d.BaseURL, key: key}).ask(channel, "u")

	for _, end := range []struct {
		how  string
		stop func()
	}{{"SIGTERM", func() { d.Stop() }}, {"kill -9", func() { d.Kill() }}} {
		end.stop()
		_, err := os.Stat(filepath.Join(d.Dir, "dev.json"))
		if left := err == nil; left != (end.how == "kill -9") {
			t.Errorf("after %s: dev.json is there: %v", end.how, left)
		}
		before := d.DevFile
		before.Apps[0].Environments["live"] = AppEnvironment{
			key,
			append(slices.Clone(before.Apps[0].Environments["live"].Channels[:1]), Channel{channel, "Onboarding", "pinned"}),
		}
		started := time.Now()
		d.Start(t)
		t.Logf("serving %s after a start that followed %s", time.Since(started).Round(time.Millisecond), end.how)
		restarted(t, before, d.DevFile)
		var events int
		query(t, d, `select count(*) from product_event`, &events)
		if events != 1 {
			t.Errorf("after %s: %d events, want 1", end.how, events)
		}
		answer := (&resolver{t: t, address: d.BaseURL, key: key}).ask(channel, "u", "If-None-Match", first.Header.Get("ETag"))
		// The port is another one, and with it the addresses of media in the body.
		if answer.Status != 200 || version(t, answer) != current || answer.Header.Get("ETag") == first.Header.Get("ETag") {
			t.Errorf(
				"after %s: resolve answered %d with tag %s, was %s", end.how, answer.Status, answer.Header.Get("ETag"),
				first.Header.Get("ETag"),
			)
		}
	}
	var reasons int
	query(t, d, `select count(*) from assignments where reason = 'media_base'`, &reasons)
	if reasons != 2 {
		t.Errorf("two starts on other ports raised the channel %d times", reasons)
	}
}

func TestABusyPortIsNamed(t *testing.T) {
	busy, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer busy.Close()
	dir := t.TempDir()
	for setting, args := range map[string][]string{
		"--addr": {"dev", "--data-dir", dir, "--addr", busy.Addr().String()},
		"--admin-addr": {
			"serve", "--database-url", "postgres://svc@127.0.0.1:1/svc", "--addr", "127.0.0.1:0", "--admin-addr",
			busy.Addr().String(),
		},
	} {
		exit, _, stderr := Run(t, nil, args...)
		if exit != 1 || !strings.Contains(stderr, busy.Addr().String()) || !strings.Contains(stderr, "another "+setting+" ") {
			t.Errorf("svc %v: %d %s", args, exit, stderr)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "postgres")); err == nil {
		t.Error("a database was made although the port is busy")
	}
}

func TestForeignDataDirectoriesAreLeftAlone(t *testing.T) {
	for name, c := range map[string]struct {
		files map[string]string
		want  string
	}{
		"another major version": {map[string]string{"PG_VERSION": "12\n", "base/1/2600": "rows"}, "12"},
		"something else":        {map[string]string{"letter.txt": "dear"}, "not a PostgreSQL data directory"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			data := filepath.Join(dir, "postgres", "data")
			for file, content := range c.files {
				path := filepath.Join(data, file)
				if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			exit, _, stderr := Run(t, nil, "dev", "--data-dir", dir, "--addr", "127.0.0.1:0")
			if exit != 1 || !strings.Contains(stderr, c.want) || !strings.Contains(stderr, data) {
				t.Errorf("%d %s", exit, stderr)
			}
			var left []string
			if err := filepath.WalkDir(data, func(path string, entry os.DirEntry, err error) error {
				if err == nil && !entry.IsDir() {
					relative, _ := filepath.Rel(data, path) // path is below data
					left = append(left, relative)
				}
				return err
			}); err != nil {
				t.Fatal(err)
			}
			if len(left) != len(c.files) {
				t.Errorf("the directory holds %v", left)
			}
			for file, content := range c.files {
				if now, err := os.ReadFile(filepath.Join(data, file)); err != nil || string(now) != content {
					t.Errorf("%s: %q %v", file, now, err)
				}
			}
		})
	}
}

func TestADataDirectoryHasOneServer(t *testing.T) {
	d := StartDev(t, nil, "--demo=none")
	exit, _, stderr := Run(t, nil, "dev", "--data-dir", d.Dir, "--addr", "127.0.0.1:0")
	if exit != 1 || !strings.Contains(stderr, d.Dir) || !strings.Contains(stderr, "another") {
		t.Errorf("a second svc dev on the directory: %d %s", exit, stderr)
	}
	if answer, _ := send(
		t, d.BaseURL, d.Apps[0].Environments["live"].PublishableKey, []event{newEvent("a", "s")},
	); answer.Status != 200 {
		t.Errorf("the first server answers %d %s", answer.Status, answer.Body)
	}
	if file := readDevFile(t, d); file["baseUrl"] != d.BaseURL {
		t.Errorf("dev.json now says %v", file["baseUrl"])
	}
}

// A report is scheduled, changed, previewed and deleted by the key of a member, who is told what is wrong with an
// input.
func TestScheduledReportsByTheCommandLine(t *testing.T) {
	t.Parallel()
	d := StartDev(t, nil, "--demo=none")
	app := d.Apps[0].ID
	a := authored{t, []string{
		"SVC_API_URL=" + d.BaseURL, "SVC_API_KEY=" + d.APIKey, "SVC_CONFIG_PATH=" + filepath.Join(d.Dir, "none.json"),
	}}
	type report struct {
		ID, Frequency, TimeZone, Destination string
		Active                               bool
	}
	var made, changed report
	a.read(&made, "scheduled-reports", "create", app, "--frequency", "monthly", "--time-zone", "Asia/Tokyo")
	if made.Frequency != "MONTHLY" || made.TimeZone != "Asia/Tokyo" || made.Destination != "EMAIL" || !made.Active {
		t.Errorf("made %+v", made)
	}
	a.read(&changed, "scheduled-reports", "update", made.ID, "--frequency", "weekly", "--active=false")
	if want := (report{made.ID, "WEEKLY", "Asia/Tokyo", "EMAIL", false}); changed != want {
		t.Errorf("changed to %+v, want %+v", changed, want)
	}
	var listed []report
	a.read(&listed, "scheduled-reports", "list", app)
	if len(listed) != 1 || listed[0] != changed {
		t.Errorf("listed %+v", listed)
	}
	var preview struct{ Subject, Text string }
	a.read(&preview, "scheduled-reports", "preview", app, "--time-zone", "Asia/Tokyo")
	if preview.Subject == "" || !strings.Contains(preview.Text, "Visitors") {
		t.Errorf("preview %+v", preview)
	}
	_, stderr := a.svc(2, "scheduled-reports", "update", made.ID, "--time-zone", "Mars/Olympus")
	a.has(stderr, "timeZone")
	_, stderr = a.svc(1, "scheduled-reports", "send", "00000000-0000-7000-8000-000000000000")
	a.has(stderr, "not_found")
	a.svc(0, "scheduled-reports", "delete", made.ID)
	a.read(&listed, "scheduled-reports", "list", app)
	if len(listed) != 0 {
		t.Errorf("still listed: %+v", listed)
	}

	var suppressed struct{ TotalCount int }
	a.read(&suppressed, "automations", "suppressions", "list", app, "--email", "ana@example.com")
	_, stderr = a.svc(1, "automations", "suppressions", "remove", "00000000-0000-7000-8000-000000000000")
	a.has(stderr, "not_found")
}
