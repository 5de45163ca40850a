package local

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgproto3"
)

// fakeServer answers each connection with the SQLSTATE that answer gives, or lets it in when that is "".
func fakeServer(t *testing.T, answer func() string) (port int) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return // closed at the end of the test
			}
			backend := pgproto3.NewBackend(conn, conn)
			if _, err := backend.ReceiveStartupMessage(); err == nil {
				if code := answer(); code != "" {
					backend.Send(&pgproto3.ErrorResponse{Severity: "FATAL", Code: code, Message: "no"})
				} else {
					backend.Send(&pgproto3.AuthenticationOk{})
					backend.Send(&pgproto3.ReadyForQuery{TxStatus: 'I'})
				}
				_ = backend.Flush() // a client that has gone asks again
			}
			conn.Close()
		}
	}()
	return listener.Addr().(*net.TCPAddr).Port
}

// waitFor waits for a server whose lock file ends with a status.
func waitFor(t *testing.T, port int, status string, exited <-chan struct{}) error {
	t.Helper()
	c := &cluster{
		config: Config{Dir: t.TempDir(), StartTimeout: 150 * time.Millisecond}, settings: settings{Port: port, Password: "x"},
	}
	if err := os.Mkdir(c.config.dataDir(), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(pidFile(c.config.dataDir()), []byte("1\n2\n3\n4\n5\n6\n7\n"+status+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if file, err := openLog(filepath.Join(c.config.Dir, "postgres.log")); err != nil {
		t.Fatal(err)
	} else if _, err := file.WriteString("the reason\n"); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	return c.waitReady(ctx, exited)
}

// Interrupting a server that replays its log would make the next start replay the same again.
func TestRecoveringServerIsWaitedForBeyondTheTimeout(t *testing.T) {
	ready := time.Now().Add(600 * time.Millisecond)
	port := fakeServer(t, func() string {
		if time.Now().Before(ready) {
			return "57P03"
		}
		return ""
	})
	if err := waitFor(t, port, "ready   ", nil); err != nil {
		t.Error(err)
	}
	if time.Now().Before(ready) {
		t.Error("ready before the server was")
	}
}

func TestAnswerOfAnotherServerIsNotTaken(t *testing.T) {
	port := fakeServer(t, func() string { return "" })
	if err := waitFor(t, port, "starting", nil); !errors.Is(err, errAnotherServer) {
		t.Errorf("a server that answers instead of ours: %v", err)
	}
}

func TestServerThatRefusesOrEndsIsNotWaitedFor(t *testing.T) {
	port := fakeServer(t, func() string { return "28P01" })
	if err := waitFor(t, port, "starting", nil); err == nil || errors.Is(err, errExited) || !strings.Contains(
		err.Error(), "the reason",
	) {
		t.Errorf("a server with another password: %v", err)
	}
	exited := make(chan struct{})
	close(exited)
	if err := waitFor(t, port, "starting", exited); !errors.Is(err, errExited) || !strings.Contains(err.Error(), "the reason") {
		t.Errorf("a server that ended: %v", err)
	}
}
