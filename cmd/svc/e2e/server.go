// Package e2e starts the real svc binary on a real database and talks to it as
// the world does: HTTP and the command line. It imports nothing of the product,
// so that what it proves holds for every client.
package e2e

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// DevFile is dev.json as its readers know it.
type DevFile struct {
	BaseURL     string `json:"baseUrl"`
	GraphQLURL  string `json:"graphqlUrl"`
	MetricsURL  string `json:"metricsUrl"`
	DatabaseURL string `json:"databaseUrl"`
	APIKey      string `json:"apiKey"`
	Admin       struct{ Email, Password string }
	Apps        []App `json:"apps"`
}

// App is one app of dev.json.
type App struct {
	ID           string                    `json:"id"`
	Name         string                    `json:"name"`
	Environments map[string]AppEnvironment `json:"environments"`
}

// AppEnvironment is the test or live half of an app.
type AppEnvironment struct {
	PublishableKey string    `json:"publishableKey"`
	Channels       []Channel `json:"channels"`
}

// Channel is one channel of dev.json.
type Channel struct {
	ID    string `json:"id"`
	Name  string `json:"name"`
	State string `json:"state"`
}

var build struct {
	once sync.Once
	path string
	err  error
}

// Binary builds svc once a test program and returns its path.
func Binary(t testing.TB) string {
	t.Helper()
	build.once.Do(func() {
		source, err := sourceDirectory()
		if err != nil {
			build.err = err
			return
		}
		dir, err := os.MkdirTemp("", "svc-e2e-")
		if err != nil {
			build.err = err
			return
		}
		build.path = filepath.Join(dir, "svc")
		build.err = compile(source, build.path)
	})
	if build.err != nil {
		t.Fatal(build.err)
	}
	return build.path
}

// sourceDirectory is the module's.
func sourceDirectory() (string, error) {
	module, err := exec.Command("go", "env", "GOMOD").Output()
	if err != nil {
		return "", fmt.Errorf("find the module: %w", err)
	}
	return filepath.Dir(strings.TrimSpace(string(module))), nil
}

// compile builds svc of a directory with its source.
func compile(source, into string, flags ...string) error {
	command := exec.Command("go", slices.Concat([]string{"build", "-o", into}, flags, []string{"./cmd/svc"})...)
	command.Dir = source
	if output, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("build svc: %w\n%s", err, output)
	}
	return nil
}

// Process is one running svc.
type Process struct {
	t       testing.TB
	command *exec.Cmd
	log     *logBuffer
	done    chan struct{}
	err     error
}

type logBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (l *logBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(p)
}

func (l *logBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.String()
}

// environment returns the machine's without settings of svc, plus extra.
func environment(extra []string) []string {
	var list []string
	for _, entry := range os.Environ() {
		if !strings.HasPrefix(entry, "SVC_") {
			list = append(list, entry)
		}
	}
	return append(list, extra...)
}

// Spawn starts svc with args and environment variables.
func Spawn(t testing.TB, env []string, args ...string) *Process {
	t.Helper()
	return spawn(t, Binary(t), env, args...)
}

// spawn starts a program as [Spawn] does svc.
func spawn(t testing.TB, program string, env []string, args ...string) *Process {
	t.Helper()
	p := &Process{t: t, command: exec.Command(program, args...), log: &logBuffer{}, done: make(chan struct{})}
	p.command.Env = environment(env)
	p.command.Stdout, p.command.Stderr = p.log, p.log
	if err := p.command.Start(); err != nil {
		t.Fatalf("start svc %v: %v", args, err)
	}
	go func() {
		p.err = p.command.Wait()
		close(p.done)
	}()
	t.Cleanup(func() {
		p.Stop()
		if t.Failed() {
			t.Logf("svc %v said:\n%s", args, p.log)
		}
	})
	return p
}

// Log returns what the process has written so far.
func (p *Process) Log() string { return p.log.String() }

// Ended tells whether the process has ended.
func (p *Process) Ended() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// Wait waits for the end of the process and returns its exit code.
func (p *Process) Wait() int {
	<-p.done
	return p.command.ProcessState.ExitCode()
}

// Signal sends a signal.
func (p *Process) Signal(signal syscall.Signal) { _ = p.command.Process.Signal(signal) }

// Kill ends the process as a crash would.
func (p *Process) Kill() {
	_ = p.command.Process.Kill()
	<-p.done
}

// Stop asks the process to end and waits.
func (p *Process) Stop() {
	if p.Ended() {
		return
	}
	p.Signal(syscall.SIGTERM)
	select {
	case <-p.done:
	case <-time.After(60 * time.Second):
		p.t.Errorf("svc did not stop within 60 s of SIGTERM")
		p.Kill()
	}
}

// Dev is `svc dev` with its data directory.
type Dev struct {
	*Process
	DevFile
	Dir  string
	args []string
	env  []string
	// program is another svc than the one under test, where it is not empty.
	program string
}

