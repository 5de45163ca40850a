package chromium

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"time"
)

// ErrMissing is answered where no browser is installed.
var ErrMissing = errors.New("no Chromium is installed on the server's machine")

// ErrSandbox is answered where the browser can't protect the machine from what it draws.
var ErrSandbox = errors.New("Chromium does not start with its sandbox on the server's machine")

// names are the programs that are looked for, the smallest first.
var names = []string{
	"chromium-headless-shell", "chrome-headless-shell", "headless-shell", "chromium", "chromium-browser",
	"google-chrome-stable", "google-chrome", "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
	"/Applications/Chromium.app/Contents/MacOS/Chromium",
}

// find returns the program of a browser.
func find(program string) (string, error) {
	if program != "" {
		found, err := exec.LookPath(program)
		if err != nil {
			return "", fmt.Errorf("%w: %w", ErrMissing, err)
		}
		return found, nil
	}
	for _, name := range names {
		if found, err := exec.LookPath(name); err == nil {
			return found, nil
		}
	}
	return "", ErrMissing
}

// maxData bounds the memory of each of the browser's processes, in KiB.
const maxData = 1 << 20

// flags keep the browser from asking anybody anything, and from waiting for what nobody sees.
var flags = []string{
	"--headless", "--remote-debugging-pipe", "--no-first-run", "--no-default-browser-check", "--disable-gpu",
	"--disable-background-networking", "--disable-component-update", "--disable-default-apps", "--disable-extensions",
	"--disable-sync", "--disable-breakpad", "--disable-crash-reporter", "--no-pings", "--mute-audio",
	"--disable-dev-shm-usage", "--disable-domain-reliability", "--disable-client-side-phishing-detection",
	"--password-store=basic", "--use-mock-keychain", "--hide-scrollbars", "--force-color-profile=srgb",
	// Nothing has an address, not even where a script that broke out of the page would ask.
	"--host-resolver-rules=MAP * ~NOTFOUND", "--proxy-server=127.0.0.1:9", "--proxy-bypass-list=<-loopback>",
	"--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
	// A picture has what is decoded meanwhile, too.
	"--disable-checker-imaging", "--disable-background-timer-throttling", "--disable-renderer-backgrounding",
	"--js-flags=--max-old-space-size=256", "--disk-cache-size=1",
}

// process is a browser that runs.
type process struct {
	*pipe
	command *exec.Cmd
	ends    [2]*os.File
	folder  string
	says    *beginning    // on its error output
	done    chan struct{} // is closed when it has ended
}

// start runs a browser. It knows nothing of the server's environment, whose secrets are not for it, and it ends with
// the server, whose end of the pipe is closed then.
func start(program string, sandbox bool) (p *process, err error) {
	folder, err := os.MkdirTemp("", "svc-chromium-")
	if err != nil {
		return nil, fmt.Errorf("make a folder for the browser: %w", err)
	}
	var files []*os.File
	defer func() {
		if err != nil {
			for _, file := range files {
				_ = file.Close() // nothing was written
			}
			_ = os.RemoveAll(folder)
		}
	}()
	for range 2 {
		r, w, err := os.Pipe()
		if err != nil {
			return nil, fmt.Errorf("make a pipe: %w", err)
		}
		files = append(files, r, w)
	}
	arguments := append([]string{"--user-data-dir=" + folder}, flags...)
	if !sandbox {
		arguments = append(arguments, "--no-sandbox")
	}
	command := limited(program, append(arguments, "about:blank"))
	command.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + folder, "XDG_CONFIG_HOME=" + folder, "XDG_CACHE_HOME=" + folder,
		"TMPDIR=" + folder, "LANG=en_US.UTF-8",
	}
	command.ExtraFiles = []*os.File{files[0], files[3]} // 3 is what it reads, 4 what it writes
	says := &beginning{}
	command.Stderr = says
	ownGroup(command)
	if sandbox && runtime.GOOS == "linux" && os.Geteuid() == 0 {
		if err := asNobody(command, folder); err != nil {
			return nil, err
		}
	}
	if err := command.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", filepath.Base(program), err)
	}
	_, _ = files[0].Close(), files[3].Close() // they are the browser's
	p = &process{
		pipe: newPipe(files[1], files[2]), command: command, ends: [2]*os.File{files[1], files[2]}, folder: folder,
		says: says, done: make(chan struct{}),
	}
	go func() {
		defer close(p.done)
		_ = command.Wait() // it is killed
		killGroup(command)
		removeAll(folder)
	}()
	return p, nil
}

// beginning keeps the first bytes of what a browser says about itself.
type beginning struct {
	mu   sync.Mutex
	text []byte
}

func (b *beginning) Write(said []byte) (int, error) {
	const most = 2 << 10
	b.mu.Lock()
	defer b.mu.Unlock()
	b.text = append(b.text, said[:min(len(said), most-len(b.text))]...)
	return len(said), nil
}

func (b *beginning) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return string(b.text)
}

// removeAll removes a folder in which processes that are being killed may still write.
func removeAll(folder string) {
	for range 20 {
		if os.RemoveAll(folder) == nil {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// limited returns the command of a browser whose processes may take so much memory each where the system bounds that.
func limited(program string, arguments []string) *exec.Cmd {
	const script = `ulimit -c 0 2>/dev/null; ulimit -d "$1" 2>/dev/null; shift; exec "$@"`
	return exec.Command("/bin/sh", append([]string{"-c", script, "sh", strconv.Itoa(maxData), program}, arguments...)...)
}

// stop ends the browser and waits until it has.
func (p *process) stop(ctx context.Context) {
	killGroup(p.command)
	for _, end := range p.ends {
		_ = end.Close() // nothing is said any more
	}
	select {
	case <-p.done:
	case <-ctx.Done():
	}
}

// ended reports whether the browser says nothing more.
func (p *process) ended() bool {
	select {
	case <-p.gone:
		return true
	default:
		return false
	}
}
