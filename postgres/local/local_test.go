//go:build unix

package local_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/svc-dev/svc/postgres/local"
)

func TestDataSurvivesAStopAndAStart(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first := start(t, dir)
	exec1(t, first.URL(), `create table kept as select 42 as answer`)
	pid, url := first.PID(), first.URL()
	stop(t, first)
	if alive(pid) {
		t.Error("the server lives after Stop")
	}
	stop(t, first) // a second Stop is harmless

	second := start(t, dir)
	if second.URL() != url {
		t.Errorf("the address changed from %s to %s", url, second.URL())
	}
	if got := value[int](t, second.URL(), `select answer from kept`); got != 42 {
		t.Errorf("kept %d", got)
	}
	log, err := os.ReadFile(filepath.Join(dir, "postgres.log"))
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(log), "not properly shut down") {
		t.Error("Stop left a server that had to recover")
	}
}

func TestServerIsPrivateAndDurable(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	server := start(t, dir)
	settings := value[string](t, server.URL(), `select format('%s %s %s %s', current_setting('fsync'),
		current_setting('synchronous_commit'),
		current_setting('listen_addresses'), current_setting('server_encoding'))`)
	if settings != "on on 127.0.0.1 UTF8" {
		t.Errorf("settings: %s", settings)
	}
	if stored := value[string](
		t, server.URL(), `select left(rolpassword, 13) from pg_authid where rolname = 'svc'`,
	); stored != "SCRAM-SHA-256" {
		t.Errorf("the password is stored as %s", stored)
	}
	wrong, err := pgx.ParseConfig(server.URL())
	if err != nil {
		t.Fatal(err)
	}
	wrong.Password = "guess"
	if conn, err := pgx.ConnectConfig(context.Background(), wrong); err == nil {
		conn.Close(context.Background())
		t.Error("a wrong password was let in")
	}
	info, err := os.Stat(filepath.Join(dir, "settings.json"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the password's file has mode %v (%v)", info.Mode(), err)
	}
	if runtime.GOOS == "linux" {
		status, err := os.Stat(fmt.Sprintf("/proc/%d", server.PID()))
		if err != nil {
			t.Fatal(err)
		}
		if status.Sys().(*syscall.Stat_t).Uid == 0 {
			t.Error("the server runs as root")
		}
	}
}

// A home directory is often closed to other users, and root's server runs as one of them.
func TestDataDirBelowOpenAndPrivateDirectories(t *testing.T) {
	t.Parallel()
	for name, mode := range map[string]os.FileMode{"open": 0o755, "private": 0o700} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			parent := filepath.Join(root, name)
			if err := os.Mkdir(parent, 0o700); err != nil {
				t.Fatal(err)
			}
			for _, dir := range []string{filepath.Dir(root), parent} { // the testing package's own is private
				if err := os.Chmod(dir, mode); err != nil {
					t.Fatal(err)
				}
			}
			dir := filepath.Join(parent, "server")
			server := start(t, dir)
			exec1(t, server.URL(), `create table kept as select 1 as n`)
			exec1(t, server.URL(), `checkpoint`)
			stop(t, server)
			if got := value[int](t, start(t, dir).URL(), `select n from kept`); got != 1 {
				t.Errorf("kept %d", got)
			}
			info, err := os.Stat(parent)
			if err != nil || info.Mode().Perm() != mode {
				t.Errorf("the parent directory has mode %v now (%v)", info.Mode(), err)
			}
		})
	}
}