// StartDev starts `svc dev` on a free port with a data directory of its own.
func StartDev(t testing.TB, env []string, args ...string) *Dev {
	t.Helper()
	return startDev(t, "", env, args...)
}

// startDev starts another svc, where program names one, as [StartDev] does the one under test.
func startDev(t testing.TB, program string, env []string, args ...string) *Dev {
	t.Helper()
	d := &Dev{Dir: t.TempDir(), args: args, env: env, program: program}
	if variant := os.Getenv("SVC_TEST_VARIANT"); variant == "stock" {
		d.args = append(d.args, "--timescaledb=false")
	}
	d.Start(t)
	return d
}

// Start starts the server, again after it ended, and waits until it serves.
func (d *Dev) Start(t testing.TB) {
	t.Helper()
	path := filepath.Join(d.Dir, "dev.json")
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	args := append([]string{"dev", "--addr", "127.0.0.1:0", "--data-dir", d.Dir}, d.args...)
	d.Process = spawn(t, d.binary(t), d.env, args...)
	Until(t, 2*time.Minute, "svc dev serves", func() error {
		if d.Ended() {
			t.Fatalf("svc dev ended with %d:\n%s", d.Wait(), d.Log())
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		d.DevFile = DevFile{}
		return json.Unmarshal(content, &d.DevFile)
	})
}

func (d *Dev) binary(t testing.TB) string {
	t.Helper()
	if d.program != "" {
		return d.program
	}
	return Binary(t)
}

// serving is the environment of one more server on the database of d.
func (d *Dev) serving(env ...string) []string {
	return append([]string{
		"SVC_DATABASE_URL=" + d.DatabaseURL, "SVC_LOG_FORMAT=json", "SVC_ADDR=127.0.0.1:0", "SVC_ADMIN_ADDR=",
		"SVC_MEDIA_DIR=" + filepath.Join(d.Dir, "media"), "SVC_FRAME_DIR=" + filepath.Join(d.Dir, "frames"),
	}, env...)
}

// Serve starts one more server on the database of d and returns its address.
func (d *Dev) Serve(t testing.TB, env ...string) (*Process, string) {
	t.Helper()
	p := spawn(t, d.binary(t), d.serving(env...), "serve")
	var address string
	Until(t, time.Minute, "svc serve serves", func() error {
		if p.Ended() {
			t.Fatalf("svc serve ended with %d:\n%s", p.Wait(), p.Log())
		}
		for line := range strings.Lines(p.Log()) {
			var entry struct{ Msg, Addr string }
			if json.Unmarshal([]byte(line), &entry) == nil && entry.Msg == "serving" {
				address = "http://" + entry.Addr
				return nil
			}
		}
		return errors.New("no line says serving")
	})
	return p, address
}

// Run runs one svc command to its end.
func Run(t testing.TB, env []string, args ...string) (exit int, stdout, stderr string) {
	t.Helper()
	command := exec.Command(Binary(t), args...)
	command.Env = environment(env)
	var out, errs bytes.Buffer
	command.Stdout, command.Stderr = &out, &errs
	err := command.Run()
	var failed *exec.ExitError
	if err != nil && !errors.As(err, &failed) {
		t.Fatal(err)
	}
	return command.ProcessState.ExitCode(), out.String(), errs.String()
}

// Until calls check until it returns nil; it fails the test with the last error
// after the deadline.
func Until(t testing.TB, deadline time.Duration, what string, check func() error) {
	t.Helper()
	end := time.Now().Add(deadline)
	for {
		err := check()
		if err == nil {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("not within %s: %s: %v", deadline, what, err)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// Browser returns an HTTP client with cookies.
func Browser() *http.Client {
	jar, _ := cookiejar.New(nil) // never fails without options
	return &http.Client{Jar: jar, Timeout: 30 * time.Second}
}

// Answer is a response read to its end.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// Decode reads the body as JSON.
func (a Answer) Decode(t testing.TB, into any) {
	t.Helper()
	if err := json.Unmarshal(a.Body, into); err != nil {
		t.Fatalf("answer %d %q: %v", a.Status, a.Body, err)
	}
}

// Code returns the machine code of an error body.
func (a Answer) Code() string {
	var body struct{ Code string }
	_ = json.Unmarshal(a.Body, &body)
	return body.Code
}

// Do sends a request; body may be nil, bytes, or a value that is sent as JSON.
// Headers are pairs.
func Do(client *http.Client, method, url string, body any, headers ...string) (Answer, error) {
	var reader io.Reader
	switch body := body.(type) {
	case nil:
	case []byte:
		reader = bytes.NewReader(body)
	case string:
		reader = strings.NewReader(body)
	default:
		encoded, err := json.Marshal(body)
		if err != nil {
			return Answer{}, err
		}
		reader = bytes.NewReader(encoded)
	}
	request, err := http.NewRequest(method, url, reader)
	if err != nil {
		return Answer{}, err
	}
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	response, err := client.Do(request)
	if err != nil {
		return Answer{}, err
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	return Answer{Status: response.StatusCode, Header: response.Header, Body: content}, err
}
