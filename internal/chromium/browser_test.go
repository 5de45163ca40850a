package chromium

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	_ "image/jpeg"
	_ "image/png"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// newBrowser returns a browser of a page of so much HTML.
func newBrowser(t *testing.T, page string) *Browser {
	t.Helper()
	if _, err := find(""); err != nil {
		if os.Getenv("SVC_SETUP_BROWSER") == "yes" && os.Getenv("CHROME_BIN") == "" { // scripts/setup has installed one
			t.Fatal(err)
		}
		t.Skip(err)
	}
	b := New(Options{
		Path: "/page", Before: `window.started = Promise.resolve()`, Ready: `started`, Sandbox: true,
		Files: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch r.URL.Path {
			case "/page":
				w.Header().Set("Content-Type", "text/html")
				_, _ = fmt.Fprint(w, "<!doctype html>", page)
			case "/large":
				_, _ = w.Write(make([]byte, maxFile+1))
			default:
				http.NotFound(w, r)
			}
		}),
	})
	t.Cleanup(func() { require.NoError(t, b.Close(context.WithoutCancel(t.Context()))) })
	return b
}

func shot() Shot {
	return Shot{Width: 300, Height: 200, Script: `Promise.resolve()`, Settled: `new Promise(requestAnimationFrame)`, MaxBytes: 1 << 20}
}

func colorAt(t *testing.T, taken *Picture, x, y int) [3]uint32 {
	t.Helper()
	decoded, kind, err := image.Decode(bytes.NewReader(taken.Content))
	require.NoError(t, err)
	require.Equal(t, taken.Type, "image/"+kind)
	require.Equal(t, image.Pt(300, 200), decoded.Bounds().Size())
	r, g, b, _ := decoded.At(x, y).RGBA()
	return [3]uint32{r >> 8, g >> 8, b >> 8}
}

const twoSchemes = `<style>body {margin: 0; background: #f00} @media (prefers-color-scheme: dark) {body {background: #00f}}</style>`

func TestAPictureIsOfThePage(t *testing.T) {
	b := newBrowser(t, twoSchemes)
	for range 3 {
		taken, err := b.Take(t.Context(), shot())
		require.NoError(t, err)
		require.Equal(t, [3]uint32{255, 0, 0}, colorAt(t, taken, 150, 100))
		dark := shot()
		dark.Dark = true
		taken, err = b.Take(t.Context(), dark)
		require.NoError(t, err)
		require.Equal(t, [3]uint32{0, 0, 255}, colorAt(t, taken, 150, 100))
		require.Empty(t, taken.Refused)
	}
	small := shot()
	small.MaxBytes = 10
	taken, err := b.Take(t.Context(), small)
	require.NoError(t, err)
	require.Equal(t, "image/jpeg", taken.Type)
	colorAt(t, taken, 1, 1)
}

func TestPagesKeepNothingForTheNext(t *testing.T) {
	b := newBrowser(t, `<script>document.title = localStorage.x ?? 'empty'; localStorage.x = 1; document.cookie = 'x=1'</script>`)
	alone := shot()
	alone.Script = `(async () => { if (document.title !== 'empty') throw new Error(document.title) })()`
	for range 3 {
		_, err := b.Take(t.Context(), alone)
		require.NoError(t, err)
	}
}

func TestAPageReachesNothing(t *testing.T) {
	var reached atomic.Int32
	outside := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached.Add(1) }))
	defer outside.Close()
	file := filepath.Join(t.TempDir(), "secret")
	require.NoError(t, os.WriteFile(file, []byte("secret"), 0o600))
	b := newBrowser(t, `<img src="`+outside.URL+`/image"><img src="file://`+file+`"><img src="/large"><img src="/missing">
		<link rel="preconnect" href="`+outside.URL+`"><link rel="dns-prefetch" href="`+outside.URL+`">
		<iframe src="`+outside.URL+`/frame"></iframe>`)
	asking := shot()
	asking.Script = `(async () => {
		const asked = await Promise.allSettled([
			fetch('` + outside.URL + `/fetch', {mode: 'no-cors'}), fetch('file://` + file + `'), fetch('/page', {method: 'POST'}),
			new Promise((resolve, reject) => {
				const socket = new WebSocket('` + strings.Replace(outside.URL, "http", "ws", 1) + `/socket');
				socket.onopen = resolve; socket.onerror = reject;
			}),
		]);
		navigator.sendBeacon('` + outside.URL + `/beacon', 'x');
		if (asked.some(({status}) => status === 'fulfilled')) throw new Error(JSON.stringify(asked));
	})()`
	taken, err := b.Take(t.Context(), asking)
	require.NoError(t, err)
	require.Zero(t, reached.Load(), "requests came to a server of this machine")
	for _, refused := range []string{outside.URL + "/image", "/large", "/missing", outside.URL + "/frame"} {
		require.Contains(t, strings.Join(taken.Refused, "\n"), refused)
	}
	require.LessOrEqual(t, len(taken.Refused), namedRefusals)
}

