package e2e

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"sync/atomic"
	"testing"
	"time"
)

// bystanderVariable asks the test program to be a bystander; its value is a bystander as JSON.
const bystanderVariable = "SVC_TEST_BYSTANDER"

func TestMain(m *testing.M) {
	if asked := os.Getenv(bystanderVariable); asked != "" {
		var b bystander
		if err := json.Unmarshal([]byte(asked), &b); err != nil {
			panic(err) // the parent writes it
		}
		if err := b.resolve(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// A bystander resolves from another address while a server is under attack. It is a process of its own: next to the
// attackers its goroutine would wait for a second and more before it runs again, and its times would be theirs.
type bystander struct{ Host, Key, Channel string }

// resolve prints how long each resolve took, in nanoseconds, until its input ends.
func (b bystander) resolve() error {
	end := make(chan error)
	go func() {
		_, err := io.Copy(io.Discard, os.Stdin)
		end <- err
	}()
	client := clientAt(net.IPv4(127, 0, 0, 2))
	every := time.NewTicker(30 * time.Millisecond) // below the rate limit of an address
	for {
		began := time.Now()
		answer, err := Do(client, http.MethodPost, "http://"+b.Host+"/v1/sdk/resolve", `{"userId":"somebody"}`,
			"Authorization", "Bearer "+b.Key, "X-Svc-Channel", b.Channel)
		if err != nil || answer.Status != http.StatusOK {
			return fmt.Errorf("resolve: %d %s %w", answer.Status, answer.Body, err)
		}
		fmt.Println(int64(time.Since(began)))
		select {
		case <-every.C:
		case err := <-end:
			return err
		}
	}
}

// start starts the bystander. It has resolved so often as resolved says; stop ends it and returns how long each took,
// the shortest first.
func (b bystander) start(t *testing.T) (resolved func() int64, stop func() []time.Duration) {
	t.Helper()
	asked, err := json.Marshal(b)
	if err != nil {
		t.Fatal(err)
	}
	command := exec.Command(os.Args[0])
	command.Env = append(os.Environ(), bystanderVariable+"="+string(asked))
	command.Stderr = os.Stderr
	input, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	output, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	var count atomic.Int64
	latencies := make(chan []time.Duration, 1)
	go func() {
		var all []time.Duration
		for lines := bufio.NewScanner(output); lines.Scan(); {
			n, err := strconv.ParseInt(lines.Text(), 10, 64)
			if err != nil {
				t.Errorf("the bystander said %q", lines.Text())
				break
			}
			all = append(all, time.Duration(n))
			count.Add(1)
		}
		latencies <- all
	}()
	return count.Load, func() []time.Duration {
		_ = input.Close() // it may have failed, which Wait tells
		all := <-latencies
		if err := command.Wait(); err != nil {
			t.Errorf("the bystander: %v", err)
		}
		slices.Sort(all)
		return all
	}
}
