package local

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"time"
)

// Server is a running, supervised database server.
type Server struct {
	cluster *cluster
	lock    *os.File

	stopping chan struct{}
	stopOnce sync.Once
	done     chan struct{} // closed when the supervisor has ended and no server runs

	mu      sync.Mutex
	process *os.Process // nil between two runs
}

// Start takes the directory, ends a server that a killed run left there, starts the server, waits until it answers
// and makes [DefaultDatabase]. From then on the server is restarted when it dies, until Stop.
//
// It fails with a [VersionMismatchError] when the data is of another major version, with [ErrNotFound] when no
// PostgreSQL is installed, and when another process supervises the directory. None of these changes any data.
func Start(ctx context.Context, config Config) (*Server, error) {
	config = config.withDefaults()
	if err := os.MkdirAll(config.Dir, 0o755); err != nil {
		return nil, fmt.Errorf("making the directory of the local server: %w", err)
	}
	// The wait covers a killed run whose last children are still being reaped.
	lock, err := lockDir(ctx, config.lockFile(), 2*time.Second)
	if err != nil {
		return nil, err
	}
	server, err := start(ctx, config, lock)
	if err != nil {
		lock.Close()
		return nil, err
	}
	return server, nil
}

func start(ctx context.Context, config Config, lock *os.File) (*Server, error) {
	c, err := prepare(ctx, config)
	if err != nil {
		return nil, err
	}
	if err := c.takeOver(ctx); err != nil {
		return nil, err
	}
	s := &Server{cluster: c, lock: lock, stopping: make(chan struct{}), done: make(chan struct{})}
	// Between looking for a free port and listening on it another program may take it, hence three attempts;
	// they also outlast the children of a killed server, which hold its shared memory for a moment.
	for attempt := 1; ; attempt++ {
		if err = c.choosePort(); err != nil {
			return nil, err
		}
		exited := make(chan struct{})
		started := make(chan error, 1)
		go s.supervise(started, exited)
		if err = <-started; err == nil {
			err = c.waitReady(ctx, exited)
		}
		if err == nil {
			break
		}
		s.stopOnce.Do(func() { close(s.stopping) })
		if pid := s.PID(); pid != 0 {
			if stopErr := stopPostmaster(context.WithoutCancel(ctx), pid, 30*time.Second); stopErr != nil {
				return nil, errors.Join(err, stopErr)
			}
		}
		<-s.done
		if attempt == 3 || !errors.Is(err, errExited) {
			return nil, err
		}
		s = &Server{cluster: c, lock: lock, stopping: make(chan struct{}), done: make(chan struct{})}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(time.Duration(attempt) * 300 * time.Millisecond):
		}
		// A server that a killed run had just started writes its lock file a
		// moment after it was looked for.
		if err := c.takeOver(ctx); err != nil {
			return nil, err
		}
	}
	if err := c.ensureDatabase(ctx, DefaultDatabase); err != nil {
		return nil, errors.Join(err, s.stop(context.WithoutCancel(ctx)))
	}
	return s, nil
}

// URL returns the connection URL of [DefaultDatabase], the password included. It stays the same when the server is
// restarted.
func (s *Server) URL() string { return s.cluster.settings.databaseURL(DefaultDatabase) }

// DatabaseURL returns the connection URL of another database of the server.
func (s *Server) DatabaseURL(name string) string { return s.cluster.settings.databaseURL(name) }

// Installation returns the PostgreSQL that runs.
func (s *Server) Installation() Installation { return s.cluster.installation }

// PID returns the process id of the server, or 0 while it is being restarted.
func (s *Server) PID() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.process == nil {
		return 0
	}
	return s.process.Pid
}

// Stop shuts the server down (open transactions are rolled back, a checkpoint is written), waits for its end and
// gives the directory back. It may be called more than once.
func (s *Server) Stop(ctx context.Context) error {
	return s.stop(ctx)
}

func (s *Server) stop(ctx context.Context) error {
	s.stopOnce.Do(func() { close(s.stopping) })
	var err error
	if pid := s.PID(); pid != 0 {
		err = stopPostmaster(ctx, pid, 30*time.Second)
	}
	select {
	case <-s.done:
		// Closing twice is an error that says nothing new.
		_ = s.lock.Close()
	case <-ctx.Done():
		err = errors.Join(err, ctx.Err())
	}
	if err != nil {
		return fmt.Errorf("stopping the local database: %w", err)
	}
	return nil
}

// Restart back-off: the first restart is immediate enough to be unnoticed, a server that keeps dying is tried every
// five seconds, and half a minute of health forgets the past.
const (
	firstDelay   = 100 * time.Millisecond
	longestDelay = 5 * time.Second
	healthyAfter = 30 * time.Second
)

// supervise runs the server again and again until Stop. The first start's result goes to started, the end of the
// first run closes firstExit.
func (s *Server) supervise(started chan<- error, firstExit chan struct{}) {
	defer close(s.done)
	// The kernel ties the server's life to the thread that made it (see followParent), so this goroutine keeps its
	// thread, which ends with it.
	runtime.LockOSThread()
	logger := s.cluster.config.Logger
	delay := firstDelay
	for run := 1; ; run++ {
		began := time.Now()
		err := s.runOnce(func(err error) {
			if run == 1 {
				started <- err
			}
		})
		if run == 1 {
			close(firstExit)
		}
		select {
		case <-s.stopping:
			return
		default:
		}
		if time.Since(began) > healthyAfter {
			delay = firstDelay
		}
		logger.Error(
			"the database server ended, starting it again", "after", delay, "error", err, "log", s.cluster.config.logFile(),
		)
		select {
		case <-s.stopping:
			return
		case <-time.After(delay):
		}
		delay = min(2*delay, longestDelay)
	}
}

// runOnce starts the server and waits for its end.
func (s *Server) runOnce(report func(error)) error {
	cmd, release, err := s.cluster.serverCommand()
	if err != nil {
		report(err)
		return err
	}
	defer release()
	followParent(cmd)
	if err := s.begin(cmd); err != nil {
		err = fmt.Errorf("starting %s: %w", cmd.Path, err)
		report(err)
		return err
	}
	report(nil)
	err = cmd.Wait()
	s.mu.Lock()
	s.process = nil
	s.mu.Unlock()
	return err
}

// begin starts the process unless Stop came first, so that Stop always sees the process it has to end.
func (s *Server) begin(cmd *exec.Cmd) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case <-s.stopping:
		return errors.New("the server is being stopped")
	default:
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	s.process = cmd.Process
	return nil
}