func TestAPageThatNeverEndsHoldsNobody(t *testing.T) {
	b := newBrowser(t, twoSchemes)
	_, err := b.Take(t.Context(), shot())
	require.NoError(t, err)
	b.others.Wait() // the next page is loaded by the same bound
	b.maxTake = 2 * time.Second
	var both sync.WaitGroup
	both.Go(func() {
		endless := shot()
		endless.Script = `(() => { for (;;); })()`
		_, err := b.Take(t.Context(), endless)
		require.ErrorIs(t, err, ErrTooSlow)
	})
	b2 := shot()
	for range 3 {
		ctx, cancel := context.WithTimeout(t.Context(), maxTake)
		defer cancel()
		if _, err := b.Take(ctx, b2); err != nil {
			require.ErrorIs(t, err, ErrTooSlow, "under load it may be slow too")
		}
	}
	both.Wait()
	b.others.Wait()
	b.maxTake = maxTake
	_, err = b.Take(t.Context(), shot())
	require.NoError(t, err)
}

func TestPicturesWaitForTheirTurn(t *testing.T) {
	b := newBrowser(t, twoSchemes)
	for range atOnce {
		b.turns <- struct{}{}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := b.Take(ctx, shot())
	require.ErrorIs(t, err, context.Canceled)
	_, err = b.Take(t.Context(), shot())
	require.ErrorIs(t, err, ErrBusy)
	for range atOnce {
		<-b.turns
	}
}

func TestABrowserEndsWhole(t *testing.T) {
	b := newBrowser(t, twoSchemes)
	t.Setenv("SVC_DATABASE_URL", "postgres://secret")
	_, err := b.Take(t.Context(), shot())
	require.NoError(t, err)
	running := b.running
	environment, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", running.command.Process.Pid))
	if err == nil { // on Linux
		require.NotContains(t, string(environment), "secret")
	}
	require.NoError(t, b.Close(t.Context()))
	<-running.done
	require.True(t, running.ended())
	require.NoDirExists(t, running.folder)
	_, err = b.Take(t.Context(), shot())
	require.Error(t, err)
}

// The processes of the browser are nobody's, also where the server is root, and see no other processes and no network.
func TestABrowserRunsInItsSandbox(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("/proc says it")
	}
	b := newBrowser(t, twoSchemes)
	_, err := b.Take(t.Context(), shot())
	require.NoError(t, err)
	group, confined := b.running.command.Process.Pid, 0
	own, err := os.Readlink("/proc/self/ns/net")
	require.NoError(t, err)
	all, err := filepath.Glob("/proc/[0-9]*/cmdline")
	require.NoError(t, err)
	for _, file := range all {
		line, _ := os.ReadFile(file) // it may have ended
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		if of, err := syscall.Getpgid(pid); err != nil || of != group {
			continue
		}
		require.NotContains(t, string(line), "--no-sandbox")
		status, err := os.ReadFile(filepath.Join(filepath.Dir(file), "status"))
		if err != nil {
			continue
		}
		require.NotRegexp(t, `(?m)^Uid:\t0\t`, string(status))
		if strings.Contains(string(line), "--type=renderer") {
			require.Regexp(t, `(?m)^Seccomp:\t2$`, string(status), "system calls are not filtered")
			network, err := os.Readlink(filepath.Join(filepath.Dir(file), "ns", "net"))
			if err == nil {
				require.NotEqual(t, own, network, "the page's process has the network of the machine")
			}
			confined++
		}
	}
	require.NotZero(t, confined)
}

func TestABrowserThatCrashedIsStartedAnew(t *testing.T) {
	b := newBrowser(t, twoSchemes)
	_, err := b.Take(t.Context(), shot())
	require.NoError(t, err)
	first := b.running
	killGroup(first.command)
	<-first.gone
	_, err = b.Take(t.Context(), shot())
	require.NoError(t, err)
	require.NotSame(t, first, b.running)
	b.rest(b.running)
	require.Nil(t, b.running)
}

func TestWithoutABrowserOrASandbox(t *testing.T) {
	b := New(Options{Program: filepath.Join(t.TempDir(), "none")})
	_, err := b.Take(t.Context(), shot())
	require.ErrorIs(t, err, ErrMissing)
	_, err = New(Options{Program: "/bin/false", Sandbox: true}).Take(t.Context(), shot())
	require.ErrorIs(t, err, ErrSandbox)
	_, err = New(Options{Program: "/bin/false"}).Take(t.Context(), shot())
	require.NotErrorIs(t, err, ErrSandbox)
	require.ErrorIs(t, err, ErrTooSlow)
	t.Setenv("PATH", t.TempDir())
	_, err = New(Options{}).Take(t.Context(), shot())
	if !errors.Is(err, ErrMissing) {
		t.Skip("a browser stands where no path leads")
	}
}