func TestKilledDatabaseIsStartedAgain(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	server := start(t, t.TempDir())
	pool, err := pgxpool.New(ctx, server.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	if _, err := pool.Exec(ctx, `create table acknowledged (n int)`); err != nil {
		t.Fatal(err)
	}
	for round := 1; round <= 2; round++ {
		if _, err := pool.Exec(ctx, `insert into acknowledged values ($1)`, round); err != nil {
			t.Fatal(err)
		}
		pid := server.PID()
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		eventually(t, "the pool works again", func() bool {
			var n int
			return pool.QueryRow(
				ctx, `select count(*) from acknowledged`,
			).Scan(&n) == nil && n == round && server.PID() != pid && server.PID() != 0
		})
		t.Logf("back after %v", time.Since(began).Round(time.Millisecond))
	}
}

func TestKilledSupervisorIsSucceeded(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	supervisor, oldPID, url := helper(t, dir)
	exec1(t, url, `create table acknowledged as select 7 as n`)
	if _, err := local.Start(context.Background(), config(dir)); err == nil || !strings.Contains(
		err.Error(), "another process supervises",
	) {
		t.Fatalf("a second supervisor beside the first: %v", err)
	}
	if err := supervisor.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = supervisor.Wait() // "signal: killed"

	server := start(t, dir)
	if server.PID() == oldPID {
		t.Error("the new supervisor has the old process")
	}
	if alive(oldPID) {
		t.Error("the old server lives beside the new one")
	}
	if server.URL() != url {
		t.Errorf("the address changed from %s to %s", url, server.URL())
	}
	if got := value[int](t, server.URL(), `select n from acknowledged`); got != 7 {
		t.Errorf("kept %d", got)
	}
}

func TestKilledSupervisorLeavesNoServerBehind(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("only Linux ends the server with its supervisor; elsewhere the next start takes it over")
	}
	supervisor, pid, _ := helper(t, t.TempDir())
	if err := supervisor.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = supervisor.Wait() // "signal: killed"
	eventually(t, "the server of the killed supervisor ends", func() bool { return !alive(pid) })
}

// Where the kernel does not end it, the server of a killed supervisor still runs at the next start.
func TestRunningServerIsTakenOver(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	ctx := context.Background()
	shared, err := local.Join(ctx, config(dir))
	if err != nil {
		t.Fatal(err)
	}
	exec1(t, shared.DatabaseURL("postgres"), `create table kept as select 3 as n`)
	// A client that holds a transaction open must not hold up the take-over.
	busy := connect(t, shared.DatabaseURL("postgres"))
	if _, err := busy.Exec(ctx, `begin; insert into kept values (4)`); err != nil {
		t.Fatal(err)
	}
	server := start(t, dir)
	if got := value[int](t, server.DatabaseURL("postgres"), `select sum(n)::int from kept`); got != 3 {
		t.Errorf("kept %d, want 3 without the open transaction", got)
	}
}

func TestProgramsJoinOneServer(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	ctx := context.Background()
	urls := make(chan string, 3)
	for range cap(urls) {
		go func() {
			shared, err := local.Join(ctx, config(dir))
			if err != nil {
				urls <- err.Error()
				return
			}
			urls <- shared.DatabaseURL("postgres")
		}()
	}
	first := <-urls
	for range cap(urls) - 1 {
		if next := <-urls; next != first {
			t.Errorf("joined %s and %s", first, next)
		}
	}
	started := value[time.Time](t, first, `select pg_postmaster_start_time()`)
	if again := value[time.Time](t, first, `select pg_postmaster_start_time()`); !again.Equal(started) {
		t.Error("joining restarted the server")
	}
	stop(t, start(t, dir)) // ends it
}

// snapshot lists a directory's files with their content.
func snapshot(t *testing.T, dir string) string {
	t.Helper()
	var lines []string
	err := filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		content := "dir"
		if !entry.IsDir() {
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			content = string(text)
		}
		lines = append(lines, path+": "+content)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(lines, "\n")
}

func TestForeignDataIsRefusedAndLeftAlone(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		files map[string]string
		want  string
	}{
		{"another major version", map[string]string{"PG_VERSION": "11\n", "base/1": "rows"}, "was made by PostgreSQL 11"},
		{"a newer major version", map[string]string{"PG_VERSION": "99\n", "base/1": "rows"}, "was made by PostgreSQL 99"},
		{"not a database", map[string]string{"thesis.txt": "years of work"}, "is not a PostgreSQL data directory"},
		{"an unreadable version", map[string]string{"PG_VERSION": "eleven", "base/1": "rows"}, "not understood"},
		{"an empty directory", nil, "is empty"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			data := filepath.Join(dir, "data")
			if err := os.MkdirAll(filepath.Join(data), 0o700); err != nil {
				t.Fatal(err)
			}
			for name, content := range test.files {
				if err := os.MkdirAll(filepath.Dir(filepath.Join(data, name)), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(data, name), []byte(content), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			before := snapshot(t, data)
			server, err := local.Start(context.Background(), config(dir))
			if err == nil {
				stop(t, server)
				t.Fatal("started")
			}
			if !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), data) {
				t.Errorf("error %q, want %q and the directory in it", err, test.want)
			}
			var mismatch *local.VersionMismatchError
			if strings.Contains(test.name, "major") != errors.As(err, &mismatch) {
				t.Errorf("error type %T", err)
			}
			if after := snapshot(t, data); after != before {
				t.Errorf("the directory changed from\n%s\nto\n%s", before, after)
			}
		})
	}
}

