//go:build unix

package local_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/svc-dev/svc/postgres/local"
)

// helperDir makes this test program a supervisor that its parent kills.
const helperDir = "SVC_LOCAL_TEST_HELPER_DIR"

func TestMain(m *testing.M) {
	if dir := os.Getenv(helperDir); dir != "" {
		server, err := local.Start(context.Background(), config(dir))
		if err != nil {
			fmt.Println("error:", err)
			os.Exit(1)
		}
		fmt.Println(server.PID(), server.URL())
		select {}
	}
	os.Exit(m.Run())
}

func config(dir string) local.Config {
	return local.Config{Dir: dir, BinDir: os.Getenv("SVC_TEST_BINDIR"), Preload: os.Getenv("SVC_TEST_VARIANT") != "stock",
		Logger: slog.New(slog.NewTextHandler(io.Discard, nil))}
}

func start(t *testing.T, dir string) *local.Server {
	t.Helper()
	began := time.Now()
	server, err := local.Start(context.Background(), config(dir))
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("started in %v", time.Since(began).Round(time.Millisecond))
	t.Cleanup(func() { stop(t, server) })
	return server
}

func stop(t *testing.T, server *local.Server) {
	t.Helper()
	if err := server.Stop(context.Background()); err != nil {
		t.Error(err)
	}
}

func connect(t *testing.T, url string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(context.Background(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(context.Background()) })
	return conn
}

func exec1(t *testing.T, url, sql string) {
	t.Helper()
	if _, err := connect(t, url).Exec(context.Background(), sql); err != nil {
		t.Fatal(err)
	}
}

func value[T any](t *testing.T, url, sql string) T {
	t.Helper()
	var v T
	if err := connect(t, url).QueryRow(context.Background(), sql).Scan(&v); err != nil {
		t.Fatal(err)
	}
	return v
}

// eventually polls until the condition holds.
func eventually(t *testing.T, what string, condition func() bool) {
	t.Helper()
	deadline := time.Now().Add(30 * time.Second)
	for !condition() {
		if time.Now().After(deadline) {
			t.Fatalf("waited in vain: %s", what)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func alive(pid int) bool {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return runtime.GOOS != "linux" && syscall.Kill(pid, 0) == nil
	}
	return !strings.Contains(string(text), ") Z ")
}

// helper starts a supervisor in a process of its own and returns that process, and what it started.
func helper(t *testing.T, dir string) (supervisor *exec.Cmd, postgresPID int, url string) {
	t.Helper()
	executable, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	supervisor = exec.Command(executable)
	supervisor.Env = append(os.Environ(), helperDir+"="+dir)
	supervisor.Stderr = os.Stderr
	output, err := supervisor.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := supervisor.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = supervisor.Process.Kill(); _ = supervisor.Wait() }) // it has usually been killed by then
	line, err := bufio.NewReader(output).ReadString('\n')
	if err != nil {
		t.Fatalf("the helper said nothing: %v", err)
	}
	pid, url, found := strings.Cut(strings.TrimSpace(line), " ")
	if postgresPID, err = strconv.Atoi(pid); err != nil || !found {
		t.Fatalf("the helper said %q", line)
	}
	return supervisor, postgresPID, url
}
