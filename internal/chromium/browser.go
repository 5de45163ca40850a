package chromium

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"
)

const (
	// atOnce is how many pictures are taken at a time, and patience how long others wait for their turn.
	atOnce, patience = 2, 5 * time.Second
	// maxTake is how long a picture may take, the start of the browser with it, and maxClose its end.
	maxTake, maxClose = 10 * time.Second, 2 * time.Second
	// restAfter is how long a browser is kept that nobody uses.
	restAfter = 5 * time.Minute
	// maxTaken is after how many pictures another browser is started, whatever this one has kept.
	maxTaken = 500
)

// ErrBusy is answered when it is nobody's turn for long.
var ErrBusy = errors.New("the browser is taking as many pictures as it can")

// ErrTooSlow is answered when a picture took longer than it may, or more memory.
var ErrTooSlow = errors.New("the page took too long or too much memory")

// errBroken is what a page answers that can't be ended: the browser must be.
var errBroken = errors.New("the page can't be closed")

// Options say which browser takes pictures of which page.
type Options struct {
	// Program is the browser's file or name; empty looks for an installed one.
	Program string
	// Sandbox has the system confine the browser's processes, which run as nobody where the server is root.
	Sandbox bool
	// Files answers what the page asks for, its document too. Nothing else does.
	Files http.Handler
	// Path is that of the document.
	Path string
	// Before is run in the document before its own scripts, and Ready is what it must have waited for.
	Before, Ready string
	Logger        *slog.Logger // nil means slog.Default()
}

// Shot says what is done with the page and what the picture is like.
type Shot struct {
	// Width and Height are in CSS pixels, of which each is one of the picture.
	Width, Height int
	Dark          bool
	// Script is an expression whose promise is fulfilled when the page can be seen.
	Script string
	// Settled is such an expression that is run until no file came meanwhile.
	Settled string
	// MaxBytes is the largest picture as PNG; a larger one is taken as JPEG.
	MaxBytes int
}

// Picture is what was taken.
type Picture struct {
	Content []byte
	Type    string // of its MIME type
	// Refused are addresses that the page asked for and did not get, ten at most.
	Refused []string
}

// Browser is started by the first picture, and ends when nobody has wanted one for a while.
type Browser struct {
	Options
	turns   chan struct{}
	maxTake time.Duration

	mu      sync.Mutex
	running *process
	next    chan *page // gets a page of running that nobody has seen; nil while none is loaded
	using   int
	taken   int
	idle    *time.Timer
	closed  bool
	others  sync.WaitGroup // what prepares pages, and ends other browsers
}

// New returns a browser that does not run yet.
func New(options Options) *Browser {
	if options.Logger == nil {
		options.Logger = slog.Default()
	}
	return &Browser{Options: options, turns: make(chan struct{}, atOnce), maxTake: maxTake}
}

// Close ends the browser, and returns when nothing of it is left.
func (b *Browser) Close(ctx context.Context) error {
	b.mu.Lock()
	b.closed = true
	running := b.running
	b.running, b.next = nil, nil
	b.mu.Unlock()
	if running != nil {
		running.stop(ctx)
	}
	b.others.Wait()
	return nil
}

// Take takes a picture.
func (b *Browser) Take(ctx context.Context, shot Shot) (*Picture, error) {
	waiting := time.NewTimer(patience)
	defer waiting.Stop()
	select {
	case b.turns <- struct{}{}:
	case <-waiting.C:
		return nil, ErrBusy
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { <-b.turns }()
	running, next, err := b.enter()
	if err != nil {
		return nil, err
	}
	taking, cancel := context.WithTimeout(ctx, b.maxTake)
	defer cancel()
	picture, err := b.take(taking, running, next, shot)
	b.leave(running, !errors.Is(err, errBroken))
	if errors.Is(err, errGone) && b.Sandbox && !running.answered.Load() {
		b.Logger.WarnContext(ctx, "the browser does not start", "error", err, "says", running.says.String())
		return nil, ErrSandbox
	}
	if err != nil && ctx.Err() == nil {
		b.Logger.WarnContext(ctx, "taking a picture failed", "error", err)
		return nil, fmt.Errorf("%w: %w", ErrTooSlow, err)
	}
	return picture, err
}

func (b *Browser) take(ctx context.Context, running *process, next <-chan *page, shot Shot) (*Picture, error) {
	var opened *page
	if next != nil {
		select {
		case opened = <-next:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	if opened == nil {
		var err error
		if opened, err = b.open(ctx, running); err != nil {
			return nil, errors.Join(errBroken, err)
		}
	}
	// The page is mostly waited for once it has drawn: the next one is loaded meanwhile.
	picture, err := opened.take(ctx, shot, func() { b.prepareNext(running) })
	closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), maxClose)
	defer cancel()
	if failed := opened.close(closing); failed != nil {
		return nil, errors.Join(errBroken, err, failed)
	}
	return picture, err
}

// enter returns the browser, which it starts where none runs, and what gets a page of it if one is loaded.
func (b *Browser) enter() (*process, <-chan *page, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return nil, nil, errGone
	}
	if b.running != nil && b.running.ended() {
		b.running, b.next = nil, nil
	}
	if b.running == nil {
		program, err := find(b.Program)
		if err != nil {
			return nil, nil, err
		}
		if b.running, err = start(program, b.Sandbox); err != nil {
			return nil, nil, err
		}
		b.taken = 0
	}
	if b.idle != nil {
		b.idle.Stop()
	}
	b.using++
	b.taken++
	next := b.next
	b.next = nil
	return b.running, next, nil
}

// prepareNext has a page of a browser loaded for whoever comes next, unless one is.
func (b *Browser) prepareNext(running *process) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.running != running || b.next != nil {
		return
	}
	next := make(chan *page, 1)
	b.next = next
	b.others.Go(func() { b.prepare(running, next) })
}

// leave gives a browser back. One that is not well is ended: nobody knows what its pages still do.
func (b *Browser) leave(running *process, well bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.using--
	if b.running != running || b.closed {
		return
	}
	if !well || b.using == 0 && b.taken >= maxTaken {
		b.end()
		return
	}
	if b.using == 0 {
		b.idle = time.AfterFunc(restAfter, func() { b.rest(running) })
	}
}

// end ends what runs; the caller has the lock.
func (b *Browser) end() {
	running := b.running
	b.running, b.next = nil, nil
	b.others.Go(func() { running.stop(context.Background()) })
}

// rest ends a browser that nobody uses.
func (b *Browser) rest(running *process) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.running == running && b.using == 0 {
		b.end()
	}
}

// prepare loads the page for whoever comes next. Where it fails, they try themselves.
func (b *Browser) prepare(running *process, next chan<- *page) {
	defer close(next)
	ctx, cancel := context.WithTimeout(context.Background(), b.maxTake)
	defer cancel()
	opened, err := b.open(ctx, running)
	if err != nil {
		if !running.ended() {
			b.Logger.Warn("preparing a page for pictures failed", "error", err)
		}
		return
	}
	next <- opened
}