func TestInterruptedInitializationIsRepeated(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "unfinished-123", "base"), 0o700); err != nil {
		t.Fatal(err)
	}
	server := start(t, dir)
	if got := value[int](t, server.URL(), `select 1`); got != 1 {
		t.Error("no answer")
	}
	if left, err := filepath.Glob(filepath.Join(dir, "unfinished-*")); err != nil || len(left) != 0 {
		t.Errorf("left are %v (%v)", left, err)
	}
}

func TestTakenPortIsReplaced(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first := start(t, dir)
	old, err := pgx.ParseConfig(first.URL())
	if err != nil {
		t.Fatal(err)
	}
	stop(t, first)
	squatter, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(int(old.Port))))
	if err != nil {
		t.Fatal(err)
	}
	defer squatter.Close()
	if got := value[int](t, start(t, dir).URL(), `select 1`); got != 1 {
		t.Error("no answer")
	}
}

// Copies of a directory have one port and one password: each has to have its own data when all start at once.
func TestCopiesThatStartAtOnceDoNotMeet(t *testing.T) {
	t.Parallel()
	original := filepath.Join(t.TempDir(), "original")
	stop(t, start(t, original))
	servers := make([]*local.Server, 4)
	dirs := make([]string, len(servers))
	for i := range servers {
		dirs[i] = filepath.Join(t.TempDir(), "copy")
		if output, err := exec.Command("cp", "-a", original, dirs[i]).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, output)
		}
	}
	var started sync.WaitGroup
	for i, dir := range dirs {
		started.Go(func() {
			var err error
			if servers[i], err = local.Start(context.Background(), config(dir)); err != nil {
				t.Error(err)
			}
		})
	}
	started.Wait()
	seen := map[string]bool{}
	for _, server := range servers {
		if server != nil {
			seen[server.URL()] = true
			defer stop(t, server)
		}
	}
	if len(seen) != len(servers) {
		t.Errorf("%d servers are at %d addresses", len(servers), len(seen))
	}
}

// After a container restart the number in the lock file often belongs to another process of the same user.
func TestLockFileOfAnotherProcessIsNotBelieved(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first := start(t, dir)
	stop(t, first)
	bystander := exec.Command("sleep", "600")
	info, err := os.Stat(filepath.Join(dir, "data"))
	if err != nil {
		t.Fatal(err)
	}
	owner := info.Sys().(*syscall.Stat_t)
	if os.Geteuid() == 0 {
		bystander.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: owner.Uid, Gid: owner.Gid}}
		bystander.Dir = "/"
	}
	if err := bystander.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = bystander.Process.Kill(); _ = bystander.Wait() }()
	lock := filepath.Join(dir, "data", "postmaster.pid")
	if err := os.WriteFile(
		lock, fmt.Appendf(nil, "%d\n%s\n", bystander.Process.Pid, filepath.Join(dir, "data")), 0o600,
	); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(lock, int(owner.Uid), int(owner.Gid)); err != nil {
		t.Fatal(err)
	}
	start(t, dir)
	if !alive(bystander.Process.Pid) {
		t.Error("the bystander was ended")
	}
}

func TestServerThatCannotStartSaysWhy(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	stop(t, start(t, dir))
	conf := filepath.Join(dir, "data", "postgresql.conf")
	if err := os.WriteFile(conf, []byte("no_such_setting_at_all = 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	server, err := local.Start(context.Background(), config(dir))
	if err == nil {
		stop(t, server)
		t.Fatal("started")
	}
	if !strings.Contains(err.Error(), "no_such_setting_at_all") {
		t.Errorf("the error hides the reason: %v", err)
	}
}

func TestMissingProgramsAreNamed(t *testing.T) {
	t.Parallel()
	bad := config(t.TempDir())
	bad.BinDir = t.TempDir()
	if _, err := local.Start(context.Background(), bad); err == nil || !strings.Contains(err.Error(), bad.BinDir) {
		t.Errorf("error %v, want the directory in it", err)
	}
}

func TestTimescaleIsPreloadedWhenInstalled(t *testing.T) {
	t.Parallel()
	server := start(t, t.TempDir())
	installed := config("").Preload && server.Installation().HasLibrary(context.Background(), "timescaledb")
	if got := value[bool](
		t, server.URL(), `select current_setting('shared_preload_libraries') = 'timescaledb'`,
	); got != installed {
		t.Errorf("preloaded is %t, installed is %t", got, installed)
	}
}
